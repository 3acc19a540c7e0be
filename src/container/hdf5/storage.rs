//! Adapts a [`Source`] to the storage that `hdf5-reader` parses, with a cache of blocks.
//!
//! Metadata of HDF5 lies in many small pieces. A small file is read whole with one call; of a larger one, blocks are
//! cached, so that opening a fragment costs one or two reads. Addresses are relative to the superblock (a user block
//! may precede it).

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hdf5_reader::error::{Error as Hdf5Error, Result as Hdf5Result};
use hdf5_reader::storage::{Storage, StorageBuffer};

use crate::cache::Cache;
use crate::error::{Error, Kind};
use crate::io::source::{Fetched, Source};

/// Files up to this size are read whole.
const WHOLE: u64 = 64 << 10;
/// Size of a block of larger files.
const BLOCK: u64 = 16 << 10;
/// Blocks that are kept.
const KEPT: u64 = 64;
/// Requests beyond this size are not kept.
const LARGE: usize = 128 << 10;
/// The maximum number of zeros that replace the missing end of a truncated file: no structure across its end is larger.
const MOST_PADDING: u64 = 1 << 20;

/// How many times longer a file may be than what it occupies on its disk, which may compress; and the longest hole in
/// one read.
const COMPRESSED: u64 = 8;
const HOLE: u64 = 16 << 20;

/// A source from its superblock on, with recently read blocks.
pub(super) struct BlockStorage {
    source: Arc<dyn Source>,
    base: u64,
    /// Its end: that of the source, or beyond.
    end: u64,
    block: u64,
    blocks: Mutex<Cache<u64, Arc<Vec<u8>>>>,
}

impl BlockStorage {
    /// Creates storage over the whole source.
    pub(super) fn new(source: Arc<dyn Source>) -> Self {
        let block = if source.len() <= WHOLE { WHOLE } else { BLOCK };
        let end = source.len();
        BlockStorage { source, base: 0, end, block, blocks: Mutex::new(Cache::new(KEPT)) }
    }

    /// Returns the same storage with addresses counted from `base`.
    pub(super) fn rebased(mut self, base: u64) -> Self {
        self.base = base;
        self
    }

    /// Returns the same storage with zeros after the source, if the source is shorter than `len` from the base on, so
    /// that structures across its end can be read in part.
    pub(super) fn padded(mut self, len: u64) -> Self {
        let most = self.source.len().saturating_add(MOST_PADDING);
        let end = self.base.saturating_add(len).min(most);
        if end > self.end {
            // The last block that is kept is too short now.
            self.blocks = Mutex::new(Cache::new(KEPT));
            self.end = end;
        }
        self
    }

    /// Returns where address 0 lies in the source.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// Returns how many bytes the source occupies where it is stored.
    pub(super) fn stored(&self) -> u64 {
        self.source.stored()
    }

    /// Returns whether a read waits for a server.
    pub(super) fn is_remote(&self) -> bool {
        self.source.is_remote()
    }

    /// Tells the source that structures lie in pages of this size.
    pub(super) fn expect_pages(&self, size: u64) {
        self.source.expect_pages(size);
    }

    /// Fetches ranges of addresses that are about to be read, in any order, for [`BlockStorage::read_fetched`].
    pub(super) fn fetch(&self, mut ranges: Vec<Range<u64>>) -> Result<Fetched, Error> {
        if !self.is_remote() || ranges.len() < 2 {
            return Ok(Fetched::default());
        }
        ranges.sort_unstable_by_key(|range| range.start);
        for range in &mut ranges {
            *range = range.start.saturating_add(self.base)..range.end.saturating_add(self.base);
        }
        self.source.fetch(&ranges)
    }

    /// Like `read_range`, of bytes that may have been fetched.
    pub(super) fn read_fetched(
        &self,
        fetched: &Fetched,
        offset: u64,
        len: usize,
    ) -> Hdf5Result<StorageBuffer> {
        let there = offset.checked_add(self.base).and_then(|at| fetched.get(at, len));
        match there {
            Some(bytes) => Ok(StorageBuffer::from_vec(bytes.to_vec())),
            None => self.read_range(offset, len),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Cache<u64, Arc<Vec<u8>>>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, offset: u64, len: usize) -> Result<Vec<u8>, Error> {
        // Most of such a long structure would be a hole.
        if len as u64 > self.stored().saturating_mul(COMPRESSED).saturating_add(HOLE) {
            return Err(Error::new(Kind::Limit, format!("a structure of {len} bytes is mostly a hole")));
        }
        let mut bytes = Vec::new();
        bytes
            .try_reserve_exact(len)
            .map_err(|_| Error::new(Kind::Limit, format!("no memory for {len} bytes of metadata")))?;
        bytes.resize(len, 0);
        let there = self.source.len().saturating_sub(offset).min(len as u64) as usize;
        if there > 0 {
            self.source.read_at(offset, &mut bytes[..there])?;
        }
        Ok(bytes)
    }

    /// Returns block `number`, from the cache or the source.
    fn block(&self, number: u64) -> Result<Arc<Vec<u8>>, Error> {
        if let Some(block) = self.lock().get(&number) {
            return Ok(Arc::clone(block));
        }
        let start = number * self.block;
        let len = self.block.min(self.end - start) as usize;
        let block = Arc::new(self.read(start, len)?);
        self.lock().put(number, Arc::clone(&block), 1, drop);
        Ok(block)
    }
}

impl Storage for BlockStorage {
    fn len(&self) -> u64 {
        self.end.saturating_sub(self.base)
    }

