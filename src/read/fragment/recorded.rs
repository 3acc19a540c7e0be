//! Checks whether the file of a fragment changed since its size and time were recorded.

use std::path::Path;
use std::time::UNIX_EPOCH;

use super::{Host, Raw};
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::io::location::FileState;
use crate::options::ChangedFragments;
use crate::selection::Selection;

/// Times closer than this are equal: doubles of seconds since 1970 have no better resolution, and some file systems
/// less.
const RESOLUTION: f64 = 1e-5;

/// Compares the file of the fragment at `index` with its recorded state.
///
/// # Errors
/// `FragmentUnreadable` if it changed and changes are errors; those of reading the record.
pub(crate) fn check(host: &dyn Host, recorded: &[VariableId; 2], index: &[u64], raw: &Raw) -> Result<()> {
    let Some(file) = raw.file() else { return Ok(()) };
    if host.options().changed_fragments == ChangedFragments::Ignore {
        return Ok(());
    }
    let before = recorded_state(host, recorded, index)?;
    let Some(what) = difference_of(before, raw) else { return Ok(()) };
    let error = Error::new(Kind::FragmentUnreadable, format!("{what} (setting CHANGED_FRAGMENTS)"));
    let error = error.in_fragment(index).in_file(file);
    if host.options().changed_fragments == ChangedFragments::Error {
        return Err(error);
    }
    host.warn(error.to_string());
    Ok(())
}

/// Returns whether the file of the fragment at `index` differs from its recorded state, or whether that is unknown.
pub(crate) fn has_changed(host: &dyn Host, recorded: &[VariableId; 2], index: &[u64], file: &str) -> bool {
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

/// Returns how the file of a fragment differs from its recorded size and time, or `None` if it does not differ or nothing
/// was recorded.
///
/// Of a file on a server only the size is compared: the recorded time may be that of the copy from which the aggregation
/// was made.
pub(crate) fn difference_of([size, time]: [f64; 2], raw: &Raw) -> Option<String> {
    match raw.unexpanded().in_file() {
        Some((source, _)) if source.is_remote() => {
            differs([size, f64::NAN], FileState { length: source.len(), modified: None })
        }
        _ => difference([size, time], Path::new(raw.file()?)),
    }
}

/// Returns the same for a local file.
pub(crate) fn difference(recorded: [f64; 2], file: &Path) -> Option<String> {
    let metadata = std::fs::metadata(file).ok()?;
    differs(recorded, FileState { length: metadata.len(), modified: metadata.modified().ok() })
}

/// Returns how a state differs from a recorded size and time, as far as both are known.
pub(crate) fn differs([size, time]: [f64; 2], now: FileState) -> Option<String> {
    let length = now.length as f64;
    if size.is_finite() && size >= 0.0 && size != length {
        return Some(format!("its file has {length} bytes instead of the recorded {size}"));
    }
    let modified = now.modified?.duration_since(UNIX_EPOCH).ok()?.as_secs_f64();
    let later = modified - time;
    if time.is_finite() && time > 0.0 && later.abs() > RESOLUTION {
        let when = if later > 0.0 { "later" } else { "earlier" };
        let seconds = later.abs().ceil();
        return Some(format!("its file was written {seconds:.0} s {when} than recorded"));
    }
    None
}
