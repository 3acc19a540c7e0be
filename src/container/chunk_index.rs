//! The interface to the places of the chunks of an array, independent of the format.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use super::chunk_numbers::ChunkNumbers;
use crate::error::Result;

/// Where one chunk lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkPlace {
    /// Offset in the source.
    pub offset: u64,
    /// Bytes stored there.
    pub size: u64,
    /// If bit `i` is set, filter `i` was not applied.
    pub filter_mask: u32,
}

/// A chunk, or all of an array that is not divided into chunks, as it is stored in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredChunk {
    /// The name of the file.
    pub(crate) file: String,
    /// Offset in the file.
    pub(crate) offset: u64,
    /// Bytes stored there.
    pub(crate) size: u64,
    /// The numbers of the filters that were applied, in this order.
    pub(crate) filters: Vec<u32>,
    /// Whether numbers of several bytes begin with the most significant one.
    pub(crate) big_endian: bool,
}

/// Returns a number that this did not return before, for [`ChunkIndex::id`].
pub(crate) fn new_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// An index of chunks.
pub trait ChunkIndex: Debug + Send + Sync {
    /// Returns a number that no other index in this process has.
    fn id(&self) -> u64;

    /// Returns the place of the chunk with these chunk coordinates (element index divided by chunk size), or `None` if
    /// it was never written.
    ///
    /// # Errors
    /// `Damaged` or `Io` if the index cannot be read or the chunk lies outside the file.
    fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>>;

    /// Reads the parts of the index that lead to these chunks, in few steps. Without it, [`ChunkIndex::find`] reads them
    /// one by one.
    ///
    /// # Errors
    /// As [`ChunkIndex::find`].
    fn prepare(&self, wanted: &ChunkNumbers<'_>) -> Result<()>;

    /// Reads the index, if that was not done yet, and releases the file. Returns `false` if the index is too large to be
    /// read as a whole, and needs the file.
    ///
    /// # Errors
    /// As [`ChunkIndex::find`].
    fn detach(&self) -> Result<bool>;
}
