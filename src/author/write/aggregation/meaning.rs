//! The meaning of an aggregation variable, whatever tables and attributes express it.

use super::{Aggregated, States};
use crate::model::Dialect;

/// What a reader must find in the written file.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    /// Grid, fragments, type and attributes; the names of dimensions are relative to the group of the variable.
    pub(crate) aggregated: Aggregated,
    /// The dialect that expresses it.
    pub(crate) dialect: Dialect,
    /// The recorded states of the fragments' files.
    pub(crate) states: Option<States>,
    /// Whether places of chunks are recorded.
    pub(crate) has_chunks: bool,
}
