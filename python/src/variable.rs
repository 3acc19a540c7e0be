//! A variable of an open file: its description, and reading it into a buffer.

use cfa::{Choice, Coordinates, DataType, Entry, EntrySource, Output, Selection, VariableId};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::file::{find, File};
use crate::watch::Watch;
use crate::{errors, values};

/// A variable, aggregated or ordinary.
#[pyclass(frozen, module = "libcfa._core")]
pub(crate) struct Variable {
    file: Py<File>,
    id: VariableId,
    path: String,
}

/// Index, start, shape, versions (location and identifier) and unique value of a fragment.
type Row<'py> = (
    Bound<'py, PyTuple>,
    Bound<'py, PyTuple>,
    Bound<'py, PyTuple>,
    Vec<(Option<String>, String)>,
    Option<Bound<'py, PyAny>>,
);

/// The ranges of indices along a dimension: start and count.
type Ranges = Vec<(u64, u64)>;

/// The name of a dimension, the coordinates of both ends (`None` for an end of the dimension), and whether the one
/// nearest to the first is meant.
pub(crate) type Chosen = (String, Option<String>, Option<String>, bool);

/// Returns choices as the engine takes them.
pub(crate) fn chosen(choices: &[Chosen]) -> Vec<(&str, Choice)> {
    let choice = |(_, from, to, nearest): &Chosen| match from {
        Some(value) if *nearest => Choice::Nearest(value.clone()),
        _ => Choice::Between(from.clone(), to.clone()),
    };
    choices.iter().map(|one| (&*one.0, choice(one))).collect()
}

impl Variable {
    pub(crate) fn new(file: Py<File>, id: VariableId, path: String) -> Self {
        Variable { file, id, path }
    }

    fn engine(&self, py: Python<'_>) -> PyResult<cfa::Variable> {
        let dataset = self.file.get().dataset(py)?;
        find(&dataset, self.id, &self.path).map_err(|e| errors::raise(py, e))
    }

    fn selection(
        &self,
        py: Python<'_>,
        variable: &cfa::Variable,
        parts: (&[u64], &[u64], &[i64]),
    ) -> PyResult<Selection> {
        let placed = |e: cfa::Error| e.in_variable(variable.path()).in_file(variable.dataset().name());
        let checked = || Selection::new(parts.0, parts.1, parts.2, variable.shape()?).map_err(placed);
        checked().map_err(|e| errors::raise(py, e))
    }
}

