//! CFA with `cfa_array` terms: `fragment`, `index`, `file`, `format`, `address`.
//!
//! `index` holds index ranges, `fragment` the position of each fragment, which must be its place in the array. `file`
//! and `format` may be left out. Terms are case-insensitive and unknown ones are ignored. Tolerated: `fragment` left
//! out, because `index` has the same information.

use std::sync::Arc;

use super::cfa_0_6_2::named_files;
use super::context::Context;
use super::files;
use super::ranges;
use super::terms::Terms;
use super::words::CFA_TERMS;
use crate::error::Result;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the terms.
pub fn decode(cx: &mut Context, terms: &Terms) -> Result<(Arc<Grid>, Fragments)> {
    let words = &CFA_TERMS;
    let index = cx.need(terms, words.map)?;
    let files = named_files(cx, terms, words)?;
    let positions = cx.find(terms, words.positions.unwrap_or_default())?;
    let grid = ranges::read(cx, words.map, index)?;
    match positions {
        Some(positions) => ranges::check_positions(cx, positions, &grid)?,
        None => {
            cx.warnings.push("term 'fragment' is absent; fragments are placed by their index ranges".into())
        }
    }
    let fragments = files::fragments(cx, &grid, &files, words)?;
    Ok((grid, fragments))
}
