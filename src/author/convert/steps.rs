//! How far a conversion is, in fragments and plain values.

use std::collections::HashSet;

use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::selection::checked_product;
use crate::threads::control::Listener;

/// Counts what is done and asks whether to go on.
pub(super) struct Steps<'a> {
    done: u64,
    total: u64,
    tell: Option<&'a Listener<'a>>,
}

impl<'a> Steps<'a> {
    /// For a whole file; nothing is counted when nobody listens.
    pub(super) fn new(dataset: &Dataset, tell: Option<&'a Listener<'a>>) -> Self {
        Steps { done: 0, total: tell.map_or(0, |_| total(dataset)), tell }
    }

    /// More is done.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(super) fn advance(&mut self, by: u64) -> Result<()> {
        // Fragments in the file itself are copied, and not in the total.
        self.done = self.done.saturating_add(by).min(self.total);
        match self.tell {
            Some(tell) if !tell(self.done, self.total) => {
                Err(Error::new(Kind::Cancelled, "the conversion was cancelled"))
            }
            _ => Ok(()),
        }
    }
}

/// The fragments of aggregation variables, and the values of all others but those that only define fragments.
fn total(dataset: &Dataset) -> u64 {
    let shared = dataset.shared();
    let variables = &shared.tree().variables;
    let found: Vec<_> =
        (0..variables.len()).map(|i| shared.aggregation(VariableId(i)).ok().flatten()).collect();
    let definition: HashSet<VariableId> =
        found.iter().flatten().flat_map(|a| a.definition.iter().copied()).collect();
    let size = |(i, variable): (usize, &crate::container::tree::Variable)| match found[i] {
        Some(aggregation) => checked_product(aggregation.grid.fragments()),
        None if definition.contains(&VariableId(i)) => Some(0),
        None => checked_product(&variable.array.shape),
    };
    variables.iter().enumerate().filter_map(size).fold(0, u64::saturating_add)
}
