//! Makes aggregation files from the files that hold the parts.
//!
//! The files are scanned natively and in parallel. Variables that belong together are arranged by their coordinates, so
//! that the order of the files does not matter. The variables that describe them (coordinates, bounds, cell measures,
//! grid mappings) are stored by value, converted to common units. [`plan`] shows what would be made, [`create`] makes
//! it, [`update`] adds files to an aggregation without reading those it has.
//!
//! ```no_run
//! use cfa::create::{create, expand, Options};
//! let files = expand(&["data/tas_*.nc"])?;
//! let report = create("tas.nc".as_ref(), &files, &Options::default(), None)?;
//! println!("{} fragments", report.variables[0].fragments);
//! # Ok::<(), cfa::Error>(())
//! ```
//!
//! Variables in groups are aggregated in their groups. Files on servers are named by their addresses, and opened as many
//! at a time as requests may wait.
//!
//! Files that are read are never replaced. Errors name the files and list all faults, with dates. Refused: parts that
//! overlap, occur twice, are missing or leave a gap; units and calendars that cannot be converted; types that cannot be
//! unified; descriptions that differ along no dimension.

mod apart;
mod assemble;
mod axis;
mod bad;
mod bounds;
mod cells;
mod clocks;
mod combine;
mod coordinate_values;
mod distribution;
mod existing;
mod facets;
mod field;
mod gap;
mod globals;
mod groups;
mod inputs;
mod items;
mod kept_attributes;
mod kept_values;
mod labels;
mod listing;
mod locate;
mod numbered;
mod overlap;
mod pattern;
mod prune;
mod ragged;
mod record;
mod releases;
mod remake;
mod renew;
mod report;
mod returning;
mod roles;
mod same;
mod scan;
mod scope;
mod unify;
mod value;

pub use inputs::{expand, Inputs};
pub use report::{Parts, PlannedDimension, PlannedVariable, Report};

use std::path::Path;

use crate::author::chunks::{self, Known, Recorder};
use crate::author::out::Out;
use crate::author::write::{File, Format, NewFile};
use crate::container::composed::is_same;
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, is_address};
use crate::model::Dialect;
use crate::options::OpenOptions;
use crate::threads::progress::{Listener, Progress};
use labels::Labels;
use locate::Locator;
use record::Interner;

/// How locations of fragments are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Locations {
    /// Relative to the aggregation file: both can be moved together.
    #[default]
    Relative,
    /// By absolute `file:` URIs.
    Absolute,
    /// By this text followed by the name relative to the aggregation file, such as the URL of a server.
    Base(String),
}

/// Which fragments an update removes because their files are gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Prune {
    /// None.
    #[default]
    Nothing,
    /// Those in folders that still have other files of the aggregation, or one of the new files.
    Files,
    /// Also those in folders that have no file left, as on a disk that is not mounted.
    Folders,
}

