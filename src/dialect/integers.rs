//! Reads the integer table of a definition variable value by value, in C order, without holding all of it in memory.

use super::context::Context;
use crate::container::array::Layout;
use crate::container::tree::{Variable, VariableId};
use crate::error::{Error, Kind, Result};
use crate::for_numbers;
use crate::model::features::Features;
use crate::model::slabs::Slabs;
use crate::selection::Selection;
use crate::value::{Attributes, DataType, Values};

/// The number of values in memory at once.
const SLAB: u64 = 1 << 18;
const SMALL_SLAB: u64 = 1 << 14;
/// What a run of equal values costs, beside its bytes.
const RUN: u64 = 8;

/// Calls `each` with every value of an integer variable; `None` if it is missing.
///
/// # Errors
/// `Map` if the variable does not have integers; those of the container and of `each`.
pub fn for_each(
    cx: &Context,
    variable: VariableId,
    mut each: impl FnMut(Option<i128>) -> Result<()>,
) -> Result<()> {
    for_each_run(cx, variable, |n, value| (0..n).try_for_each(|_| each(value)))
}

/// Calls `each` with runs of equal values and their lengths.
///
/// # Errors
/// As [`for_each`].
pub fn for_each_run(
    cx: &Context,
    variable: VariableId,
    each: impl FnMut(u64, Option<i128>) -> Result<()>,
) -> Result<()> {
    runs(cx.features, &cx.tree.variables[variable.0], variable, each)
}

/// As [`for_each_run`], of any variable.
///
/// # Errors
/// As [`for_each`]; `Limit` if the tables of the file are too much work.
pub(crate) fn runs(
    features: &dyn Features,
    stored: &Variable,
    id: VariableId,
    mut each: impl FnMut(u64, Option<i128>) -> Result<()>,
) -> Result<()> {
    let array = &stored.array;
    if !array.data_type.is_integer() {
        let message = format!("'{}' has type {}; it must be integer-valued", stored.path, array.data_type);
        return Err(Error::new(Kind::Map, message));
    }
    let numbers = Numbers::of(&stored.attributes, array.data_type);
    let (all, allowance) = (Selection::all(&array.shape), features.allowance());
    if matches!(array.layout, Layout::Unwritten) && array.short.is_none() {
        let one = Selection::block(&vec![0; all.rank()], &vec![1; all.rank()], &array.shape);
        if let (Ok(one), Some(n)) = (one, all.len()) {
            let value = features.values(id, &one)?.int_at(0);
            return each(n, value.and_then(|stored| numbers.value(stored)));
        }
    }
    let slab = if matches!(array.layout, Layout::Chunked { .. }) { SLAB } else { SMALL_SLAB };
    for slab in Slabs::new(&all, &array.shape, slab) {
        let slab = slab?;
        let before = allowance.decoded();
        let values = features.values(id, &slab)?;
        allowance.work(allowance.decoded().saturating_sub(before))?;
        let mut count = 0u64;
        // A table may have a million fragments, so each type has its own loop.
        for_numbers!(&values, list => for alike in list.chunk_by(|a, b| a == b) {
            count += 1;
            each(alike.len() as u64, numbers.value(alike[0] as i128))?;
        }, ());
        allowance.work(count.saturating_mul(RUN))?;
    }
    Ok(())
}

/// What the stored integers of a table mean.
pub(crate) struct Numbers {
    /// `_FillValue`, each `missing_value`, and the default fill if it has no other possible meaning.
    missing: Vec<i128>,
    default_fill: Option<i128>,
    /// What to add to a negative number to get the unsigned one that `_Unsigned` means.
    modulus: Option<i128>,
}

impl Numbers {
    /// Returns the meaning for a variable with these attributes and this type.
    pub(crate) fn of(attributes: &Attributes, data_type: DataType) -> Self {
        let unsigned = attributes.text("_Unsigned").is_some_and(|text| text.eq_ignore_ascii_case("true"));
        let modulus = data_type.size().filter(|_| unsigned).map(|size| 1i128 << (8 * size));
        let mut numbers = Numbers { missing: Vec::new(), default_fill: None, modulus };
        for name in ["_FillValue", "missing_value"] {
            if let Some(values) = attributes.get(name) {
                let marks = (0..values.len()).filter_map(|i| integer(values, i));
                let meant: Vec<i128> = marks.map(|mark| numbers.meant(mark)).collect();
                numbers.missing.extend(meant);
            }
        }
        if attributes.get("_FillValue").is_none() {
            numbers.default_fill = default_fill(data_type).map(|fill| numbers.meant(fill));
            numbers.missing.extend(numbers.default_fill.filter(|&fill| fill <= 0));
        }
        numbers
    }

    fn meant(&self, stored: i128) -> i128 {
        if stored < 0 {
            stored + self.modulus.unwrap_or(0)
        } else {
            stored
        }
    }

    /// Returns the number that a stored one means; `None` if it is missing.
    pub(crate) fn value(&self, stored: i128) -> Option<i128> {
        let value = self.meant(stored);
        (!self.missing.contains(&value)).then_some(value)
    }

    /// Returns the default fill of the netCDF library if it might also be meant as a number: there is no `_FillValue`,
    /// and it is positive.
    pub(crate) fn ambiguous(&self) -> Option<i128> {
        self.default_fill.filter(|&fill| fill > 0)
    }
}

/// Returns the value with which the netCDF library fills integers of this type.
fn default_fill(data_type: DataType) -> Option<i128> {
    Some(match data_type {
        DataType::I8 => -127,
        DataType::U8 => 255,
        DataType::I16 => -32767,
        DataType::U16 => 65535,
        DataType::I32 => -2147483647,
        DataType::U32 => 4294967295,
        DataType::I64 => -9223372036854775806,
        DataType::U64 => 18446744073709551614,
        _ => return None,
    })
}

fn integer(values: &Values, i: usize) -> Option<i128> {
    // The attribute may have a floating-point type although the variable has an integer type.
    let whole = || values.f64_at(i).filter(|x| x.fract() == 0.0 && x.abs() < 1e18).map(|x| x as i128);
    values.int_at(i).or_else(whole)
}
