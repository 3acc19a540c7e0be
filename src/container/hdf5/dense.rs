//! Links and attributes in a fractal heap, listed by a B-tree of their names (HDF5 file format III.A.2).

use super::btree2::Tree;
use super::cursor::Cursor;
use super::fractal_heap::Heap;
use super::store::{damaged, Store};
use crate::error::{Error, Kind, Result};

/// Memory that a record takes in a list that grows, and while it is sorted.
const RECORD_BYTES: usize = 3 * size_of::<Record>() / 2 + 16;
/// Longest identifier of an object; links have 7 bytes, attributes 8.
const MAX_ID: usize = 8;
/// Flag of an attribute in the table of shared messages.
const SHARED: u8 = 0x02;

/// The kind of objects that are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    Links = 5,
    Attributes = 8,
}

/// Where objects and their names lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense {
    pub(super) listed: Listed,
    pub(super) heap: u64,
    pub(super) names: u64,
}

/// An object that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Its position among those that are listed.
    pub(super) number: u32,
    /// Its order of creation; 0 for links.
    pub(super) order: u32,
    /// Whether it lies in the table of shared messages.
    pub(super) shared: bool,
    id: [u8; MAX_ID],
}

impl Dense {
    /// Calls `take` with the bytes of each object, or of those whose name has one of these hashes, in the order of the
    /// heap.
    ///
    /// # Errors
    /// Those of reading the list or the heap, and those of `take`, which also receives the error of reading one object.
    pub(super) fn each(
        &self,
        store: &Store,
        hashes: Option<&[u32]>,
        mut take: impl FnMut(&Record, Result<Vec<u8>>) -> Result<()>,
    ) -> Result<()> {
        let (mut records, id_len) = self.records(store, hashes)?;
        if records.is_empty() {
            return Ok(());
        }
        let mut heap = Heap::read(store, self.heap)?;
        records.sort_by_cached_key(|record| heap.place(&record.id[..id_len]));
        for record in &records {
            take(record, heap.object(store, &record.id[..id_len]))?;
            store.budget.check()?;
        }
        heap.release(store);
        Ok(())
    }

    /// Returns the requested records, and the length of their identifiers.
    fn records(&self, store: &Store, hashes: Option<&[u32]>) -> Result<(Vec<Record>, usize)> {
        let tree = Tree::read(store, self.names)?;
        let beside = if self.listed == Listed::Links { 4 } else { 9 };
        let id_len = tree.record.checked_sub(beside).filter(|len| (1..=MAX_ID).contains(len));
        let (Some(id_len), true) = (id_len, tree.kind == self.listed as u8) else {
            return Err(damaged("links or attributes are indexed by something else than names"));
        };
        // The hash comes first in records of links, last in those of attributes.
        let hash_at = if self.listed == Listed::Links { 0 } else { id_len + 5 };
        let hash = |record: &[u8]| {
            record
                .get(hash_at..)
                .and_then(|rest| rest.first_chunk())
                .map_or(0, |hash| u32::from_le_bytes(*hash))
        };
        let is_between = |low: Option<&[u8]>, high: Option<&[u8]>| {
            let is_in = |&wanted: &u32| {
                low.is_none_or(|low| hash(low) <= wanted) && high.is_none_or(|high| wanted <= hash(high))
            };
            hashes.is_none_or(|hashes| hashes.iter().any(is_in))
        };
        let mut records = Vec::new();
        tree.walk(store, is_between, |record| {
            if hashes.is_some_and(|hashes| !hashes.contains(&hash(record))) {
                return Ok(());
            }
            store.budget.keep(RECORD_BYTES)?;
            records.try_reserve(1).map_err(|_| Error::new(Kind::Limit, "no memory for a list of names"))?;
            let number = u32::try_from(records.len()).map_err(|_| damaged("too many links or attributes"))?;
            let mut found = Record { number, order: 0, shared: false, id: [0; MAX_ID] };
            let mut cursor = Cursor::new(record);
            if self.listed == Listed::Links {
                cursor.skip(4)?;
            }
            found.id[..id_len].copy_from_slice(cursor.read_bytes(id_len)?);
            if self.listed == Listed::Attributes {
                found.shared = cursor.read_u8()? & SHARED != 0;
                found.order = cursor.read_u32_le()?;
            }
            records.push(found);
            Ok(())
        })?;
        Ok((records, id_len))
    }
}
