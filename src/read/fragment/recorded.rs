//! Checks whether the file of a fragment changed since its size and time were recorded.

use std::path::Path;
use std::time::UNIX_EPOCH;

use super::Host;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::options::ChangedFragments;
use crate::selection::Selection;

/// Times closer than this are equal: doubles of seconds since 1970 have no better resolution, and some file systems
/// less.
const RESOLUTION: f64 = 1e-5;

/// Compares the file of the fragment at `index` with its recorded state.
///
/// # Errors
/// `FragmentUnreadable` if it changed and changes are errors; those of reading the record.
pub(crate) fn check(host: &dyn Host, recorded: &[VariableId; 2], index: &[u64], file: &str) -> Result<()> {
    if host.options().changed_fragments == ChangedFragments::Ignore {
        return Ok(());
    }
    let before = recorded_state(host, recorded, index)?;
    let Some(what) = difference(before, Path::new(file)) else { return Ok(()) };
    let error = Error::new(Kind::FragmentUnreadable, format!("{what} (setting CHANGED_FRAGMENTS)"));
    let error = error.in_fragment(index).in_file(file);
    if host.options().changed_fragments == ChangedFragments::Error {
        return Err(error);
    }
    host.warn(error.to_string());
    Ok(())
}

/// Returns whether the file of the fragment at `index` differs from its recorded state, or whether that is unknown.
pub(crate) fn differs(host: &dyn Host, recorded: &[VariableId; 2], index: &[u64], file: &str) -> bool {
    host.options().changed_fragments != ChangedFragments::Ignore
        && recorded_state(host, recorded, index)
            .map_or(true, |before| difference(before, Path::new(file)).is_some())
}

fn recorded_state(host: &dyn Host, recorded: &[VariableId; 2], index: &[u64]) -> Result<[f64; 2]> {
    let mut state = [0.0; 2];
    for (value, id) in state.iter_mut().zip(recorded) {
        let array = &host.tree().variables[id.0].array;
        let one = Selection::block(index, &vec![1; index.len()], &array.shape)?;
        *value = host.container().read_table(array, &one)?.f64_at(0).unwrap_or(f64::NAN);
    }
    Ok(state)
}

/// Returns how a file differs from its recorded size and time, or `None` if it does not differ or nothing was recorded.
pub(crate) fn difference([size, time]: [f64; 2], file: &Path) -> Option<String> {
    // Only local files have both; other files cannot be compared.
    let metadata = std::fs::metadata(file).ok()?;
    let now = metadata.len() as f64;
    if size.is_finite() && size >= 0.0 && size != now {
        return Some(format!("its file has {now} bytes instead of the recorded {size}"));
    }
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs_f64();
    let later = modified - time;
    if time.is_finite() && time > 0.0 && later.abs() > RESOLUTION {
        let when = if later > 0.0 { "later" } else { "earlier" };
        let seconds = later.abs().ceil();
        return Some(format!("its file was written {seconds:.0} s {when} than recorded"));
    }
    None
}
