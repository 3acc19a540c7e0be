//! Ragged arrays whose parts are in several files (CF section 9.3): counts, indices and samples must stay consistent.
//!
//! Samples follow the instances that they belong to, so the parts of a sample dimension are in the order of the files,
//! whatever their times. Refused: samples that come from more files than their counts, and indices into the instances
//! of one file if there are instances of several.

use std::collections::HashMap;

use super::field::{Field, Member};
use super::record::{Input, Item, Template};
use crate::author::option_name::OptionName;
use crate::error::{Error, Kind, Result};

/// The attribute of a count variable, and that of an index variable.
const SAMPLE_DIMENSION: &str = "sample_dimension";
const INSTANCE_DIMENSION: &str = "instance_dimension";
const TELLING: [&str; 2] = [SAMPLE_DIMENSION, INSTANCE_DIMENSION];

/// Returns whether a file has a count or index variable of a dimension.
pub(super) fn is_sample_dimension(input: &Input, dimension: &str) -> bool {
    input.items.iter().any(|item| {
        let template = &item.template;
        named(input, item, SAMPLE_DIMENSION).is_some_and(|samples| samples == dimension)
            || template.text(INSTANCE_DIMENSION).is_some() && template.dimensions == [dimension]
    })
}

/// Returns the dimension that an attribute of a variable names, found in its group or in those above.
fn named(input: &Input, item: &Item, attribute: &str) -> Option<String> {
    let word = item.template.text(attribute)?;
    let known = |name: &str| input.items.iter().any(|i| i.template.dimensions.iter().any(|d| d == name));
    if let Some(path) = word.trim().strip_prefix('/') {
        return known(path).then(|| path.to_owned());
    }
    let mut group = item.template.name.as_str();
    loop {
        let above = group.rsplit_once('/').map(|(above, _)| above);
        let name = above.map_or(word.trim().to_owned(), |above| format!("{above}/{}", word.trim()));
        if known(&name) {
            return Some(name);
        }
        group = above?;
    }
}

/// How the fields of files with ragged arrays are joined.
#[derive(Default)]
pub(super) struct Joined {
    axes: Vec<Along>,
    /// Count and index variables.
    telling: Vec<Member>,
    /// Whether a file has any of these.
    ragged: HashMap<usize, bool>,
}

/// A dimension of a field that is divided between files.
struct Along {
    field: String,
    dimension: String,
    /// For each file, the index of its part.
    parts: HashMap<usize, usize>,
}

impl Joined {
    /// Adds a field.
    pub fn add(&mut self, inputs: &[Input], field: &Field) {
        let Some(&first) = field.members.first() else { return };
        let tells = |t: &Template| TELLING.iter().any(|name| t.attributes.get(name).is_some());
        let input = &inputs[first.input];
        let is_ragged = || input.items.iter().any(|item| tells(&item.template));
        if !*self.ragged.entry(first.input).or_insert_with(is_ragged) {
            return;
        }
        if tells(&input.items[first.item].template) {
            self.telling.push(first);
        }
        for axis in field.axes.iter().filter(|axis| axis.is_split()) {
            let files = field.members.iter().map(|m| m.input);
            let parts = files.zip(axis.part_of.iter().copied()).collect();
            self.axes.push(Along { field: field.name.clone(), dimension: axis.name.clone(), parts });
        }
    }

    /// Checks that counts and samples are joined in the same way.
    ///
    /// # Errors
    /// `Map`; the message names the variable.
    pub fn check(&self, inputs: &[Input]) -> Result<()> {
        for member in &self.telling {
            let (input, item) = (&inputs[member.input], &*inputs[member.input].items[member.item]);
            self.check_counts(input, item)
                .and_then(|()| self.check_indices(input, item))
                .map_err(|message| Error::new(Kind::Map, message).in_variable(&*item.template.name))?;
        }
        Ok(())
    }

    fn along<'a>(&'a self, dimension: &'a str) -> impl Iterator<Item = &'a Along> {
        self.axes.iter().filter(move |along| along.dimension == dimension)
    }

    fn check_counts(&self, input: &Input, item: &Item) -> Result<(), String> {
        let Some(samples) = named(input, item, SAMPLE_DIMENSION) else { return Ok(()) };
        let rows = item.template.dimensions.first().map_or("", String::as_str);
        let counts = self.along(rows).find(|along| along.field == item.template.name);
        let Some(counts) = counts else {
            return match self.along(&samples).next() {
                None => Ok(()),
                Some(_) => Err(format!(
                    "it counts the samples of one file; join '{rows}' as well as '{samples}' ({}), or leave it out \
                     ({})",
                    OptionName::Dimension(None),
                    OptionName::Variables
                )),
            };
        };
        if self.along(&samples).next().is_none() {
            return Err(format!(
                "'{rows}' is joined and '{samples}', whose samples it counts, is not ({})",
                OptionName::Dimension(None)
            ));
        }
        let differs = self.along(&samples).find(|along| {
            along.parts.iter().any(|(file, part)| counts.parts.get(file).is_some_and(|own| own != part))
        });
        match differs {
            None => Ok(()),
            Some(along) => Err(format!(
                "it is joined in one order of files, and '{}', whose samples it counts, in another; give the files in \
                 the order of '{samples}'",
                along.field
            )),
        }
    }

    fn check_indices(&self, input: &Input, item: &Item) -> Result<(), String> {
        let Some(instances) = named(input, item, INSTANCE_DIMENSION) else { return Ok(()) };
        if self.along(&instances).next().is_none() {
            return Ok(());
        }
        Err(format!(
            "it has indices along '{instances}' of its own file, which change when '{instances}' is joined; leave it \
             out (--variables)"
        ))
    }
}
