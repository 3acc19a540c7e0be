//! A part of an array that consists of several ranges of indices along each dimension, which are joined.

use crate::error::Result;
use crate::selection::{indices, Selection};

/// Indices along one dimension: `start + i * step`, for `i < count`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The first index.
    pub start: u64,
    /// The number of indices.
    pub count: u64,
    /// The distance between them.
    pub step: i64,
    /// The number to add to the coordinates there: 0, or a multiple of 360 for longitudes that were selected by other
    /// numbers for the same places (`lon=-20..20` where the file has 340 to 380).
    pub shift: f64,
}

impl Range {
    /// Returns index `i` of the range, which must be less than `count`.
    pub(crate) fn index(&self, i: u64) -> u64 {
        self.start.wrapping_add_signed(self.step.wrapping_mul(i as i64))
    }
}

/// The ranges of indices along each dimension of a variable, joined in their order.
///
/// A [`Selection`] is one range along each dimension; `Parts::from` converts it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    ranges: Vec<Vec<Range>>,
}

impl Parts {
    /// Creates parts from the ranges along each dimension. Reading checks the ranges.
    pub fn new(ranges: Vec<Vec<Range>>) -> Parts {
        Parts { ranges }
    }

    /// Checks the ranges against the shape of the array.
    ///
    /// # Errors
    /// `Request` if the ranks differ, a step is zero, or an index lies outside.
    pub fn check(&self, shape: &[u64]) -> Result<()> {
        for (d, ranges) in self.ranges.iter().enumerate() {
            for range in ranges {
                let size = shape.get(d..d + 1).unwrap_or_default();
                Selection::new(&[range.start], &[range.count], &[range.step], size)?;
            }
        }
        Ok(())
    }

    /// Returns the number of indices along each dimension, which is the shape of the result.
    pub fn count(&self) -> Vec<u64> {
        let sum = |ranges: &Vec<Range>| ranges.iter().fold(0u64, |n, range| n.saturating_add(range.count));
        self.ranges.iter().map(sum).collect()
    }

    /// Returns the ranges along a dimension.
    ///
    /// # Panics
    /// Panics if there is no such dimension.
    pub fn ranges(&self, dimension: usize) -> &[Range] {
        &self.ranges[dimension]
    }

    /// Returns the same as one selection, if there is one range along each dimension.
    ///
    /// # Errors
    /// `Request` if it reaches outside this shape.
    pub fn single(&self, shape: &[u64]) -> Result<Option<Selection>> {
        match self.ranges.iter().all(|ranges| ranges.len() == 1) {
            true => selection(self.ranges.iter().map(|ranges| ranges[0]), shape).map(Some),
            false => Ok(None),
        }
    }

    /// Returns the first range along dimension `d`, and the whole of the others.
    pub(in crate::dataset) fn first(&self, d: usize, shape: &[u64]) -> Result<Selection> {
        let mut whole = Parts::from(Selection::all(shape));
        whole.ranges[d] = self.ranges[d].clone();
        whole.ranges[d].truncate(1);
        selection(whole.ranges.iter().map(|ranges| ranges[0]), shape)
    }

    /// Returns the selections that make up the whole, each with its place in the result.
    ///
    /// # Errors
    /// Each is `Request` if it reaches outside this shape.
    pub(crate) fn blocks<'a>(
        &'a self,
        shape: &'a [u64],
    ) -> impl Iterator<Item = Result<(Selection, Vec<u64>)>> + 'a {
        let numbers: Vec<u64> = self.ranges.iter().map(|ranges| ranges.len() as u64).collect();
        let places: Vec<Vec<u64>> = self.ranges.iter().map(|ranges| places(ranges)).collect();
        indices(&numbers).map(move |at| {
            let one = self.ranges.iter().zip(&at).map(|(ranges, &r)| ranges[r as usize]);
            let place = places.iter().zip(&at).map(|(places, &r)| places[r as usize]).collect();
            Ok((selection(one, shape)?, place))
        })
    }

    /// Returns the parts of a block of the result.
    pub(crate) fn block(&self, start: &[u64], count: &[u64]) -> Parts {
        let cut = |(d, ranges): (usize, &Vec<Range>)| {
            let (from, to) = (start[d], start[d].saturating_add(count[d]));
            let cut = |(range, place): (&Range, u64)| {
                let first = from.saturating_sub(place).min(range.count);
                let end = to.saturating_sub(place).min(range.count);
                let cut = Range { start: range.index(first), count: end.saturating_sub(first), ..*range };
                (cut.count > 0).then_some(cut)
            };
            let inside: Vec<Range> = ranges.iter().zip(places(ranges)).filter_map(cut).collect();
            match inside.is_empty() {
                true => vec![Range { start: 0, count: 0, step: 1, shift: 0.0 }],
                false => inside,
            }
        };
        Parts { ranges: self.ranges.iter().enumerate().map(cut).collect() }
    }
}

