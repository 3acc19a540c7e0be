//! Reads elements of chunked arrays: finds, fetches and decodes each chunk that the selection touches.
//!
//! Refused: compressed chunks of more than 4 GiB, since a chunk is decoded as a whole, and chunks that are not wholly
//! in the file.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use super::cache::{ChunkCache, Key};
use super::copy::{copy, copy_shuffled, Order};
use super::lattice::{Axis, Lattice};
use super::touched::{TouchedChunk, TouchedChunks};
use super::{linear, truncated, Kept};
use crate::container::buffer::{grown, WorkBuffer};
use crate::container::chunk_index::{ChunkIndex, ChunkPlace};
use crate::container::filter::{self, Filter};
use crate::error::{Error, Kind, Result};
use crate::io::source::Source;
use crate::selection::{checked_product, Selection};

/// The size in bytes of the largest chunk that is decoded.
const LARGEST_CHUNK: u64 = 1 << 32;

/// Where chunks lie and how they are decoded.
pub trait Chunks {
    /// Returns the place of a chunk, or `None` if it was never written.
    fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>>;

    /// Returns whether a chunk with this mask is stored as it is.
    fn is_plain(&self, mask: u32) -> bool;

    /// Returns the maximum number of bytes that a chunk of `stored` bytes can decode to.
    fn most_decoded(&self, _mask: u32, _stored: u64) -> u64 {
        u64::MAX
    }

    /// Returns whether [`Chunks::constant`] may return an element for a chunk of `stored` bytes.
    fn may_be_constant(&self, _mask: u32, _stored: u64) -> bool {
        false
    }

    /// Returns the element that a chunk of `len` bytes consists of, or `None` if it must be decoded.
    fn constant(
        &self,
        _mask: u32,
        _stored: &[u8],
        _scratch: &mut filter::Scratch,
        _len: usize,
    ) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    /// Decodes a chunk from its stored bytes into `out`.
    fn decode(&self, mask: u32, stored: &[u8], scratch: &mut filter::Scratch, out: &mut [u8]) -> Result<()>;

    /// Returns whether decoding ends with unshuffling. [`Chunks::decode`] omits that step if bit 0 of the mask is set.
    fn is_shuffled(&self, mask: u32, len: usize) -> bool;

    /// Returns a number that no other array in this process has, under which its chunks are cached.
    fn id(&self) -> u64;
}

/// Chunks that an index locates and filters decode.
pub struct Filtered<'a> {
    pub filters: &'a [Filter],
    pub index: &'a dyn ChunkIndex,
    pub element: usize,
}

impl Chunks for Filtered<'_> {
    fn most_decoded(&self, mask: u32, stored: u64) -> u64 {
        filter::most_decoded(self.filters, mask, stored)
    }

    fn may_be_constant(&self, mask: u32, stored: u64) -> bool {
        filter::may_be_constant(self.filters, mask, stored)
    }

    fn constant(
        &self,
        mask: u32,
        stored: &[u8],
        scratch: &mut filter::Scratch,
        len: usize,
    ) -> Result<Option<Vec<u8>>> {
        filter::constant(self.filters, mask, stored, self.element, scratch, len)
    }

    fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>> {
        self.index.find(chunk)
    }

    fn is_plain(&self, mask: u32) -> bool {
        (0..self.filters.len()).all(|i| mask.checked_shr(i as u32).is_some_and(|bits| bits & 1 == 1))
    }

    fn decode(&self, mask: u32, stored: &[u8], scratch: &mut filter::Scratch, out: &mut [u8]) -> Result<()> {
        filter::decode_into(self.filters, mask, stored, self.element, scratch, out)
    }

    fn is_shuffled(&self, mask: u32, len: usize) -> bool {
        filter::is_shuffled(self.filters, mask, self.element, len)
    }

    fn id(&self) -> u64 {
        self.index.id()
    }
}

