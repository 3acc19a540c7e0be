//! Making aggregation files from the files that hold the parts (cargo feature `write`).
//!
//! The files are scanned natively and in parallel; variables that belong together are arranged by their coordinates, so
//! that the order of the files does not matter; what describes them (coordinates, bounds, cell measures, grid mappings)
//! is stored by value, converted to common units. [`plan`] shows what would be made, [`create`] makes it, [`update`] adds
//! files to an aggregation without reading those it has.
//!
//! ```no_run
//! use cfa::create::{create, expand, Options};
//! let files = expand(&["data/tas_*.nc"])?;
//! let report = create("tas.nc".as_ref(), &files, &Options::default(), None)?;
//! println!("{} fragments", report.variables[0].fragments);
//! # Ok::<(), cfa::Error>(())
//! ```
//!
//! Variables in groups are aggregated in their groups.
//!
//! Refused, naming the files: parts that overlap, come twice, are missing or leave a gap; units and calendars that cannot
//! be converted; types that cannot be united; descriptions that differ along no dimension.

mod assemble;
mod axis;
mod existing;
mod field;
mod gap;
mod globals;
mod inputs;
mod locate;
mod marks;
mod nest;
mod progress;
mod record;
mod report;
mod roles;
mod scan;
mod scope;
mod spread;
mod unify;
mod value;

pub use inputs::expand;
pub use progress::{Observer, Progress, Stage};
pub use report::{PlannedDimension, PlannedVariable, Report};

use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::model::Dialect;
use crate::write::{self, File, Format};
use assemble::Assembly;
use locate::Locator;
use progress::Watch;
use record::{Input, Interner};
use scan::Scanned;

/// How fragments are named.
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

/// What to make.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The convention to follow; `CF-1.13` unless told otherwise.
    pub dialect: Dialect,
    /// The format of the aggregation file; `None` for netCDF-4, and with [`update`] for that of the file.
    pub format: Option<Format>,
    /// How fragments are named.
    pub locations: Locations,
    /// The data variables to take; all if empty.
    pub variables: Vec<String>,
    /// The dimensions along which files may be joined; any if empty. One of these that has no coordinates is joined in
    /// the order of the files.
    pub dimensions: Vec<String>,
    /// A new dimension along which files with the same coordinates are put in their order; those of an update after the
    /// ones that are there.
    pub new_dimension: Option<String>,
    /// Whether coordinates need not follow each other.
    pub allow_gaps: bool,
    /// Whether coordinates and other descriptions that are divided between files are aggregated instead of copied.
    pub aggregate_coordinates: bool,
    /// Whether size and time of each fragment's file are recorded, so that readers notice a change.
    pub record_state: bool,
    /// Threads that scan; 0 means one per core.
    pub num_threads: usize,
    /// What `history` says was done; `cfa create` if nothing is given.
    pub history: Option<String>,
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
            allow_gaps: false,
            aggregate_coordinates: false,
            record_state: false,
            num_threads: 0,
            history: None,
        }
    }
}

impl Options {
    fn wants(&self, variable: &str) -> bool {
        self.variables.is_empty() || self.variables.iter().any(|v| v.trim_start_matches('/') == variable)
    }

    /// Whether a dimension was named as one to be joined.
    fn joins(&self, dimension: &str) -> bool {
        self.dimensions.iter().any(|d| d == dimension)
    }

    fn may_join(&self, dimension: &str) -> bool {
        self.dimensions.is_empty() || self.joins(dimension)
    }

    fn threads(&self) -> usize {
        crate::workers::threads(self.num_threads)
    }
}

/// Works out what [`create`] would make of these files, and writes nothing.
///
/// # Errors
/// As [`create`].
pub fn plan(out: &Path, files: &[PathBuf], options: &Options, observer: Option<Observer>) -> Result<Report> {
    Ok(make(out, files, options, Watch(observer))?.1)
}

/// Makes an aggregation file of these files, replacing one of that name.
///
/// # Errors
/// `Map` when the parts do not fit together; `Units`, `Calendar`, `FragmentType` when they cannot be converted; those of
/// reading a file; `Unsupported` when the dialect or format cannot express the result; `Io`; `Cancelled`.
pub fn create(
    out: &Path,
    files: &[PathBuf],
    options: &Options,
    observer: Option<Observer>,
) -> Result<Report> {
    let watch = Watch(observer);
    let (file, report) = make(out, files, options, watch)?;
    finish(out, &file, options.format.unwrap_or_default(), watch)?;
    Ok(report)
}

/// Works out what [`update`] would make, and writes nothing.
///
/// # Errors
/// As [`update`].
pub fn plan_update(
    out: &Path,
    files: &[PathBuf],
    options: &Options,
    observer: Option<Observer>,
) -> Result<Report> {
    Ok(remake(out, files, options, Watch(observer))?.1)
}

