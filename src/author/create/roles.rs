//! Determines which variables of a file are data and which describe other variables (CF-1.13 chapters 4, 5 and 7).

use std::collections::{BTreeSet, HashMap};

use super::bounds;
use super::record::Template;
use crate::cf;

/// Returns the variables that describe this one according to its attributes.
pub(super) fn described_by(template: &Template) -> Vec<String> {
    let mut found = Vec::new();
    for reference in cf::references(cf::Use::Companion) {
        let text = template.text(reference.attribute).unwrap_or_default();
        found.extend(reference.form.names(&text).into_iter().map(str::to_owned));
    }
    found
}

/// Returns whether this is a coordinate variable, which has the name of its dimension.
pub(super) fn is_coordinate(template: &Template) -> bool {
    template.rank() == 1 && template.dimensions[0] == template.name
}

/// Returns the names of variables in a file that are not data.
pub(super) fn companions<'a>(templates: impl Iterator<Item = &'a Template> + Clone) -> BTreeSet<String> {
    let mut all: BTreeSet<String> =
        templates.clone().filter(|t| is_coordinate(t)).map(|t| t.name.clone()).collect();
    let known: HashMap<&str, &Template> = templates.clone().map(|t| (&*t.name, t)).collect();
    for template in templates {
        let bounds = bounds::name_of(template);
        let is_other = |name: &String| {
            let found = known.get(name.as_str()).filter(|_| bounds.as_ref() == Some(name));
            found.is_none_or(|found| bounds::can_be(found, template))
        };
        all.extend(described_by(template).into_iter().filter(is_other));
    }
    all
}

/// Returns everything that describes a data variable, directly or not: what its attributes and dimensions name, and so
/// on.
pub(super) fn closure<'a>(
    template: &Template,
    dimensions: &[String],
    find: impl Fn(&str) -> Option<&'a Template>,
) -> Vec<String> {
    let mut open: Vec<String> = dimensions.to_vec();
    open.extend(described_by(template));
    let mut seen: Vec<String> = Vec::new();
    while let Some(name) = open.pop() {
        if seen.contains(&name) || name == template.name {
            continue;
        }
        if let Some(found) = find(&name) {
            open.extend(described_by(found));
            open.extend(found.dimensions.iter().cloned());
            seen.push(name);
        }
    }
    seen.sort();
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Attributes, DataType};

    fn template(name: &str, dimensions: &[&str], attributes: &[(&str, &str)]) -> Template {
        let mut list = Attributes::default();
        for (name, text) in attributes {
            list.set_text(name, *text);
        }
        let dimensions = dimensions.iter().map(|&d| d.to_owned()).collect();
        Template::new(name.into(), name.into(), DataType::F32, dimensions, list)
    }

    #[test]
    fn what_describes_others_is_not_data() {
        let all = [
            template(
                "tas",
                &["time", "y", "x"],
                &[("coordinates", "lat lon height"), ("grid_mapping", "pole: x y")],
            ),
            template("time", &["time"], &[("bounds", "time_bnds")]),
            template("lev", &["lev"], &[("formula_terms", "a: ap b: b ps: ps")]),
            template("orog", &["y", "x"], &[("cell_measures", "area: areacella")]),
        ];
        let names: Vec<String> = companions(all.iter()).into_iter().collect();
        let expected =
            ["ap", "areacella", "b", "height", "lat", "lev", "lon", "pole", "ps", "time", "time_bnds"];
        assert_eq!(names, expected);
        let closed = closure(&all[0], &all[0].dimensions, |n| all.iter().find(|t| t.name == n));
        assert_eq!(closed, ["time"]);
    }
}
