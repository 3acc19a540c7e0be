//! Reads elements of a stored array, whatever its layout.
//!
//! Planning is pure and separate from input: `lattice` says where elements lie and go, `stretches` divides that into
//! stretches to read, `touched` divides a selection by chunks. `linear` and `chunked` read, `copy` moves the bytes.
//! Apart from the result, no more is allocated than one chunk, stored and decoded, and a scratch buffer of 1 MiB; the
//! process keeps some of it for the next read.
//!
//! Refused, before anything is read: elements that do not lie within the source (a truncated file).

mod cache;
mod chunked;
mod copy;
mod lattice;
mod linear;
mod ranges;
mod short;
mod stretches;
#[cfg(test)]
pub(super) mod tests;
mod touched;

use std::ops::Range;
use std::sync::atomic::AtomicI64;

pub use self::cache::{ChunkCache, Keep};
use self::chunked::{Chunks, Filtered};
use self::copy::Order;
use self::lattice::Lattice;
use self::touched::TouchedChunks;
use super::array::{Array, Element, Layout};
use super::buffer::{grown, WorkBuffer};
use super::chunk_numbers::ChunkNumbers;
use super::filter;
use crate::error::{Error, Kind, Result};
use crate::io::source::{Fetched, Overlay, Source};
use crate::selection::{c_strides, checked_product, Selection};

/// What one thread keeps from one read to the next: buffers, and chunks that it shares with others.
#[derive(Default)]
pub struct Kept<'a> {
    /// Decoded chunks; `None` to work without a cache.
    pub chunks: Option<&'a ChunkCache>,
    /// When decoded chunks are added to the cache.
    pub keep: Keep,
    /// What was fetched for the next read, which uses it up.
    pub fetched: Fetched,
    stretch: WorkBuffer,
    stored: WorkBuffer,
    decoded: WorkBuffer,
    filters: filter::Scratch,
}

impl<'a> Kept<'a> {
    /// Creates empty buffers that share a cache of chunks.
    pub fn sharing(chunks: &'a ChunkCache) -> Self {
        Kept { chunks: Some(chunks), ..Kept::default() }
    }
}

/// Reads numbers or chars in C order and native byte order into `out`.
///
/// # Errors
/// `Request` if the array has strings or `out` does not have the size of the selection; `Damaged`, `Io`, `Unsupported`.
pub fn numbers(
    source: &dyn Source,
    array: &Array,
    selection: &Selection,
    out: &mut [u8],
    kept: &mut Kept<'_>,
) -> Result<()> {
    if !kept.fetched.is_empty() {
        let fetched = &std::mem::take(&mut kept.fetched);
        return numbers(&Overlay { source, fetched }, array, selection, out, kept);
    }
    match array.element {
        Element::Number { .. } => {
            elements(source, array, selection, out, array.element.is_foreign_endian(), kept)
        }
        Element::Narrow(narrow) => {
            if bytes_of(selection, array.data_type.size().unwrap_or(0)) != Some(out.len()) {
                return Err(wrong_buffer(out, selection));
            }
            check(source, array, selection)?;
            let mut stored = zeroed(selection, narrow.size)?;
            elements(source, array, selection, &mut stored, false, kept)?;
            narrow.widen(&stored, out);
            Ok(())
        }
        Element::FixedString { .. } | Element::HeapString { .. } => {
            Err(Error::new(Kind::Request, "the data are strings, not numbers"))
        }
    }
}

/// Finds the chunks that a selection touches, in few steps. The reads of its parts need not search for them.
///
/// # Errors
/// `Request` if the selection does not fit this array; `Damaged`, `Io`.
pub fn prepare(array: &Array, selection: &Selection) -> Result<()> {
    let Layout::Chunked { chunk, index, .. } = &array.layout else { return Ok(()) };
    selection.check(&array.shape)?;
    match selection.is_empty() || chunk.len() != selection.rank() {
        true => Ok(()),
        false => index.prepare(&ChunkNumbers::new(selection, chunk)),
    }
}

/// What a file has of a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Whether anything was written. Otherwise it consists of the array's fill value.
    pub is_any: bool,
    /// The bytes that it takes in the file. A chunk counts where its first element is selected.
    pub stored: u64,
    /// The bytes that are decoded to read it.
    pub decoded: u64,
}

