//! `cfa create`: makes an aggregation file from the files that hold its parts.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use cfa::create::{self, Locations, Options, PlannedVariable, Report};
use cfa::text::{redact, shown};
use cfa::Dialect;
use cfa::Format;
use cfa::{Error, Kind};
use clap::Args;

use crate::meter::Meter;
use crate::page::Page;
use crate::settings::{every_setting, Settings};
use crate::style::{self, brief, printable};
use crate::{Failure, Outcome};

/// Make an aggregation file from the files that hold its parts
///
/// Dimensions are joined by their coordinates, so the order of the files does not matter: monthly files become one time
/// series, tiles one map, files with a scalar coordinate that differs (such as `realization`) one ensemble.
///
/// Files on servers are named by their addresses, which become the locations of the fragments; only headers and
/// coordinates are read, many files at a time. Addresses with a password or a query are refused.
///
/// OUT is a local file, and never one of the files, nor a fragment of one that is an aggregation. If OUT exists, it is
/// replaced when it is an aggregation without data of its own, and anything else only with --overwrite. If a directory
/// or a (quoted) pattern finds OUT among the files and it is an aggregation, it is skipped.
#[derive(Args)]
#[command(after_help = PAGE.help())]
pub struct Arguments {
    /// The aggregation file
    out: PathBuf,
    /// Files, http(s) and s3 addresses, directories, patterns such as 'data/**/tas_*.nc', and lists of files and
    /// addresses (@list.txt)
    #[arg(required = true)]
    files: Vec<OsString>,
    /// Add the files to OUT, an aggregation, or create it if it does not exist; files that it already has are scanned
    /// again unless --record-state shows that they did not change
    #[arg(long)]
    update: bool,
    /// Replace OUT also if it is not an aggregation or holds data of its own; never a file that is read
    #[arg(long, conflicts_with = "update")]
    overwrite: bool,
    /// Show what would be made, with the places of the grid that no file fills, and all that prevents it; write nothing
    #[arg(long)]
    dry_run: bool,
    /// The convention: CF-1.13, CF-draft, CFA-0.6.2, CFA-0.6b1, CFA-terms, CFA-0.4 [default: CF-1.13]
    #[arg(long)]
    dialect: Option<String>,
    /// The format of OUT: netcdf4, classic or cdf5 [default: netcdf4; with --update that of OUT]
    #[arg(long)]
    format: Option<String>,
    /// Name the fragments by absolute URIs instead of relative to OUT
    #[arg(long, conflicts_with = "base")]
    absolute: bool,
    /// Put TEXT before the names relative to OUT, such as the URL of a server
    #[arg(long, value_name = "TEXT")]
    base: Option<String>,
    /// Only these data variables (comma-separated)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    variables: Vec<String>,
    /// Join along these dimensions only (comma-separated); those without coordinates in the order of the files
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    dim: Vec<String>,
    /// Make a new dimension of files that have the same coordinates, in their order; with --update, after the existing
    /// ones. NAME=attribute:ATTRIBUTE, NAME=name:PATTERN, NAME=path:PATTERN and NAME=path give it labels instead: a
    /// global attribute, a part of the name or path of each file (a regular expression, of which the first group
    /// counts), or the folder in which the paths differ
    #[arg(long, value_name = "NAME[=SOURCE]")]
    new_dim: Option<String>,
    /// Keep these global attributes of the files (comma-separated), such as tracking_id: as text variables along the
    /// dimensions in which they differ. An update continues those of OUT
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    keep_attributes: Vec<String>,
    /// Of a file in several folders for releases (v20190101, v20200101), take the one of this release or the last one
    /// before it, or `all` [default: the newest]
    #[arg(long, value_name = "RELEASE")]
    drs_version: Option<String>,
    /// With --update, remove fragments whose files are gone; those of a folder of which no file is left (is its disk
    /// mounted?) only with --prune=folders
    #[arg(long, requires = "update", num_args = 0..=1, require_equals = true, default_missing_value = "files",
          value_parser = ["files", "folders"], value_name = "WHAT")]
    prune: Option<String>,
    /// Go on without files that cannot be read; a note names them with the reason
    #[arg(long)]
    skip_bad: bool,
    /// Accept coordinates that do not follow each other; a note says where
    #[arg(long)]
    allow_gaps: bool,
    /// Aggregate coordinates that are divided between files instead of copying them
    #[arg(long)]
    aggregate_coordinates: bool,
    /// Record size and time of each file, so that readers notice when one changes
    #[arg(long)]
    record_state: bool,
    /// Record where the chunks of each file lie, so that readers need not open and parse it first
    #[arg(long)]
    record_chunks: bool,
    /// Write layer files for QGIS too, as `cfa qgis OUT` does
    #[arg(long, conflicts_with = "dry_run")]
    qgis: bool,
    /// Threads that scan local files; 0 means one per core
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,
    /// A setting for files on servers, as in the environment variables CFA_NAME (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE", long_help = every_setting())]
    set: Vec<String>,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// The rest of its help and manual page.
pub const PAGE: Page = Page {
    examples: &[
        ("cfa create year.nc 'daily/tas_2001*.nc'", "one time series of daily files"),
        ("cfa create map.nc tiles/ --dry-run", "how tiles would be arranged"),
        ("cfa create all.nc r*/tas.nc --new-dim realization", "an ensemble in the order of the files"),
        ("cfa create all.nc r*/ --new-dim member=path", "an ensemble, labelled by folders"),
        ("cfa create year.nc new/*.nc --update", "append what was not there yet"),
        ("cfa create all.nc @addresses.txt", "files on servers: one address per line"),
    ],
    ..Page::WRITER
};

