//! CFA-0.6.2: `location` is a padded table of sizes; `file`, `format`, `address`, of which the last two may be scalar.
//!
//! `file` has substitutions and versions. A fragment without file is in the aggregation file, or wholly missing.
//! Terms are case-insensitive and unknown ones are ignored. Tolerated: `file` or `format` left out.

use super::context::Context;
use super::files::{self, Files, Rules};
use super::sizes::{self, ScalarForm};
use super::terms::Terms;
use crate::container::tree::VariableId;
use crate::error::Result;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the terms; `location` is the variable of that term.
pub fn decode(cx: &mut Context, terms: &Terms, location: VariableId) -> Result<(Grid, Fragments)> {
    let files = named_files(cx, terms)?;
    let grid = sizes::read(cx, "location", location, ScalarForm::OneElement)?;
    for term in ["file", "format"].into_iter().filter(|term| !terms.has(term)) {
        cx.warnings.push(format!("term '{term}' is mandatory and absent"));
    }
    let rules = Rules { versions: true, location_optional: true, substitutions: true };
    let fragments = files::fragments(cx, &grid, &files, &rules)?;
    Ok((grid, fragments))
}

/// The variables of the terms `file`, `format` and `address`.
pub(super) fn named_files(cx: &mut Context, terms: &Terms) -> Result<Files> {
    Ok(Files {
        identifiers: cx.resolve("address", terms.need("address")?)?,
        locations: terms.get("file").map(|name| cx.resolve("file", name)).transpose()?,
        formats: terms.get("format").map(|name| cx.resolve("format", name)).transpose()?,
    })
}
