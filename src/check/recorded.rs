//! The state of the fragments' files as it was recorded when the aggregation was made.
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
    /// What was recorded for a variable; `None` when nothing was.
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

    /// How a file differs from what was recorded for a fragment; `None` when it does not, or nothing was recorded.
    pub(crate) fn difference(&self, index: &[u64], file: &str) -> Option<String> {
        let at: u64 = index.iter().zip(&self.strides).map(|(i, s)| i * s).sum();
        let at = usize::try_from(at).ok()?;
        let (size, time) = (*self.sizes.get(at)?, *self.times.get(at)?);
        Some(format!("{file}: {}", fragment::recorded_difference([size, time], Path::new(file))?))
    }
}
