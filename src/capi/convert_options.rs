//! How an aggregation file is converted.

use std::ffi::c_void;

use super::open_options::cfa_open_options;
use super::options::{self, Options};
use super::planned::cfa_note_callback;
use super::read::cfa_progress_callback;

/// Options of cfa_aggregation_convert.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_convert_options {
    /// sizeof(cfa_convert_options) of the caller.
    pub size: usize,
    /// The convention of the new file, a CFA_DIALECT_ number; by default CF-1.13.
    pub dialect: i32,
    /// CFA_CHOICE_DEFAULT or a CFA_FORMAT_ number: the format of the new file; by default netCDF-4.
    pub format: i32,
    /// CFA_CHOICE_DEFAULT, CFA_LOCATIONS_RELATIVE or CFA_LOCATIONS_ABSOLUTE: how local fragments are named; by default
    /// relative names stay relative, for the new place, and absolute ones absolute.
    pub locations: i32,
    /// Zero.
    pub reserved: i32,
    /// How the aggregation file is opened; NULL for the defaults. The new file has the locations that open->relocate
    /// gives.
    pub open: *const cfa_open_options,
    /// Called after success for each thing that is odd or was left out; or NULL.
    pub note: cfa_note_callback,
    /// Called with 0 before the work begins, now and then during it, and with 1 when all is done (what it then returns
    /// does not count); or NULL.
    pub progress: cfa_progress_callback,
    /// Handed to the functions above.
    pub user_data: *mut c_void,
    /// CFA_CHOICE_YES to replace a file that is no aggregation, or one with data of its own. A file that is read is never
    /// replaced.
    pub overwrite: i32,
    /// Zero.
    pub reserved_2: i32,
}

// SAFETY: a C structure that begins with its size and has no padding; its fields are numbers, pointers and functions
// that may be NULL.
unsafe impl Options for cfa_convert_options {}

/// Sets all fields of a structure to their defaults, as CFA_CONVERT_OPTIONS_INIT does.
///
/// Writes size bytes and no more, whatever the size of the structure in this version of the library.
///
/// @param options the structure; does nothing if it is NULL
/// @param size    sizeof(cfa_convert_options) of the caller
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_convert_options_init(options: *mut cfa_convert_options, size: usize) {
    // SAFETY: the contract of the C API (module capi).
    unsafe { options::init(options, size) }
}
