//! The contents of an aggregation variable, whatever its dialect.

pub(crate) mod effort;
pub mod feature;
pub mod features;
pub mod fragments;
pub mod grid;
pub mod partitions;
pub(crate) mod room;
pub mod slabs;
pub mod substitutions;
pub mod table;

use std::fmt;
use std::sync::Arc;

use crate::container::tree::{DimensionId, VariableId};
use fragments::Fragments;
use grid::Grid;

/// The convention text that an aggregation variable follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// CFA-0.4: JSON in `cfa_array`.
    Cfa04,
    /// `cfa_dimensions` and `cfa_array` with terms.
    CfaTerms,
    /// CFA-0.6b1 before `file` and `format` became mandatory.
    Cfa06b1Early,
    /// CFA-0.6b1: index ranges.
    Cfa06b1,
    /// CFA-0.6.2: a table of sizes.
    Cfa062,
    /// The draft of CF section 2.8.
    CfDraft,
    /// CF-1.13 section 2.8.
    Cf113,
}

impl Dialect {
    /// All dialects, the newest first.
    pub const ALL: &'static [Dialect] = &[
        Dialect::Cf113,
        Dialect::CfDraft,
        Dialect::Cfa062,
        Dialect::Cfa06b1,
        Dialect::Cfa06b1Early,
        Dialect::CfaTerms,
        Dialect::Cfa04,
    ];

    /// Returns the name shown to users.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Cfa04 => "CFA-0.4",
            Dialect::CfaTerms => "CFA terms",
            Dialect::Cfa06b1Early => "CFA-0.6b1 early",
            Dialect::Cfa06b1 => "CFA-0.6b1",
            Dialect::Cfa062 => "CFA-0.6.2",
            Dialect::CfDraft => "CF draft",
            Dialect::Cf113 => "CF-1.13",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The variables with the recorded places of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkTables {
    /// A row per fragment, in C order: where the description of its array begins among the layouts and how long it is,
    /// the row of its first chunk, the length of its file, and a number for the state of that file.
    pub fragments: VariableId,
    /// The descriptions, one after the other.
    pub layouts: VariableId,
    /// A row per chunk: offset, size and filter mask.
    pub chunks: VariableId,
}

impl ChunkTables {
    /// The columns of the table of fragments.
    pub const FRAGMENT_COLUMNS: u64 = 5;
    /// The columns of the table of chunks.
    pub const CHUNK_COLUMNS: u64 = 3;
}

/// A decoded aggregation variable.
#[derive(Debug)]
pub struct Aggregation {
    /// The text that it follows.
    pub dialect: Dialect,
    /// The aggregated dimensions.
    pub dimensions: Vec<DimensionId>,
    /// How the fragments tile them.
    pub grid: Arc<Grid>,
    /// Where the fragments are; read lazily.
    pub fragments: Fragments,
    /// The variables that define the fragments; hidden in the logical view.
    pub definition: Vec<VariableId>,
    /// The variables with the recorded size and modification time of the fragments' files, if there are any.
    pub recorded: Option<[VariableId; 2]>,
    /// The variables with the recorded places of the fragments' chunks, if there are any.
    pub chunks: Option<ChunkTables>,
    /// Warnings about oddities that were tolerated.
    pub warnings: Vec<String>,
}
