//! `cfa convert`: writes the same aggregation in another dialect, or with other locations.

use std::path::PathBuf;

use cfa::convert::{convert, Locations, Options};
use cfa::Dataset;
use cfa::Dialect;
use cfa::Format;

use crate::page::Page;
use crate::settings::Settings;
use crate::Outcome;

/// Write an aggregation file in another dialect, or with other locations.
///
/// Fragments stay where they are, and relative locations are rewritten for the place of the new file. With --relocate
/// the new file has the new locations. What the dialect cannot express (several versions of a fragment in CF-1.13,
/// unique values in CFA) is an error.
#[derive(clap::Args)]
#[command(after_help = PAGE.help())]
pub struct Arguments {
    /// The aggregation file
    input: PathBuf,
    /// The file to be written, never the input or a fragment; an aggregation without data of its own is replaced
    output: PathBuf,
    /// Replace OUTPUT also if it is not an aggregation or holds data of its own; never a file that is read
    #[arg(long)]
    overwrite: bool,
    /// cf-1.13, cf-draft, cfa-0.6.2, cfa-0.6b1, cfa-0.6b1-early, cfa-terms or cfa-0.4
    #[arg(long, value_name = "NAME", default_value = "cf-1.13")]
    dialect: String,
    /// Write all local locations as absolute ones
    #[arg(long, conflicts_with = "relative")]
    absolute: bool,
    /// Write all local locations relative to the new file
    #[arg(long)]
    relative: bool,
    /// netcdf4, classic or cdf5
    #[arg(long, value_name = "NAME", default_value = "netcdf4")]
    format: String,
    #[command(flatten)]
    settings: Settings,
}

/// The rest of its help and manual page.
pub const PAGE: Page = Page {
    examples: &[
        ("cfa convert year.nc old.nc --dialect cfa-0.6.2", "for programs that read CFA-0.6.2"),
        ("cfa convert old.nc new.nc", "an older file in CF-1.13"),
        ("cfa convert year.nc moved.nc --relocate /old/archive=/new/archive", "the fragments have moved"),
        ("cfa convert year.nc fixed.nc --absolute", "locations that do not depend on that of the file"),
    ],
    ..Page::WRITER
};

/// Runs `cfa convert`.
pub fn run(arguments: &Arguments) -> Outcome {
    crate::refuse_hyphen(&arguments.output)?;
    let dataset = Dataset::open_with(&arguments.input, &arguments.settings.options()?)?;
    let options = Options {
        dialect: Dialect::named(&arguments.dialect)?,
        locations: match (arguments.absolute, arguments.relative) {
            (true, _) => Locations::Absolute,
            (_, true) => Locations::Relative,
            _ => Locations::Keep,
        },
        format: Format::named(&arguments.format)?,
        overwrite: arguments.overwrite,
        progress: None,
    };
    convert(&dataset, &arguments.output, &options)?;
    crate::print_warnings(&dataset);
    Ok(())
}
