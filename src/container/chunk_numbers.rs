//! The numbers of the chunks that a selection touches, in C order over all chunks of the array. Pure arithmetic.

use crate::selection::Selection;

/// The chunks that a selection, which is not empty, touches.
#[derive(Clone, Copy, Debug)]
pub struct ChunkNumbers<'a> {
    selection: &'a Selection,
    /// The shape of a chunk; all sizes are at least 1.
    chunk: &'a [u64],
}

impl<'a> ChunkNumbers<'a> {
    /// The chunks of this shape that a selection touches.
    pub fn new(selection: &'a Selection, chunk: &'a [u64]) -> Self {
        ChunkNumbers { selection, chunk }
    }

    /// Returns how many there are.
    pub fn count(&self) -> u64 {
        let along = |d: usize| match self.step(d) {
            step if step >= self.chunk[d] => self.selection.count()[d],
            _ => self.last(d) / self.chunk[d] - self.first(d) / self.chunk[d] + 1,
        };
        (0..self.chunk.len()).map(along).fold(1, u64::saturating_mul)
    }

    /// Returns the first of them from `number` on; `counts` are the chunks along each dimension.
    pub fn next(&self, number: u64, counts: &[u64]) -> Option<u64> {
        let rank = counts.len();
        let mut at = vec![0; rank];
        let mut rest = number;
        for d in (0..rank).rev() {
            at[d] = rest % counts[d];
            rest /= counts[d];
        }
        if rest > 0 {
            return None;
        }
        let mut d = 0;
        let mut least = 0;
        while d < rank {
            match self.along(d, at[d] + least) {
                Some(index) if index == at[d] => {
                    d += 1;
                    least = 0;
                }
                Some(index) => {
                    at[d] = index;
                    (d + 1..rank).for_each(|e| at[e] = self.first(e) / self.chunk[e]);
                    break;
                }
                // The next one lies further on along the dimension before.
                None => {
                    d = d.checked_sub(1)?;
                    least = 1;
                }
            }
        }
        Some(at.iter().zip(counts).fold(0, |number, (index, count)| number * count + index))
    }

    /// Returns the first index of a touched chunk along a dimension from `index` on.
    fn along(&self, d: usize, index: u64) -> Option<u64> {
        let (first, step) = (self.first(d), self.step(d));
        let ahead = index.checked_mul(self.chunk[d])?.saturating_sub(first).div_ceil(step);
        (ahead < self.selection.count()[d]).then(|| (first + ahead * step) / self.chunk[d])
    }

    fn step(&self, d: usize) -> u64 {
        self.selection.step()[d].unsigned_abs().max(1)
    }

    /// Returns the lowest selected index of a dimension.
    fn first(&self, d: usize) -> u64 {
        match self.selection.step()[d] {
            step if step < 0 => self.selection.start()[d] - (self.selection.count()[d] - 1) * self.step(d),
            _ => self.selection.start()[d],
        }
    }

    /// Returns the highest selected index of a dimension.
    fn last(&self, d: usize) -> u64 {
        self.first(d) + (self.selection.count()[d] - 1) * self.step(d)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::selection::indices;

    proptest! {
        #[test]
        fn they_are_those_of_the_selected_elements(
            axes in prop::collection::vec((1u64..30, 1u64..9, 1i64..12, any::<bool>(), 0.0..1.0, 0.0..1.0), 0..4),
        ) {
            let shape: Vec<u64> = axes.iter().map(|a| a.0).collect();
            let chunk: Vec<u64> = axes.iter().map(|a| a.1).collect();
            let step: Vec<i64> = axes.iter().map(|a| if a.3 { -a.2 } else { a.2 }).collect();
            let start: Vec<u64> = axes.iter().map(|a| (a.4 * a.0 as f64) as u64).collect();
            let count: Vec<u64> = axes.iter().zip(&start).map(|(a, &s)| {
                let room = if a.3 { s } else { a.0 - 1 - s };
                1 + (a.5 * (room / a.2 as u64 + 1) as f64) as u64 % (room / a.2 as u64 + 1)
            }).collect();
            let selection = Selection::new(&start, &count, &step, &shape).unwrap();
            let counts: Vec<u64> = shape.iter().zip(&chunk).map(|(s, c)| s.div_ceil(*c)).collect();
            let number = |at: Vec<u64>| {
                let element = |d: usize| (start[d] as i64 + at[d] as i64 * step[d]) as u64;
                (0..at.len()).fold(0, |n, d| n * counts[d] + element(d) / chunk[d])
            };
            let touched: BTreeSet<u64> = indices(&count).map(number).collect();
            let wanted = ChunkNumbers::new(&selection, &chunk);
            prop_assert_eq!(wanted.count(), touched.len() as u64);
            for from in 0..=counts.iter().product() {
                prop_assert_eq!(wanted.next(from, &counts), touched.range(from..).next().copied());
            }
        }
    }
}