    fn read_range(&self, offset: u64, len: usize) -> Hdf5Result<StorageBuffer> {
        let end = offset.checked_add(len as u64).filter(|&end| end <= self.len());
        if end.is_none() {
            let available = self.len().saturating_sub(offset);
            return Err(Hdf5Error::UnexpectedEof { offset, needed: len as u64, available });
        }
        let start = offset + self.base;
        let first = start / self.block;
        let within = (start % self.block) as usize;
        if len as u64 <= self.block - within as u64 {
            if len == 0 {
                return Ok(StorageBuffer::from_vec(Vec::new()));
            }
            let block = self.block(first).map_err(carried)?;
            return StorageBuffer::from_shared_owner(block, within, len);
        }
        if len > LARGE {
            return Ok(StorageBuffer::from_vec(self.read(start, len).map_err(carried)?));
        }
        let mut bytes = Vec::with_capacity(len);
        let mut from = within;
        let mut number = first;
        while bytes.len() < len {
            let block = self.block(number).map_err(carried)?;
            let part = (block.len() - from).min(len - bytes.len());
            bytes.extend_from_slice(&block[from..from + part]);
            from = 0;
            number += 1;
        }
        Ok(StorageBuffer::from_vec(bytes))
    }
}

impl fmt::Debug for BlockStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockStorage").field("source", &self.source.name()).field("base", &self.base).finish()
    }
}

/// Wraps our error so that it can pass through `hdf5-reader`; [`Error::from`] unwraps it.
fn carried(error: Error) -> Hdf5Error {
    Hdf5Error::Io(std::io::Error::other(error))
}

impl From<Hdf5Error> for Error {
    fn from(error: Hdf5Error) -> Self {
        match error {
            Hdf5Error::Io(io) => match io.downcast::<Error>() {
                Ok(ours) => ours,
                Err(io) => Error::new(Kind::Io, io.to_string()),
            },
            other => Error::new(Kind::Damaged, format!("damaged HDF5 structure: {other}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::error::Result;

    struct Counted(Vec<u8>, AtomicUsize);

    impl Source for Counted {
        fn name(&self) -> &str {
            "counted"
        }
        fn len(&self) -> u64 {
            self.0.len() as u64
        }
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            buffer.copy_from_slice(&self.0[offset as usize..offset as usize + buffer.len()]);
            Ok(())
        }
    }

    fn counted(len: usize) -> Arc<Counted> {
        Arc::new(Counted((0..len).map(|i| (i * 31 % 251) as u8).collect(), AtomicUsize::new(0)))
    }

    #[test]
    fn a_small_file_is_read_with_one_call() {
        let source = counted(60_000);
        let storage = BlockStorage::new(source.clone()).rebased(512);
        for offset in (0..59_000).step_by(700) {
            let got = storage.read_range(offset as u64, 300).unwrap();
            assert_eq!(&*got, &source.0[512 + offset..512 + offset + 300]);
        }
        assert_eq!(source.1.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn ranges_across_blocks_equal_the_bytes_of_the_source() {
        let source = counted(3_000_000);
        let storage = BlockStorage::new(source.clone());
        for (offset, len) in [(0, 16), (16_380, 10), (16_000, 40_000), (5, 300_000), (2_999_990, 10), (7, 0)]
        {
            let got = storage.read_range(offset as u64, len).unwrap();
            assert_eq!(&*got, &source.0[offset..offset + len]);
        }
        for i in 0..100 {
            storage.read_range(i * 20_000, 8).unwrap();
        }
        assert!(storage.lock().weight() <= KEPT);
    }

    #[test]
    fn zeros_stand_for_what_is_lacking_but_not_without_end() {
        let source = counted(1000);
        let storage = BlockStorage::new(source.clone()).rebased(512);
        assert_eq!(*storage.read_range(0, 8).unwrap(), source.0[512..520]);
        let storage = storage.padded(600);
        assert_eq!(*storage.read_range(480, 20).unwrap(), [&source.0[992..], &[0; 12]].concat());
        assert_eq!(*storage.read_range(590, 10).unwrap(), [0; 10]);
        assert!(storage.read_range(591, 10).is_err());
        assert_eq!(BlockStorage::new(source.clone()).padded(10).len(), 1000);
        assert_eq!(BlockStorage::new(source).padded(u64::MAX).len(), 1000 + MOST_PADDING);
    }

    #[test]
    fn ranges_beyond_the_end_are_errors() {
        let storage = BlockStorage::new(counted(1000)).rebased(512);
        assert!(storage.read_range(480, 9).is_err());
        assert!(storage.read_range(u64::MAX, 2).is_err());
    }
}
