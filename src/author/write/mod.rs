//! Writes netCDF files.
//!
//! A [`File`] describes what is to be written; [`write_file`] writes it, and [`NewFile`] takes large data by blocks.
//! Either way the bytes go to a temporary name in the same directory, are brought to the disk and renamed: a full disk,
//! a kill at any moment or a second writer leaves the old file or the new one, never half of one. Something left by a
//! kill is named `.NAME.PID-N.tmp`.

pub mod aggregation;
pub(crate) mod blocks;
mod bytes;
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

pub use description::{Data, Dimension, File, Format, Group, Storage, Variable};
pub(crate) use netcdf4::default_chunk;
pub use new_file::NewFile;
pub(crate) use new_file::{Encoder, Ready};

use std::path::Path;
use std::sync::Arc;

use crate::container::Container;
use crate::error::Result;

/// Writes a file that is wholly described. A file of that name is replaced, whatever it is. Nothing is read again; see
/// [`write_checked`].
///
/// # Errors
/// `Request` when the description is not consistent, `Unsupported` when the format cannot express it, `Io`.
pub fn write_file(file: &File, path: &Path, format: Format) -> Result<()> {
    NewFile::create(file, path, format)?.commit()
}

/// Whether a file says what is described, and nothing else.
pub(crate) fn is_written(file: &File, path: &Path, format: Format) -> bool {
    let read = || -> Result<()> {
        let source = crate::io::os::LocalFile::open(path)?;
        verify::verify(&Container::open(Arc::new(source))?, &names::compose(file), format, &[])
    };
    Format::of_file(path).is_ok_and(|there| there == format) && read().is_ok()
}

/// As [`write_file`], and reads the new file before it takes its name: its groups, dimensions, variables, attributes and
/// values have to be those described, and its aggregation variables have to have the grid and fragments that
/// [`aggregation::add`] was given.
///
/// # Errors
/// As [`write_file`]; `Internal` for a difference. Either leaves the file that had the name before.
pub fn write_checked(file: &File, path: &Path, format: Format) -> Result<()> {
    NewFile::create(file, path, format)?.commit_checked(file)
}
