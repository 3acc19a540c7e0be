//! CFA-0.6b1 and its earlier text: `location` holds index ranges; `file`, `format`, `address`.
//!
//! In the earlier text `file` and `format` may be left out and an aggregation variable is not packed; a packed one is
//! read as in the later text, with a warning. Terms are case-insensitive and unknown ones are ignored. A fragment
//! without file is in the aggregation file, or wholly missing. Tolerated: scalar `format` and `address`.

use std::sync::Arc;

use super::cfa_0_6_2::named_files;
use super::context::Context;
use super::files;
use super::ranges;
use super::terms::Terms;
use super::words::CFA_0_6B1;
use crate::container::tree::VariableId;
use crate::error::Result;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the terms; `location` is the variable of that term.
pub fn decode(cx: &mut Context, terms: &Terms, location: VariableId) -> Result<(Arc<Grid>, Fragments)> {
    let files = named_files(cx, terms, &CFA_0_6B1)?;
    let grid = ranges::read(cx, CFA_0_6B1.map, location)?;
    let fragments = files::fragments(cx, &grid, &files, &CFA_0_6B1)?;
    Ok((grid, fragments))
}
