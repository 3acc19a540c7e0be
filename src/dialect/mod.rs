//! Decodes attributes to an [`Aggregation`]: one file per dialect, the only place where dialects differ.
//!
//! [`recognise`] finds the dialect by attributes and keywords. Decoding reads attributes and the table of sizes or
//! index ranges; the names of the fragments are read later, for the requested part. `docs/conventions.md` maps the
//! clauses of the texts to these modules and their tests.

mod cf_1_13;
mod cf_draft;
mod cfa_0_4;
mod cfa_0_6_2;
mod cfa_0_6b1;
mod cfa_terms;
mod context;
mod files;
mod grids;
pub(crate) mod integers;
mod json;
#[cfg(test)]
pub(crate) mod memory;
mod part;
pub(crate) mod ranges;
pub mod recognise;
pub mod reference;
pub(crate) mod sizes;
pub mod terms;
#[cfg(test)]
mod tests;
pub(crate) mod words;

use crate::container::tree::VariableId;
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::model::features::Features;
use crate::model::grid::Grid;
use crate::model::{Aggregation, ChunkTables, Dialect};
use crate::selection::checked_product;
use crate::value::{Attributes, DataType};
use context::Context;
pub use grids::Grids;
use recognise::Form;
use terms::Terms;
pub use words::{defines_aggregation, is_aggregation, ATTRIBUTES};

/// Decodes an aggregation variable, reading its table of sizes and no fragment names. `grids` are those of the file.
///
/// # Errors
/// `Attribute`, `Terms`, `MissingDimension`, `MissingVariable`, `Rank`, `Map`, `Limit`; those of the container.
pub fn decode(
    container: &Container,
    variable: VariableId,
    max_fragments: u64,
    grids: &Grids,
) -> Result<Aggregation> {
    let decoded = decode_features(container, variable, max_fragments, grids);
    container.forget_tables();
    decoded.map_err(|e| e.in_file(container.name()))
}

/// Same as [`decode`], from anything that has the structure of a container.
///
/// # Errors
/// As [`decode`].
pub fn decode_features(
    features: &dyn Features,
    variable: VariableId,
    max_fragments: u64,
    grids: &Grids,
) -> Result<Aggregation> {
    let tree = features.tree()?;
    let stored = tree.variables.get(variable.0);
    let stored = stored.ok_or_else(|| Error::new(Kind::Internal, "a variable of another file"))?;
    decode_stored(features, variable, (max_fragments, grids)).map_err(|e| e.in_variable(&stored.path))
}

/// The attribute that names the variables with the recorded states of the fragments' files: an addition of this library
/// to every dialect, which other readers ignore.
pub const STATE_ATTRIBUTE: &str = "cfa_fragment_state";

/// The attribute that names the variables with the recorded places of the fragments' chunks: an addition of this library
/// to every dialect, which other readers ignore.
pub const CHUNKS_ATTRIBUTE: &str = "cfa_fragment_chunks";

/// Returns the location that CFA-0.4 means by the name of a file.
pub(crate) fn located(file: &str) -> String {
    cfa_0_4::located("", file)
}

/// Returns the file name that CFA-0.4 writes for this location.
pub(crate) fn file_name(location: &str) -> String {
    cfa_0_4::named(location)
}

/// Returns the variables with the recorded states. Those that do not fit are ignored.
fn recorded(cx: &mut Context, grid: &Grid, attributes: &Attributes) -> Option<[VariableId; 2]> {
    let terms = Terms::parse(&attributes.text(STATE_ATTRIBUTE)?).ok()?;
    let mut found = [VariableId(0); 2];
    for (place, keyword) in found.iter_mut().zip(["size", "modified"]) {
        *place = cx.resolve(keyword, terms.get(keyword)?).ok()?;
        let array = &cx.tree.variables[place.0].array;
        if array.data_type != DataType::F64 || array.shape != grid.fragments() {
            cx.warnings.push(format!("the recorded {keyword} of fragments does not fit them; it is ignored"));
            return None;
        }
    }
    Some(found)
}

/// Returns the variables with the recorded places of chunks. Those that do not fit are ignored: they only save time.
fn chunk_tables(cx: &mut Context, grid: &Grid, attributes: &Attributes) -> Option<ChunkTables> {
    let terms = Terms::parse(&attributes.text(CHUNKS_ATTRIBUTE)?).ok()?;
    let mut table = |keyword: &str, data_type: DataType, columns: &[u64]| {
        let id = cx.resolve(keyword, terms.get(keyword)?).ok()?;
        let array = &cx.tree.variables[id.0].array;
        (array.data_type == data_type && array.shape.get(1..) == Some(columns)).then_some(id)
    };
    let fragments = table("fragments", DataType::I64, &[ChunkTables::FRAGMENT_COLUMNS])?;
    let layouts = table("layouts", DataType::Char, &[])?;
    let chunks = table("chunks", DataType::I64, &[ChunkTables::CHUNK_COLUMNS])?;
    let rows = cx.tree.variables[fragments.0].array.shape.first().copied();
    (rows.is_some() && rows == checked_product(grid.fragments())).then_some(())?;
    Some(ChunkTables { fragments, layouts, chunks })
}

fn decode_stored(
    features: &dyn Features,
    variable: VariableId,
    limits: (u64, &Grids),
) -> Result<Aggregation> {
    let tree = features.tree()?;
    let stored = &tree.variables[variable.0];
    let found = recognise::recognise(&stored.attributes)?;
    let mut context = Context::new(features, tree, variable, &found.dimensions, limits)?;
    let cx = &mut context;
    if !stored.array.shape.is_empty() {
        cx.warnings
            .push("an aggregation variable should be scalar; the data stored in it are ignored".into());
    }
    let (dialect, (grid, fragments)) = match &found.form {
        Form::Json(text) => (Dialect::Cfa04, cfa_0_4::decode(cx, text)?),
        Form::CfaTerms(terms) => (Dialect::CfaTerms, cfa_terms::decode(cx, terms)?),
        Form::Location(terms) => {
            let location = cx.need(terms, words::CFA_0_6B1.map)?;
            let shape = &tree.variables[location.0].array.shape;
            terms.need(words::CFA_0_6B1.identifiers)?;
            match recognise::location_dialect(shape, cx.rank(), terms)? {
                Dialect::Cfa062 => (Dialect::Cfa062, cfa_0_6_2::decode(cx, terms, location)?),
                dialect => (dialect, cfa_0_6b1::decode(cx, terms, location)?),
            }
        }
        Form::CfDraft(terms) => (Dialect::CfDraft, cf_draft::decode(cx, terms)?),
        Form::Cf113(terms) => (Dialect::Cf113, cf_1_13::decode(cx, terms)?),
    };
    let packed = ["scale_factor", "add_offset"].iter().any(|name| stored.attributes.get(name).is_some());
    if dialect == Dialect::Cfa06b1Early && packed {
        cx.warnings.push(
            "this convention does not allow a packed aggregation variable; it is read as in CFA-0.6b1".into(),
        );
    }
    let recorded = recorded(cx, &grid, &stored.attributes);
    let chunks = chunk_tables(cx, &grid, &stored.attributes);
    let Context { dimensions, definition, warnings, .. } = context;
    Ok(Aggregation { dialect, dimensions, grid, fragments, definition, recorded, chunks, warnings })
}
