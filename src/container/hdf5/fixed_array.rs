//! Fixed arrays (HDF5 file format VII.C): the chunks of datasets that cannot grow.

use hdf5_reader::storage::Storage;

use super::array_entry::{Entries, Found};
use super::cursor::Cursor;
use super::store::{checksummed, damaged, Store};
use crate::error::Result;

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
    let len = 12 + usize::from(store.length_size) + usize::from(store.offset_size);
    let bytes = store.storage.read_range(address, len)?;
    let mut cursor = Cursor::new(checksummed(&bytes, b"FAHD")?);
    let entries = Entries::parse(store, &mut cursor)?;
    let page_bits = u32::from(cursor.read_u8()?);
    let count = cursor.read_length(store.length_size)?;
    let Some(block) = store.address(&mut cursor)? else { return Ok(()) };
    if last >= count {
        return Err(damaged(format!("an index of {count} chunks lacks chunk {last}")));
    }
    let overflow = || damaged("the size of a chunk index overflows");
    let head_len = 6 + u64::from(store.offset_size);
    let head = store.storage.read_range(block, head_len as usize)?;
    if head[..5] != *b"FADB\0" {
        return Err(damaged(format!("no chunk index at {block:#x}")));
    }
    let mut at = block.checked_add(head_len).ok_or_else(overflow)?;
    let per_page = 1u64.checked_shl(page_bits).filter(|&per_page| page_bits > 0 && count > per_page);
    let Some(per_page) = per_page else {
        return entries.each(store, at, count.min(last + 1), &mut take);
    };
    let pages = usize::try_from(count.div_ceil(per_page)).map_err(|_| overflow())?;
    let used = store.storage.read_range(at, pages.div_ceil(8))?;
    at = at.checked_add(pages.div_ceil(8) as u64 + 4).ok_or_else(overflow)?;
    for page in 0..pages {
        let first = page as u64 * per_page;
        if first > last {
            break;
        }
        let here = per_page.min(count - first);
        if used[page / 8] & (0x80 >> (page % 8)) != 0 {
            entries.each(store, at, here, |i, found| take(first + i, found))?;
        }
        // Each page ends with a checksum.
        let len = entries.bytes(here).and_then(|len| len.checked_add(4));
        at = len.and_then(|len| at.checked_add(len)).ok_or_else(overflow)?;
    }
    Ok(())
}
