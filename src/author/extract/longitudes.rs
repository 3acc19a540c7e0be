//! Longitudes that were selected in another turn of the circle: the new file has them in the order of the selection,
//! with 360 added or subtracted, in the coordinates and their bounds alike.

use crate::dataset::select::{bounds_of, Parts};
use crate::dataset::variable::Variable;
use crate::error::{Error, Kind, Result};
use crate::selection::indices;
use crate::value::{DataType, Values};

/// The attributes that would say something wrong of moved numbers.
pub(super) const RANGES: [&str; 4] = ["valid_min", "valid_max", "valid_range", "actual_range"];

/// Returns the dimension along which the values of a variable are longitudes to be moved: of the coordinate variable,
/// and of its bounds.
///
/// # Errors
/// `Request` if moved values do not fit the variable's type.
pub(super) fn moved(variable: &Variable, parts: &Parts) -> Result<Option<usize>> {
    let Some(&id) = variable.dimensions()?.first() else { return Ok(None) };
    if parts.ranges(0).iter().all(|range| range.shift == 0.0) {
        return Ok(None);
    }
    let dataset = variable.dataset();
    let mut coordinates = dataset.variables().into_iter().filter(|one| {
        one.name() == dataset.dimension(id).name && matches!(one.dimensions(), Ok([own]) if *own == id)
    });
    let is_moved = coordinates.any(|one| {
        let is_its_bounds =
            || bounds_of(&one).ok().flatten().is_some_and(|bounds| bounds.id() == variable.id());
        one.id() == variable.id() || is_its_bounds()
    });
    if !is_moved {
        return Ok(None);
    }
    let attributes = variable.attributes();
    let plain = ["scale_factor", "add_offset", "_Unsigned"].iter().all(|name| attributes.get(name).is_none());
    let fits = matches!(
        variable.data_type(),
        DataType::I16 | DataType::I32 | DataType::I64 | DataType::F32 | DataType::F64
    );
    if !(plain && fits) {
        let message =
            "the longitudes are packed, or of a type that does not hold others; select them as the file has \
                       them, without crossing its end";
        return Err(Error::new(Kind::Request, message).in_variable(variable.path()));
    }
    Ok(Some(0))
}

/// Adds what the parts say along dimension `d` to values that were read of them.
///
/// # Errors
/// `Request` if a moved value does not fit the type.
pub(super) fn move_by(values: Values, variable: &Variable, parts: &Parts, d: usize) -> Result<Values> {
    let shifts: Vec<f64> = parts
        .ranges(d)
        .iter()
        .flat_map(|range| std::iter::repeat_n(range.shift, range.count as usize))
        .collect();
    let missing = variable.missing_value();
    let mut at = indices(&parts.count()).map(|index| shifts.get(index[d] as usize).copied().unwrap_or(0.0));
    let mut by = |number: f64| {
        let shift = at.next().unwrap_or(0.0);
        let is_missing = missing.as_ref().and_then(|value| value.f64_at(0)) == Some(number);
        if is_missing {
            0.0
        } else {
            shift
        }
    };
    macro_rules! integers {
        ($kind:ident, $list:expr, $number:ty) => {
            $list
                .into_iter()
                .map(|x| x.checked_add(by(x as f64) as $number))
                .collect::<Option<Vec<_>>>()
                .map(Values::$kind)
        };
    }
    let moved = match values {
        Values::F32(list) => {
            Some(Values::F32(list.into_iter().map(|x| (f64::from(x) + by(x.into())) as f32).collect()))
        }
        Values::F64(list) => Some(Values::F64(list.into_iter().map(|x| x + by(x)).collect())),
        Values::I16(list) => integers!(I16, list, i16),
        Values::I32(list) => integers!(I32, list, i32),
        Values::I64(list) => integers!(I64, list, i64),
        other => Some(other),
    };
    moved.ok_or_else(|| {
        Error::new(Kind::Request, "the type of the longitudes does not hold the selected ones")
            .in_variable(variable.path())
    })
}