/// Returns what a file has of a selection, which has no steps.
///
/// # Errors
/// As [`prepare`].
pub fn written(array: &Array, selection: &Selection) -> Result<Written> {
    let element = array.element.size();
    let bytes = |count: &[u64]| {
        checked_product(count).and_then(|n| n.checked_mul(element as u64)).unwrap_or(u64::MAX)
    };
    let mut written = Written { is_any: array.short.is_some(), ..Written::default() };
    match &array.layout {
        _ if selection.is_empty() => {}
        Layout::Unwritten => {}
        Layout::Chunked { chunk, index, filters } if chunk.len() == selection.rank() => {
            prepare(array, selection)?;
            let (whole, chunks) = (bytes(chunk), Filtered { filters, index: &**index, element });
            for touched in TouchedChunks::new(selection, chunk, element) {
                let Some(place) = index.find(&touched.chunk)? else { continue };
                written.is_any = true;
                let first = touched.chunk.iter().zip(chunk).map(|(at, size)| at * size);
                if first.zip(selection.start()).all(|(first, &start)| first >= start) {
                    written.stored = written.stored.saturating_add(place.size);
                }
                if !chunks.is_plain(place.filter_mask) {
                    let is_cheap = chunks.may_be_constant(place.filter_mask, place.size);
                    let part = bytes(selection.count()).min(whole);
                    written.decoded = written.decoded.saturating_add(if is_cheap { part } else { whole });
                }
            }
        }
        Layout::Contiguous { .. } | Layout::Records { .. } => {
            written.is_any = true;
            written.stored = bytes(selection.count());
        }
        _ => written.is_any = true,
    }
    Ok(written)
}

/// Returns the ranges of the source, sorted by their start, that a read of this selection needs and that must be waited
/// for: none if the source is not on a server. What is fetched of them goes to [`Kept::fetched`].
///
/// # Errors
/// `Request` if the selection does not fit this array; `Damaged`, `Io`.
pub fn ranges(
    source: &dyn Source,
    array: &Array,
    selection: &Selection,
    cache: &ChunkCache,
) -> Result<Vec<Range<u64>>> {
    if !source.is_remote() || selection.is_empty() {
        return Ok(Vec::new());
    }
    selection.check(&array.shape)?;
    ranges::ranges(array, selection, source.len(), cache)
}

/// Decodes the chunks that a selection touches and caches them. `room` is the number of bytes that may still be cached,
/// by all threads that share it. Only compressed chunks profit from this; other layouts are skipped.
///
/// # Errors
/// `Request` if the selection does not fit this array; `Damaged`, `Io`, `Unsupported`.
pub fn ahead(
    source: &dyn Source,
    array: &Array,
    selection: &Selection,
    room: &AtomicI64,
    kept: &mut Kept<'_>,
) -> Result<()> {
    selection.check(&array.shape)?;
    let Layout::Chunked { chunk, filters, index } = &array.layout else { return Ok(()) };
    let element = array.element.size();
    if selection.is_empty() || element == 0 || filters.is_empty() {
        return Ok(());
    }
    chunked::ahead(
        source,
        &Filtered { filters, index: &**index, element },
        chunk,
        selection,
        element,
        room,
        kept,
    )
}

/// Reads the elements as they are stored, one after the other in C order.
///
/// # Errors
/// `Request` if the selection does not fit this array, `Limit` if it does not fit into memory; `Damaged`, `Io`,
/// `Unsupported`.
pub fn stored(source: &dyn Source, array: &Array, selection: &Selection) -> Result<Vec<u8>> {
    stored_with(source, array, selection, &mut Kept::default())
}

/// As [`stored`], with what is kept from other reads.
///
/// # Errors
/// As [`stored`].
pub fn stored_with(
    source: &dyn Source,
    array: &Array,
    selection: &Selection,
    kept: &mut Kept<'_>,
) -> Result<Vec<u8>> {
    check(source, array, selection)?;
    let mut out = zeroed(selection, array.element.size())?;
    elements(source, array, selection, &mut out, false, kept)?;
    Ok(out)
}

/// Checks that the file can hold the selected elements, before a buffer is allocated for them.
///
/// # Errors
/// `Request` if the selection does not fit this array, `Damaged` if the file is too short.
pub fn check(source: &dyn Source, array: &Array, selection: &Selection) -> Result<()> {
    selection.check(&array.shape)?;
    if selection.is_empty() || array.element.size() == 0 {
        return Ok(());
    }
    in_order(array, selection, source.len()).map(drop)
}

