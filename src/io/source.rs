//! The source of bytes: a file that can be read at any offset by any thread.

use std::ops::Range;

use crate::error::{Error, Kind, Result};

/// Bytes that can be read at any offset, by any number of threads at once.
pub trait Source: Send + Sync {
    /// Returns the name used for it in errors and warnings.
    fn name(&self) -> &str;

    /// Returns its length in bytes when it was opened.
    fn len(&self) -> u64;

    /// Returns roughly how many bytes it occupies where it is stored: fewer than its length if it has holes or is
    /// compressed there.
    fn stored(&self) -> u64 {
        self.len()
    }

    /// Returns whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    /// `Io` if reading fails, `Damaged` if the source ends before the buffer is full.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()>;

    /// Returns whether a read waits for a server, so that many should wait at the same time.
    fn is_remote(&self) -> bool {
        false
    }

    /// Learns that structures of the file lie in pages of this size, so that a page is best read as a whole.
    fn expect_pages(&self, _size: u64) {}

    /// Learns that many small parts all over the file are going to be read, so that a short one is best read as a whole.
    fn expect_all(&self) {}

    /// Fetches ranges that are about to be read, sorted by their start, all at the same time. A source that answers at
    /// once has nothing to fetch.
    ///
    /// # Errors
    /// As [`Source::read_at`].
    fn fetch(&self, _ranges: &[Range<u64>]) -> Result<Fetched> {
        Ok(Fetched::default())
    }
}

/// Bytes of a source that were fetched before they are read.
#[derive(Debug, Default)]
pub struct Fetched {
    /// Offset and bytes, sorted by offset.
    pieces: Vec<(u64, Vec<u8>)>,
}

impl Fetched {
    /// Holds these pieces, sorted by offset.
    pub(crate) fn new(pieces: Vec<(u64, Vec<u8>)>) -> Self {
        Fetched { pieces }
    }

    /// Returns whether nothing was fetched.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the bytes of a range, if they were fetched together.
    pub(crate) fn get(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let after = self.pieces.partition_point(|piece| piece.0 <= offset);
        let (start, bytes) = self.pieces.get(after.checked_sub(1)?)?;
        let from = usize::try_from(offset - start).ok()?;
        bytes.get(from..from.checked_add(len)?)
    }
}

/// A source some of whose bytes were fetched.
pub(crate) struct Overlay<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) fetched: &'a Fetched,
}

impl Source for Overlay<'_> {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn len(&self) -> u64 {
        self.source.len()
    }

    fn stored(&self) -> u64 {
        self.source.stored()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        match self.fetched.get(offset, buffer.len()) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(())
            }
            None => self.source.read_at(offset, buffer),
        }
    }
}

/// Joins ranges, sorted by their start, that lie at most `gap` apart, up to `most` bytes together. Pure arithmetic.
pub(crate) fn join(ranges: &[Range<u64>], gap: u64, most: u64) -> Vec<Range<u64>> {
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges.iter().filter(|range| !range.is_empty()) {
        match joined.last_mut() {
            Some(last)
                if range.start <= last.end.saturating_add(gap)
                    && (range.end <= last.end || range.end - last.start <= most) =>
            {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range.clone()),
        }
    }
    joined
}

/// Bytes that the caller holds or fetches: `read` fills a buffer from an offset on.
pub(crate) struct Supplied<F> {
    /// The name used for it in errors and warnings.
    pub name: String,
    /// The number of bytes.
    pub len: u64,
    /// Fills a buffer from an offset on, within the length.
    pub read: F,
}

impl<F: Fn(u64, &mut [u8]) -> Result<()> + Send + Sync> Source for Supplied<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let end = offset.checked_add(buffer.len() as u64).filter(|&end| end <= self.len);
        let short =
            || Error::new(Kind::Damaged, format!("it ends at byte {}", self.len)).in_file(&*self.name);
        end.ok_or_else(short)?;
        (self.read)(offset, buffer).map_err(|error| error.in_file(&*self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_and_long_ranges_stay_apart() {
        let join = |ranges: &[Range<u64>]| super::join(ranges, 10, 100);
        assert_eq!(join(&[0..5, 5..9, 19..20, 31..40]), [0..20, 31..40]);
        assert_eq!(join(&[0..60, 60..100, 100..101]), [0..100, 100..101]);
        assert_eq!(join(&[0..500, 3..4, 500..501]), [0..500, 500..501]);
        assert_eq!(join(&[7..7, 1..2, u64::MAX - 1..u64::MAX]), [1..2, u64::MAX - 1..u64::MAX]);
    }

    #[test]
    fn what_was_fetched_together_is_there_and_nothing_else() {
        let fetched = Fetched::new(vec![(10, vec![1, 2, 3]), (20, vec![4])]);
        assert_eq!(fetched.get(11, 2), Some(&[2, 3][..]));
        assert_eq!(fetched.get(20, 1), Some(&[4][..]));
        for (offset, len) in [(9, 1), (12, 2), (13, 1), (20, 2), (u64::MAX, 1), (11, usize::MAX)] {
            assert_eq!(fetched.get(offset, len), None, "{offset} {len}");
        }
    }
}
