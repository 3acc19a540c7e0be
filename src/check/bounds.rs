//! Checks that bounds have the dimensions of the variable that names them, and one more (CF-1.13 sections 7.1 and 7.4).

use super::report::Findings;
use super::rules::{Rule, BOUNDS_DIMENSIONS, CLIMATOLOGY_DIMENSIONS};
use crate::container::tree::{DimensionId, VariableId};
use crate::dataset::Dataset;
use crate::dialect::reference;
use crate::model::Dialect;
use crate::value::DataType;

/// Checks the bounds of every variable of a file.
pub(super) fn check(dataset: &Dataset, dialect: Dialect, findings: &mut Findings) {
    let tree = dataset.shared().tree();
    for (id, variable) in tree.variables.iter().enumerate() {
        for (attribute, rule) in [("bounds", &BOUNDS_DIMENSIONS), ("climatology", &CLIMATOLOGY_DIMENSIONS)] {
            let Some(text) = variable.attributes.text(attribute) else { continue };
            let name = text.trim();
            if let Some(problem) = problem(dataset, VariableId(id), name, rule) {
                findings.add(rule, dialect, Some(&variable.path), None, problem);
            }
        }
    }
}

/// Returns what is wrong with the bounds of a variable.
fn problem(dataset: &Dataset, id: VariableId, name: &str, rule: &Rule) -> Option<String> {
    let tree = dataset.shared().tree();
    let variable = &tree.variables[id.0];
    let word = rule.word(Dialect::Cf113);
    let Some(bounds) = reference::variable(tree, variable.group, name) else {
        return Some(format!("its {word} variable '{name}' does not exist"));
    };
    // Faults of an aggregation are reported elsewhere.
    let (mut own, theirs) = (dimensions(dataset, id)?, dimensions(dataset, bounds)?);
    if variable.array.data_type == DataType::Char {
        own = own.split_last().map_or(own, |(_, rest)| rest);
    }
    let fit = theirs.len() == own.len() + 1 && theirs.starts_with(own);
    let names = |list: &[DimensionId]| {
        list.iter().map(|d| tree.dimensions[d.0].name.as_str()).collect::<Vec<_>>().join(", ")
    };
    (!fit).then(|| {
        format!(
            "its {word} variable '{name}' has the dimensions ({}); they must be its own ({}) and one more after them",
            names(theirs),
            names(own)
        )
    })
}

/// Returns the dimensions of a variable in the logical view; `None` for an aggregation that cannot be decoded.
fn dimensions(dataset: &Dataset, id: VariableId) -> Option<&[DimensionId]> {
    match dataset.shared().aggregation(id) {
        Ok(Some(aggregation)) => Some(&aggregation.dimensions),
        Ok(None) => Some(&dataset.shared().tree().variables[id.0].dimensions),
        Err(_) => None,
    }
}
