//! Where the chunks of a dataset lie. The index is read once, on first use.
//!
//! Every kind of index of HDF5 (file format III.A.1, VII.A to VII.D and the two that need none) becomes one sorted
//! list of chunk numbers and places. Chunks are numbered in C order over the chunks of the current shape.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use super::array_entry::Found;
use super::btree1::{self, Form};
use super::btree2::Tree;
use super::cursor::Cursor;
use super::layout::IndexKind;
use super::numbering::Numbering;
use super::shared_index::Index;
use super::store::{damaged, guarded, Store};
use super::{extensible_array, fixed_array};
use crate::container::allowance::heap;
use crate::container::chunk_index::{ChunkIndex, ChunkPlace};
use crate::error::{Error, Kind, Result};
use crate::selection::checked_product;

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
    entries: OnceCell<Arc<Index>>,
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
    number: u64,
    address: u64,
    size: u32,
    filter_mask: u32,
}

impl LazyChunkIndex {
    pub(super) fn new(store: &Store, plan: IndexDescription) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        LazyChunkIndex {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            counts: plan.counts(&plan.shape),
            plan,
            store: Mutex::new(Some(store.again())),
            entries: OnceCell::new(),
        }
    }

    fn file(&self) -> MutexGuard<'_, Option<Store>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self, address: u64) -> Result<&[Entry]> {
        let index = self.entries.get_or_try_init(|| {
            let store = self.file().as_ref().map(Store::again);
            let store =
                store.ok_or_else(|| Error::new(Kind::Internal, "a chunk index let go of its file unread"))?;
            store.indexes.get(address, &self.plan, || {
                store.budget.keep_at_most(store.allowance.left());
                let entries = guarded(|| self.plan.read(&store, address))?;
                let held = store.allowance.hold(heap(size_of_val(&entries[..])))?;
                Ok(Index::new(entries, self.plan.clone(), held))
            })
        })?;
        Ok(&index.entries)
    }
}

impl ChunkIndex for LazyChunkIndex {
    fn id(&self) -> u64 {
        self.id
    }