/// Runs `cfa create`.
pub fn run(arguments: &Arguments) -> Outcome {
    crate::refuse_hyphen(&arguments.out)?;
    let mut options = Options::default();
    if let Some(name) = &arguments.dialect {
        options.dialect = Dialect::named(name)?;
    }
    options.format = arguments.format.as_deref().map(Format::named).transpose()?;
    options.locations = match &arguments.base {
        Some(base) => Locations::Base(base.clone()),
        None if arguments.absolute => Locations::Absolute,
        None => Locations::Relative,
    };
    options.variables.clone_from(&arguments.variables);
    options.dimensions.clone_from(&arguments.dim);
    options.new_dimension.clone_from(&arguments.new_dim);
    options.kept_attributes.clone_from(&arguments.keep_attributes);
    options.release.clone_from(&arguments.drs_version);
    options.prune = match arguments.prune.as_deref() {
        Some("folders") => create::Prune::Folders,
        Some(_) => create::Prune::Files,
        None => create::Prune::Nothing,
    };
    options.skip_bad = arguments.skip_bad;
    options.allow_gaps = arguments.allow_gaps;
    options.aggregate_coordinates = arguments.aggregate_coordinates;
    options.record_state = arguments.record_state;
    options.record_chunks = arguments.record_chunks;
    options.overwrite = arguments.overwrite;
    options.num_threads = arguments.threads;
    options.open = Some(Settings::named(&arguments.set).options()?);
    let verb = if arguments.update { "cfa create --update" } else { "cfa create" };
    options.history = Some(format!("{verb} {}", shown(&arguments.out)));
    if arguments.update && arguments.dialect.is_some() {
        let message =
            "--dialect has no meaning with --update: the file keeps its dialect; cfa convert changes it";
        return Err(Failure::Error(Error::new(Kind::Request, message)));
    }
    let files = create::expand(&arguments.files)?;
    let meter = Meter::new("files", arguments.quiet);
    let listener = meter.listener();
    let (out, listener) = (&arguments.out, Some(&listener as &cfa::Listener<'_>));
    let report = match (arguments.update, arguments.dry_run) {
        (updates, true) => create::survey(out, files, &options, updates, listener),
        (false, false) => create::create(out, files, &options, listener),
        (true, false) => create::update(out, files, &options, listener),
    };
    meter.finish();
    let report = report?;
    if !arguments.quiet || arguments.dry_run {
        describe(&report, arguments)?;
    }
    if let Some((last, others)) = report.faults.split_last() {
        others.iter().for_each(|fault| eprintln!("cfa: {}", printable(&fault.to_string())));
        return Err(Failure::Error(last.clone()));
    }
    if arguments.qgis {
        let open = Settings::named(&arguments.set).options()?;
        crate::qgis::of_new_file(&arguments.out, open, arguments.quiet)?;
    }
    Ok(())
}

fn describe(report: &Report, arguments: &Arguments) -> Outcome {
    let style = style::for_stdout();
    let mut out = std::io::stdout().lock();
    for variable in &report.variables {
        let sizes: Vec<String> =
            variable.dimensions.iter().map(|d| format!("{}={}", brief(&d.name), d.size)).collect();
        let kind = match variable {
            v if v.is_static => "the same in all files, stored by value".to_owned(),
            v => format!("{} {}", v.fragments, plural(v.fragments, "fragment")),
        };
        writeln!(out, "{}({})  {kind}", style.name(&brief(&variable.name)), sizes.join(", "))?;
        if arguments.dry_run {
            grid(&mut out, variable)?;
            for line in crate::grid::drawn(variable) {
                writeln!(out, "{line}")?;
            }
        }
    }
    for (sign, what, list) in
        [("+", "added", &report.added), ("~", "changed", &report.changed), ("-", "removed", &report.removed)]
    {
        if list.is_empty() {
            continue;
        }
        // Nothing is left out if the output goes to a file or a pipe.
        let shown = if std::io::stdout().is_terminal() { SHOWN } else { list.len() };
        writeln!(out, "{what}: {} {}", list.len(), plural(list.len() as u64, "file"))?;
        for name in list.iter().take(shown) {
            writeln!(out, "  {sign} {}", printable(name))?;
        }
        if list.len() > shown {
            writeln!(out, "  ... {} more; into a file or pipe all are written", list.len() - shown)?;
        }
    }
    for note in &report.notes {
        writeln!(out, "{} {}", style.faint("note:"), printable(note))?;
    }
    if arguments.dry_run {
        writeln!(out, "{} is not written (--dry-run)", printable(&redact(&shown(&arguments.out))))?;
    }
    Ok(())
}

/// The maximum number of parts along a dimension that are shown in full.
const SHOWN: usize = 12;

fn grid(out: &mut impl Write, variable: &PlannedVariable) -> Outcome {
    for dimension in &variable.dimensions {
        let n = dimension.parts.len() as u64;
        let new = if dimension.is_new { ", a new dimension" } else { "" };
        writeln!(out, "  {}: {n} {}{new}", brief(&dimension.name), plural(n, "part"))?;
        if n < 2 {
            continue;
        }
        for (i, (size, place, file)) in dimension.parts.iter().enumerate() {
            let hidden =
                dimension.parts.len() > SHOWN && (SHOWN / 2..dimension.parts.len() - SHOWN / 2).contains(&i);
            if !hidden {
                writeln!(out, "    {i:>4}  size {size:<6} {:<28} {}", brief(&place), printable(&file))?;
            } else if i == SHOWN / 2 {
                writeln!(out, "     ...  {} more", dimension.parts.len() - SHOWN)?;
            }
        }
    }
    Ok(())
}

fn plural(n: u64, word: &str) -> String {
    if n == 1 {
        word.to_owned()
    } else {
        format!("{word}s")
    }
}
