//! Keeps recently read blocks of files, and decides how much to request next.
//!
//! A request costs a round trip to the server, so small reads are served from blocks, and reads that continue where the
//! last request ended request more and more.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cache::Cache;
use crate::threads::process::PerProcess;

/// Size of a block; the first request brings one.
pub(super) const BLOCK: u64 = 64 << 10;
/// The most blocks that one request fetches.
const MOST: u64 = 64;
/// The bytes that are kept of all files together: a block of each of 512 files, more than a year of daily ones.
const KEPT: u64 = 32 << 20;

/// Blocks by file and number.
type Kept = Cache<(u64, u64), Arc<[u8]>>;

fn kept() -> MutexGuard<'static, Kept> {
    static ALL: PerProcess<Mutex<Kept>> = PerProcess::new();
    ALL.get(|| Mutex::new(Cache::new(KEPT))).lock().unwrap_or_else(PoisonError::into_inner)
}

/// The blocks of one file.
#[derive(Debug)]
pub(super) struct Blocks {
    /// A number that no other file in this process has.
    file: u64,
    ahead: Mutex<Ahead>,
}

#[derive(Debug)]
struct Ahead {
    /// The block after those that were requested last.
    next: u64,
    /// The number of blocks of that request; a read that continues there requests twice as many.
    count: u64,
    /// The number of blocks in a page of the file; 0 if it has no pages.
    page: u64,
}

impl Blocks {
    /// Creates the blocks of a file, none of which was read.
    pub(super) fn new() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let file = LAST.fetch_add(1, Ordering::Relaxed);
        Blocks { file, ahead: Mutex::new(Ahead { next: 0, count: 0, page: 0 }) }
    }

    /// Returns a block if it is kept.
    pub(super) fn get(&self, number: u64) -> Option<Arc<[u8]>> {
        kept().get(&(self.file, number)).map(Arc::clone)
    }

    /// Returns the blocks to request when `first` is missing for a read that ends in block `last`; the file has `count`
    /// blocks.
    pub(super) fn plan(&self, first: u64, last: u64, count: u64) -> Range<u64> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        // What lies a little further on belongs to the same walk through the structure of the file.
        let continues = (ahead.next..=ahead.next + ahead.count).contains(&first);
        ahead.count = if continues { (ahead.count * 2).clamp(1, MOST) } else { 1 };
        let rest_of_page =
            ahead.page.checked_sub(1).map_or(0, |rest| (first / (rest + 1) + 1) * (rest + 1) - first);
        let end = (last + 1).max(first + ahead.count).max(first + rest_of_page.min(MOST)).min(count);
        ahead.next = end;
        first..end
    }

    /// Sets the size of the pages of the file. Pages smaller than a block make no difference.
    pub(super) fn expect_pages(&self, size: u64) {
        self.ahead.lock().unwrap_or_else(PoisonError::into_inner).page = size / BLOCK;
    }

    /// Keeps blocks that were read together, from block `first` on.
    pub(super) fn put(&self, first: u64, bytes: &[u8]) {
        let mut kept = kept();
        for (number, block) in (first..).zip(bytes.chunks(BLOCK as usize)) {
            kept.put((self.file, number), block.into(), block.len() as u64, drop);
        }
    }

    /// Returns whether all blocks of a range are kept.
    pub(super) fn has(&self, range: &Range<u64>) -> bool {
        (range.start / BLOCK..range.end.div_ceil(BLOCK)).all(|number| self.get(number).is_some())
    }

    /// Returns the first bytes of a range, as far as their blocks are kept.
    pub(super) fn head(&self, range: &Range<u64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in range.start / BLOCK..range.end.div_ceil(BLOCK) {
            let start = number * BLOCK;
            let from = range.start.saturating_sub(start) as usize;
            let to = (range.end - start).min(BLOCK) as usize;
            let block = self.get(number);
            let Some(part) = block.as_deref().and_then(|block| block.get(from..to)) else { break };
            bytes.extend_from_slice(part);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_in_a_row_ask_for_more_and_more() {
        let blocks = Blocks::new();
        blocks.put(0, &[0; BLOCK as usize]);
        assert_eq!(blocks.plan(1, 1, 1000), 1..2);
        assert_eq!(blocks.plan(3, 3, 1000), 3..5);
        assert_eq!(blocks.plan(5, 5, 1000), 5..9);
        assert_eq!(blocks.plan(9, 9, 1000), 9..17);
        for _ in 0..5 {
            let next = blocks.ahead.lock().unwrap().next;
            blocks.plan(next, next, 1000);
        }
        let next = blocks.ahead.lock().unwrap().next;
        assert_eq!(blocks.plan(next, next, 1000), next..next + MOST);
        assert_eq!(blocks.plan(900, 902, 1000), 900..903);
        assert_eq!(blocks.plan(903, 903, 904), 903..904);
    }

    #[test]
    fn a_page_is_requested_to_its_end() {
        let blocks = Blocks::new();
        blocks.expect_pages(16 * BLOCK + 100);
        assert_eq!(blocks.plan(1, 1, 1000), 1..16);
        assert_eq!(blocks.plan(100, 101, 1000), 100..112);
        assert_eq!(blocks.plan(500, 520, 1000), 500..521);
        blocks.expect_pages(1 << 40);
        assert_eq!(blocks.plan(900, 900, 1000), 900..900 + MOST);
        blocks.expect_pages(4096);
        assert_eq!(blocks.plan(3, 3, 1000), 3..4);
    }

    #[test]
    fn files_do_not_share_blocks() {
        let [first, second] = [Blocks::new(), Blocks::new()];
        first.put(0, &vec![1; 2 * BLOCK as usize + 10]);
        second.put(1, &[2; 20]);
        assert!(second.get(0).is_none() && first.get(3).is_none());
        assert_eq!(first.get(2).map(|block| block.len()), Some(10));
        assert_eq!(first.head(&(BLOCK - 1..BLOCK + 1)), [1, 1]);
        assert_eq!(first.head(&(2 * BLOCK + 5..2 * BLOCK + 10)).len(), 5);
        assert_eq!(first.head(&(2 * BLOCK - 1..2 * BLOCK + 11)), [1]);
        assert!(second.head(&(0..1)).is_empty());
        second.put(0, &[2; 20]);
        assert_eq!(second.head(&(5..BLOCK + 9)), [2; 0]);
    }
}
