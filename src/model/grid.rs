//! How the fragments tile the aggregated dimensions.

use std::ops::Range;

use crate::container::allowance::Held;
use crate::error::{Error, Kind, Result};

/// The sizes of the fragments along each aggregated dimension.
///
/// Neighbouring fragments of one size are stored as one run, so that a million equal ones cost as much as one.
#[derive(Debug)]
pub struct Grid {
    runs: Vec<Vec<Run>>,
    shape: Vec<u64>,
    fragments: Vec<u64>,
    /// Counts the memory of the runs.
    _held: Vec<Held>,
}

/// Where neighbouring fragments of one size begin. The next run, or the end, determines their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// The index of the first of them.
    fragment: u64,
    /// The index at which that begins along the dimension.
    index: u64,
}

/// The fragments along one dimension, from the first to the last.
#[derive(Debug, Default)]
pub struct Row {
    runs: Vec<Run>,
    /// How many fragments the runs have, and where they end.
    end: (u64, u64),
    /// The number and size of the last equal fragments, which are no run yet.
    last: (u64, u64),
    held: Option<Held>,
}

impl Row {
    /// Adds `n` fragments of one size. `hold` counts the memory that is about to be taken.
    ///
    /// # Errors
    /// `Map` if a size is zero or the sizes overflow, and those of `hold`.
    pub(crate) fn push(&mut self, n: u64, size: u64, hold: &dyn Fn(usize) -> Result<Held>) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        if size == 0 {
            let at = self.end.0.saturating_add(self.last.0);
            return Err(Error::new(Kind::Map, format!("fragment {at} has size 0")));
        }
        if self.last.1 != size {
            self.settle(hold)?;
            self.last = (0, size);
        }
        self.last.0 = self.last.0.checked_add(n).ok_or_else(overflow)?;
        Ok(())
    }

    /// Makes a run of the last fragments.
    fn settle(&mut self, hold: &dyn Fn(usize) -> Result<Held>) -> Result<()> {
        let (n, size) = std::mem::take(&mut self.last);
        if n == 0 {
            return Ok(());
        }
        let (fragment, index) = self.end;
        let end = n.checked_mul(size).and_then(|m| index.checked_add(m));
        let end = end.filter(|&end| i64::try_from(end).is_ok()).ok_or_else(overflow)?;
        self.end = (fragment.checked_add(n).ok_or_else(overflow)?, end);
        if self.runs.len() == self.runs.capacity() {
            self.grow(hold)?;
        }
        self.runs.push(Run { fragment, index });
        Ok(())
    }

    fn grow(&mut self, hold: &dyn Fn(usize) -> Result<Held>) -> Result<()> {
        let more = (self.runs.len() / 4).max(1);
        // The old list and the new one are in memory at once.
        let held = hold((self.runs.len() + more) * size_of::<Run>())?;
        self.runs
            .try_reserve_exact(more)
            .map_err(|_| Error::new(Kind::Limit, "no memory for the sizes of the fragments"))?;
        self.held = Some(held);
        Ok(())
    }

    /// Returns the number of fragments.
    pub(crate) fn len(&self) -> u64 {
        self.end.0.saturating_add(self.last.0)
    }

    /// Returns the sum of the sizes.
    pub(crate) fn sum(&self) -> i128 {
        i128::from(self.end.1) + i128::from(self.last.0) * i128::from(self.last.1)
    }

    /// Returns the number and size of the last equal fragments.
    pub(crate) fn last(&self) -> (u64, u64) {
        self.last
    }

    /// Drops `n` of the last equal fragments.
    pub(crate) fn drop_last(&mut self, n: u64) {
        self.last.0 = self.last.0.saturating_sub(n);
    }

    /// Returns the part of the dimension that fragment `i`, which was added, provides.
    pub(crate) fn range(&self, i: u64) -> Range<u64> {
        if i >= self.end.0 {
            let (n, size) = (i - self.end.0, self.last.1);
            let start = self.end.1.saturating_add(n.saturating_mul(size));
            return start..start.saturating_add(size);
        }
        range(&self.runs, self.end, i)
    }
}

fn overflow() -> Error {
    Error::new(Kind::Map, "the sizes of the fragments overflow")
}

/// Returns what fragment `i` provides; after the runs come `end.0` fragments and `end.1` indices.
fn range(runs: &[Run], end: (u64, u64), i: u64) -> Range<u64> {
    let at = runs.partition_point(|r| r.fragment <= i);
    let run = runs[at - 1];
    let size = size_of_run(run, runs.get(at), end);
    let start = run.index + (i - run.fragment) * size;
    start..start + size
}

fn size_of_run(run: Run, next: Option<&Run>, end: (u64, u64)) -> u64 {
    let (fragment, index) = next.map_or(end, |next| (next.fragment, next.index));
    (index - run.index) / (fragment - run.fragment)
}

impl Grid {
    /// Creates a grid from the sizes of the fragments along each dimension.
    ///
    /// # Errors
    /// `Map` if a size is zero or the sizes of a dimension do not add up to `shape`.
    #[cfg(test)]
    pub fn from_sizes(sizes: &[Vec<u64>], shape: &[u64]) -> Result<Self> {
        let mut rows = Vec::new();
        for sizes in sizes {
            let mut row = Row::default();
            sizes.iter().try_for_each(|&size| row.push(1, size, &free))?;
            rows.push(row);
        }
        Grid::from_rows(rows, shape, &free)
    }

