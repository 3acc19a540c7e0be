//! The drawing of the array of fragments: which square represents which fragments.
//!
//! One dimension with more than one fragment becomes a strip, wrapped into rows; two become a table. If there are more,
//! some are put side by side so that the drawing is about three times as wide as high. A large array is drawn in bins,
//! each in the colours of its most frequent and its most remarkable fragments.

use super::super::report::{State, VariableReport};
use crate::selection::index_at;

/// The maximum number of squares of a drawing, across and down.
const MOST_ACROSS: u64 = 120;
const MOST_DOWN: u64 = 50;
/// The number of squares in a row of a wrapped strip.
const STRIP: u64 = 60;

/// One square.
pub(super) struct Cell {
    pub(super) column: u64,
    pub(super) row: u64,
    /// The most remarkable state in it.
    pub(super) state: State,
    /// The most frequent state in it.
    pub(super) common: State,
    /// The share of it in the most remarkable state, 0 to 1.
    pub(super) share: f64,
    /// A description of its contents, for people.
    pub(super) title: String,
}

/// A drawing of the array of fragments.
pub(super) struct Map {
    pub(super) columns: u64,
    pub(super) rows: u64,
    pub(super) cells: Vec<Cell>,
    /// The dimensions that go across and down, for people.
    pub(super) across: String,
    pub(super) down: String,
    /// The number of fragments that one square represents, across and down.
    pub(super) bin: (u64, u64),
}

impl Map {
    /// Returns the drawing of a variable whose fragments were checked; `None` if there is nothing to draw.
    pub(super) fn of(variable: &VariableReport) -> Option<Map> {
        let fragments = variable.fragments();
        let total: u64 = fragments.iter().product();
        if total == 0 || variable.states.len() as u64 != total {
            return None;
        }
        let long: Vec<usize> = (0..fragments.len()).filter(|&d| fragments[d] > 1).collect();
        Some(match long.as_slice() {
            [] => strip(variable, &[], 1),
            [one] => strip(variable, &[*one], fragments[*one]),
            _ => table(variable, &long),
        })
    }
}

fn names(variable: &VariableReport, dimensions: &[usize]) -> String {
    let list: Vec<&str> = dimensions.iter().map(|&d| variable.dimensions[d].as_str()).collect();
    list.join(" × ")
}

/// Draws fragments along one dimension, row after row.
fn strip(variable: &VariableReport, dimensions: &[usize], count: u64) -> Map {
    let bin = count.div_ceil(MOST_ACROSS * MOST_DOWN / 2);
    let squares = count.div_ceil(bin);
    let columns = squares.min(STRIP);
    let cells = (0..squares)
        .map(|i| {
            let range = i * bin..((i + 1) * bin).min(count);
            cell(variable, i % columns, i / columns, range.map(|n| n as usize))
        })
        .collect();
    Map {
        columns,
        rows: squares.div_ceil(columns),
        cells,
        across: names(variable, dimensions),
        down: String::new(),
        bin: (bin, 1),
    }
}

/// Draws fragments along several dimensions: some go across, the others down.
fn table(variable: &VariableReport, long: &[usize]) -> Map {
    let fragments = variable.fragments();
    let size = |dimensions: &[usize]| dimensions.iter().map(|&d| fragments[d]).product::<u64>();
    let mut best: Option<(f64, Vec<usize>, Vec<usize>)> = None;
    for cut in 1..long.len() {
        let (first, last) = long.split_at(cut);
        for (across, down) in [(last, first), (first, last)] {
            let aspect = size(across) as f64 / size(down) as f64;
            let distance = (aspect / 3.0).ln().abs();
            // The usual order (last dimension across) is kept unless it is much worse.
            let distance = if across == last { distance - 1.2 } else { distance };
            if best.as_ref().is_none_or(|(least, _, _)| distance < *least) {
                best = Some((distance, across.to_vec(), down.to_vec()));
            }
        }
    }
    let (_, across, down) = best.unwrap_or_default();
    let (wide, high) = (size(&across), size(&down));
    let bin = (wide.div_ceil(MOST_ACROSS), high.div_ceil(MOST_DOWN));
    let (columns, rows) = (wide.div_ceil(bin.0), high.div_ceil(bin.1));
    let strides = crate::selection::c_strides(&fragments);
    let offset = |dimensions: &[usize], n: u64| -> u64 {
        let counts: Vec<u64> = dimensions.iter().map(|&d| fragments[d]).collect();
        dimensions.iter().zip(index_at(&counts, n)).map(|(&d, i)| i * strides[d]).sum()
    };
    let mut cells = Vec::with_capacity((columns * rows) as usize);
    for row in 0..rows {
        let ys: Vec<u64> = (row * bin.1..((row + 1) * bin.1).min(high)).map(|y| offset(&down, y)).collect();
        for column in 0..columns {
            let xs = column * bin.0..((column + 1) * bin.0).min(wide);
            let inside =
                xs.map(|x| offset(&across, x)).flat_map(|x| ys.iter().map(move |y| (x + y) as usize));
            cells.push(cell(variable, column, row, inside));
        }
    }
    Map { columns, rows, cells, across: names(variable, &across), down: names(variable, &down), bin }
}

