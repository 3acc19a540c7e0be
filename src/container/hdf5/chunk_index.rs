//! Where the chunks of a dataset lie. The index is read when it is needed: a small one once and as a whole, a large tree
//! only where the reads of its chunks lead.
//!
//! Chunks are numbered in C order over the chunks of the current shape.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use super::layout::IndexKind;
use super::shared_index::Index;
use super::store::{damaged, guarded, Store};
use crate::container::allowance::{heap, Held};
use crate::container::chunk_index::{new_id, ChunkIndex, ChunkPlace};
use crate::container::chunk_numbers::ChunkNumbers;
use crate::error::{Error, Kind, Result};
use crate::selection::{checked_product, Selection};

/// An index of at most this many chunks is read as a whole.
const SMALL: u64 = 512;
/// A larger index is read as a whole if one read wants, or all reads have wanted, more than one chunk in this many.
const MANY: u64 = 4;

/// A chunk index that is read when it is first needed.
#[derive(Debug)]
pub struct LazyChunkIndex {
    plan: IndexDescription,
    /// The file; `None` once it was let go of.
    store: Mutex<Option<Store>>,
    /// A number that no other index in this process has.
    id: u64,
    /// Chunks along each dimension.
    counts: Vec<u64>,
    whole: OnceCell<Arc<Index>>,
    /// The parts that were read, as long as not all of it was.
    parts: Mutex<Parts>,
}

/// Parts of an index.
#[derive(Debug, Default)]
struct Parts {
    entries: BTreeMap<u64, Entry>,
    /// Ranges of numbers, from start to end, in which all chunks are among the entries.
    complete: BTreeMap<u64, u64>,
    held: Vec<Held>,
}

/// What is needed to read an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexDescription {
    /// Length of the file from its superblock on, and where that lies.
    pub(super) file_len: u64,
    pub(super) base: u64,
    pub(super) kind: IndexKind,
    /// Address of the index; `None` if nothing was written.
    pub(super) address: Option<u64>,
    /// Shape as stored.
    pub(super) shape: Vec<u64>,
    /// Maximum shape; `None` where unlimited.
    pub(super) maximum: Vec<Option<u64>>,
    /// Shape of a chunk. All sizes are at least 1, and below 2^32 if the index is a B-tree of version 1.
    pub(super) chunk: Vec<u64>,
    /// Bytes of a chunk without filters.
    pub(super) chunk_bytes: u64,
    pub(super) filtered: bool,
    /// Chunks that extend over the edge are stored without filters.
    pub(super) plain_edges: bool,
}

/// A chunk: its number, address, size (0 means the bytes of a chunk without filters) and filter mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) number: u64,
    pub(super) address: u64,
    pub(super) size: u32,
    pub(super) filter_mask: u32,
}

impl Parts {
    /// Returns the entry of a chunk: `None` if it is not known whether there is one.
    fn find(&self, number: u64) -> Option<Option<Entry>> {
        if let Some(entry) = self.entries.get(&number) {
            return Some(Some(*entry));
        }
        let before = self.complete.range(..=number).next_back();
        before.filter(|(_, &end)| number < end).map(|_| None)
    }

    fn add(&mut self, entries: Vec<Entry>, complete: Vec<Range<u64>>, held: Held) {
        self.entries.extend(entries.into_iter().map(|entry| (entry.number, entry)));
        for range in complete.into_iter().filter(|range| !range.is_empty()) {
            let end = self.complete.entry(range.start).or_default();
            *end = range.end.max(*end);
        }
        match self.held.last_mut() {
            Some(all) => all.join(held),
            None => self.held.push(held),
        }
    }
}

impl LazyChunkIndex {
    pub(super) fn new(store: &Store, plan: IndexDescription) -> Self {
        LazyChunkIndex {
            id: new_id(),
            counts: plan.counts(&plan.shape),
            plan,
            store: Mutex::new(Some(store.again())),
            whole: OnceCell::new(),
            parts: Mutex::default(),
        }
    }

    fn file(&self) -> MutexGuard<'_, Option<Store>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of chunks, written or not.
    fn total(&self) -> u64 {
        checked_product(&self.counts).unwrap_or(u64::MAX)
    }

    /// Returns whether the index is read in parts.
    fn is_large(&self) -> bool {
        matches!(self.plan.kind, IndexKind::BTree1 | IndexKind::BTree2)
            && self.total() > SMALL
            && self.whole.get().is_none()
    }

    /// Reads the index, or of a large one the parts that lead to these chunks.
    fn read(
        &self,
        address: u64,
        wanted: Option<ChunkNumbers<'_>>,
    ) -> Result<(Vec<Entry>, Vec<Range<u64>>, Held)> {
        let store = self.file().as_ref().map(Store::again);
        let store =
            store.ok_or_else(|| Error::new(Kind::Internal, "a chunk index let go of its file unread"))?;
        store.budget.keep_at_most(store.allowance.left());
        let (entries, complete) = guarded(|| self.plan.read(&store, address, wanted))?;
        let bytes = size_of_val(&entries[..]) + complete.len() * size_of::<Range<u64>>();
        // A tree in memory takes about twice as much as a list.
        let held = store.allowance.hold(heap(if wanted.is_some() { 2 * bytes } else { bytes }))?;
        Ok((entries, complete, held))
    }

