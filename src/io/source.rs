//! Where bytes come from: a file that can be read at any offset by any thread.

use crate::error::Result;

/// Bytes that can be read at any offset, by any number of threads at once.
pub trait Source: Send + Sync {
    /// How errors and warnings call it.
    fn name(&self) -> &str;

    /// Its length in bytes when it was opened.
    fn len(&self) -> u64;

    /// Roughly how many bytes it takes where it is stored: fewer than its length if it has holes or is compressed there.
    fn stored(&self) -> u64 {
        self.len()
    }

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// `Io` when reading fails, `Damaged` when the source ends before the buffer is full.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()>;
}
