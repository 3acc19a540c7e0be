//! Recognises the dialect of an aggregation variable by its attributes and keywords, never by `Conventions`.

use super::reference;
use super::terms::{self, Terms};
use super::words::{self, Keywords, Names, CFA_0_6B1, CF_1_13, CF_DRAFT};
use crate::container::tree::{Tree, Variable};
use crate::error::{Error, Kind, Result};
use crate::model::Dialect;
use crate::value::{Attributes, Values};

/// The contents of the attributes, and the family of dialects.
#[derive(Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The names of the aggregated dimensions.
    pub dimensions: String,
    /// The instructions.
    pub form: Form,
}

/// The instructions of an aggregation variable.
#[derive(Debug, PartialEq, Eq)]
pub enum Form {
    /// CFA-0.4: JSON.
    Json(String),
    /// `cfa_array` with terms, in lower case.
    CfaTerms(Terms),
    /// CFA-0.6: `location`, `file`, `format`, `address`, in lower case; the rank of `location` determines which text of
    /// it.
    Location(Terms),
    /// The draft of CF section 2.8.
    CfDraft(Terms),
    /// CF-1.13 section 2.8.
    Cf113(Terms),
}

/// Dialects that cannot be distinguished by attributes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Json,
    CfaTerms,
    Location,
    CfDraft,
    Cf113,
}

/// Recognises the dialect by the attributes of the variable.
///
/// # Errors
/// `Attribute` if an attribute is absent or not text, `Terms` if no dialect has these keywords.
pub fn recognise(attributes: &Attributes) -> Result<Recognised> {
    let names = names_in(attributes);
    if names == words::NEW {
        let dimensions = text(attributes, names.dimensions)?;
        let terms = Terms::parse(&text(attributes, names.data)?)?;
        let form = match by_keywords(terms.keywords()) {
            Some(Family::Cf113) => Form::Cf113(terms),
            Some(Family::CfDraft) => Form::CfDraft(terms),
            Some(_) => Form::Location(terms.ignoring_case()?),
            None => return Err(unknown(&terms)),
        };
        return Ok(Recognised { dimensions, form });
    }
    let array = text(attributes, names.data)?;
    if by_array(&array) == Family::Json {
        // CFA-0.4: without this attribute the array is scalar.
        let named = attributes.get(names.dimensions).is_some();
        let dimensions = if named { text(attributes, names.dimensions)? } else { String::new() };
        return Ok(Recognised { dimensions, form: Form::Json(array) });
    }
    let dimensions = text(attributes, names.dimensions)?;
    Ok(Recognised { dimensions, form: Form::CfaTerms(Terms::parse(&array)?.ignoring_case()?) })
}

/// Returns the dialect of an aggregation variable whose attributes obey it.
pub(crate) fn dialect_of(tree: &Tree, variable: &Variable) -> Option<Dialect> {
    let recognised = recognise(&variable.attributes).ok()?;
    Some(match &recognised.form {
        Form::Json(_) => Dialect::Cfa04,
        Form::CfaTerms(_) => Dialect::CfaTerms,
        Form::CfDraft(_) => Dialect::CfDraft,
        Form::Cf113(_) => Dialect::Cf113,
        Form::Location(terms) => {
            let shape = shape_of(tree, variable, terms.get(CFA_0_6B1.map)?)?;
            let rank = recognised.dimensions.split_whitespace().count();
            return location_dialect(shape, rank, terms).ok();
        }
    })
}

/// Returns the dialect that an aggregation variable seems to follow, even if it breaks its rules.
pub(crate) fn nearest_dialect(tree: &Tree, variable: &Variable) -> Dialect {
    let attributes = &variable.attributes;
    let names = names_in(attributes);
    let data = attributes.text(names.data).unwrap_or_default();
    if names == words::OLD {
        return if by_array(&data) == Family::Json { Dialect::Cfa04 } else { Dialect::CfaTerms };
    }
    let (pairs, _) = terms::elements(&data);
    match by_keywords(pairs.iter().map(|&(keyword, _)| keyword)) {
        Some(Family::CfDraft) => return Dialect::CfDraft,
        Some(Family::Location) => {}
        _ => return Dialect::Cf113,
    }
    let location = pairs.iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(CFA_0_6B1.map));
    let Some(shape) = location.and_then(|(_, name)| shape_of(tree, variable, name)) else {
        return Dialect::Cfa062;
    };
    let rank = attributes.text(names.dimensions).unwrap_or_default().split_whitespace().count();
    let terms = Terms::from_elements(&pairs).and_then(Terms::ignoring_case);
    let dialect = terms.and_then(|terms| location_dialect(shape, rank, &terms));
    dialect.unwrap_or(if shape.len() > 2 { Dialect::Cfa06b1 } else { Dialect::Cfa062 })
}

