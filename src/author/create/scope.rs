//! The variables of a file under unique names, whatever group they are in (CF-1.13 section 2.7).
//!
//! A name is the path from the root without its first slash. Dimensions have such names too: that of the coordinate
//! variable, if it is in the group of the variable or between that and the dimension. A coordinate variable that only
//! the lateral search finds has the name of its dimension. Words of attributes are replaced by those names.

use std::borrow::Cow;
use std::collections::HashMap;

use super::bounds;
use super::record::Template;
use crate::cf::{self, Reference};
use crate::container::composed::composed;
use crate::container::tree::{DimensionId, GroupId, Tree, VariableId};
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::dialect::{self, reference};
use crate::error::Result;
use crate::value::{Attributes, DataType};

/// Returns the variables of a file with their descriptions, without the attributes that make them aggregations.
///
/// # Errors
/// The errors of decoding an aggregation.
pub(super) fn templates(dataset: &Dataset) -> Result<Vec<(Variable, Template)>> {
    let mut found = Vec::new();
    for variable in dataset.variables() {
        let mut attributes = variable.attributes().clone();
        if variable.aggregation()?.is_some() {
            let own = attributes.iter().filter(|attribute| !dialect::defines_aggregation(attribute));
            attributes = Attributes::new(own.cloned().collect());
        }
        let path = bare(variable.path());
        let dimensions =
            variable.dimensions()?.iter().map(|&d| bare(&dataset.dimension_path(d))).collect::<Vec<_>>();
        let data_type = variable.data_type();
        found.push((variable, Template::new(path.clone(), path, data_type, dimensions, attributes)));
    }
    if dataset.groups().len() > 1 {
        Scope::of(dataset, &found)?.rename(&mut found)?;
    }
    found.iter_mut().for_each(|(_, template)| compose(template));
    bounds::lend_units(&mut found.iter_mut().map(|(_, template)| template).collect::<Vec<_>>());
    Ok(found)
}

/// Composes (NFC) all names except the path, by which the variable is found. Names are written composed, and other
/// files may have them in another form.
fn compose(template: &mut Template) {
    template.name = composed(&template.name).into_owned();
    for name in &mut template.dimensions {
        *name = composed(name).into_owned();
    }
    for &Reference { attribute, .. } in cf::references(cf::Use::Rename) {
        let Some(text) = template.attributes.text(attribute) else { continue };
        if let Cow::Owned(new) = composed(&text) {
            template.attributes.set_text(attribute, new);
        }
    }
}

/// Returns a path without its first slash.
fn bare(path: &str) -> String {
    path.trim_start_matches('/').to_owned()
}

/// The meaning of names in a file with groups.
struct Scope<'a> {
    tree: &'a Tree,
    /// The dimension of each variable that could be a coordinate variable.
    along: HashMap<VariableId, DimensionId>,
    /// The names of variables that are not named by their path.
    moved: HashMap<VariableId, String>,
}