/// Adds files to an aggregation file: more of a dimension, or more variables. Only the new files are read; those that the
/// aggregation has already are passed over. The dialect of `options` does not count: that of the file stays.
///
/// # Errors
/// As [`create`], and what is wrong with the aggregation file.
pub fn update(
    out: &Path,
    files: &[PathBuf],
    options: &Options,
    observer: Option<Observer>,
) -> Result<Report> {
    let watch = Watch(observer);
    let (file, report) = remake(out, files, options, watch)?;
    finish(out, &file, options.format.map_or_else(|| Format::of_file(out), Ok)?, watch)?;
    Ok(report)
}

fn finish(out: &Path, file: &File, format: Format, watch: Watch) -> Result<()> {
    watch.report(Stage::Write, 0, 1)?;
    write::write_file(file, out, format)?;
    watch.report(Stage::Write, 1, 1)
}

fn make(out: &Path, files: &[PathBuf], options: &Options, watch: Watch) -> Result<(File, Report)> {
    let locator = Locator::new(out, &options.locations, options.dialect)?;
    let scanned = scan::scan(&others(out, files)?, options, &watch, &Interner::default())?;
    assemble(scanned, None, options, &locator, watch)
}

fn remake(out: &Path, files: &[PathBuf], options: &Options, watch: Watch) -> Result<(File, Report)> {
    let interner = Interner::default();
    let old = existing::read(out, &interner)?;
    let mut options = options.clone();
    options.dialect = old.dialect.unwrap_or(options.dialect);
    options.record_state |= old.has_state;
    let locator = Locator::new(out, &options.locations, options.dialect)?;
    let mut fresh = Vec::new();
    for file in others(out, files)? {
        if !old.has(&locator.location(file)?) {
            fresh.push(file);
        }
    }
    let passed = files.len() - fresh.len();
    let mut scanned = scan::scan(&fresh, &options, &watch, &interner)?;
    if passed > 0 {
        scanned.notes.push(format!("{passed} of the files are in the aggregation already"));
    }
    if let Some(name) = &options.new_dimension {
        if old.number(name, &mut scanned.inputs, &interner)? {
            options.new_dimension = None;
        }
    }
    scanned.globals.merge(&old.globals);
    scanned.inputs.splice(0..0, old.inputs);
    assemble(scanned, old.history, &options, &locator, watch)
}

/// The files without the aggregation file itself, which a pattern may have found.
fn others<'a>(out: &Path, files: &'a [PathBuf]) -> Result<Vec<&'a Path>> {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let own = real(out);
    let name = out.file_name();
    let is_out = |path: &Path| path.file_name() == name && own.is_some() && real(path) == own;
    let list: Vec<&Path> = files.iter().map(PathBuf::as_path).filter(|f| !is_out(f)).collect();
    if list.is_empty() {
        return Err(Error::new(Kind::Request, "no input files"));
    }
    Ok(list)
}

fn assemble(
    scanned: Scanned,
    history: Option<String>,
    options: &Options,
    locator: &Locator,
    watch: Watch,
) -> Result<(File, Report)> {
    let Scanned { inputs, globals, notes } = scanned;
    let groups = field::group(&inputs);
    check_wanted(&inputs, &groups, options)?;
    let total = groups.len() as u64;
    let mut assembly = Assembly::new(&inputs, options, locator);
    assembly.notes = notes;
    let mut variables = Vec::new();
    for (done, (name, members)) in groups.into_iter().enumerate() {
        watch.report(Stage::Arrange, done as u64, total)?;
        let field = field::arrange(&inputs, &name, members, options)?;
        assembly.add(&field)?;
        variables.push(report::describe(&inputs, &field));
    }
    let (attributes, note) = globals::merge(&globals, history, options);
    let mut file = assembly.file;
    file.attributes = attributes;
    let file = nest::nest(file, globals.of_groups(), options.dialect)?;
    let mut notes = assembly.notes;
    notes.extend(note);
    Ok((file, Report { variables, notes, files: inputs.len() as u64 }))
}

fn check_wanted(inputs: &[Input], groups: &[(String, Vec<field::Member>)], options: &Options) -> Result<()> {
    let has = |name: &str| {
        let name = name.trim_start_matches('/');
        groups
            .iter()
            .any(|(_, members)| members.iter().any(|m| inputs[m.input].items[m.item].template.name == name))
    };
    if let Some(absent) = options.variables.iter().find(|v| !has(v)) {
        let message = format!("no file has a data variable '{absent}'");
        return Err(Error::new(Kind::MissingVariable, message));
    }
    if groups.is_empty() {
        return Err(Error::new(Kind::MissingVariable, "the files have no data variables"));
    }
    Ok(())
}
