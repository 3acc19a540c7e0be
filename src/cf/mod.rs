//! The attributes of CF that name other variables, and how their text is read.
//!
//! One table for everything that follows such names: `create` finds the variables that describe data and renames them,
//! `extract` copies them, the rules for replacing a file know what is not data, and names in foreign stores are checked
//! to stay inside.

/// How the text of an attribute names variables or dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `lat lon`: every word names a variable.
    Names,
    /// `area: areacella volume: volcello`: the words after the keys name variables; the keys belong to the convention.
    Keyed,
    /// `crs`, or `crs: x y`: the words before colons name variables, the others coordinates.
    Mapping,
    /// `time: mean`: the words before colons name dimensions or variables, the others are no names.
    Methods,
    /// `lat lon`: every word names a dimension.
    Dimensions,
}

impl Form {
    /// Returns the names of the variables that the attribute is about.
    pub(crate) fn names(self, text: &str) -> Vec<&str> {
        let words = text.split_whitespace();
        match self {
            Form::Keyed => words.filter(|word| !word.ends_with(':')).collect(),
            Form::Mapping if words.clone().any(|word| word.ends_with(':')) => {
                words.filter_map(|word| word.strip_suffix(':')).collect()
            }
            _ => words.collect(),
        }
    }

    /// Returns the text with each name replaced by the result of `name`; names for which it returns `None` are removed.
    pub(crate) fn rename(self, text: &str, name: impl Fn(&str) -> Option<String>) -> String {
        let mut out: Vec<String> = Vec::new();
        let mut key: Option<&str> = None;
        for word in text.split_whitespace() {
            match (self, word.strip_suffix(':')) {
                // A key is kept only if one of its names is.
                (Form::Keyed, Some(_)) => key = Some(word),
                (Form::Keyed, None) => {
                    if let Some(new) = name(word) {
                        out.extend(key.take().map(str::to_owned));
                        out.push(new);
                    }
                }
                (Form::Methods, None) => out.push(word.to_owned()),
                (_, Some(word)) => out.extend(name(word).map(|n| n + ":")),
                (_, None) => out.extend(name(word)),
            }
        }
        out.join(" ")
    }

    /// Returns whether a word that names both a variable and a dimension means the dimension.
    pub(crate) fn prefers_dimensions(self) -> bool {
        matches!(self, Form::Methods | Form::Dimensions)
    }
}

/// Returns every word of a text, both keys and names, without colons.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_end_matches(':'))
}

/// The purpose for which the names in an attribute are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// `create` treats the named variables as a part of the description of data, not as data.
    Companion,
    /// `create` replaces the names of variables or dimensions that are renamed.
    Rename,
    /// The named variables describe others: a file that has nothing else has no data.
    Description,
    /// `extract` also copies the named variables.
    Extract,
    /// GDAL opens the arrays that such an attribute of a Zarr array names.
    Store,
}

use Use::{Companion, Description, Extract, Rename, Store};

/// An attribute whose text names variables or dimensions.
#[derive(Debug)]
pub(crate) struct Reference {
    /// The name of the attribute.
    pub(crate) attribute: &'static str,
    /// How its text is read.
    pub(crate) form: Form,
    uses: &'static [Use],
}

const fn of(attribute: &'static str, form: Form, uses: &'static [Use]) -> Reference {
    Reference { attribute, form, uses }
}

const DESCRIBING: &[Use] = &[Companion, Rename, Description, Extract, Store];

/// `extract` finds variables in this order.
const REFERENCES: [Reference; 21] = [
    of("coordinates", Form::Names, DESCRIBING),
    of("bounds", Form::Names, DESCRIBING),
    of("climatology", Form::Names, DESCRIBING),
    of("grid_mapping", Form::Mapping, DESCRIBING),
    of("cell_measures", Form::Keyed, DESCRIBING),
    // Ancillary variables are data.
    of("ancillary_variables", Form::Names, &[Rename, Extract, Store]),
    of("formula_terms", Form::Keyed, DESCRIBING),
    of("geometry", Form::Names, &[Description, Extract, Store]),
    of("node_coordinates", Form::Names, &[Extract, Store]),
    of("node_count", Form::Names, &[Description, Extract, Store]),
    of("part_node_count", Form::Names, &[Description, Extract, Store]),
    of("interior_ring", Form::Names, &[Description, Extract, Store]),
    of("coordinate_interpolation", Form::Keyed, &[Description, Extract]),
    of("tie_point_mapping", Form::Keyed, &[Extract]),
    of("quantization", Form::Names, &[Description, Extract]),
    of("mesh", Form::Names, &[Description, Extract]),
    of("instance_dimension", Form::Dimensions, &[Extract]),
    of("compress", Form::Dimensions, &[Rename, Extract]),
    of("face_node_connectivity", Form::Names, &[Extract]),
    of("computed_standard_name", Form::Names, &[Extract]),
    of("cell_methods", Form::Methods, &[Rename]),
];

/// Returns the attributes whose names are followed for a purpose.
pub(crate) fn references(purpose: Use) -> impl Iterator<Item = &'static Reference> {
    REFERENCES.iter().filter(move |reference| reference.uses.contains(&purpose))
}

/// Returns the attribute of this name, if its names are followed for the purpose.
pub(crate) fn reference(attribute: &str, purpose: Use) -> Option<&'static Reference> {
    references(purpose).find(|reference| reference.attribute == attribute)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_renamed_or_left_out() {
        let name = |w: &str| match w {
            "time" => Some("time_2".into()),
            "gone" => None,
            other => Some(other.to_owned()),
        };
        assert_eq!(Form::Methods.rename("time: mean area: time", name), "time_2: mean area: time");
        assert_eq!(Form::Keyed.rename("area: gone volume: time", name), "volume: time_2");
        assert_eq!(Form::Keyed.rename("time: time ps: ps", name), "time: time_2 ps: ps");
        assert_eq!(Form::Names.rename("gone time lat", name), "time_2 lat");
        assert_eq!(Form::Mapping.rename("crs: time lat", name), "crs: time_2 lat");
    }

    #[test]
    fn keys_are_names_in_mappings_alone() {
        assert_eq!(Form::Names.names("lat  lon"), ["lat", "lon"]);
        assert_eq!(Form::Keyed.names("area: a volume: v"), ["a", "v"]);
        assert_eq!(Form::Mapping.names("crs"), ["crs"]);
        assert_eq!(Form::Mapping.names("crs: x y pole: a b"), ["crs", "pole"]);
        assert_eq!(words("crs: x y").collect::<Vec<_>>(), ["crs", "x", "y"]);
    }

    #[test]
    fn an_attribute_stands_in_the_table_once() {
        for (i, reference) in REFERENCES.iter().enumerate() {
            assert!(REFERENCES[..i].iter().all(|other| other.attribute != reference.attribute));
        }
    }
}
