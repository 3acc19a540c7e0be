//! The B-tree (HDF5 file format III.A.1, version 1) in which the chunks of a variable are found.

use super::message::UNDEFINED;
use crate::author::write::sink::Sink;
use crate::error::Result;
use crate::selection::index_at;

/// The number of children of a node, the default of libhdf5.
const CHILDREN: usize = 64;

/// A chunk in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    /// Its number, in C order of all chunks.
    pub number: u64,
    /// Its place in the file.
    pub address: u64,
    /// The number of its bytes after filtering.
    pub len: u32,
}

/// Writes the tree of chunks that are sorted by number. Returns its address, or that of nothing if there are no chunks.
///
/// # Errors
/// `Io`, `Limit`.
pub(super) fn write(sink: &mut Sink, chunks: &[Stored], counts: &[u64], chunk: &[u32]) -> Result<u64> {
    let Some(last) = chunks.last() else { return Ok(UNDEFINED) };
    let key = |stored: &Stored, beyond: u64| {
        let scaled = index_at(counts, stored.number);
        let len = if beyond == 0 { stored.len } else { 0 };
        let mut out = Vec::with_capacity(16 + 8 * counts.len());
        out.extend(len.to_le_bytes());
        out.extend([0; 4]);
        out.extend(scaled.iter().zip(chunk).flat_map(|(s, &c)| ((s + beyond) * u64::from(c)).to_le_bytes()));
        out.extend([0; 8]);
        out
    };
    // Each level has the first chunk under each node, and the address of the node.
    let mut level: Vec<(Stored, u64)> = chunks.iter().map(|&stored| (stored, stored.address)).collect();
    let end = key(last, 1);
    let node_len = 24 + CHILDREN * (end.len() + 8) + end.len();
    for depth in 0u8.. {
        let first = sink.end();
        let nodes = level.len().div_ceil(CHILDREN);
        let address = |n: usize| if n < nodes { first + (n * node_len) as u64 } else { UNDEFINED };
        let mut above = Vec::with_capacity(nodes);
        for (n, children) in level.chunks(CHILDREN).enumerate() {
            let mut out = Vec::with_capacity(node_len);
            out.extend(b"TREE\x01");
            out.push(depth);
            out.extend((children.len() as u16).to_le_bytes());
            out.extend(if n == 0 { UNDEFINED } else { address(n - 1) }.to_le_bytes());
            out.extend(address(n + 1).to_le_bytes());
            for (stored, child) in children {
                out.extend(key(stored, 0));
                out.extend(child.to_le_bytes());
            }
            let next = level.get((n + 1) * CHILDREN);
            out.extend(next.map_or_else(|| end.clone(), |(stored, _)| key(stored, 0)));
            out.resize(node_len, 0);
            above.push((children[0].0, sink.append(&out)?));
        }
        if let [(_, root)] = above[..] {
            return Ok(root);
        }
        level = above;
    }
    Ok(UNDEFINED)
}
