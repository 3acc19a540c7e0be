//! `cfa create` on realistic files, and every way in which files do not fit together.

mod apart;
mod archives;
mod bounds;
mod epochs;
mod grouped;
mod kept;
mod labelled;
mod left_out;
mod made;
mod numbered;
mod order;
mod parts;
mod program;
mod ragged;
mod refused;
mod returning;
mod size;
mod together;
mod updated;
