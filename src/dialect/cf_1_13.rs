//! CF-1.13 section 2.8: `map`, `uris`, `identifiers`, or `map` and `unique_values`.
//!
//! Keywords are case-sensitive and no other combination is allowed. Every fragment has a URI; there are no versions,
//! no substitutions and no same-file fragments without URI.

use std::sync::Arc;

use super::context::Context;
use super::files::{self, Files};
use super::sizes;
use super::terms::Terms;
use super::words::{Keywords, CF_1_13};
use crate::error::{Error, Kind, Result};
use crate::model::feature::Leeway;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the features.
pub fn decode(cx: &mut Context, terms: &Terms) -> Result<(Arc<Grid>, Fragments)> {
    decode_as(cx, terms, &CF_1_13)
}

/// Decodes the features by the keywords of CF-1.13 or of its draft.
pub(super) fn decode_as(cx: &mut Context, terms: &Terms, words: &Keywords) -> Result<(Arc<Grid>, Fragments)> {
    let unique = words.unique.unwrap_or_default();
    only(terms, &[words.mandatory, &[words.map, unique]])?;
    let map = cx.need(terms, words.map)?;
    if let Some(values) = cx.find(terms, unique)? {
        let grid = sizes::read(cx, words, map)?;
        let fragments = Fragments::UniqueValues(cx.fit(values, &grid, UNIQUE)?);
        return Ok((grid, fragments));
    }
    let files = Files {
        locations: Some(cx.need(terms, words.locations)?),
        identifiers: cx.need(terms, words.identifiers)?,
        formats: None,
    };
    let grid = sizes::read(cx, words, map)?;
    let fragments = files::fragments(cx, &grid, &files, words)?;
    Ok((grid, fragments))
}

/// Unique values have exactly the dimensions of the array of fragments.
const UNIQUE: Leeway = Leeway { scalar: false, versions: false, chars: true };

/// Refuses keywords unless they are exactly one of these sets.
fn only(terms: &Terms, sets: &[&[&str]]) -> Result<()> {
    let have: Vec<&str> = terms.keywords().collect();
    if sets.iter().any(|set| set.len() == have.len() && set.iter().all(|keyword| have.contains(keyword))) {
        return Ok(());
    }
    let allowed: Vec<String> = sets.iter().map(|set| set.join(", ")).collect();
    let message = format!("keywords are {}; they must be {}", have.join(", "), allowed.join(" or else "));
    Err(Error::new(Kind::Terms, message))
}
