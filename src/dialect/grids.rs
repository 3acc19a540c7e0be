//! Grids that aggregation variables of one file share: a table is read once, however many variables name it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::container::tree::{DimensionId, VariableId};
use crate::error::{Kind, Result};
use crate::model::grid::Grid;

/// A table, whether it has index ranges, and the dimensions that it tiles.
type Key = (VariableId, bool, Vec<DimensionId>);

/// The grids of the tables of one file that were read so far, also of those that were refused.
#[derive(Debug, Default)]
pub struct Grids(Mutex<HashMap<Key, Result<Arc<Grid>>>>);

impl Grids {
    /// Returns the grid of a table, which `read` reads if nobody did before.
    ///
    /// # Errors
    /// Those of `read`.
    pub(super) fn get(&self, key: Key, read: impl FnOnce() -> Result<Grid>) -> Result<Arc<Grid>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return known.clone();
        }
        let grid = read().map(Arc::new);
        // Reading may work the next time.
        if grid.as_ref().is_err_and(|error| error.kind() == Kind::Io) {
            return grid;
        }
        lock().insert(key, grid.clone());
        grid
    }
}
