//! Where C and Rust meet: panics become statuses, errors become messages, pointers become references.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, CStr, CString};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use crate::error::message;

use super::status::{self, cfa_status, CFA_ERR_ARGUMENT, CFA_ERR_BUFFER, CFA_ERR_INTERNAL, CFA_OK};

/// Why an export fails.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) status: cfa_status,
    pub(super) message: String,
    /// The engine's error, with file, variable and fragment.
    cause: Option<crate::Error>,
}

/// The result of the body of an export.
pub(super) type Answer<T> = Result<T, Failure>;

impl Failure {
    pub(super) fn new(status: cfa_status, message: impl Into<String>) -> Self {
        Failure { status, message: message.into(), cause: None }
    }

    /// Returns the same failure with another status.
    pub(super) fn with_status(self, status: cfa_status) -> Self {
        Failure { status, ..self }
    }

    pub(super) fn argument(message: impl Into<String>) -> Self {
        Failure::new(CFA_ERR_ARGUMENT, message)
    }

    /// Returns the failure for a number that a field of options does not have.
    pub(super) fn value(name: &str, number: i32) -> Self {
        Failure::argument(format!("{name} is {number}, which is not a value of this option"))
    }
}

impl From<crate::Error> for Failure {
    fn from(error: crate::Error) -> Self {
        let status = status::of_kind(error.kind());
        Failure { status, message: error.to_string(), cause: Some(error) }
    }
}

/// The last failure of a thread, as C reads it.
#[derive(Default)]
pub(super) struct Last {
    pub(super) status: cfa_status,
    message: CString,
    pub(super) file: Option<CString>,
    pub(super) variable: Option<CString>,
    pub(super) fragment: Option<Vec<u64>>,
    pub(super) is_absence: bool,
}

thread_local! {
    static LAST: RefCell<Last> = RefCell::new(Last::default());
    /// The number of exports that are running in this thread; more than one if a progress function calls the library.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

#[cfg(test)]
thread_local! {
    /// Makes every export of this thread panic, for tests of the boundary.
    pub(super) static PANIC: Cell<bool> = const { Cell::new(false) };
}

/// Runs the body of an export that returns a status.
pub(super) fn status(body: impl FnOnce() -> Answer<()>) -> cfa_status {
    match run(body) {
        Ok(()) => CFA_OK,
        Err(failure) => failure.status,
    }
}

/// Runs the body of an export that returns something else; returns `nothing` if it fails.
pub(super) fn value<T>(nothing: T, body: impl FnOnce() -> Answer<T>) -> T {
    run(body).unwrap_or(nothing)
}

fn run<T>(body: impl FnOnce() -> Answer<T>) -> Answer<T> {
    silence_panics();
    // While a thread ends, its thread-local values may be gone; then nothing is counted.
    let _ = DEPTH.try_with(|depth| depth.set(depth.get() + 1));
    // Unwinding leaves nothing inconsistent behind: datasets do not change, and outputs are written last.
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        #[cfg(test)]
        if PANIC.get() {
            panic!("injected");
        }
        body()
    }));
    let _ = DEPTH.try_with(|depth| depth.set(depth.get() - 1));
    let answer = outcome.unwrap_or_else(|payload| {
        Err(Failure::new(CFA_ERR_INTERNAL, format!("defect of the library: {}", text_of_panic(&*payload))))
    });
    if let Err(failure) = &answer {
        remember(failure);
    }
    answer
}

fn text_of_panic(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("panic")
}

/// Keeps panics in exports from being printed; other panics go to the hook that was set before.
fn silence_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let below_export = DEPTH.try_with(Cell::get).unwrap_or(0) > 0;
            let helper = std::thread::current().name() == Some("cfa");
            if !below_export && !helper {
                before(info);
            }
        }));
    });
}

fn remember(failure: &Failure) {
    let line = message::line(&failure.message, message::MOST);
    let cause = failure.cause.as_ref();
    let last = Last {
        status: failure.status,
        message: CString::new(line).unwrap_or_default(),
        file: cause.and_then(crate::Error::file).map(c_string),
        variable: cause.and_then(crate::Error::variable).map(c_string),
        fragment: cause.and_then(crate::Error::fragment).map(<[u64]>::to_vec),
        is_absence: cause.is_some_and(crate::Error::is_absence),
    };
    let _ = LAST.try_with(|place| *place.borrow_mut() = last);
}

/// The message of the last failure in this thread.
pub(super) fn message() -> *const c_char {
    last(|last| last.message.as_ptr()).unwrap_or(c"".as_ptr())
}

