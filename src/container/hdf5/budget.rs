//! Limits how much one operation on a file may parse and keep.
//!
//! Structures of HDF5 refer to one another by address, so a small file can make a reader visit the same bytes without
//! end. What a library wrote does not overlap: it is parsed a few times, and what is kept of it takes a few times its
//! size. Each operation (opening, listing, reading strings, reading an index) has a budget that is a multiple of the
//! length of the file, with a floor for small files; beyond it, the operation fails. The holes of a sparse file contain
//! nothing, so the bytes that it occupies on its disk limit the budget too, with a greater weight, because disks may
//! compress; and there is a ceiling.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use super::store::damaged;
use crate::error::{Error, Kind, Result};

/// What is kept: headers, names, attributes, index entries.
const KEPT: Measure = Measure { floor: 40 << 20, length: 8, stored: 16, ceiling: 2 << 30 };
/// What is parsed.
const SEEN: Measure = Measure { floor: 1 << 30, length: 64, stored: 128, ceiling: 64 << 30 };
/// Text in global heaps. Each string has its own place there, so all of them fit into the file; many elements may share
/// a fill value.
const TEXT: Measure = Measure { floor: 16 << 20, length: 1, stored: 8, ceiling: 4 << 30 };

/// How the budget for a file is computed, in bytes.
struct Measure {
    /// Added for every file.
    floor: u64,
    /// Bytes of budget per byte of its length,
    length: u64,
    /// but at most this many per byte that it occupies on its disk,
    stored: u64,
    /// and at most this many in total.
    ceiling: u64,
}

impl Measure {
    fn of(&self, length: u64, stored: u64) -> AtomicU64 {
        let more = length.saturating_mul(self.length).min(stored.saturating_mul(self.stored));
        AtomicU64::new(more.min(self.ceiling) + self.floor)
    }
}

/// The rest of a budget, in bytes.
#[derive(Debug)]
pub(super) struct Budget {
    kept: AtomicU64,
    seen: AtomicU64,
    text: AtomicU64,
}

impl Budget {
    /// Creates the budget of one operation on a file of this length, which occupies `stored` bytes on its disk.
    pub(super) fn new(length: u64, stored: u64) -> Self {
        let of = |measure: Measure| measure.of(length, stored);
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

    /// Counts bytes of the file that are about to be parsed.
    pub(super) fn see(&self, bytes: usize) -> Result<()> {
        take(&self.seen, bytes as u64)
    }

    /// Counts bytes of text that are about to be copied.
    pub(super) fn copy_text(&self, bytes: u64) -> Result<()> {
        take(&self.text, bytes)
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
            Err(Error::new(
                Kind::Limit,
                "its structures overlap: they take far more memory than the file has bytes",
            ))
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

    #[test]
    fn a_budget_once_overdrawn_stays_so() {
        let budget = Budget::new(1000, 1000);
        let (most, kind) = (8 * 1000 + (40 << 20), Kind::Limit);
        budget.keep(most).unwrap();
        budget.check().unwrap();
        assert_eq!(budget.keep(1).unwrap_err().kind(), kind);
        assert_eq!(budget.keep(0).unwrap_err().kind(), kind);
        assert_eq!(budget.check().unwrap_err().kind(), kind);
    }

    #[test]
    fn what_is_seen_and_copied_has_an_end_too() {
        let budget = Budget::new(1000, 1000);
        budget.see(64 * 1000 + (1 << 30)).unwrap();
        budget.copy_text(1000 + (16 << 20)).unwrap();
        assert_eq!(budget.copy_text(1).unwrap_err().kind(), Kind::Limit);
        assert_eq!(budget.see(1).unwrap_err().kind(), Kind::Limit);
        assert_eq!(budget.check().unwrap_err().kind(), Kind::Limit);
    }

    #[test]
    fn holes_and_very_long_files_do_not_add_to_a_budget() {
        let most = |length, stored| Budget::new(length, stored).kept.into_inner() - (40 << 20);
        assert_eq!(most(1000, 1000), 8000);
        assert_eq!(most(1000, 600), 8000);
        assert_eq!(most(1 << 40, 4096), 16 * 4096);
        assert_eq!(most(u64::MAX, u64::MAX), 2 << 30);
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
