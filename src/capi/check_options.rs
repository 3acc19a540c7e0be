//! How a file is checked, and what a check finds.

use std::ffi::{c_char, c_void};

use super::open_options::cfa_open_options;
use super::options::{self, Options};
use super::read_options::cfa_progress_callback;

/// Not a matter of the conventions, but worth knowing.
pub const CFA_SEVERITY_NOTE: i32 = 1;
/// The text of the convention says "should".
pub const CFA_SEVERITY_RECOMMENDATION: i32 = 2;
/// The text of the convention says "must", or the data cannot be had.
pub const CFA_SEVERITY_REQUIREMENT: i32 = 3;

/// The fragment was not looked at.
pub const CFA_STATE_UNCHECKED: u8 = 0;
/// The fragment needs no file: a unique value, or wholly missing by definition.
pub const CFA_STATE_NO_FILE: u8 = 1;
/// The first version of the fragment is there and fits.
pub const CFA_STATE_PRESENT: u8 = 2;
/// Another than the first version of the fragment is there and fits.
pub const CFA_STATE_OTHER_VERSION: u8 = 3;
/// The fragment has changed since its state was recorded.
pub const CFA_STATE_CHANGED: u8 = 4;
/// No version of the fragment is there.
pub const CFA_STATE_MISSING: u8 = 5;
/// The fragment is there, and does not fit or cannot be read.
pub const CFA_STATE_WRONG: u8 = 6;

/// One thing that is not as a text demands. All that it points at is valid during the call that shows it; later versions
/// append fields.
#[repr(C)]
pub struct cfa_finding {
    /// CFA_SEVERITY_REQUIREMENT, CFA_SEVERITY_RECOMMENDATION or CFA_SEVERITY_NOTE.
    pub severity: i32,
    /// The length of fragment.
    pub rank: usize,
    /// The index of the fragment concerned in the array of fragments; NULL where it is not a matter of one.
    pub fragment: *const u64,
    /// The aggregation variable concerned; NULL for the file.
    pub variable: *const c_char,
    /// The stable name of the rule, such as "fragment-present".
    pub rule: *const c_char,
    /// The clause that states it; "" for what no text states.
    pub clause: *const c_char,
    /// What is wrong, on one line.
    pub message: *const c_char,
    /// How many findings this one stands for: more than 1 where it counts those that are not listed.
    pub count: u64,
}

/// An aggregation variable that was checked. All that it points at is valid during the call that shows it; later versions
/// append fields.
#[repr(C)]
pub struct cfa_checked_variable {
    /// Its path.
    pub path: *const c_char,
    /// The CFA_DIALECT_ number of the convention that it follows.
    pub dialect: i32,
    /// The type of its elements, CFA_TYPE_INT8 to CFA_TYPE_STRING.
    pub r#type: i32,
    /// 1 if its aggregation could be decoded, else 0 and the rest is empty.
    pub is_decoded: i32,
    /// The number of its dimensions.
    pub rank: usize,
    /// The size of each dimension.
    pub shape: *const u64,
    /// The number of fragments along each dimension.
    pub fragments: *const u64,
    /// A CFA_STATE_ number for each fragment in C order; NULL if fragments were not opened.
    pub states: *const u8,
    /// The length of states.
    pub state_count: usize,
}

/// Is told a finding. Called in the thread that made the call.
///
/// @param finding   what was found, valid during the call
/// @param user_data as given in the options
pub type cfa_finding_callback =
    Option<unsafe extern "C" fn(finding: *const cfa_finding, user_data: *mut c_void)>;

/// Is shown a variable that was checked. Called in the thread that made the call.
///
/// @param variable  what was checked, valid during the call
/// @param user_data as given in the options
pub type cfa_checked_callback =
    Option<unsafe extern "C" fn(variable: *const cfa_checked_variable, user_data: *mut c_void)>;

/// Options of cfa_aggregation_check.
///
/// Zero means the default in every field, now and in later versions: begin with CFA_CHECK_OPTIONS_INIT or
/// cfa_check_options_init. Structures of other versions are taken as described at cfa_open_options.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_check_options {
    /// sizeof(cfa_check_options) of the caller.
    pub size: usize,
    /// CFA_CHOICE_YES to open every fragment; html_report implies it.
    pub fragments: i32,
    /// Findings of one rule for one variable that are told one by one; by default 100, the others are counted.
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
///
/// Thread-safe for different structures. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_check_options_init(options: *mut cfa_check_options, size: usize) {
    // SAFETY: the contract of the C API (module capi).
    unsafe { options::init(options, size) }
}
