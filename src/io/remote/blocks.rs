//! Recently read blocks of a file, and how much to ask for next.
//!
//! A request costs a journey to the server, so small reads are answered from blocks, and reads that go on where the last
//! request ended ask for more and more.

use std::ops::Range;
use std::sync::Arc;

use crate::cache::Cache;

/// Size of a block; the first request brings one.
pub(super) const BLOCK: u64 = 64 << 10;
/// Blocks that are kept, which is also the most that one request brings.
const KEPT: u64 = 8;

/// The blocks of one file that are kept.
#[derive(Debug)]
pub(super) struct Blocks {
    kept: Cache<u64, Arc<[u8]>>,
    /// The block after the last one that was asked for, and how many it was.
    next: u64,
    ahead: u64,
}

impl Default for Blocks {
    fn default() -> Self {
        Blocks { kept: Cache::new(KEPT), next: 0, ahead: 0 }
    }
}

impl Blocks {
    /// A block that is kept.
    pub(super) fn get(&mut self, number: u64) -> Option<Arc<[u8]>> {
        self.kept.get(&number).map(Arc::clone)
    }

    /// The blocks to ask for when `first` is lacking in a read that ends in block `last` of a file with `count` of them.
    pub(super) fn plan(&mut self, first: u64, last: u64, count: u64) -> Range<u64> {
        self.ahead = if first == self.next { (self.ahead * 2).clamp(1, KEPT) } else { 1 };
        let end = (last + 1).max(first + self.ahead).min(count);
        self.next = end;
        first..end
    }

    /// Keeps blocks that were read together, from block `first` on.
    pub(super) fn put(&mut self, first: u64, bytes: &[u8]) {
        for (number, block) in (first..).zip(bytes.chunks(BLOCK as usize)) {
            self.kept.put(number, block.into(), 1, drop);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_in_a_row_ask_for_more_and_more() {
        let mut blocks = Blocks::default();
        blocks.put(0, &[0; BLOCK as usize]);
        assert_eq!(blocks.plan(1, 1, 1000), 1..2);
        assert_eq!(blocks.plan(2, 2, 1000), 2..4);
        assert_eq!(blocks.plan(4, 4, 1000), 4..8);
        assert_eq!(blocks.plan(8, 8, 1000), 8..16);
        assert_eq!(blocks.plan(16, 16, 1000), 16..24);
        assert_eq!(blocks.plan(500, 502, 1000), 500..503);
        assert_eq!(blocks.plan(503, 503, 504), 503..504);
    }

    #[test]
    fn the_least_recently_used_block_goes_first() {
        let mut blocks = Blocks::default();
        blocks.put(0, &vec![1; 8 * BLOCK as usize]);
        assert!(blocks.get(0).is_some());
        blocks.put(8, &[2; 10]);
        assert!(blocks.get(1).is_none());
        assert_eq!(blocks.get(8).map(|block| block.len()), Some(10));
        assert_eq!(blocks.get(0).map(|block| block.len()), Some(BLOCK as usize));
    }
}