/// Calls `f` with the last failure in this thread. Pointers into it are valid until the next failure.
pub(super) fn last<T>(look: impl FnOnce(&Last) -> T) -> Option<T> {
    LAST.try_with(|place| look(&place.borrow())).ok()
}

/// Returns a reference to the object of a pointer that is not NULL.
pub(super) unsafe fn object<'a, T>(pointer: *const T, name: &str) -> Answer<&'a T> {
    // SAFETY: the contract of the C API: NULL or valid for the time of the call.
    unsafe { pointer.as_ref() }.ok_or_else(|| is_null(name))
}

/// Checks that the pointer of an output is not NULL.
pub(super) fn output<T>(pointer: *mut T, name: &str) -> Answer<*mut T> {
    if pointer.is_null() {
        return Err(is_null(name));
    }
    Ok(pointer)
}

/// Returns a list of `len` items; NULL is accepted if `len` is 0.
pub(super) unsafe fn list<'a, T>(pointer: *const T, len: usize, name: &str) -> Answer<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(is_null(name));
    }
    // SAFETY: the contract of the C API: a list has one entry per dimension.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// Writes numbers, one per dimension, into a list that has room for `capacity`.
pub(super) unsafe fn put_list(values: &[u64], capacity: usize, place: *mut u64, name: &str) -> Answer<()> {
    if values.is_empty() {
        return Ok(());
    }
    if place.is_null() {
        return Err(is_null(name));
    }
    if capacity < values.len() {
        let message = format!("{name} has room for {capacity} numbers; {} are needed", values.len());
        return Err(Failure::new(CFA_ERR_BUFFER, message));
    }
    // SAFETY: the contract of the C API: `place` has room for `capacity` numbers.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), place, values.len()) };
    Ok(())
}

/// Returns the bytes of a C string.
pub(super) unsafe fn bytes<'a>(pointer: *const c_char, name: &str) -> Answer<&'a [u8]> {
    if pointer.is_null() {
        return Err(is_null(name));
    }
    // SAFETY: the contract of the C API: a string ends with NUL and stays as it is during the call.
    Ok(unsafe { CStr::from_ptr(pointer) }.to_bytes())
}

/// Returns a C string as text.
pub(super) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Answer<&'a str> {
    // SAFETY: as for `bytes`.
    let bytes = unsafe { bytes(pointer, name)? };
    std::str::from_utf8(bytes).map_err(|_| Failure::argument(format!("{name} is not UTF-8")))
}

/// Returns a C string as text; `None` for NULL.
pub(super) unsafe fn optional_text<'a>(pointer: *const c_char, name: &str) -> Answer<Option<&'a str>> {
    match pointer.is_null() {
        true => Ok(None),
        // SAFETY: as for `bytes`.
        false => unsafe { text(pointer, name) }.map(Some),
    }
}

/// Copies text with its NUL into a caller's buffer.
///
/// `needed` receives the number of bytes, even if they do not fit; without a buffer nothing else is written.
pub(super) unsafe fn put_text(
    text: &str,
    buffer: *mut c_char,
    room: usize,
    needed: *mut usize,
) -> Answer<()> {
    let text = c_string(text);
    let bytes = text.as_bytes_with_nul();
    if !needed.is_null() {
        // SAFETY: the contract of the C API: not NULL means writable.
        unsafe { needed.write(bytes.len()) };
    }
    if buffer.is_null() {
        if room == 0 && !needed.is_null() {
            return Ok(());
        }
        return Err(is_null("buffer"));
    }
    if room < bytes.len() {
        let message = format!("the text needs {} bytes; buffer has {room}", bytes.len());
        return Err(Failure::new(CFA_ERR_BUFFER, message));
    }
    // SAFETY: the buffer has room for that many bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast::<u8>(), bytes.len()) };
    Ok(())
}

/// Returns a C string; the text ends at its first NUL.
pub(super) fn c_string(text: &str) -> CString {
    let end = text.bytes().position(|b| b == 0).unwrap_or(text.len());
    CString::new(&text.as_bytes()[..end]).unwrap_or_default()
}

/// Returns the failure for an argument that is NULL.
pub(super) fn is_null(name: &str) -> Failure {
    Failure::argument(format!("{name} is NULL"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_is_one_short_line() {
        let long = format!("a\x1b\n\u{9b}\u{202e}{}", "é".repeat(100_000));
        let answer = status(|| Err(Failure::argument(&*long)));
        assert_eq!(answer, CFA_ERR_ARGUMENT);
        // SAFETY: the message is a C string of this thread, and no other export is called meanwhile.
        let told = unsafe { CStr::from_ptr(message()) }.to_str().unwrap();
        assert!(told.len() < 4096 && !told.contains(crate::error::message::is_deceptive), "{}", told.len());
    }
}
