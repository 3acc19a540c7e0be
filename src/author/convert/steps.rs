//! The progress of a conversion, in fragments and plain values.

use std::collections::HashSet;

use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::selection::checked_product;
use crate::threads::progress::{Listener, Progress};

/// Returns the progress of a conversion of a whole file. Without a listener nothing is counted.
pub(super) fn progress<'a>(dataset: &Dataset, listener: Option<&'a Listener<'a>>) -> Progress<'a> {
    // Fragments in the file itself are copied but not in the total.
    Progress::new(listener, listener.map_or(0, |_| total(dataset)), "the conversion was cancelled")
}

/// Returns the number of fragments of aggregation variables plus the number of values of all others, except those that
/// only define fragments.
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