/// What to make.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The convention to follow; `CF-1.13` by default.
    pub dialect: Dialect,
    /// The format of the aggregation file; `None` for netCDF-4, and with [`update`] for that of the file.
    pub format: Option<Format>,
    /// How locations of fragments are written.
    pub locations: Locations,
    /// The data variables to include; all if empty.
    pub variables: Vec<String>,
    /// The dimensions along which files may be joined; any if empty. One of these that has no coordinates is joined in
    /// the order of the files.
    pub dimensions: Vec<String>,
    /// A new dimension along which files with the same coordinates are put in their order; new files of an update come
    /// after the existing ones. `NAME=SOURCE` puts them in the order of labels, which become its coordinates: SOURCE is
    /// `attribute:ATTRIBUTE` (global), `name:PATTERN` and `path:PATTERN` (the first group of a regular expression in the
    /// name or path of the file) or `path` (the folder in which the paths differ).
    pub new_dimension: Option<String>,
    /// Global attributes of the files that are kept as variables along the dimensions in which they differ.
    pub kept_attributes: Vec<String>,
    /// Which release of a file is taken if there are several, in folders like `v20190101`: the newest that is not newer
    /// than this one, or `all`; `None` for the newest.
    pub release: Option<String>,
    /// Which fragments [`update`] removes because their files are gone.
    pub prune: Prune,
    /// Whether files that cannot be read are left out; notes name them with the reason.
    pub skip_bad: bool,
    /// Whether gaps between coordinates are allowed; notes describe them.
    pub allow_gaps: bool,
    /// Whether coordinates and other descriptions that are divided between files are aggregated instead of copied.
    pub aggregate_coordinates: bool,
    /// Whether size and time of each fragment's file are recorded, so that readers notice a change.
    pub record_state: bool,
    /// Whether the places of the chunks in each fragment's file are recorded, so that readers need not parse the files.
    pub record_chunks: bool,
    /// Whether [`create`] replaces a file with data of its own; never one that is read.
    pub overwrite: bool,
    /// The number of threads that scan; 0 means one per core.
    pub num_threads: usize,
    /// The text of this call in `history`; `cfa create` by default.
    pub history: Option<String>,
    /// How files are opened: what may be requested from servers, and how; `None` for the settings of the environment.
    pub open: Option<OpenOptions>,
    /// Whether faults are collected instead of ending the work.
    surveys: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            dialect: Dialect::Cf113,
            format: None,
            locations: Locations::Relative,
            variables: Vec::new(),
            dimensions: Vec::new(),
            new_dimension: None,
            kept_attributes: Vec::new(),
            release: None,
            prune: Prune::Nothing,
            skip_bad: false,
            allow_gaps: false,
            aggregate_coordinates: false,
            record_state: false,
            record_chunks: false,
            overwrite: false,
            num_threads: 0,
            history: None,
            open: None,
            surveys: false,
        }
    }
}

impl Options {
    fn wants(&self, variable: &str) -> bool {
        self.variables.is_empty()
            || self.variables.iter().any(|v| is_same(v.trim_start_matches('/'), variable))
    }

    /// Returns whether the user named a dimension as one to be joined.
    fn joins(&self, dimension: &str) -> bool {
        self.dimensions.iter().any(|d| is_same(d, dimension))
    }

    /// Returns whether a global attribute of the files is kept as a variable.
    fn keeps(&self, attribute: &str) -> bool {
        self.kept_attributes.iter().any(|name| is_same(name, attribute))
    }

    /// Returns the new dimension that takes the order of the files.
    fn ordered(&self) -> Option<&str> {
        self.new_dimension.as_deref().filter(|text| labels::parts(text).1.is_none())
    }

    /// Returns the name of the new dimension that has labels.
    fn labelled(&self) -> Option<&str> {
        let (name, source) = labels::parts(self.new_dimension.as_deref()?);
        source.map(|_| name)
    }

    fn labels(&self) -> Result<Option<Labels>> {
        self.new_dimension.as_deref().map_or(Ok(None), Labels::parse)
    }

    fn may_join(&self, dimension: &str) -> bool {
        self.dimensions.is_empty() || self.joins(dimension)
    }

    /// Returns the settings with which files are opened. Those that change values are the defaults: what is stored in an
    /// aggregation file does not depend on them.
    ///
    /// # Errors
    /// `Request` for a variable of the environment that is not understood.
    fn settings(&self) -> Result<OpenOptions> {
        let mut settings = self.open.clone().map_or_else(OpenOptions::from_env, Ok)?;
        let OpenOptions { missing_fragments, missing_bytes, lossy_casts, raw_view, .. } =
            OpenOptions::default();
        settings.missing_fragments = missing_fragments;
        settings.missing_bytes = missing_bytes;
        settings.lossy_casts = lossy_casts;
        settings.raw_view = raw_view;
        Ok(settings)
    }

    fn threads(&self) -> usize {
        crate::threads::workers::threads(self.num_threads)
    }
}

/// Determines what [`create`] would make of these files, and writes nothing.
///
/// # Errors
/// As [`create`].
pub fn plan(
    out: &Path,
    files: impl Into<Inputs>,
    options: &Options,
    listener: Option<&Listener<'_>>,
) -> Result<Report> {
    make_all(out, files.into(), options, listener, false)
}

