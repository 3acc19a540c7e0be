//! Parts of variables by coordinates.

use std::ffi::c_char;

use super::boundary::{self, is_null, output, Failure};
use super::status::{cfa_status, CFA_ERR_BUFFER, CFA_ERR_LIMIT};
use super::variable::{cfa_variable, variable};
use super::writing::names;

/// Finds the part of a variable that lies at these coordinates, for any function that takes start and count.
///
/// Both ends of a range are included, and an end that is left out is that of the dimension. Dates are compared as far
/// as they are written: "time=2001-03" is the whole of March. Numbers are in the units of the coordinates. Where a
/// dimension has no coordinates, its indices serve. Dimensions that are not named are whole.
///
/// A value without an equal coordinate means the cell whose bounds contain it, and "lat~45.3" the nearest coordinate.
/// Longitudes may be those of any turn of the circle. The part must be one range of indices along each dimension: what
/// is several ("lon=-20..20" where a file counts from 0 to 359) is an error that names them.
///
/// @param variable the variable
/// @param select   "dimension=value" or "dimension=value..value" each, such as "lat=45..60" and "station=Oslo"; a
///                 list that ends with NULL; NULL for all of the variable
/// @param capacity the room in start and count, in numbers
/// @param start    receives the first index along each dimension; may be NULL for a scalar
/// @param count    receives the number of indices along each dimension; may be NULL for a scalar
/// @return CFA_OK; CFA_ERR_ARGUMENT if a text is not understood, if nothing lies there (the message has the coordinates
///         there are) or if the part is several ranges, CFA_ERR_BUFFER if capacity is less than the rank; what
///         cfa_variable_read returns, for coordinates
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_select(
    variable: *const cfa_variable,
    select: *const *const c_char,
    capacity: usize,
    start: *mut u64,
    count: *mut usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (variable, texts) = unsafe { (self::variable(variable)?, names(select, "select")?) };
        let variable = &variable.variable;
        let rank = variable.shape()?.len();
        if capacity < rank {
            let message = format!("start and count have room for {capacity} numbers; {rank} are needed");
            return Err(Failure::new(CFA_ERR_BUFFER, message));
        }
        if rank == 0 && texts.is_empty() {
            return Ok(());
        }
        if rank > 0 && (start.is_null() || count.is_null()) {
            output(start, "start")?;
            return Err(is_null("count"));
        }
        let concerned = |e: crate::Error| e.in_variable(variable.path()).in_file(variable.dataset().name());
        let part = variable.select(&texts).map_err(concerned)?;
        let too_large = |_| Failure::new(CFA_ERR_LIMIT, "the part does not fit into memory");
        let counts = part
            .count()
            .iter()
            .map(|&n| usize::try_from(n))
            .collect::<Result<Vec<_>, _>>()
            .map_err(too_large)?;
        for (d, n) in counts.into_iter().enumerate() {
            // SAFETY: as above, both have room for `rank` numbers.
            unsafe {
                start.add(d).write(part.start()[d]);
                count.add(d).write(n);
            }
        }
        Ok(())
    })
}
