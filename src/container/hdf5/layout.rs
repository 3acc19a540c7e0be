//! Data layout messages (HDF5 file format IV.A.2.i), versions 1 to 5.
//!
//! Version 5 (HDF5 2.0) differs from version 4 only in the indexes of filtered chunks, whose entries define the width
//! of the sizes in them.

use super::cursor::Cursor;
use super::store::{damaged, Store};
use crate::error::Result;

/// Where and how the raw data of a dataset lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RawLayout {
    /// In the message.
    Compact(Vec<u8>),
    /// Contiguous at this address; `None` if nothing was written.
    Contiguous(Option<u64>),
    /// In chunks.
    Chunked {
        /// Sizes of a chunk; the last one is that of an element in bytes.
        sizes: Vec<u64>,
        /// Kind of the index.
        index: IndexKind,
        /// Address of the index (or of the only chunk), if there is one.
        address: Option<u64>,
        /// Whether chunks that extend over the edge are stored without filters.
        plain_edges: bool,
    },
    /// Cannot be read, with the reason.
    Refused(String),
}

/// How chunks are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexKind {
    /// B-tree of version 1.
    BTree1,
    /// One chunk only; its size and filter mask if it is filtered.
    Single(Option<(u64, u32)>),
    /// All chunks in order, one after the other.
    Implicit,
    /// Array of fixed size.
    FixedArray,
    /// Array that grows along one dimension.
    ExtensibleArray,
    /// B-tree of version 2.
    BTree2,
}

impl RawLayout {
    /// Parses the bytes of the message.
    pub(super) fn parse(store: &Store, data: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        match cursor.read_u8()? {
            1 | 2 => old(store, &mut cursor),
            version @ 3..=5 => {
                let class = cursor.read_u8()?;
                match class {
                    0 => {
                        let len = usize::from(cursor.read_u16_le()?);
                        Ok(RawLayout::Compact(cursor.read_bytes(len)?.to_vec()))
                    }
                    1 => Ok(RawLayout::Contiguous(store.address(&mut cursor)?)),
                    2 if version == 3 => {
                        let rank = cursor.read_u8()?;
                        let address = store.address(&mut cursor)?;
                        let sizes = sizes(&mut cursor, rank, 4)?;
                        Ok(RawLayout::Chunked {
                            sizes,
                            index: IndexKind::BTree1,
                            address,
                            plain_edges: false,
                        })
                    }
                    2 => chunked(store, &mut cursor),
                    3 => {
                        Ok(RawLayout::Refused("virtual datasets are not read: they name other files".into()))
                    }
                    _ => Err(damaged(format!("data layout of class {class}"))),
                }
            }
            version => Ok(RawLayout::Refused(format!("data layout of version {version} is not read"))),
        }
    }
}

fn old(store: &Store, cursor: &mut Cursor<'_>) -> Result<RawLayout> {
    let rank = cursor.read_u8()?;
    let class = cursor.read_u8()?;
    cursor.skip(5)?;
    let address = if class == 0 { None } else { store.address(cursor)? };
    let sizes = sizes(cursor, rank, 4)?;
    match class {
        0 => {
            let len = cursor.read_u32_le()? as usize;
            Ok(RawLayout::Compact(cursor.read_bytes(len)?.to_vec()))
        }
        1 => Ok(RawLayout::Contiguous(address)),
        2 => Ok(RawLayout::Chunked { sizes, index: IndexKind::BTree1, address, plain_edges: false }),
        _ => Err(damaged(format!("data layout of class {class}"))),
    }
}

fn chunked(store: &Store, cursor: &mut Cursor<'_>) -> Result<RawLayout> {
    let flags = cursor.read_u8()?;
    let rank = cursor.read_u8()?;
    let width = usize::from(cursor.read_u8()?);
    let sizes = sizes(cursor, rank, width)?;
    let kind = cursor.read_u8()?;
    let index = match kind {
        1 if flags & 2 != 0 => {
            let size = cursor.read_length(store.length_size)?;
            IndexKind::Single(Some((size, cursor.read_u32_le()?)))
        }
        1 => IndexKind::Single(None),
        2 => IndexKind::Implicit,
        3 => {
            cursor.skip(1)?;
            IndexKind::FixedArray
        }
        4 => {
            cursor.skip(5)?;
            IndexKind::ExtensibleArray
        }
        5 => {
            cursor.skip(6)?;
            IndexKind::BTree2
        }
        _ => return Err(damaged(format!("chunk index of kind {kind}"))),
    };
    let address = store.address(cursor)?;
    Ok(RawLayout::Chunked { sizes, index, address, plain_edges: flags & 1 != 0 })
}

fn sizes(cursor: &mut Cursor<'_>, rank: u8, width: usize) -> Result<Vec<u64>> {
    (0..rank).map(|_| cursor.read_uvar(width)).collect()
}
