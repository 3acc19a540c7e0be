//! Making, checking, converting and extracting aggregations.

use std::path::PathBuf;

use cfa::{check, convert, create, extract, Dataset, Dialect, Format, OpenOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors;
use crate::variable::{chosen, Chosen};
use crate::watch::Watch;

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(create_, module)?)?;
    module.add_function(wrap_pyfunction!(check_, module)?)?;
    module.add_function(wrap_pyfunction!(convert_, module)?)?;
    module.add_function(wrap_pyfunction!(extract_, module)?)
}

type Settings = Vec<(String, String)>;
/// Name, size, whether the files lack it, and the parts (size, coordinates, file) of a dimension.
type Dimension = (String, u64, bool, Vec<(u64, String, String)>);
/// Name, dimensions, number of fragments, and whether it is stored by value.
type Made = (String, Vec<Dimension>, u64, bool);

/// The files that were added, changed and removed.
type Changes = [Vec<String>; 3];

/// What to create, as keyword arguments.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct CreateOptions {
    dialect: Option<String>,
    format: Option<String>,
    locations: Option<String>,
    base: Option<String>,
    variables: Vec<String>,
    dimensions: Vec<String>,
    new_dimension: Option<String>,
    allow_gaps: bool,
    aggregate_coordinates: bool,
    record_state: bool,
    record_chunks: bool,
    overwrite: bool,
    num_threads: usize,
    history: Option<String>,
    update: bool,
    dry_run: bool,
    keep_attributes: Vec<String>,
    drs_version: Option<String>,
    skip_bad: bool,
    prune: Option<String>,
    settings: Settings,
}

impl CreateOptions {
    fn engine(&self, py: Python<'_>) -> PyResult<create::Options> {
        let mut options = create::Options::default();
        if let Some(dialect) = &self.dialect {
            options.dialect = named(py, Dialect::named(dialect))?;
        }
        options.format = self.format.as_deref().map(|name| named(py, Format::named(name))).transpose()?;
        options.locations = match (&self.base, self.locations.as_deref()) {
            (Some(base), None) => create::Locations::Base(base.clone()),
            (Some(_), Some(_)) => return Err(PyValueError::new_err("base and locations are both given")),
            (None, None | Some("relative")) => create::Locations::Relative,
            (None, Some("absolute")) => create::Locations::Absolute,
            (None, Some(other)) => return Err(no_location(other, "relative or absolute")),
        };
        options.variables.clone_from(&self.variables);
        options.dimensions.clone_from(&self.dimensions);
        options.new_dimension.clone_from(&self.new_dimension);
        options.allow_gaps = self.allow_gaps;
        options.aggregate_coordinates = self.aggregate_coordinates;
        options.record_state = self.record_state;
        options.record_chunks = self.record_chunks;
        options.overwrite = self.overwrite;
        options.num_threads = self.num_threads;
        options.kept_attributes.clone_from(&self.keep_attributes);
        options.release.clone_from(&self.drs_version);
        options.skip_bad = self.skip_bad;
        options.prune = match self.prune.as_deref() {
            None => create::Prune::Nothing,
            Some("files") => create::Prune::Files,
            Some("folders") => create::Prune::Folders,
            Some(other) => {
                let message = format!("prune is '{other}'; it must be files or folders");
                return Err(PyValueError::new_err(message));
            }
        };
        options.history.clone_from(&self.history);
        options.open = Some(opened(py, &self.settings)?);
        Ok(options)
    }
}

#[pyfunction]
#[pyo3(name = "create")]
fn create_(
    py: Python<'_>,
    out: PathBuf,
    files: Vec<PathBuf>,
    options: CreateOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Vec<Made>, Vec<String>, u64, Changes)> {
    let engine = options.engine(py)?;
    let work = match (options.update, options.dry_run) {
        (true, _) if options.dialect.is_some() => {
            return Err(PyValueError::new_err("an update keeps the dialect of the file"));
        }
        (true, _) if options.overwrite => {
            return Err(PyValueError::new_err("an update replaces nothing, so overwrite has no meaning"));
        }
        (false, false) => create::create,
        (false, true) => create::plan,
        (true, false) => create::update,
        (true, true) => create::plan_update,
    };
    let watch = Watch::new(progress);
    let result = py.detach(|| {
        let inputs = create::expand(&files)?;
        work(&out, inputs, &engine, Some(&|done, total| watch.tell(done, total)))
    });
    let report = watch.finish(py, result)?;
    let dimension = |d: create::PlannedDimension| (d.name, d.size, d.is_new, d.parts.iter().collect());
    let made = |v: create::PlannedVariable| {
        (v.name, v.dimensions.into_iter().map(dimension).collect(), v.fragments, v.is_static)
    };
    let lists = [report.added, report.changed, report.removed];
    Ok((report.variables.into_iter().map(made).collect(), report.notes, report.files, lists))
}

