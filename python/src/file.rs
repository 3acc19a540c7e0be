//! An open file.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cfa::{Dataset, OpenOptions, VariableId};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::variable::Variable;
use crate::{errors, values};

/// A file with aggregation variables, or any other netCDF file.
#[pyclass(frozen, module = "libcfa._core")]
pub(crate) struct File {
    path: PathBuf,
    options: OpenOptions,
    /// Locked only while attached to the interpreter, so that no other thread holds the lock when a process forks.
    open: Mutex<Open>,
    is_closed: AtomicBool,
}

struct Open {
    dataset: Option<Dataset>,
    process: u32,
    /// The number of warnings that were taken.
    taken: usize,
}

/// The path, unlimited dimensions and attributes of a group.
type Described<'py> = (String, Vec<(String, u64, bool)>, Bound<'py, PyDict>);

impl File {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the open dataset. A process made by `fork` opens the file again: threads of its parent may have held
    /// locks of the dataset, which nobody would release.
    pub(crate) fn dataset(&self, py: Python<'_>) -> PyResult<Dataset> {
        let process = std::process::id();
        let mut open = self.lock();
        let Some(dataset) = &open.dataset else { return Err(errors::closed(&self.path.to_string_lossy())) };
        if open.process == process {
            return Ok(dataset.clone());
        }
        let again = Dataset::open_with(&self.path, &self.options).map_err(|e| errors::raise(py, e))?;
        if !again.is_same_file(dataset) {
            let message = "the file was replaced after it was opened, and a process made by fork opens it again; open the \
                           new one";
            let error = cfa::Error::new(cfa::Kind::Io, message).in_file(self.path.to_string_lossy());
            return Err(errors::raise(py, error));
        }
        std::mem::forget(open.dataset.replace(again.clone()));
        (open.process, open.taken) = (process, 0);
        Ok(again)
    }
}

#[pymethods]
impl File {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, settings: Vec<(String, String)>) -> PyResult<Self> {
        let open = || {
            let options = options(&settings)?;
            Ok((Dataset::open_with(&path, &options)?, options))
        };
        let (dataset, options) = py.detach(open).map_err(|e| errors::raise(py, e))?;
        // A relative name must mean the same file after a change of directory.
        let path = if is_address(&path) { path } else { std::path::absolute(&path).unwrap_or(path) };
        let open = Mutex::new(Open { dataset: Some(dataset), process: std::process::id(), taken: 0 });
        Ok(File { path, options, open, is_closed: AtomicBool::new(false) })
    }

    fn close(&self, py: Python<'_>) {
        self.is_closed.store(true, Ordering::Relaxed);
        let mut open = self.lock();
        let (dataset, is_own) = (open.dataset.take(), open.process == std::process::id());
        drop(open);
        match is_own {
            true => py.detach(|| drop(dataset)),
            false => std::mem::forget(dataset),
        }
    }

    #[getter]
    fn closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Returns the paths of the variables of the logical view.
    fn variables(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let dataset = self.dataset(py)?;
        Ok(py.detach(|| dataset.variables()).iter().map(|v| v.path().to_owned()).collect())
    }

    /// Returns the variable at a path.
    fn variable(slf: Bound<'_, Self>, path: &str) -> PyResult<Variable> {
        let dataset = slf.get().dataset(slf.py())?;
        let found = dataset.variable(path).map_err(|e| errors::raise(slf.py(), e))?;
        Ok(Variable::new(slf.unbind(), found.id(), found.path().to_owned()))
    }

    /// Returns path, dimensions of the logical view (name, size, whether it is unlimited) and attributes of every group.
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Vec<Described<'py>>> {
        let dataset = self.dataset(py)?;
        let shown = py.detach(|| dataset.dimensions());
        let described = |group: &cfa::Group| {
            let dimensions = group.dimensions.iter().filter(|id| shown.contains(id)).map(|&id| {
                let dimension = dataset.dimension(id);
                (dimension.name.clone(), dataset.dimension_size(id), dimension.unlimited)
            });
            let attributes = values::attributes(py, group.attributes.iter())?;
            Ok((group.path.clone(), dimensions.collect(), attributes))
        };
        dataset.groups().iter().map(described).collect()
    }

    /// Returns all warnings so far.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.dataset(py)?.warnings())
    }

    /// Returns the warnings that no call of this function has returned.
    fn take_warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let dataset = self.dataset(py)?;
        let mut open = self.lock();
        let new = dataset.warnings_after(open.taken);
        open.taken += new.len();
        Ok(new)
    }
}

/// Returns the settings of the environment, changed by these.
pub(crate) fn options(settings: &[(String, String)]) -> cfa::Result<OpenOptions> {
    let mut options = OpenOptions::from_env()?;
    settings.iter().try_for_each(|(name, value)| options.set(name, value))?;
    Ok(options)
}

/// Returns the variable with this index, as long as the file has it under this path.
pub(crate) fn find(dataset: &Dataset, id: VariableId, path: &str) -> cfa::Result<cfa::Variable> {
    match dataset.variable_with_id(id).filter(|variable| variable.path() == path) {
        Some(variable) => Ok(variable),
        None => dataset.variable(path),
    }
}

fn is_address(path: &std::path::Path) -> bool {
    path.to_str().is_some_and(|text| text.split_once("://").is_some_and(|(scheme, _)| scheme.len() > 1))
}
