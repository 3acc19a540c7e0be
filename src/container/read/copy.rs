//! Copies the elements of a lattice between buffers, and swaps their bytes if necessary.

use super::lattice::{Axis, Lattice};
use crate::container::filter::unshuffle_part;

/// How elements change when they are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The size of an element in bytes.
    pub element: usize,
    /// Whether the bytes of each element are reversed.
    pub swap: bool,
}

impl Order {
    /// Reverses the bytes of each element in place, if necessary.
    pub fn settle(self, elements: &mut [u8]) {
        fn reverse<const N: usize>(elements: &mut [u8]) {
            elements.chunks_exact_mut(N).filter_map(|e| e.first_chunk_mut::<N>()).for_each(|e| e.reverse());
        }
        match (self.swap, self.element) {
            (false, _) | (_, 0 | 1) => {}
            (_, 2) => reverse::<2>(elements),
            (_, 4) => reverse::<4>(elements),
            (_, 8) => reverse::<8>(elements),
            (_, n) => elements.chunks_exact_mut(n).for_each(<[u8]>::reverse),
        }
    }
}

/// Copies every run of the lattice.
pub fn copy(lattice: &Lattice, from: &[u8], to: &mut [u8], order: Order) {
    let outer = lattice.axes.len().saturating_sub(1);
    let line = lattice.axes.last().copied().unwrap_or(Axis { count: 1, from: 0, to: 0 });
    let copier = Copier { run: lattice.run, line, order };
    copier.descend(&lattice.axes[..outer], from, lattice.from as usize, to, lattice.to);
}

/// Copies every run of the lattice from shuffled elements: the first bytes of all of them, then the second bytes, and
/// so on.
pub fn copy_shuffled(lattice: &Lattice, from: &[u8], to: &mut [u8], order: Order) {
    fn descend(axes: &[Axis], from: i64, to: usize, run: &mut impl FnMut(usize, usize)) {
        let Some((axis, inner)) = axes.split_first() else { return run(from as usize, to) };
        for i in 0..axis.count {
            descend(inner, from + i as i64 * axis.from, to + i * axis.to, run);
        }
    }
    descend(&lattice.axes, lattice.from as i64, lattice.to, &mut |from_at, to_at| {
        let out = &mut to[to_at..to_at + lattice.run];
        unshuffle_part(from, order.element, from_at / order.element, out);
        order.settle(out);
    });
}

struct Copier {
    run: usize,
    line: Axis,
    order: Order,
}

impl Copier {
    // Recursion instead of an `Odometer`: a place takes two additions and no memory.
    // Every axis has two places or more, so that there are fewer axes than bits in an address.
    fn descend(&self, axes: &[Axis], from: &[u8], from_at: usize, to: &mut [u8], to_at: usize) {
        let Some((axis, inner)) = axes.split_first() else {
            return self.copy_line(from, from_at, to, to_at);
        };
        for i in 0..axis.count {
            let place = from_at as i64 + i as i64 * axis.from;
            self.descend(inner, from, place as usize, to, to_at + i * axis.to);
        }
    }

    fn copy_line(&self, from: &[u8], from_at: usize, to: &mut [u8], to_at: usize) {
        let axis = &self.line;
        let low = (from_at as i64 + axis.lowest()) as usize;
        let from = &from[low..low + axis.reach() as usize + self.run];
        let to = &mut to[to_at..to_at + (axis.count - 1) * axis.to + self.run];
        if axis.count == 1 {
            return self.copy_run(from, to);
        }
        let places = to.chunks_mut(axis.to);
        match axis.from {
            0 => self.copy_runs(std::iter::repeat(from), places),
            distance @ 1.. => self.copy_runs(from.chunks(distance as usize), places),
            distance => self.copy_runs(from.chunks(distance.unsigned_abs() as usize).rev(), places),
        }
    }

    /// The loop in which strided reading spends its time; there is one copy of it per element size.
    fn copy_runs<'f, 't>(
        &self,
        from: impl Iterator<Item = &'f [u8]>,
        to: impl Iterator<Item = &'t mut [u8]>,
    ) {
        fn each<'f, 't, const N: usize>(
            from: impl Iterator<Item = &'f [u8]>,
            to: impl Iterator<Item = &'t mut [u8]>,
            swap: bool,
        ) {
            for (to, from) in to.zip(from) {
                if let (Some(to), Some(from)) = (to.first_chunk_mut::<N>(), from.first_chunk::<N>()) {
                    *to = *from;
                    if swap {
                        to.reverse();
                    }
                }
            }
        }
        let swap = self.order.swap;
        match if self.run == self.order.element { self.run } else { 0 } {
            1 => each::<1>(from, to, false),
            2 => each::<2>(from, to, swap),
            4 => each::<4>(from, to, swap),
            8 => each::<8>(from, to, swap),
            _ => to.zip(from).for_each(|(to, from)| self.copy_run(&from[..self.run], &mut to[..self.run])),
        }
    }

    fn copy_run(&self, from: &[u8], to: &mut [u8]) {
        to.copy_from_slice(from);
        self.order.settle(to);
    }
}
