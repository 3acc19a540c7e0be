//! How arrays number the chunks of a dataset (HDF5 file format VII.C, VII.D): over its maximum shape, in C order, with
//! the growing dimension first.

use super::store::damaged;
use crate::error::Result;
use crate::selection::checked_product;

/// The numbers of chunks.
pub(super) struct Numbering {
    /// Dimensions in the order of numbering, slowest first, each with its number of chunks in the current shape and the
    /// difference between the numbers of neighbours.
    axes: Vec<(usize, u64, u64)>,
}

impl Numbering {
    /// Creates the numbering of fixed arrays, for datasets that have `counts` chunks now and at most `most`.
    pub(super) fn fixed(counts: &[u64], most: Vec<u64>) -> Result<Self> {
        Self::new(counts, most, 0..counts.len())
    }

    /// Creates the numbering of extensible arrays, for datasets that grow along one dimension.
    pub(super) fn growing(counts: &[u64], most: Vec<u64>, unlimited: usize) -> Result<Self> {
        let others = (0..counts.len()).filter(|&d| d != unlimited);
        Self::new(counts, most, [unlimited].into_iter().chain(others))
    }

    fn new(counts: &[u64], mut most: Vec<u64>, order: impl Iterator<Item = usize>) -> Result<Self> {
        most.iter_mut().zip(counts).for_each(|(most, count)| *most = (*most).max(*count));
        let order: Vec<usize> = order.collect();
        let faster = order.iter().skip(1).map(|&d| most[d]).collect::<Vec<u64>>();
        let mut axes = Vec::new();
        for (place, &d) in order.iter().enumerate() {
            let step = checked_product(&faster[place..]).ok_or_else(too_many)?;
            axes.push((d, counts[d], step));
        }
        Ok(Numbering { axes })
    }

    /// Returns the number of the last chunk of the current shape, which must have chunks.
    pub(super) fn last(&self) -> Result<u64> {
        let mut number = 0u64;
        for &(_, count, step) in &self.axes {
            let part = count.checked_sub(1).and_then(|last| last.checked_mul(step));
            number = part.and_then(|part| number.checked_add(part)).ok_or_else(too_many)?;
        }
        Ok(number)
    }

    /// Computes the coordinates of the chunk with this number. They lie beyond the current shape if it has no such
    /// chunk.
    pub(super) fn place(&self, mut number: u64, at: &mut [u64]) {
        for &(d, _, step) in &self.axes {
            // A dimension without chunks has no numbers.
            at[d] = number.checked_div(step).unwrap_or(u64::MAX);
            number = number.checked_rem(step).unwrap_or(0);
        }
    }
}

fn too_many() -> crate::error::Error {
    damaged("too many chunks")
}