/// Determines what [`create`], or with `updates` [`update`], would make, as far as that is possible, and writes nothing.
/// What prevents it is in [`Report::faults`], with the files that fill places of the grid in
/// [`PlannedVariable::places`]. Files that cannot be read are one of the faults.
///
/// # Errors
/// As [`create`], if nothing can be determined.
pub fn survey(
    out: &Path,
    files: impl Into<Inputs>,
    options: &Options,
    updates: bool,
    listener: Option<&Listener<'_>>,
) -> Result<Report> {
    let options = Options { surveys: true, ..options.clone() };
    match updates {
        false => make_all(out, files.into(), &options, listener, false),
        true => add_all(out, files.into(), &options, listener, false),
    }
}

/// Makes an aggregation file of these files. An aggregation of that name is replaced if it has no data of its own,
/// another file only with [`Options::overwrite`]. Waits for others who write the file at the same time. The new file is
/// read back before it gets its name.
///
/// The aggregation file is on this machine; the files may also be on servers. It is never one of the files, nor a fragment of one that is itself an aggregation. If [`expand`]
/// found it in a directory or by a pattern and it is an aggregation, it is skipped.
///
/// # Errors
/// `Request` if the file may not be replaced; `Map` if the parts do not fit together; `Units`, `Calendar`,
/// `FragmentType` if they cannot be converted; those of reading a file; `Unsupported` if the dialect or format cannot
/// express the result; `Io`; `Cancelled`.
pub fn create(
    out: &Path,
    files: impl Into<Inputs>,
    options: &Options,
    listener: Option<&Listener<'_>>,
) -> Result<Report> {
    make_all(out, files.into(), options, listener, true)
}

/// Determines what [`update`] would make, and writes nothing.
///
/// # Errors
/// As [`update`].
pub fn plan_update(
    out: &Path,
    files: impl Into<Inputs>,
    options: &Options,
    listener: Option<&Listener<'_>>,
) -> Result<Report> {
    add_all(out, files.into(), options, listener, false)
}

/// Adds files to an aggregation file, and to no other kind of file: more of a dimension, or more variables. Files that
/// the aggregation already has are skipped if their size and time are as recorded. Others are scanned again, and the
/// parts of those that changed are replaced. An aggregation to which nothing is added is left as it is. The dialect of
/// `options` is ignored: the file keeps its own. If there is no file of the name, it is created.
///
/// # Errors
/// As [`create`], and those of reading the aggregation file; `Request` if it is not an aggregation; `FragmentVariable`
/// and `Unsupported` for a file that changed so that its part cannot be replaced.
pub fn update(
    out: &Path,
    files: impl Into<Inputs>,
    options: &Options,
    listener: Option<&Listener<'_>>,
) -> Result<Report> {
    add_all(out, files.into(), options, listener, true)
}

/// Makes an aggregation of the files, and writes it if `writes` is set.
fn make_all(
    out: &Path,
    files: Inputs,
    options: &Options,
    listener: Option<&Listener<'_>>,
    writes: bool,
) -> Result<Report> {
    let files = files.in_one_form()?;
    let progress = steps(&files, listener);
    let target = target(out, writes, &progress)?;
    make_one(target, files, options, &progress, writes)
}

fn make_one(
    target: Out,
    files: Inputs,
    options: &Options,
    progress: &Progress<'_>,
    writes: bool,
) -> Result<Report> {
    let (mut file, mut report) = make(&target, files, options, progress)?;
    if writes {
        if options.record_chunks {
            record_chunks(&mut file, &target, &Known::default(), options, progress, &mut report)?;
        }
        write(target, &file, options.format.unwrap_or_default(), progress)?;
    }
    // The file has its name, so it is too late to stop.
    let _ = progress.finish();
    Ok(report)
}

/// Adds the files to an aggregation, and writes it if `writes` is set and it changed.
fn add_all(
    out: &Path,
    files: Inputs,
    options: &Options,
    listener: Option<&Listener<'_>>,
    writes: bool,
) -> Result<Report> {
    let files = files.in_one_form()?;
    let progress = steps(&files, listener);
    let target = target(out, writes, &progress)?;
    if !target.exists() {
        return make_one(target, files, options, &progress, writes);
    }
    let mut made = remake::remake(&target, &files, options, &progress)?;
    if writes {
        let format = options.format.map_or_else(|| Format::of_file(out), Ok)?;
        if options.record_chunks || made.has_chunks && format != Format::Classic {
            let mut own = options.clone();
            own.format = Some(format);
            record_chunks(&mut made.file, &target, &made.known, &own, &progress, &mut made.report)?;
        } else if made.has_chunks {
            made.report.notes.push(chunks::note_of_format());
        }
        match made.is_there(out, format) {
            true => made.report.notes.push("nothing to add; the aggregation is unchanged".into()),
            false => write(target, &made.file, format, &progress)?,
        }
    }
    // The file has its name, so it is too late to stop.
    let _ = progress.finish();
    Ok(made.report)
}