/// Returns a zeroed buffer for the selected elements, or an error instead of an abort if there is no memory for it.
///
/// # Errors
/// `Limit` if there is no memory.
pub fn zeroed(selection: &Selection, element_size: usize) -> Result<Vec<u8>> {
    let mut buffer = Vec::new();
    bytes_of(selection, element_size).and_then(|bytes| grown(&mut buffer, bytes).ok()).ok_or_else(|| {
        Error::new(Kind::Limit, "the selection does not fit into memory; ask for a smaller part")
    })?;
    Ok(buffer)
}

fn bytes_of(selection: &Selection, element: usize) -> Option<usize> {
    selection.len()?.checked_mul(element as u64).and_then(|n| usize::try_from(n).ok())
}

fn elements(
    source: &dyn Source,
    array: &Array,
    selection: &Selection,
    out: &mut [u8],
    swap: bool,
    kept: &mut Kept<'_>,
) -> Result<()> {
    selection.check(&array.shape)?;
    let element = array.element.size();
    if bytes_of(selection, element) != Some(out.len()) {
        return Err(wrong_buffer(out, selection));
    }
    if out.is_empty() {
        return Ok(());
    }
    let fills = [Some(&array.fill), array.short.as_ref().map(|ends| &ends.fill)];
    if let Some(fill) = fills.into_iter().flatten().find(|fill| fill.len() != element) {
        return Err(Error::new(Kind::Internal, format!("the fill value has {} bytes", fill.len())));
    }
    let order = Order { element, swap };
    if let Some(ends) = array.short.as_ref().filter(|ends| short::reaches_beyond(ends, selection)) {
        let inside = |part: &Selection, out: &mut [u8]| elements(source, array, part, out, swap, kept);
        return short::read(ends, &array.shape, selection, out, order, inside);
    }
    match (&array.layout, in_order(array, selection, source.len())?) {
        (Layout::Compact(bytes), Some(lattice)) => copy::copy(&lattice, bytes, out, order),
        (_, Some(lattice)) => linear::read(source, &lattice, out, order, &mut kept.stretch)?,
        (Layout::Chunked { chunk, filters, index }, None) => {
            let chunks = Filtered { filters, index: &**index, element };
            chunked::read(source, &chunks, chunk, selection, &array.fill, out, order, kept)?;
        }
        (Layout::Refused(reason), None) => return Err(Error::new(Kind::Unsupported, reason.as_str())),
        (_, None) => {
            let axis = lattice::Axis { count: out.len() / element, from: 0, to: element };
            copy::copy(&Lattice::new(0, 0, element, [axis]), &array.fill, out, order);
        }
    }
    Ok(())
}

/// Returns where the selected elements of an array in C order lie, or `None` for other layouts.
///
/// # Errors
/// `Damaged` if an element lies beyond the end of the file, or of the compact data.
fn in_order(array: &Array, selection: &Selection, file_len: u64) -> Result<Option<Lattice>> {
    let element = array.element.size();
    let mut strides = c_strides(&array.shape);
    strides.iter_mut().for_each(|s| *s = s.saturating_mul(element as u64));
    let (origin, len) = match &array.layout {
        Layout::Compact(bytes) => (0, bytes.len() as u64),
        Layout::Contiguous { offset } => (*offset, file_len),
        Layout::Records { offset, stride } => {
            if let Some(first) = strides.first_mut() {
                *first = *stride;
            }
            (*offset, file_len)
        }
        Layout::Unwritten | Layout::Chunked { .. } | Layout::Refused(_) => return Ok(None),
    };
    Lattice::select(selection, origin, &strides, element, len).map(Some)
}

fn wrong_buffer(out: &[u8], selection: &Selection) -> Error {
    let count = selection.count();
    Error::new(
        Kind::Request,
        format!("the buffer has {} bytes, which is not the size of {count:?} elements", out.len()),
    )
}

fn truncated(end: Option<u64>, len: u64) -> Error {
    let message = match end {
        Some(end) => format!("the file is truncated: data reach byte {end}, the file has {len}"),
        None => format!("the file is truncated: data lie beyond its end at byte {len}"),
    };
    Error::new(Kind::Damaged, message)
}
