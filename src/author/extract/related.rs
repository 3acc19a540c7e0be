//! The variables that are needed to understand a variable: coordinates, bounds, grid mapping, cell measures, ancillary
//! variables, ...

use crate::cf;
use crate::container::tree::{Tree, VariableId};
use crate::dataset::variable::Variable;
use crate::dialect::reference;
use crate::error::Result;

/// Returns the variables that a variable refers to directly.
///
/// # Errors
/// The errors of decoding its aggregation.
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
        // A key may also be the name of a variable: one variable too many does less harm than a missing one.
        cf::words(&text).for_each(|word| add(reference::variable(tree, group, word)));
    }
    Ok(found)
}
