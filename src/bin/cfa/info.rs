//! `cfa info`: shows what is in a file, in the logical view.

use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use cfa::text::redact;
use cfa::Version;
use cfa::{Attributes, Dataset, Result, Values, Variable};
use cfa::{DimensionId, Group};
use cfa::{Entry, EntrySource, Presence};
use serde_json::{json, Value};

use crate::settings::Settings;
use crate::style::{self, printable, Style};
use crate::{json, Outcome};

/// Show what is in a file: dimensions, variables, which are aggregated, and from how many fragments.
///
/// Aggregation variables are shown with the dimensions and shape of their aggregated data; the variables that only
/// define fragments are left out (--set RAW_VIEW=YES shows the file as it is stored).
#[derive(clap::Args)]
pub struct Arguments {
    /// The file
    file: PathBuf,
    /// Only this variable: name, or /group/name
    variable: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// List each fragment: its part of the data, location, identifier, and whether it exists
    #[arg(long)]
    fragments: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Runs `cfa info`.
pub fn run(arguments: &Arguments) -> Outcome {
    let dataset = Dataset::open_with(&arguments.file, &arguments.settings.options()?)?;
    let variables = match &arguments.variable {
        Some(name) => vec![dataset.variable(name)?],
        None => dataset.variables(),
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.json {
        writeln!(out, "{}", json::printed(&as_json(&dataset, &variables, arguments)?, true))?;
    } else {
        as_text(&mut out, &dataset, &variables, arguments)?;
    }
    out.flush()?;
    Ok(())
}

/// Returns the attributes except those that say how the data are aggregated; the logical view shows their meaning
/// instead.
fn shown_attributes(variable: &Variable, aggregated: bool) -> impl Iterator<Item = &cfa::Attribute> {
    variable
        .attributes()
        .iter()
        .filter(move |a| !aggregated || !cfa::AGGREGATION_ATTRIBUTES.contains(&a.name.as_str()))
}

fn as_text(
    out: &mut impl Write,
    dataset: &Dataset,
    variables: &[Variable],
    arguments: &Arguments,
) -> Outcome {
    let style = style::for_stdout();
    writeln!(out, "{}", style.heading(&printable(&redact(dataset.name()))))?;
    if arguments.variable.is_none() {
        let logical: HashSet<DimensionId> = dataset.dimensions().into_iter().collect();
        for group in dataset.groups() {
            group_text(out, dataset, group, &logical, style)?;
        }
    }
    writeln!(out, "variables:")?;
    for variable in variables {
        variable_text(out, variable, style)?;
        if arguments.fragments {
            variable.for_each_presence(|entry, found| fragment_text(out, &entry, &found, style))?;
        }
    }
    if arguments.variable.is_none() {
        for group in dataset.groups().iter().filter(|g| g.attributes.iter().next().is_some()) {
            let of = if group.parent.is_none() {
                "global attributes:".into()
            } else {
                format!("attributes of {}:", printable(&group.path))
            };
            writeln!(out, "{of}")?;
            attributes_text(out, group.attributes.iter(), "    ", style)?;
        }
    }
    let warnings = dataset.warnings();
    if !warnings.is_empty() {
        writeln!(out, "{}", style.alarm("warnings:"))?;
        for warning in warnings {
            writeln!(out, "    {}", printable(&warning))?;
        }
    }
    Ok(())
}

fn group_text(
    out: &mut impl Write,
    dataset: &Dataset,
    group: &Group,
    logical: &HashSet<DimensionId>,
    style: Style,
) -> Outcome {
    let shown: Vec<DimensionId> =
        group.dimensions.iter().copied().filter(|id| logical.contains(id)).collect();
    if shown.is_empty() {
        return Ok(());
    }
    let of = if group.parent.is_none() { String::new() } else { format!(" of {}", printable(&group.path)) };
    writeln!(out, "dimensions{of}:")?;
    for id in shown {
        let dimension = dataset.dimension(id);
        let note = if dimension.unlimited { style.faint(" (unlimited)") } else { String::new() };
        writeln!(
            out,
            "    {} = {}{note}",
            style.name(&printable(&dimension.name)),
            dataset.dimension_size(id)
        )?;
    }
    Ok(())
}

fn variable_text(out: &mut impl Write, variable: &Variable, style: Style) -> Outcome {
    let name = style.name(&printable(variable.path().trim_start_matches('/')));
    let aggregation = match variable.aggregation() {
        Ok(aggregation) => aggregation,
        Err(error) => {
            writeln!(
                out,
                "    {} {name}  {}",
                variable.data_type(),
                style.alarm(&printable(&error.to_string()))
            )?;
            return Ok(());
        }
    };
    let sizes = dimension_names(variable)?.into_iter().zip(variable.shape()?);
    let dimensions: Vec<String> = sizes.map(|(name, size)| format!("{}={size}", printable(&name))).collect();
    let dimensions = dimensions.join(", ");
    let list = if dimensions.is_empty() { String::new() } else { format!("({dimensions})") };
    let how = aggregation.map_or(String::new(), |a| {
        let grid: Vec<String> = a.grid.fragments().iter().map(u64::to_string).collect();
        let total: u64 = a.grid.fragments().iter().product();
        let shape = if grid.len() > 1 { format!(" ({})", grid.join(" x ")) } else { String::new() };
        let plural = if total == 1 { "" } else { "s" };
        style.good(&format!("  aggregated: {}, {total} fragment{plural}{shape}", a.dialect))
    });
    writeln!(out, "    {} {name}{list}{how}", variable.data_type())?;
    attributes_text(out, shown_attributes(variable, aggregation.is_some()), "        ", style)
}

fn attributes_text<'a>(
    out: &mut impl Write,
    attributes: impl Iterator<Item = &'a cfa::Attribute>,
    indent: &str,
    style: Style,
) -> Outcome {
    for attribute in attributes {
        writeln!(
            out,
            "{indent}{} = {}",
            style.faint(&printable(&attribute.name)),
            value_text(&attribute.value)
        )?;
    }
    Ok(())
}

fn value_text(values: &Values) -> String {
    match values.as_text() {
        Some(text) => format!("{text:?}"),
        None => {
            let word = |i| values.decimal_at(i).unwrap_or_else(|| json::element(values, i).to_string());
            (0..values.len()).map(word).collect::<Vec<_>>().join(", ")
        }
    }
}

fn dimension_names(variable: &Variable) -> Result<Vec<String>> {
    let dataset = variable.dataset();
    let sized = |&d: &DimensionId| dataset.dimension(d).name.clone();
    Ok(variable.dimensions()?.iter().map(sized).collect())
}

fn fragment_text(out: &mut impl Write, entry: &Entry, found: &[Presence], style: Style) -> Outcome {
    let part: Vec<String> = entry.ranges.iter().map(|r| format!("{}:{}", r.start, r.end)).collect();
    write!(out, "        fragment {:?} [{}]", entry.index, part.join(", "))?;
    match &entry.source {
        EntrySource::Missing => writeln!(out, "  {}", style.faint("all missing"))?,
        EntrySource::UniqueValue(value) => writeln!(out, "  value {}", value_text(value))?,
        EntrySource::Versions(versions) => {
            for (i, (version, presence)) in versions.iter().zip(found).enumerate() {
                if i > 0 {
                    write!(out, "            or")?;
                }
                let place = printable(&shown(version).unwrap_or("(this file)".into()));
                let state = match presence {
                    Presence::Present(_) => style.good("there"),
                    Presence::Absent(_) => style.alarm("MISSING"),
                    Presence::Refused(error) => {
                        style.alarm(&format!("REFUSED: {}", printable(error.message())))
                    }
                };
                writeln!(out, "  {place}  {}  {state}", style.name(&printable(&version.identifier)))?;
            }
        }
    }
    Ok(())
}

/// Returns the location of a fragment without the secrets that it may contain, because output may end up in logs.
fn shown(version: &Version) -> Option<String> {
    version.location.as_deref().map(redact)
}

fn as_json(dataset: &Dataset, variables: &[Variable], arguments: &Arguments) -> Result<Value> {
    let dimensions: Vec<Value> = dataset
        .dimensions()
        .into_iter()
        .map(|id| {
            let dimension = dataset.dimension(id);
            json!({"name": dimension.name, "path": dataset.dimension_path(id),
                "size": dataset.dimension_size(id), "unlimited": dimension.unlimited})
        })
        .collect();
    let variables: Result<Vec<Value>> =
        variables.iter().map(|v| variable_json(v, arguments.fragments)).collect();
    let groups: Vec<Value> = dataset
        .groups()
        .iter()
        .map(|g| json!({"path": g.path, "attributes": attributes_json(&g.attributes)}))
        .collect();
    Ok(
        json!({"file": redact(dataset.name()), "dimensions": dimensions, "variables": variables?, "groups": groups,
        "warnings": dataset.warnings()}),
    )
}

fn attributes_json(attributes: &Attributes) -> Value {
    attributes.iter().map(|a| (a.name.clone(), json::attribute(&a.value))).collect()
}

fn variable_json(variable: &Variable, fragments: bool) -> Result<Value> {
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
    value["attributes"] = shown_attributes(variable, aggregation.is_some())
        .map(|a| (a.name.clone(), json::attribute(&a.value)))
        .collect();
    if let Some(aggregation) = aggregation {
        value["aggregation"] =
            json!({"dialect": aggregation.dialect.name(), "fragments": aggregation.grid.fragments()});
    }
    if fragments && aggregation.is_some() {
        let mut list = Vec::new();
        variable.for_each_presence(|entry, found| {
            list.push(fragment_json(&entry, &found));
            Ok::<(), cfa::Error>(())
        })?;
        value["fragments"] = json!(list);
    }
    Ok(value)
}

fn fragment_json(entry: &Entry, found: &[Presence]) -> Value {
    let ranges: Vec<[u64; 2]> = entry.ranges.iter().map(|r| [r.start, r.end]).collect();
    let mut value = json!({"index": entry.index, "ranges": ranges});
    match &entry.source {
        EntrySource::Missing => value["missing"] = json!(true),
        EntrySource::UniqueValue(one) => value["value"] = json::element(one, 0),
        EntrySource::Versions(versions) => {
            let versions = versions.iter().zip(found).map(|(version, presence)| {
                let state = match presence {
                    Presence::Present(_) => json!("there"),
                    Presence::Absent(_) => json!("missing"),
                    Presence::Refused(error) => json::error(error),
                };
                json!({"location": shown(version), "identifier": version.identifier,
                    "format": version.format, "state": state})
            });
            value["versions"] = versions.collect();
        }
    }
    value
}
