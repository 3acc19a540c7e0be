//! What a variable needs to be understood: coordinates, bounds, grid mapping, cell measures, ancillary variables, ...

use crate::container::tree::{Tree, VariableId};
use crate::dataset::variable::Variable;
use crate::dialect::reference;
use crate::error::Result;

/// Attributes of CF whose words name variables; words with a colon, and words of another meaning, name none.
const NAMING: [&str; 20] = [
    "coordinates",
    "bounds",
    "climatology",
    "grid_mapping",
    "cell_measures",
    "ancillary_variables",
    "formula_terms",
    "geometry",
    "node_coordinates",
    "node_count",
    "part_node_count",
    "interior_ring",
    "coordinate_interpolation",
    "tie_point_mapping",
    "quantization",
    "mesh",
    "instance_dimension",
    "compress",
    "face_node_connectivity",
    "computed_standard_name",
];

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
    for name in NAMING {
        let text = variable.attributes().text(name).unwrap_or_default();
        for word in text.split_whitespace() {
            // `grid_mapping = "crs: x y"` names variables before and after the colon.
            add(reference::variable(tree, group, word.trim_end_matches(':')));
        }
    }
    Ok(found)
}
