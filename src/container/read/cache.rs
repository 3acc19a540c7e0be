//! Decoded chunks that are kept for the next read, bounded in bytes.
//!
//! Only chunks that a read uses in part, or that were asked for ahead, are kept: reading a whole variable passes each
//! chunk once, while blocks, points and series come back to the same ones.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cache::Cache;

/// Which chunk: the number of its index (unique in this process) and its offset in the file.
pub type Key = (u64, u64);

/// The least recently used chunks are dropped first.
#[derive(Debug)]
pub struct ChunkCache {
    capacity: u64,
    /// Whether anything was ever kept: reads that keep nothing then need not take turns.
    used: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    chunks: Cache<Key, Arc<Vec<u8>>>,
    /// A buffer that was dropped last, to be filled again: new memory costs more than the inflating of a small chunk.
    spare: Vec<u8>,
}

impl ChunkCache {
    /// Holds at most this many bytes.
    pub fn new(capacity: u64) -> Self {
        let state = State { chunks: Cache::new(capacity), spare: Vec::new() };
        ChunkCache { capacity, used: AtomicBool::new(false), state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this many bytes of chunks can be kept beside others; more would only push each other out.
    pub fn takes(&self, bytes: usize) -> bool {
        bytes as u64 <= self.capacity / 4
    }

    /// How many bytes it can hold.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// A chunk that is kept.
    pub fn get(&self, key: Key) -> Option<Arc<Vec<u8>>> {
        if !self.used.load(Ordering::Relaxed) {
            return None;
        }
        self.lock().chunks.get(&key).map(Arc::clone)
    }

    /// A buffer to decode into; its contents are arbitrary.
    pub fn buffer(&self) -> Vec<u8> {
        std::mem::take(&mut self.lock().spare)
    }

    /// Keeps a chunk.
    pub fn put(&self, key: Key, chunk: Arc<Vec<u8>>) {
        let bytes = chunk.len() as u64;
        if bytes > self.capacity {
            return;
        }
        self.used.store(true, Ordering::Relaxed);
        let State { chunks, spare } = &mut *self.lock();
        chunks.put(key, chunk, bytes, |dropped| {
            if let Ok(buffer) = Arc::try_unwrap(dropped) {
                *spare = buffer;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_chunk_goes_first() {
        let cache = ChunkCache::new(30);
        for offset in 0..3 {
            cache.put((1, offset), Arc::new(vec![offset as u8; 10]));
        }
        assert!(cache.get((1, 0)).is_some());
        cache.put((1, 3), Arc::new(vec![3; 10]));
        let there: Vec<bool> = (0..4).map(|offset| cache.get((1, offset)).is_some()).collect();
        assert_eq!(there, [true, false, true, true]);
        assert_eq!(cache.buffer(), vec![1; 10]);
        assert_eq!(cache.lock().chunks.weight(), 30);
    }

    #[test]
    fn a_chunk_that_comes_again_is_counted_once() {
        let cache = ChunkCache::new(25);
        for _ in 0..5 {
            cache.put((1, 7), Arc::new(vec![0; 10]));
        }
        assert_eq!(cache.lock().chunks.weight(), 10);
        assert!(!ChunkCache::new(0).takes(1));
    }
}
