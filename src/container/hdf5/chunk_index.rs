//! Where the chunks of a dataset lie; read once, on first use.

use crate::error::{Error, Kind, Result};

/// Where one chunk lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkPlace {
    /// Offset in the source.
    pub offset: u64,
    /// Bytes stored there.
    pub size: u64,
    /// Bit `i` set: filter `i` was not applied.
    pub filter_mask: u32,
}

/// A chunk index that is read when it is first needed.
#[derive(Debug)]
pub struct LazyChunkIndex {}

impl LazyChunkIndex {
    /// The place of the chunk with these chunk coordinates (element index divided by chunk size), or `None` when
    /// it was never written.
    pub fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>> {
        let _ = chunk;
        Err(Error::new(Kind::Unsupported, "chunk index"))
    }
}
