//! How much memory what is kept of one open file may take: so many times its length, with a floor for small files.
//!
//! A file of some megabytes can have a million names, chunks or fragments. What libraries write takes a few times its
//! length in memory; who claims more than that is refused. Holes of a file hold nothing, so what it takes on its disk
//! counts too, if with more weight, because disks may compress; and there is a ceiling.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Kind, Result};
use crate::io::source::Source;

/// What is kept of a file: names, attributes, places of chunks, sizes of fragments.
pub(crate) const KEPT: Measure = Measure { floor: 36 << 20, length: 4, stored: 8, ceiling: 2 << 30 };

/// How much a chunk of a table, while it is decoded, may go beyond that: ten million sizes of 4 bytes fit.
const PASSING: u64 = 6 << 20;

/// What is decoded of tables (sizes of fragments, index ranges), with 8 bytes for each run of equal values.
const WORK: Measure = Measure { floor: 512 << 20, length: 64, stored: 64, ceiling: 64 << 30 };

/// What a conversion keeps of a file, to write it again: the names of all fragments at once.
const COPIED: Measure = Measure { floor: 16 << 20, length: 32, stored: 64, ceiling: 64 << 30 };

/// What an index, an update or a new aggregation gathers of a file: what is found out about each of its fragments, counted
/// as what it takes at most, which was measured; and values, counted once. They are in memory up to four times: as they
/// are stored, read, converted, and written. But coordinates of regular grids compress well, and are no false claims.
const GATHERED: Measure = Measure { floor: 56 << 20, length: 64, stored: 128, ceiling: 64 << 30 };

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

/// What may be kept of one open file, and how much work its tables may be.
#[derive(Debug)]
pub struct Allowance {
    most: u64,
    kept: AtomicU64,
    passing: AtomicU64,
    most_work: u64,
    worked: AtomicU64,
    decoded: AtomicU64,
    /// What is kept of all files that are open together with this one.
    total: OnceLock<Arc<AtomicU64>>,
}

impl Drop for Allowance {
    fn drop(&mut self) {
        self.uncount(self.kept());
    }
}

impl Allowance {
    /// Creates the allowance of a source of which nothing is kept yet.
    pub(crate) fn of(source: &dyn Source) -> Self {
        Allowance::new(source.len(), source.stored())
    }

    /// That of a file of this length, which takes so much on its disk.
    pub(crate) fn new(length: u64, stored: u64) -> Self {
        let [kept, passing, worked, decoded] = [0; 4].map(AtomicU64::new);
        let (most, most_work) = (KEPT.of(length, stored), WORK.of(length, stored));
        Allowance { most, kept, passing, most_work, worked, decoded, total: OnceLock::new() }
    }

    /// Counts what is kept of this file in a total too, from now on.
    pub(crate) fn share(&self, total: &Arc<AtomicU64>) {
        if self.total.set(Arc::clone(total)).is_ok() {
            total.fetch_add(self.kept(), Ordering::Relaxed);
        }
    }

    /// How much is kept.
    pub(crate) fn kept(&self) -> u64 {
        self.kept.load(Ordering::Relaxed)
    }

    fn count(&self, bytes: u64) {
        self.total.get().map(|total| total.fetch_add(bytes, Ordering::Relaxed));
    }

    fn uncount(&self, bytes: u64) {
        self.total.get().map(|total| total.fetch_sub(bytes, Ordering::Relaxed));
    }

    /// That of a conversion of this source.
    pub(crate) fn of_copy(source: &dyn Source) -> Self {
        let mut allowance = Allowance::of(source);
        allowance.most = COPIED.of(source.len(), source.stored());
        allowance
    }

    /// That of what is gathered of this source to write another file.
    pub(crate) fn of_gathering(source: &dyn Source) -> Self {
        let mut allowance = Allowance::of(source);
        allowance.most = GATHERED.of(source.len(), source.stored());
        allowance
    }

