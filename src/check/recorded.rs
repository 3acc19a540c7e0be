//! The recorded state of the fragments' files, from when the aggregation was made.
//!
//! Two variables that span the array of fragments hold bytes and seconds since 1970 (`dialect::STATE_ATTRIBUTE`).

use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::model::Aggregation;
use crate::read::fragment::{self, Raw};
use crate::selection::Selection;

/// The variables with size and time of modification of each fragment's file.
pub(crate) struct Recorded {
    dataset: Dataset,
    variables: [VariableId; 2],
}

impl Recorded {
    /// Returns the recorded states for a variable; `None` if there are none.
    pub(crate) fn of(dataset: &Dataset, aggregation: &Aggregation) -> Option<Recorded> {
        Some(Recorded { dataset: dataset.clone(), variables: aggregation.recorded? })
    }

    /// Returns how the file of a fragment differs from its recorded state; `None` if it does not, or if nothing was
    /// recorded.
    pub(crate) fn difference(&self, index: &[u64], raw: &Raw) -> Option<String> {
        let shared = self.dataset.shared();
        let read = |id: VariableId| {
            let array = &shared.tree().variables[id.0].array;
            let one = Selection::block(index, &vec![1; index.len()], &array.shape).ok()?;
            shared.container.read_table(array, &one).ok()?.f64_at(0)
        };
        let [size, time] = self.variables.map(read);
        let (size, time) = (size?, time?);
        Some(format!("{}: {}", raw.file()?, fragment::recorded_difference_of([size, time], raw)?))
    }
}
