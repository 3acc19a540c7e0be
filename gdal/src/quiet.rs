//! Keeps GDAL from printing: its messages go into the errors of this library.

use std::ffi::{c_int, CStr, CString};

use gdal_sys as gdal;

/// While this object lives, messages of GDAL in this thread are not printed. Then the last message is again what it was:
/// GDAL may complain and go on, and Python makes an exception of a message that is left.
pub(crate) struct Quiet {
    kind: gdal::CPLErr::Type,
    number: c_int,
    message: CString,
}

impl Quiet {
    pub(crate) fn new() -> Self {
        // SAFETY: GDAL returns a C string, which is copied; the handler is one of GDAL's own, and `drop` removes it.
        unsafe {
            let message = CStr::from_ptr(gdal::CPLGetLastErrorMsg()).to_owned();
            let (kind, number) = (gdal::CPLGetLastErrorType(), gdal::CPLGetLastErrorNo());
            gdal::CPLPushErrorHandler(Some(gdal::CPLQuietErrorHandler));
            Quiet { kind, number, message }
        }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // SAFETY: undoes `new` in the same thread; GDAL copies the message.
        unsafe {
            gdal::CPLPopErrorHandler();
            gdal::CPLErrorSetState(self.kind, self.number, self.message.as_ptr());
        }
    }
}

/// Returns the last message of GDAL in this thread, on one line.
pub(crate) fn last_message() -> String {
    // SAFETY: GDAL returns a C string that lives until its next call in this thread.
    let text = unsafe { CStr::from_ptr(gdal::CPLGetLastErrorMsg()) };
    text.to_string_lossy().replace('\n', " ")
}