impl<'a> Scope<'a> {
    fn of(dataset: &'a Dataset, found: &[(Variable, Template)]) -> Result<Scope<'a>> {
        let tree = dataset.shared().tree();
        let mut along = HashMap::new();
        for (variable, template) in found {
            let dimensions = variable.dimensions()?;
            if template.rank() == 1 && tree.dimensions[dimensions[0].0].name == variable.name() {
                along.insert(variable.id(), dimensions[0]);
            }
        }
        let mut scope = Scope { tree, along, moved: HashMap::new() };
        for (variable, _) in found {
            let group = tree.variables[variable.id().0].group;
            for &dimension in variable.dimensions()? {
                if scope.near(group, dimension).is_none() {
                    if let Some(far) = scope.lateral(dimension) {
                        scope.moved.insert(far, bare(&dataset.dimension_path(dimension)));
                    }
                }
            }
        }
        Ok(scope)
    }

    /// Returns the coordinate variable of a dimension that a variable in the group finds in its own group or in those
    /// above, up to that of the dimension.
    fn near(&self, group: GroupId, dimension: DimensionId) -> Option<VariableId> {
        self.tree.upward(group).find_map(|g| self.coordinate_in(g, dimension))
    }

    /// Returns the coordinate variable that is nearest below the group of the dimension, level by level.
    fn lateral(&self, dimension: DimensionId) -> Option<VariableId> {
        let mut level = vec![self.tree.dimensions[dimension.0].group];
        while !level.is_empty() {
            if let Some(found) = level.iter().find_map(|&g| self.coordinate_in(g, dimension)) {
                return Some(found);
            }
            level = level.iter().flat_map(|g| self.tree.groups[g.0].groups.iter().copied()).collect();
        }
        None
    }

    fn coordinate_in(&self, group: GroupId, dimension: DimensionId) -> Option<VariableId> {
        let found = self.tree.variable_in(group, &self.tree.dimensions[dimension.0].name)?;
        (self.along.get(&found) == Some(&dimension)).then_some(found)
    }

    fn name(&self, variable: VariableId) -> String {
        self.moved.get(&variable).cloned().unwrap_or_else(|| bare(&self.tree.variables[variable.0].path))
    }

    /// Assigns variables, dimensions and references their names.
    fn rename(&self, found: &mut [(Variable, Template)]) -> Result<()> {
        for (variable, template) in found {
            let group = self.tree.variables[variable.id().0].group;
            let ids = variable.dimensions()?;
            for (name, &id) in template.dimensions.iter_mut().zip(ids) {
                if let Some(coordinate) = self.near(group, id) {
                    *name = self.name(coordinate);
                }
            }
            template.name = self.name(variable.id());
            let length = usize::from(template.data_type == DataType::Char && ids.len() > 1);
            let axes = &ids[..ids.len() - length];
            let dimension = |word: &str| {
                let id = reference::dimension(self.tree, group, word)?;
                axes.iter().position(|&a| a == id).map(|p| template.dimensions[p].clone())
            };
            let other = |word: &str| reference::variable(self.tree, group, word).map(|v| self.name(v));
            for &Reference { attribute, form, .. } in cf::references(cf::Use::Rename) {
                let Some(text) = template.attributes.text(attribute) else { continue };
                let new = form.rename(&text, |word| {
                    let name = match form.prefers_dimensions() {
                        true => dimension(word).or_else(|| other(word)),
                        false => other(word).or_else(|| dimension(word)),
                    };
                    Some(name.unwrap_or_else(|| word.to_owned()))
                });
                if !new.split_whitespace().eq(text.split_whitespace()) {
                    template.attributes.set_text(attribute, new);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author::write::{write_file, File, Format, Group, Variable as Described};
    use crate::value::Values;

    fn coordinate(file: &mut Group, name: &str) {
        file.variables.push(Described::with_values(name, &[name], Values::F64(vec![1.0, 2.0])));
    }

    /// Returns names, dimensions and the attribute `coordinates` or `cell_methods` of the variables.
    fn names(file: &File) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.nc");
        write_file(file, &path, Format::Netcdf4).unwrap();
        let dataset = Dataset::open(&path).unwrap();
        let mut list: Vec<String> = templates(&dataset)
            .unwrap()
            .into_iter()
            .map(|(_, t)| {
                let words = ["coordinates", "cell_methods"].map(|a| t.text(a).unwrap_or_default());
                format!("{}({}){}", t.name, t.dimensions.join(","), words.concat())
            })
            .collect();
        list.sort();
        list
    }

    #[test]
    fn names_are_paths_and_references_are_found_upward() {
        let mut file = File::default();
        file.add_dimension("time", 2);
        file.add_dimension("lat", 2);
        coordinate(&mut file, "time");
        file.variables.push(Described::with_values("height", &[], Values::F64(vec![2.0])));
        let mut group = Group { name: "g".into(), ..Group::default() };
        group.add_dimension("x", 2);
        coordinate(&mut group, "x");
        // Nearer than the dimension, which is in the root.
        coordinate(&mut group, "lat");
        let data = Described::with_values("v", &["time", "lat", "x"], Values::F32(vec![0.0; 8]));
        group.variables.push(
            data.attribute("coordinates", "height")
                .attribute("cell_methods", "time: mean x: maximum area: sum"),
        );
        file.groups.push(group);
        assert_eq!(
            names(&file),
            [
                "g/lat(g/lat)",
                "g/v(time,g/lat,g/x)heighttime: mean g/x: maximum area: sum",
                "g/x(g/x)",
                "height()",
                "time(time)"
            ]
        );
    }

    #[test]
    fn a_coordinate_variable_elsewhere_goes_by_the_name_of_its_dimension() {
        let mut file = File::default();
        file.add_dimension("time", 2);
        let mut coordinates = Group { name: "coordinates".into(), ..Group::default() };
        coordinate(&mut coordinates, "time");
        let mut data = Group { name: "data".into(), ..Group::default() };
        data.variables.push(Described::with_values("v", &["time"], Values::F32(vec![0.0; 2])));
        file.groups.extend([coordinates, data]);
        assert_eq!(names(&file), ["data/v(time)", "time(time)"]);
    }
}
