//! The drawing of the array of fragments: which square stands for which fragments.
//!
//! Fragments along one dimension are a strip, which the browser wraps into rows; along two they are a table. If there
//! are more dimensions, some are put side by side so that the table is about three times as wide as high. A large array
//! is drawn in bins.

use std::collections::HashSet;

use crate::selection::{c_strides, checked_product, index_at};

/// The maximum number of squares of a drawing.
pub(super) const MOST_SQUARES: u64 = 6000;
/// The number of columns that fit a page, and that of a table that is scrolled so that each square is one fragment.
const FITTING: u64 = 120;
const MOST_ACROSS: u64 = 400;
/// The number of fragments whose names are kept for the pages of all variables.
const MOST_NAMED: u64 = 100_000;

/// How an array of fragments is drawn.
pub(in crate::check) struct Layout {
    fragments: Vec<u64>,
    strides: Vec<u64>,
    /// The dimensions that go across and down.
    pub(super) across: Vec<usize>,
    pub(super) down: Vec<usize>,
    /// The number of fragments across and down.
    size: (u64, u64),
    /// The number of fragments that one square stands for, across and down.
    pub(super) bin: (u64, u64),
    pub(super) columns: u64,
    pub(super) rows: u64,
}

impl Layout {
    /// Returns the drawing of an array of fragments in at most so many squares; `None` if there is nothing to draw.
    pub(in crate::check) fn of(fragments: &[u64], most: u64) -> Option<Layout> {
        let total = checked_product(fragments).filter(|&n| n > 0 && most > 0)?;
        let long: Vec<usize> = (0..fragments.len()).filter(|&d| fragments[d] > 1).collect();
        let most = most.min(MOST_SQUARES);
        let (across, down) = match long.len() {
            0 | 1 => (long, Vec::new()),
            _ => divided(fragments, &long),
        };
        let product = |dimensions: &[usize]| dimensions.iter().map(|&d| fragments[d]).product::<u64>();
        let size = match down.is_empty() {
            true => (total, 1),
            false => (product(&across), product(&down)),
        };
        let bin = match down.is_empty() {
            true => (size.0.div_ceil(most), 1),
            false => bin_of_table(size, most),
        };
        let (columns, rows) = (size.0.div_ceil(bin.0), size.1.div_ceil(bin.1));
        let strides = c_strides(fragments);
        Some(Layout { fragments: fragments.to_vec(), strides, across, down, size, bin, columns, rows })
    }

    /// Returns whether the fragments are a strip.
    pub(super) fn is_strip(&self) -> bool {
        self.down.is_empty()
    }

    /// Returns the number, in C order, of the fragment at place `n` along these dimensions together.
    fn offset(&self, dimensions: &[usize], n: u64) -> u64 {
        let counts: Vec<u64> = dimensions.iter().map(|&d| self.fragments[d]).collect();
        dimensions.iter().zip(index_at(&counts, n)).map(|(&d, i)| i * self.strides[d]).sum()
    }

    /// Returns the fragments of a row of squares by their place down.
    pub(super) fn row(&self, row: u64) -> Vec<u64> {
        let range = row * self.bin.1..((row + 1) * self.bin.1).min(self.size.1);
        range.map(|y| self.offset(&self.down, y)).collect()
    }

    /// Returns the numbers of the fragments of the square in a column of such a row.
    pub(super) fn inside<'a>(&'a self, column: u64, row: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        let range = column * self.bin.0..((column + 1) * self.bin.0).min(self.size.0);
        range.map(|x| self.offset(&self.across, x)).flat_map(move |x| row.iter().map(move |y| x + y))
    }

    /// Returns the numbers of the first and the last fragment of each square.
    fn ends(&self) -> HashSet<u64> {
        let mut ends = HashSet::new();
        for row in 0..self.rows {
            let down = self.row(row);
            let (Some(top), Some(foot)) = (down.first(), down.last()) else { continue };
            for column in 0..self.columns {
                let last = ((column + 1) * self.bin.0).min(self.size.0) - 1;
                ends.insert(self.offset(&self.across, column * self.bin.0) + top);
                ends.insert(self.offset(&self.across, last) + foot);
            }
        }
        ends
    }
}

