//! Global heaps (HDF5 file format III.E): strings and lists of variable length, identified by references.
//!
//! References are followed in the order of their heaps, so that each heap is parsed once. Refused: references that
//! together name more bytes than fit into the file, with some room for fill values, which elements share.

use std::collections::{BTreeSet, HashMap};
use std::slice::ChunksExact;
use std::sync::{Arc, Mutex, PoisonError};

use hdf5_reader::storage::StorageBuffer;

use super::cursor::Cursor;
use super::store::{damaged, Store};
use crate::error::{Error, Kind, Result};
use crate::io::source::Fetched;

/// The maximum number of bytes of collections that are kept.
const KEPT: usize = 1 << 20;
/// The smallest size of a collection, and the maximum number that are fetched together.
const SMALLEST: u64 = 4096;
const MOST_FETCHED: usize = 4096;

/// Collections that were parsed, by address.
#[derive(Default)]
pub(super) struct Collections {
    collections: Mutex<(HashMap<u64, Arc<Collection>>, usize)>,
}

/// A collection of objects.
struct Collection {
    bytes: StorageBuffer,
    /// Number, offset and length of each object, by number.
    objects: Vec<(u16, usize, usize)>,
}

/// A reference to an object: how many units it has and where it lies.
struct Reference {
    count: u32,
    /// Address of the collection and number in it; `None` if there is no object.
    object: Option<(u64, u32)>,
}

/// Calls `take` with the bytes of each reference and its position, in any order; `unit` is the size of one unit.
///
/// # Errors
/// `Limit` if they name more bytes than fit into the file; `Damaged`, `Io`, and those of `take`.
pub(super) fn each(
    store: &Store,
    references: ChunksExact<'_, u8>,
    unit: usize,
    mut take: impl FnMut(usize, &[u8]) -> Result<()>,
) -> Result<()> {
    let (mut total, mut last, mut is_in_order) = (0u64, 0, true);
    for bytes in references.clone() {
        let reference = Reference::parse(store, bytes)?;
        if let Some((address, _)) = reference.object {
            total = total.saturating_add(u64::from(reference.count).saturating_mul(unit as u64));
            is_in_order &= address >= last;
            last = address;
        }
    }
    store.budget.copy_text(total)?;
    let mut heaps = Heaps { store, fetched: fetch(store, &references)?, last: None };
    if is_in_order {
        let mut all = references.enumerate();
        return all.try_for_each(|(position, bytes)| heaps.follow(bytes, unit, |b| take(position, b)));
    }
    let mut order: Vec<(u64, usize)> = Vec::new();
    let no_memory = |_| Error::new(Kind::Limit, "no memory for a list of strings");
    order.try_reserve_exact(references.len()).map_err(no_memory)?;
    for (position, bytes) in references.clone().enumerate() {
        order.push((Reference::parse(store, bytes)?.object.map_or(0, |(address, _)| address), position));
    }
    order.sort_unstable();
    let at = |position: usize| references.clone().nth(position).unwrap_or_default();
    order
        .into_iter()
        .try_for_each(|(_, position)| heaps.follow(at(position), unit, |bytes| take(position, bytes)))
}

/// Fetches the collections of these references together, if the file is on a server and they are not too many. Most have
/// the smallest size.
fn fetch(store: &Store, references: &ChunksExact<'_, u8>) -> Result<Fetched> {
    if !store.storage.is_remote() {
        return Ok(Fetched::default());
    }
    let mut addresses = BTreeSet::new();
    for bytes in references.clone() {
        addresses.extend(Reference::parse(store, bytes)?.object.map(|(address, _)| address));
        if addresses.len() > MOST_FETCHED {
            return Ok(Fetched::default());
        }
    }
    let range = |address: u64| address..address.saturating_add(SMALLEST).min(store.len());
    store.storage.fetch(addresses.into_iter().map(range).collect())
}

/// The heaps of a file, while references into them are followed.
struct Heaps<'a> {
    store: &'a Store,
    fetched: Fetched,
    /// The collection that was used last.
    last: Option<(u64, Arc<Collection>)>,
}

