//! Index ranges: `location` (CFA-0.6b1) and `index` (CFA terms) give, for each fragment and aggregated dimension, the
//! first and last index that the fragment provides.
//!
//! The ranges must form an orthogonal array without gaps or overlaps, in the order of the array of fragments.

use std::sync::Arc;

use super::context::Context;
use super::integers;
use crate::container::allowance::Held;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::model::grid::{Grid, Row};
use crate::selection::Odometer;

/// Reads the table; its dimensions are those of the array of fragments, the number of aggregated dimensions, and 2.
///
/// # Errors
/// `Rank` if it has other dimensions, `Map` if the ranges do not tile, `Limit`.
pub fn read(cx: &mut Context, keyword: &str, variable: VariableId) -> Result<Arc<Grid>> {
    let stored = &cx.tree.variables[variable.0];
    let (path, shape, rank) = (&stored.path, &stored.array.shape, cx.rank());
    let fits = shape.len() == rank + 2 && shape[rank] == rank as u64 && shape[rank + 1] == 2;
    if rank == 0 && (fits || shape.is_empty()) {
        return cx.grid(Vec::new()).map(Arc::new);
    }
    if !fits {
        let message = format!(
            "{keyword} variable '{path}' has shape {shape:?}; after the fragments along {rank} dimensions \
             it must have {rank} and 2"
        );
        return Err(Error::new(Kind::Rank, message));
    }
    let fragments = &shape[..rank];
    cx.check_count(fragments)?;
    cx.shared(variable, true, || read_tiles(cx, keyword, variable, fragments))
}

fn read_tiles(cx: &Context, keyword: &str, variable: VariableId, fragments: &[u64]) -> Result<Grid> {
    let path = &cx.tree.variables[variable.0].path;
    let mut tiles = Tiles::new(fragments);
    let hold = |bytes: usize| cx.hold(bytes);
    integers::for_each(cx, variable, |value| {
        tiles.take(value, &hold).map_err(|(d, error)| {
            let message =
                format!("{keyword} variable '{path}', dimension '{}': {}", cx.name(d), error.message());
            Error::new(error.kind(), message).in_fragment(tiles.fragment.index())
        })
    })?;
    cx.grid(tiles.rows)
}

/// Returns the size of the range of fragment `i`, which must begin where the one before it ends.
///
/// # Errors
/// A message if it does not.
pub fn follow(i: u64, (first, last): (u64, u64), next: u64) -> Result<u64, String> {
    if first != next {
        let what = if first > next { "leaves a gap" } else { "overlaps or is out of order" };
        return Err(format!("range {first} to {last} of fragment {i} {what}; it must begin at {next}"));
    }
    if first > last {
        return Err(format!("range {first} to {last} ends before it begins"));
    }
    Ok((last - first).checked_add(1).ok_or("an index is too large")?)
}

/// Collects the ranges of each dimension and compares those that must agree.
struct Tiles {
    rows: Vec<Row>,
    fragment: Odometer,
    dimension: usize,
    first: Option<u64>,
}

impl Tiles {
    fn new(fragments: &[u64]) -> Self {
        let rank = fragments.len();
        Tiles {
            rows: (0..rank).map(|_| Row::default()).collect(),
            fragment: Odometer::new(fragments),
            dimension: 0,
            first: None,
        }
    }

    fn take(
        &mut self,
        value: Option<i128>,
        hold: &dyn Fn(usize) -> Result<Held>,
    ) -> Result<(), (usize, Error)> {
        let d = self.dimension;
        self.take_index(value, hold).map_err(|error| (d, error))
    }

    fn take_index(&mut self, value: Option<i128>, hold: &dyn Fn(usize) -> Result<Held>) -> Result<()> {
        let wrong = |what: String| Error::new(Kind::Map, what);
        let index = match value.map(u64::try_from) {
            Some(Ok(index)) => index,
            Some(Err(_)) => return Err(wrong(format!("index {} is negative", value.unwrap_or(0)))),
            None => return Err(wrong("an index is missing".into())),
        };
        let Some(first) = self.first.take() else {
            self.first = Some(index);
            return Ok(());
        };
        if first > index {
            return Err(wrong(format!("range {first} to {index} ends before it begins")));
        }
        // In C order a position along a dimension is first met right after the one before it.
        let (row, position) = (&mut self.rows[self.dimension], self.fragment.index()[self.dimension]);
        if position >= row.len() {
            let next = u64::try_from(row.sum()).unwrap_or(u64::MAX);
            let size = follow(position, (first, index), next).map_err(wrong)?;
            row.push(1, size, hold)?;
        } else {
            let known = row.range(position);
            if known != (first..index.saturating_add(1)) {
                let (a, b) = (known.start, known.end - 1);
                return Err(wrong(format!(
                    "range {first} to {index} differs from {a} to {b} of the others in its place"
                )));
            }
        }
        self.advance();
        Ok(())
    }

    fn advance(&mut self) {
        self.dimension += 1;
        if self.dimension >= self.rows.len() {
            self.dimension = 0;
            self.fragment.advance();
        }
    }
}

/// Checks that a variable has the position of each fragment in the array of fragments (`fragment` of CFA terms).
///
/// # Errors
/// `Rank` or `Map`.
pub fn check_positions(cx: &Context, variable: VariableId, grid: &Grid) -> Result<()> {
    let stored = &cx.tree.variables[variable.0];
    let (path, rank) = (&stored.path, cx.rank());
    let mut expected = grid.fragments().to_vec();
    expected.push(rank as u64);
    if stored.array.shape != expected {
        let message =
            format!("fragment variable '{path}' has shape {:?}; it must be {expected:?}", stored.array.shape);
        return Err(Error::new(Kind::Rank, message));
    }
    let (mut at, strides) = (0u64, crate::selection::c_strides(grid.fragments()));
    integers::for_each(cx, variable, |value| {
        let (fragment, d) = (at / rank as u64, (at % rank as u64) as usize);
        let position = fragment / strides[d] % grid.fragments()[d];
        at += 1;
        if value == Some(i128::from(position)) {
            return Ok(());
        }
        let message =
            format!("fragment variable '{path}' must have the position of each fragment, here {position}");
        Err(Error::new(Kind::Map, message))
    })
}
