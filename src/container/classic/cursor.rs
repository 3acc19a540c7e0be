//! Reads the big-endian items of a classic header from the source, window by window.
//!
//! Nothing is allocated for a count before the bytes that it promises are known to exist.

use super::damaged;
use crate::container::allowance::exceeded;
use crate::error::{Error, Kind, Result};
use crate::io::source::Source;

const FIRST_WINDOW: usize = 8 << 10;
/// A larger window would cost more in new memory than it saves in calls.
const LARGEST_WINDOW: usize = 64 << 10;
/// A longer header is refused: a sparse file costs its author nothing, but its header would cost us memory.
const LONGEST_HEADER: u64 = 1 << 28;

/// A position in the header.
pub struct Cursor<'a> {
    source: &'a dyn Source,
    /// The length of the source.
    len: u64,
    window: Vec<u8>,
    /// Bytes of the window that were read; the rest is left over from before.
    filled: usize,
    /// Offset of the window in the source.
    base: u64,
    /// Bytes of the window that were consumed.
    taken: usize,
    /// How much to read next.
    ahead: usize,
    /// Whether sizes and counts have 8 bytes (CDF-5).
    wide: bool,
    /// Memory that may still be kept.
    room: u64,
}

impl<'a> Cursor<'a> {
    /// Starts at the beginning of the source, of which no more than this may be kept.
    pub fn new(source: &'a dyn Source, room: u64) -> Self {
        Cursor {
            source,
            len: source.len(),
            window: Vec::new(),
            filled: 0,
            base: 0,
            taken: 0,
            ahead: FIRST_WINDOW,
            wide: false,
            room,
        }
    }

    /// Counts memory that is about to be taken for what the header says.
    ///
    /// # Errors
    /// `Limit` when there is not so much left.
    #[inline]
    pub fn keep(&mut self, bytes: usize) -> Result<()> {
        self.room = self.room.checked_sub(bytes as u64).ok_or_else(exceeded)?;
        Ok(())
    }

    /// Returns how much memory may still be kept.
    pub fn room(&self) -> u64 {
        self.room
    }

    /// Sets whether sizes and counts have 8 bytes from here on.
    pub fn set_wide(&mut self, wide: bool) {
        self.wide = wide;
    }

    /// Returns the offset of the next byte.
    pub fn position(&self) -> u64 {
        self.base + self.taken as u64
    }

    /// Returns the bytes between here and the end of the source.
    fn left(&self) -> u64 {
        self.len.saturating_sub(self.position())
    }

    /// Checks that `count` more bytes exist.
    fn check(&self, count: u64) -> Result<usize> {
        if count > self.left() {
            return Err(damaged(format!(
                "the file is truncated: its header needs {count} bytes at offset {}, the file has {} in all",
                self.position(),
                self.len
            )));
        }
        if self.position().saturating_add(count) > LONGEST_HEADER {
            return Err(Error::new(Kind::Limit, format!("the header has more than {LONGEST_HEADER} bytes")));
        }
        Ok(count as usize)
    }

    /// Returns the next `count` bytes.
    #[inline(always)]
    pub fn bytes(&mut self, count: u64) -> Result<&[u8]> {
        if !self.is_in_window(count) {
            self.refill(count)?;
        }
        let start = self.taken;
        self.taken += count as usize;
        Ok(&self.window[start..self.taken])
    }

    #[inline]
    fn is_in_window(&self, count: u64) -> bool {
        count <= (self.filled - self.taken) as u64
    }

    #[cold]
    fn refill(&mut self, count: u64) -> Result<()> {
        let count = self.check(count)?;
        if count as u64 > self.room.max(LARGEST_WINDOW as u64) {
            return Err(exceeded());
        }
        self.base = self.position();
        self.window.copy_within(self.taken..self.filled, 0);
        self.filled -= self.taken;
        self.taken = 0;
        let wanted = count.max(self.ahead);
        let wanted = usize::try_from(self.left()).map_or(wanted, |left| wanted.min(left));
        if wanted > self.window.len() {
            self.window
                .try_reserve_exact(wanted - self.window.len())
                .map_err(|_| Error::new(Kind::Limit, "the header does not fit into memory"))?;
            self.window.resize(wanted, 0);
        }
        self.source.read_at(self.base + self.filled as u64, &mut self.window[self.filled..wanted])?;
        self.filled = wanted;
        self.ahead = (self.ahead * 2).min(LARGEST_WINDOW);
        Ok(())
    }

