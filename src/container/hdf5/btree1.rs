//! B-trees of version 1 (HDF5 file format III.A.1): names of old-style groups, and chunks.
//!
//! A walk enters only the nodes that its caller needs, by the keys on either side of them. Refused: nodes with more
//! entries than the file's K value allows, nodes that are listed twice or overlap, levels that do not descend.

use hdf5_reader::storage::{Storage, StorageBuffer};

use super::budget::Nodes;
use super::store::{damaged, Store};
use crate::error::Result;

/// The form of the nodes of a kind of tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// 0 for names of groups, 1 for chunks.
    pub(super) kind: u8,
    /// Bytes of a key.
    pub(super) key: usize,
    /// The maximum number of entries of a node.
    pub(super) most: usize,
}

/// Walks the tree at `address` in order. Calls `enter` with the keys on either side of each child, and `take` with the
/// key before an entry of a leaf and the address in it.
///
/// # Errors
/// `Damaged`, `Limit`, `Io`, and those of `enter` and `take`.
pub(super) fn walk(
    store: &Store,
    form: Form,
    address: u64,
    mut enter: impl FnMut(&[u8], &[u8]) -> Result<bool>,
    mut take: impl FnMut(&[u8], u64) -> Result<()>,
) -> Result<()> {
    let mut nodes = Nodes::new(store.len());
    // Nodes still to be visited, with the level that they must have; the root may have any.
    let mut waiting = vec![(address, None)];
    while let Some((address, level)) = waiting.pop() {
        let node = Node::read(store, form, &mut nodes, address)?;
        if level.is_some_and(|level| level != node.level) {
            return Err(damaged("levels of a B-tree do not descend"));
        }
        let first = waiting.len();
        for entry in 0..node.count {
            let child = node.child(store, entry)?;
            if store.is_undefined(child) || !enter(node.key(entry), node.key(entry + 1))? {
                continue;
            }
            match node.level {
                0 => take(node.key(entry), child)?,
                level => waiting.push((child, Some(level - 1))),
            }
        }
        waiting[first..].reverse();
    }
    Ok(())
}

struct Node {
    level: u8,
    count: usize,
    form: Form,
    /// Keys and addresses, alternating.
    body: StorageBuffer,
    offset_size: usize,
}

impl Node {
    fn read(store: &Store, form: Form, nodes: &mut Nodes, address: u64) -> Result<Self> {
        let offset_size = usize::from(store.offset_size);
        let head_len = 8 + 2 * offset_size;
        let head = store.storage.read_range(address, head_len)?;
        if head[..4] != *b"TREE" || head[4] != form.kind {
            return Err(damaged(format!("no node of a B-tree at {address:#x}")));
        }
        let (level, count) = (head[5], usize::from(u16::from_le_bytes([head[6], head[7]])));
        if count > form.most {
            return Err(damaged(format!(
                "a node of a B-tree has {count} entries; {} are the most",
                form.most
            )));
        }
        let len = count * (form.key + offset_size) + form.key;
        nodes.enter(address, (head_len + len) as u64)?;
        store.budget.see(head_len + len)?;
        let body = store.storage.read_range(address + head_len as u64, len)?;
        Ok(Node { level, count, form, body, offset_size })
    }

    fn key(&self, entry: usize) -> &[u8] {
        let at = entry * (self.form.key + self.offset_size);
        &self.body[at..at + self.form.key]
    }

    fn child(&self, store: &Store, entry: usize) -> Result<u64> {
        let at = entry * (self.form.key + self.offset_size) + self.form.key;
        store.offset(&self.body[at..])
    }
}
