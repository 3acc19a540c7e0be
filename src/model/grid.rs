//! How the fragments tile the aggregated dimensions.

use std::ops::Range;

use crate::error::{Error, Kind, Result};

/// The sizes of the fragments along each aggregated dimension.
///
/// Neighbouring fragments of one size are stored as one run, so that a million equal ones cost as much as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    runs: Vec<Vec<Run>>,
    shape: Vec<u64>,
    fragments: Vec<u64>,
}

/// Neighbouring fragments of one size along a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// The index of the first of them.
    fragment: u64,
    /// The index at which that begins along the dimension.
    index: u64,
    /// The size of each.
    size: u64,
}

/// The numbers and sizes of runs of neighbouring fragments of equal size.
pub type Sizes = Vec<(u64, u64)>;

impl Grid {
    /// Creates a grid from the sizes of the fragments along each dimension.
    ///
    /// # Errors
    /// `Map` if a size is zero or the sizes of a dimension do not add up to `shape`.
    pub fn from_sizes(sizes: &[Vec<u64>], shape: &[u64]) -> Result<Self> {
        let runs: Vec<Sizes> = sizes.iter().map(|row| row.iter().map(|&size| (1, size)).collect()).collect();
        Grid::from_runs(&runs, shape)
    }

    /// Like [`Grid::from_sizes`], from runs of equal sizes.
    ///
    /// # Errors
    /// As [`Grid::from_sizes`].
    pub fn from_runs(sizes: &[Sizes], shape: &[u64]) -> Result<Self> {
        if sizes.len() != shape.len() {
            return Err(Error::new(
                Kind::Map,
                format!("sizes for {} dimensions; there are {}", sizes.len(), shape.len()),
            ));
        }
        let mut runs = Vec::with_capacity(sizes.len());
        let mut fragments = Vec::with_capacity(sizes.len());
        for (d, (row, &whole)) in sizes.iter().zip(shape).enumerate() {
            let (mut fragment, mut index) = (0u64, 0u64);
            let mut along: Vec<Run> = Vec::new();
            for &(n, size) in row {
                if size == 0 {
                    return Err(Error::new(
                        Kind::Map,
                        format!("fragment {fragment} of dimension {d} has size 0"),
                    ));
                }
                if along.last().is_none_or(|run| run.size != size) {
                    along.push(Run { fragment, index, size });
                }
                let overflow = || Error::new(Kind::Map, format!("fragment sizes of dimension {d} overflow"));
                index = n.checked_mul(size).and_then(|m| index.checked_add(m)).ok_or_else(overflow)?;
                fragment += n;
            }
            if index != whole {
                return Err(Error::new(
                    Kind::Map,
                    format!(
                        "fragment sizes of dimension {d} add up to {index}; the dimension has size {whole}"
                    ),
                ));
            }
            along.shrink_to_fit();
            runs.push(along);
            fragments.push(fragment);
        }
        Ok(Grid { runs, shape: shape.to_vec(), fragments })
    }

    /// Returns the shape of the aggregated data.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the shape of the array of fragments.
    pub fn fragments(&self) -> &[u64] {
        &self.fragments
    }

    /// Returns the number of a fragment in C order.
    pub fn number(&self, index: &[u64]) -> u64 {
        index.iter().zip(&self.fragments).fold(0u64, |n, (&i, &size)| n.wrapping_mul(size).wrapping_add(i))
    }

    /// Returns the canonical shape of the fragment at `index`.
    pub fn shape_of(&self, index: &[u64]) -> Vec<u64> {
        let ranges = index.iter().enumerate().map(|(d, &i)| self.range(d, i));
        ranges.map(|range| range.end - range.start).collect()
    }

    /// Returns the indices of the aggregated dimension that fragment `i` along it provides.
    pub fn range(&self, dimension: usize, i: u64) -> Range<u64> {
        let runs = &self.runs[dimension];
        let run = runs[runs.partition_point(|r| r.fragment <= i) - 1];
        let start = run.index + (i - run.fragment) * run.size;
        start..start + run.size
    }

    /// Returns the sizes of all fragments along a dimension.
    pub fn sizes(&self, dimension: usize) -> impl Iterator<Item = u64> + '_ {
        (0..self.fragments[dimension]).map(move |i| {
            let range = self.range(dimension, i);
            range.end - range.start
        })
    }

    /// Returns the fragment along a dimension that provides this index.
    pub fn find(&self, dimension: usize, index: u64) -> u64 {
        let runs = &self.runs[dimension];
        let run = runs[runs.partition_point(|r| r.index <= index) - 1];
        run.fragment + (index - run.index) / run.size
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
    fn equal_neighbours_are_one_run() {
        let grid = Grid::from_runs(&[vec![(1_000_000, 3), (1, 3), (2, 5)]], &[3_000_013]).unwrap();
        assert_eq!(grid.runs[0].len(), 2);
        assert_eq!(grid.fragments(), [1_000_003]);
        assert_eq!(grid.range(0, 1_000_001), 3_000_003..3_000_008);
        assert_eq!(
            [0, 3_000_002, 3_000_003, 3_000_012].map(|i| grid.find(0, i)),
            [0, 1_000_000, 1_000_001, 1_000_002]
        );
        assert!(Grid::from_runs(&[vec![(u64::MAX, 2)]], &[8]).is_err());
    }

    #[test]
    fn sizes_must_sum_to_the_dimension() {
        for bad in [vec![90u64, 45], vec![180, 0], vec![u64::MAX, 181], vec![]] {
            assert_eq!(Grid::from_sizes(&[bad], &[180]).unwrap_err().kind(), Kind::Map);
        }
    }
}