#[pymethods]
impl Variable {
    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    /// Returns the code of the type: `i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 char str`.
    fn code(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.engine(py)?.data_type().code())
    }

    /// Returns the dialect of the aggregation.
    fn dialect(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let variable = self.engine(py)?;
        let aggregation = py.detach(|| variable.aggregation()).map_err(|e| errors::raise(py, e))?;
        Ok(aggregation.map(|a| a.dialect.name()))
    }

    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let variable = self.engine(py)?;
        let shape = py.detach(|| variable.shape()).map_err(|e| errors::raise(py, e))?;
        PyTuple::new(py, shape)
    }

    /// Returns the name of each dimension, without path.
    fn dimensions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let variable = self.engine(py)?;
        let ids = py.detach(|| variable.dimensions()).map_err(|e| errors::raise(py, e))?;
        PyTuple::new(py, ids.iter().map(|&id| &variable.dataset().dimension(id).name))
    }

    /// Returns the sizes of the fragments along each dimension; one size if the variable is not aggregated.
    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let variable = self.engine(py)?;
        let aggregation = py.detach(|| variable.aggregation()).map_err(|e| errors::raise(py, e))?;
        let shape = variable.shape().map_err(|e| errors::raise(py, e))?;
        let sizes = shape.iter().enumerate().map(|(d, &whole)| match aggregation {
            Some(aggregation) => PyTuple::new(py, aggregation.grid.sizes(d).collect::<Vec<_>>()),
            None => PyTuple::new(py, [whole]),
        });
        PyTuple::new(py, sizes.collect::<PyResult<Vec<_>>>()?)
    }

    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        values::attributes(py, self.engine(py)?.logical_attributes())
    }

    /// Returns the number that marks missing data, as a pair of code and bytes.
    fn missing_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.engine(py)?.missing_value().map(|value| values::raw(py, &value)).transpose()
    }

    /// Returns the ranges (start, count) along each dimension that the choices select, and for each choice whether the
    /// coordinates are dates.
    fn select(&self, py: Python<'_>, choices: Vec<Chosen>) -> PyResult<(Vec<Ranges>, Vec<bool>)> {
        let variable = self.engine(py)?;
        let selected = || {
            let found = variable.choose(&chosen(&choices))?;
            let ids = variable.dimensions()?;
            let names: Vec<&str> = ids.iter().map(|&id| &*variable.dataset().dimension(id).name).collect();
            let is_date = |(name, ..): &Chosen| match names.iter().position(|one| one == name) {
                Some(d) => {
                    // What they are is known without reading any.
                    let none = vec![0; ids.len()];
                    let none = Selection::block(&none, &none, variable.shape()?)?;
                    Ok(Coordinates::along(&variable, d, &none)?.are_dates())
                }
                None => Ok(false),
            };
            let dates = choices.iter().map(is_date).collect::<cfa::Result<_>>()?;
            let ranges = |d| found.ranges(d).iter().map(|range| (range.start, range.count)).collect();
            Ok(((0..ids.len()).map(ranges).collect(), dates))
        };
        py.detach(selected).map_err(|e| errors::raise(py, e))
    }

    /// Checks that a part lies within the variable.
    fn check_part(&self, py: Python<'_>, start: Vec<u64>, count: Vec<u64>, step: Vec<i64>) -> PyResult<()> {
        self.selection(py, &self.engine(py)?, (&start, &count, &step)).map(drop)
    }

    /// Lists the fragments in C order.
    fn fragments<'py>(&self, py: Python<'py>) -> PyResult<Vec<Row<'py>>> {
        let variable = self.engine(py)?;
        let listed = || {
            let mut entries = Vec::new();
            variable.for_each_fragment(|entry| {
                entries.push(entry);
                Ok::<(), cfa::Error>(())
            })?;
            Ok(entries)
        };
        let entries: Vec<Entry> = py.detach(listed).map_err(|e| errors::raise(py, e))?;
        entries.into_iter().map(|entry| row(py, entry)).collect()
    }

    /// Reads numbers or characters of type `code` into a buffer in C order.
    ///
    /// `mask` receives 1 for valid and 0 for missing elements. With `nan`, missing elements are NaN; with `unpacked`,
    /// packed numbers are unpacked.
    #[pyo3(signature = (start, count, step, code, buffer, mask, nan, unpacked, progress))]
    #[allow(clippy::too_many_arguments)] // the arguments of one read
    fn read_into(
        &self,
        py: Python<'_>,
        start: Vec<u64>,
        count: Vec<u64>,
        step: Vec<i64>,
        code: &str,
        buffer: &Bound<'_, PyAny>,
        mask: Option<&Bound<'_, PyAny>>,
        nan: bool,
        unpacked: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let variable = self.engine(py)?;
        let selection = self.selection(py, &variable, (&start, &count, &step))?;
        let data_type = data_type(code)?;
        let buffer = PyUntypedBuffer::get(buffer)?;
        let mask = mask.map(PyUntypedBuffer::get).transpose()?;
        if mask.as_ref().is_some_and(|mask| !mask.is_c_contiguous() || mask.item_size() != 1) {
            return Err(PyValueError::new_err("the mask is not an array of bool in C order"));
        }
        let strides = strides(&buffer, &selection)?;
        let (bytes, first) = memory(&buffer)?;
        let mask_bytes = mask.as_ref().map(memory).transpose()?;
        let watch = Watch::new(progress);
        let result = py.detach(|| {
            // SAFETY: the buffers are held until this call returns, so their memory is there. As everywhere in
            // Python, threads that write to one array at the same time see each other's numbers.
            let (bytes, mask) = unsafe { (bytes.slice(), mask_bytes.map(|(mask, _)| mask.slice())) };
            let tell = |done, total| watch.tell(done, total);
            let output = Output {
                data_type,
                buffer: bytes,
                first,
                strides: Some(&strides),
                mask,
                lossy: None,
                progress: Some(&tell),
            };
            match (unpacked, nan) {
                (true, _) => variable.read_unpacked_into(&selection, output),
                (false, true) => variable.read_with_nan_into(&selection, output),
                (false, false) => variable.read_into(&selection, output),
            }
        });
        watch.finish(py, result)
    }

    /// Reads strings in C order; `None` for missing ones.
    fn read_strings(
        &self,
        py: Python<'_>,
        start: Vec<u64>,
        count: Vec<u64>,
        step: Vec<i64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Option<String>>> {
        let variable = self.engine(py)?;
        let selection = self.selection(py, &variable, (&start, &count, &step))?;
        let watch = Watch::new(progress);
        let result = py.detach(|| {
            let tell = |done, total| watch.tell(done, total);
            variable.read_strings_with(&selection, Some(&tell))
        });
        watch.finish(py, result)
    }
}

