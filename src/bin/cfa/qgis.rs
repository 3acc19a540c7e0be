//! `cfa qgis`: writes layer files, which QGIS opens as coloured and animated layers.

use std::io::Write;
use std::path::{Path, PathBuf};

use cfa::qgis::{layer_files, Animation, Options};
use cfa::text::shown;
use cfa::OpenOptions;

use crate::page::Page;
use crate::settings::Settings;
use crate::style::printable;
use crate::Outcome;

/// Write layer files, which QGIS opens as coloured and animated layers
///
/// A layer file has the colours, their range, the units, the reference system and the times of a variable: drag it into
/// QGIS, then press play in the temporal controller. It is called FILE.qlr if FILE has one variable that can be shown as
/// a map, otherwise FILE.VARIABLE.qlr, and names FILE relative to itself: keep them in the same directory. If FILE has
/// one such variable, its default style is written too, FILE with .qml in place of its extension, so that FILE itself
/// opens in colour.
///
/// The range of the colours comes from a sample, not from all data: 12 bands at most, 262144 values of each, without the
/// lowest and highest hundredth of them.
///
/// Up to 400 times of together 33554432 values become a group with a layer for each time, which QGIS 3.14 and later
/// animate; more become one layer in which every band has its time, which QGIS 3.38 and later animate. Times are shown
/// from the beginning to the end of their bounds. Along dimensions other than time and the last two, the first index is
/// shown.
///
/// Only former layer files and styles are replaced, and anything else only with --overwrite; never a file that is read.
#[derive(clap::Args)]
#[command(after_help = PAGE.help())]
pub struct Arguments {
    /// The aggregation file
    file: PathBuf,
    /// Only these variables: name, or /group/name [default: all that can be shown as maps]
    variables: Vec<String>,
    /// Put all times into one layer, for QGIS 3.38 and later
    #[arg(long, conflicts_with = "layer_per_time")]
    one_layer: bool,
    /// Make a layer for each time, however many there are; without a time chosen, QGIS draws all of them
    #[arg(long)]
    layer_per_time: bool,
    /// Replace files that are no former layer files or styles; never a file that is read
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
        ("cfa qgis year.nc", "layer files of all maps, to drag into QGIS"),
        ("cfa qgis year.nc tas", "of one variable"),
    ],
    ..Page::WRITER
};

/// Runs `cfa qgis`.
pub fn run(arguments: &Arguments) -> Outcome {
    crate::refuse_hyphen(&arguments.file)?;
    let mut options = Options::default();
    options.variables.clone_from(&arguments.variables);
    options.overwrite = arguments.overwrite;
    options.open = arguments.settings.options()?;
    options.animation = match (arguments.one_layer, arguments.layer_per_time) {
        (true, _) => Animation::OneLayer,
        (_, true) => Animation::LayerPerTime,
        _ => Animation::Fitting,
    };
    write(&arguments.file, &options, arguments.quiet)
}

/// Writes the layer files of a new aggregation, for `cfa create --qgis`.
pub fn of_new_file(file: &Path, open: OpenOptions, quiet: bool) -> Outcome {
    let mut options = Options::default();
    options.open = open;
    write(file, &options, quiet)
}

fn write(file: &Path, options: &Options, quiet: bool) -> Outcome {
    let report = layer_files(file, options)?;
    if !quiet {
        let mut out = std::io::stdout().lock();
        for file in &report.files {
            writeln!(out, "{}", printable(&shown(file)))?;
        }
        report.notes.iter().for_each(|note| crate::note(note));
    }
    Ok(())
}
