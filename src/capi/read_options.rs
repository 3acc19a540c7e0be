//! Options of a read.

use std::ffi::c_void;

use super::options::{self, Options};
use super::read::cfa_progress_callback;

/// Options of cfa_variable_read.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_read_options {
    /// sizeof(cfa_read_options) of the caller.
    pub size: usize,
    /// Receives one byte per element in C order of count, whatever the buffer strides: 1 valid, 0 missing; or NULL.
    pub mask: *mut u8,
    /// The size of mask.
    pub mask_bytes: usize,
    /// Called now and then during the read; or NULL.
    pub progress: cfa_progress_callback,
    /// Handed to progress.
    pub user_data: *mut c_void,
    /// The start of the allocation that buffer points into, where buffer strides are negative; buffer_bytes then
    /// counts from here. NULL: buffer is the start.
    pub buffer_start: *const c_void,
    /// CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO: convert values to the type even if they change; by
    /// default as the dataset was opened.
    pub lossy: i32,
    /// Zero.
    pub reserved: i32,
    /// CFA_CHOICE_YES to return NaN for missing data; for floating-point types.
    pub missing_as_nan: i32,
    /// CFA_CHOICE_YES to return unpacked numbers: by scale_factor and add_offset, unsigned where
    /// _Unsigned says so, NaN where they are missing. Types without NaN need a mask where data are missing. Needs more
    /// memory, for the packed numbers.
    pub unpacked: i32,
}

// SAFETY: a C structure that begins with its size and has no padding; its fields are numbers, pointers and functions
// that may be NULL.
unsafe impl Options for cfa_read_options {}

/// Sets all fields of a structure to their defaults, as CFA_READ_OPTIONS_INIT does.
///
/// Writes size bytes and no more, whatever the size of the structure in this version of the library.
///
/// @param options the structure; does nothing if it is NULL
/// @param size    sizeof(cfa_read_options) of the caller
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_read_options_init(options: *mut cfa_read_options, size: usize) {
    // SAFETY: the contract of the C API (module capi).
    unsafe { options::init(options, size) }
}
