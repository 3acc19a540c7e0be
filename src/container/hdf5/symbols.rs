//! Symbol tables: the links of old-style groups (HDF5 file format III.A.1, III.B, III.D).
//!
//! Names lie in a local heap, links in nodes of symbols, and a B-tree lists the nodes by the names in them. Refused:
//! nodes with more links than the file's K value allows, nodes that are listed twice or overlap.

use std::sync::{Mutex, PoisonError};

use hdf5_reader::storage::{Storage, StorageBuffer};

use super::btree1::{self, Form};
use super::budget::Nodes;
use super::cursor::Cursor;
use super::store::{damaged, Store};
use crate::error::Result;

/// The maximum number of bytes of names that are kept.
const LONGEST_KEPT: usize = 4 << 20;

/// A link in a symbol table, its name up to the first NUL.
pub(super) enum Symbol<'a> {
    /// To the object at this address.
    Hard(u64),
    /// To a path.
    Soft(&'a [u8]),
}

/// The names that were read last: links are often searched in one group, one after the other.
#[derive(Default)]
pub(super) struct LastNames(Mutex<Option<(u64, StorageBuffer)>>);

impl LastNames {
    fn get(
        &self,
        address: u64,
        len: usize,
        read: impl FnOnce() -> Result<StorageBuffer>,
    ) -> Result<StorageBuffer> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, names)) = lock().as_ref().filter(|(at, names)| *at == address && names.len() == len) {
            return Ok(names.clone());
        }
        let names = read()?;
        if len <= LONGEST_KEPT {
            *lock() = Some((address, names.clone()));
        }
        Ok(names)
    }
}

/// A symbol table.
pub(super) struct SymbolTable {
    tree: u64,
    names: StorageBuffer,
}

impl SymbolTable {
    /// Reads a symbol table message. Returns `None` if the group is empty.
    pub(super) fn read(store: &Store, message: &[u8]) -> Result<Option<Self>> {
        let mut cursor = Cursor::new(message);
        let (Some(tree), Some(heap)) = (store.address(&mut cursor)?, store.address(&mut cursor)?) else {
            return Ok(None);
        };
        let head_len = 8 + 2 * usize::from(store.length_size) + usize::from(store.offset_size);
        let head = store.storage.read_range(heap, head_len)?;
        if head[..5] != *b"HEAP\0" {
            return Err(damaged(format!("no local heap at {heap:#x}")));
        }
        let mut cursor = Cursor::new(&head[8..]);
        let len = cursor.read_length(store.length_size)?;
        cursor.skip(store.length_size.into())?;
        let address = cursor.read_offset(store.offset_size)?;
        let len = usize::try_from(len).map_err(|_| damaged("local heap is too long"))?;
        let names = store.names.get(address, len, || {
            store.budget.see(len)?;
            Ok(store.storage.read_range(address, len)?)
        })?;
        Ok(Some(SymbolTable { tree, names }))
    }

    /// Calls `take` with each link, or at least with the one named `wanted`, provided that the tree is sorted.
    pub(super) fn each(
        &self,
        store: &Store,
        wanted: Option<&[u8]>,
        mut take: impl FnMut(&[u8], Symbol<'_>) -> Result<()>,
    ) -> Result<()> {
        let form =
            Form { kind: 0, key: store.length_size.into(), most: 2 * usize::from(store.branching.group) };
        let mut nodes = Nodes::new(store.len());
        let key = |key: &[u8]| self.name(Cursor::new(key).read_length(store.length_size)?);
        btree1::walk(
            store,
            form,
            self.tree,
            |_, left, right| match wanted {
                Some(wanted) => Ok(key(left)? < wanted && wanted <= key(right)?),
                None => Ok(true),
            },
            |_, node| self.node(store, &mut nodes, node, &mut take),
        )
    }

    fn node(
        &self,
        store: &Store,
        nodes: &mut Nodes,
        address: u64,
        take: &mut impl FnMut(&[u8], Symbol<'_>) -> Result<()>,
    ) -> Result<()> {
        let entry_len = 2 * usize::from(store.offset_size) + 24;
        let most = 2 * usize::from(store.branching.group_leaf);
        let head = store.storage.read_range(address, 8)?;
        let count = usize::from(u16::from_le_bytes([head[6], head[7]]));
        if head[..5] != *b"SNOD\x01" || count > most {
            return Err(damaged(format!("no node of at most {most} links at {address:#x}")));
        }
        let len = 8 + count * entry_len;
        nodes.enter(address, len as u64)?;
        store.budget.see(len)?;
        let bytes = store.storage.read_range(address, len)?;
        for entry in bytes[8..].chunks_exact(entry_len) {
            let mut cursor = Cursor::new(entry);
            let name = self.name(cursor.read_offset(store.offset_size)?)?;
            let object = cursor.read_offset(store.offset_size)?;
            let cached = cursor.read_u32_le()?;
            cursor.skip(4)?;
            match cached {
                2 => take(name, Symbol::Soft(self.name(cursor.read_u32_le()?.into())?))?,
                _ => take(name, Symbol::Hard(object))?,
            }
        }
        Ok(())
    }

    /// Returns the text at an offset of the heap, up to its NUL.
    fn name(&self, offset: u64) -> Result<&[u8]> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.names.get(offset..));
        let rest = rest.ok_or_else(|| damaged("name of a link lies outside its heap"))?;
        Ok(&rest[..rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len())])
    }
}
