//! Copying plain data takes time and space with what the file has, not with what it claims.
//!
//! Refused: chunks that overlap, chunks that expand far more than those of usual filters, more chunks than are searched
//! for in a file of this length, and gigabytes of records that a shorter variable lacks.

use super::TIMES;
use crate::container::array::Array;
use crate::container::read::Written;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::selection::checked_product;

/// How many chunks of an array are searched for, whatever the length of the file; as many again as it has bytes.
const MOST_SEARCHED: u64 = 1 << 22;

/// The size in bytes up to which records that were not written are always written.
const MOST_FILLED: u64 = 1 << 30;

/// The bytes that are decoded in any case.
const MOST_DECODED: u64 = 512 << 20;

/// What was copied of a file.
pub(in crate::author) struct Claims {
    /// The length of the file.
    length: u64,
    stored: u64,
    decoded: u64,
}

impl Claims {
    /// Begins with nothing.
    pub(in crate::author) fn new(dataset: &Dataset) -> Self {
        Claims { length: dataset.shared().container.source().len(), stored: 0, decoded: 0 }
    }

    /// Checks an array that is to be copied in blocks of this shape.
    ///
    /// # Errors
    /// `Limit` if it has too many chunks to be searched for, or too many records that are to be filled.
    pub(super) fn check(&self, array: &Array, block: &[u64]) -> Result<()> {
        let count = |part: &[u64]| {
            let counts: Vec<u64> =
                array.shape.iter().zip(part).map(|(&n, &b)| n.div_ceil(b.max(1))).collect();
            checked_product(&counts).unwrap_or(u64::MAX)
        };
        let searched = count(block).max(array.chunk().map_or(0, count));
        let bytes = checked_product(&array.shape).and_then(|n| n.checked_mul(array.element.size() as u64));
        let filled = array.short.is_some()
            && bytes
                .is_none_or(|bytes| bytes > self.length.saturating_mul(TIMES).saturating_add(MOST_FILLED));
        match filled || searched > self.length.saturating_add(MOST_SEARCHED) {
            true => Err(Error::new(
                Kind::Limit,
                format!("its shape {:?} is too much for a file of {} bytes", array.shape, self.length),
            )),
            false => Ok(()),
        }
    }

    /// Counts a block that is about to be copied.
    ///
    /// # Errors
    /// `Damaged` if all blocks so far take more bytes than the file has, `Limit` if far more bytes are decoded of them.
    pub(super) fn count(&mut self, block: Written) -> Result<()> {
        self.stored = self.stored.saturating_add(block.stored);
        self.decoded = self.decoded.saturating_add(block.decoded);
        if self.stored > self.length {
            let message = format!("data overlap: they take more than the {} bytes of the file", self.length);
            return Err(Error::new(Kind::Damaged, message));
        }
        match self.decoded > self.length.saturating_mul(TIMES).saturating_add(MOST_DECODED) {
            true => Err(Error::new(
                Kind::Limit,
                format!("its data expand to too many bytes for a file of {} bytes", self.length),
            )),
            false => Ok(()),
        }
    }
}
