//! CFA with `cfa_array` terms: `fragment`, `index`, `file`, `format`, `address`.
//!
//! `index` holds index ranges, `fragment` the position of each fragment, which must be its place in the array.
//! `file` and `format` may be left out. Terms are case-insensitive and unknown ones are ignored. Tolerated: `fragment`
//! left out, as `index` says the same.

use super::cfa_0_6_2::named_files;
use super::context::Context;
use super::files::{self, Rules};
use super::ranges;
use super::terms::Terms;
use crate::error::Result;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the terms.
pub fn decode(cx: &mut Context, terms: &Terms) -> Result<(Grid, Fragments)> {
    let index = cx.resolve("index", terms.need("index")?)?;
    let files = named_files(cx, terms)?;
    let positions = terms.get("fragment").map(|name| cx.resolve("fragment", name)).transpose()?;
    let grid = ranges::read(cx, "index", index)?;
    match positions {
        Some(positions) => ranges::check_positions(cx, positions, &grid)?,
        None => {
            cx.warnings.push("term 'fragment' is absent; fragments are placed by their index ranges".into())
        }
    }
    let rules = Rules { versions: true, location_optional: true, substitutions: false };
    let fragments = files::fragments(cx, &grid, &files, &rules)?;
    Ok((grid, fragments))
}
