//! Values of attributes as Python objects: text, or a code of numpy and bytes, from which `libcfa` makes arrays.

use cfa::{Attribute, Values};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

/// Returns a dictionary of attributes.
pub(crate) fn attributes<'py, 'a>(
    py: Python<'py>,
    attributes: impl Iterator<Item = &'a Attribute>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for attribute in attributes {
        dict.set_item(&attribute.name, value(py, &attribute.value)?)?;
    }
    Ok(dict)
}

/// Returns text as `str`, several strings as a list, and numbers as a pair of their code and native bytes.
pub(crate) fn value<'py>(py: Python<'py>, value: &Values) -> PyResult<Bound<'py, PyAny>> {
    if let Some(text) = value.as_text() {
        return Ok(PyString::new(py, &text).into_any());
    }
    match value {
        Values::String(list) => Ok(PyList::new(py, list)?.into_any()),
        numbers => Ok(raw(py, numbers)?.into_any()),
    }
}

/// Returns the code of the type and the native bytes of numbers or characters.
pub(crate) fn raw<'py>(py: Python<'py>, values: &Values) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = (0..values.len()).filter_map(|i| values.native_bytes_at(i)).flatten().collect();
    Ok((values.data_type().code(), PyBytes::new(py, &bytes)).into_pyobject(py)?.into_any())
}
