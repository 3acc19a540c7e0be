//! Fractal heaps (HDF5 file format III.G), which hold links and attributes if there are many.
//!
//! An object is found by its identifier: in a direct block of the doubling table ("managed"), by itself ("huge"), or in
//! the identifier ("tiny"). If objects are read in the order of [`Heap::place`], each block is read once; only the last
//! one is kept. Refused: wrong checksums, blocks outside the file.

use super::cursor::Cursor;
use super::filters;
use hdf5_reader::storage::Storage;

use super::btree2::{width, Tree};
use super::doubling_table::DoublingTable;
use super::store::{checksummed, damaged, Store};
use crate::container::checksum::lookup3;
use crate::container::filter::{self, Filter};
use crate::error::Result;

/// Kinds of B-trees of huge objects: places by number, the objects plain or filtered.
const HUGE: u8 = 1;
const HUGE_FILTERED: u8 = 2;

/// Memory that the place of a huge object takes in a list that grows.
const PLACE_BYTES: usize = 2 * size_of::<(u64, HeapRange)>();

/// A heap as its header describes it.
pub(super) struct Heap {
    filters: Vec<Filter>,
    /// Whether direct blocks have checksums.
    checked: bool,
    huge: Option<u64>,
    table: DoublingTable,
    /// Bytes of an offset and of a length in an identifier.
    widths: (usize, usize),
    /// The block that was read last, with its offset in the heap.
    last: Option<(u64, Vec<u8>)>,
    /// The places of huge objects by number, once a second one is asked for: searching the tree for each would take
    /// time that grows with the square of their number.
    places: Option<Vec<(u64, HeapRange)>>,
    /// Whether a huge object was asked for.
    asked: bool,
}

/// Where a block or a huge object lies in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeapRange {
    pub(super) address: u64,
    /// Its length without filters.
    pub(super) len: u64,
    /// Its length in the file and its filter mask, if the heap has filters.
    pub(super) filtered: Option<(u64, u32)>,
}

impl Heap {
    /// Reads the header of the heap at `address`.
    pub(super) fn read(store: &Store, address: u64) -> Result<Self> {
        let (offset_size, length_size) = (usize::from(store.offset_size), usize::from(store.length_size));
        let len = 26 + 3 * offset_size + 12 * length_size;
        let head = store.storage.read_range(address, len)?;
        let filter_len = usize::from(u16::from_le_bytes([head[7], head[8]]));
        let more = if filter_len > 0 { length_size + 4 + filter_len } else { 0 };
        let bytes = store.storage.read_range(address, len + more)?;
        let mut cursor = Cursor::new(checksummed(&bytes, b"FRHP")?);
        cursor.skip(4)?;
        let checked = cursor.read_u8()? & 2 != 0;
        let most_managed = u64::from(cursor.read_u32_le()?);
        cursor.skip(length_size)?;
        let huge = store.address(&mut cursor)?;
        cursor.skip(offset_size + 9 * length_size)?;
        let (table, most_direct) = DoublingTable::parse(store, &mut cursor, filter_len > 0)?;
        let filters = match filter_len {
            0 => Vec::new(),
            len => filters::parse(&mut Cursor::new(cursor.read_bytes(len)?))?,
        };
        let widths = (table.offset_width, width(most_direct.min(most_managed)));
        Ok(Heap { filters, checked, huge, table, widths, last: None, places: None, asked: false })
    }

