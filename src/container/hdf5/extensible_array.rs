//! Extensible arrays (HDF5 file format VII.D): the chunks of datasets that grow along one dimension.
//!
//! The first entries lie in the index block, the others in data blocks of growing size: "super block" `n` has 2^(n/2)
//! of them. The index block has the addresses of the first data blocks and of the blocks that list the others.

use hdf5_reader::storage::Storage;

use super::array_entry::{Entries, Found};
use super::budget::Nodes;
use super::cursor::Cursor;
use super::store::{checksummed, damaged, Store};
use crate::error::Result;

struct Header {
    entries: Entries,
    /// Entries in the index block.
    inline: u64,
    /// Entries of the smallest data block.
    smallest: u64,
    /// Data blocks of the first super block that has a block of its own.
    pointers: u64,
    /// Super blocks in total, and those whose data blocks are listed in the index block.
    super_blocks: u32,
    direct: u32,
    /// Entries of a page of a data block; larger blocks than this are paged.
    page: u64,
    /// Bytes of an offset in the array.
    offset_width: usize,
    index: Option<u64>,
}

impl Header {
    fn read(store: &Store, address: u64) -> Result<Self> {
        let len = 16 + 6 * usize::from(store.length_size) + usize::from(store.offset_size);
        let bytes = store.storage.read_range(address, len)?;
        let mut cursor = Cursor::new(checksummed(&bytes, b"EAHD")?);
        let entries = Entries::parse(store, &mut cursor)?;
        let bits = u32::from(cursor.read_u8()?);
        let inline = u64::from(cursor.read_u8()?);
        let smallest = u64::from(cursor.read_u8()?);
        let pointers = u64::from(cursor.read_u8()?);
        let page_bits = u32::from(cursor.read_u8()?);
        cursor.skip(6 * usize::from(store.length_size))?;
        let index = store.address(&mut cursor)?;
        let impossible = || damaged("sizes of a chunk index are not possible");
        if !smallest.is_power_of_two() || !pointers.is_power_of_two() || bits > 64 {
            return Err(impossible());
        }
        let super_blocks = bits.checked_sub(smallest.ilog2()).ok_or_else(impossible)? + 1;
        let direct = (2 * pointers.ilog2()).min(super_blocks);
        let page = if page_bits == 0 { u64::MAX } else { 1u64.checked_shl(page_bits).unwrap_or(u64::MAX) };
        let offset_width = bits.div_ceil(8) as usize;
        Ok(Header { entries, inline, smallest, pointers, super_blocks, direct, page, offset_width, index })
    }

    /// Returns the number of data blocks of a super block, and the entries of each.
    fn blocks(&self, number: u32) -> (u64, u64) {
        (1 << (number / 2), self.smallest << number.div_ceil(2))
    }

    /// Returns the number of pages of a data block of `count` entries; 0 if it is not paged.
    fn pages(&self, count: u64) -> u64 {
        if count > self.page {
            count.div_ceil(self.page)
        } else {
            0
        }
    }
}

/// Calls `take` with each chunk of the array at `address` and its number, up to number `last`.
///
/// # Errors
/// `Damaged`, `Limit`, `Io`, and those of `take`.
pub(super) fn each(
    store: &Store,
    address: u64,
    last: u64,
    mut take: impl FnMut(u64, Found) -> Result<()>,
) -> Result<()> {
    let header = Header::read(store, address)?;
    let Some(index) = header.index else { return Ok(()) };
    let offset_size = u64::from(store.offset_size);
    let head_len = 6 + offset_size;
    let inline = header.entries.bytes(header.inline).ok_or_else(overflow)?;
    let (direct, listed) = (2 * (header.pointers - 1), u64::from(header.super_blocks - header.direct));
    let len = head_len + inline + (direct + listed) * offset_size;
    let bytes = store.storage.read_range(index, usize::try_from(len).map_err(|_| overflow())?)?;
    if bytes[..5] != *b"EAIB\0" {
        return Err(damaged(format!("no chunk index at {index:#x}")));
    }
    header.entries.each(store, index + head_len, header.inline, &mut take)?;
    let mut addresses = Cursor::new(&bytes[(head_len + inline) as usize..]);
    let mut walk =
        Walk { store, header: &header, nodes: Nodes::new(store.len()), first: header.inline, last };
    for number in 0..header.super_blocks {
        if walk.first > last {
            break;
        }
        let (blocks, count) = header.blocks(number);
        if number < header.direct {
            for _ in 0..blocks {
                let block = store.address(&mut addresses)?;
                walk.data_block(block, count, None, &mut take)?;
            }
        } else {
            let block = store.address(&mut addresses)?;
            walk.super_block(block, number, &mut take)?;
        }
    }
    Ok(())
}

