//! Entries of the arrays that index chunks (HDF5 file format VII.C, VII.D).

use hdf5_reader::storage::Storage;

use super::cursor::Cursor;
use super::store::{damaged, Store};
use crate::error::Result;

/// Bytes that are read at once.
const STRETCH: u64 = 64 << 10;

/// A chunk that was found: its address, size (0 means that of a chunk without filters) and filter mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) filter_mask: u32,
}

/// How the entries of an array are encoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries {
    len: u64,
    /// Bytes of the size of a chunk, if it has filters.
    size_width: Option<usize>,
}

impl Entries {
    /// Parses kind and size of the entries.
    pub(super) fn parse(store: &Store, cursor: &mut Cursor<'_>) -> Result<Self> {
        let filtered = cursor.read_u8()? == 1;
        let len = usize::from(cursor.read_u8()?);
        let size_width =
            len.checked_sub(usize::from(store.offset_size) + 4).filter(|width| (1..=8).contains(width));
        if len < usize::from(store.offset_size) || (filtered && size_width.is_none()) {
            return Err(damaged(format!("entries of {len} bytes in a chunk index")));
        }
        Ok(Entries { len: len as u64, size_width: size_width.filter(|_| filtered) })
    }

    /// Returns the number of bytes of `count` entries.
    pub(super) fn bytes(&self, count: u64) -> Option<u64> {
        self.len.checked_mul(count)
    }

    /// Calls `take` for those of `count` entries at `address` that have a chunk, each with its position.
    pub(super) fn each(
        &self,
        store: &Store,
        address: u64,
        count: u64,
        mut take: impl FnMut(u64, Found) -> Result<()>,
    ) -> Result<()> {
        let end = self.bytes(count).and_then(|len| address.checked_add(len));
        if end.is_none_or(|end| end > store.len()) {
            return Err(damaged("a chunk index reaches beyond the end of the file"));
        }
        let at_once = STRETCH / self.len;
        let mut first = 0;
        while first < count {
            let here = at_once.min(count - first);
            let len = (here * self.len) as usize;
            store.budget.see(len)?;
            let bytes = store.storage.read_range(address + first * self.len, len)?;
            for (i, entry) in bytes.chunks_exact(self.len as usize).enumerate() {
                let mut cursor = Cursor::new(entry);
                let Some(address) = store.address(&mut cursor)? else { continue };
                let (size, filter_mask) = match self.size_width {
                    Some(width) => (cursor.read_uvar(width)?, cursor.read_u32_le()?),
                    None => (0, 0),
                };
                take(first + i as u64, Found { address, size, filter_mask })?;
            }
            first += here;
        }
        Ok(())
    }
}
