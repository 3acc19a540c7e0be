//! Variables that other programs share: those of the environment and, in the GDAL plugin, GDAL's options.

/// Returns a variable if it is set and is text. In the GDAL plugin an option of GDAL (`--config`) goes before it.
#[cfg(feature = "gdal")]
pub(crate) fn variable(name: &str) -> Option<String> {
    use std::ffi::{CStr, CString};

    let key = CString::new(name).ok()?;
    // SAFETY: the key is a C string; without a default GDAL returns null or a C string, which is copied at once.
    let value = unsafe {
        let value = gdal_sys::CPLGetConfigOption(key.as_ptr(), std::ptr::null());
        (!value.is_null()).then(|| CStr::from_ptr(value))
    };
    // GDAL looks into the environment too.
    value.and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// Returns a variable of the environment if it is set and is text.
#[cfg(not(feature = "gdal"))]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