/// Returns the names of the attributes that are present.
fn names_in(attributes: &Attributes) -> Names {
    let Names { dimensions, data } = words::NEW;
    match attributes.get(dimensions).is_some() || attributes.get(data).is_some() {
        true => words::NEW,
        false => words::OLD,
    }
}

fn by_array(text: &str) -> Family {
    match text.trim_start().starts_with('{') {
        true => Family::Json,
        false => Family::CfaTerms,
    }
}

fn by_keywords<'a>(keywords: impl Iterator<Item = &'a str>) -> Option<Family> {
    let exact: Vec<&str> = keywords.collect();
    let lower: Vec<String> = exact.iter().map(|keyword| keyword.to_lowercase()).collect();
    let any = |words: &[&str]| lower.iter().any(|k| words.contains(&k.as_str()));
    let any_exact = |words: &Keywords, also: &[&str]| {
        exact.iter().any(|k| *k == words.map || Some(*k) == words.unique || also.contains(k))
    };
    let cf = any(&[CF_DRAFT.map, CF_1_13.map]);
    // CFA-0.6 ignores case and unknown terms; the CF texts do neither.
    if any(&[CFA_0_6B1.map]) && !cf {
        return Some(Family::Location);
    }
    if any_exact(&CF_1_13, CF_1_13.mandatory) {
        return Some(Family::Cf113);
    }
    // CFA-0.6 also has the other keywords of the draft.
    if any_exact(&CF_DRAFT, &[]) {
        return Some(Family::CfDraft);
    }
    (any(CFA_0_6B1.mandatory) && !cf).then_some(Family::Location)
}

fn unknown(terms: &Terms) -> Error {
    let have: Vec<&str> = terms.keywords().collect();
    let message = format!(
        "keywords '{}' are not those of any convention; {} has {} or {}, {}, in lower case",
        have.join("', '"),
        Dialect::Cf113,
        CF_1_13.mandatory.join(", "),
        CF_1_13.map,
        CF_1_13.unique.unwrap_or_default()
    );
    Error::new(Kind::Terms, message)
}

fn shape_of<'a>(tree: &'a Tree, variable: &Variable, name: &str) -> Option<&'a [u64]> {
    let id = reference::variable(tree, variable.group, name)?;
    Some(&tree.variables[id.0].array.shape)
}

/// Distinguishes the texts of CFA-0.6 by the rank of the `location` variable and the terms that are present.
///
/// # Errors
/// `Rank` if it is neither a table of sizes nor one of index ranges.
pub fn location_dialect(shape: &[u64], rank: usize, terms: &Terms) -> Result<Dialect> {
    let ranges = shape.len() == rank + 2 && shape[rank + 1] == 2 && (rank > 0 || shape[0] == 0);
    if ranges {
        let whole = terms.has(CFA_0_6B1.locations) && CFA_0_6B1.formats.is_some_and(|word| terms.has(word));
        return Ok(if whole { Dialect::Cfa06b1 } else { Dialect::Cfa06b1Early });
    }
    let sizes = if rank == 0 { shape.len() <= 1 } else { shape.len() == 2 };
    if sizes {
        return Ok(Dialect::Cfa062);
    }
    let message = format!(
        "the location variable has shape {shape:?}; for {rank} aggregated dimensions it is a table of sizes with 2 \
         dimensions or of index ranges with {}",
        rank + 2
    );
    Err(Error::new(Kind::Rank, message))
}

/// Returns the text of a mandatory attribute.
///
/// # Errors
/// `Attribute` if it is absent or not a single text.
pub(crate) fn text(attributes: &Attributes, name: &str) -> Result<String> {
    match attributes.get(name) {
        None => Err(Error::new(Kind::Attribute, format!("attribute '{name}' is absent"))),
        Some(Values::String(list)) if list.is_empty() => Ok(String::new()),
        Some(value) => value.as_text().ok_or_else(|| {
            Error::new(Kind::Attribute, format!("attribute '{name}' is not one piece of text"))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_tell_the_family() {
        let family = |text: &str| by_keywords(text.split_whitespace());
        assert_eq!(family("map uris identifiers"), Some(Family::Cf113));
        assert_eq!(family("unique_values"), Some(Family::Cf113));
        assert_eq!(family("shape location address"), Some(Family::CfDraft));
        assert_eq!(family("value address"), Some(Family::CfDraft));
        assert_eq!(family("LOCATION file"), Some(Family::Location));
        assert_eq!(family("location uris"), Some(Family::Location));
        assert_eq!(family("Address"), Some(Family::Location));
        assert_eq!(family("MAP address"), None);
        assert_eq!(family(""), None);
    }
}
