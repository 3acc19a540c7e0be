//! The B-tree (HDF5 file format III.A.1, version 1) in which the chunks of a variable are found.

use super::message::UNDEFINED;
use super::stored::{Stored, StoredChunks};
use crate::author::write::sink::Sink;
use crate::error::Result;
use crate::selection::index_at;

/// The number of children of a node, the default of libhdf5.
const CHILDREN: usize = 64;

/// Writes the tree of chunks that are sorted by number. Returns its address, or that of nothing if there are no chunks.
///
/// # Errors
/// `Io`, `Limit`.
pub(super) fn write(sink: &mut Sink, chunks: &StoredChunks, counts: &[u64], chunk: &[u32]) -> Result<u64> {
    let Some(last) = chunks.iter().last() else { return Ok(UNDEFINED) };
    let mut end = Vec::new();
    key(&mut end, last.number, 0, 1, counts, chunk);
    // The lowest nodes have the chunks themselves. Only what is above them is kept in memory: a chunk in 64.
    let leaves = chunks.iter().map(|stored| (stored, stored.address));
    let mut level = write_level(sink, 0, chunks.len(), leaves, &end, (counts, chunk))?;
    for depth in 1u8.. {
        if let [(_, root)] = level[..] {
            return Ok(root);
        }
        level = write_level(sink, depth, level.len(), level.iter().copied(), &end, (counts, chunk))?;
    }
    Ok(UNDEFINED)
}

/// Writes the nodes of a level. Its children are given by the first chunk under each, and their addresses; returns the
/// nodes in the same way.
fn write_level(
    sink: &mut Sink,
    depth: u8,
    count: usize,
    children: impl Iterator<Item = (Stored, u64)>,
    end: &[u8],
    (counts, chunk): (&[u64], &[u32]),
) -> Result<Vec<(Stored, u64)>> {
    let node_len = 24 + CHILDREN * (end.len() + 8) + end.len();
    let first = sink.end();
    let nodes = count.div_ceil(CHILDREN);
    let address = |n: usize| if n < nodes { first + (n * node_len) as u64 } else { UNDEFINED };
    let mut children = children.peekable();
    let mut written = Vec::with_capacity(nodes);
    for n in 0..nodes {
        let here = CHILDREN.min(count - n * CHILDREN);
        let Some(&(begin, _)) = children.peek() else { break };
        let mut out = Vec::with_capacity(node_len);
        out.extend(b"TREE\x01");
        out.push(depth);
        out.extend((here as u16).to_le_bytes());
        out.extend(if n == 0 { UNDEFINED } else { address(n - 1) }.to_le_bytes());
        out.extend(address(n + 1).to_le_bytes());
        for (stored, child) in children.by_ref().take(here) {
            key(&mut out, stored.number, stored.len, 0, counts, chunk);
            out.extend(child.to_le_bytes());
        }
        match children.peek() {
            Some((next, _)) => key(&mut out, next.number, next.len, 0, counts, chunk),
            None => out.extend(end),
        }
        out.resize(node_len, 0);
        written.push((begin, sink.append(&out)?));
    }
    Ok(written)
}

/// Appends the key of a chunk: its size, and the place of its first element; `beyond` chunks further along every
/// dimension.
fn key(out: &mut Vec<u8>, number: u64, len: u32, beyond: u64, counts: &[u64], chunk: &[u32]) {
    out.extend(len.to_le_bytes());
    out.extend([0; 4]);
    let scaled = index_at(counts, number);
    out.extend(scaled.iter().zip(chunk).flat_map(|(s, &c)| ((s + beyond) * u64::from(c)).to_le_bytes()));
    out.extend([0; 8]);
}
