//! B-trees of version 2 (HDF5 file format III.A.2): names of links and attributes, chunks, huge objects of heaps.
//!
//! A walk enters only the nodes that its caller needs, by the records on either side of them. Refused: wrong checksums,
//! nodes with more records than they have room for, nodes that are listed twice or overlap.

use std::ops::Range;
use std::rc::Rc;

use hdf5_reader::storage::{Storage, StorageBuffer};

use super::budget::Nodes;
use super::cursor::Cursor;
use super::store::{checksummed, damaged, Store};
use crate::container::checksum::lookup3;
use crate::error::Result;
use crate::io::source::Fetched;

/// The maximum number of levels; with two records per node, that is more than a file can have.
const MAX_DEPTH: u16 = 64;
/// The bytes of a node that are neither records nor pointers: signature, version, type, checksum.
const OVERHEAD: u64 = 10;
/// The maximum number of steps that are taken together, and so about the most nodes that are read at once.
const AT_ONCE: usize = 256;

/// A tree as its header describes it.
pub(super) struct Tree {
    /// The kind of its records.
    pub(super) kind: u8,
    /// Bytes of a record, at least 1.
    pub(super) record: usize,
    root: Option<Child>,
    /// By depth of a node: the maximum number of its records, and bytes of a pointer to a child (0 in a leaf).
    levels: Vec<(u64, usize)>,
    /// Bytes of the number of records of a child.
    count_width: usize,
}

#[derive(Clone, Copy)]
struct Child {
    address: u64,
    count: usize,
    depth: usize,
}

impl Tree {
    /// Reads the header of the tree at `address`.
    pub(super) fn read(store: &Store, address: u64) -> Result<Self> {
        let len = 22 + usize::from(store.offset_size) + usize::from(store.length_size);
        let bytes = store.storage.read_range(address, len)?;
        let body = checksummed(&bytes, b"BTHD")?;
        let mut cursor = Cursor::new(body);
        let kind = cursor.read_u8()?;
        let node_len = u64::from(cursor.read_u32_le()?);
        let record = usize::from(cursor.read_u16_le()?);
        let depth = cursor.read_u16_le()?;
        cursor.skip(2)?;
        let root = store.address(&mut cursor)?;
        let count = usize::from(cursor.read_u16_le()?);
        if record == 0 || depth > MAX_DEPTH || node_len <= OVERHEAD {
            return Err(damaged(format!(
                "a B-tree of {depth} levels, nodes of {node_len}, records of {record} bytes"
            )));
        }
        let depth = usize::from(depth);
        let root = root.map(|address| Child { address, count, depth });
        let (levels, count_width) = levels(node_len, record, usize::from(store.offset_size), depth);
        Ok(Tree { kind, record, root, levels, count_width })
    }

    /// Calls `take` with each record in order. `enter` is called with the records before and after a node, if there are
    /// any, and returns whether to visit the node. Nodes of a level are read together.
    ///
    /// # Errors
    /// `Damaged`, `Limit`, `Io`, and those of `take`.
    pub(super) fn walk(
        &self,
        store: &Store,
        mut enter: impl FnMut(Option<&[u8]>, Option<&[u8]>) -> bool,
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let Some(root) = self.root.filter(|root| root.count > 0 || root.depth > 0) else { return Ok(()) };
        let mut nodes = Nodes::new(store.len());
        // What is still to be done, the next step last.
        let mut waiting = vec![Step::Visit(root)];
        while let Some(last) = waiting.last() {
            let Step::Visit(Child { depth, .. }) = *last else {
                if let Some(Step::Take(node, at)) = waiting.pop() {
                    take(node.record(at))?;
                }
                continue;
            };
            let is_alike = |step: &&Step| !matches!(step, Step::Visit(child) if child.depth != depth);
            let together = waiting.iter().rev().take(AT_ONCE).take_while(is_alike).count();
            let together = waiting.split_off(waiting.len() - together);
            let fetched =
                store.storage.fetch(together.iter().filter_map(|step| self.range(step)).collect())?;
            // Turned round twice: the steps below a node take its place.
            let mut below = Vec::new();
            for step in together.into_iter().rev() {
                let Step::Visit(child) = step else {
                    below.push(step);
                    continue;
                };
                let node = Rc::new(self.node(store, &mut nodes, child, &fetched)?);
                for at in 0..node.count + usize::from(node.depth > 0) {
                    if node.depth > 0 {
                        let low = at.checked_sub(1).map(|before| node.record(before));
                        let high = (at < node.count).then(|| node.record(at));
                        if enter(low, high) {
                            below.extend(node.child(self, store, at)?.map(Step::Visit));
                        }
                    }
                    if at < node.count {
                        below.push(Step::Take(Rc::clone(&node), at));
                    }
                }
            }
            waiting.extend(below.into_iter().rev());
        }
        Ok(())
    }

