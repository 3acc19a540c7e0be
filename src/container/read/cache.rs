//! A cache of decoded chunks for later reads, bounded in bytes.
//!
//! Only chunks that a read uses in part, or that were read ahead, are kept: reading a whole variable visits each chunk
//! once, while reads of blocks, points and series return to the same chunks.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cache::Cache;
use crate::container::allowance::{Allowance, Held};
use crate::error::{Error, Kind, Result};

/// When decoded chunks are added to the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Never.
    #[default]
    Never,
    /// When they are decoded for the second time. New memory for many chunks costs as much as decoding them, which a
    /// read that is not repeated need not pay.
    Again,
    /// Always.
    Always,
}

/// The maximum number of chunks that are known to have been decoded before, without being kept.
const SEEN: usize = 1 << 15;

/// Which chunk: the number of its index (unique in this process) and its offset in the file.
pub type Key = (u64, u64);

/// Chunks. The least recently used ones are dropped first.
#[derive(Debug)]
pub struct ChunkCache {
    capacity: u64,
    /// Whether anything was ever kept. If not, reads need not lock.
    used: AtomicBool,
    state: Mutex<State>,
    /// What may be kept of the file, if the chunks count against that.
    allowance: Option<Arc<Allowance>>,
}

#[derive(Debug)]
struct State {
    chunks: Cache<Key, (Arc<Vec<u8>>, Option<Held>)>,
    /// A buffer that was dropped last, to be filled again: new memory costs more than the inflating of a small chunk.
    spare: Vec<u8>,
    /// Chunks that were decoded and not kept.
    seen: HashSet<Key>,
}

impl ChunkCache {
    /// Creates a cache that holds at most this many bytes.
    pub fn new(capacity: u64) -> Self {
        let state = State { chunks: Cache::new(capacity), spare: Vec::new(), seen: HashSet::new() };
        ChunkCache { capacity, used: AtomicBool::new(false), state: Mutex::new(state), allowance: None }
    }

    /// Creates a cache for the tables of one file, whose chunks count against what may be kept of the file. It keeps
    /// this many bytes, or one larger chunk.
    pub(crate) fn of_tables(capacity: u64, allowance: Arc<Allowance>) -> Self {
        ChunkCache { allowance: Some(allowance), ..ChunkCache::new(capacity) }
    }

    /// Drops all chunks.
    pub(crate) fn clear(&self) {
        let State { chunks, spare, .. } = &mut *self.lock();
        (*chunks, *spare) = (Cache::new(self.capacity), Vec::new());
    }

    /// Counts the memory of a chunk that is about to be decoded.
    ///
    /// # Errors
    /// `Limit` if it is a chunk of a table that takes more than may be kept of the file.
    pub(super) fn room(&self, bytes: usize) -> Result<Option<Held>> {
        let Some(allowance) = &self.allowance else { return Ok(None) };
        allowance.note_decoded(bytes);
        if bytes as u64 > self.capacity / 2 {
            // It would take the place of the others anyway.
            self.clear();
        }
        let held = allowance.pass(bytes).or_else(|_| {
            self.clear();
            allowance.pass(bytes)
        });
        held.map(Some).map_err(|_| {
            let message = format!("a chunk of {bytes} bytes is too large for a table of this file");
            Error::new(Kind::Limit, message)
        })
    }

    /// Counts a chunk that is decoded without being kept.
    pub(super) fn pass(&self, bytes: usize) {
        self.allowance.iter().for_each(|allowance| allowance.note_decoded(bytes));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether this many bytes of chunks can be kept. More would only displace each other.
    pub fn takes(&self, bytes: usize) -> bool {
        bytes as u64 <= self.capacity || self.allowance.is_some()
    }

    /// Returns whether a chunk of this many bytes, which is about to be decoded, is to be kept.
    pub(super) fn wants(&self, key: Key, bytes: usize, keep: Keep) -> bool {
        let is_known = || {
            let seen = &mut self.lock().seen;
            if seen.len() >= SEEN {
                seen.clear();
            }
            !seen.insert(key)
        };
        self.takes(bytes)
            && match keep {
                Keep::Never => false,
                Keep::Again => is_known(),
                Keep::Always => true,
            }
    }

    /// Returns how many bytes it can hold.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Returns a chunk if it is kept.
    pub fn get(&self, key: Key) -> Option<Arc<Vec<u8>>> {
        if !self.used.load(Ordering::Relaxed) {
            return None;
        }
        self.lock().chunks.get(&key).map(|(chunk, _)| Arc::clone(chunk))
    }

    /// Returns a buffer to decode into, with arbitrary contents.
    pub fn buffer(&self) -> Vec<u8> {
        std::mem::take(&mut self.lock().spare)
    }

    /// Keeps a chunk, and what counts its memory.
    pub(super) fn put(&self, key: Key, chunk: Arc<Vec<u8>>, held: Option<Held>) {
        let bytes = chunk.len() as u64;
        if bytes > self.capacity && held.is_none() {
            return;
        }
        self.used.store(true, Ordering::Relaxed);
        let State { chunks, spare, .. } = &mut *self.lock();
        chunks.put(key, (chunk, held), bytes, |(dropped, held)| {
            // A spare buffer is not counted.
            if let (Ok(buffer), None) = (Arc::try_unwrap(dropped), held) {
                *spare = buffer;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_wanted_at_once_or_again_or_never() {
        let cache = ChunkCache::new(30);
        let wanted = |keep| [0, 0, 1, 0].map(|offset| cache.wants((1, offset), 10, keep));
        assert_eq!(wanted(Keep::Never), [false; 4]);
        assert_eq!(wanted(Keep::Again), [false, true, false, true]);
        assert_eq!(wanted(Keep::Always), [true; 4]);
        assert!(!cache.wants((1, 0), 31, Keep::Always), "it is larger than the cache");
        for offset in 0..2 * SEEN as u64 {
            cache.wants((2, offset), 10, Keep::Again);
        }
        assert!(cache.lock().seen.len() <= SEEN);
    }

    #[test]
    fn the_least_recently_used_chunk_goes_first() {
        let cache = ChunkCache::new(30);
        for offset in 0..3 {
            cache.put((1, offset), Arc::new(vec![offset as u8; 10]), None);
        }
        assert!(cache.get((1, 0)).is_some());
        cache.put((1, 3), Arc::new(vec![3; 10]), None);
        let there: Vec<bool> = (0..4).map(|offset| cache.get((1, offset)).is_some()).collect();
        assert_eq!(there, [true, false, true, true]);
        assert_eq!(cache.buffer(), vec![1; 10]);
        assert_eq!(cache.lock().chunks.weight(), 30);
    }

    #[test]
    fn a_chunk_that_comes_again_is_counted_once() {
        let cache = ChunkCache::new(25);
        for _ in 0..5 {
            cache.put((1, 7), Arc::new(vec![0; 10]), None);
        }
        assert_eq!(cache.lock().chunks.weight(), 10);
        assert!(!ChunkCache::new(0).takes(1));
    }
}