/// The memory of a buffer, from its lowest byte on.
#[derive(Clone, Copy)]
struct Memory {
    start: *mut u8,
    len: usize,
}

// SAFETY: an address may be sent anywhere; who uses the memory says why that is allowed.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// # Safety
    /// The buffer is held, and nobody else uses its memory as a slice meanwhile.
    unsafe fn slice<'a>(self) -> &'a mut [u8] {
        // SAFETY: the caller's contract; `memory` returns what the buffer spans.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

/// Returns the memory that a buffer spans and the index of its first element there.
fn memory(buffer: &PyUntypedBuffer) -> PyResult<(Memory, usize)> {
    if buffer.readonly() {
        return Err(PyValueError::new_err("the array is read-only"));
    }
    let size = buffer.item_size();
    if buffer.item_count() == 0 {
        return Ok((Memory { start: std::ptr::NonNull::dangling().as_ptr(), len: 0 }, 0));
    }
    let (mut low, mut high) = (0isize, size as isize);
    for (&stride, &count) in buffer.strides().iter().zip(buffer.shape()) {
        let reach = stride * (count as isize - 1);
        low += reach.min(0);
        high += reach.max(0);
    }
    let start = buffer.buf_ptr().cast::<u8>().wrapping_offset(low);
    Ok((Memory { start, len: (high - low) as usize }, (-low) as usize / size))
}

/// Returns the distance between neighbours in a buffer in elements, if the buffer has the shape of the selection.
/// A scalar comes as a buffer of one element.
fn strides(buffer: &PyUntypedBuffer, selection: &Selection) -> PyResult<Vec<i64>> {
    if selection.rank() == 0 && buffer.shape() == [1] {
        return Ok(Vec::new());
    }
    let is_shape = buffer.shape().iter().map(|&n| n as u64).eq(selection.count().iter().copied());
    if !is_shape {
        let message =
            format!("the array has shape {:?}; the part has {:?}", buffer.shape(), selection.count());
        return Err(PyValueError::new_err(message));
    }
    let size = buffer.item_size() as isize;
    if buffer.strides().iter().any(|stride| stride % size != 0) {
        return Err(PyValueError::new_err("the elements of the array are not evenly spaced"));
    }
    Ok(buffer.strides().iter().map(|stride| (stride / size) as i64).collect())
}

fn data_type(code: &str) -> PyResult<DataType> {
    use DataType::*;
    let all = [I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, Char];
    let found = all.into_iter().find(|data_type| data_type.code() == code);
    found.ok_or_else(|| PyValueError::new_err(format!("there is no netCDF type '{code}'")))
}

fn row<'py>(py: Python<'py>, entry: Entry) -> PyResult<Row<'py>> {
    let start = PyTuple::new(py, entry.ranges.iter().map(|r| r.start))?;
    let shape = PyTuple::new(py, entry.ranges.iter().map(|r| r.end - r.start))?;
    let (versions, value) = match entry.source {
        EntrySource::Missing => (Vec::new(), None),
        EntrySource::UniqueValue(value) => (Vec::new(), Some(values::value(py, &value)?)),
        EntrySource::Versions(versions) => {
            (versions.into_iter().map(|v| (v.location, v.identifier)).collect(), None)
        }
    };
    Ok((PyTuple::new(py, &entry.index)?, start, shape, versions, value))
}
