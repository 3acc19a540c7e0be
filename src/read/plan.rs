//! Determines which part of which fragment a selection touches: pure arithmetic on the grid.

use crate::model::grid::Grid;
use crate::selection::Selection;

/// The part of one fragment, along one dimension, that a selection touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The fragment's index along the dimension.
    pub fragment: u64,
    /// The first index to read, relative to the beginning of the fragment.
    pub start: u64,
    /// The number of indices to read.
    pub count: u64,
    /// The distance between them.
    pub step: i64,
    /// The index of the first one in the result.
    pub at: u64,
}

/// The touched fragments along each dimension, in the order of the result.
pub struct Plan {
    spans: Vec<Vec<Span>>,
}

impl Plan {
    /// Splits a selection of the aggregated data at the borders of the fragments.
    pub fn new(grid: &Grid, selection: &Selection) -> Self {
        let spans = (0..selection.rank())
            .map(|d| split(grid, d, selection.start()[d], selection.count()[d], selection.step()[d]))
            .collect();
        Plan { spans }
    }

    /// Returns the touched fragments as blocks with evenly spaced indices, so that a whole block needs one look-up.
    ///
    /// A block has at most about `limit` fragments.
    pub fn blocks(&self, limit: usize) -> Vec<Block<'_>> {
        if self.spans.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let mut blocks = vec![Block { spans: Vec::new() }];
        let mut room = limit.max(1);
        for spans in self.spans.iter().rev() {
            let runs = even_runs(spans, room);
            room = (room / spans.len()).max(1);
            blocks = runs
                .iter()
                .flat_map(|run| {
                    blocks.iter().map(move |b| {
                        let mut spans = vec![*run];
                        spans.extend(&b.spans);
                        Block { spans }
                    })
                })
                .collect();
        }
        blocks
    }
}

fn split(grid: &Grid, dimension: usize, start: u64, count: u64, step: i64) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = 0;
    while at < count {
        let index = start.wrapping_add_signed(step.wrapping_mul(at as i64));
        let fragment = grid.find(dimension, index);
        let range = grid.range(dimension, fragment);
        let left = if step > 0 { range.end - 1 - index } else { index - range.start };
        let here = (left / step.unsigned_abs() + 1).min(count - at);
        spans.push(Span { fragment, start: index - range.start, count: here, step, at });
        at += here;
    }
    spans
}

/// Divides a list of spans into runs whose fragment indices are evenly spaced, none longer than `limit`.
fn even_runs(spans: &[Span], limit: usize) -> Vec<&[Span]> {
    let mut runs = Vec::new();
    let mut rest = spans;
    while !rest.is_empty() {
        let gap = |i: usize| rest[i].fragment as i64 - rest[i - 1].fragment as i64;
        let mut n = rest.len().min(2);
        while n < rest.len() && gap(n) == gap(1) {
            n += 1;
        }
        let (run, after) = rest.split_at(n.min(limit));
        runs.push(run);
        rest = after;
    }
    runs
}

/// A block of touched fragments.
#[derive(Debug)]
pub struct Block<'a> {
    spans: Vec<&'a [Span]>,
}

impl Block<'_> {
    /// Returns the block as a selection of the array of fragments.
    pub fn selection(&self, fragments: &[u64]) -> crate::error::Result<Selection> {
        let start: Vec<u64> = self.spans.iter().map(|s| s[0].fragment).collect();
        let count: Vec<u64> = self.spans.iter().map(|s| s.len() as u64).collect();
        let step: Vec<i64> = self
            .spans
            .iter()
            .map(|s| if s.len() < 2 { 1 } else { s[1].fragment as i64 - s[0].fragment as i64 })
            .collect();
        Selection::new(&start, &count, &step, fragments)
    }

    /// Returns the number of fragments in the block.
    pub fn len(&self) -> usize {
        self.spans.iter().map(|s| s.len()).product()
    }

    /// Returns the `i`th fragment of the block, in C order, as its span along each dimension.
    pub fn spans(&self, mut i: usize) -> Vec<Span> {
        // Without the lists of counts and indices that `selection::index_at` takes and returns: this is done for every fragment.
        let mut found: Vec<Span> = Vec::with_capacity(self.spans.len());
        for spans in self.spans.iter().rev() {
            found.push(spans[i % spans.len()]);
            i /= spans.len();
        }
        found.reverse();
        found
    }
}

