//! CFA-0.6b1 and its earlier text: `location` holds index ranges; `file`, `format`, `address`.
//!
//! In the earlier text `file` and `format` may be left out and an aggregation variable is not packed; a packed one is
//! read as in the later text, with a warning. Terms are case-insensitive and unknown ones are ignored. A fragment
//! without file is in the aggregation file, or wholly missing. Tolerated: scalar `format` and `address`.

use super::cfa_0_6_2::named_files;
use super::context::Context;
use super::files::{self, Rules};
use super::ranges;
use super::terms::Terms;
use crate::container::tree::VariableId;
use crate::error::Result;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the terms; `location` is the variable of that term.
pub fn decode(cx: &mut Context, terms: &Terms, location: VariableId) -> Result<(Grid, Fragments)> {
    let files = named_files(cx, terms)?;
    let grid = ranges::read(cx, "location", location)?;
    let rules = Rules { versions: true, location_optional: true, substitutions: false };
    let fragments = files::fragments(cx, &grid, &files, &rules)?;
    Ok((grid, fragments))
}