/// Reads the selected elements into `out`; `fill` is one element as stored. The selection is not empty.
#[allow(clippy::too_many_arguments)]
pub fn read(
    source: &dyn Source,
    chunks: &impl Chunks,
    shape: &[u64],
    selection: &Selection,
    fill: &[u8],
    out: &mut [u8],
    order: Order,
    kept: &mut Kept<'_>,
) -> Result<()> {
    let len = length(shape, selection, order.element)?;
    for piece in TouchedChunks::new(selection, shape, order.element) {
        match chunks.find(&piece.chunk)? {
            None => copy(&broadcast(&piece.part, order.element), fill, out, order),
            Some(place) if chunks.is_plain(place.filter_mask) => {
                let stored = place.size.min(len as u64);
                check(source, &piece, place.offset, stored)?;
                if stored < len as u64 {
                    return Err(damaged(&piece, format!("it has {stored} bytes instead of {len}")));
                }
                let mut part = piece.part;
                part.from += place.offset;
                linear::read(source, &part, out, order, &mut kept.stretch)?;
            }
            Some(place) => {
                check(source, &piece, place.offset, place.size)?;
                let chunk = Stored { source, chunks, place, len };
                if let Some(element) = chunk.constant(kept)? {
                    copy(&broadcast(&piece.part, order.element), &element, out, order);
                    continue;
                }
                check_decoded(&piece, len, chunks.most_decoded(place.filter_mask, place.size))?;
                let part = &piece.part;
                if let Some(decoded) = kept.chunks.and_then(|cache| cache.get(chunk.key())) {
                    chunk.copy_from(&decoded, part, out, order);
                } else if part.run == len && part.axes.is_empty() {
                    // A chunk that is needed whole and in order is decoded directly into the result.
                    kept.chunks.iter().for_each(|cache| cache.pass(len));
                    let whole = &mut out[piece.part.to..piece.part.to + len];
                    chunk.decode(place.filter_mask, kept, whole)?;
                    order.settle(whole);
                } else {
                    chunk.copy(kept, &piece.part, out, order)?;
                }
            }
        }
    }
    Ok(())
}

/// Decodes the chunks that a selection touches and caches them, as long as there is room.
pub fn ahead(
    source: &dyn Source,
    chunks: &impl Chunks,
    shape: &[u64],
    selection: &Selection,
    element: usize,
    room: &AtomicI64,
    kept: &mut Kept<'_>,
) -> Result<()> {
    let len = length(shape, selection, element)?;
    let Some(cache) = kept.chunks else { return Ok(()) };
    for piece in TouchedChunks::new(selection, shape, element) {
        let Some(place) = chunks.find(&piece.chunk)? else { continue };
        let mask = place.filter_mask;
        if chunks.is_plain(mask) || chunks.may_be_constant(mask, place.size) {
            continue;
        }
        check_decoded(&piece, len, chunks.most_decoded(mask, place.size))?;
        let size = len as i64;
        if room.fetch_sub(size, Ordering::Relaxed) < size {
            return Ok(());
        }
        check(source, &piece, place.offset, place.size)?;
        let chunk = Stored { source, chunks, place, len };
        if cache.get(chunk.key()).is_none() {
            chunk.fetch(cache, kept)?;
        }
    }
    Ok(())
}

/// Returns the number of bytes of a decoded chunk.
fn length(shape: &[u64], selection: &Selection, element: usize) -> Result<usize> {
    checked_product(shape)
        .and_then(|n| n.checked_mul(element as u64))
        .filter(|&len| len > 0 && shape.len() == selection.rank())
        .and_then(|len| usize::try_from(len).ok())
        .ok_or_else(|| Error::new(Kind::Damaged, format!("chunks of shape {shape:?} are not possible")))
}

/// A chunk in the file.
struct Stored<'a, C> {
    source: &'a dyn Source,
    chunks: &'a C,
    place: ChunkPlace,
    len: usize,
}

