//! CFA-0.6.2: `location` is a padded table of sizes; `file`, `format`, `address`, of which the last two may be scalar.
//!
//! `file` has substitutions and versions. A fragment without file is in the aggregation file, or wholly missing.
//! Terms are case-insensitive and unknown ones are ignored. Tolerated: `file` or `format` left out.

use std::sync::Arc;

use super::context::Context;
use super::files::{self, Files};
use super::sizes;
use super::terms::Terms;
use super::words::{Keywords, CFA_0_6_2};
use crate::container::tree::VariableId;
use crate::error::Result;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the terms; `location` is the variable of that term.
pub fn decode(cx: &mut Context, terms: &Terms, location: VariableId) -> Result<(Arc<Grid>, Fragments)> {
    let words = &CFA_0_6_2;
    let files = named_files(cx, terms, words)?;
    let grid = sizes::read(cx, words, location)?;
    for term in words.mandatory.iter().filter(|term| !terms.has(term)) {
        cx.warnings.push(format!("term '{term}' is mandatory and absent"));
    }
    let fragments = files::fragments(cx, &grid, &files, words)?;
    Ok((grid, fragments))
}

/// Returns the variables of the terms `file`, `format` and `address`.
pub(super) fn named_files(cx: &mut Context, terms: &Terms, words: &Keywords) -> Result<Files> {
    Ok(Files {
        identifiers: cx.need(terms, words.identifiers)?,
        locations: cx.find(terms, words.locations)?,
        formats: cx.find(terms, words.formats.unwrap_or_default())?,
    })
}
