//! Decides which stretches of a source to read for a lattice: few and large, without what a big stride skips. Pure
//! arithmetic.

use super::lattice::{Axis, Lattice};

/// The maximum size of a stretch, unless it goes straight into the caller's buffer.
pub const SCRATCH: usize = 1 << 20;
/// Gaps up to this size are read rather than skipped: a page is fetched whole in any case, and another call costs as
/// much.
const GAP: u64 = 4096;

/// One stretch to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Where it starts in the source.
    pub offset: u64,
    /// Its length. If there is no lattice, all bytes are needed, in this order.
    pub len: usize,
    /// The destination of its first run.
    pub to: usize,
    /// The runs needed from it, from offsets in the stretch to places in the buffer.
    pub part: Option<Lattice>,
}

/// Iterates over the stretches for a lattice, in the order of the buffer. They share no place in the buffer.
pub struct Stretches<'a> {
    lattice: &'a Lattice,
    /// Axes before this one are walked place by place; those after it are inside a stretch.
    split: usize,
    /// How many places of axis `split` a stretch has.
    along: usize,
    /// The number of bytes that one place of axis `split` spans.
    inner: u64,
    /// The next stretch's place on the axes up to `split`; `None` after the last.
    at: Option<Vec<usize>>,
}

impl<'a> Stretches<'a> {
    /// Decides how to divide the lattice.
    pub fn new(lattice: &'a Lattice) -> Self {
        let axes = &lattice.axes;
        let (mut split, mut along, mut inner) = (axes.len(), 1, lattice.run as u64);
        // Invariant: the axes from `split` on are inside a stretch, and span `span` bytes there.
        let mut span = inner;
        for (d, axis) in axes.iter().enumerate().rev() {
            let distance = axis.from.unsigned_abs();
            if distance > span.saturating_add(GAP) || span >= SCRATCH as u64 {
                break;
            }
            let fitting = (SCRATCH as u64 - span) / distance.max(1) + 1;
            if fitting == 1 {
                break;
            }
            (split, inner) = (d, span);
            along = usize::try_from(fitting).map_or(axis.count, |n| n.min(axis.count));
            if along < axis.count {
                break;
            }
            span += axis.reach();
        }
        Stretches { lattice, split, along, inner, at: Some(vec![0; axes.len().min(split + 1)]) }
    }

    /// Not an `Odometer`: one axis moves on by several places, and the last stretch along it may be shorter.
    fn advance(&self, mut at: Vec<usize>) -> Option<Vec<usize>> {
        for d in (0..at.len()).rev() {
            at[d] += if d == self.split { self.along } else { 1 };
            if at[d] < self.lattice.axes[d].count {
                return Some(at);
            }
            at[d] = 0;
        }
        None
    }
}

impl Iterator for Stretches<'_> {
    type Item = Stretch;

    fn next(&mut self) -> Option<Stretch> {
        let at = self.at.take()?;
        let axes = &self.lattice.axes;
        let (mut from, mut to) = (self.lattice.from as i64, self.lattice.to);
        for (axis, &i) in axes.iter().zip(&at) {
            from += axis.from * i as i64;
            to += axis.to * i;
        }
        let block = match axes.get(self.split) {
            None => Stretch { offset: from as u64, len: self.lattice.run, to, part: None },
            Some(axis) => {
                let first = Axis { count: self.along.min(axis.count - at[self.split]), ..*axis };
                let rest = &axes[self.split + 1..];
                let below: i64 = first.lowest() + rest.iter().map(Axis::lowest).sum::<i64>();
                let mut part =
                    Lattice { from: below.unsigned_abs(), to, run: self.lattice.run, axes: vec![first] };
                part.axes.extend_from_slice(rest);
                let len = (first.reach() + self.inner) as usize;
                Stretch { offset: (from + below) as u64, len, to, part: Some(part) }
            }
        };
        self.at = self.advance(at);
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(run: usize, axes: &[(usize, i64, usize)]) -> Vec<Stretch> {
        let axes = axes.iter().map(|&(count, from, to)| Axis { count, from, to }).collect();
        Stretches::new(&Lattice { from: 1 << 30, to: 0, run, axes }).collect()
    }

    #[test]
    fn one_run_goes_straight_to_the_buffer() {
        assert_eq!(blocks(8, &[]), [Stretch { offset: 1 << 30, len: 8, to: 0, part: None }]);
        let huge = 100 << 20;
        assert_eq!(blocks(huge, &[]), [Stretch { offset: 1 << 30, len: huge, to: 0, part: None }]);
    }

    #[test]
    fn what_a_big_stride_skips_is_not_read() {
        let list = blocks(4, &[(3, 1 << 20, 4)]);
        assert_eq!(
            list.iter().map(|b| (b.offset - (1 << 30), b.len)).collect::<Vec<_>>(),
            [(0, 4), (1 << 20, 4), (2 << 20, 4)]
        );
    }

    #[test]
    fn small_gaps_are_read_in_large_stretches() {
        let list = blocks(4, &[(1 << 20, 16, 4)]);
        assert_eq!(list.len(), 16);
        assert!(list.iter().all(|b| b.len <= SCRATCH));
        let list = blocks(4, &[(10, 1000, 40), (10, -40, 4)]);
        assert_eq!(list.len(), 1);
        assert_eq!((list[0].offset, list[0].len), ((1 << 30) - 360, 9364));
    }
}