    fn detach(&self) -> Result<()> {
        if let (Some(address), false) = (self.plan.address, self.plan.kind == IndexKind::Implicit) {
            self.entries(address)?;
        }
        self.file().take();
        Ok(())
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
        let number = number(chunk, &self.counts)?;
        let entries = self.entries(address)?;
        // If every chunk was written, as is usual, the number is the position.
        let guess = usize::try_from(number).ok().and_then(|at| entries.get(at));
        let entry = guess.filter(|entry| entry.number == number).or_else(|| {
            entries.binary_search_by_key(&number, |entry| entry.number).ok().map(|at| &entries[at])
        });
        let Some(entry) = entry else {
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
    fn counts(&self, shape: &[u64]) -> Vec<u64> {
        shape.iter().zip(&self.chunk).map(|(size, chunk)| size.div_ceil(*chunk)).collect()
    }

    /// Returns the shape over which arrays and implicit indexes number their chunks.
    fn maximum_shape(&self) -> Vec<u64> {
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

    /// Reads the whole index.
    fn read(&self, store: &Store, address: u64) -> Result<Vec<Entry>> {
        let mut list = List { plan: self, store, counts: self.counts(&self.shape), entries: Vec::new() };
        if list.counts.contains(&0) {
            return Ok(Vec::new());
        }
        match self.kind {
            IndexKind::Implicit => {}
            IndexKind::Single(filtered) => {
                let (size, filter_mask) = filtered.unwrap_or((0, 0));
                list.add(&vec![0; self.shape.len()], Found { address, size, filter_mask })?;
            }
            IndexKind::BTree1 => self.read_btree1(store, address, &mut list)?,
            IndexKind::BTree2 => self.read_btree2(store, address, &mut list)?,
            IndexKind::FixedArray => {
                let numbering = Numbering::fixed(&list.counts, self.counts(&self.maximum_shape()))?;
                let mut at = vec![0; self.shape.len()];
                fixed_array::each(store, address, numbering.last()?, |number, found| {
                    numbering.place(number, &mut at);
                    list.add(&at, found)
                })?;
            }
            IndexKind::ExtensibleArray => {
                let unlimited = self.maximum.iter().position(Option::is_none).unwrap_or(0);
                let numbering =
                    Numbering::growing(&list.counts, self.counts(&self.maximum_shape()), unlimited)?;
                let mut at = vec![0; self.shape.len()];
                extensible_array::each(store, address, numbering.last()?, |number, found| {
                    numbering.place(number, &mut at);
                    list.add(&at, found)
                })?;
            }
        }
        list.sorted()
    }

    fn read_btree1(&self, store: &Store, address: u64, list: &mut List<'_>) -> Result<()> {
        let rank = self.shape.len();
        // Size, mask, and offsets of all dimensions and of the element.
        let form = Form { kind: 1, key: 8 * (rank + 2), most: 2 * usize::from(store.branching.chunk) };
        let mut at = vec![0; rank];
        let everywhere = |_: &[u8], _: &[u8]| Ok(true);
        btree1::walk(store, form, address, everywhere, |key, address| {
            let mut cursor = Cursor::new(key);
            let (size, filter_mask) = (u64::from(cursor.read_u32_le()?), cursor.read_u32_le()?);
            for (index, chunk) in at.iter_mut().zip(&self.chunk) {
                *index = cursor.read_u64_le()? / chunk;
            }
            list.add(&at, Found { address, size, filter_mask })
        })
    }

    fn read_btree2(&self, store: &Store, address: u64, list: &mut List<'_>) -> Result<()> {
        let rank = self.shape.len();
        let tree = Tree::read(store, address)?;
        let size_width = match tree.kind {
            10 if tree.record == usize::from(store.offset_size) + 8 * rank => 0,
            11 => tree.record.saturating_sub(usize::from(store.offset_size) + 4 + 8 * rank),
            _ => return Err(damaged("chunk offsets of another rank")),
        };
        if tree.kind == 11 && !(1..=8).contains(&size_width) {
            return Err(damaged("chunk offsets of another rank"));
        }
        let mut at = vec![0; rank];
        let everywhere = |_: Option<&[u8]>, _: Option<&[u8]>| true;
        tree.walk(store, everywhere, |record| {
            let mut cursor = Cursor::new(record);
            let Some(address) = store.address(&mut cursor)? else { return Ok(()) };
            let (size, filter_mask) = match size_width {
                0 => (0, 0),
                width => (cursor.read_uvar(width)?, cursor.read_u32_le()?),
            };
            for index in &mut at {
                *index = cursor.read_u64_le()?;
            }
            list.add(&at, Found { address, size, filter_mask })
        })
    }
}

/// The entries of an index that is being read.
struct List<'a> {
    plan: &'a IndexDescription,
    store: &'a Store,
    counts: Vec<u64>,
    entries: Vec<Entry>,
}

impl List<'_> {
    /// Adds the chunk with these coordinates, unless it lies beyond the current shape.
    fn add(&mut self, at: &[u64], found: Found) -> Result<()> {
        // When the shape shrinks, chunks beyond it stay in the index.
        if at.iter().zip(&self.counts).any(|(index, count)| index >= count) {
            return Ok(());
        }
        let Found { address, size, filter_mask } = found;
        let size = if size == self.plan.chunk_bytes { 0 } else { size };
        let size = u32::try_from(size).map_err(|_| damaged("a compressed chunk of 4 GiB or more"))?;
        self.store.budget.keep(size_of::<Entry>())?;
        self.entries.try_reserve(1).map_err(|_| Error::new(Kind::Limit, "no memory for a chunk index"))?;
        self.entries.push(Entry { number: number(at, &self.counts)?, address, size, filter_mask });
        Ok(())
    }

    /// Returns the chunks sorted by number.
    fn sorted(mut self) -> Result<Vec<Entry>> {
        if !self.entries.is_sorted_by_key(|entry| entry.number) {
            self.entries.sort_unstable_by_key(|entry| entry.number);
        }
        if self.entries.windows(2).any(|pair| pair[0].number == pair[1].number) {
            return Err(damaged("a chunk is indexed twice"));
        }
        self.entries.shrink_to_fit();
        Ok(self.entries)
    }
}

/// Returns the number of a chunk in C order.
fn number(at: &[u64], counts: &[u64]) -> Result<u64> {
    // If the product fits, no step below can overflow.
    if checked_product(counts).is_none() {
        return Err(damaged("too many chunks"));
    }
    Ok(at.iter().zip(counts).fold(0, |number, (index, count)| number * count + index))
}
