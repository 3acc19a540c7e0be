//! What is known of the last call that failed, beside its message.

use std::ffi::c_char;

use super::boundary::{self, last, put_list};
use super::status::{cfa_status, CFA_ERR_INTERNAL, CFA_OK};

/// Returns the status of the last call that failed in this thread.
///
/// Useful after a function that returns a pointer or a number. cfa_status_category returns its category.
///
/// @return a CFA_ERR_ code; CFA_OK when no call has failed yet. A call that succeeds leaves it as it is
#[unsafe(no_mangle)]
pub extern "C" fn cfa_last_error_status() -> cfa_status {
    boundary::value(CFA_ERR_INTERNAL, || Ok(last(|last| last.status).unwrap_or(CFA_OK)))
}

/// Returns whether the last call that failed in this thread did so because a file does not exist.
///
/// It distinguishes a file that does not exist from one that cannot be read; the status of both is CFA_ERR_IO. A
/// fragment of which no version exists has a status of its own, CFA_ERR_FRAGMENT_MISSING.
///
/// @return 1 if the file that cfa_last_error_file returns does not exist, else 0
#[unsafe(no_mangle)]
pub extern "C" fn cfa_last_error_is_absence() -> i32 {
    boundary::value(0, || Ok(i32::from(last(|last| last.is_absence).unwrap_or(false))))
}

/// Returns the file that the last error of this thread concerns.
///
/// If the file of a fragment cannot be read or converted, this is that file; if no version of the fragment exists, it
/// is the aggregation file. Passwords and queries in addresses are left out.
///
/// @return the name, valid until the next call in this thread; NULL if the error concerns no file
#[unsafe(no_mangle)]
pub extern "C" fn cfa_last_error_file() -> *const c_char {
    let text = || last(|last| last.file.as_ref().map_or(std::ptr::null(), |text| text.as_ptr()));
    boundary::value(std::ptr::null(), || Ok(text().unwrap_or(std::ptr::null())))
}

/// Returns the path of the variable that the last error of this thread concerns.
///
/// @return the path, valid until the next call in this thread; NULL if the error concerns no variable
#[unsafe(no_mangle)]
pub extern "C" fn cfa_last_error_variable() -> *const c_char {
    let text = || last(|last| last.variable.as_ref().map_or(std::ptr::null(), |text| text.as_ptr()));
    boundary::value(std::ptr::null(), || Ok(text().unwrap_or(std::ptr::null())))
}

/// Copies the index of the fragment that the last error of this thread concerns.
///
/// A call of this function that fails replaces the error.
///
/// @param capacity the room in index, in numbers; the rank of the variable is enough
/// @param index    receives the index of the fragment along each dimension; may be NULL if capacity is 0
/// @param rank     receives the length of the index; 0 if the error concerns no fragment, or that of a scalar
/// @return CFA_OK; CFA_ERR_BUFFER if capacity is less than the length and not 0, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_last_error_fragment(
    capacity: usize,
    index: *mut u64,
    rank: *mut usize,
) -> cfa_status {
    boundary::status(|| {
        let place = boundary::output(rank, "rank")?;
        let fragment = last(|last| last.fragment.clone()).flatten().unwrap_or_default();
        // SAFETY: checked not to be NULL, and the contract of the C API (module capi).
        unsafe {
            if capacity > 0 {
                put_list(&fragment, capacity, index, "index")?;
            }
            place.write(fragment.len());
        }
        Ok(())
    })
}
