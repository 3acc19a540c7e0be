//! Writing netCDF files with libnetcdf (cargo feature `write`).
//!
//! A [`File`] describes what is to be written; [`write_file`] writes it, and [`NewFile`] takes large data by blocks.
//! Either way the bytes go to a temporary name in the same directory, are brought to the disk and renamed: a full disk,
//! a kill at any moment or a second writer leaves the old file or the new one, never half of one. Something left by a
//! kill is named `.NAME.PID-N.tmp`.
//!
//! Like every user of libnetcdf, this must not run while other threads of the process call libnetcdf by other ways than
//! the crates `netcdf` and `hdf5`, with which it shares a lock.

pub mod aggregation;
mod classic;
mod description;
mod library;
mod new_file;

pub use description::{Data, Dimension, File, Format, Group, Storage, Variable};
pub use new_file::NewFile;

use std::path::Path;

use crate::error::Result;

/// Writes a file that is wholly described, replacing one of that name.
///
/// # Errors
/// `Request` when the description is not consistent, `Unsupported` when the format cannot express it, `Io`.
pub fn write_file(file: &File, path: &Path, format: Format) -> Result<()> {
    NewFile::create(file, path, format)?.commit()
}
