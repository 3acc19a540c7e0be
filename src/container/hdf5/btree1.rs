//! B-trees of version 1 (HDF5 file format III.A.1): names of old-style groups, and chunks.
//!
//! A walk enters only the nodes that its caller needs, by the keys on either side of them. Refused: nodes with more
//! entries than the file's K value allows, nodes that are listed twice or overlap, levels that do not descend.

use hdf5_reader::storage::StorageBuffer;

use super::budget::Nodes;
use super::store::{damaged, Store};
use crate::error::Result;
use crate::io::source::Fetched;

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

/// The maximum number of nodes that are read at once.
const AT_ONCE: usize = 256;

/// Walks the tree at `address` in order. Calls `enter` with the level of a node and the keys on either side of each of
/// its entries, and `take` with the key before an entry of a leaf and the address in it. Nodes of a level are read
/// together, since a file on a server answers many requests in the time of one.
///
/// # Errors
/// `Damaged`, `Limit`, `Io`, and those of `enter` and `take`.
pub(super) fn walk(
    store: &Store,
    form: Form,
    address: u64,
    mut enter: impl FnMut(u8, &[u8], &[u8]) -> Result<bool>,
    mut take: impl FnMut(&[u8], u64) -> Result<()>,
) -> Result<()> {
    let mut nodes = Nodes::new(store.len());
    let longest = form.longest(store);
    // Nodes still to be visited, the next one last, with the level that they must have; the root may have any.
    let mut waiting = vec![(address, None)];
    while let Some(&(_, level)) = waiting.last() {
        let together = waiting.iter().rev().take(AT_ONCE).take_while(|node| node.1 == level).count();
        let together = waiting.split_off(waiting.len() - together);
        let range = |address: u64| address..address.saturating_add(longest).min(store.len());
        let fetched = store.storage.fetch(together.iter().map(|node| range(node.0)).collect())?;
        let mut below = Vec::new();
        for (address, level) in together.into_iter().rev() {
            let node = Node::read(store, form, &mut nodes, address, &fetched)?;
            if level.is_some_and(|level| level != node.level) {
                return Err(damaged("levels of a B-tree do not descend"));
            }
            for entry in 0..node.count {
                let child = node.child(store, entry)?;
                if store.is_undefined(child) || !enter(node.level, node.key(entry), node.key(entry + 1))? {
                    continue;
                }
                match node.level {
                    0 => take(node.key(entry), child)?,
                    level => below.push((child, Some(level - 1))),
                }
            }
        }
        waiting.extend(below.into_iter().rev());
    }
    Ok(())
}

impl Form {
    /// Returns the size of the longest node.
    fn longest(&self, store: &Store) -> u64 {
        let offset_size = usize::from(store.offset_size);
        (8 + 2 * offset_size + self.most * (self.key + offset_size) + self.key) as u64
    }
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
    fn read(store: &Store, form: Form, nodes: &mut Nodes, address: u64, fetched: &Fetched) -> Result<Self> {
        let offset_size = usize::from(store.offset_size);
        let head_len = 8 + 2 * offset_size;
        let head = store.storage.read_fetched(fetched, address, head_len)?;
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
        let body = store.storage.read_fetched(fetched, address + head_len as u64, len)?;
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