    /// Returns where the node of a step lies.
    fn range(&self, step: &Step) -> Option<Range<u64>> {
        let Step::Visit(Child { address, count, depth }) = *step else { return None };
        Some(address..address.saturating_add(self.length(count, depth)? as u64))
    }

    /// Returns the size of a node with this many records, unless it cannot have so many.
    fn length(&self, count: usize, depth: usize) -> Option<usize> {
        let (most, pointer) = self.levels[depth];
        let pointers = if depth > 0 { (count + 1) * pointer } else { 0 };
        (count as u64 <= most).then(|| count * self.record + pointers + OVERHEAD as usize)
    }

    fn node(&self, store: &Store, nodes: &mut Nodes, node: Child, fetched: &Fetched) -> Result<Node> {
        let Child { address, count, depth } = node;
        let (most, pointer) = self.levels[depth];
        let Some(len) = self.length(count, depth) else {
            return Err(damaged(format!("a node of a B-tree has {count} records; {most} are the most")));
        };
        nodes.enter(address, len as u64)?;
        store.budget.see(len)?;
        let bytes = store.storage.read_fetched(fetched, address, len)?;
        let signature = if depth == 0 { b"BTLF" } else { b"BTIN" };
        if checksummed(&bytes, signature)?.first() != Some(&self.kind) {
            return Err(damaged("a node of a B-tree is of another kind"));
        }
        Ok(Node { bytes, count, depth, record: self.record, pointer })
    }
}

/// A step of a walk.
enum Step {
    Visit(Child),
    /// Take the record at this position of a node.
    Take(Rc<Node>, usize),
}

struct Node {
    bytes: StorageBuffer,
    count: usize,
    depth: usize,
    record: usize,
    pointer: usize,
}

impl Node {
    fn record(&self, at: usize) -> &[u8] {
        &self.bytes[6 + at * self.record..6 + (at + 1) * self.record]
    }

    fn child(&self, tree: &Tree, store: &Store, at: usize) -> Result<Option<Child>> {
        let from = 6 + self.count * self.record + at * self.pointer;
        let mut cursor = Cursor::new(&self.bytes[from..from + self.pointer]);
        let address = store.address(&mut cursor)?;
        let count = cursor.read_uvar(tree.count_width)? as usize;
        Ok(address.map(|address| Child { address, count, depth: self.depth - 1 }))
    }
}

/// Returns, by depth, the maximum number of records of a node and the bytes of a pointer in it, as libhdf5 computes
/// them. Also returns the bytes of the number of records of a child, which is that of a full leaf at every depth.
fn levels(node_len: u64, record: usize, offset_size: usize, depth: usize) -> (Vec<(u64, usize)>, usize) {
    let room = node_len - OVERHEAD;
    let leaf = room / record as u64;
    let count_width = width(leaf);
    let mut levels = vec![(leaf, 0)];
    let (mut below, mut below_width) = (leaf, 0);
    for _ in 0..depth {
        let pointer = offset_size + count_width + below_width;
        let most = room.saturating_sub(pointer as u64) / (record + pointer) as u64;
        levels.push((most, pointer));
        below = (most + 1).saturating_mul(below).saturating_add(most);
        below_width = width(below);
    }
    (levels, count_width)
}

/// Returns how many bytes a number up to `most` takes.
pub(super) fn width(most: u64) -> usize {
    (most.max(1).ilog2() / 8 + 1) as usize
}

/// Returns the hash by which names are indexed.
pub(super) fn hash(name: &str) -> u32 {
    lookup3(name.as_bytes())
}
