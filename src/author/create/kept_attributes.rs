//! Keeps global attributes of the files as variables (`tracking_id`). Each file gets the text of its attribute as a
//! scalar coordinate of its data, which then lies along the dimensions in which it differs.

use std::sync::Arc;

use super::kept_values::Kept;
use super::labels;
use super::record::{Content, Input, Interner, Item, Template};
use super::roles;
use crate::container::composed::is_same;
use crate::error::{Error, Kind, Result};
use crate::value::{Attributes, DataType, Values};

/// Refuses names that cannot become variables.
///
/// # Errors
/// `Request`.
pub(super) fn check(names: &[String], new_dimension: Option<&str>) -> Result<()> {
    let taken = |name: &str| new_dimension.is_some_and(|text| is_same(labels::parts(text).0, name));
    let wrong = names.iter().enumerate().find_map(|(at, name)| match name {
        _ if name.is_empty() || name.contains(['/', '\0']) || name.split_whitespace().count() != 1 => {
            Some(format!("'{}' is no name of an attribute to be kept", name.replace('\0', "?")))
        }
        _ if names[..at].iter().any(|other| is_same(other, name)) => {
            Some(format!("the attribute '{name}' is to be kept twice"))
        }
        _ if taken(name) => {
            Some(format!("'{name}' is the new dimension, so no attribute is kept under this name"))
        }
        _ => None,
    });
    wrong.map_or(Ok(()), |message| Err(Error::new(Kind::Request, message)))
}

/// Adds the kept attributes to the `coordinates` of a data variable, sorted, whatever the order of the options.
pub(super) fn refer(names: &[String], template: &mut Template) {
    let mut words: Vec<String> = template.text("coordinates").into_iter().collect();
    let mut names: Vec<&String> = names.iter().collect();
    names.sort();
    words.extend(names.into_iter().cloned());
    template.attributes.set_text("coordinates", words.join(" "));
}

/// Returns the attributes of a file as scalar coordinates. An attribute that the file does not have is an empty text.
pub(super) fn items<'a>(
    names: &'a [String],
    attributes: &'a Attributes,
    interner: &'a Interner,
) -> impl Iterator<Item = Arc<Item>> + 'a {
    names.iter().map(|name| {
        let text = labels::text(attributes, name).unwrap_or_default();
        let text = text.trim_end_matches('\0').to_owned();
        let mut described = Attributes::default();
        described.set_text("long_name", long_name(name));
        let template = Template::new(name.clone(), name.clone(), DataType::String, Vec::new(), described);
        let outline = interner.outline(&interner.template(template), &[], false, false);
        let content = Content::Kept(Kept::new(Values::String(vec![text]), interner));
        interner.item(Item { outline, content, fragment: None })
    })
}

/// Returns notes on files that do not have an attribute to be kept.
///
/// # Errors
/// `Attribute` if no file has it.
pub(super) fn notes(names: &[String], inputs: &[Input]) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for name in names {
        let is_empty = |item: &Item| match &item.content {
            Content::Kept(kept) => match &*kept.values() {
                Values::String(list) => list.iter().all(String::is_empty),
                Values::Char(bytes) => bytes.iter().all(|byte| *byte == 0),
                _ => false,
            },
            _ => false,
        };
        let without: Vec<&Input> =
            inputs.iter().filter(|input| input.item(name).is_some_and(is_empty)).collect();
        let Some(first) = without.first() else { continue };
        if without.len() == inputs.len() {
            return Err(Error::new(
                Kind::Attribute,
                format!("no file has a global attribute '{name}' to be kept"),
            ));
        }
        let more = if without.len() > 1 { format!(" and {} more", without.len() - 1) } else { String::new() };
        notes.push(format!("{}{more} without a global attribute '{name}': the text is empty", first.name));
    }
    Ok(notes)
}

fn long_name(name: &str) -> String {
    format!("{name} of the files")
}

/// Returns whether a variable of an aggregation is a kept attribute, which an update continues.
pub(super) fn is_kept(template: &Template) -> bool {
    let is_text = matches!(template.data_type, DataType::String | DataType::Char);
    is_text
        && !roles::is_coordinate(template)
        && !template.name.contains('/')
        && template.text("long_name").is_some_and(|text| text == long_name(&template.name))
}
