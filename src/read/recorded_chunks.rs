//! The recorded places of chunks: the layout of a fragment's file, read from the aggregation file instead.
//!
//! The tables are read in blocks, when they are needed. Anything odd in them counts as not recorded, or is an error of
//! reading the fragment; in both cases the reader parses the file of the fragment.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cache::Cache;
use crate::container::allowance::Held;
use crate::container::array::Array;
use crate::container::chunk_index::{new_id, ChunkIndex, ChunkPlace};
use crate::container::chunk_numbers::ChunkNumbers;
use crate::container::described::{Described, Place, MOST_TEXT};
use crate::container::tree::VariableId;
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::io::location::{fingerprint, Recorded};
use crate::model::ChunkTables;
use crate::selection::{checked_product, Selection};
use crate::value::Values;

/// The number of rows that are read at once; writers of tables store them in chunks of as many rows.
pub(crate) const ROWS: u64 = 4096;
/// The bytes of rows that are kept.
const KEPT: u64 = 8 << 20;
/// The number of blocks of a table that are read at once.
const TOGETHER: u64 = 32;
/// The number of descriptions that are kept, and the number that are read in advance.
const MOST_LAYOUTS: usize = 1000;
const MOST_BROUGHT: usize = 16;

/// The tables of one aggregation variable.
pub(crate) struct RecordedChunks {
    container: Arc<Container>,
    tables: ChunkTables,
    blocks: Mutex<Cache<(VariableId, u64), Arc<Block>>>,
    layouts: Mutex<HashMap<(u64, u64), Arc<Described>>>,
    /// All descriptions, if they were read together.
    text: Mutex<Option<Arc<Vec<u8>>>>,
}

/// Some rows of a table.
struct Block {
    numbers: Vec<i64>,
    _held: Held,
}

/// What is recorded about one fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Begin and length of the description of its array.
    pub(crate) layout: (u64, u64),
    first: u64,
    length: u64,
    stamp: u64,
}

impl Entry {
    /// Returns the state of the file of this location, if the record is about this variable of it.
    pub(crate) fn state(&self, location: &str, identifier: &str) -> Recorded {
        let fingerprint = self.stamp ^ fingerprint::of_variable(location, identifier);
        Recorded { length: self.length, fingerprint }
    }
}

impl RecordedChunks {
    pub(crate) fn new(container: &Arc<Container>, tables: ChunkTables) -> Self {
        RecordedChunks {
            container: Arc::clone(container),
            tables,
            blocks: Mutex::new(Cache::new(KEPT)),
            layouts: Mutex::default(),
            text: Mutex::default(),
        }
    }

    /// Returns what is recorded about a fragment, by its number in C order.
    pub(crate) fn entry(&self, number: u64) -> Option<Entry> {
        let row =
            self.row::<{ ChunkTables::FRAGMENT_COLUMNS as usize }>(self.tables.fragments, number).ok()?;
        let [at, count, first, length, stamp] = row;
        let unsigned = |n: i64| u64::try_from(n).ok();
        let layout = (unsigned(at)?, unsigned(count)?);
        Some(Entry { layout, first: unsigned(first)?, length: unsigned(length)?, stamp: stamp as u64 })
    }

    /// Reads what is recorded about these fragments with few requests, if the tables are on a server. Otherwise each
    /// thread reads the rows that it needs, and that also reports the errors that are ignored here.
    pub(crate) fn bring(&self, numbers: impl Iterator<Item = u64> + Clone) {
        if !self.container.source().is_remote() {
            return;
        }
        let ChunkTables { fragments, layouts, chunks } = self.tables;
        let (wide, long) = (ChunkTables::FRAGMENT_COLUMNS, ChunkTables::CHUNK_COLUMNS);
        let rows = |id| self.array_of(id).ok().and_then(|array| array.shape.first().copied()).unwrap_or(0);
        if rows(chunks) <= TOGETHER * ROWS && rows(layouts) <= MOST_TEXT as u64 {
            // A small table is read whole, before it is known which rows are needed.
            let all = 0..rows(chunks).saturating_sub(1);
            let _ = self
                .load(&[(fragments, wide, span(numbers.clone())), (chunks, long, all.start..=all.end)], true);
        } else {
            let _ = self.load(&[(fragments, wide, span(numbers.clone()))], false);
            let first = numbers.clone().filter_map(|number| self.entry(number)).map(|entry| entry.first);
            let _ = self.load(&[(chunks, long, span(first))], false);
        }
        let mut known: Vec<(u64, u64)> = Vec::new();
        for entry in numbers.filter_map(|number| self.entry(number)) {
            if known.len() < MOST_BROUGHT && !known.contains(&entry.layout) {
                known.push(entry.layout);
                let _ = self.layout(entry.layout);
            }
        }
    }

