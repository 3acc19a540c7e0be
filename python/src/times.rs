//! Numbers of a unit since a reference time, as times of numpy.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::prelude::*;

/// Fractions of a unit that are multiples of this part of it, such as noon, are whole numbers of nanoseconds.
const PARTS: i64 = 512;

/// Writes nanoseconds since 1970, for `numbers` (of 8 bytes each) of a unit since a reference, both in nanoseconds.
///
/// Returns false, and writes nothing, unless each time is exact, and is also the product in floating point,
/// which is what xarray takes. Missing numbers and times beyond the range are not exact.
#[pyfunction]
pub(crate) fn nanoseconds(
    py: Python<'_>,
    numbers: &Bound<'_, PyAny>,
    reference: i64,
    unit: i64,
    times: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    let place = |since: Option<i64>| since?.checked_add(reference).filter(|&time| time != NAT);
    match PyBuffer::<f64>::get(numbers) {
        Ok(numbers) => fill(py, &numbers, times, |number| place(exact(number, unit))),
        Err(_) => fill(py, &PyBuffer::<i64>::get(numbers)?, times, |number| {
            place(number.checked_mul(unit).filter(|&since| since != NAT))
        }),
    }
}

/// What numpy takes for no time.
const NAT: i64 = i64::MIN;

/// Returns a number of units in nanoseconds.
fn exact(number: f64, unit: i64) -> Option<i64> {
    let parts = number * PARTS as f64;
    // A cast of a number that is larger, or missing, is another number.
    let whole = Some(parts as i64).filter(|&whole| whole as f64 == parts && whole != i64::MAX)?;
    let since = whole.checked_mul(unit / PARTS)?;
    ((number * unit as f64) as i64 == since).then_some(since)
}

fn fill<T: Element>(
    py: Python<'_>,
    numbers: &PyBuffer<T>,
    times: &Bound<'_, PyAny>,
    time: impl Fn(T) -> Option<i64>,
) -> PyResult<bool> {
    let Some(found) = numbers.to_vec(py)?.into_iter().map(time).collect::<Option<Vec<i64>>>() else {
        return Ok(false);
    };
    PyBuffer::<i64>::get(times)?.copy_from_slice(py, &found)?;
    Ok(true)
}
