//! Where the chunks of a dataset lie; read once, on first use.
//!
//! Every kind of index of HDF5 (file format III.A.1, VII.A to VII.D and the two that need none) becomes one sorted
//! list of chunk numbers and places. Chunks are numbered in C order over the chunks of the current shape.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hdf5_reader::btree_v1::{collect_btree_v1_leaves_storage, BTreeV1Key};
use hdf5_reader::chunk_index::{collect_v2_chunk_entries_storage, ChunkEntry};
use hdf5_reader::extensible_array::collect_extensible_array_chunk_entries_storage;
use hdf5_reader::fixed_array::collect_fixed_array_chunk_entries_storage;
use once_cell::sync::OnceCell;

use super::layout::IndexKind;
use super::store::{damaged, guarded, Store};
use crate::error::{Error, Kind, Result};
use crate::selection::checked_product;

/// Where one chunk lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkPlace {
    /// Offset in the source.
    pub offset: u64,
    /// Bytes stored there.
    pub size: u64,
    /// Bit `i` set: filter `i` was not applied.
    pub filter_mask: u32,
}

/// A chunk index that is read when it is first needed.
#[derive(Debug)]
pub struct LazyChunkIndex {
    plan: Box<Plan>,
    /// The file; `None` once it was let go of.
    store: Mutex<Option<Arc<Store>>>,
    /// A number that no other index in this process has.
    id: u64,
    /// Chunks along each dimension.
    counts: Vec<u64>,
    entries: OnceCell<Vec<Entry>>,
}

/// What is needed to read an index.
#[derive(Debug)]
pub(super) struct Plan {
    /// Length of the file from its superblock on, and where that lies.
    pub(super) file_len: u64,
    pub(super) base: u64,
    pub(super) kind: IndexKind,
    /// Address of the index; `None` when nothing was written.
    pub(super) address: Option<u64>,
    /// Shape as stored.
    pub(super) shape: Vec<u64>,
    /// Maximum shape; `None` where unlimited.
    pub(super) maximum: Vec<Option<u64>>,
    /// Shape of a chunk, all sizes at least 1; below 2^32 where the index is a B-tree of version 1.
    pub(super) chunk: Vec<u64>,
    /// Bytes of a chunk without filters.
    pub(super) chunk_bytes: u64,
    pub(super) filtered: bool,
    /// Chunks that reach over the edge are stored without filters.
    pub(super) plain_edges: bool,
}

/// A chunk: its number, address, size (0: the bytes of a chunk without filters) and filter mask.
#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u64,
    address: u64,
    size: u32,
    filter_mask: u32,
}

