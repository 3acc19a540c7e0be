//! How a file is checked.

use std::ffi::{c_char, c_void};

use super::checking::{cfa_checked_callback, cfa_finding_callback};
use super::open_options::cfa_open_options;
use super::options::{self, Options};
use super::read::cfa_progress_callback;

/// Options of cfa_aggregation_check.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_check_options {
    /// sizeof(cfa_check_options) of the caller.
    pub size: usize,
    /// CFA_CHOICE_YES to open every fragment; html_report implies it.
    pub fragments: i32,
    /// Findings of one rule for one variable that are reported one by one; by default 100, the others are counted.
    pub max_findings: i32,
    /// How the aggregation file and its fragments are opened, and the number of threads; NULL for the defaults.
    pub open: *const cfa_open_options,
    /// A file to write: a page with a map of the fragments; or NULL. Only a former report of this kind is replaced.
    pub html_report: *const c_char,
    /// A file to write: all findings as JSON, as `cfa check --json` prints them; or NULL. Only a former report of this
    /// kind is replaced.
    pub json_report: *const c_char,
    /// Called for each finding, requirements first; or NULL.
    pub finding: cfa_finding_callback,
    /// Called for each aggregation variable, before the findings; or NULL.
    pub checked: cfa_checked_callback,
    /// Called with 0 before the work begins, now and then during it, and with 1 when all is done (what it then returns
    /// does not count); or NULL.
    pub progress: cfa_progress_callback,
    /// Handed to the functions above.
    pub user_data: *mut c_void,
}

// SAFETY: a C structure that begins with its size and has no padding; its fields are numbers, pointers and functions
// that may be NULL.
unsafe impl Options for cfa_check_options {}

/// Sets all fields of a structure to their defaults, as CFA_CHECK_OPTIONS_INIT does.
///
/// Writes size bytes and no more, whatever the size of the structure in this version of the library.
///
/// @param options the structure; does nothing if it is NULL
/// @param size    sizeof(cfa_check_options) of the caller
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_check_options_init(options: *mut cfa_check_options, size: usize) {
    // SAFETY: the contract of the C API (module capi).
    unsafe { options::init(options, size) }
}