impl<C: Chunks> Stored<'_, C> {
    fn key(&self) -> Key {
        (self.chunks.id(), self.place.offset)
    }

    fn is_shuffled(&self) -> bool {
        self.chunks.is_shuffled(self.place.filter_mask, self.len)
    }

    /// Returns the mask of filters to omit: a chunk is cached shuffled, so that only the parts needed are unshuffled.
    fn kept_mask(&self) -> u32 {
        self.place.filter_mask | u32::from(self.is_shuffled())
    }

    fn copy_from(&self, decoded: &[u8], part: &Lattice, out: &mut [u8], order: Order) {
        let copy = if self.is_shuffled() { copy_shuffled } else { copy };
        copy(part, decoded, out, order);
    }

    /// Decodes the chunk and caches it.
    fn fetch(&self, cache: &ChunkCache, kept: &mut Kept<'_>) -> Result<Arc<Vec<u8>>> {
        let held = cache.room(self.len)?;
        let mut buffer = cache.buffer();
        grown(&mut buffer, self.len)?;
        buffer.truncate(self.len);
        self.decode(self.kept_mask(), kept, &mut buffer)?;
        let chunk = Arc::new(buffer);
        cache.put(self.key(), Arc::clone(&chunk), held);
        Ok(chunk)
    }

    fn decode(&self, mask: u32, kept: &mut Kept<'_>, out: &mut [u8]) -> Result<()> {
        let stored = self.stored(&mut kept.stored)?;
        self.chunks.decode(mask, stored, &mut kept.filters, out)
    }

    fn stored<'b>(&self, buffer: &'b mut WorkBuffer) -> Result<&'b [u8]> {
        let stored = buffer.grown(usize::try_from(self.place.size).unwrap_or(usize::MAX))?;
        self.source.read_at(self.place.offset, stored)?;
        Ok(stored)
    }

    /// Returns the element that all of the chunk consists of, if that is known without decoding it.
    fn constant(&self, kept: &mut Kept<'_>) -> Result<Option<Vec<u8>>> {
        let ChunkPlace { filter_mask: mask, size, .. } = self.place;
        if !self.chunks.may_be_constant(mask, size) {
            return Ok(None);
        }
        let stored = self.stored(&mut kept.stored)?;
        self.chunks.constant(mask, stored, &mut kept.filters, self.len)
    }

    /// Decodes the chunk and copies a part of it. The chunk is cached if that is wanted and there is room.
    fn copy(&self, kept: &mut Kept<'_>, part: &Lattice, out: &mut [u8], order: Order) -> Result<()> {
        if let Some(cache) = kept.chunks.filter(|cache| cache.wants(self.key(), self.len, kept.keep)) {
            let decoded = self.fetch(cache, kept)?;
            self.copy_from(&decoded, part, out, order);
            return Ok(());
        }
        let mut buffer = std::mem::take(&mut kept.decoded);
        let result = buffer.grown(self.len).and_then(|decoded| {
            self.decode(self.kept_mask(), kept, decoded)?;
            self.copy_from(decoded, part, out, order);
            Ok(())
        });
        kept.decoded = buffer;
        result
    }
}

/// Returns the same destinations, all filled from one element.
fn broadcast(part: &Lattice, element: usize) -> Lattice {
    let still = |axis: &Axis| Axis { from: 0, ..*axis };
    let run = Axis { count: part.run / element, from: 0, to: element };
    Lattice::new(0, part.to, element, part.axes.iter().map(still).chain([run]))
}

fn check(source: &dyn Source, piece: &TouchedChunk, offset: u64, size: u64) -> Result<()> {
    match offset.checked_add(size) {
        Some(end) if end <= source.len() => Ok(()),
        end => Err(damaged(piece, truncated(end, source.len()).message())),
    }
}

fn check_decoded(piece: &TouchedChunk, len: usize, most: u64) -> Result<()> {
    if len as u64 > most {
        return Err(damaged(piece, format!("it is too short for {len} bytes")));
    }
    if len as u64 <= LARGEST_CHUNK {
        return Ok(());
    }
    let message = format!("chunk {:?}: it decodes to {len} bytes; {LARGEST_CHUNK} are the most", piece.chunk);
    Err(Error::new(Kind::Limit, message))
}

fn damaged(piece: &TouchedChunk, message: impl std::fmt::Display) -> Error {
    Error::new(Kind::Damaged, format!("chunk {:?}: {message}", piece.chunk))
}
