//! `cfa`: inspects, reads, checks and writes aggregation files.

mod check;
mod circle;
mod convert;
mod create;
mod documents;
mod dump;
mod extract;
mod grid;
mod index;
mod info;
mod info_json;
mod json;
mod manual;
mod meter;
mod page;
mod plot;
mod plot_axis;
mod plot_chart;
mod plot_data;
mod qgis;
mod ranges;
mod read;
mod select;
mod settings;
mod style;
mod usage;

use std::io::Write;
use std::process::ExitCode;

use cfa::{Error, Kind};
use clap::{Parser, Subcommand};

use page::Page;
use usage::Later;

/// The allocator of the program. Creating keeps a little of each of very many files among much that it needs for a moment; the
/// system's allocator then finds its free memory in more and more distant places (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Opens aggregation netCDF files (CF-1.13, CFA) as if their data were stored in one file.
///
/// An aggregation variable has no data of its own: its data are assembled from fragments in other files. `cfa info`
/// shows what a file holds and where the fragments are, `cfa read` prints the assembled values.
#[derive(Parser)]
#[command(name = "cfa", version, max_term_width = 100, after_help = PAGE.help())]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Check(Later<check::Arguments>),
    Convert(Later<convert::Arguments>),
    Extract(Later<extract::Arguments>),
    Create(Later<create::Arguments>),
    Index(Later<index::Arguments>),
    Info(Later<info::Arguments>),
    Plot(Later<plot::Arguments>),
    Qgis(Later<qgis::Arguments>),
    Read(Later<read::Arguments>),
}

/// The rest of the help and manual page.
const PAGE: Page = Page {
    examples: &[
        ("cfa create year.nc 'daily/*.nc'", "one file of many"),
        ("cfa info year.nc", "what is in the file"),
        ("cfa info year.nc tas --fragments", "where the fragments of tas are"),
        ("cfa read year.nc tas --start=0,0,0 --count=1,4,4", "a corner of the first time step"),
        ("cfa read year.nc tas --select time=2001-03 --select lon=0..20", "all of March"),
        ("cfa plot year.nc tas --select time=2001-03-01 -o map.png", "a map, or a line along one dimension"),
        ("cfa qgis year.nc", "layer files for QGIS"),
        ("cfa check year.nc --report year.html", "are the fragments there, and do they fit?"),
    ],
    ..Page::WRITER
};

/// Returns the rest of the help of a verb, or of the program.
fn page_of(name: &str) -> &'static Page {
    match name {
        "check" => &check::PAGE,
        "convert" => &convert::PAGE,
        "create" => &create::PAGE,
        "extract" => &extract::PAGE,
        "index" => &index::PAGE,
        "info" => &info::PAGE,
        "plot" => &plot::PAGE,
        "qgis" => &qgis::PAGE,
        "read" => &read::PAGE,
        _ => &PAGE,
    }
}

fn main() -> ExitCode {
    if let Some(code) = documents::serve() {
        return code;
    }
    let (result, as_json) = match usage::arguments::<Arguments>().verb {
        Verb::Check(Later(arguments)) => (check::run(&arguments), arguments.json),
        Verb::Convert(Later(arguments)) => (convert::run(&arguments), false),
        Verb::Extract(Later(arguments)) => (extract::run(&arguments), false),
        Verb::Create(Later(arguments)) => (create::run(&arguments), false),
        Verb::Index(Later(arguments)) => (index::run(&arguments), false),
        Verb::Info(Later(arguments)) => (info::run(&arguments), arguments.json),
        Verb::Plot(Later(arguments)) => (plot::run(&arguments), false),
        Verb::Qgis(Later(arguments)) => (qgis::run(&arguments), false),
        Verb::Read(Later(arguments)) => (read::run(&arguments), arguments.json),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Reader) => ExitCode::SUCCESS,
        Err(Failure::Problems) => ExitCode::FAILURE,
        Err(Failure::Error(error)) => {
            // If the output is closed, there is nowhere else to report the error.
            let _ = if as_json {
                writeln!(std::io::stdout(), "{}", json::printed(&json::error(&error), false))
            } else {
                let text = style::printable(&error.to_string());
                writeln!(std::io::stderr(), "{} {text}{}", style::for_stderr().alarm("cfa:"), advice(&error))
            };
            ExitCode::FAILURE
        }
    }
}

/// Returns advice on an error, if an option of the program helps.
fn advice(error: &Error) -> &'static str {
    match error.kind() {
        Kind::FragmentMissing => {
            "\n     if the files have moved: --relocate FROM=TO; to read without them: --missing-fragments fill"
        }
        Kind::FragmentType if error.message().contains("MISSING_BYTES") => {
            "\n     to choose a value for them: --set MISSING_BYTES=N"
        }
        Kind::Limit if error.message().contains("ask for a smaller part") => {
            "\n     to read a smaller part: --start and --count, or --select"
        }
        _ => "",
    }
}

/// Refuses `-` as the name of a file to be written: users who type it mean standard output.
fn refuse_hyphen(path: &std::path::Path) -> Result<(), Failure> {
    match path.as_os_str() == "-" {
        true => {
            let message = "nothing is written to standard output; for a file of the name '-' write ./-";
            Err(Error::new(Kind::Request, message).into())
        }
        false => Ok(()),
    }
}

/// Prints a note on standard error.
fn note(text: &str) {
    let text = style::printable(text);
    let _ = writeln!(std::io::stderr(), "{} {text}", style::for_stderr().faint("cfa: note:"));
}

/// Prints the warnings of a dataset on standard error.
fn print_warnings(dataset: &cfa::Dataset) {
    for warning in dataset.warnings() {
        note(&warning);
    }
}

/// Why a command ended early.
enum Failure {
    /// An error.
    Error(Error),
    /// The checked file has problems, which were printed.
    Problems,
    /// The reader of our output has gone, which is no error (`cfa read ... | head`).
    Reader,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::Reader;
        }
        Failure::Error(Error::new(Kind::Io, "cannot write the output").because(error))
    }
}

/// The result of a command.
type Outcome<T = ()> = Result<T, Failure>;
