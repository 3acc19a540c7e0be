//! `cfa info`: shows what is in a file, in the logical view.

use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use cfa::text::redact;
use cfa::Version;
use cfa::{Dataset, Result, Values, Variable};
use cfa::{DimensionId, Group};
use cfa::{Entry, EntrySource, Presence};

use crate::page::Page;
use crate::ranges::{self, Axes};
use crate::settings::Settings;
use crate::style::{self, printable, Style};
use crate::{info_json, json, Outcome};

/// Show what is in a file: dimensions, variables, which are aggregated, and from how many fragments.
///
/// One line per variable: its dimensions, units, meaning and size, and for coordinates their range: the first and last
/// value or date, the step, and gaps. --attributes shows the attributes too, as does naming a variable.
///
/// Aggregation variables are shown with the dimensions and shape of their aggregated data; the variables that only
/// define fragments are left out (--set RAW_VIEW=YES shows the file as it is stored).
#[derive(clap::Args)]
#[command(after_help = PAGE.help())]
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
    /// Show the attributes of all variables and groups
    #[arg(long, short)]
    attributes: bool,
    #[command(flatten)]
    settings: Settings,
}

/// The rest of its help and manual page.
pub const PAGE: Page = Page {
    examples: &[
        ("cfa info year.nc", "what is in the file"),
        ("cfa info year.nc tas", "one variable with its attributes"),
        ("cfa info year.nc tas --fragments", "where the fragments of tas are"),
        ("cfa info year.nc --json", "the same for programs"),
        ("cfa info https://data.example.org/archive/year.nc", "a file on a server"),
    ],
    ..Page::READER
};

/// Runs `cfa info`.
pub fn run(arguments: &Arguments) -> Outcome {
    let dataset = Dataset::open_with(&arguments.file, &arguments.settings.options()?)?;
    let all = dataset.variables();
    let named = arguments.variable.as_ref().map(|name| dataset.variable(name)).transpose()?;
    let variables = named.as_ref().map_or(&all[..], std::slice::from_ref);
    let mut axes = Axes::new(&all);
    let mut out = BufWriter::new(std::io::stdout().lock());
    if arguments.json {
        info_json::write(&mut out, &dataset, variables, &mut axes, arguments.fragments)?;
    } else {
        as_text(&mut out, &dataset, variables, &mut axes, arguments)?;
    }
    out.flush()?;
    // The process ends here, so nothing has to be freed piece by piece.
    std::mem::forget((dataset, all, named));
    Ok(())
}

/// Returns the attributes except those that define the aggregation; the logical view shows their meaning instead.
pub fn shown_attributes(variable: &Variable, aggregated: bool) -> impl Iterator<Item = &cfa::Attribute> {
    variable
        .attributes()
        .iter()
        .filter(move |a| !aggregated || !cfa::AGGREGATION_ATTRIBUTES.contains(&a.name.as_str()))
}

fn as_text(
    out: &mut impl Write,
    dataset: &Dataset,
    variables: &[Variable],
    axes: &mut Axes,
    arguments: &Arguments,
) -> Outcome {
    let style = style::for_stdout();
    let with_attributes = arguments.attributes || arguments.variable.is_some();
    writeln!(out, "{}", style.heading(&printable(&redact(dataset.name()))))?;
    if arguments.variable.is_none() {
        let logical: HashSet<DimensionId> = dataset.dimensions().into_iter().collect();
        for group in dataset.groups() {
            group_text(out, dataset, group, &logical, style)?;
        }
    }
    writeln!(out, "variables:")?;
    for variable in variables {
        variable_text(out, variable, axes, with_attributes, style)?;
        if arguments.fragments {
            let mut listing = Listing { style, last: None };
            variable.for_each_presence(|entry, found| listing.fragment(out, &entry, &found))?;
        }
    }
    if arguments.attributes && arguments.variable.is_none() {
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

fn variable_text(
    out: &mut impl Write,
    variable: &Variable,
    axes: &mut Axes,
    with_attributes: bool,
    style: Style,
) -> Outcome {
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
    let what = match axes.range(variable) {
        Some(Ok(range)) => ranges::text(variable, &range),
        Some(Err(error)) => style.alarm(&printable(&ranges::unread(&error))),
        None => axes.glance(variable),
    };
    let what = if what.is_empty() { what } else { format!("  {what}") };
    let line = format!("    {} {name}{list}{what}{how}", variable.data_type());
    writeln!(out, "{}", style::wrapped(&line, style::width(), 8))?;
    if with_attributes {
        attributes_text(out, shown_attributes(variable, aggregation.is_some()), "        ", style)?;
    }
    Ok(())
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
            let mut text = String::new();
            for i in 0..values.len() {
                text.push_str(if i > 0 { ", " } else { "" });
                text.push_str(&word(i));
            }
            text
        }
    }
}

/// Returns the names of the dimensions of a variable.
pub fn dimension_names(variable: &Variable) -> Result<Vec<String>> {
    let dataset = variable.dataset();
    let sized = |&d: &DimensionId| dataset.dimension(d).name.clone();
    Ok(variable.dimensions()?.iter().map(sized).collect())
}

/// Lists the fragments of a variable, which may be millions.
struct Listing {
    style: Style,
    /// The version that was shown last, and its text: neighbours often name the same file.
    last: Option<(Version, String)>,
}

impl Listing {
    fn fragment(&mut self, out: &mut impl Write, entry: &Entry, found: &[Presence]) -> Outcome {
        write!(out, "        fragment {:?} [", entry.index)?;
        for (d, range) in entry.ranges.iter().enumerate() {
            let comma = if d > 0 { ", " } else { "" };
            write!(out, "{comma}{}:{}", range.start, range.end)?;
        }
        write!(out, "]")?;
        match &entry.source {
            EntrySource::Missing => writeln!(out, "  {}", self.style.faint("all missing"))?,
            EntrySource::UniqueValue(value) => writeln!(out, "  value {}", value_text(value))?,
            EntrySource::Versions(versions) => {
                for (i, (version, presence)) in versions.iter().zip(found).enumerate() {
                    if i > 0 {
                        write!(out, "            or")?;
                    }
                    writeln!(out, "  {}", self.version(version, presence))?;
                }
            }
        }
        Ok(())
    }

    fn version(&mut self, version: &Version, presence: &Presence) -> &str {
        if self.last.as_ref().is_none_or(|(last, _)| last != version) {
            let style = self.style;
            let place = printable(&shown(version).unwrap_or("(this file)".into()));
            let state = match presence {
                Presence::Present(_) => style.good("there"),
                Presence::Absent(_) => style.alarm("MISSING"),
                Presence::Refused(error) => style.alarm(&format!("REFUSED: {}", printable(error.message()))),
            };
            let identifier = style.name(&printable(&version.identifier));
            self.last = Some((version.clone(), format!("{place}  {identifier}  {state}")));
        }
        self.last.as_ref().map_or("", |(_, text)| text)
    }
}

/// Returns the location of a fragment without the secrets that it may contain, because output may end up in logs.
pub fn shown(version: &Version) -> Option<String> {
    version.location.as_deref().map(redact)
}
