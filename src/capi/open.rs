//! Opening and closing.

use std::ffi::c_char;
use std::path::Path;

use super::boundary::{self, bytes, output, Answer};
use super::dataset::cfa_dataset;
use super::open_options::{cfa_open_options, settings};
use super::status::cfa_status;
use crate::Dataset;

/// Returns a path as the operating system has it.
pub(super) unsafe fn path_of<'a>(path: *const c_char, name: &str) -> Answer<&'a Path> {
    // SAFETY: the contract of the C API (module capi).
    let bytes = unsafe { bytes(path, name)? };
    #[cfg(unix)]
    return Ok(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)));
    #[cfg(not(unix))]
    std::str::from_utf8(bytes).map(Path::new).map_err(|_| Failure::argument(format!("{name} is not UTF-8")))
}

/// Opens a netCDF file, with or without aggregation variables.
///
/// Fragments are not opened yet, and an aggregation that is not well formed is no error until its variable is used.
///
/// @param path    the file
/// @param options settings; NULL for the defaults
/// @param dataset receives the dataset, which is the caller's to free with cfa_dataset_free
/// @return CFA_OK; CFA_ERR_IO, CFA_ERR_NOT_NETCDF, CFA_ERR_DAMAGED, CFA_ERR_UNSUPPORTED, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_open(
    path: *const c_char,
    options: *const cfa_open_options,
    dataset: *mut *mut cfa_dataset,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let path = unsafe { path_of(path, "path")? };
        let place = output(dataset, "dataset")?;
        // SAFETY: as above.
        let options = unsafe { settings(options)? };
        let opened = cfa_dataset::boxed(Dataset::open_with(path, &options)?);
        // SAFETY: checked not to be NULL.
        unsafe { place.write(opened) };
        Ok(())
    })
}

/// Closes a dataset. All handles and texts that came from it become invalid.
///
/// @param dataset the dataset; NULL is fine
///
/// No other thread may be using the dataset.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_free(dataset: *mut cfa_dataset) {
    boundary::value((), || {
        if !dataset.is_null() {
            // SAFETY: it came from `boxed` and is freed once.
            drop(unsafe { Box::from_raw(dataset) });
        }
        Ok(())
    });
}
