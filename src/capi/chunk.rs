//! Where the data of an aggregation variable are stored.

use std::ffi::{c_char, c_void};

use super::boundary::{self, c_string, is_null, list, Failure};
use super::status::{cfa_status, CFA_ERR_CANCELLED};
use super::variable::{cfa_variable, variable};

/// A chunk of a file, which has the values of a block of an aggregation variable. All that it points at is valid during
/// the call that shows it; later versions append fields.
#[repr(C)]
pub struct cfa_chunk {
    /// The name of the file.
    pub file: *const c_char,
    /// Its offset in the file.
    pub offset: u64,
    /// The number of bytes that are stored there.
    pub size: u64,
    /// The number of filters that were applied to it.
    pub filter_count: usize,
    /// Their numbers in HDF5, in the order in which they were applied: 1 is deflate, 2 shuffle.
    pub filters: *const u32,
    /// 1 if numbers of several bytes begin with the most significant one, else 0.
    pub is_big_endian: i32,
}

/// Called with a chunk.
///
/// @param chunk     the chunk, valid during the call
/// @param user_data as given to cfa_variable_chunk_visit
/// @return 0 to make cfa_variable_chunk_visit return CFA_ERR_CANCELLED; anything else for CFA_OK
pub type cfa_chunk_callback =
    Option<unsafe extern "C" fn(chunk: *const cfa_chunk, user_data: *mut c_void) -> i32>;

/// Calls a function with the place of the chunk that has the values of a block of an aggregation variable, if there is
/// one: a chunk, or a whole array without chunks, of one local file, whose shape is that of the block and whose values
/// need no conversion. Else the function is not called.
///
/// At the end of a variable the chunk may be larger than the rest of it.
///
/// @param variable  the variable
/// @param start     the first index of the block along each dimension; may be NULL for a scalar
/// @param block     the shape of the block, such as cfa_variable_block_shape returns; may be NULL for a scalar
/// @param callback  is called at most once
/// @param user_data handed to callback
/// @return CFA_OK; CFA_ERR_CANCELLED if callback said so; what cfa_variable_read returns for the first element
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_chunk_visit(
    variable: *const cfa_variable,
    start: *const u64,
    block: *const u64,
    callback: cfa_chunk_callback,
    user_data: *mut c_void,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let callback = callback.ok_or_else(|| is_null("callback"))?;
        let rank = variable.variable.shape()?.len();
        // SAFETY: as above: one number per dimension.
        let (start, block) = unsafe { (list(start, rank, "start")?, list(block, rank, "block")?) };
        let Some(found) = variable.variable.stored_block(start, block)? else { return Ok(()) };
        let file = c_string(&found.file);
        let chunk = cfa_chunk {
            file: file.as_ptr(),
            offset: found.offset,
            size: found.size,
            filter_count: found.filters.len(),
            filters: found.filters.as_ptr(),
            is_big_endian: found.big_endian.into(),
        };
        // SAFETY: a function of this type (module capi); what the structure points at outlives the call.
        match unsafe { callback(&chunk, user_data) } {
            0 => Err(Failure::new(CFA_ERR_CANCELLED, "the callback asked to stop")),
            _ => Ok(()),
        }
    })
}
