//! Turns errors of the engine into exceptions of `libcfa._errors`.

use std::io::ErrorKind;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Returns the exception for an error of the engine.
pub(crate) fn raise(py: Python<'_>, error: cfa::Error) -> PyErr {
    match exception(py, &error) {
        Ok(made) => PyErr::from_value(made),
        Err(failure) => failure,
    }
}

fn exception<'py>(py: Python<'py>, error: &cfa::Error) -> PyResult<Bound<'py, PyAny>> {
    let fragment = error.fragment().map(|index| PyTuple::new(py, index)).transpose()?;
    let reason = match error.io_kind() {
        _ if error.is_absence() => "absent",
        Some(ErrorKind::NotFound) => "absent",
        Some(ErrorKind::PermissionDenied) => "denied",
        _ => "",
    };
    let make = py.import("libcfa._errors")?.getattr("make")?;
    make.call1((error.kind().category(), error.to_string(), error.file(), error.variable(), fragment, reason))
}

/// The exception for the use of a closed dataset.
pub(crate) fn closed(name: &str) -> PyErr {
    PyValueError::new_err(format!("{name}: the dataset is closed"))
}