/// Returns the fragments that a page names, by their numbers in C order, for each of these arrays of fragments.
pub(in crate::check) fn named<'a>(arrays: impl ExactSizeIterator<Item = &'a [u64]>) -> Vec<HashSet<u64>> {
    let most = MOST_NAMED / 2 / (arrays.len() as u64).max(1);
    arrays.map(|array| Layout::of(array, most).map_or_else(HashSet::new, |layout| layout.ends())).collect()
}

/// Returns how many fragments across and down a square of a table stands for.
fn bin_of_table((wide, high): (u64, u64), most: u64) -> (u64, u64) {
    if wide <= MOST_ACROSS && wide.checked_mul(high).is_some_and(|total| total <= most) {
        return (1, 1);
    }
    let columns = FITTING.min(wide).min((most / high).max((most as f64 * 2.4).sqrt() as u64)).clamp(1, most);
    (wide.div_ceil(columns), high.div_ceil(most / columns))
}

/// Divides dimensions into those that go across and those that go down.
fn divided(fragments: &[u64], long: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let size = |dimensions: &[usize]| dimensions.iter().map(|&d| fragments[d]).product::<u64>();
    let mut best: Option<(f64, &[usize], &[usize])> = None;
    for cut in 1..long.len() {
        let (first, last) = long.split_at(cut);
        for (across, down) in [(last, first), (first, last)] {
            let aspect = size(across) as f64 / size(down) as f64;
            let distance = (aspect / 3.0).ln().abs();
            // The usual order (last dimension across) is kept unless it is much worse.
            let distance = if across == last { distance - 1.2 } else { distance };
            if best.is_none_or(|(least, _, _)| distance < least) {
                best = Some((distance, across, down));
            }
        }
    }
    let (_, across, down) = best.unwrap_or_default();
    (across.to_vec(), down.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [&[u64]; 10] = [
        &[],
        &[1, 1],
        &[7],
        &[200],
        &[3, 2],
        &[365, 4, 4],
        &[2, 3, 40, 50],
        &[30_000],
        &[200, 200],
        &[1000, 10, 10],
    ];

    #[test]
    fn every_fragment_is_in_exactly_one_square() {
        for shape in SHAPES {
            for most in [1, 7, 40, 600, 6000] {
                let layout = Layout::of(shape, most).unwrap();
                let total = shape.iter().product::<u64>();
                assert!(
                    layout.columns * layout.rows <= most,
                    "{shape:?} in {most}: {} {}",
                    layout.columns,
                    layout.rows
                );
                let mut seen = vec![false; total as usize];
                let mut ends = HashSet::new();
                for row in 0..layout.rows {
                    let down = layout.row(row);
                    for column in 0..layout.columns {
                        let inside: Vec<u64> = layout.inside(column, &down).collect();
                        ends.extend([inside.iter().min().unwrap(), inside.iter().max().unwrap()].map(|n| *n));
                        inside.iter().for_each(|&n| assert!(!std::mem::replace(&mut seen[n as usize], true)));
                    }
                }
                assert!(seen.iter().all(|s| *s), "{shape:?} in {most}");
                assert_eq!(layout.ends(), ends, "{shape:?} in {most}");
                assert!(most < total || layout.bin == (1, 1), "{shape:?} in {most}");
            }
        }
        assert!(Layout::of(&[3, 0], 10).is_none() && Layout::of(&[u64::MAX, 3], 10).is_none());
    }

    #[test]
    fn a_long_series_goes_across() {
        let place = |shape: &[u64]| {
            let layout = Layout::of(shape, MOST_SQUARES).unwrap();
            (layout.columns, layout.rows, layout.across, layout.down)
        };
        assert_eq!(place(&[3, 2]), (2, 3, vec![1], vec![0]));
        let (_, _, across, down) = place(&[365, 4]);
        assert_eq!((across, down), (vec![0], vec![1]));
        assert_eq!(place(&[1, 5000]).0, 5000);
    }

    #[test]
    fn names_are_few_whatever_the_number_of_variables() {
        for (variables, fragments) in [(1, 5000), (1, 1_000_000), (200, 365), (200, 100_000), (60_000, 10)] {
            let shape = [fragments];
            let named = named(vec![&shape[..]; variables].into_iter());
            assert_eq!(named.len(), variables);
            assert!(named.iter().map(HashSet::len).sum::<usize>() as u64 <= MOST_NAMED);
        }
        assert_eq!(named([&[5000u64][..]].into_iter())[0].len(), 5000);
        assert_eq!(named(vec![&[365u64][..]; 130].into_iter())[0].len(), 365);
    }
}