    /// Returns the next `count` bytes, and skips the padding to a multiple of 4 after them.
    #[inline]
    pub fn padded(&mut self, count: u64) -> Result<&[u8]> {
        // `count` fits, because `bytes` has checked that more does.
        self.bytes(with_padding(count)?).map(|bytes| &bytes[..count as usize])
    }

    /// Skips what [`Cursor::padded`] would return. Bytes outside the window are not read.
    #[inline]
    pub fn skip_padded(&mut self, count: u64) -> Result<()> {
        let count = with_padding(count)?;
        if self.is_in_window(count) {
            self.taken += count as usize;
            return Ok(());
        }
        self.check(count)?;
        self.base = self.position() + count;
        self.filled = 0;
        self.taken = 0;
        Ok(())
    }

    /// Reads a number of `N` bytes. Distinguishing ordinary files from aggregations consists mostly of this.
    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        if !self.is_in_window(N as u64) {
            self.refill(N as u64)?;
        }
        let array = self.window[self.taken..].first_chunk().copied().unwrap_or([0; N]);
        self.taken += N;
        Ok(array)
    }

    /// Reads a tag, type number or 4-byte offset.
    #[inline(always)]
    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// Reads an 8-byte number.
    #[inline]
    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_be_bytes)
    }

    /// Reads a size or count of 4 or 8 bytes. If all bits of 4 bytes are ones, all bits of the result are.
    #[inline]
    pub fn size(&mut self) -> Result<u64> {
        if self.wide {
            return self.u64();
        }
        self.u32().map(|n| if n == u32::MAX { u64::MAX } else { n.into() })
    }

    /// Checks that there is room for `count` entries of at least `least` bytes each.
    pub fn check_room(&self, count: u64, least: u64) -> Result<()> {
        if count > self.left() / least {
            return Err(damaged(format!(
                "the header promises {count} entries at offset {}",
                self.position()
            )));
        }
        Ok(())
    }
}

#[inline]
fn with_padding(count: u64) -> Result<u64> {
    count.checked_next_multiple_of(4).ok_or_else(|| damaged("a length in the header overflows"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::read::tests::Memory;

    #[test]
    fn items_across_windows_are_whole() {
        let source = Memory((0..100_000u32).flat_map(u32::to_be_bytes).collect());
        let mut cursor = Cursor::new(&source, 1 << 20);
        assert_eq!(cursor.padded(3).unwrap(), [0, 0, 0]);
        for expected in 1..50_000 {
            assert_eq!(cursor.u32().unwrap(), expected);
        }
        assert_eq!(cursor.bytes(100_000).unwrap().len(), 100_000);
        assert_eq!(cursor.u32().unwrap(), 75_000);
        assert_eq!(cursor.bytes(100_000).unwrap_err().kind(), Kind::Damaged);
        assert!(cursor.check_room(4 * 24_999, 1).is_ok());
        assert_eq!(cursor.check_room(4 * 24_999, 4).unwrap_err().kind(), Kind::Damaged);
    }

    #[test]
    fn what_is_skipped_is_not_read_and_must_be_there() {
        let source = Memory((0..100_000u32).flat_map(u32::to_be_bytes).collect());
        let mut cursor = Cursor::new(&source, 1 << 20);
        for (skipped, expected) in [(0, 0), (3, 2), (4 * 50_000 - 1, 50_003), (8, 50_006)] {
            cursor.skip_padded(skipped).unwrap();
            assert_eq!(cursor.u32().unwrap(), expected);
        }
        assert_eq!(cursor.skip_padded(200_000).unwrap_err().kind(), Kind::Damaged);
        assert_eq!(cursor.skip_padded(u64::MAX).unwrap_err().kind(), Kind::Damaged);
        assert_eq!(cursor.u32().unwrap(), 50_007);
    }
}
