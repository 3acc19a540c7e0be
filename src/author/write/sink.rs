//! Writes the bytes of a new file at given places. Nothing is read, and every failure is reported.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use crate::error::{Error, Kind, Result};
use crate::io::os;

/// A file that grows at its end and can be written anywhere before that.
#[derive(Debug)]
pub(super) struct Sink {
    file: File,
    /// The position of the file, where the next byte would go without a seek.
    position: u64,
    /// The first byte that is not reserved.
    end: u64,
}

impl Sink {
    /// Returns a sink for an empty file.
    pub(super) fn new(file: File) -> Sink {
        Sink { file, position: 0, end: 0 }
    }

    /// Returns the length of the file so far.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Returns the place of `len` bytes at the end, which are written later.
    ///
    /// # Errors
    /// `Limit` if no file can be that long.
    pub(super) fn reserve(&mut self, len: u64) -> Result<u64> {
        let at = self.end;
        let end = at.checked_add(len).filter(|&end| end <= i64::MAX as u64);
        self.end = end.ok_or_else(|| Error::new(Kind::Limit, "no file can be that long"))?;
        Ok(at)
    }

    /// Aligns the end to a multiple of `to` bytes.
    ///
    /// # Errors
    /// As [`Sink::reserve`].
    pub(super) fn align(&mut self, to: u64) -> Result<()> {
        self.reserve(self.end.next_multiple_of(to) - self.end).map(|_| ())
    }

    /// Writes bytes at the end, and returns their place.
    ///
    /// # Errors
    /// `Io`, `Limit`.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        let at = self.reserve(bytes.len() as u64)?;
        self.write_at(at, bytes)?;
        Ok(at)
    }

    /// Writes bytes at a reserved place.
    ///
    /// # Errors
    /// `Io`.
    pub(super) fn write_at(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let end = at.saturating_add(bytes.len() as u64);
        os::check_length(end).map_err(failure)?;
        if self.position != at {
            self.file.seek(SeekFrom::Start(at)).map_err(failure)?;
        }
        // If a write fails half-way, the position is unknown.
        self.position = u64::MAX;
        self.file.write_all(bytes).map_err(failure)?;
        self.position = end;
        Ok(())
    }

    /// Sets the length of the file, flushes it to disk and closes it.
    ///
    /// # Errors
    /// `Io`.
    pub(super) fn finish(self) -> Result<()> {
        os::check_length(self.end).map_err(failure)?;
        self.file.set_len(self.end).map_err(failure)?;
        self.file.sync_all().map_err(failure)?;
        os::close(self.file).map_err(failure)
    }
}

fn failure(error: std::io::Error) -> Error {
    Error::new(Kind::Io, "it cannot be written").because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reserved_is_filled_in_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut sink = Sink::new(File::create(&path).unwrap());
        let head = sink.reserve(3).unwrap();
        assert_eq!(sink.append(b"tail").unwrap(), 3);
        sink.align(8).unwrap();
        sink.write_at(head, b"abc").unwrap();
        sink.write_at(4, b"AI").unwrap();
        sink.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"abctAIl\0");
    }

    #[test]
    fn no_file_is_longer_than_files_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = Sink::new(File::create(folder.path().join("a")).unwrap());
        assert_eq!(sink.reserve(u64::MAX).unwrap_err().kind(), Kind::Limit);
        sink.reserve(7).unwrap();
        assert_eq!(sink.reserve(i64::MAX as u64).unwrap_err().kind(), Kind::Limit);
    }
}
