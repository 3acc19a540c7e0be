//! What an aggregation variable means, whatever tables and attributes say it.

use super::{Aggregated, States};
use crate::model::Dialect;

/// What a reader has to find in the file that is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    /// Grid, fragments, type and attributes; dimensions are named as from the group of the variable.
    pub(crate) aggregated: Aggregated,
    /// The dialect that says so.
    pub(crate) dialect: Dialect,
    /// What is recorded of the fragments' files.
    pub(crate) states: Option<States>,
}
