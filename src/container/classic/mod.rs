//! netCDF classic files: CDF-1, CDF-2 (64-bit offset) and CDF-5 (64-bit data).

use std::sync::Arc;

use super::tree::Tree;
use super::Stored;
use crate::error::{Error, Kind, Result};
use crate::source::Source;

/// An open classic file.
pub struct File {}

impl File {
    /// Parses the header.
    pub fn open(source: &Arc<dyn Source>) -> Result<Self> {
        let _ = source;
        Err(Error::new(Kind::Unsupported, "classic"))
    }

    /// All dimensions and variables.
    pub fn tree(&self) -> Result<Tree> {
        Err(Error::new(Kind::Unsupported, "classic"))
    }

    /// One variable by name.
    pub fn variable(&self, name: &str) -> Result<Option<Stored>> {
        let _ = name;
        Err(Error::new(Kind::Unsupported, "classic"))
    }
}