fn overflow() -> crate::error::Error {
    damaged("the size of a chunk index overflows")
}

struct Walk<'a> {
    store: &'a Store,
    header: &'a Header,
    nodes: Nodes,
    /// Number of the next entry.
    first: u64,
    /// Number of the last entry to read.
    last: u64,
}

impl Walk<'_> {
    fn super_block(
        &mut self,
        address: Option<u64>,
        number: u32,
        take: &mut impl FnMut(u64, Found) -> Result<()>,
    ) -> Result<()> {
        let (blocks, count) = self.header.blocks(number);
        let Some(address) = address else {
            self.first = self.first.saturating_add(blocks.saturating_mul(count));
            return Ok(());
        };
        let offset_size = usize::from(self.store.offset_size);
        let head_len = 6 + offset_size + self.header.offset_width;
        let pages = self.header.pages(count);
        let used_len = blocks.checked_mul(pages.div_ceil(8));
        let len = blocks.checked_mul(offset_size as u64).zip(used_len).and_then(|(a, b)| a.checked_add(b));
        let len =
            len.and_then(|len| usize::try_from(len).ok()?.checked_add(head_len)).ok_or_else(overflow)?;
        self.nodes.enter(address, len as u64)?;
        self.store.budget.see(len)?;
        let bytes = self.store.storage.read_range(address, len)?;
        if bytes[..5] != *b"EASB\0" {
            return Err(damaged(format!("no part of a chunk index at {address:#x}")));
        }
        let (used, addresses) = bytes[head_len..].split_at((blocks * pages.div_ceil(8)) as usize);
        let mut addresses = Cursor::new(addresses);
        for block in 0..blocks {
            if self.first > self.last {
                break;
            }
            let address = self.store.address(&mut addresses)?;
            self.data_block(address, count, Some((used, block * pages)), take)?;
        }
        Ok(())
    }

    /// Reads the entries of a data block of `count`. `used` is a bitmap of the pages in use, and the number of its
    /// first bit for this block.
    fn data_block(
        &mut self,
        address: Option<u64>,
        count: u64,
        used: Option<(&[u8], u64)>,
        take: &mut impl FnMut(u64, Found) -> Result<()>,
    ) -> Result<()> {
        let (first, last) = (self.first, self.last);
        self.first = first.saturating_add(count);
        let Some(address) = address.filter(|_| first <= last) else { return Ok(()) };
        let head_len = (6 + usize::from(self.store.offset_size) + self.header.offset_width) as u64;
        let head = self.store.storage.read_range(address, head_len as usize)?;
        if head[..5] != *b"EADB\0" {
            return Err(damaged(format!("no part of a chunk index at {address:#x}")));
        }
        let entries = self.header.entries;
        let wanted = count.min((last - first).saturating_add(1));
        let start = address.checked_add(head_len).ok_or_else(overflow)?;
        let pages = self.header.pages(count);
        if pages == 0 {
            self.nodes.enter(address, head_len + entries.bytes(count).ok_or_else(overflow)?)?;
            return entries.each(self.store, start, wanted, |i, found| take(first + i, found));
        }
        let (used, bit) =
            used.ok_or_else(|| damaged("a part of a chunk index has pages where none can be"))?;
        let page_len =
            entries.bytes(self.header.page).and_then(|len| len.checked_add(4)).ok_or_else(overflow)?;
        for page in 0..wanted.div_ceil(self.header.page) {
            let bit = bit + page;
            let byte = usize::try_from(bit / 8).ok().and_then(|at| used.get(at)).copied().unwrap_or(0);
            if byte & (0x80 >> (bit % 8)) == 0 {
                continue;
            }
            let at = page.checked_mul(page_len).and_then(|skip| start.checked_add(4)?.checked_add(skip));
            let at = at.ok_or_else(overflow)?;
            self.nodes.enter(at, page_len)?;
            let here = self.header.page.min(wanted - page * self.header.page);
            let first = first + page * self.header.page;
            entries.each(self.store, at, here, |i, found| take(first + i, found))?;
        }
        Ok(())
    }
}
