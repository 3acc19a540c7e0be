//! The feature variables that say where fragments are: what the dialects have in common after their keywords are
//! resolved.

use super::context::Context;
use super::words::{Keywords, SUBSTITUTIONS_ATTRIBUTE};
use crate::container::tree::VariableId;
use crate::error::Result;
use crate::model::feature::{Feature, Leeway};
use crate::model::fragments::Fragments;
use crate::model::grid::Grid;
use crate::model::substitutions::Substitutions;
use crate::model::table::Table;

/// The variables that a dialect names.
pub struct Files {
    /// The names of the files.
    pub locations: Option<VariableId>,
    /// The variables in them.
    pub identifiers: VariableId,
    /// The formats of the files.
    pub formats: Option<VariableId>,
}

/// Checks that the variables fit the array of fragments. Reads no names.
///
/// # Errors
/// `Rank`, `Limit`; `Attribute` for malformed substitutions.
pub fn fragments(cx: &mut Context, grid: &Grid, files: &Files, rules: &Keywords) -> Result<Fragments> {
    let every = Leeway { scalar: false, versions: rules.versions, chars: false };
    let shared = Leeway { scalar: true, ..every };
    let locations = files.locations.map(|v| cx.fit(v, grid, every)).transpose()?;
    let identifiers = cx.fit(files.identifiers, grid, shared)?;
    let formats = files.formats.map(|v| cx.fit(v, grid, shared)).transpose()?;
    if let Some(locations) = &locations {
        for feature in [Some(&identifiers), formats.as_ref()].into_iter().flatten() {
            agree(cx, locations, feature)?;
        }
    }
    let mut substitutions = Substitutions::default();
    let attributes = files.locations.map(|v| &cx.tree.variables[v.0].attributes);
    if let Some(text) = attributes.and_then(|list| list.text(SUBSTITUTIONS_ATTRIBUTE)) {
        if !rules.substitutions {
            cx.warnings.push("substitutions are not part of this convention; they are applied".into());
        }
        substitutions = Substitutions::parse(&text)?;
    }
    // A bare address is looked up in the group of the address variable, then in that of the aggregation variable.
    let mut groups = vec![cx.tree.variables[files.identifiers.0].group];
    if !groups.contains(&cx.group) {
        groups.push(cx.group);
    }
    let location_optional = rules.optional;
    let table = Table { locations, identifiers, formats, substitutions, location_optional, groups };
    Ok(Fragments::Table(Box::new(table)))
}

/// Checks that an identifier or format applies to all versions, or that each version has its own.
fn agree(cx: &mut Context, locations: &Feature, feature: &Feature) -> Result<()> {
    if feature.versions() == locations.versions() || feature.is_shared() {
        return Ok(());
    }
    let (path, n, m) = (feature.path(), feature.versions(), locations.versions());
    if n == 1 {
        cx.warnings.push(format!("'{path}' has no dimension of versions; its entries serve all versions"));
        return Ok(());
    }
    let message = format!("'{path}' has {n} versions; '{}' has {m}", locations.path());
    Err(crate::error::Error::new(crate::error::Kind::Rank, message))
}