impl LazyChunkIndex {
    pub(super) fn new(store: &Arc<Store>, plan: Plan) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        LazyChunkIndex {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            counts: plan.counts(&plan.shape),
            plan: Box::new(plan),
            store: Mutex::new(Some(Arc::clone(store))),
            entries: OnceCell::new(),
        }
    }

    /// A number that no other index in this process has.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Reads the index, if that is still to be done, and lets go of the file.
    ///
    /// # Errors
    /// As [`LazyChunkIndex::find`].
    pub fn detach(&self) -> Result<()> {
        if let (Some(address), false) = (self.plan.address, self.plan.kind == IndexKind::Implicit) {
            self.entries(address)?;
        }
        self.file().take();
        Ok(())
    }

    fn file(&self) -> MutexGuard<'_, Option<Arc<Store>>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self, address: u64) -> Result<&Vec<Entry>> {
        self.entries.get_or_try_init(|| {
            let store = self.file().clone();
            let store =
                store.ok_or_else(|| Error::new(Kind::Internal, "a chunk index let go of its file unread"))?;
            guarded(|| self.plan.read(&store, address))
        })
    }

    /// The place of the chunk with these chunk coordinates (element index divided by chunk size), or `None` when
    /// it was never written.
    ///
    /// # Errors
    /// `Damaged` or `Io` when the index cannot be read or the chunk lies outside the file.
    pub fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>> {
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
        // With every chunk written, as is usual, the number is the position.
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

impl Plan {
    /// Chunks along each dimension of this shape.
    fn counts(&self, shape: &[u64]) -> Vec<u64> {
        shape.iter().zip(&self.chunk).map(|(size, chunk)| size.div_ceil(*chunk)).collect()
    }

    /// The shape over which arrays and implicit indexes number their chunks.
    fn maximum_shape(&self) -> Vec<u64> {
        self.maximum.iter().zip(&self.shape).map(|(maximum, size)| maximum.unwrap_or(*size)).collect()
    }

    /// A checked place in the source.
    fn place(&self, address: u64, size: u64, filter_mask: u32) -> Result<ChunkPlace> {
        let inside = address.checked_add(size).is_some_and(|end| end <= self.file_len);
        if !inside || (!self.filtered && size != self.chunk_bytes) {
            return Err(damaged("a chunk lies outside the file or has a wrong size"));
        }
        Ok(ChunkPlace { offset: address + self.base, size, filter_mask })
    }

    /// Reads the whole index.
    fn read(&self, store: &Store, address: u64) -> Result<Vec<Entry>> {
        let (storage, offset_size, length_size) = (&store.storage, store.offset_size, store.length_size);
        let rank = self.shape.len() as u32;
        // All but B-trees of version 1 count in chunks, which need not be told their size.
        let one = vec![1; self.shape.len()];
        let found = match self.kind {
            IndexKind::Implicit => Vec::new(),
            IndexKind::Single(filtered) => {
                let (size, filter_mask) = filtered.unwrap_or((0, 0));
                vec![ChunkEntry { address, size, filter_mask, offsets: vec![0; self.shape.len()] }]
            }
            IndexKind::BTree1 => collect_btree_v1_leaves_storage(
                storage,
                address,
                offset_size,
                length_size,
                Some(rank),
                &self.chunk.iter().map(|&size| size as u32).collect::<Vec<u32>>(),
                None,
            )?
            .into_iter()
            .filter_map(|(key, address)| match key {
                BTreeV1Key::RawData { chunk_size, filter_mask, mut offsets } => {
                    offsets.iter_mut().zip(&self.chunk).for_each(|(offset, chunk)| *offset /= chunk);
                    Some(ChunkEntry { address, size: u64::from(chunk_size), filter_mask, offsets })
                }
                BTreeV1Key::Group { .. } => None,
            })
            .collect(),
            IndexKind::BTree2 => collect_v2_chunk_entries_storage(
                storage,
                address,
                offset_size,
                length_size,
                rank,
                &one,
                None,
            )?,
            IndexKind::FixedArray => collect_fixed_array_chunk_entries_storage(
                storage,
                address,
                offset_size,
                length_size,
                &self.counts(&self.maximum_shape()),
                &one,
                None,
            )?,
            IndexKind::ExtensibleArray => {
                let unlimited =
                    |(max, chunk): (&Option<u64>, &u64)| max.map_or(u64::MAX, |n| n.div_ceil(*chunk));
                let maximum: Vec<u64> = self.maximum.iter().zip(&self.chunk).map(unlimited).collect();
                collect_extensible_array_chunk_entries_storage(
                    storage,
                    address,
                    offset_size,
                    length_size,
                    &self.counts(&self.shape),
                    Some(&maximum),
                    &one,
                    None,
                )?
            }
        };
        self.sorted(store, found)
    }

    /// The chunks by number; `offsets` are their coordinates.
    fn sorted(&self, store: &Store, found: Vec<ChunkEntry>) -> Result<Vec<Entry>> {
        let counts = self.counts(&self.shape);
        let rank = counts.len();
        let mut entries = Vec::new();
        let no_memory = |_| Error::new(Kind::Limit, "no memory for a chunk index");
        entries.try_reserve_exact(found.len()).map_err(no_memory)?;
        for ChunkEntry { address, size, filter_mask, offsets } in found {
            if store.is_undefined(address) {
                continue;
            }
            let at = offsets.get(..rank).ok_or_else(|| damaged("chunk offsets of another rank"))?;
            // Chunks beyond the current shape stay in the index after it shrank.
            if at.iter().zip(&counts).any(|(index, count)| index >= count) {
                continue;
            }
            let size = if size == self.chunk_bytes { 0 } else { size };
            let size = u32::try_from(size).map_err(|_| damaged("a compressed chunk of 4 GiB or more"))?;
            entries.push(Entry { number: number(at, &counts)?, address, size, filter_mask });
        }
        entries.sort_unstable_by_key(|entry| entry.number);
        if entries.windows(2).any(|pair| pair[0].number == pair[1].number) {
            return Err(damaged("a chunk is indexed twice"));
        }
        Ok(entries)
    }
}

/// The number of a chunk in C order.
fn number(at: &[u64], counts: &[u64]) -> Result<u64> {
    // Then no step below can overflow.
    if checked_product(counts).is_none() {
        return Err(damaged("too many chunks"));
    }
    Ok(at.iter().zip(counts).fold(0, |number, (index, count)| number * count + index))
}
