//! The source of bytes: a file that can be read at any offset by any thread.

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
