//! Writes netCDF files.
//!
//! A [`File`] describes what to write; [`write_file`] writes it, and [`NewFile`] receives large data in blocks. Either
//! way the bytes go to a temporary file in the same directory, which is flushed to disk and renamed. A full disk, a
//! kill at any moment or a second writer leaves the old file or the new one, never half of one. A file that a kill
//! leaves behind is named `.NAME.PID-N.tmp`.

pub mod aggregation;
pub(crate) mod blocks;
mod bytes;
mod catalogue;
mod cdf;
mod check;
mod classic;
mod description;
mod names;
mod netcdf4;
mod new_file;
mod region;
mod sink;
mod verify;

pub(crate) use catalogue::{Catalogue, Numbering};
pub use description::{Data, Dimension, File, Format, Group, Storage, Variable};
pub(crate) use netcdf4::default_chunk;
pub use new_file::NewFile;
pub(crate) use new_file::{Encoder, Ready};

use std::path::Path;
use std::sync::Arc;

use crate::container::Container;
use crate::error::Result;

/// Writes a file that is wholly described. A file of that name is replaced, whatever it is. Nothing is read back; see
/// [`write_checked`].
///
/// # Errors
/// `Request` if the description is not consistent, `Unsupported` if the format cannot express it, `Io`.
pub fn write_file(file: &File, path: &Path, format: Format) -> Result<()> {
    NewFile::create(file, path, format)?.commit()
}

/// Returns whether a file has exactly the described contents.
pub(crate) fn is_written(file: &File, path: &Path, format: Format) -> bool {
    let read = || -> Result<()> {
        let source = crate::io::os::LocalFile::open(path)?;
        verify::verify(&Container::open(Arc::new(source))?, &names::compose(file), format, &[])
    };
    Format::of_file(path).is_ok_and(|there| there == format) && read().is_ok()
}

/// Writes a file as [`write_file`] does, and reads it back before it gets its name. Its groups, dimensions, variables,
/// attributes and values must be as described, and its aggregation variables must have the grid and fragments that were
/// passed to [`aggregation::add`].
///
/// # Errors
/// As [`write_file`]; `Internal` for a difference. In either case the file that had the name before stays.
pub fn write_checked(file: &File, path: &Path, format: Format) -> Result<()> {
    NewFile::create(file, path, format)?.commit_checked(file)
}
