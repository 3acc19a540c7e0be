//! Strings that a read allocates for the caller.

use std::ffi::c_char;

use super::boundary::{self, is_null, Answer, Failure};
use super::status::CFA_ERR_LIMIT;

/// Returns a copy of the text for `cfa_strings_free`; it ends at the first NUL.
pub(super) fn allocate(text: &str) -> Answer<*mut c_char> {
    let len = text.bytes().position(|b| b == 0).unwrap_or(text.len());
    // SAFETY: plain allocation; the size is at least 1.
    let place = unsafe { libc::malloc(len + 1) }.cast::<c_char>();
    if place.is_null() {
        return Err(Failure::new(CFA_ERR_LIMIT, "no memory for the strings"));
    }
    // SAFETY: `place` has room for the text and its NUL and is new.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), place.cast::<u8>(), len);
        place.add(len).write(0);
    }
    Ok(place)
}

/// Frees strings that cfa_variable_read put into a buffer, and sets each pointer to NULL; the buffer stays the
/// caller's.
///
/// @param strings the buffer; entries that are NULL are ignored; may be NULL if count is 0
/// @param count   the number of pointers in it
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_strings_free(strings: *mut *mut c_char, count: usize) {
    boundary::value((), || {
        if count == 0 {
            return Ok(());
        }
        if strings.is_null() {
            return Err(is_null("strings"));
        }
        for i in 0..count {
            // SAFETY: the contract of the C API: `count` pointers, each NULL or from `allocate`.
            unsafe {
                libc::free(strings.add(i).read().cast());
                strings.add(i).write(std::ptr::null_mut());
            }
        }
        Ok(())
    });
}
