//! `cfa create` on files like those that people have, and every way in which files do not fit together.
#![cfg(feature = "write")]

mod grouped;
mod made;
mod parts;
mod program;
mod refused;
mod updated;
