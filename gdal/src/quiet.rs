//! Keeps GDAL from printing: its messages go into the errors of this library.

use std::ffi::CStr;

use gdal_sys as gdal;

/// While this object lives, messages of GDAL in this thread are not printed.
pub(crate) struct Quiet;

impl Quiet {
    pub(crate) fn new() -> Self {
        // SAFETY: the handler is one of GDAL's own; `drop` removes it.
        unsafe { gdal::CPLPushErrorHandler(Some(gdal::CPLQuietErrorHandler)) };
        Quiet
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // SAFETY: undoes `new` in the same thread.
        unsafe { gdal::CPLPopErrorHandler() };
    }
}

/// Returns the last message of GDAL in this thread, on one line.
pub(crate) fn last_message() -> String {
    // SAFETY: GDAL returns a C string that lives until its next call in this thread.
    let text = unsafe { CStr::from_ptr(gdal::CPLGetLastErrorMsg()) };
    text.to_string_lossy().replace('\n', " ")
}
