//! The state of the fragments' files as it was recorded when the aggregation was made.
//!
//! The attribute `cfa_fragment_state` of an aggregation variable names two variables that span the array of fragments:
//! `size: VARIABLE modified: VARIABLE`, bytes and seconds since 1970. Readers of the conventions ignore them.

use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::dialect::{reference, terms::Terms};
use crate::selection::{c_strides, Selection};
use crate::value::Values;

/// The attribute that names the variables.
const ATTRIBUTE: &str = "cfa_fragment_state";
/// Seconds that are no difference: file systems and doubles round.
const NEAR: f64 = 1e-5;

/// Size and time of modification of each fragment's file.
pub(crate) struct Recorded {
    sizes: Vec<f64>,
    times: Vec<f64>,
    strides: Vec<u64>,
}

impl Recorded {
    /// What was recorded for a variable whose array of fragments has this shape; `None` when nothing fits.
    pub(crate) fn of(dataset: &Dataset, id: VariableId, shape: &[u64]) -> Option<Recorded> {
        let shared = dataset.shared();
        let tree = shared.tree();
        let variable = &tree.variables[id.0];
        let terms = Terms::parse(&variable.attributes.text(ATTRIBUTE)?).ok()?;
        let read = |keyword: &str| -> Option<Vec<f64>> {
            let found = reference::variable(tree, variable.group, terms.get(keyword)?)?;
            let array = &tree.variables[found.0].array;
            if array.shape != shape {
                return None;
            }
            match shared.container.read_values(array, &Selection::all(shape)).ok()? {
                Values::F64(list) => Some(list),
                _ => None,
            }
        };
        Some(Recorded { sizes: read("size")?, times: read("modified")?, strides: c_strides(shape) })
    }

    /// How a file differs from what was recorded for a fragment; `None` when it does not, or nothing was recorded.
    pub(crate) fn difference(&self, index: &[u64], file: &str) -> Option<String> {
        let at: u64 = index.iter().zip(&self.strides).map(|(i, s)| i * s).sum();
        let at = usize::try_from(at).ok()?;
        let (size, time) = (*self.sizes.get(at)?, *self.times.get(at)?);
        let metadata = std::fs::metadata(file).ok()?;
        let now = metadata.len() as f64;
        if size.is_finite() && size >= 0.0 && size != now {
            return Some(format!("{file}: it has {now} bytes; {size} were recorded"));
        }
        let modified = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs_f64();
        if time.is_finite() && time > 0.0 && (modified - time).abs() > NEAR {
            let later = modified - time;
            let when = if later > 0.0 { "later" } else { "earlier" };
            return Some(format!(
                "{file}: it was modified {:.0} s {when} than was recorded",
                later.abs().ceil()
            ));
        }
        None
    }
}
