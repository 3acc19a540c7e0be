//! Which dialect an aggregation variable follows: told by its attributes and keywords, never by `Conventions`.

use super::terms::Terms;
use crate::error::{Error, Kind, Result};
use crate::model::Dialect;
use crate::value::{Attributes, Values};

/// What the attributes say, and in which family of dialects.
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
    /// CFA-0.6: `location`, `file`, `format`, `address`, in lower case; the rank of `location` tells the rest.
    Location(Terms),
    /// The draft of CF section 2.8.
    CfDraft(Terms),
    /// CF-1.13 section 2.8.
    Cf113(Terms),
}

/// Recognises the dialect by the attributes of the variable.
///
/// # Errors
/// `Attribute` when an attribute is absent or not text, `Terms` when the keywords are those of no dialect.
pub fn recognise(attributes: &Attributes) -> Result<Recognised> {
    if attributes.get("aggregated_dimensions").is_some() || attributes.get("aggregated_data").is_some() {
        let dimensions = text(attributes, "aggregated_dimensions")?;
        let terms = Terms::parse(&text(attributes, "aggregated_data")?)?;
        return Ok(Recognised { dimensions, form: by_keywords(terms)? });
    }
    let array = text(attributes, "cfa_array")?;
    if array.trim_start().starts_with('{') {
        // CFA-0.4: without cfa_dimensions the array is scalar.
        let named = attributes.get("cfa_dimensions").is_some();
        let dimensions = if named { text(attributes, "cfa_dimensions")? } else { String::new() };
        return Ok(Recognised { dimensions, form: Form::Json(array) });
    }
    let dimensions = text(attributes, "cfa_dimensions")?;
    Ok(Recognised { dimensions, form: Form::CfaTerms(Terms::parse(&array)?.ignoring_case()?) })
}

fn by_keywords(terms: Terms) -> Result<Form> {
    let lower: Vec<String> = terms.keywords().map(str::to_lowercase).collect();
    let any = |words: &[&str]| lower.iter().any(|k| words.contains(&k.as_str()));
    let cf = any(&["shape", "map"]);
    // CFA-0.6 ignores case and terms it does not know; the CF texts do neither.
    if any(&["location"]) && !cf {
        return Ok(Form::Location(terms.ignoring_case()?));
    }
    if terms.has("map") || terms.has("uris") || terms.has("identifiers") || terms.has("unique_values") {
        return Ok(Form::Cf113(terms));
    }
    if terms.has("shape") || terms.has("value") {
        return Ok(Form::CfDraft(terms));
    }
    if any(&["file", "format", "address"]) && !cf {
        return Ok(Form::Location(terms.ignoring_case()?));
    }
    let have: Vec<&str> = terms.keywords().collect();
    let message = format!(
        "keywords '{}' belong to no convention; CF-1.13 has map, uris, identifiers or map, unique_values, \
         in lower case",
        have.join("', '")
    );
    Err(Error::new(Kind::Terms, message))
}

/// Tells the texts of CFA-0.6 apart by the rank of the `location` variable and the terms that are there.
///
/// # Errors
/// `Rank` when it is neither a table of sizes nor one of index ranges.
pub fn location_dialect(shape: &[u64], rank: usize, terms: &Terms) -> Result<Dialect> {
    let ranges = shape.len() == rank + 2 && shape[rank + 1] == 2 && (rank > 0 || shape[0] == 0);
    if ranges {
        let whole = terms.has("file") && terms.has("format");
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

fn text(attributes: &Attributes, name: &str) -> Result<String> {
    match attributes.get(name) {
        None => Err(Error::new(Kind::Attribute, format!("attribute '{name}' is absent"))),
        Some(Values::String(list)) if list.is_empty() => Ok(String::new()),
        Some(value) => value.as_text().ok_or_else(|| {
            Error::new(Kind::Attribute, format!("attribute '{name}' is not one piece of text"))
        }),
    }
}