    /// Reads the blocks with these rows of tables at once, and the descriptions if `all` is set.
    fn load(&self, wanted: &[(VariableId, u64, RangeInclusive<u64>)], all: bool) -> Result<()> {
        if self.has(wanted, all) {
            return Ok(());
        }
        let mut places = Vec::new();
        for (table, columns, rows) in wanted {
            let (first, last) = (rows.start() / ROWS, rows.end() / ROWS);
            if rows.is_empty() || last - first >= TOGETHER {
                return Ok(());
            }
            places.push((self.array_of(*table)?, self.stretch(*table, first, last, *columns)?));
        }
        if all {
            let array = self.array_of(self.tables.layouts)?;
            places.push((array, Selection::all(&array.shape)));
        }
        let mut values = self.container.read_tables(&places)?;
        if let Some(Values::Char(text)) = if all { values.pop() } else { None } {
            *self.text.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(text));
        }
        for ((table, columns, rows), values) in wanted.iter().zip(values) {
            self.keep(*table, rows.start() / ROWS, *columns, values)?;
        }
        Ok(())
    }

    /// Returns whether all of this was read before.
    fn has(&self, wanted: &[(VariableId, u64, RangeInclusive<u64>)], all: bool) -> bool {
        let mut kept = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_kept = |(table, _, rows): &(VariableId, u64, RangeInclusive<u64>)| {
            (rows.start() / ROWS..=rows.end() / ROWS).all(|number| kept.get(&(*table, number)).is_some())
        };
        wanted.iter().all(&mut is_kept)
            && (!all || self.text.lock().unwrap_or_else(PoisonError::into_inner).is_some())
    }

    /// Returns the description of an array.
    pub(crate) fn layout(&self, (at, count): (u64, u64)) -> Option<Arc<Described>> {
        let lock = || self.layouts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&(at, count)) {
            return Some(Arc::clone(known));
        }
        let bytes = self.text_at(at, count)?;
        let layout = Arc::new(Described::parse(std::str::from_utf8(&bytes).ok()?)?);
        let mut layouts = lock();
        if layouts.len() >= MOST_LAYOUTS {
            layouts.clear();
        }
        layouts.insert((at, count), Arc::clone(&layout));
        Some(layout)
    }

    fn text_at(&self, at: u64, count: u64) -> Option<Vec<u8>> {
        if count > MOST_TEXT as u64 {
            return None;
        }
        let whole = self.text.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(text) = whole {
            let at = usize::try_from(at).ok()?;
            return text.get(at..at.checked_add(count as usize)?).map(<[u8]>::to_vec);
        }
        let array = self.array_of(self.tables.layouts).ok()?;
        let place = Selection::block(&[at], &[count], &array.shape).ok()?;
        match self.container.read_table(array, &place).ok()? {
            Values::Char(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the array of a fragment.
    pub(crate) fn array(self: &Arc<Self>, entry: &Entry, layout: &Described) -> Option<Array> {
        let rows = self.array_of(self.tables.chunks).ok()?.shape.first().copied()?;
        let counts = layout.counts();
        let count = counts.as_ref().map_or(Some(1), |counts| checked_product(counts))?;
        entry.first.checked_add(count).filter(|&end| end <= rows)?;
        let place = match counts {
            Some(counts) => Place::Index(Box::new(RecordedIndex {
                tables: Arc::clone(self),
                id: new_id(),
                first: entry.first,
                counts,
                length: entry.length,
                most: layout.most_stored(),
            })),
            None => {
                let place = self.place(entry.first, entry.length, u64::MAX).ok()??;
                Place::Offset(place.offset)
            }
        };
        layout.array(place)
    }

    /// Returns the rows of the chunks of a fragment.
    pub(crate) fn rows(&self, entry: &Entry, layout: &Described) -> Option<Vec<i64>> {
        let count = layout.counts().map_or(Some(1), |counts| checked_product(&counts))?;
        let mut rows = Vec::new();
        for row in entry.first..entry.first.checked_add(count)? {
            let row = self.row::<{ ChunkTables::CHUNK_COLUMNS as usize }>(self.tables.chunks, row);
            rows.extend(row.ok()?);
        }
        Some(rows)
    }

    /// Returns the place in a row of the table of chunks, within a file of this length.
    fn place(&self, row: u64, length: u64, most: u64) -> Result<Option<ChunkPlace>> {
        let odd = || Error::new(Kind::Damaged, "the recorded place of a chunk is not possible");
        let [offset, size, mask] =
            self.row::<{ ChunkTables::CHUNK_COLUMNS as usize }>(self.tables.chunks, row)?;
        if (offset, size) == (-1, 0) {
            return Ok(None);
        }
        let (Ok(offset), Ok(size)) = (u64::try_from(offset), u64::try_from(size)) else { return Err(odd()) };
        let filter_mask = u32::try_from(mask).map_err(|_| odd())?;
        let is_inside = size <= most && offset.checked_add(size).is_some_and(|end| end <= length);
        is_inside.then_some(Some(ChunkPlace { offset, size, filter_mask })).ok_or_else(odd)
    }

    fn array_of(&self, id: VariableId) -> Result<&Array> {
        Ok(&self.container.tree()?.variables[id.0].array)
    }

    fn row<const N: usize>(&self, table: VariableId, row: u64) -> Result<[i64; N]> {
        let block = self.block(table, row / ROWS, N as u64)?;
        let at = (row % ROWS) as usize * N;
        let numbers = block.numbers.get(at..at + N).and_then(|numbers| numbers.try_into().ok());
        numbers.ok_or_else(|| Error::new(Kind::Damaged, "a table of chunks is too short"))
    }

    fn block(&self, table: VariableId, number: u64, columns: u64) -> Result<Arc<Block>> {
        let lock = || self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = lock().get(&(table, number)) {
            return Ok(Arc::clone(block));
        }
        // A block is a chunk of the table, so it need not be in the cache of chunks too.
        let place = (self.array_of(table)?, self.stretch(table, number, number, columns)?);
        let values = self.container.read_tables(&[place])?.pop();
        let none = || Error::new(Kind::Internal, "a table of chunks was not read");
        self.keep(table, number, columns, values.ok_or_else(none)?)
    }

    /// Returns the rows of blocks that follow each other.
    fn stretch(&self, table: VariableId, first: u64, last: u64, columns: u64) -> Result<Selection> {
        let array = self.array_of(table)?;
        let rows = array.shape.first().copied().unwrap_or(0);
        let start = first.saturating_mul(ROWS).min(rows);
        let count = (rows - start).min((last - first + 1) * ROWS);
        Selection::block(&[start, 0], &[count, columns], &array.shape)
    }

    /// Keeps blocks that follow each other, and returns the first one.
    fn keep(&self, table: VariableId, first: u64, columns: u64, values: Values) -> Result<Arc<Block>> {
        let Values::I64(numbers) = values else {
            return Err(Error::new(Kind::Internal, "a table of chunks has another type"));
        };
        let most = (ROWS * columns) as usize;
        let parts = match numbers.len() <= most {
            true => vec![numbers],
            false => numbers.chunks(most).map(<[i64]>::to_vec).collect(),
        };
        let mut blocks = Vec::new();
        for numbers in parts {
            let _held = self.container.hold(size_of_val(&numbers[..]))?;
            blocks.push(Arc::new(Block { numbers, _held }));
        }
        let mut kept = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, block) in (first..).zip(&blocks) {
            let weight = size_of_val(&block.numbers[..]) as u64;
            kept.put((table, number), Arc::clone(block), weight, drop);
        }
        let short = || Error::new(Kind::Damaged, "a table of chunks is too short");
        blocks.into_iter().next().ok_or_else(short)
    }
}

/// Returns the range of some rows.
#[allow(clippy::reversed_empty_ranges)] // that of none
fn span(rows: impl Iterator<Item = u64>) -> RangeInclusive<u64> {
    let ends = rows.fold(None, |ends: Option<(u64, u64)>, row| {
        let (low, high) = ends.unwrap_or((row, row));
        Some((low.min(row), high.max(row)))
    });
    ends.map_or(1..=0, |(low, high)| low..=high)
}

/// The chunks of one fragment.
struct RecordedIndex {
    tables: Arc<RecordedChunks>,
    id: u64,
    /// The row of the first chunk.
    first: u64,
    /// The number of chunks along each dimension.
    counts: Vec<u64>,
    /// The length of the file.
    length: u64,
    /// The most bytes of a chunk.
    most: u64,
}

impl std::fmt::Debug for RecordedIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecordedIndex")
            .field("first", &self.first)
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl ChunkIndex for RecordedIndex {
    fn id(&self) -> u64 {
        self.id
    }

    fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>> {
        let is_inside =
            chunk.len() == self.counts.len() && chunk.iter().zip(&self.counts).all(|(i, n)| i < n);
        if !is_inside {
            return Err(Error::new(Kind::Request, "no such chunk"));
        }
        let number = chunk.iter().zip(&self.counts).fold(0, |number, (i, n)| number * n + i);
        self.tables.place(self.first + number, self.length, self.most)
    }

    fn prepare(&self, _wanted: &ChunkNumbers<'_>) -> Result<()> {
        Ok(())
    }

    /// The index is in the aggregation file, so it never needs the file of the fragment.
    fn detach(&self) -> Result<bool> {
        Ok(true)
    }
}
