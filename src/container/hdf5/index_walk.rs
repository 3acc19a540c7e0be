//! Reads chunk indexes: every kind of HDF5 (file format III.A.1, VII.A to VII.D and the two that need none) becomes
//! entries by chunk number. Trees are entered only where chunks are wanted.

use std::ops::Range;

use super::array_entry::Found;
use super::btree1::{self, Form};
use super::btree2::Tree;
use super::chunk_index::{number, Entry, IndexDescription};
use super::cursor::Cursor;
use super::layout::IndexKind;
use super::numbering::Numbering;
use super::store::{damaged, Store};
use super::{extensible_array, fixed_array};
use crate::container::chunk_numbers::ChunkNumbers;
use crate::error::{Error, Kind, Result};

impl IndexDescription {
    /// Reads the index, or of a tree the parts that have wanted chunks. Returns the entries, sorted by number, and the
    /// ranges of numbers in which they are complete.
    pub(super) fn read(
        &self,
        store: &Store,
        address: u64,
        wanted: Option<ChunkNumbers<'_>>,
    ) -> Result<(Vec<Entry>, Vec<Range<u64>>)> {
        let (entries, complete) = (Vec::new(), Vec::new());
        let counts = self.counts(&self.shape);
        let mut list = List { plan: self, store, counts, entries, complete, wanted };
        if list.counts.contains(&0) {
            return Ok((Vec::new(), Vec::new()));
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
        let place = |key: &[u8], at: &mut [u64]| -> Result<(u64, u32)> {
            let mut cursor = Cursor::new(key);
            let size_and_mask = (u64::from(cursor.read_u32_le()?), cursor.read_u32_le()?);
            for (index, chunk) in at.iter_mut().zip(&self.chunk) {
                *index = cursor.read_u64_le()? / chunk;
            }
            Ok(size_and_mask)
        };
        // Outside of the keys of the root there is nothing.
        let (counts, wanted) = (list.counts.clone(), list.wanted);
        let (mut lowest, mut highest, mut leaves) = (u64::MAX, 0, Vec::new());
        let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
        let enter = |level: u8, before: &[u8], after: &[u8]| {
            let Some(wanted) = wanted else { return Ok(true) };
            place(before, &mut low)?;
            place(after, &mut high)?;
            // Where keys are out of order, chunks would not be found although they are there.
            if low >= high {
                return Err(damaged("keys of a B-tree of chunks are not in order"));
            }
            let range = first_from(&low, &counts)?..first_from(&high, &counts)?;
            (lowest, highest) = (lowest.min(range.start), highest.max(range.end));
            if level == 0 {
                extend(&mut leaves, range);
                return Ok(true);
            }
            Ok(wanted.next(range.start, &counts).is_some_and(|next| next < range.end))
        };
        btree1::walk(store, form, address, enter, |key, address| {
            let (size, filter_mask) = place(key, &mut at)?;
            list.add(&at, Found { address, size, filter_mask })
        })?;
        if wanted.is_some() {
            let all = first_from(&counts, &counts)?;
            list.complete = leaves;
            list.complete.extend([0..lowest.min(all), highest..all]);
        }
        Ok(())
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
        let parse = |record: &[u8], at: &mut [u64]| -> Result<Option<Found>> {
            let mut cursor = Cursor::new(record);
            let address = store.address(&mut cursor)?;
            let (size, filter_mask) = match size_width {
                0 => (0, 0),
                width => (cursor.read_uvar(width)?, cursor.read_u32_le()?),
            };
            for index in at {
                *index = cursor.read_u64_le()?;
            }
            Ok(address.map(|address| Found { address, size, filter_mask }))
        };
        let (counts, wanted) = (list.counts.clone(), list.wanted);
        let mut side = vec![0; rank];
        let mut first = |record: Option<&[u8]>| {
            let record = record?;
            parse(record, &mut side).ok()?;
            first_from(&side, &counts).ok()
        };
        let enter = |before: Option<&[u8]>, after: Option<&[u8]>| {
            let Some(wanted) = wanted else { return true };
            let (low, high) = (first(before).unwrap_or(0), first(after).unwrap_or(u64::MAX));
            wanted.next(low, &counts).is_some_and(|next| next < high)
        };
        tree.walk(store, enter, |record| match parse(record, &mut at)? {
            Some(found) => list.add(&at, found),
            None => Ok(()),
        })
    }
}

/// The entries of an index that is being read.
struct List<'a> {
    plan: &'a IndexDescription,
    store: &'a Store,
    counts: Vec<u64>,
    entries: Vec<Entry>,
    complete: Vec<Range<u64>>,
    wanted: Option<ChunkNumbers<'a>>,
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

    /// Returns the chunks sorted by number, and where they are complete.
    fn sorted(mut self) -> Result<(Vec<Entry>, Vec<Range<u64>>)> {
        if !self.entries.is_sorted_by_key(|entry| entry.number) {
            self.entries.sort_unstable_by_key(|entry| entry.number);
        }
        if self.entries.windows(2).any(|pair| pair[0].number == pair[1].number) {
            return Err(damaged("a chunk is indexed twice"));
        }
        self.entries.shrink_to_fit();
        Ok((self.entries, self.complete))
    }
}

/// Returns the number of the first chunk of the array that does not come before these coordinates, which may lie beyond
/// its current shape.
fn first_from(at: &[u64], counts: &[u64]) -> Result<u64> {
    let beyond = at.iter().zip(counts).position(|(index, count)| index >= count);
    let inside = beyond.unwrap_or(at.len());
    let mut number = number(&at[..inside], &counts[..inside])?;
    if beyond.is_some() {
        number += 1;
    }
    // The whole product fits, or there would be no such array.
    Ok(counts[inside..].iter().fold(number, |number, count| number.saturating_mul(*count)))
}

/// Adds a range that follows or continues the last one.
fn extend(ranges: &mut Vec<Range<u64>>, range: Range<u64>) {
    match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    }
}
