//! Reads elements of chunked arrays: finds, fetches and decodes each chunk that the selection touches.
//!
//! Refused: chunks of more than 4 GiB (HDF5 has none) and chunks that are not wholly in the file.

use super::copy::{copy, Order};
use super::lattice::{Axis, Lattice};
use super::pieces::{Piece, Pieces};
use super::{linear, truncated};
use crate::container::filter::{self, Filter};
use crate::container::hdf5::chunk_index::{ChunkPlace, LazyChunkIndex};
use crate::error::{Error, Kind, Result};
use crate::selection::{checked_product, Selection};
use crate::source::Source;

const LARGEST_CHUNK: u64 = 1 << 32;

/// Where chunks lie and how they are decoded.
pub trait Chunks {
    /// The place of a chunk; `None` when it was never written.
    fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>>;

    /// Whether a chunk with this mask is stored as it is.
    fn is_plain(&self, mask: u32) -> bool;

    /// The `len` bytes of a chunk from those that are stored.
    fn decode(&self, mask: u32, stored: Vec<u8>, len: usize) -> Result<Vec<u8>>;
}

/// The chunks of an HDF5 dataset.
pub struct Filtered<'a> {
    pub filters: &'a [Filter],
    pub index: &'a LazyChunkIndex,
    pub element: usize,
}

impl Chunks for Filtered<'_> {
    fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>> {
        self.index.find(chunk)
    }

    fn is_plain(&self, mask: u32) -> bool {
        (0..self.filters.len()).all(|i| mask.checked_shr(i as u32).is_some_and(|bits| bits & 1 == 1))
    }

    fn decode(&self, mask: u32, stored: Vec<u8>, len: usize) -> Result<Vec<u8>> {
        filter::decode(self.filters, mask, stored, len, self.element)
    }
}

/// Reads the selected elements into `out`; `fill` is one element as stored. The selection has elements.
pub fn read(
    source: &dyn Source,
    chunks: &impl Chunks,
    shape: &[u64],
    selection: &Selection,
    fill: &[u8],
    out: &mut [u8],
    order: Order,
) -> Result<()> {
    let len = checked_product(shape)
        .and_then(|n| n.checked_mul(order.element as u64))
        .filter(|&len| len > 0 && len <= LARGEST_CHUNK && shape.len() == selection.rank())
        .and_then(|len| usize::try_from(len).ok())
        .ok_or_else(|| Error::new(Kind::Damaged, format!("chunks of shape {shape:?} are not possible")))?;
    let mut scratch = Vec::new();
    for piece in Pieces::new(selection, shape, order.element) {
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
                linear::read(source, &part, out, order, &mut scratch)?;
            }
            Some(place) => {
                check(source, &piece, place.offset, place.size)?;
                let mut stored = Vec::new();
                let size = usize::try_from(place.size).unwrap_or(usize::MAX);
                source.read_at(place.offset, linear::grown(&mut stored, size)?)?;
                let decoded = chunks.decode(place.filter_mask, stored, len)?;
                if decoded.len() != len {
                    return Err(damaged(
                        &piece,
                        format!("it decodes to {} bytes instead of {len}", decoded.len()),
                    ));
                }
                copy(&piece.part, &decoded, out, order);
            }
        }
    }
    Ok(())
}

/// The same places filled from one element.
fn broadcast(part: &Lattice, element: usize) -> Lattice {
    let still = |axis: &Axis| Axis { from: 0, ..*axis };
    let run = Axis { count: part.run / element, from: 0, to: element };
    Lattice::new(0, part.to, element, part.axes.iter().map(still).chain([run]))
}

fn check(source: &dyn Source, piece: &Piece, offset: u64, size: u64) -> Result<()> {
    match offset.checked_add(size) {
        Some(end) if end <= source.len() => Ok(()),
        end => Err(damaged(piece, truncated(end, source.len()).message())),
    }
}

fn damaged(piece: &Piece, message: impl std::fmt::Display) -> Error {
    Error::new(Kind::Damaged, format!("chunk {:?}: {message}", piece.chunk))
}