impl From<Selection> for Parts {
    fn from(selection: Selection) -> Parts {
        let range = |d: usize| Range {
            start: selection.start()[d],
            count: selection.count()[d],
            step: selection.step()[d],
            shift: 0.0,
        };
        Parts { ranges: (0..selection.rank()).map(|d| vec![range(d)]).collect() }
    }
}

/// Returns the place of each range in the result.
fn places(ranges: &[Range]) -> Vec<u64> {
    let next = |end: &mut u64, range: &Range| {
        let place = *end;
        *end = end.saturating_add(range.count);
        Some(place)
    };
    ranges.iter().scan(0, next).collect()
}

fn selection(ranges: impl Iterator<Item = Range>, shape: &[u64]) -> Result<Selection> {
    let (mut start, mut count, mut step) = (Vec::new(), Vec::new(), Vec::new());
    for range in ranges {
        start.push(range.start);
        count.push(range.count);
        step.push(range.step);
    }
    Selection::new(&start, &count, &step, shape)
}

/// Appends the indices of other ranges, of step 1, except those that are there already.
pub(super) fn append(ranges: &mut Vec<Range>, new: Vec<Range>) {
    // No two of them have an index in common.
    let mut taken: Vec<(u64, u64)> =
        ranges.iter().map(|range| (range.start, range.start + range.count)).collect();
    taken.sort_unstable();
    for range in new {
        let (mut start, end) = (range.start, range.start + range.count);
        let first = taken.partition_point(|&(_, taken_end)| taken_end <= start);
        let within = taken[first..].iter().take_while(|&&(from, _)| from < end);
        for &(from, to) in within.chain([&(end, end)]) {
            if start < from {
                push(ranges, Range { start, count: from - start, ..range });
            }
            start = start.max(to);
        }
    }
}

/// Appends a range of step 1, as a part of the last one if it continues that.
pub(super) fn push(ranges: &mut Vec<Range>, range: Range) {
    match ranges.last_mut() {
        Some(last) if last.start + last.count == range.start && last.shift == range.shift => {
            last.count += range.count;
        }
        _ => ranges.push(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(start: u64, count: u64) -> Range {
        Range { start, count, step: 1, shift: 0.0 }
    }

    fn listed(ranges: &[Range]) -> Vec<u64> {
        ranges.iter().flat_map(|range| (0..range.count).map(|i| range.index(i))).collect()
    }

    proptest! {
        #[test]
        fn no_index_is_appended_twice(given in proptest::collection::vec((0u64..20, 1u64..8), 1..6)) {
            let (mut ranges, mut expected) = (Vec::new(), Vec::new());
            for (start, count) in given {
                append(&mut ranges, vec![range(start, count)]);
                (start..start + count).for_each(|i| if !expected.contains(&i) { expected.push(i) });
            }
            prop_assert_eq!(listed(&ranges), expected);
        }

        #[test]
        fn a_block_of_parts_is_that_block_of_their_indices(
            given in proptest::collection::vec((0u64..20, 1u64..8), 1..6), cut in (0usize..20, 0usize..20),
        ) {
            let ranges: Vec<Range> = given.into_iter().map(|(start, count)| range(start, count)).collect();
            let all = listed(&ranges);
            let (from, to) = (cut.0.min(all.len()), cut.1.min(all.len()));
            let (from, to) = (from.min(to), from.max(to));
            let block = Parts::new(vec![ranges]).block(&[from as u64], &[(to - from) as u64]);
            prop_assert_eq!(listed(block.ranges(0)), &all[from..to]);
        }
    }
}