/// Returns the file to be made. If it is to be written, waits for all others who write it.
fn target(out: &Path, writes: bool, progress: &Progress<'_>) -> Result<Out> {
    match writes {
        true => Out::claimed(out, &mut || progress.wait()),
        false => Out::new(out),
    }
}

/// Returns the progress: one step for each file that may be scanned, and one for the file that is made.
fn steps<'a>(files: &Inputs, listener: Option<&'a Listener<'a>>) -> Progress<'a> {
    Progress::new(listener, files.paths().len() as u64 + 1, "cancelled")
}

/// Records the places of chunks in a file that is about to be written.
fn record_chunks(
    file: &mut File,
    out: &Out,
    known: &Known,
    options: &Options,
    progress: &Progress<'_>,
    report: &mut Report,
) -> Result<()> {
    chunks::check_format(options.format.unwrap_or_default())?;
    let (_, origin) = location::origin_named(out.target())?;
    let settings = OpenOptions::from_env()?;
    let step = || progress.check();
    let recorder =
        Recorder { origin: &origin, options: &settings, known, threads: options.threads(), step: &step };
    let (total, recorded) = chunks::record_all(file, &recorder)?;
    if recorded < total {
        report.notes.push(chunks::note(total, recorded));
    }
    Ok(())
}

fn write(out: Out, file: &File, format: Format, progress: &Progress<'_>) -> Result<()> {
    progress.check()?;
    NewFile::begin(file, out, format)?.commit_checked(file)
}

fn make(out: &Out, files: Inputs, options: &Options, progress: &Progress<'_>) -> Result<(File, Report)> {
    let (chosen, notes) = releases::choose(others(out, &files)?, options.release.as_deref())?;
    out.refuse_data(options.overwrite, "name the new file first")?;
    let locator = Locator::new(out.target(), &options.locations, options.dialect)?;
    kept_attributes::check(&options.kept_attributes, options.new_dimension.as_deref())?;
    let mut labels = options.labels()?;
    if let Some(labels) = &mut labels {
        labels.compare(chosen.iter().copied())?;
    }
    let mut scanned = scan::scan(&chosen, out, options, labels.as_ref(), progress, &Interner::default())?;
    // Their names are known now.
    drop(chosen);
    drop(files);
    if scanned.inputs.is_empty() {
        // With `skip_bad` a note tells the reasons.
        return Err(Error::new(Kind::Io, scanned.bad.unwrap_or_else(|| "no input files".into())));
    }
    scanned.notes.splice(..0, notes);
    let (file, report, _) = combine::combine(&scanned, None, options, &locator, progress)?;
    Ok((file, report))
}

/// Returns the files without the aggregation file itself, which a directory or pattern may have found.
///
/// # Errors
/// `Request` if the file to be written is one of them otherwise, or if none is left.
fn others<'a>(out: &Out, files: &'a Inputs) -> Result<Vec<&'a Path>> {
    let read = |what: &str| {
        out.refusal(format!(
            "it is {what}, which is never replaced; the new file comes first and needs a name of its own"
        ))
    };
    let (mut list, mut passed) = (Vec::with_capacity(files.paths().len()), false);
    for (path, named) in files.iter() {
        if !out.exists() || is_address(path) || !out.is(path) {
            list.push(path);
        } else if named || !out.is_aggregation() {
            return Err(read("one of the input files"));
        } else {
            passed = true;
        }
    }
    if out.exists() && files.lists().iter().any(|list| out.is(list)) {
        return Err(read("a list of the input files"));
    }
    match list.is_empty() {
        true if passed => Err(Error::new(Kind::Request, "no input files but the aggregation file itself")),
        true => Err(Error::new(Kind::Request, "no input files")),
        false => Ok(list),
    }
}
