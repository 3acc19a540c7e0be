//! CF-1.13 section 2.8: `map`, `uris`, `identifiers`, or `map` and `unique_values`.
//!
//! Keywords are case-sensitive and no other combination is allowed. Every fragment has a URI; there are no versions,
//! no substitutions and no same-file fragments without URI.

use super::context::Context;
use super::files::{self, Files, Rules};
use super::sizes::{self, ScalarForm};
use super::terms::Terms;
use crate::error::{Error, Kind, Result};
use crate::model::feature::Span;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the features.
pub fn decode(cx: &mut Context, terms: &Terms) -> Result<(Grid, Fragments)> {
    only(terms, &[&["map", "uris", "identifiers"], &["map", "unique_values"]])?;
    let map = cx.resolve("map", terms.need("map")?)?;
    if let Some(name) = terms.get("unique_values") {
        let values = cx.resolve("unique_values", name)?;
        let grid = sizes::read(cx, "map", map, ScalarForm::Scalar)?;
        let fragments = Fragments::UniqueValues(cx.fit(values, &grid, UNIQUE)?);
        return Ok((grid, fragments));
    }
    let files = Files {
        locations: Some(cx.resolve("uris", terms.need("uris")?)?),
        identifiers: cx.resolve("identifiers", terms.need("identifiers")?)?,
        formats: None,
    };
    let grid = sizes::read(cx, "map", map, ScalarForm::Scalar)?;
    let rules = Rules { versions: false, location_optional: false, substitutions: false };
    let fragments = files::fragments(cx, &grid, &files, &rules)?;
    Ok((grid, fragments))
}

/// Unique values have exactly the dimensions of the array of fragments.
pub(super) const UNIQUE: Span = Span { scalar: false, versions: false, chars: true };

/// Refuses keywords that are not exactly one of these sets.
pub(super) fn only(terms: &Terms, sets: &[&[&str]]) -> Result<()> {
    let have: Vec<&str> = terms.keywords().collect();
    if sets.iter().any(|set| set.len() == have.len() && set.iter().all(|keyword| have.contains(keyword))) {
        return Ok(());
    }
    let allowed: Vec<String> = sets.iter().map(|set| set.join(", ")).collect();
    let message = format!("keywords are {}; they must be {}", have.join(", "), allowed.join(" or else "));
    Err(Error::new(Kind::Terms, message))
}
