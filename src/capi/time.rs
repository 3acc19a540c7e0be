//! Times as dates.

use std::ffi::c_char;

use super::boundary::{self, optional_text, put_text, text, Failure};
use super::status::{cfa_status, CFA_ERR_UNITS};
use crate::canonical::TimeUnits;

/// Writes a time of a calendar as a date, such as "2001-03-01 12:00:00".
///
/// @param units        as the units attribute: "days since 2000-01-01"
/// @param calendar     as the calendar attribute; NULL for the standard one; leap seconds of utc and tai are not
///                     counted
/// @param value        the number of these units, unpacked (cfa_variable_read_unpacked)
/// @param buffer       receives the text with its NUL; NULL with buffer_bytes 0 to ask for the size alone
/// @param buffer_bytes the size of buffer
/// @param needed       receives the bytes that the text with its NUL takes, also with CFA_ERR_BUFFER; may be NULL if
///                     buffer is not
/// @return CFA_OK; CFA_ERR_UNITS when this is not a time, CFA_ERR_CALENDAR, CFA_ERR_BUFFER, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_time_format(
    units: *const c_char,
    calendar: *const c_char,
    value: f64,
    buffer: *mut c_char,
    buffer_bytes: usize,
    needed: *mut usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (units, calendar) = unsafe { (text(units, "units")?, optional_text(calendar, "calendar")?) };
        let date = TimeUnits::parse(units, calendar)?.decode(value);
        let date =
            date.ok_or_else(|| Failure::new(CFA_ERR_UNITS, format!("{value} {units} is not a date")))?;
        // SAFETY: as above.
        unsafe { put_text(&date.to_string(), buffer, buffer_bytes, needed) }
    })
}
