//! The draft of CF section 2.8: `shape`, `location`, `address`, or `shape` and `value`.
//!
//! Like CF-1.13 with other keywords, and with substitutions and with versions in a trailing dimension.

use std::sync::Arc;

use super::cf_1_13;
use super::context::Context;
use super::terms::Terms;
use super::words::CF_DRAFT;
use crate::error::Result;
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;

/// Decodes the features.
pub fn decode(cx: &mut Context, terms: &Terms) -> Result<(Arc<Grid>, Fragments)> {
    cf_1_13::decode_as(cx, terms, &CF_DRAFT)
}
