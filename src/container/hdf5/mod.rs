//! netCDF-4 files: HDF5 structure through `hdf5-reader`, netCDF-4 meaning by us.

pub mod chunk_index;

use std::sync::Arc;

use super::array::Array;
use super::tree::Tree;
use super::Stored;
use crate::error::{Error, Kind, Result};
use crate::source::Source;

/// An open HDF5 file.
pub struct File {}

impl File {
    /// Opens it; `None` when the source is not an HDF5 file.
    pub fn open(source: &Arc<dyn Source>) -> Result<Option<Self>> {
        let _ = source;
        Ok(None)
    }

    /// All groups, dimensions and variables.
    pub fn tree(&self) -> Result<Tree> {
        Err(Error::new(Kind::Unsupported, "hdf5"))
    }

    /// One variable by its path, without leading slash.
    pub fn variable(&self, path: &str) -> Result<Option<Stored>> {
        let _ = path;
        Err(Error::new(Kind::Unsupported, "hdf5"))
    }

    /// The strings of stored elements (fixed fields or heap references), one after the other in `fields`.
    pub fn strings(&self, array: &Array, fields: &[u8]) -> Result<Vec<String>> {
        let _ = (array, fields);
        Err(Error::new(Kind::Unsupported, "hdf5"))
    }
}