impl Heaps<'_> {
    /// Calls `take` with the bytes of one reference.
    fn follow(
        &mut self,
        reference: &[u8],
        unit: usize,
        take: impl FnOnce(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let reference = Reference::parse(self.store, reference)?;
        let Some((address, number)) = reference.object else { return take(&[]) };
        let collection = match &self.last {
            Some((at, collection)) if *at == address => collection,
            _ => &self.last.insert((address, collection(self.store, &self.fetched, address)?)).1,
        };
        let object = collection.get(number).ok_or_else(|| damaged("object is not in its global heap"))?;
        let bytes = (reference.count as usize).checked_mul(unit).and_then(|len| object.get(..len));
        take(bytes.ok_or_else(|| damaged("object in a global heap is shorter than its reference"))?)
    }
}

impl Reference {
    fn parse(store: &Store, bytes: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(bytes);
        let count = cursor.read_u32_le()?;
        let address = store.address(&mut cursor)?;
        let number = cursor.read_u32_le()?;
        let object = address.map(|address| (address, number)).filter(|_| number != 0 && count != 0);
        Ok(Reference { count, object })
    }
}

/// Returns the collection at this address, and keeps it for later calls.
fn collection(store: &Store, fetched: &Fetched, address: u64) -> Result<Arc<Collection>> {
    let lock = || store.heaps.collections.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(collection) = lock().0.get(&address) {
        return Ok(Arc::clone(collection));
    }
    let collection = Arc::new(Collection::read(store, fetched, address)?);
    let (collections, bytes) = &mut *lock();
    // References are mostly in the order of their heaps, so it hardly matters which one is dropped.
    if *bytes > KEPT {
        collections.clear();
        *bytes = 0;
    }
    *bytes += collection.size();
    collections.insert(address, Arc::clone(&collection));
    Ok(collection)
}

impl Collection {
    fn read(store: &Store, fetched: &Fetched, address: u64) -> Result<Self> {
        let length_size = usize::from(store.length_size);
        let head = store.storage.read_fetched(fetched, address, 8 + length_size)?;
        if head[..5] != *b"GCOL\x01" {
            return Err(damaged(format!("no global heap at {address:#x}")));
        }
        let len = Cursor::new(&head[8..]).read_length(store.length_size)?;
        let len = usize::try_from(len).map_err(|_| damaged("global heap is too long"))?;
        store.budget.see(len)?;
        let bytes = store.storage.read_fetched(fetched, address, len)?;
        let mut objects = Vec::new();
        let mut cursor = Cursor::new(&bytes);
        cursor.skip((8 + length_size).min(len))?;
        while cursor.remaining() >= 8 + length_size {
            // Number 0 is the free space at the end.
            let number = cursor.read_u16_le()?;
            if number == 0 {
                break;
            }
            cursor.skip(6)?;
            let len = cursor.read_length(store.length_size)?;
            let len = usize::try_from(len).map_err(|_| damaged("object in a global heap is too long"))?;
            objects.push((number, cursor.position(), len));
            cursor.skip(len)?;
            let padding = len.wrapping_neg() & 7;
            cursor.skip(padding.min(cursor.remaining()))?;
        }
        // If several objects have the same number, which should not happen, the first one counts.
        if !objects.is_sorted_by_key(|object| object.0) {
            objects.sort_by_key(|object| object.0);
        }
        objects.dedup_by_key(|object| object.0);
        Ok(Collection { bytes, objects })
    }

    /// Returns the bytes of the object with this number.
    fn get(&self, number: u32) -> Option<&[u8]> {
        let number = u16::try_from(number).ok()?;
        let is_it = |object: &&(u16, usize, usize)| object.0 == number;
        // Writers number objects from 1 in order, so the position is usually the number.
        let guess = usize::from(number).checked_sub(1).and_then(|at| self.objects.get(at)).filter(is_it);
        let find =
            || self.objects.binary_search_by_key(&number, |object| object.0).ok().map(|at| &self.objects[at]);
        let &(_, from, len) = guess.or_else(find)?;
        self.bytes.get(from..from + len)
    }

    /// Returns roughly the memory that it takes.
    fn size(&self) -> usize {
        self.bytes.len() + self.objects.len() * size_of::<(u16, usize, usize)>()
    }
}
