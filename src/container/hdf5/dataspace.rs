//! Dataspace messages (HDF5 file format IV.A.2.b): current and maximum sizes.

use super::cursor::Cursor;
use super::store::{damaged, Store};
use crate::error::Result;

/// The maximum number of dimensions in HDF5.
const MAX_RANK: usize = 32;

/// The extent of a dataset or attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dataspace {
    /// Current sizes; none for a scalar.
    pub(super) shape: Vec<u64>,
    /// Maximum sizes; `None` where unlimited.
    pub(super) maximum: Vec<Option<u64>>,
    /// Whether it has no elements at all (a null dataspace).
    pub(super) null: bool,
}

impl Dataspace {
    /// Parses the bytes of the message.
    pub(super) fn parse(store: &Store, data: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        let version = cursor.read_u8()?;
        let rank = usize::from(cursor.read_u8()?);
        let flags = cursor.read_u8()?;
        let kind = cursor.read_u8()?;
        match version {
            1 => cursor.skip(4)?,
            2 => {}
            _ => return Err(damaged(format!("dataspace of version {version}"))),
        }
        if rank > MAX_RANK {
            return Err(damaged(format!("dataspace of {rank} dimensions")));
        }
        let unlimited = u64::MAX >> (64 - 8 * u32::from(store.length_size));
        let mut sizes = |count| -> Result<Vec<u64>> {
            (0..count).map(|_| cursor.read_length(store.length_size)).collect()
        };
        let shape = sizes(rank)?;
        let maximum = if flags & 1 != 0 {
            sizes(rank)?.into_iter().map(|size| (size != unlimited).then_some(size)).collect()
        } else {
            shape.iter().copied().map(Some).collect()
        };
        Ok(Dataspace { shape, maximum, null: version == 2 && kind == 2 })
    }

    /// Returns the number of elements, or `None` if it overflows.
    pub(super) fn len(&self) -> Option<u64> {
        if self.null {
            return Some(0);
        }
        crate::selection::checked_product(&self.shape)
    }
}
