//! Attributes and links outside of object headers: a fractal heap (HDF5 file format III.G) that holds them, and B-trees
//! of version 2 (III.A.2) that find them by name and by order.
//!
//! An object header message has at most 64 KiB, and links in a header are searched one by one. The heap stores every
//! object as a "huge" one, outside of the heap's blocks, so that there are no blocks to lay out. A B-tree is one leaf,
//! whatever its size.

use super::header::sealed;
use super::message::UNDEFINED;
use crate::author::write::sink::Sink;
use crate::container::checksum::lookup3;
use crate::error::{Error, Kind, Result};

/// The maximum number of records of a leaf, which is stored in two bytes.
pub(super) const MOST: usize = 60_000;

/// The kind of members: attributes or links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Members {
    Attributes,
    Links,
}

/// An attribute or link.
pub(super) struct Member<'a> {
    /// Its name.
    pub name: &'a str,
    /// The body of the message that would store it in a header.
    pub body: Vec<u8>,
}

/// The places of members: the heap, the index by name and the index by order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Addresses {
    pub heap: u64,
    pub names: u64,
    pub orders: u64,
}

impl Addresses {
    /// No place: the members are in the header.
    pub(super) const NONE: Addresses = Addresses { heap: UNDEFINED, names: UNDEFINED, orders: UNDEFINED };

    /// Returns the addresses as they are in messages.
    pub(super) fn bytes(self) -> impl Iterator<Item = u8> {
        [self.heap, self.names, self.orders].into_iter().flat_map(u64::to_le_bytes)
    }
}

/// Writes members in their order.
///
/// # Errors
/// `Limit` if there are too many, `Io`.
pub(super) fn write(sink: &mut Sink, kind: Members, members: &[Member<'_>]) -> Result<Addresses> {
    if members.len() > MOST {
        let message =
            format!("{} attributes of one variable or group are more than a file can hold", members.len());
        return Err(Error::new(Kind::Limit, message));
    }
    let (mut huge, mut by_name, mut by_order) = (Vec::new(), Vec::new(), Vec::new());
    let mut size = 0;
    for (i, member) in members.iter().enumerate() {
        let address = sink.append(&member.body)?;
        size += member.body.len() as u64;
        let number = i as u64 + 1;
        huge.extend([address, member.body.len() as u64, number].into_iter().flat_map(u64::to_le_bytes));
        let hash = lookup3(member.name.as_bytes());
        let order = i as u32;
        let (name_record, order_record) = match kind {
            Members::Attributes => {
                let id = heap_id::<8>(number);
                let head = [&id[..], &[0], &order.to_le_bytes()].concat();
                ([&head[..], &hash.to_le_bytes()].concat(), head)
            }
            Members::Links => {
                let id = heap_id::<7>(number);
                ([&hash.to_le_bytes()[..], &id].concat(), [&u64::from(order).to_le_bytes()[..], &id].concat())
            }
        };
        by_name.push((hash, member.name, name_record));
        by_order.extend(order_record);
    }
    by_name.sort_unstable_by(|a, b| (a.0, a.1.as_bytes()).cmp(&(b.0, b.1.as_bytes())));
    let by_name: Vec<u8> = by_name.into_iter().flat_map(|record| record.2).collect();
    let kinds = if kind == Members::Attributes { (8, 9) } else { (5, 6) };
    let count = members.len();
    let huge = tree(sink, 1, &huge, count)?;
    let heap = sink.append(&heap(kind, huge, size, count as u64))?;
    let names = tree(sink, kinds.0, &by_name, count)?;
    let orders = tree(sink, kinds.1, &by_order, count)?;
    Ok(Addresses { heap, names, orders })
}

/// Returns the identifier of a huge object.
fn heap_id<const N: usize>(number: u64) -> [u8; N] {
    let mut id = [0; N];
    id[0] = 0x10;
    id[1..].copy_from_slice(&number.to_le_bytes()[..N - 1]);
    id
}

fn heap(kind: Members, tree: u64, size: u64, count: u64) -> Vec<u8> {
    // The values of libhdf5 for heaps of this kind: the length of identifiers, the smallest block, bits of an offset.
    let (id, block, bits) = match kind {
        Members::Attributes => (8u16, 1024u64, 40u16),
        Members::Links => (7, 512, 32),
    };
    let mut out = b"FRHP\0".to_vec();
    out.extend(id.to_le_bytes());
    // No filters; blocks, if there were any, would have checksums; managed objects have at most 4 KiB.
    out.extend([0, 0, 2]);
    out.extend(4096u32.to_le_bytes());
    // The next number of a huge object, and their index; there are no managed objects.
    out.extend([count + 1, tree, 0, UNDEFINED, 0, 0, 0, 0].into_iter().flat_map(u64::to_le_bytes));
    // Huge and tiny objects: bytes and number of each.
    out.extend([size, count, 0, 0].into_iter().flat_map(u64::to_le_bytes));
    out.extend(4u16.to_le_bytes());
    out.extend(block.to_le_bytes());
    out.extend((1u64 << 16).to_le_bytes());
    out.extend(bits.to_le_bytes());
    out.extend(1u16.to_le_bytes());
    out.extend(UNDEFINED.to_le_bytes());
    out.extend(0u16.to_le_bytes());
    sealed(out)
}

/// Writes a B-tree of these sorted records, and returns its address.
fn tree(sink: &mut Sink, kind: u8, records: &[u8], count: usize) -> Result<u64> {
    let mut leaf = b"BTLF\0".to_vec();
    leaf.push(kind);
    leaf.extend(records);
    let mut leaf = sealed(leaf);
    let node = leaf.len().next_multiple_of(512);
    leaf.resize(node, 0);
    let root = sink.append(&leaf)?;
    let mut out = b"BTHD\0".to_vec();
    out.push(kind);
    out.extend((node as u32).to_le_bytes());
    out.extend(((records.len() / count.max(1)) as u16).to_le_bytes());
    // One level; libhdf5 splits full nodes and merges those that are 40 % full.
    out.extend([0, 0, 100, 40]);
    out.extend(root.to_le_bytes());
    out.extend((count as u16).to_le_bytes());
    out.extend((count as u64).to_le_bytes());
    sink.append(&sealed(out))
}
