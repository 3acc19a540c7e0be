//! Which variables of a file are data and which describe other variables (CF-1.13 chapters 4, 5 and 7).

use std::collections::{BTreeSet, HashMap};

use super::bounds;
use super::record::Template;
use crate::dialect::STATE_ATTRIBUTE;

/// Attributes that name variables which describe the variable.
const DESCRIBING: [&str; 6] =
    ["bounds", "climatology", "coordinates", "cell_measures", "grid_mapping", "formula_terms"];

/// Attributes whose words may be names of variables or dimensions of the file.
pub(super) const NAMING: [&str; 9] = [
    "bounds",
    "climatology",
    "coordinates",
    "cell_measures",
    "grid_mapping",
    "formula_terms",
    "ancillary_variables",
    "cell_methods",
    "compress",
];

/// The names in such an attribute.
fn names(attribute: &str, text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
    match attribute {
        // "area: areacella volume: volcello"
        "cell_measures" | "formula_terms" => owned(words.into_iter().filter(|w| !w.ends_with(':')).collect()),
        // "crs" or "crs: x y"
        "grid_mapping" if words.iter().any(|w| w.ends_with(':')) => {
            owned(words.iter().filter_map(|w| w.strip_suffix(':')).collect())
        }
        _ => owned(words),
    }
}

/// The variables that describe this one, by its attributes.
pub(super) fn described_by(template: &Template) -> Vec<String> {
    let found = |attribute: &'static str| Some(names(attribute, &template.text(attribute)?));
    DESCRIBING.into_iter().filter_map(found).flatten().collect()
}

/// Whether this is a coordinate variable: of its own dimension.
pub(super) fn is_coordinate(template: &Template) -> bool {
    template.rank() == 1 && template.dimensions[0] == template.name
}

/// The names of variables in a file that are not data.
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

/// Everything that describes a data variable, directly or not: what its attributes and dimensions name, and so on.
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

/// The text of an attribute with names replaced, as `name` gives them; those for which it gives nothing are left out.
pub(super) fn rename(attribute: &str, text: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut key: Option<&str> = None;
    for word in text.split_whitespace() {
        match (attribute, word.strip_suffix(':')) {
            // "area: areacella": the keys belong to the convention, and go when what they stand for goes.
            ("cell_measures" | "formula_terms" | "aggregated_data" | STATE_ATTRIBUTE, Some(_)) => {
                key = Some(word)
            }
            ("cell_measures" | "formula_terms" | "aggregated_data" | STATE_ATTRIBUTE, None) => {
                if let Some(new) = name(word) {
                    out.extend(key.take().map(str::to_owned));
                    out.push(new);
                }
            }
            // "time: mean": the methods are no names.
            ("cell_methods", None) => out.push(word.to_owned()),
            (_, Some(word)) => out.extend(name(word).map(|n| n + ":")),
            (_, None) => out.extend(name(word)),
        }
    }
    out.join(" ")
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

    #[test]
    fn words_are_renamed_or_left_out() {
        let name = |w: &str| match w {
            "time" => Some("time_2".into()),
            "gone" => None,
            other => Some(other.to_owned()),
        };
        assert_eq!(rename("cell_methods", "time: mean area: time", name), "time_2: mean area: time");
        assert_eq!(rename("cell_measures", "area: gone volume: time", name), "volume: time_2");
        assert_eq!(rename("formula_terms", "time: time ps: ps", name), "time: time_2 ps: ps");
        assert_eq!(rename("coordinates", "gone time lat", name), "time_2 lat");
        assert_eq!(rename("grid_mapping", "crs: time lat", name), "crs: time_2 lat");
    }
}