/// Returns the report as JSON, and the number of requirements that do not hold.
#[pyfunction]
#[pyo3(name = "check")]
fn check_(
    py: Python<'_>,
    path: PathBuf,
    settings: Settings,
    fragments: bool,
    max_findings: usize,
    reports: (Option<PathBuf>, Option<PathBuf>),
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, u64)> {
    let open = opened(py, &settings)?;
    let (html_report, json_report) = reports;
    let watch = Watch::new(progress);
    let result = py.detach(|| {
        let listener = |done, total| watch.tell(done, total);
        let progress: Option<&cfa::Listener<'_>> = Some(&listener);
        let options = check::Options { open, fragments, html_report, json_report, max_findings, progress };
        check::check(path, &options)
    });
    let report = watch.finish(py, result)?;
    Ok((check::as_json(&report), report.count(check::Severity::Requirement)))
}

/// Returns the warnings about the file that was read.
#[pyfunction]
#[pyo3(name = "convert")]
#[allow(clippy::too_many_arguments)] // keyword arguments in Python
fn convert_(
    py: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    settings: Settings,
    dialect: Option<String>,
    locations: Option<&str>,
    format: Option<String>,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let open = opened(py, &settings)?;
    let mut options = convert::Options { overwrite, ..convert::Options::default() };
    if let Some(dialect) = dialect {
        options.dialect = named(py, Dialect::named(&dialect))?;
    }
    if let Some(format) = format {
        options.format = named(py, Format::named(&format))?;
    }
    options.locations = match locations {
        None | Some("keep") => convert::Locations::Keep,
        Some("absolute") => convert::Locations::Absolute,
        Some("relative") => convert::Locations::Relative,
        Some(other) => return Err(no_location(other, "keep, relative or absolute")),
    };
    let watch = Watch::new(progress);
    let result = py.detach(|| {
        let listener = |done, total| watch.tell(done, total);
        let dataset = Dataset::open_with(&path, &open)?;
        convert::convert(&dataset, &out, &convert::Options { progress: Some(&listener), ..options })?;
        Ok(dataset.warnings())
    });
    watch.finish(py, result)
}

/// Returns the warnings about the file that was read.
#[pyfunction]
#[pyo3(name = "extract")]
#[allow(clippy::too_many_arguments)] // keyword arguments in Python
fn extract_(
    py: Python<'_>,
    path: PathBuf,
    out: PathBuf,
    settings: Settings,
    variables: Vec<String>,
    select: Vec<Chosen>,
    chunks: Option<Vec<u64>>,
    deflate: u8,
    shuffle: bool,
    overwrite: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let open = opened(py, &settings)?;
    let watch = Watch::new(progress);
    let result = py.detach(|| {
        let listener = |done, total| watch.tell(done, total);
        let dataset = Dataset::open_with(&path, &open)?;
        let select = chosen(&select);
        let cuts = extract::cuts(&dataset, &variables, |variable| variable.choose(&select))?;
        let progress: Option<&cfa::Listener<'_>> = Some(&listener);
        let options = extract::Options { variables, cuts, chunks, deflate, shuffle, overwrite, progress };
        extract::extract(&dataset, &out, &options)?;
        Ok(dataset.warnings())
    });
    watch.finish(py, result)
}

fn opened(py: Python<'_>, settings: &Settings) -> PyResult<OpenOptions> {
    crate::file::options(settings).map_err(|e| errors::raise(py, e))
}

fn named<T>(py: Python<'_>, found: cfa::Result<T>) -> PyResult<T> {
    found.map_err(|e| errors::raise(py, e))
}

fn no_location(given: &str, known: &str) -> PyErr {
    PyValueError::new_err(format!("locations is '{given}'; it is {known}"))
}
