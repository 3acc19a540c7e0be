//! `cfa index`: records the places of chunks in an aggregation file.

use std::path::PathBuf;

use cfa::index::index_for;

use crate::meter::Meter;
use crate::page::Page;
use crate::settings::Settings;
use crate::Outcome;

/// Record where the chunks of the fragments lie
///
/// Readers of FILE then fetch the chunks of a fragment without opening and parsing its file first, which saves a request
/// for each file on a server. A file that changed since is parsed as before. FILE is written anew with side variables
/// that other readers ignore; nothing else in it changes. After files were added or changed, run it again.
#[derive(clap::Args)]
#[command(after_help = PAGE.help())]
pub struct Arguments {
    /// The aggregation file
    file: PathBuf,
    /// Record the files as readers of FILE at this address will find them, such as https://host/archive/FILE
    #[arg(long, value_name = "URL")]
    at: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    settings: Settings,
}

/// The rest of its help and manual page.
pub const PAGE: Page = Page {
    examples: &[
        ("cfa index year.nc", "record the places of all chunks"),
        ("cfa index year.nc --at https://data.example.org/archive/year.nc", "as the server has the files"),
    ],
    ..Page::WRITER
};

/// Runs `cfa index`.
pub fn run(arguments: &Arguments) -> Outcome {
    crate::refuse_hyphen(&arguments.file)?;
    let meter = Meter::new("files", arguments.quiet);
    let listener = meter.listener();
    let report =
        index_for(&arguments.file, arguments.at.as_deref(), &arguments.settings.options()?, Some(&listener));
    meter.finish();
    let report = report?;
    if !arguments.quiet {
        report.notes.iter().for_each(|note| crate::note(note));
    }
    Ok(())
}