    /// Creates a grid from the fragments along each dimension. `hold` counts the memory that is about to be taken.
    ///
    /// # Errors
    /// `Map` if the sizes of a dimension overflow or do not add up to `shape`, and those of `hold`.
    pub(crate) fn from_rows(
        rows: Vec<Row>,
        shape: &[u64],
        hold: &dyn Fn(usize) -> Result<Held>,
    ) -> Result<Self> {
        if rows.len() != shape.len() {
            return Err(Error::new(
                Kind::Map,
                format!("sizes for {} dimensions; there are {}", rows.len(), shape.len()),
            ));
        }
        let (mut runs, mut fragments, mut held) = (Vec::new(), Vec::new(), Vec::new());
        for (d, (mut row, &whole)) in rows.into_iter().zip(shape).enumerate() {
            row.settle(hold)?;
            let (count, sum) = row.end;
            if sum != whole {
                let message = format!(
                    "fragment sizes of dimension {d} add up to {sum}; the dimension has size {whole}"
                );
                return Err(Error::new(Kind::Map, message));
            }
            row.runs.shrink_to_fit();
            runs.push(row.runs);
            fragments.push(count);
            held.extend(row.held);
        }
        Ok(Grid { runs, shape: shape.to_vec(), fragments, _held: held })
    }

    /// Returns the shape of the aggregated data.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the shape of the array of fragments.
    pub fn fragments(&self) -> &[u64] {
        &self.fragments
    }

    /// Returns whether the fragments of both have the same sizes.
    pub(crate) fn tiles_like(&self, other: &Grid) -> bool {
        self.runs == other.runs && self.shape == other.shape && self.fragments == other.fragments
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
        range(&self.runs[dimension], (self.fragments[dimension], self.shape[dimension]), i)
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
        let at = runs.partition_point(|r| r.index <= index);
        let run = runs[at - 1];
        let end = (self.fragments[dimension], self.shape[dimension]);
        run.fragment + (index - run.index) / size_of_run(run, runs.get(at), end)
    }
}

/// Counts nothing.
#[cfg(test)]
pub(crate) fn free(_: usize) -> Result<Held> {
    Ok(Held::nothing())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::allowance::Allowance;

    #[test]
    fn sizes_become_ranges() {
        let grid = Grid::from_sizes(&[vec![17], vec![90, 45, 45]], &[17, 180]).unwrap();
        assert_eq!(grid.fragments(), [1, 3]);
        assert_eq!(grid.range(1, 1), 90..135);
        assert_eq!([0, 89, 90, 134, 135, 179].map(|i| grid.find(1, i)), [0, 0, 1, 1, 2, 2]);
    }

    fn row(runs: &[(u64, u64)]) -> Result<Row> {
        let mut row = Row::default();
        runs.iter().try_for_each(|&(n, size)| row.push(n, size, &free)).map(|()| row)
    }

    #[test]
    fn equal_neighbours_are_one_run() {
        let grid =
            Grid::from_rows(vec![row(&[(1_000_000, 3), (1, 3), (2, 5)]).unwrap()], &[3_000_013], &free);
        let grid = grid.unwrap();
        assert_eq!(grid.runs[0].len(), 2);
        assert_eq!(grid.fragments(), [1_000_003]);
        assert_eq!(grid.range(0, 1_000_001), 3_000_003..3_000_008);
        assert_eq!(
            [0, 3_000_002, 3_000_003, 3_000_012].map(|i| grid.find(0, i)),
            [0, 1_000_000, 1_000_001, 1_000_002]
        );
        assert!(Grid::from_rows(vec![row(&[(u64::MAX, 2)]).unwrap()], &[8], &free).is_err());
        assert!(row(&[(u64::MAX, 2), (1, 2)]).is_err());
    }

    #[test]
    fn a_row_knows_its_ranges_while_it_grows_and_drops_its_end() {
        let mut row = row(&[(2, 3), (4, 1), (3, 255)]).unwrap();
        assert_eq!([0, 1, 2, 5, 6, 8].map(|i| row.range(i).start), [0, 3, 6, 9, 10, 520]);
        assert_eq!((row.len(), row.sum(), row.last()), (9, 775, (3, 255)));
        row.drop_last(3);
        let grid = Grid::from_rows(vec![row], &[10], &free).unwrap();
        assert_eq!((grid.fragments(), grid.range(0, 5)), (&[6][..], 9..10));
    }

    #[test]
    fn runs_are_counted_before_they_take_memory() {
        let allowance = std::sync::Arc::new(Allowance::new(0, 0));
        let left = allowance.left();
        let mut row = Row::default();
        let hold = |bytes: usize| allowance.hold(bytes);
        let refused = (0..).find_map(|i| row.push(1, 1 + i % 2, &hold).err()).unwrap();
        assert_eq!(refused.kind(), Kind::Limit);
        assert!(row.runs.capacity() as u64 * 16 <= left && row.runs.len() as u64 > left / 16 / 3);
        drop(row);
        assert_eq!(allowance.left(), left);
    }

    #[test]
    fn sizes_must_sum_to_the_dimension() {
        for bad in [vec![90u64, 45], vec![180, 0], vec![u64::MAX, 181], vec![]] {
            assert_eq!(Grid::from_sizes(&[bad], &[180]).unwrap_err().kind(), Kind::Map);
        }
    }
}
