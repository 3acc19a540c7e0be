//! Integer tables of a definition variable, value by value in C order, without having all of it in memory.

use super::context::Context;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::model::slabs::Slabs;
use crate::selection::Selection;
use crate::value::{Attributes, DataType, Values};

/// How many values are in memory at once.
const SLAB: u64 = 1 << 20;

/// Gives every value of an integer variable to `each`; `None` where it is missing.
///
/// # Errors
/// `Map` when the variable is not integer-valued; those of the container and of `each`.
pub fn for_each(
    cx: &Context,
    variable: VariableId,
    mut each: impl FnMut(Option<i128>) -> Result<()>,
) -> Result<()> {
    let stored = &cx.tree.variables[variable.0];
    if !stored.array.data_type.is_integer() {
        let message =
            format!("'{}' has type {}; it must be integer-valued", stored.path, stored.array.data_type);
        return Err(Error::new(Kind::Map, message));
    }
    let missing = missing_marks(&stored.attributes, stored.array.data_type);
    let shape = &stored.array.shape;
    for slab in Slabs::new(&Selection::all(shape), shape, SLAB) {
        let values = cx.features.values(variable, &slab?)?;
        for i in 0..values.len() {
            each(values.int_at(i).filter(|n| !missing.contains(n)))?;
        }
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
