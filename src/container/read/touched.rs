//! Determines which chunks a selection touches, and which elements of each go where. Pure arithmetic.

use super::lattice::{Axis, Lattice};
use crate::selection::{c_strides, Selection};

/// The part of a selection that lies in one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedChunk {
    /// The coordinates of the chunk: element index divided by chunk size.
    pub chunk: Vec<u64>,
    /// From bytes of the decoded chunk to bytes of the buffer.
    pub part: Lattice,
}

/// The selected indices of one dimension that lie in one chunk.
#[derive(Clone, Copy)]
struct Run {
    /// Its first index in the selection, and how many there are.
    first: u64,
    count: u64,
    /// The chunk, and the position of the first index in it.
    chunk: u64,
    within: u64,
}

/// Iterates over the parts of a selection, each chunk once, in the order of the buffer.
///
/// Nothing is kept per chunk: a walk needs the same memory for two chunks as for a million.
pub struct TouchedChunks<'a> {
    selection: &'a Selection,
    chunk: &'a [u64],
    element: usize,
    /// Distances in bytes per step of the selection.
    from: Vec<i64>,
    to: Vec<usize>,
    /// The runs of the next part; `None` after the last.
    at: Option<Vec<Run>>,
}

impl<'a> TouchedChunks<'a> {
    /// Walks a selection that is not empty. The sizes of chunk and selection in bytes fit memory.
    pub fn new(selection: &'a Selection, chunk: &'a [u64], element: usize) -> Self {
        // Only steps that stay inside a chunk are used, and those cannot overflow.
        let distance = |(stride, step): (u64, &i64)| (stride as i64 * element as i64).wrapping_mul(*step);
        let from = c_strides(chunk).into_iter().zip(selection.step()).map(distance).collect();
        let to = c_strides(selection.count()).iter().map(|&s| s as usize * element).collect();
        let mut pieces = TouchedChunks { selection, chunk, element, from, to, at: None };
        pieces.at = Some((0..chunk.len()).map(|d| pieces.stretch(d, 0)).collect());
        pieces
    }

    fn stretch(&self, d: usize, first: u64) -> Run {
        let (size, step) = (self.chunk[d], self.selection.step()[d]);
        // The sum is an index of the array, even if an intermediate result wraps.
        let index = self.selection.start()[d].wrapping_add_signed((first as i64).wrapping_mul(step));
        let within = index % size;
        let room = if step > 0 { size - 1 - within } else { within };
        let count = (room / step.unsigned_abs() + 1).min(self.selection.count()[d] - first);
        Run { first, count, chunk: index / size, within }
    }

    /// Not an `Odometer`: how far an axis moves on depends on where the next chunk begins.
    fn advance(&self, mut at: Vec<Run>) -> Option<Vec<Run>> {
        for d in (0..at.len()).rev() {
            let next = at[d].first + at[d].count;
            if next < self.selection.count()[d] {
                at[d] = self.stretch(d, next);
                return Some(at);
            }
            at[d] = self.stretch(d, 0);
        }
        None
    }
}

impl Iterator for TouchedChunks<'_> {
    type Item = TouchedChunk;

    fn next(&mut self) -> Option<TouchedChunk> {
        let at = self.at.take()?;
        let strides = c_strides(self.chunk);
        let from = at.iter().zip(&strides).map(|(s, stride)| s.within * stride).sum::<u64>();
        let to = at.iter().zip(&self.to).map(|(s, stride)| s.first as usize * stride).sum();
        let axes =
            (0..at.len()).map(|d| Axis { count: at[d].count as usize, from: self.from[d], to: self.to[d] });
        let piece = TouchedChunk {
            chunk: at.iter().map(|s| s.chunk).collect(),
            part: Lattice::new(from * self.element as u64, to, self.element, axes),
        };
        self.at = self.advance(at);
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_over_chunks_leaves_them_out() {
        let selection = Selection::new(&[29], &[3], &[-13], &[30]).unwrap();
        let chunks: Vec<_> =
            TouchedChunks::new(&selection, &[5], 1).map(|p| (p.chunk[0], p.part.from)).collect();
        assert_eq!(chunks, [(5, 4), (3, 1), (0, 3)]);
    }

    #[test]
    fn each_chunk_comes_once() {
        let selection = Selection::all(&[7, 4]);
        let chunks: Vec<_> = TouchedChunks::new(&selection, &[4, 3], 2).map(|p| p.chunk).collect();
        assert_eq!(chunks, [[0, 0], [0, 1], [1, 0], [1, 1]]);
    }

    #[test]
    fn a_scalar_is_one_piece() {
        assert_eq!(TouchedChunks::new(&Selection::all(&[]), &[], 8).count(), 1);
    }
}
