//! Chunk indexes that were read, for all arrays of a file that have the same: many links may lead to one dataset.
//!
//! What all of them take is counted against what may be kept of the file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::chunk_index::{Entry, IndexDescription};
use crate::container::allowance::Held;
use crate::error::Result;

/// A chunk index.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) entries: Vec<Entry>,
    plan: IndexDescription,
    _held: Held,
}

impl Index {
    /// An index that was read by this plan.
    pub(super) fn new(entries: Vec<Entry>, plan: IndexDescription, held: Held) -> Self {
        Index { entries, plan, _held: held }
    }
}

/// The indexes of a file that are in use, by address.
#[derive(Debug, Default)]
pub(super) struct Indexes(Mutex<InUse>);

#[derive(Debug, Default)]
struct InUse {
    by_address: HashMap<u64, Weak<Index>>,
    /// How many there may be before those that are not in use any more are taken out.
    most: usize,
}

impl Indexes {
    /// The index at this address by this plan; `read` reads it if none has it.
    pub(super) fn get(
        &self,
        address: u64,
        plan: &IndexDescription,
        read: impl FnOnce() -> Result<Index>,
    ) -> Result<Arc<Index>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().by_address.get(&address).and_then(Weak::upgrade);
        if let Some(index) = known.filter(|index| index.plan == *plan) {
            return Ok(index);
        }
        let index = Arc::new(read()?);
        let mut known = lock();
        if known.by_address.len() > known.most {
            known.by_address.retain(|_, index| index.strong_count() > 0);
            known.most = 2 * known.by_address.len() + 16;
        }
        known.by_address.insert(address, Arc::downgrade(&index));
        Ok(index)
    }
}
