//! What a variable needs to be understood: coordinates, bounds, grid mapping, cell measures, ancillary variables, ...

use crate::cf;
use crate::container::tree::{Tree, VariableId};
use crate::dataset::variable::Variable;
use crate::dialect::reference;
use crate::error::Result;

/// The variables that a variable refers to directly.
///
/// # Errors
/// What is wrong with its aggregation.
pub(super) fn variables(tree: &Tree, variable: &Variable) -> Result<Vec<VariableId>> {
    let group = tree.variables[variable.id().0].group;
    let mut found = Vec::new();
    let mut add = |id: Option<VariableId>| {
        if let Some(id) = id.filter(|id| !found.contains(id)) {
            found.push(id);
        }
    };
    for &id in variable.dimensions()? {
        let dimension = &tree.dimensions[id.0];
        add(tree.variable_in(dimension.group, &dimension.name));
    }
    for reference in cf::references(cf::Use::Extract) {
        let text = variable.attributes().text(reference.attribute).unwrap_or_default();
        // A key that is also the name of a variable: one too many does less harm than one that is missing.
        cf::words(&text).for_each(|word| add(reference::variable(tree, group, word)));
    }
    Ok(found)
}
