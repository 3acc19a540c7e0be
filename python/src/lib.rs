//! The native part of the Python package `libcfa`: opens files, describes variables and fills buffers.
//!
//! Logic stays in the engine. What Python users see is in `libcfa/*.py`; this module exchanges data and lets the
//! interpreter run other threads meanwhile.

mod author;
mod errors;
mod file;
mod times;
mod values;
mod variable;
mod watch;

use std::path::PathBuf;

use pyo3::prelude::*;

/// Returns the dialect of a file with aggregation variables, "unknown" if none of them is well formed, and `None` for
/// any other file.
#[pyfunction]
fn identify(py: Python<'_>, path: PathBuf) -> PyResult<Option<&'static str>> {
    let found = py.detach(|| cfa::Dataset::identify(path)).map_err(|e| errors::raise(py, e))?;
    Ok(found.map(|dialect| dialect.map_or("unknown", cfa::Dialect::name)))
}

/// Returns name, default and description of every setting.
#[pyfunction]
fn settings() -> Vec<(&'static str, &'static str, &'static str)> {
    cfa::SETTINGS.iter().map(|setting| (setting.name, setting.default, setting.description)).collect()
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    cfa::text::name_options_for_python();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<file::File>()?;
    module.add_class::<variable::Variable>()?;
    module.add_function(wrap_pyfunction!(identify, module)?)?;
    module.add_function(wrap_pyfunction!(settings, module)?)?;
    module.add_function(wrap_pyfunction!(times::nanoseconds, module)?)?;
    author::add(module)
}
