//! `cfa extract`: writes the values of aggregated data to one plain file.

use std::path::PathBuf;

use cfa::extract::{cuts, extract, Options};
use cfa::{Dataset, Error, Kind, Result};

use crate::meter::Meter;
use crate::page::Page;
use crate::select::SelectionArguments;
use crate::settings::Settings;
use crate::Outcome;

/// Write aggregated data as one plain netCDF-4 file.
///
/// The file has the values that `cfa read` prints, with coordinates, bounds, grid mapping and whatever else the
/// variables refer to. A part that is chosen along a dimension applies to every variable that has the dimension. The
/// file gets its name after everything is written.
#[derive(clap::Args)]
#[command(after_help = PAGE.help())]
pub struct Arguments {
    /// The aggregation file
    input: PathBuf,
    /// The file to be written, never the input or a fragment
    output: PathBuf,
    /// Replace OUTPUT if it exists; never a file that is read
    #[arg(long)]
    overwrite: bool,
    /// Only this variable and what it refers to: name, or /group/name (repeatable) [default: all]
    #[arg(long, short, value_name = "NAME")]
    variable: Vec<String>,
    #[command(flatten)]
    part: SelectionArguments,
    /// The shape of a chunk, for variables with that many dimensions [default: about 1 MiB]
    #[arg(long, value_name = "N,M,..", help_heading = "Storage")]
    chunk: Option<String>,
    /// The level of compression, 0 (none) to 9
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=9), help_heading = "Storage")]
    deflate: u8,
    /// Do not shuffle bytes before compression
    #[arg(long, help_heading = "Storage")]
    no_shuffle: bool,
    /// Do not show progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

/// The rest of its help and manual page.
pub const PAGE: Page = Page {
    examples: &[
        ("cfa extract year.nc plain.nc", "everything in one plain file"),
        (
            "cfa extract year.nc part.nc --variable tas --start=0,0,0 --count=2,2,2",
            "a corner of the first two time steps",
        ),
        (
            "cfa extract year.nc summer.nc --select time=2001-06..2001-08 --select lat=30..60",
            "a season of a region",
        ),
        ("cfa extract year.nc small.nc --deflate 9", "compressed as far as possible"),
    ],
    ..Page::WRITER
};

/// Runs `cfa extract`.
pub fn run(arguments: &Arguments) -> Outcome {
    crate::refuse_hyphen(&arguments.output)?;
    let dataset = Dataset::open_with(&arguments.input, &arguments.settings.options()?)?;
    let meter = Meter::new("values", arguments.quiet);
    let listener = meter.listener();
    let options = Options {
        variables: arguments.variable.clone(),
        cuts: match arguments.part.is_whole() {
            true => Vec::new(),
            false => cuts(&dataset, &arguments.variable, |variable| arguments.part.parts(variable))?,
        },
        chunks: arguments.chunk.as_deref().map(chunk).transpose()?,
        deflate: arguments.deflate,
        shuffle: !arguments.no_shuffle,
        overwrite: arguments.overwrite,
        progress: Some(&listener),
    };
    let outcome = extract(&dataset, &arguments.output, &options);
    meter.finish();
    outcome?;
    if !arguments.quiet {
        crate::print_warnings(&dataset);
    }
    Ok(())
}

fn chunk(text: &str) -> Result<Vec<u64>> {
    let sizes: Option<Vec<u64>> =
        text.split(',').map(|n| n.trim().parse().ok().filter(|&n: &u64| n > 0)).collect();
    let wrong = || Error::new(Kind::Request, format!("--chunk {text}: expected sizes separated by commas"));
    sizes.ok_or_else(wrong)
}
