//! No command replaces a file that it reads, nor one with data, unless the user requests it.
#![cfg(unix)]

mod layer_files;
mod meanwhile;
mod never;
mod overwritten;
mod reports;
mod scene;
