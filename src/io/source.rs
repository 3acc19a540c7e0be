//! The source of bytes: a file that can be read at any offset by any thread.

use crate::error::Result;

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