/// Returns the index of the fragment in which the spans lie.
pub fn index_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.fragment).collect()
}

/// Returns where the data of the spans begin in the result.
pub fn at_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.at).collect()
}

/// Returns the extent of the data of the spans.
pub fn count_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn touched(grid: &Grid, selection: &Selection, limit: usize) -> Vec<(Vec<u64>, Vec<u64>)> {
        let plan = Plan::new(grid, selection);
        let mut found = Vec::new();
        for block in plan.blocks(limit) {
            let lookup = block.selection(grid.fragments()).unwrap();
            assert_eq!(lookup.len(), Some(block.len() as u64));
            for i in 0..block.len() {
                let piece = block.spans(i);
                let counts: Vec<u64> = piece.iter().map(|s| s.count).collect();
                for n in 0..counts.iter().product::<u64>() {
                    let mut rest = n;
                    let mut source = vec![0; piece.len()];
                    let mut target = vec![0; piece.len()];
                    for d in (0..piece.len()).rev() {
                        let k = rest % counts[d];
                        rest /= counts[d];
                        let span = piece[d];
                        let inside = span.start.wrapping_add_signed(span.step * k as i64);
                        source[d] = grid.range(d, span.fragment).start + inside;
                        assert!(grid.range(d, span.fragment).contains(&source[d]));
                        target[d] = span.at + k;
                    }
                    found.push((target, source));
                }
            }
        }
        found.sort();
        found
    }

    fn naive(selection: &Selection) -> Vec<(Vec<u64>, Vec<u64>)> {
        let total: u64 = selection.count().iter().product();
        (0..total)
            .map(|n| {
                let mut rest = n;
                let mut target = vec![0; selection.rank()];
                for d in (0..selection.rank()).rev() {
                    target[d] = rest % selection.count()[d];
                    rest /= selection.count()[d];
                }
                let source = (0..selection.rank())
                    .map(|d| selection.start()[d].wrapping_add_signed(selection.step()[d] * target[d] as i64))
                    .collect();
                (target, source)
            })
            .collect()
    }

    fn one_dimension() -> impl Strategy<Value = (Vec<u64>, u64, u64, i64)> {
        proptest::collection::vec(1u64..5, 1..6).prop_flat_map(|sizes| {
            let n: u64 = sizes.iter().sum();
            (Just(sizes), 0..n, 1i64..5, any::<bool>(), 0u64..9).prop_map(
                move |(sizes, start, step, down, want)| {
                    let room = if down { start } else { n - 1 - start };
                    let count = want.min(room / step as u64 + 1);
                    (sizes, start, count, if down { -step } else { step })
                },
            )
        })
    }

    proptest! {
        #[test]
        fn every_selected_element_comes_from_exactly_one_place(
            dims in proptest::collection::vec(one_dimension(), 0..4),
            limit in 1usize..40,
        ) {
            let sizes: Vec<_> = dims.iter().map(|d| d.0.clone()).collect();
            let shape: Vec<u64> = sizes.iter().map(|s| s.iter().sum()).collect();
            let grid = Grid::from_sizes(&sizes, &shape).unwrap();
            let start: Vec<u64> = dims.iter().map(|d| d.1).collect();
            let count: Vec<u64> = dims.iter().map(|d| d.2).collect();
            let step: Vec<i64> = dims.iter().map(|d| d.3).collect();
            let selection = Selection::new(&start, &count, &step, &shape).unwrap();
            prop_assert_eq!(touched(&grid, &selection, limit), naive(&selection));
        }
    }

    #[test]
    fn a_sparse_selection_touches_few_fragments_of_many() {
        let grid = Grid::from_sizes(&[vec![1; 100_000]], &[100_000]).unwrap();
        let selection = Selection::new(&[5], &[2], &[90_000], &[100_000]).unwrap();
        let plan = Plan::new(&grid, &selection);
        let blocks = plan.blocks(1000);
        assert_eq!(blocks.len(), 1);
        assert_eq!(blocks[0].selection(&[100_000]).unwrap().step(), [90_000]);
    }
}
