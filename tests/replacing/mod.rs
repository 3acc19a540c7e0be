//! No command replaces what it reads, nor anything that holds data, unless it is told to.
#![cfg(unix)]

mod meanwhile;
mod never;
mod overwritten;
mod reports;
mod scene;
