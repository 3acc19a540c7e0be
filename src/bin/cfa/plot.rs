//! `cfa plot`: draws a part of a variable, for a quick look.

use std::path::{Path, PathBuf};

use cfa::{Dataset, Error, Kind, Result};

use crate::page::Page;
use crate::plot_chart::{self, Form};
use crate::plot_data::Picture;
use crate::select::SelectionArguments;
use crate::settings::Settings;
use crate::Outcome;

/// Draw a part of a variable: a map of two dimensions, a line along one.
///
/// What is left after --select must have one or two dimensions of more than one value. Coordinates and dates are on the
/// axes, greater ones to the right and further up, pressures and depths further down. Missing values are grey.
///
/// Colours are those of `cfa qgis`: their range leaves out the lowest and the highest hundredth of the values and grows
/// to round numbers. --range chooses another, and --full takes the least and the greatest value. A bar whose end is
/// pointed has values beyond it, which have the colour of that end.
///
/// Of more values than the picture has room for, every second, third, ... is read and drawn, and a note says so.
#[derive(clap::Args)]
#[command(after_help = PAGE.help())]
pub struct Arguments {
    /// The file
    file: PathBuf,
    /// The variable: name, or /group/name
    variable: String,
    /// The picture to be written, .png or .svg, never a file that is read
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    part: SelectionArguments,
    /// The range of the colours, or of the values of a line
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, conflicts_with = "full")]
    range: Option<String>,
    /// Colours from the least to the greatest value
    #[arg(long)]
    full: bool,
    /// Replace the picture if it exists; never a file that is read
    #[arg(long)]
    overwrite: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

/// The rest of its help and manual page.
pub const PAGE: Page = Page {
    examples: &[
        ("cfa plot year.nc tas --select time=2001-07-01 -o map.png", "a map of one day"),
        ("cfa plot year.nc tas --select lat~47.5 --select lon~7.5 -o line.svg", "a line along time"),
        ("cfa plot year.nc tas --select time=2001-07-01 --range 270,310 -o map.png", "with chosen colours"),
    ],
    ..Page::WRITER
};

/// Runs `cfa plot`.
pub fn run(arguments: &Arguments) -> Outcome {
    crate::refuse_hyphen(&arguments.output)?;
    let form = form(&arguments.output)?;
    let range = arguments.range.as_deref().map(range).transpose()?;
    let dataset = Dataset::open_with(&arguments.file, &arguments.settings.options()?)?;
    let variable = dataset.variable(&arguments.variable)?;
    let part = arguments.part.parts(&variable).map_err(|e| e.in_variable(variable.path()))?;
    let most = plot_chart::most_cells(form);
    let picture = Picture::read(&variable, &part, most, range, arguments.full)?;
    let bytes = plot_chart::drawn(&picture, form)?;
    cfa::extract::save(&dataset, &arguments.output, &bytes, arguments.overwrite)?;
    if !arguments.quiet {
        picture.notes.iter().for_each(|note| crate::note(note));
        crate::print_warnings(&dataset);
    }
    Ok(())
}

fn form(path: &Path) -> Result<Form> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        Some("png") => Ok(Form::Png),
        Some("svg") => Ok(Form::Svg),
        _ => Err(Error::new(Kind::Request, "the name of a picture ends in .png or .svg")
            .in_file(cfa::text::shown(path))),
    }
}

fn range(text: &str) -> Result<(f64, f64)> {
    let ends: Vec<Option<f64>> = text.split(',').map(|n| n.trim().parse().ok()).collect();
    match ends[..] {
        [Some(low), Some(high)] if low < high && f64::is_finite(high - low) => Ok((low, high)),
        _ => Err(Error::new(
            Kind::Request,
            format!("--range {text}: expected LOW,HIGH, two numbers, the lower first"),
        )),
    }
}
