//! The draft of CF section 2.8: `shape`, `location`, `address`, or `shape` and `value`.
//!
//! As CF-1.13 with other keywords, and with versions in a trailing dimension and substitutions.

use super::cf_1_13::{only, UNIQUE};
use super::context::Context;
use super::files::{self, Files, Rules};
use super::sizes::{self, ScalarForm};
use super::terms::Terms;
use crate::error::Result;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the features.
pub fn decode(cx: &mut Context, terms: &Terms) -> Result<(Grid, Fragments)> {
    only(terms, &[&["shape", "location", "address"], &["shape", "value"]])?;
    let shape = cx.resolve("shape", terms.need("shape")?)?;
    if let Some(name) = terms.get("value") {
        let values = cx.resolve("value", name)?;
        let grid = sizes::read(cx, "shape", shape, ScalarForm::Scalar)?;
        let fragments = Fragments::UniqueValues(cx.fit(values, &grid, UNIQUE)?);
        return Ok((grid, fragments));
    }
    let files = Files {
        locations: Some(cx.resolve("location", terms.need("location")?)?),
        identifiers: cx.resolve("address", terms.need("address")?)?,
        formats: None,
    };
    let grid = sizes::read(cx, "shape", shape, ScalarForm::Scalar)?;
    let rules = Rules { versions: true, location_optional: false, substitutions: true };
    let fragments = files::fragments(cx, &grid, &files, &rules)?;
    Ok((grid, fragments))
}
