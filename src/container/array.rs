//! Where the elements of a stored array lie and how they are encoded there.

use super::chunk_index::ChunkIndex;
use super::filter::Filter;
use super::narrow::Narrow;
use crate::value::DataType;

/// The bytes of a block of an array without chunks.
const TILE: u64 = 256 << 10;

/// A stored array: type, shape and place of its elements.
#[derive(Debug)]
pub struct Array {
    /// The type of its elements.
    pub data_type: DataType,
    /// How one element is encoded.
    pub element: Element,
    /// Its current shape.
    pub shape: Vec<u64>,
    /// Where the elements lie.
    pub layout: Layout,
    /// One element as stored, which replaces elements that were never written; `element.size()` bytes long.
    pub fill: Vec<u8>,
    /// Where the data end before the shape does; `None` where they fill it.
    pub short: Option<Box<Short>>,
}

/// Data that end before their dimensions do: an unlimited dimension has grown, and nothing was written there.
#[derive(Debug)]
pub struct Short {
    /// How far the data reach along each dimension.
    pub extent: Vec<u64>,
    /// One element as stored, which replaces everything beyond.
    pub fill: Vec<u8>,
}

/// How one element is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A number, or one byte of text.
    Number {
        /// Its size in bytes.
        size: usize,
        /// Whether the most significant byte comes first.
        big_endian: bool,
    },
    /// An integer that uses only some of the bits of its bytes.
    Narrow(Narrow),
    /// A string in a field of this many bytes, padded with NULs or blanks.
    FixedString {
        /// The size of the field in bytes.
        size: usize,
        /// Whether trailing blanks are padding (as in Fortran).
        blank_padded: bool,
    },
    /// A reference to a string in an HDF5 global heap.
    HeapString {
        /// The size of the reference in bytes.
        size: usize,
    },
}

impl Element {
    /// Returns the size of an element in the file.
    pub fn size(&self) -> usize {
        match *self {
            Element::Number { size, .. }
            | Element::Narrow(Narrow { size, .. })
            | Element::FixedString { size, .. }
            | Element::HeapString { size } => size,
        }
    }

    /// Returns whether numbers must be byte-swapped on this machine.
    pub fn is_foreign_endian(&self) -> bool {
        matches!(*self, Element::Number { size, big_endian }
            if size > 1 && big_endian != cfg!(target_endian = "big"))
    }
}

impl Array {
    /// Returns whether it is stored in a way that lets its dimensions be longer than its data.
    pub(super) fn can_be_short(&self) -> bool {
        matches!(self.layout, Layout::Chunked { .. } | Layout::Refused(_))
    }

    /// Returns the shape of blocks by which it may be read from a server: its chunks, or else as many rows as a request
    /// should bring.
    pub(crate) fn tile(&self) -> Vec<u64> {
        if let Some(chunk) = self.chunk() {
            return chunk.to_vec();
        }
        let mut room = (TILE / self.element.size().max(1) as u64).max(1);
        let mut tile = vec![1; self.shape.len()];
        for (along, &size) in tile.iter_mut().zip(&self.shape).rev() {
            *along = size.clamp(1, room);
            room /= *along;
            if *along < size {
                break;
            }
        }
        tile
    }

    /// Returns the shape of its chunks, if it has chunks.
    pub fn chunk(&self) -> Option<&[u64]> {
        match &self.layout {
            Layout::Chunked { chunk, .. } => Some(chunk),
            _ => None,
        }
    }
}

/// Where the elements lie.
#[derive(Debug)]
pub enum Layout {
    /// Nothing was ever written: all elements are the fill value.
    Unwritten,
    /// In the metadata, in C order.
    Compact(Vec<u8>),
    /// At this offset of the source, in C order.
    Contiguous {
        /// Offset of the first element.
        offset: u64,
    },
    /// A classic record variable: index i of the first dimension lies at `offset + i * stride`, in C order.
    Records {
        /// Offset of the first record.
        offset: u64,
        /// Distance between records.
        stride: u64,
    },
    /// In chunks.
    Chunked {
        /// The shape of a chunk; all sizes are at least 1 and their product with the element size fits memory.
        chunk: Vec<u64>,
        /// The filters that were applied, in the order of writing.
        filters: Vec<Filter>,
        /// Where the chunks lie.
        index: Box<dyn ChunkIndex>,
    },
    /// Cannot be read, with the reason (external storage, virtual datasets, ...).
    Refused(String),
}
