//! Plans what a read of a file on a server needs: the ranges of stored bytes, before any of them is read.

use std::ops::Range;

use super::chunked::{Chunks, Filtered};
use super::lattice::Lattice;
use super::stretches::Stretches;
use super::touched::TouchedChunks;
use super::{in_order, short, ChunkCache};
use crate::container::array::{Array, Layout};
use crate::error::Result;
use crate::selection::{checked_product, Selection};

/// Returns the ranges, sorted by their start, without chunks that are cached. The selection is not empty and lies
/// within the shape. Damage is left for the read itself to report.
pub(super) fn ranges(
    array: &Array,
    selection: &Selection,
    file_len: u64,
    cache: &ChunkCache,
) -> Result<Vec<Range<u64>>> {
    // Which part of such a selection is stored is the business of the read.
    if array.short.as_ref().is_some_and(|ends| short::reaches_beyond(ends, selection)) {
        return Ok(Vec::new());
    }
    let element = array.element.size();
    let mut ranges = Vec::new();
    match (&array.layout, in_order(array, selection, file_len)?) {
        (Layout::Contiguous { .. } | Layout::Records { .. }, Some(lattice)) => {
            ranges =
                Stretches::new(&lattice).map(|stretch| from(stretch.offset, stretch.len as u64)).collect();
        }
        (Layout::Chunked { chunk, filters, index }, _) if fits_memory(chunk, element) => {
            let chunks = Filtered { filters, index: &**index, element };
            for piece in TouchedChunks::new(selection, chunk, element) {
                let Some(place) = chunks.find(&piece.chunk)? else { continue };
                if chunks.is_plain(place.filter_mask) {
                    let (low, len) = extent(&piece.part);
                    ranges.push(from(place.offset.saturating_add(low), len));
                } else if cache.get((chunks.id(), place.offset)).is_none() {
                    ranges.push(from(place.offset, place.size));
                }
            }
        }
        _ => {}
    }
    ranges.sort_unstable_by_key(|range| range.start);
    Ok(ranges)
}

fn from(start: u64, len: u64) -> Range<u64> {
    start..start.saturating_add(len)
}

fn fits_memory(chunk: &[u64], element: usize) -> bool {
    let bytes = checked_product(chunk).and_then(|n| n.checked_mul(element as u64));
    bytes.is_some_and(|bytes| bytes > 0 && usize::try_from(bytes).is_ok())
}

/// Returns where the bytes of a lattice begin, and how far they reach.
fn extent(part: &Lattice) -> (u64, u64) {
    let below: i64 = part.axes.iter().map(|axis| axis.lowest()).sum();
    let reach: u64 = part.axes.iter().map(|axis| axis.reach()).sum();
    (part.from.saturating_add_signed(below), reach + part.run as u64)
}
