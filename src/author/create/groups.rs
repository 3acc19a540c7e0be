//! Moves the variables of a file, whose names are paths, to their groups, and adapts references to be valid there.

use std::collections::HashSet;
use std::sync::Arc;

use crate::author::write::{Data, File, Group, Variable};
use crate::cf::{self, Form};
use crate::dialect::words::NEW;
use crate::dialect::STATE_ATTRIBUTE;
use crate::error::{Error, Kind, Result};
use crate::model::Dialect;
use crate::value::Attributes;

/// Attributes of aggregation variables that name dimensions and variables, in the dialects that have groups.
const OF_AGGREGATIONS: [(&str, Form); 3] =
    [(NEW.dimensions, Form::Dimensions), (NEW.data, Form::Keyed), (STATE_ATTRIBUTE, Form::Keyed)];

/// Returns the file with groups, which get these attributes.
///
/// # Errors
/// `Unsupported` if the dialect has no groups, or if a dimension is hidden by another of its name.
pub(super) fn into_groups(
    flat: File,
    attributes: Vec<(String, Attributes)>,
    dialect: Dialect,
) -> Result<File> {
    let Some(inner) = flat.variables.iter().find(|v| v.name.contains('/')) else { return Ok(flat) };
    if matches!(dialect, Dialect::Cfa04 | Dialect::CfaTerms) {
        let message = format!("it is in a group, which {dialect} does not support; CF-1.13 does");
        return Err(Error::new(Kind::Unsupported, message).in_variable(&*inner.name));
    }
    let variables: HashSet<String> = flat.variables.iter().map(|v| v.name.clone()).collect();
    let dimensions: HashSet<String> = flat.dimensions.iter().map(|d| d.name.clone()).collect();
    let mut file = File { attributes: flat.attributes, ..File::default() };
    for mut dimension in flat.dimensions {
        let (path, name) = split(&dimension.name);
        let (path, name) = (path.to_owned(), name.to_owned());
        dimension.name = name;
        group(&mut file, &path).dimensions.push(dimension);
    }
    for mut variable in flat.variables {
        let (path, name) = split(&variable.name);
        let (path, name) = (path.to_owned(), name.to_owned());
        refer(&mut variable, &path, &variables, &dimensions);
        if let Data::Fragments(meaning) = &mut variable.data {
            let meant = &mut Arc::make_mut(meaning).aggregated.variable;
            refer(meant, &path, &variables, &dimensions);
            meant.dimensions.iter_mut().for_each(|name| *name = format!("/{name}"));
        }
        for dimension in &mut variable.dimensions {
            let seen = shown(&path, dimension, &dimensions);
            if seen.starts_with('/') {
                let message =
                    format!("dimension '{dimension}' is hidden by another dimension of the same name");
                return Err(Error::new(Kind::Unsupported, message).in_variable(&*variable.name));
            }
            *dimension = seen;
        }
        variable.name = name;
        group(&mut file, &path).variables.push(variable);
    }
    for (path, list) in attributes {
        // Groups without variables in the new file are not added.
        if let Some(there) = existing(&mut file, &path) {
            there.attributes = list;
        }
    }
    Ok(file)
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Returns the group of this path, which is added if necessary.
fn group<'a>(file: &'a mut Group, path: &str) -> &'a mut Group {
    path.split('/').filter(|p| !p.is_empty()).fold(file, |at, name| {
        let place = at.groups.iter().position(|g| g.name == name).unwrap_or_else(|| {
            at.groups.push(Group { name: name.to_owned(), ..Group::default() });
            at.groups.len() - 1
        });
        &mut at.groups[place]
    })
}

fn existing<'a>(file: &'a mut Group, path: &str) -> Option<&'a mut Group> {
    path.split('/')
        .filter(|p| !p.is_empty())
        .try_fold(file, |at, name| at.groups.iter_mut().find(|g| g.name == name))
}

/// Returns how a variable in a group refers to something: by its name if the upward search finds it, else by its path.
fn shown(from: &str, path: &str, all: &HashSet<String>) -> String {
    let (_, name) = split(path);
    let mut at = Some(from);
    while let Some(group) = at {
        let candidate = if group.is_empty() { name.to_owned() } else { format!("{group}/{name}") };
        if candidate == path {
            return name.to_owned();
        }
        if all.contains(&candidate) {
            break;
        }
        at = (!group.is_empty()).then(|| split(group).0);
    }
    format!("/{path}")
}

/// Changes the words of attributes that name variables and dimensions.
fn refer(variable: &mut Variable, from: &str, variables: &HashSet<String>, dimensions: &HashSet<String>) {
    let references = cf::references(cf::Use::Rename).map(|reference| (reference.attribute, reference.form));
    for (attribute, form) in references.chain(OF_AGGREGATIONS) {
        let Some(text) = variable.attributes.text(attribute) else { continue };
        let new = form.rename(&text, |word| {
            let place = |all: &HashSet<String>| all.contains(word).then(|| shown(from, word, all));
            let name = match form.prefers_dimensions() {
                true => place(dimensions).or_else(|| place(variables)),
                false => place(variables).or_else(|| place(dimensions)),
            };
            Some(name.unwrap_or_else(|| word.to_owned()))
        });
        if new != text {
            variable.attributes.set_text(attribute, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_names_or_paths() {
        let all: HashSet<String> = ["lat", "a/lat", "a/b/v", "c/w"].map(str::to_owned).into();
        assert_eq!(shown("a/b", "a/lat", &all), "lat");
        assert_eq!(shown("a/b", "lat", &all), "/lat");
        assert_eq!(shown("a/b", "a/b/v", &all), "v");
        assert_eq!(shown("", "lat", &all), "lat");
        assert_eq!(shown("a", "c/w", &all), "/c/w");
    }
}
