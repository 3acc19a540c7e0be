//! The doubling table of a fractal heap (HDF5 file format III.G): finds the block that holds an offset.
//!
//! A table has rows of blocks; after the second row, each has blocks of twice the size. Blocks that are too large for
//! direct blocks are tables themselves.

use hdf5_reader::storage::Storage;

use super::cursor::Cursor;
use super::fractal_heap::HeapRange;
use super::store::{damaged, Store};
use crate::error::Result;

/// The maximum number of rows: blocks of the last one have at least 2^63 bytes.
const MAX_ROWS: u32 = 64;

/// A table as the header of the heap describes it.
pub(super) struct DoublingTable {
    columns: u64,
    first_len: u64,
    /// Rows of direct blocks.
    direct_rows: u32,
    /// Bytes of an offset in the heap.
    pub(super) offset_width: usize,
    root: Option<u64>,
    /// Rows of the root; 0 if it is a direct block.
    root_rows: u32,
    /// If the heap has filters, the stored size and the filter mask of the root, in case it is a direct block.
    filtered: Option<(u64, u32)>,
}

impl DoublingTable {
    /// Parses its part of the header. Also returns the size of the largest direct block.
    pub(super) fn parse(store: &Store, cursor: &mut Cursor<'_>, filtered: bool) -> Result<(Self, u64)> {
        let columns = u64::from(cursor.read_u16_le()?);
        let first_len = cursor.read_length(store.length_size)?;
        let most_direct = cursor.read_length(store.length_size)?;
        let bits = u32::from(cursor.read_u16_le()?);
        cursor.skip(2)?;
        let root = store.address(cursor)?;
        let root_rows = u32::from(cursor.read_u16_le()?);
        let filtered = match filtered {
            true => Some((cursor.read_length(store.length_size)?, cursor.read_u32_le()?)),
            false => None,
        };
        let powers =
            columns.is_power_of_two() && first_len.is_power_of_two() && most_direct.is_power_of_two();
        if !powers || most_direct < first_len || !(1..=64).contains(&bits) || root_rows > MAX_ROWS {
            return Err(damaged("sizes of blocks of a heap are not possible"));
        }
        let direct_rows = most_direct.ilog2() - first_len.ilog2() + 2;
        let offset_width = bits.div_ceil(8) as usize;
        let table =
            DoublingTable { columns, first_len, direct_rows, offset_width, root, root_rows, filtered };
        Ok((table, most_direct))
    }

    /// Returns the direct block that holds an offset in the heap, and the offset of its first byte.
    pub(super) fn find(&self, store: &Store, offset: u64) -> Result<(u64, HeapRange)> {
        let mut address = self.root.ok_or_else(|| damaged("a heap without blocks"))?;
        if self.root_rows == 0 {
            return Ok((0, HeapRange { address, len: self.first_len, filtered: self.filtered }));
        }
        let (mut first, mut rows) = (0, self.root_rows);
        // Each table lies within one with more rows, so this ends.
        loop {
            if *store.storage.read_range(address, 4)? != *b"FHIB" {
                return Err(damaged("no indirect block of a heap where one should be"));
            }
            let (row, column, len) = self.cell(offset - first, rows)?;
            let start = self.start(row, len) + column * len;
            let place = self.entry(store, address, row, column, len)?;
            first += start;
            if row < self.direct_rows {
                return Ok((first, place));
            }
            address = place.address;
            let below = self.rows_within(len);
            if below >= rows {
                return Err(damaged("blocks of a heap do not become smaller"));
            }
            rows = below;
        }
    }

    /// Returns row and column of the block that holds an offset within a table, and the size of the block.
    fn cell(&self, offset: u64, rows: u32) -> Result<(u32, u64, u64)> {
        let outside = || damaged("an object lies outside its heap");
        // The first row ends where the second begins; from there each row ends at twice the offset.
        let mut row = 0;
        loop {
            if row >= rows {
                return Err(outside());
            }
            let len = self.len(row).ok_or_else(outside)?;
            let start = self.start(row, len);
            let end = len.checked_mul(self.columns).and_then(|len| start.checked_add(len));
            if end.is_none_or(|end| offset < end) {
                let within = offset.checked_sub(start).ok_or_else(outside)?;
                return Ok((row, within / len, len));
            }
            row += 1;
        }
    }

    /// Returns the size of the blocks of a row.
    fn len(&self, row: u32) -> Option<u64> {
        let factor = 1u64.checked_shl(row.saturating_sub(1))?;
        self.first_len.checked_mul(factor)
    }

    /// Returns the offset of a row: all rows before it together have as many bytes as the row itself.
    fn start(&self, row: u32, len: u64) -> u64 {
        if row == 0 {
            0
        } else {
            len.saturating_mul(self.columns)
        }
    }

    /// Returns the number of rows of a table that takes `len` bytes.
    fn rows_within(&self, len: u64) -> u32 {
        (len / self.columns.max(1) / self.first_len).checked_ilog2().map_or(0, |rows| rows + 1)
    }

    /// Returns the entry for one of its blocks in an indirect block.
    fn entry(&self, store: &Store, table: u64, row: u32, column: u64, len: u64) -> Result<HeapRange> {
        let offset_size = u64::from(store.offset_size);
        let filtered = u64::from(store.length_size) + 4;
        let direct = offset_size + if self.filtered.is_some() { filtered } else { 0 };
        let is_direct = row < self.direct_rows;
        let before = u64::from(row.min(self.direct_rows)) * self.columns * direct
            + u64::from(row.saturating_sub(self.direct_rows)) * self.columns * offset_size;
        let size = if is_direct { direct } else { offset_size };
        let head = 5 + offset_size + self.offset_width as u64;
        let at =
            table.checked_add(head + before + column * size).ok_or_else(|| damaged("address overflows"))?;
        let bytes = store.storage.read_range(at, size as usize)?;
        let mut cursor = Cursor::new(&bytes);
        let address =
            store.address(&mut cursor)?.ok_or_else(|| damaged("a block of a heap was never written"))?;
        let filtered = match self.filtered.filter(|_| is_direct) {
            Some(_) => Some((cursor.read_length(store.length_size)?, cursor.read_u32_le()?)),
            None => None,
        };
        Ok(HeapRange { address, len, filtered })
    }
}