    /// Returns a number that sorts objects by their places.
    pub(super) fn place(&self, id: &[u8]) -> u64 {
        let offset = id.get(1..).map_or(&[][..], |rest| &rest[..rest.len().min(self.widths.0)]);
        offset.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    /// Returns the object with this identifier.
    pub(super) fn object(&mut self, store: &Store, id: &[u8]) -> Result<Vec<u8>> {
        let (&head, rest) = id.split_first().ok_or_else(|| damaged("empty identifier in a heap"))?;
        match head >> 4 {
            0 => self.managed(store, rest),
            1 => {
                let place = self.huge(store, rest)?;
                self.fetch(store, place)
            }
            2 => {
                let object = rest.get(..usize::from(head & 0x0f) + 1);
                Ok(object.ok_or_else(|| damaged("object in a heap is cut short"))?.to_vec())
            }
            kind => Err(damaged(format!("object of kind {kind} in a heap"))),
        }
    }

    fn managed(&mut self, store: &Store, id: &[u8]) -> Result<Vec<u8>> {
        let mut cursor = Cursor::new(id);
        let offset = cursor.read_uvar(self.widths.0)?;
        let len = cursor.read_uvar(self.widths.1)?;
        let is_in = |(first, block): &&(u64, Vec<u8>)| {
            offset.checked_sub(*first).is_some_and(|within| within < block.len() as u64)
        };
        let (first, block) = match self.last.as_ref().filter(is_in) {
            Some(last) => last,
            None => {
                let (first, place) = self.table.find(store, offset)?;
                // The former block is released before the next one is read.
                self.last = None;
                let block = self.block(store, place)?;
                self.last.insert((first, block))
            }
        };
        let from = usize::try_from(offset - first).ok();
        let object = from.and_then(|from| block.get(from..from.checked_add(usize::try_from(len).ok()?)?));
        Ok(object.ok_or_else(|| damaged("object reaches beyond its block of a heap"))?.to_vec())
    }

    /// Returns a direct block after verifying its checksum.
    fn block(&self, store: &Store, place: HeapRange) -> Result<Vec<u8>> {
        let mut block = self.fetch(store, place)?;
        let head = 5 + usize::from(store.offset_size) + self.table.offset_width;
        if block.len() as u64 != place.len || block.len() < head + 4 || block[..5] != *b"FHDB\0" {
            return Err(damaged("no direct block of a heap where one should be"));
        }
        if self.checked {
            let sum = [block[head], block[head + 1], block[head + 2], block[head + 3]];
            // The checksum is that of the block with zeros in its place.
            block[head..head + 4].fill(0);
            if lookup3(&block) != u32::from_le_bytes(sum) {
                return Err(damaged("checksum of a block of a heap is wrong"));
            }
            block[head..head + 4].copy_from_slice(&sum);
        }
        Ok(block)
    }

    /// Returns the bytes at a place, with filters undone.
    fn fetch(&self, store: &Store, place: HeapRange) -> Result<Vec<u8>> {
        let (stored, mask) = place.filtered.unwrap_or((place.len, 0));
        let too_long = || damaged("an object in a heap is too long");
        let (stored, len) =
            usize::try_from(stored).ok().zip(usize::try_from(place.len).ok()).ok_or_else(too_long)?;
        store.budget.see(stored.max(len))?;
        let bytes = store.storage.read_range(place.address, stored)?.to_vec();
        match place.filtered {
            None => Ok(bytes),
            Some(_) => {
                store.budget.keep(len)?;
                filter::decode(&self.filters, mask, bytes, len, 1)
            }
        }
    }

    /// Returns where the huge object with this number lies.
    fn huge(&mut self, store: &Store, id: &[u8]) -> Result<HeapRange> {
        let number = Cursor::new(id).read_uvar(id.len().min(8))?;
        let missing = || damaged("a huge object is not in its heap");
        if !std::mem::replace(&mut self.asked, true) {
            let mut found = None;
            self.each_huge(store, Some(number), |place, its_number| {
                found = (its_number == number).then_some(place).or(found);
                Ok(())
            })?;
            return found.ok_or_else(missing);
        }
        if self.places.is_none() {
            let mut places = Vec::new();
            self.each_huge(store, None, |place, number| {
                store.budget.keep(PLACE_BYTES)?;
                places.push((number, place));
                Ok(())
            })?;
            places.sort_by_key(|&(number, _)| number);
            self.places = Some(places);
        }
        let places = self.places.as_deref().unwrap_or_default();
        // If several have the same number, which should not happen, the last one counts.
        let end = places.partition_point(|&(known, _)| known <= number);
        let found = end.checked_sub(1).map(|at| places[at]).filter(|&(known, _)| known == number);
        found.map(|(_, place)| place).ok_or_else(missing)
    }

    /// Gives back the memory of the places.
    pub(super) fn release(self, store: &Store) {
        store.budget.release(PLACE_BYTES * self.places.map_or(0, |places| places.len()));
    }

    /// Calls `take` with the place and number of each huge object, or of those near this number.
    fn each_huge(
        &self,
        store: &Store,
        number: Option<u64>,
        mut take: impl FnMut(HeapRange, u64) -> Result<()>,
    ) -> Result<()> {
        let tree = Tree::read(store, self.huge.ok_or_else(|| damaged("a heap has no huge objects"))?)?;
        if tree.kind != if self.filters.is_empty() { HUGE } else { HUGE_FILTERED } {
            return Err(damaged("huge objects of a heap are indexed by something else than numbers"));
        }
        let parse = |record: &[u8]| -> Result<(HeapRange, u64)> {
            let mut cursor = Cursor::new(record);
            let address = cursor.read_offset(store.offset_size)?;
            let stored = cursor.read_length(store.length_size)?;
            let (len, filtered) = match tree.kind {
                HUGE => (stored, None),
                _ => {
                    let mask = cursor.read_u32_le()?;
                    (cursor.read_length(store.length_size)?, Some((stored, mask)))
                }
            };
            Ok((HeapRange { address, len, filtered }, cursor.read_length(store.length_size)?))
        };
        let number_of = |record: &[u8]| parse(record).map_or(0, |(_, number)| number);
        tree.walk(
            store,
            |low, high| {
                number.is_none_or(|number| {
                    low.is_none_or(|low| number_of(low) < number)
                        && high.is_none_or(|high| number < number_of(high))
                })
            },
            |record| {
                let (place, number) = parse(record)?;
                take(place, number)
            },
        )
    }
}
