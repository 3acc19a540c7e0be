//! Limits how much one operation on a file may parse and keep.
//!
//! Structures of HDF5 refer to one another by address, so a small file can make a reader visit the same bytes
//! without end. What a library wrote does not overlap: it is looked at a few times, and what is kept of it takes a few
//! times its size. Each operation (opening, listing, reading strings, reading an index) has a budget of so many times
//! the length of the file ([`Measure`]); who goes beyond it is refused.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use super::store::damaged;
use crate::container::allowance::{exceeded, Measure, KEPT};
use crate::error::Result;

/// What is looked at.
const SEEN: Measure = Measure { floor: 256 << 20, length: 64, stored: 64, ceiling: 64 << 30 };
/// Text in global heaps. Each string has its own place there, so all of them fit into the file; a fill value may be
/// shared by many elements.
const TEXT: Measure = Measure { floor: 16 << 20, length: 1, stored: 8, ceiling: 4 << 30 };

/// What is left of a budget, in bytes.
#[derive(Debug)]
pub(super) struct Budget {
    kept: AtomicU64,
    seen: AtomicU64,
    text: AtomicU64,
}

impl Budget {
    /// Creates the budget of one operation on a file of this length, which occupies `stored` bytes on its disk.
    pub(super) fn new(length: u64, stored: u64) -> Self {
        let of = |measure: Measure| AtomicU64::new(measure.of(length, stored));
        Budget { kept: of(KEPT), seen: of(SEEN), text: of(TEXT) }
    }

    /// Counts bytes of memory that are about to be allocated.
    pub(super) fn keep(&self, bytes: usize) -> Result<()> {
        take(&self.kept, bytes as u64)
    }

    /// Returns bytes that [`Budget::keep`] counted to the budget.
    pub(super) fn release(&self, bytes: usize) {
        let now = self.kept.load(Ordering::Relaxed);
        if now != OVERDRAWN {
            self.kept.store(now.saturating_add(bytes as u64), Ordering::Relaxed);
        }
    }

    /// Runs what keeps nothing but its result, which is not counted.
    pub(super) fn passing<T>(&self, run: impl FnOnce() -> T) -> T {
        let before = self.left();
        let result = run();
        self.restore(before);
        result
    }

    /// Allows no more than this to be kept.
    pub(super) fn keep_at_most(&self, bytes: u64) {
        self.kept.fetch_min(bytes, Ordering::Relaxed);
    }

    /// How many bytes may still be kept.
    pub(super) fn left(&self) -> u64 {
        self.kept.load(Ordering::Relaxed)
    }

    /// Gives back all that was counted since [`Budget::left`] returned this, unless it was too much.
    pub(super) fn restore(&self, left: u64) {
        if self.left() != OVERDRAWN {
            self.kept.store(left, Ordering::Relaxed);
        }
    }

    /// Counts bytes of the file that are about to be parsed.
    pub(super) fn see(&self, bytes: usize) -> Result<()> {
        take(&self.seen, bytes as u64)
    }

    /// Counts bytes of text that are about to be copied and kept.
    pub(super) fn copy_text(&self, bytes: u64) -> Result<()> {
        take(&self.text, bytes)?;
        take(&self.kept, bytes)
    }

    /// Fails if the budget was exceeded.
    pub(super) fn check(&self) -> Result<()> {
        [&self.kept, &self.seen, &self.text].into_iter().try_for_each(|left| take(left, 0))
    }
}

/// The value of a counter that was exceeded. It is never changed again.
const OVERDRAWN: u64 = u64::MAX;

fn take(left: &AtomicU64, bytes: u64) -> Result<()> {
    // An operation runs on one thread; the counter is atomic only because files are shared.
    let now = left.load(Ordering::Relaxed);
    match now.checked_sub(bytes).filter(|_| now != OVERDRAWN) {
        Some(rest) => {
            left.store(rest, Ordering::Relaxed);
            Ok(())
        }
        None => {
            left.store(OVERDRAWN, Ordering::Relaxed);
            Err(exceeded())
        }
    }
}

/// The nodes of one walk: each is visited once, and all of them fit into the file.
pub(super) struct Nodes {
    visited: HashSet<u64>,
    left: u64,
}

impl Nodes {
    /// Creates an empty walk of a file of this length.
    pub(super) fn new(file_len: u64) -> Self {
        Nodes { visited: HashSet::new(), left: file_len }
    }

    /// Counts the node at this address, which has `len` bytes.
    pub(super) fn enter(&mut self, address: u64, len: u64) -> Result<()> {
        self.left = self.left.checked_sub(len).ok_or_else(|| damaged("nodes of a tree overlap"))?;
        match self.visited.insert(address) {
            true => Ok(()),
            false => Err(damaged("a node of a tree is listed twice")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn a_budget_once_overdrawn_stays_so() {
        let budget = Budget::new(1000, 1000);
        let (most, kind) = (4 * 1000 + (36 << 20), Kind::Limit);
        budget.keep(most).unwrap();
        budget.check().unwrap();
        assert_eq!(budget.keep(1).unwrap_err().kind(), kind);
        assert_eq!(budget.keep(0).unwrap_err().kind(), kind);
        assert_eq!(budget.check().unwrap_err().kind(), kind);
    }

    #[test]
    fn what_passes_is_given_back() {
        let budget = Budget::new(1000, 1000);
        let left = budget.left();
        budget.passing(|| budget.keep(1000)).unwrap();
        assert_eq!(budget.left(), left);
        budget.passing(|| budget.keep(usize::MAX)).unwrap_err();
        assert!(budget.check().is_err());
    }

    #[test]
    fn nodes_are_visited_once_and_fit_into_the_file() {
        let mut nodes = Nodes::new(100);
        nodes.enter(8, 60).unwrap();
        assert_eq!(nodes.enter(8, 1).unwrap_err().kind(), Kind::Damaged);
        nodes.enter(16, 39).unwrap();
        assert_eq!(nodes.enter(24, 1).unwrap_err().kind(), Kind::Damaged);
    }
}