fn cell(variable: &VariableReport, column: u64, row: u64, inside: impl Iterator<Item = usize>) -> Cell {
    let mut counts = [0u64; State::ALL.len()];
    let (mut first, mut last, mut total) = (usize::MAX, 0, 0u64);
    for i in inside {
        counts[variable.states[i] as usize] += 1;
        (first, last, total) = (first.min(i), last.max(i), total + 1);
    }
    let state = State::ALL.into_iter().rev().find(|&s| counts[s as usize] > 0).unwrap_or(State::Unchecked);
    let most = counts.iter().copied().max().unwrap_or(0);
    let common = State::ALL.into_iter().find(|&s| counts[s as usize] == most).unwrap_or(state);
    let share = counts[state as usize] as f64 / total.max(1) as f64;
    let title = if total == 1 {
        format!(
            "fragment {}: {}\n{}",
            bracketed(&index(variable, first)),
            state.meaning(),
            part(variable, first)
        )
    } else {
        let parts: Vec<String> = State::ALL
            .into_iter()
            .rev()
            .filter(|&s| counts[s as usize] > 0)
            .map(|s| format!("{} {}", counts[s as usize], s.meaning()))
            .collect();
        format!(
            "{total} fragments, {} to {}\n{}",
            bracketed(&index(variable, first)),
            bracketed(&index(variable, last)),
            parts.join(", ")
        )
    };
    Cell { column, row, state, common, share, title }
}

fn index(variable: &VariableReport, at: usize) -> Vec<u64> {
    index_at(&variable.fragments(), at as u64)
}

fn bracketed(index: &[u64]) -> String {
    let words: Vec<String> = index.iter().map(u64::to_string).collect();
    format!("[{}]", words.join(", "))
}

/// Returns the part of the aggregated data that a fragment provides, as text.
fn part(variable: &VariableReport, at: usize) -> String {
    let words: Vec<String> = index(variable, at)
        .iter()
        .enumerate()
        .map(|(d, &i)| {
            let range = variable.range(d, i);
            format!("{} {}–{}", variable.dimensions[d], range.start, range.end - 1)
        })
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::grid::Grid;
    use crate::model::Dialect;
    use crate::value::DataType;
    use std::sync::Arc;

    fn grid(fragments: &[u64]) -> Grid {
        let sizes: Vec<Vec<u64>> = fragments.iter().map(|&n| vec![2; n as usize]).collect();
        let shape: Vec<u64> = fragments.iter().map(|n| 2 * n).collect();
        Grid::from_sizes(&sizes, &shape).unwrap()
    }

    fn variable(fragments: &[u64]) -> VariableReport {
        VariableReport {
            path: "/v".into(),
            dialect: Dialect::Cf113,
            data_type: DataType::F32,
            dimensions: (0..fragments.len()).map(|d| format!("d{d}")).collect(),
            shape: Some(fragments.iter().map(|n| 2 * n).collect()),
            grid: Some(Arc::new(grid(fragments))),
            states: vec![State::Present; fragments.iter().product::<u64>() as usize],
        }
    }

    #[test]
    fn every_fragment_is_in_exactly_one_square() {
        let shapes: [&[u64]; 7] = [&[], &[1, 1], &[7], &[200], &[3, 2], &[365, 4, 4], &[2, 3, 40, 50]];
        for shape in shapes {
            let mut variable = variable(shape);
            let total = variable.states.len();
            for marked in [0, total / 2, total - 1] {
                variable.states[marked] = State::Wrong;
                let map = Map::of(&variable).unwrap();
                assert!(map.columns <= MOST_ACROSS && map.cells.len() as u64 <= map.columns * map.rows);
                let hits = map.cells.iter().filter(|c| c.state == State::Wrong).count();
                assert_eq!(hits, 1, "{shape:?} {marked}");
                variable.states[marked] = State::Present;
            }
        }
    }

    #[test]
    fn a_million_fragments_are_a_few_thousand_squares() {
        for shape in [&[1_000_000u64][..], &[1000, 1000], &[10_000, 10, 10]] {
            let mut variable = variable(shape);
            variable.states[777_777] = State::Missing;
            let map = Map::of(&variable).unwrap();
            assert!(map.cells.len() as u64 <= MOST_ACROSS * MOST_DOWN, "{shape:?}: {}", map.cells.len());
            let marked: Vec<_> = map.cells.iter().filter(|c| c.state == State::Missing).collect();
            assert_eq!(marked.len(), 1);
            assert!(marked[0].title.contains("1 missing"), "{}", marked[0].title);
        }
    }

    #[test]
    fn a_square_tells_its_fragment_and_part() {
        let map = Map::of(&variable(&[3, 2])).unwrap();
        assert_eq!((map.columns, map.rows, map.across.as_str(), map.down.as_str()), (2, 3, "d1", "d0"));
        let last = map.cells.last().unwrap();
        assert_eq!(last.title, "fragment [2, 1]: present\nd0 4–5, d1 2–3");
        let time = Map::of(&variable(&[365, 4])).unwrap();
        assert_eq!(time.across, "d0", "a long series goes across");
    }
}
