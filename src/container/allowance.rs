//! How much memory what is kept of one open file may take: so many times its length, with a floor for small files.
//!
//! A file of some megabytes can have a million names, chunks or fragments. What libraries write takes a few times its
//! length in memory; who claims more than that is refused. Holes of a file hold nothing, so what it takes on its disk
//! counts too, if with more weight, because disks may compress; and there is a ceiling.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use crate::error::{Error, Kind, Result};
use crate::io::source::Source;

/// What is kept of a file: names, attributes, places of chunks, sizes of fragments.
pub(crate) const KEPT: Measure = Measure { floor: 36 << 20, length: 4, stored: 8, ceiling: 2 << 30 };

/// How a budget follows from a file, in bytes.
pub(crate) struct Measure {
    /// What every file has.
    pub(crate) floor: u64,
    /// As much for each byte of its length,
    pub(crate) length: u64,
    /// but not more than this for each byte that it takes on its disk,
    pub(crate) stored: u64,
    /// nor than this.
    pub(crate) ceiling: u64,
}

impl Measure {
    /// The budget of a file of this length, which takes so much on its disk.
    pub(crate) fn of(&self, length: u64, stored: u64) -> u64 {
        let more = length.saturating_mul(self.length).min(stored.saturating_mul(self.stored));
        more.min(self.ceiling) + self.floor
    }
}

/// The memory that an allocation of so many bytes takes, with what the allocator adds.
pub(crate) const fn heap(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        1..=24 => 32,
        _ => bytes.saturating_add(23) & !15,
    }
}

/// What may be kept of one open file.
#[derive(Debug)]
pub(crate) struct Allowance {
    most: u64,
    kept: AtomicU64,
}

impl Allowance {
    /// That of a source of which nothing is kept yet.
    pub(crate) fn of(source: &dyn Source) -> Self {
        Allowance { most: KEPT.of(source.len(), source.stored()), kept: AtomicU64::new(0) }
    }

    /// How much may be kept in all.
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// How much may still be kept.
    pub(crate) fn left(&self) -> u64 {
        self.most.saturating_sub(self.kept.load(Ordering::Relaxed))
    }

    /// Counts memory that is about to be taken.
    ///
    /// # Errors
    /// `Limit` when there is not so much left.
    pub(crate) fn keep(&self, bytes: usize) -> Result<()> {
        let more = |kept: u64| kept.checked_add(bytes as u64).filter(|&kept| kept <= self.most);
        match self.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(()),
            Err(_) => Err(exceeded()),
        }
    }

    /// As [`Allowance::keep`]; what is returned gives the memory back when it is dropped.
    ///
    /// # Errors
    /// As [`Allowance::keep`].
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize) -> Result<Held> {
        self.keep(bytes)?;
        Ok(Held { allowance: Arc::clone(self), bytes: bytes as u64 })
    }

    /// Counts memory that was taken already.
    pub(crate) fn note(&self, bytes: u64) {
        self.kept.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Memory that is counted for as long as this lives.
#[derive(Debug)]
pub(crate) struct Held {
    allowance: Arc<Allowance>,
    bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.allowance.kept.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The error about a file that claims too much.
pub(crate) fn exceeded() -> Error {
    Error::new(
        Kind::Limit,
        "its structures overlap or are too many: they take far more memory than the file has bytes",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::read::tests::Memory;

    #[test]
    fn what_is_held_is_counted_until_it_is_dropped() {
        let allowance = Arc::new(Allowance::of(&Memory(vec![0; 1000])));
        let most = (36 << 20) + 4000;
        let held = allowance.hold(most - 10).unwrap();
        allowance.keep(10).unwrap();
        assert_eq!(allowance.keep(1).unwrap_err().kind(), Kind::Limit);
        drop(held);
        allowance.keep(most - 10).unwrap();
        assert_eq!(allowance.hold(1).unwrap_err().kind(), Kind::Limit);
    }

    #[test]
    fn holes_and_very_long_files_do_not_add_to_a_budget() {
        let most = |length, stored| KEPT.of(length, stored) - (36 << 20);
        assert_eq!(most(1000, 1000), 4000);
        assert_eq!(most(1000, 600), 4000);
        assert_eq!(most(1 << 40, 4096), 8 * 4096);
        assert_eq!(most(u64::MAX, u64::MAX), 2 << 30);
    }

    #[test]
    fn an_allocation_takes_what_the_allocator_gives() {
        assert_eq!([0, 1, 24, 25, 40, 41].map(heap), [0, 32, 32, 48, 48, 64]);
        assert_eq!(heap(usize::MAX) & 15, 0);
    }
}
