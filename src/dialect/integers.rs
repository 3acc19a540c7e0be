//! Integer tables of a definition variable, value by value in C order, without having all of it in memory.

use super::context::Context;
use crate::container::array::Layout;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::for_numbers;
use crate::model::slabs::Slabs;
use crate::selection::Selection;
use crate::value::{Attributes, DataType, Values};

/// How many values are in memory at once; more of a chunked variable, since each slab decodes its chunks anew.
const SLAB: u64 = 1 << 20;
const SMALL_SLAB: u64 = 1 << 14;

/// Gives every value of an integer variable to `each`; `None` where it is missing.
///
/// # Errors
/// `Map` when the variable is not integer-valued; those of the container and of `each`.
pub fn for_each(
    cx: &Context,
    variable: VariableId,
    mut each: impl FnMut(Option<i128>) -> Result<()>,
) -> Result<()> {
    for_each_run(cx, variable, |n, value| (0..n).try_for_each(|_| each(value)))
}

/// As [`for_each`], with the number of neighbours that are alike.
///
/// # Errors
/// As [`for_each`].
pub fn for_each_run(
    cx: &Context,
    variable: VariableId,
    mut each: impl FnMut(u64, Option<i128>) -> Result<()>,
) -> Result<()> {
    let stored = &cx.tree.variables[variable.0];
    let array = &stored.array;
    if !array.data_type.is_integer() {
        let message = format!("'{}' has type {}; it must be integer-valued", stored.path, array.data_type);
        return Err(Error::new(Kind::Map, message));
    }
    let missing = missing_marks(&stored.attributes, array.data_type);
    let slab = if matches!(array.layout, Layout::Chunked { .. }) { SLAB } else { SMALL_SLAB };
    for slab in Slabs::new(&Selection::all(&array.shape), &array.shape, slab) {
        let values = cx.features.values(variable, &slab?)?;
        // A table of a million fragments is read here, so each type has its own loop.
        for_numbers!(&values, list => for alike in list.chunk_by(|a, b| a == b) {
            let n = alike[0] as i128;
            each(alike.len() as u64, (!missing.contains(&n)).then_some(n))?;
        }, ());
    }
    Ok(())
}

/// The numbers that mean "missing": `_FillValue`, each `missing_value`, and the default fill where there is no
/// `_FillValue` (writers pad and say nothing). An unsigned byte has no default fill: 255 is a plain number.
pub(crate) fn missing_marks(attributes: &Attributes, data_type: DataType) -> Vec<i128> {
    let mut marks = Vec::new();
    for name in ["_FillValue", "missing_value"] {
        if let Some(values) = attributes.get(name) {
            marks.extend((0..values.len()).filter_map(|i| integer(values, i)));
        }
    }
    if attributes.get("_FillValue").is_none() {
        marks.extend(match data_type {
            DataType::I8 => Some(-127),
            DataType::I16 => Some(-32767),
            DataType::U16 => Some(65535),
            DataType::I32 => Some(-2147483647),
            DataType::U32 => Some(4294967295),
            DataType::I64 => Some(-9223372036854775806),
            DataType::U64 => Some(18446744073709551614),
            _ => None,
        });
    }
    marks
}

fn integer(values: &Values, i: usize) -> Option<i128> {
    // The attribute may have a floating type although the variable is an integer one.
    let whole = || values.f64_at(i).filter(|x| x.fract() == 0.0 && x.abs() < 1e18).map(|x| x as i128);
    values.int_at(i).or_else(whole)
}
