//! Notes on files of several experiments, models or grids, by the attributes of CMIP, and on names of files that
//! contradict these attributes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::labels;
use super::listing::{listed, short};
use crate::io::os::shown;
use crate::value::Attributes;

/// Attributes that usually have one value in all files of an aggregation, and what they name.
const COMMON: [(&str, &str); 4] = [
    ("experiment_id", "experiments"),
    ("source_id", "models"),
    ("model_id", "models"),
    ("grid_label", "grids"),
];

/// The attributes whose values are the parts of the name of a file of CMIP6.
const NAME: [&str; 6] =
    ["variable_id", "table_id", "source_id", "experiment_id", "variant_label", "grid_label"];

/// The maximum number of values, and of contradictions, that are kept.
const MOST: usize = 100;

/// The values of the attributes in all files.
#[derive(Default)]
pub(super) struct Facets {
    /// For each attribute and value the number of files, and the first of them by name.
    values: BTreeMap<&'static str, BTreeMap<String, (u64, String)>>,
    contradictions: BTreeSet<String>,
}

impl Facets {
    /// Adds a file with its global attributes.
    pub fn add(&mut self, file: &str, attributes: &Attributes) {
        for (name, _) in COMMON {
            let Some(value) = labels::text(attributes, name) else { continue };
            let values = self.values.entry(name).or_default();
            if values.len() < MOST || values.contains_key(&value) {
                let (count, first) = values.entry(value).or_insert_with(|| (0, file.to_owned()));
                *count += 1;
                if file < first.as_str() {
                    file.clone_into(first);
                }
            }
        }
        if self.contradictions.len() < MOST {
            self.contradictions.extend(contradiction(file, attributes));
        }
    }

    /// Returns the notes. Attributes in `of_variables` are left out: each variable has its own value of them.
    pub fn notes(&self, new_dimension: Option<&str>, of_variables: &[&str]) -> Vec<String> {
        let mut notes = Vec::new();
        for (name, what) in COMMON {
            let Some(values) = self.values.get(name).filter(|values| values.len() > 1) else { continue };
            // The labels along a new dimension differ on purpose.
            if of_variables.contains(&name)
                || new_dimension.and_then(|text| labels::parts(text).1) == Some(&format!("attribute:{name}"))
            {
                continue;
            }
            let entry = |(value, (count, first)): (&String, &(u64, String))| match count {
                1 => format!("{} ({first})", short(value)),
                n => format!("{} ({first} and {} more)", short(value), n - 1),
            };
            let list = listed(values.iter().map(entry), values.len() as u128);
            notes.push(format!("the files are of {} {what} ({name}): {list}", values.len()));
        }
        if !self.contradictions.is_empty() {
            let count = self.contradictions.len() as u128;
            let list = listed(self.contradictions.iter().cloned(), count);
            notes.push(format!("names of files contradict their attributes: {list}"));
        }
        notes
    }
}

/// Returns how the name of a file of CMIP6 contradicts its attributes.
fn contradiction(file: &str, attributes: &Attributes) -> Option<String> {
    let name = shown(Path::new(Path::new(file).file_stem()?));
    let parts: Vec<&str> = name.split('_').collect();
    if !(NAME.len()..=NAME.len() + 1).contains(&parts.len()) {
        return None;
    }
    let own: Vec<String> = NAME.iter().map(|name| attributes.text(name)).collect::<Option<_>>()?;
    let differs = |(own, part): (&String, &&str)| match part.rsplit_once('-') {
        // The sub-experiment comes before the variant.
        Some((_, variant)) if own.starts_with('r') && variant == own => false,
        _ => own != part,
    };
    let at = own.iter().zip(&parts).position(differs)?;
    let value = short(&own[at]);
    Some(format!("{} in the name of {file}, whose {} is '{value}'", short(parts[at]), NAME[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(experiment: &str) -> Attributes {
        let mut list = Attributes::default();
        for (name, value) in NAME.iter().zip(["tas", "Amon", "M-1", experiment, "r1i1p1f1", "gn"]) {
            list.set_text(name, value);
        }
        list
    }

    #[test]
    fn several_experiments_are_noted_unless_they_are_a_dimension() {
        let mut facets = Facets::default();
        for (file, experiment) in [("b.nc", "historical"), ("a.nc", "historical"), ("c.nc", "ssp585")] {
            facets.add(file, &attributes(experiment));
        }
        let note =
            "the files are of 2 experiments (experiment_id): historical (a.nc and 1 more), ssp585 (c.nc)";
        assert_eq!(facets.notes(None, &[]), [note.replace("), ", "); ")]);
        assert_eq!(facets.notes(Some("e=attribute:experiment_id"), &[]), [""; 0]);
        assert_eq!(facets.notes(None, &["experiment_id"]), [""; 0]);
    }

    #[test]
    fn names_that_contradict_attributes_are_noted() {
        let notes = |file: &str| {
            let mut facets = Facets::default();
            facets.add(file, &attributes("historical"));
            facets.notes(None, &[])
        };
        let wrong = notes("x/tas_Amon_M-1_ssp585_r1i1p1f1_gn_2001-2002.nc");
        assert!(
            wrong[0].contains("ssp585 in the name of x/tas") && wrong[0].contains("'historical'"),
            "{wrong:?}"
        );
        for file in [
            "tas_Amon_M-1_historical_r1i1p1f1_gn_2001-2002.nc",
            "tas_Amon_M-1_historical_r1i1p1f1_gn.nc",
            "tas_Amon_M-1_historical_s1960-r1i1p1f1_gn.nc",
            "my_own_name.nc",
        ] {
            assert_eq!(notes(file), [""; 0], "{file}");
        }
    }
}
