//! How the fragments tile the aggregated dimensions.

use std::ops::Range;

use crate::error::{Error, Kind, Result};

/// The sizes of the fragments along each aggregated dimension, as offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Per dimension: where each fragment begins, and last the size of the dimension.
    offsets: Vec<Vec<u64>>,
    shape: Vec<u64>,
    fragments: Vec<u64>,
}

impl Grid {
    /// From the sizes of the fragments along each dimension.
    ///
    /// # Errors
    /// `Map` when a size is zero or the sizes of a dimension do not add up to `shape`.
    pub fn from_sizes(sizes: &[Vec<u64>], shape: &[u64]) -> Result<Self> {
        if sizes.len() != shape.len() {
            return Err(Error::new(
                Kind::Map,
                format!("sizes for {} dimensions; there are {}", sizes.len(), shape.len()),
            ));
        }
        let mut offsets = Vec::with_capacity(sizes.len());
        for (d, (row, &size)) in sizes.iter().zip(shape).enumerate() {
            let mut at = 0u64;
            let mut starts = Vec::with_capacity(row.len() + 1);
            for (i, &fragment) in row.iter().enumerate() {
                starts.push(at);
                if fragment == 0 {
                    return Err(Error::new(Kind::Map, format!("fragment {i} of dimension {d} has size 0")));
                }
                at = at.checked_add(fragment).ok_or_else(|| {
                    Error::new(Kind::Map, format!("fragment sizes of dimension {d} overflow"))
                })?;
            }
            if at != size {
                return Err(Error::new(
                    Kind::Map,
                    format!("fragment sizes of dimension {d} add up to {at}; the dimension has size {size}"),
                ));
            }
            starts.push(at);
            offsets.push(starts);
        }
        let fragments = offsets.iter().map(|o| o.len() as u64 - 1).collect();
        Ok(Grid { offsets, shape: shape.to_vec(), fragments })
    }

    /// The shape of the aggregated data.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The shape of the array of fragments.
    pub fn fragments(&self) -> &[u64] {
        &self.fragments
    }

    /// The number of a fragment in C order.
    pub fn number(&self, index: &[u64]) -> u64 {
        index.iter().zip(&self.fragments).fold(0u64, |n, (&i, &size)| n.wrapping_mul(size).wrapping_add(i))
    }

    /// The indices of the aggregated dimension that fragment `i` along it provides.
    pub fn range(&self, dimension: usize, i: u64) -> Range<u64> {
        let i = i as usize;
        self.offsets[dimension][i]..self.offsets[dimension][i + 1]
    }

    /// The fragment along a dimension that provides this index.
    pub fn find(&self, dimension: usize, index: u64) -> u64 {
        (self.offsets[dimension].partition_point(|&o| o <= index) - 1) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_become_ranges() {
        let grid = Grid::from_sizes(&[vec![17], vec![90, 45, 45]], &[17, 180]).unwrap();
        assert_eq!(grid.fragments(), [1, 3]);
        assert_eq!(grid.range(1, 1), 90..135);
        assert_eq!([0, 89, 90, 134, 135, 179].map(|i| grid.find(1, i)), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn sizes_must_sum_to_the_dimension() {
        for bad in [vec![90u64, 45], vec![180, 0], vec![u64::MAX, 181], vec![]] {
            assert_eq!(Grid::from_sizes(&[bad], &[180]).unwrap_err().kind(), Kind::Map);
        }
    }
}
