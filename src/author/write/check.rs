//! Checks that a description is consistent and that netCDF can express it.

use std::collections::{HashMap, HashSet};

use super::description::{Data, Group, Variable};
use crate::error::{Error, Kind, Result};
use crate::selection::checked_product;
use crate::value::{Attributes, DataType};

/// The maximum number of dimensions of a variable in HDF5.
const MOST_DIMENSIONS: usize = 32;
/// The maximum number of bytes of a name.
const LONGEST_NAME: usize = 256;

/// Type and shape of every variable, by path without leading slash.
pub(super) type Variables = HashMap<String, (DataType, Vec<u64>)>;

/// Checks a whole file.
///
/// # Errors
/// `Request`, `MissingDimension`; `Unsupported` for what no netCDF file can have.
pub(super) fn check(file: &Group) -> Result<Variables> {
    let mut variables = Variables::new();
    group(file, &mut Vec::new(), "", &mut variables)?;
    Ok(variables)
}

fn group<'a>(
    described: &'a Group,
    scope: &mut Vec<&'a Group>,
    path: &str,
    variables: &mut Variables,
) -> Result<()> {
    scope.push(described);
    attributes(&described.attributes)?;
    let mut names = HashSet::new();
    for dimension in &described.dimensions {
        check_name(&dimension.name)?;
        if !names.insert(&dimension.name) {
            return Err(twice("dimensions", &dimension.name));
        }
        if dimension.size == 0 && !dimension.unlimited {
            let name = &dimension.name;
            let message =
                format!("dimension '{path}{name}' has size 0, which only an unlimited one can have");
            return Err(Error::new(Kind::Unsupported, message));
        }
    }
    for variable in &described.variables {
        let name = format!("{path}{}", variable.name);
        let shape = shape(variable, scope).map_err(|e| e.in_variable(&*name))?;
        if variables.insert(name.clone(), (variable.data_type, shape)).is_some() {
            return Err(twice("variables", &name));
        }
    }
    let mut names: HashSet<&String> = described.variables.iter().map(|v| &v.name).collect();
    for child in &described.groups {
        check_name(&child.name)?;
        if !names.insert(&child.name) {
            return Err(twice("groups, or a group and a variable,", &child.name));
        }
        group(child, scope, &format!("{path}{}/", child.name), variables)?;
    }
    scope.pop();
    Ok(())
}

/// Checks a variable, and returns its shape.
fn shape(variable: &Variable, scope: &[&Group]) -> Result<Vec<u64>> {
    let wrong = |what: String| Err(Error::new(Kind::Request, what));
    check_name(&variable.name)?;
    attributes(&variable.attributes)?;
    let mut shape = Vec::with_capacity(variable.dimensions.len());
    for name in &variable.dimensions {
        let found = scope.iter().rev().find_map(|group| group.dimension(name));
        let missing = || Error::new(Kind::MissingDimension, format!("dimension '{name}' is not described"));
        shape.push(found.ok_or_else(missing)?.size);
    }
    if shape.len() > MOST_DIMENSIONS {
        let message = format!("it has {} dimensions; {MOST_DIMENSIONS} are the most", shape.len());
        return Err(Error::new(Kind::Unsupported, message));
    }
    if let Data::Values(values) = &variable.data {
        if values.data_type() != variable.data_type {
            return wrong("its values are of another type".into());
        }
        if checked_product(&shape) != Some(values.len() as u64) {
            return wrong(format!("{} values for shape {shape:?}", values.len()));
        }
    }
    let fill = variable.attributes.get("_FillValue");
    if fill.is_some_and(|f| f.data_type() != variable.data_type || f.len() != 1) {
        return wrong("its _FillValue is not one value of its type".into());
    }
    Ok(shape)
}

fn attributes(attributes: &Attributes) -> Result<()> {
    let mut names = HashSet::new();
    for attribute in attributes {
        check_name(&attribute.name)?;
        if !names.insert(&attribute.name) {
            return Err(twice("attributes", &attribute.name));
        }
    }
    Ok(())
}

/// Checks a name.
fn check_name(name: &str) -> Result<()> {
    let what = if name.is_empty() {
        "is empty"
    } else if name.contains('/') || name == "." {
        "is a path"
    } else if name.bytes().any(|b| b < b' ' || b == 0x7f) {
        "has a control character"
    } else if name.len() > LONGEST_NAME {
        "is longer than 256 bytes"
    } else {
        return Ok(());
    };
    Err(Error::new(Kind::Unsupported, format!("the name {name:?} {what}; netCDF does not allow such names")))
}

fn twice(what: &str, name: &str) -> Error {
    Error::new(Kind::Request, format!("two {what} have the name '{name}'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author::write::Dimension;

    #[test]
    fn names_are_those_that_netcdf_has() {
        for name in ["a", "é b", "_1", "a.b", "-x"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "a/b", ".", "a\nb", "\u{7f}", &"x".repeat(257)] {
            assert_eq!(check_name(name).unwrap_err().kind(), Kind::Unsupported, "{name}");
        }
    }

    #[test]
    fn nothing_is_there_twice() {
        let dimension = |name: &str| Dimension { name: name.into(), size: 1, unlimited: false };
        let two = Group { dimensions: vec![dimension("x"), dimension("x")], ..Group::default() };
        assert_eq!(check(&two).unwrap_err().kind(), Kind::Request);
        let mut file = Group::default();
        file.variables.push(Variable::new("g", DataType::I8, &[]));
        assert!(check(&file).is_ok());
        file.groups.push(Group { name: "g".into(), ..Group::default() });
        assert_eq!(check(&file).unwrap_err().kind(), Kind::Request);
    }
}
