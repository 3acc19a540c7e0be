//! Looks up where the chunks of variables lie in a file.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Recorder;
use crate::container::array::{Array, Layout};
use crate::container::described::Described;
use crate::container::Container;
use crate::dialect;
use crate::error::Result;
use crate::io::location::{self, File, Opened, Recorded, Style};
use crate::io::source::Source;
use crate::read::fragment::fits_plainly;
use crate::selection::{checked_product, indices};

/// The maximum number of chunks of one fragment that are recorded.
const MOST_CHUNKS: u64 = 1 << 22;
/// A file that changes twice within such a time may keep its time of change, because the clocks of file systems tick,
/// some in whole seconds.
const TICKS: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(2)];

/// The record of one fragment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Look {
    /// The description of its array.
    pub(crate) layout: String,
    /// Offset, size and filter mask of each chunk, in C order; -1, 0, 0 for one that was never written.
    pub(crate) rows: Vec<i64>,
    pub(crate) state: Recorded,
}

/// Looks up variables of one file, each with the shape of its part of the aggregated data. Returns `None` for those that
/// cannot be recorded.
///
/// # Errors
/// Those of opening the file.
pub(crate) fn look(
    recorder: &Recorder<'_>,
    name: &str,
    style: Style,
    wanted: &[(&str, &[u64])],
) -> Result<Vec<Option<Look>>> {
    let none = || vec![None; wanted.len()];
    let found = match location::open_fragment(recorder.origin, name, style, recorder.options)? {
        Opened::Found(found) => found,
        Opened::Absent(_) => return Ok(none()),
    };
    let file = Arc::new(found.file);
    let Some(fingerprint) = file.fingerprint() else { return Ok(none()) };
    let state = Recorded { length: file.len(), fingerprint };
    let Ok(container) = Container::open(Arc::clone(&file) as Arc<dyn Source>) else { return Ok(none()) };
    let one = |(identifier, canonical): &(&str, &[u64])| variable(&container, identifier, canonical, state);
    let looks: Vec<Option<Look>> = wanted.iter().map(one).collect();
    settle(&file);
    // The places must belong to the state that is recorded.
    Ok(if file.is_current() { looks } else { none() })
}

/// Waits until a change of the file would change its time too.
fn settle(file: &File) {
    let Some(time) = file.state().modified else { return };
    let is_whole = time.duration_since(UNIX_EPOCH).is_ok_and(|time| time.subsec_nanos() == 0);
    let tick = TICKS[usize::from(is_whole)];
    if let Some(rest) = SystemTime::now().duration_since(time).ok().and_then(|age| tick.checked_sub(age)) {
        std::thread::sleep(rest);
    }
}

fn variable(container: &Container, identifier: &str, canonical: &[u64], state: Recorded) -> Option<Look> {
    let stored = container.variable(identifier.trim_start_matches('/')).ok()??;
    if dialect::is_aggregation(&stored.attributes) || !fits_plainly(&stored.array.shape, canonical) {
        return None;
    }
    let described = Described::of(&stored.array, &stored.attributes)?;
    let rows = rows(&stored.array, &described, state.length)?;
    Some(Look { layout: described.text(), rows, state })
}

/// Returns the places of the chunks of an array, or of all its data.
pub(crate) fn rows(array: &Array, described: &Described, length: u64) -> Option<Vec<i64>> {
    let row = |offset: u64, size: u64, mask: u32| {
        offset.checked_add(size).filter(|&end| end <= length && size <= described.most_stored())?;
        Some([i64::try_from(offset).ok()?, i64::try_from(size).ok()?, i64::from(mask)])
    };
    match &array.layout {
        Layout::Contiguous { offset } => Some(
            row(*offset, checked_product(&array.shape)?.checked_mul(array.element.size() as u64)?, 0)?
                .to_vec(),
        ),
        Layout::Records { offset, .. } => Some(row(*offset, 0, 0)?.to_vec()),
        Layout::Chunked { index, .. } => {
            let counts = described.counts()?;
            checked_product(&counts).filter(|&n| n <= MOST_CHUNKS)?;
            // A small index is read as a whole; of others each part is read when it is needed.
            index.detach().ok()?;
            let mut rows = Vec::new();
            for chunk in indices(&counts) {
                match index.find(&chunk).ok()? {
                    Some(place) => rows.extend(row(place.offset, place.size, place.filter_mask)?),
                    None => rows.extend([-1, 0, 0]),
                }
            }
            Some(rows)
        }
        _ => None,
    }
}