    /// Counts values that are about to be read, converted and written.
    ///
    /// # Errors
    /// `Limit` when they are too many for a file of this length.
    pub(crate) fn keep_values(&self, bytes: u64) -> Result<()> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let message = "it has too many values to be kept of a file of this length";
        self.keep(bytes).map_err(|_| Error::new(Kind::Limit, message))
    }

    /// Counts work on tables, in bytes. All tables of an open file share it.
    ///
    /// # Errors
    /// `Limit` when it is too much for a file of this length.
    pub(crate) fn work(&self, bytes: u64) -> Result<()> {
        match self.worked.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) <= self.most_work {
            true => Ok(()),
            false => Err(Error::new(
                Kind::Limit,
                "its tables of fragments are too many: they take far more work than the file has bytes",
            )),
        }
    }

    /// Counts bytes that are read of tables, and of chunks that are decoded for them.
    pub(crate) fn note_decoded(&self, bytes: usize) {
        self.decoded.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Returns how many bytes were counted so.
    pub(crate) fn decoded(&self) -> u64 {
        self.decoded.load(Ordering::Relaxed)
    }

    /// How much may be kept in all.
    pub(crate) fn most(&self) -> u64 {
        self.most
    }

    /// How much may still be kept.
    pub(crate) fn left(&self) -> u64 {
        self.most.saturating_sub(self.kept())
    }

    /// Counts memory that is about to be taken.
    ///
    /// # Errors
    /// `Limit` when there is not so much left.
    pub(crate) fn keep(&self, bytes: usize) -> Result<()> {
        let passing = self.passing.load(Ordering::Relaxed);
        let fits = |kept: &u64| *kept <= self.most && kept.saturating_add(passing) <= self.most + PASSING;
        let more = |kept: u64| kept.checked_add(bytes as u64).filter(fits);
        match self.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => {
                self.count(bytes as u64);
                Ok(())
            }
            Err(_) => Err(exceeded()),
        }
    }

    /// As [`Allowance::keep`]; what is returned gives the memory back when it is dropped.
    ///
    /// # Errors
    /// As [`Allowance::keep`].
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize) -> Result<Held> {
        self.keep(bytes)?;
        Ok(Held { allowance: Arc::clone(self), bytes: bytes as u64, passing: 0 })
    }

    /// Counts a chunk that is about to be decoded.
    ///
    /// # Errors
    /// As [`Allowance::keep`].
    pub(crate) fn pass(self: &Arc<Self>, bytes: usize) -> Result<Held> {
        let kept = self.kept.load(Ordering::Relaxed);
        let fits = |passing: &u64| kept.saturating_add(*passing) <= self.most + PASSING;
        let more = |passing: u64| passing.checked_add(bytes as u64).filter(fits);
        match self.passing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Ok(Held { allowance: Arc::clone(self), bytes: 0, passing: bytes as u64 }),
            Err(_) => Err(exceeded()),
        }
    }

    /// Counts memory that was taken already.
    pub(crate) fn note(&self, bytes: u64) {
        self.kept.fetch_add(bytes, Ordering::Relaxed);
        self.count(bytes);
    }
}

/// Memory that is counted for as long as this lives.
#[derive(Debug)]
pub struct Held {
    allowance: Arc<Allowance>,
    bytes: u64,
    passing: u64,
}

impl Held {
    /// Counts nothing.
    #[cfg(test)]
    pub(crate) fn nothing() -> Self {
        Held { allowance: Arc::new(Allowance::new(0, 0)), bytes: 0, passing: 0 }
    }

    /// Counts this memory together with that of another, of the same file.
    pub(crate) fn join(&mut self, mut other: Held) {
        self.bytes += std::mem::take(&mut other.bytes);
        self.passing += std::mem::take(&mut other.passing);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.allowance.kept.fetch_sub(self.bytes, Ordering::Relaxed);
        self.allowance.uncount(self.bytes);
        self.allowance.passing.fetch_sub(self.passing, Ordering::Relaxed);
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
    fn a_total_counts_what_is_kept_of_open_files_alone() {
        let total = Arc::new(AtomicU64::new(0));
        let [first, second] = [0; 2].map(|_| Arc::new(Allowance::new(1000, 1000)));
        first.keep(10).unwrap();
        first.share(&total);
        second.share(&total);
        let held = second.hold(5).unwrap();
        second.note(100);
        assert_eq!(total.load(Ordering::Relaxed), 115);
        drop(held);
        assert_eq!(total.load(Ordering::Relaxed), 110);
        drop(second);
        assert_eq!(total.load(Ordering::Relaxed), 10);
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