    fn whole(&self, address: u64) -> Result<&[Entry]> {
        let index = self.whole.get_or_try_init(|| {
            let shared = self.file().as_ref().map(Store::again);
            let read = || {
                let (entries, _, held) = self.read(address, None)?;
                Ok(Index::new(entries, self.plan.clone(), held))
            };
            let index = match shared {
                Some(store) => store.indexes.get(address, &self.plan, read)?,
                None => Arc::new(read()?),
            };
            *self.parts() = Parts::default();
            Ok::<_, Error>(index)
        })?;
        Ok(&index.entries)
    }

    /// Returns the entry of a chunk, and reads the part of the index that leads to it if that was not done.
    fn entry(&self, address: u64, number: u64, chunk: &[u64]) -> Result<Option<Entry>> {
        if self.is_large() {
            if let Some(known) = self.parts().find(number) {
                return Ok(known);
            }
            let at: Vec<u64> = chunk.iter().zip(&self.plan.chunk).map(|(index, size)| index * size).collect();
            let one = Selection::block(&at, &vec![1; at.len()], &self.plan.shape)?;
            self.prepare(&ChunkNumbers::new(&one, &self.plan.chunk))?;
            if self.is_large() {
                return Ok(self.parts().find(number).flatten());
            }
        }
        let entries = self.whole(address)?;
        // If every chunk was written, as is usual, the number is the position.
        let guess = usize::try_from(number).ok().and_then(|at| entries.get(at));
        let entry = guess.filter(|entry| entry.number == number).or_else(|| {
            entries.binary_search_by_key(&number, |entry| entry.number).ok().map(|at| &entries[at])
        });
        Ok(entry.copied())
    }
}

impl ChunkIndex for LazyChunkIndex {
    fn id(&self) -> u64 {
        self.id
    }

    fn prepare(&self, wanted: &ChunkNumbers<'_>) -> Result<()> {
        let Some(address) = self.plan.address.filter(|_| self.plan.kind != IndexKind::Implicit) else {
            return Ok(());
        };
        let most = self.total() / MANY;
        if !self.is_large() || wanted.count() > most || self.parts().entries.len() as u64 > most {
            return self.whole(address).map(drop);
        }
        let mut next = wanted.next(0, &self.counts);
        // Few reads want many chunks of a large index, and most of those are known by then.
        while let Some(number) = next {
            if self.parts().find(number).is_none() {
                let (entries, complete, held) = self.read(address, Some(*wanted))?;
                self.parts().add(entries, complete, held);
                return Ok(());
            }
            next = wanted.next(number + 1, &self.counts);
        }
        Ok(())
    }

    fn detach(&self) -> Result<bool> {
        if let (Some(address), false) = (self.plan.address, self.plan.kind == IndexKind::Implicit) {
            if self.is_large() {
                return Ok(false);
            }
            self.whole(address)?;
        }
        self.file().take();
        Ok(true)
    }

    fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>> {
        let plan = &self.plan;
        if chunk.len() != plan.shape.len() {
            return Err(Error::new(Kind::Internal, "chunk coordinates of another rank"));
        }
        if chunk.iter().zip(&self.counts).any(|(index, count)| index >= count) {
            return Ok(None);
        }
        let Some(address) = plan.address else {
            return Ok(None);
        };
        if plan.kind == IndexKind::Implicit {
            let place = number(chunk, &plan.counts(&plan.maximum_shape()))?;
            let place = place.checked_mul(plan.chunk_bytes).and_then(|skip| skip.checked_add(address));
            let address = place.ok_or_else(|| damaged("chunk lies outside the file"))?;
            return plan.place(address, plan.chunk_bytes, 0).map(Some);
        }
        let Some(entry) = self.entry(address, number(chunk, &self.counts)?, chunk)? else {
            return Ok(None);
        };
        let at_edge =
            || (0..chunk.len()).any(|d| (chunk[d] + 1).saturating_mul(plan.chunk[d]) > plan.shape[d]);
        let filter_mask = if plan.plain_edges && at_edge() { u32::MAX } else { entry.filter_mask };
        let size = if entry.size == 0 { plan.chunk_bytes } else { u64::from(entry.size) };
        plan.place(entry.address, size, filter_mask).map(Some)
    }
}

impl IndexDescription {
    /// Returns the number of chunks along each dimension of this shape.
    pub(super) fn counts(&self, shape: &[u64]) -> Vec<u64> {
        shape.iter().zip(&self.chunk).map(|(size, chunk)| size.div_ceil(*chunk)).collect()
    }

    /// Returns the shape over which arrays and implicit indexes number their chunks.
    pub(super) fn maximum_shape(&self) -> Vec<u64> {
        self.maximum.iter().zip(&self.shape).map(|(maximum, size)| maximum.unwrap_or(*size)).collect()
    }

    /// Returns a checked place in the source.
    fn place(&self, address: u64, size: u64, filter_mask: u32) -> Result<ChunkPlace> {
        let inside = address.checked_add(size).is_some_and(|end| end <= self.file_len);
        if !inside || (!self.filtered && size != self.chunk_bytes) {
            return Err(damaged("a chunk lies outside the file or has a wrong size"));
        }
        Ok(ChunkPlace { offset: address + self.base, size, filter_mask })
    }
}

/// Returns the number of a chunk in C order.
pub(super) fn number(at: &[u64], counts: &[u64]) -> Result<u64> {
    // If the product fits, no step below can overflow.
    if checked_product(counts).is_none() {
        return Err(damaged("too many chunks"));
    }
    Ok(at.iter().zip(counts).fold(0, |number, (index, count)| number * count + index))
}
