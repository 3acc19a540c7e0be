//! What decoding needs from a container: its structure, and values of some of its variables.

use crate::container::allowance::{Allowance, Held};
use crate::container::tree::{Tree, VariableId};
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::selection::Selection;
use crate::value::Values;

/// A file whose structure is known and whose variables can be read in part.
pub trait Features {
    /// Returns all groups, dimensions and variables.
    ///
    /// # Errors
    /// Those of the container.
    fn tree(&self) -> Result<&Tree>;

    /// Reads the selected values of a variable, in C order.
    ///
    /// # Errors
    /// Those of the container.
    fn values(&self, variable: VariableId, selection: &Selection) -> Result<Values>;

    /// Counts memory that is about to be taken for what the file says.
    ///
    /// # Errors
    /// `Limit` if there is not so much left.
    fn hold(&self, bytes: usize) -> Result<Held>;

    /// Returns what counts the work on tables.
    fn allowance(&self) -> &Allowance;
}

impl Features for Container {
    fn tree(&self) -> Result<&Tree> {
        Container::tree(self)
    }

    fn values(&self, variable: VariableId, selection: &Selection) -> Result<Values> {
        let stored = self.tree()?.variables.get(variable.0);
        let stored = stored.ok_or_else(|| Error::new(Kind::Internal, "a variable of another file"))?;
        self.read_table(&stored.array, selection)
    }

    fn hold(&self, bytes: usize) -> Result<Held> {
        Container::hold(self, bytes)
    }

    fn allowance(&self) -> &Allowance {
        Container::allowance(self)
    }
}
