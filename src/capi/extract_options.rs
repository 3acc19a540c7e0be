//! What is extracted from an aggregation file, and how it is stored.

use std::ffi::{c_char, c_void};

use super::open_options::cfa_open_options;
use super::options::{self, Options};
use super::planned::cfa_note_callback;
use super::read::cfa_progress_callback;

/// For compression: store data as they are. Zero means the default here too.
pub const CFA_COMPRESSION_NONE: i32 = -1;

/// A part of one dimension. It never gets more fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_cut {
    /// The dimension: "time", "/time" or "/group/x".
    pub dimension: *const c_char,
    /// The first index.
    pub start: u64,
    /// The number of indices; 0 for all that are left.
    pub count: u64,
    /// The distance between indices, may be negative; 0 for 1.
    pub step: i64,
}

/// Options of cfa_aggregation_extract.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_extract_options {
    /// sizeof(cfa_extract_options) of the caller.
    pub size: usize,
    /// The level of compression, 1 to 9, or CFA_COMPRESSION_NONE; by default 1.
    pub compression: i32,
    /// CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO: shuffle bytes before compression; by default yes.
    pub shuffle: i32,
    /// The variables ("tas", "/group/tas") with all that they refer to, a list that ends with NULL; NULL for the whole
    /// file.
    pub variables: *const *const c_char,
    /// The parts of dimensions; every variable that has the dimension is cut.
    pub cuts: *const cfa_cut,
    /// The length of cuts.
    pub cut_count: usize,
    /// The parts of dimensions by coordinates, "time=2001-03..2001-05", "lat=45", as for cfa_variable_select, but any
    /// number of ranges; a list that ends with NULL; or NULL. Not with cuts.
    pub select: *const *const c_char,
    /// The shape of a chunk, for variables with that many dimensions; NULL for one of about 1 MiB.
    pub chunk: *const u64,
    /// The length of chunk.
    pub chunk_rank: usize,
    /// How the aggregation file and its fragments are opened, and the number of threads; NULL for the defaults.
    pub open: *const cfa_open_options,
    /// Called after success for each thing that is odd or was left out; or NULL.
    pub note: cfa_note_callback,
    /// Called with 0 before the work begins, now and then during it, and with 1 when all is done (what it then returns
    /// does not count); or NULL.
    pub progress: cfa_progress_callback,
    /// Handed to the functions above.
    pub user_data: *mut c_void,
    /// CFA_CHOICE_YES to replace a file that exists. A file that is read is never replaced.
    pub overwrite: i32,
    /// Zero.
    pub reserved: i32,
}

// SAFETY: a C structure that begins with its size and has no padding; its fields are numbers, pointers and functions
// that may be NULL.
unsafe impl Options for cfa_extract_options {}

/// Sets all fields of a structure to their defaults, as CFA_EXTRACT_OPTIONS_INIT does.
///
/// Writes size bytes and no more, whatever the size of the structure in this version of the library.
///
/// @param options the structure; does nothing if it is NULL
/// @param size    sizeof(cfa_extract_options) of the caller
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_extract_options_init(options: *mut cfa_extract_options, size: usize) {
    // SAFETY: the contract of the C API (module capi).
    unsafe { options::init(options, size) }
}
