//! `cfa info --json`. Fragments are written as they are found, because there may be millions.

use std::io::Write;

use cfa::text::redact;
use cfa::{Attributes, Dataset, DimensionId, Entry, EntrySource, Group, Presence, Result, Variable, Version};
use serde_json::{json, Value};

use crate::info::{dimension_names, shown, shown_attributes};
use crate::ranges::{self, Axes};
use crate::{json, Outcome};

/// Writes the whole file as one indented object.
pub fn write(
    out: &mut impl Write,
    dataset: &Dataset,
    variables: &[Variable],
    axes: &mut Axes,
    fragments: bool,
) -> Outcome {
    let described: Vec<Value> =
        variables.iter().map(|variable| variable_json(variable, axes, fragments)).collect::<Result<_>>()?;
    writeln!(out, "{{")?;
    write!(out, "  \"dimensions\": ")?;
    list_text(out, dataset.dimensions().into_iter().map(|id| dimension_json(dataset, id)))?;
    writeln!(out, ",")?;
    writeln!(out, "  \"file\": {},", indented(&json!(redact(dataset.name())), 1))?;
    write!(out, "  \"groups\": ")?;
    list_text(out, dataset.groups().iter().map(group_json))?;
    write!(out, ",\n  \"variables\": ")?;
    variables_text(out, variables, &described, fragments)?;
    writeln!(out, ",\n  \"warnings\": {}", indented(&json!(dataset.warnings()), 1))?;
    writeln!(out, "}}")?;
    Ok(())
}

/// Returns the text of a value, indented as a part of `depth` others.
fn indented(value: &Value, depth: usize) -> String {
    json::printed(value, true).replace('\n', &format!("\n{}", "  ".repeat(depth)))
}

fn variables_text(
    out: &mut impl Write,
    variables: &[Variable],
    described: &[Value],
    fragments: bool,
) -> Outcome {
    if variables.is_empty() {
        write!(out, "[]")?;
        return Ok(());
    }
    for (i, (variable, value)) in variables.iter().zip(described).enumerate() {
        write!(out, "{}    {{", if i == 0 { "[\n" } else { ",\n" })?;
        let mut comma = "\n";
        for (key, value) in value.as_object().into_iter().flatten() {
            write!(out, "{comma}      \"{key}\": ")?;
            comma = ",\n";
            match key.as_str() {
                "fragments" if fragments => fragments_text(out, variable)?,
                _ => write!(out, "{}", indented(value, 3))?,
            }
        }
        write!(out, "\n    }}")?;
    }
    write!(out, "\n  ]")?;
    Ok(())
}

fn fragments_text(out: &mut impl Write, variable: &Variable) -> Outcome {
    let mut before = "[\n";
    variable.for_each_presence(|entry, found| -> Outcome {
        write!(out, "{before}        {}", indented(&fragment_json(&entry, &found), 4))?;
        before = ",\n";
        Ok(())
    })?;
    write!(out, "\n      ]")?;
    Ok(())
}

fn dimension_json(dataset: &Dataset, id: DimensionId) -> Value {
    let dimension = dataset.dimension(id);
    json!({"name": dimension.name, "path": dataset.dimension_path(id),
        "size": dataset.dimension_size(id), "unlimited": dimension.unlimited})
}

fn group_json(group: &Group) -> Value {
    json!({"path": group.path, "attributes": attributes_json(&group.attributes)})
}

/// Writes a member of the whole object that is a list, one element at a time.
fn list_text(out: &mut impl Write, elements: impl Iterator<Item = Value>) -> Outcome {
    let mut before = "[\n";
    for element in elements {
        write!(out, "{before}    {}", indented(&element, 2))?;
        before = ",\n";
    }
    write!(out, "{}", if before == ",\n" { "\n  ]" } else { "[]" })?;
    Ok(())
}

fn attributes_json(attributes: &Attributes) -> Value {
    attributes.iter().map(|a| (a.name.clone(), json::attribute(&a.value))).collect()
}

/// Describes a variable; the list of its fragments, if it has any and they are wanted, is left empty.
fn variable_json(variable: &Variable, axes: &mut Axes, fragments: bool) -> Result<Value> {
    let mut value = json!({"path": variable.path(), "dtype": variable.data_type().code()});
    let aggregation = match variable.aggregation() {
        Ok(aggregation) => aggregation,
        Err(error) => {
            value["error"] = json::error(&error);
            return Ok(value);
        }
    };
    value["dims"] = json!(dimension_names(variable)?);
    value["shape"] = json!(variable.shape()?);
    value["bytes"] = json!(ranges::bytes(variable));
    match axes.range(variable) {
        Some(Ok(range)) => value["range"] = ranges::json(variable, &range),
        Some(Err(error)) => value["range"] = json::error(&error),
        None => {}
    }
    value["attributes"] = shown_attributes(variable, aggregation.is_some())
        .map(|a| (a.name.clone(), json::attribute(&a.value)))
        .collect();
    if let Some(aggregation) = aggregation {
        value["aggregation"] =
            json!({"dialect": aggregation.dialect.name(), "fragments": aggregation.grid.fragments()});
        if fragments {
            value["fragments"] = json!([]);
            // Errors are found first: they must not follow the beginning of an object.
            variable.for_each_fragment(|_| Ok::<(), cfa::Error>(()))?;
        }
    }
    Ok(value)
}

/// Describes a fragment, each of whose versions was looked for.
fn fragment_json(entry: &Entry, found: &[Presence]) -> Value {
    let ranges: Vec<[u64; 2]> = entry.ranges.iter().map(|r| [r.start, r.end]).collect();
    let mut value = json!({"index": entry.index, "ranges": ranges});
    match &entry.source {
        EntrySource::Missing => value["missing"] = json!(true),
        EntrySource::UniqueValue(one) => value["value"] = json::element(one, 0),
        EntrySource::Versions(versions) => {
            let described =
                versions.iter().zip(found).map(|(version, presence)| version_json(version, presence));
            value["versions"] = described.collect();
        }
    }
    value
}

fn version_json(version: &Version, presence: &Presence) -> Value {
    let state = match presence {
        Presence::Present(_) => json!("there"),
        Presence::Absent(_) => json!("missing"),
        Presence::Refused(error) => json::error(error),
    };
    json!({"location": shown(version), "identifier": version.identifier, "format": version.format, "state": state})
}
