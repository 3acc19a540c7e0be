//! The state of the fragments' files as it was recorded when the aggregation was made.

use crate::container::tree::VariableId;
use crate::dataset::Dataset;

/// Size and time of modification of each fragment's file.
pub(crate) struct Recorded {}

impl Recorded {
    pub(crate) fn of(_dataset: &Dataset, _id: VariableId, _shape: &[u64]) -> Option<Recorded> {
        None
    }

    pub(crate) fn difference(&self, _index: &[u64], _file: &str) -> Option<String> {
        None
    }
}
