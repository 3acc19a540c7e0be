//! The recorded state of the fragments' files, from when the aggregation was made.
//!
//! Two variables that span the array of fragments hold bytes and seconds since 1970 (`dialect::STATE_ATTRIBUTE`).

use std::path::Path;

use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::model::Aggregation;
use crate::read::fragment;
use crate::selection::{c_strides, Selection};
use crate::value::Values;

/// Size and time of modification of each fragment's file.
pub(crate) struct Recorded {
    sizes: Vec<f64>,
    times: Vec<f64>,
    strides: Vec<u64>,
}

impl Recorded {
    /// Returns the recorded states for a variable; `None` if there are none.
    pub(crate) fn of(dataset: &Dataset, aggregation: &Aggregation) -> Option<Recorded> {
        let shared = dataset.shared();
        let shape = aggregation.grid.fragments();
        let read = |id: VariableId| -> Option<Vec<f64>> {
            let array = &shared.tree().variables[id.0].array;
            match shared.container.read_values(array, &Selection::all(shape)).ok()? {
                Values::F64(list) => Some(list),
                _ => None,
            }
        };
        let [size, modified] = aggregation.recorded?;
        Some(Recorded { sizes: read(size)?, times: read(modified)?, strides: c_strides(shape) })
    }

    /// Returns how a file differs from the recorded state of a fragment; `None` if it does not, or if nothing was
    /// recorded.
    pub(crate) fn difference(&self, index: &[u64], file: &str) -> Option<String> {
        let at: u64 = index.iter().zip(&self.strides).map(|(i, s)| i * s).sum();
        let at = usize::try_from(at).ok()?;
        let (size, time) = (*self.sizes.get(at)?, *self.times.get(at)?);
        Some(format!("{file}: {}", fragment::recorded_difference([size, time], Path::new(file))?))
    }
}
