//! The recorded places of chunks, as variables that name themselves in an attribute of the aggregation variable.

use std::sync::Arc;

use super::super::catalogue::Catalogue;
use super::super::description::{Data, Group, Storage, Variable};
use crate::dialect::CHUNKS_ATTRIBUTE;
use crate::model::ChunkTables;
use crate::read::recorded_chunks::ROWS;
use crate::value::{DataType, Values};

/// The bytes of descriptions that are stored together.
const TEXT: u64 = 64 << 10;

/// The recorded places of the chunks of all fragments of a variable; see [`ChunkTables`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Recording {
    /// A row per fragment.
    pub(crate) fragments: Vec<i64>,
    pub(crate) layouts: Vec<u8>,
    /// A row per chunk.
    pub(crate) chunks: Vec<i64>,
}

impl Recording {
    /// Returns whether nothing is recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.layouts.is_empty() || self.chunks.is_empty()
    }

    /// Returns the number of fragments that are recorded.
    pub(crate) fn count(&self) -> u64 {
        self.fragments.chunks(ChunkTables::FRAGMENT_COLUMNS as usize).filter(|row| row[0] >= 0).count() as u64
    }

    /// Adds the tables to a group, and their names to its variable of this name. Nothing is added if nothing is recorded.
    pub(crate) fn attach(self, group: &mut Group, catalogue: &mut Catalogue, variable: &str) {
        if self.is_empty() {
            return;
        }
        let rows = |numbers: &[i64], columns: u64| numbers.len() as u64 / columns;
        let (wide, long) = (ChunkTables::FRAGMENT_COLUMNS, ChunkTables::CHUNK_COLUMNS);
        let sizes = [&[rows(&self.fragments, wide), wide][..], &[self.layouts.len() as u64]];
        let chunks = [rows(&self.chunks, long), long];
        let fragments =
            table(group, catalogue, "cfa_chunk_fragments", sizes[0], ROWS, Values::I64(self.fragments));
        let layouts =
            table(group, catalogue, "cfa_chunk_layouts", sizes[1], TEXT, Values::Char(self.layouts));
        let chunks = table(group, catalogue, "cfa_chunk_places", &chunks, ROWS, Values::I64(self.chunks));
        let text = format!("fragments: {fragments} layouts: {layouts} chunks: {chunks}");
        if let Some(at) = catalogue.variable(group, variable) {
            let variable = &mut group.variables[at];
            variable.attributes.set_text(CHUNKS_ATTRIBUTE, text);
            if let Data::Fragments(meaning) = &mut variable.data {
                Arc::make_mut(meaning).has_chunks = true;
            }
        }
    }
}

/// Adds a variable of this shape, stored in chunks of this many rows. Returns its name.
fn table(
    group: &mut Group,
    catalogue: &mut Catalogue,
    name: &str,
    shape: &[u64],
    rows: u64,
    values: Values,
) -> String {
    let name = catalogue.free_name(group, name);
    let mut variable = Variable::new(&*name, values.data_type(), &[]);
    for (d, &size) in shape.iter().enumerate() {
        let dimension = match d {
            0 => catalogue.free_name(group, &format!("{name}_i")),
            _ => format!("cfa_chunk_columns_{size}"),
        };
        if catalogue.dimension(group, &dimension).is_none() {
            group.add_dimension(&dimension, size);
        }
        variable.dimensions.push(dimension);
    }
    let mut chunks = shape.to_vec();
    chunks[0] = chunks[0].min(rows);
    let shuffle = values.data_type() != DataType::Char;
    variable.storage = Storage { chunks: Some(chunks), deflate: Some(4), shuffle };
    variable.data = Data::Values(values);
    group.variables.push(variable);
    name
}
