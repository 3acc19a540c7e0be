//! How many fragments a command may look at that goes through all of them, such as a check.
//!
//! A table of some kilobytes can name billions of fragments. Names of files take two bytes and more of a file, even
//! compressed, so work beyond that is not what a writer of files asked for.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::container::allowance::Measure;
use crate::container::Container;

/// What one fragment costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Cost {
    /// It has no file.
    NoFile = 1,
    /// Its names are looked at.
    Named = 4,
    /// Its file is opened, or its names are refused.
    Opened = 16,
}

/// 262,144 files to open, and one for each two bytes of a file.
const EFFORT: Measure = Measure { floor: 16 << 18, length: 8, stored: 16, ceiling: 1 << 40 };

/// What may still be done; threads share it.
#[derive(Debug)]
pub(crate) struct Effort(AtomicU64);

impl Effort {
    /// Returns the effort that a file is worth.
    pub(crate) fn of(container: &Container) -> Self {
        let source = container.source();
        Effort::new(source.len(), source.stored())
    }

    fn new(length: u64, stored: u64) -> Self {
        Effort(AtomicU64::new(EFFORT.of(length, stored)))
    }

    /// Adds what another file is worth that was found on the way.
    pub(crate) fn add(&self, container: &Container) {
        let source = container.source();
        self.0.fetch_add(EFFORT.of(source.len(), source.stored()) - EFFORT.floor, Ordering::Relaxed);
    }

    /// Counts fragments; returns whether there was something left before.
    pub(crate) fn spend(&self, fragments: u64, cost: Cost) -> bool {
        let cost = fragments.saturating_mul(cost as u64);
        let less = |left: u64| Some(left.saturating_sub(cost));
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok_and(|left| left > 0)
    }

    /// Returns whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_worth_as_many_fragments_as_it_can_name() {
        let effort = Effort::new(2000, 4096);
        assert!(effort.spend((1 << 18) + 999, Cost::Opened) && !effort.is_spent());
        assert!(effort.spend(15, Cost::NoFile) && !effort.is_spent());
        assert!(effort.spend(1, Cost::Opened), "something was left");
        assert!(effort.is_spent() && !effort.spend(1, Cost::NoFile));
        assert!(!Effort::new(u64::MAX, u64::MAX).is_spent());
    }

    #[test]
    fn holes_of_a_file_are_worth_nothing() {
        let effort = Effort::new(1 << 40, 0);
        effort.spend(1 << 18, Cost::Opened);
        assert!(effort.is_spent());
    }
}
