//! Index ranges: `location` (CFA-0.6b1) and `index` (CFA terms) give, for each fragment and aggregated dimension, the
//! first and last index that the fragment provides.
//!
//! The ranges must form an orthogonal array without gaps or overlaps, in the order of the array of fragments.

use super::context::Context;
use super::integers;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::model::grid::Grid;
use crate::selection::Odometer;

/// Reads the table; its dimensions are those of the array of fragments, the number of aggregated dimensions, and 2.
///
/// # Errors
/// `Rank` if it has other dimensions, `Map` if the ranges do not tile, `Limit`.
pub fn read(cx: &mut Context, keyword: &str, variable: VariableId) -> Result<Grid> {
    let stored = &cx.tree.variables[variable.0];
    let (path, shape, rank) = (&stored.path, &stored.array.shape, cx.rank());
    let fits = shape.len() == rank + 2 && shape[rank] == rank as u64 && shape[rank + 1] == 2;
    if rank == 0 && (fits || shape.is_empty()) {
        return cx.grid(&[]);
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
    let mut tiles = Tiles::new(fragments);
    integers::for_each(cx, variable, |value| {
        tiles.take(value).map_err(|(d, what)| {
            let message = format!("{keyword} variable '{path}', dimension '{}': {what}", cx.name(d));
            Error::new(Kind::Map, message).in_fragment(tiles.fragment.index())
        })
    })?;
    let mut sizes = Vec::with_capacity(rank);
    for (d, row) in tiles.ranges.iter().enumerate() {
        sizes.push(tile(row).map_err(|what| {
            Error::new(Kind::Map, format!("{keyword} variable '{path}', dimension '{}': {what}", cx.name(d)))
        })?);
    }
    cx.grid(&sizes)
}

/// Returns the sizes of ranges that follow each other, beginning at 0.
///
/// # Errors
/// A message if they do not.
pub fn tile(ranges: &[(u64, u64)]) -> Result<Vec<u64>, String> {
    let mut next = 0u64;
    let mut sizes = Vec::with_capacity(ranges.len());
    for (i, &(first, last)) in ranges.iter().enumerate() {
        if first != next {
            let what = if first > next { "leaves a gap" } else { "overlaps or is out of order" };
            return Err(format!("range {first} to {last} of fragment {i} {what}; it must begin at {next}"));
        }
        next = last.checked_add(1).ok_or("an index is too large")?;
        sizes.push(next - first);
    }
    Ok(sizes)
}

/// Collects the ranges of each dimension and compares those that must agree.
struct Tiles {
    ranges: Vec<Vec<(u64, u64)>>,
    fragment: Odometer,
    dimension: usize,
    first: Option<u64>,
}

impl Tiles {
    fn new(fragments: &[u64]) -> Self {
        let rank = fragments.len();
        Tiles {
            ranges: vec![Vec::new(); rank],
            fragment: Odometer::new(fragments),
            dimension: 0,
            first: None,
        }
    }

    fn take(&mut self, value: Option<i128>) -> Result<(), (usize, String)> {
        let d = self.dimension;
        let index = match value.map(u64::try_from) {
            Some(Ok(index)) => index,
            Some(Err(_)) => return Err((d, format!("index {} is negative", value.unwrap_or(0)))),
            None => return Err((d, "an index is missing".into())),
        };
        let Some(first) = self.first.take() else {
            self.first = Some(index);
            return Ok(());
        };
        if first > index {
            return Err((d, format!("range {first} to {index} ends before it begins")));
        }
        // In C order a position along a dimension is first met right after the one before it.
        match self.ranges[d].get(self.fragment.index()[d] as usize) {
            None => self.ranges[d].push((first, index)),
            Some(&known) if known == (first, index) => {}
            Some((a, b)) => {
                let what =
                    format!("range {first} to {index} differs from {a} to {b} of the others in its place");
                return Err((d, what));
            }
        }
        self.advance();
        Ok(())
    }

    fn advance(&mut self) {
        self.dimension += 1;
        if self.dimension >= self.ranges.len() {
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
