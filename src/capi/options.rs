//! Structures of options of this and other versions of the header.
//!
//! Every such structure begins with the size that the caller gave it. A caller that was compiled with an older header has
//! a smaller structure: what it lacks counts as zero, which is the default of every field. One that was compiled with a
//! newer header has a larger structure: what this version does not know must be zero.

use super::boundary::{self, object, output, Answer, Failure};

/// A structure of options.
///
/// # Safety
/// It is a C structure that begins with its size as a `usize`, has no padding, and may be all zero.
pub(super) unsafe trait Options: Copy {}

/// No structure of options will ever be larger than this; a larger size was never set.
const LARGEST: usize = 4096;

fn checked(size: usize, name: &str) -> Answer<usize> {
    match (size_of::<usize>()..=LARGEST).contains(&size) {
        true => Ok(size),
        false => Err(Failure::argument(format!("{name} is {size}; it must be the sizeof of the structure"))),
    }
}

/// Sets all fields of a caller's structure of `size` bytes to their defaults; writes nothing beyond it.
///
/// # Safety
/// `options` is NULL or has `size` bytes (module capi).
pub(super) unsafe fn init<T: Options>(options: *mut T, size: usize) {
    boundary::value((), || {
        let options = output(options, "options")?;
        let size = checked(size, "size")?;
        // SAFETY: the caller's structure has `size` bytes, which are enough for its first field.
        unsafe {
            options.cast::<u8>().write_bytes(0, size);
            options.cast::<usize>().write(size);
        }
        Ok(())
    });
}

/// A structure of this or another version of the header, completed with zeros; all defaults for NULL.
///
/// # Safety
/// `pointer` is NULL or points at as many bytes as the structure says (module capi).
pub(super) unsafe fn taken<T: Options>(pointer: *const T, name: &str) -> Answer<T> {
    let known = size_of::<T>();
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    if pointer.is_null() {
        // SAFETY: zeros are a valid `T`.
        return Ok(unsafe { value.assume_init() });
    }
    // SAFETY: the structure begins with its size, whatever its version.
    let size = unsafe { *object(pointer.cast::<usize>(), name)? };
    let size = checked(size, &format!("{name}->size"))?;
    // SAFETY: the caller's structure has `size` bytes; `value` has room for `known`, and zeros are a valid `T`.
    let (value, rest) = unsafe {
        let bytes = std::slice::from_raw_parts(pointer.cast::<u8>(), size);
        let (here, rest) = bytes.split_at(size.min(known));
        std::ptr::copy_nonoverlapping(here.as_ptr(), value.as_mut_ptr().cast::<u8>(), here.len());
        (value.assume_init(), rest)
    };
    match rest.iter().all(|&byte| byte == 0) {
        true => Ok(value),
        false => Err(Failure::argument(format!("{name} sets an option that this version does not know"))),
    }
}
