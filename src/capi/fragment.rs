//! The array of fragments of an aggregation variable: places, locations, identifiers.

use std::ffi::c_char;

use super::boundary::{self, list, output, put_list, put_text, Answer, Failure};
use super::status::{cfa_status, CFA_ERR_NOT_FOUND, CFA_ERR_TYPE};
use super::variable::{cfa_variable, variable};
use crate::dataset::inventory::EntrySource;
use crate::model::fragments::Version;
use crate::model::Aggregation;

/// The aggregation of a variable.
pub(super) fn aggregation(variable: &cfa_variable) -> Answer<&Aggregation> {
    let none =
        || Failure::new(CFA_ERR_TYPE, format!("variable '{}' is not aggregated", variable.variable.path()));
    variable.variable.aggregation()?.ok_or_else(none)
}

/// The index of a fragment, checked against the array of fragments.
unsafe fn place_of<'a>(variable: &cfa_variable, index: *const u64) -> Answer<&'a [u64]> {
    let fragments = aggregation(variable)?.grid.fragments();
    // SAFETY: the contract of the C API (module capi): one number per dimension.
    let index = unsafe { list(index, fragments.len(), "index")? };
    if index.iter().zip(fragments).any(|(i, n)| i >= n) {
        let message = format!("no fragment {index:?}; the shape of the array of fragments is {fragments:?}");
        return Err(Failure::new(CFA_ERR_NOT_FOUND, message));
    }
    Ok(index)
}

/// The versions of a fragment; none where it is missing or one value.
unsafe fn versions(variable: &cfa_variable, index: *const u64) -> Answer<Vec<Version>> {
    // SAFETY: as for `place_of`.
    let index = unsafe { place_of(variable, index)? };
    Ok(match variable.variable.fragment(index)?.source {
        EntrySource::Versions(versions) => versions,
        EntrySource::Missing | EntrySource::UniqueValue(_) => Vec::new(),
    })
}

unsafe fn version(variable: &cfa_variable, index: *const u64, number: usize) -> Answer<Version> {
    // SAFETY: as for `place_of`.
    let versions = unsafe { versions(variable, index)? };
    let none = || Failure::new(CFA_ERR_NOT_FOUND, format!("the fragment has no version {number}"));
    versions.into_iter().nth(number).ok_or_else(none)
}

/// Returns the shape of the array of fragments of an aggregation variable.
///
/// @param variable  the variable
/// @param capacity  the room in fragments
/// @param fragments receives the number of fragments along each dimension; may be NULL for a scalar
/// @return CFA_OK; CFA_ERR_TYPE if it is not aggregated, CFA_ERR_BUFFER if capacity is less than the rank; what
///         cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_fragment_grid(
    variable: *const cfa_variable,
    capacity: usize,
    fragments: *mut u64,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        // SAFETY: as above.
        unsafe { put_list(aggregation(variable)?.grid.fragments(), capacity, fragments, "fragments") }
    })
}

/// Returns the part of the aggregated data that a fragment provides.
///
/// @param variable the variable
/// @param index    the index of the fragment along each dimension; may be NULL for a scalar
/// @param start    receives the first index along each dimension
/// @param count    receives the number of indices along each dimension
/// @return CFA_OK; CFA_ERR_TYPE if it is not aggregated, CFA_ERR_NOT_FOUND if there is no such fragment; what
///         cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_fragment_range(
    variable: *const cfa_variable,
    index: *const u64,
    start: *mut u64,
    count: *mut u64,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (variable, index) = unsafe {
            let variable = self::variable(variable)?;
            (variable, place_of(variable, index)?)
        };
        if !index.is_empty() {
            output(start, "start")?;
            output(count, "count")?;
        }
        let grid = &aggregation(variable)?.grid;
        let ranges = || index.iter().enumerate().map(|(d, &i)| grid.range(d, i));
        let (starts, counts): (Vec<u64>, Vec<u64>) = ranges().map(|r| (r.start, r.end - r.start)).unzip();
        // SAFETY: as above.
        unsafe {
            put_list(&starts, starts.len(), start, "start")?;
            put_list(&counts, counts.len(), count, "count")
        }
    })
}

/// Counts the versions of a fragment: files of which any one provides it.
///
/// @param variable the variable
/// @param index    the index of the fragment along each dimension; may be NULL for a scalar
/// @param count    receives the number; 0 if all of the fragment is missing or one value
/// @return CFA_OK; CFA_ERR_TYPE if it is not aggregated, CFA_ERR_NOT_FOUND if there is no such fragment; CFA_ERR_URI,
///         CFA_ERR_ADDRESS, CFA_ERR_FORMAT if its entry is not well formed; what cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_fragment_version_count(
    variable: *const cfa_variable,
    index: *const u64,
    count: *mut usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let place = output(count, "count")?;
        // SAFETY: as above.
        let versions = unsafe { versions(variable, index)? };
        // SAFETY: checked not to be NULL.
        unsafe { place.write(versions.len()) };
        Ok(())
    })
}

/// Copies the location of a version of a fragment: a URI or file name after substitutions, "" for the aggregation
/// file itself.
///
/// @param variable     the variable
/// @param index        the index of the fragment along each dimension; may be NULL for a scalar
/// @param version      0 to the number of versions - 1
/// @param buffer       receives the text with its NUL; NULL with buffer_bytes 0 to ask for the size alone
/// @param buffer_bytes the size of buffer
/// @param needed       receives the bytes that the text with its NUL takes, also with CFA_ERR_BUFFER; may be NULL if
///                     buffer is not
/// @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_BUFFER; what cfa_variable_fragment_version_count returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_fragment_location(
    variable: *const cfa_variable,
    index: *const u64,
    version: usize,
    buffer: *mut c_char,
    buffer_bytes: usize,
    needed: *mut usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        unsafe {
            let version = self::version(self::variable(variable)?, index, version)?;
            put_text(version.location.as_deref().unwrap_or_default(), buffer, buffer_bytes, needed)
        }
    })
}

/// Copies the identifier of a version of a fragment: the name of the variable in its file.
///
/// @param variable     the variable
/// @param index        the index of the fragment along each dimension; may be NULL for a scalar
/// @param version      0 to the number of versions - 1
/// @param buffer       receives the text with its NUL; NULL with buffer_bytes 0 to ask for the size alone
/// @param buffer_bytes the size of buffer
/// @param needed       receives the bytes that the text with its NUL takes, also with CFA_ERR_BUFFER; may be NULL if
///                     buffer is not
/// @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_BUFFER; what cfa_variable_fragment_version_count returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_fragment_identifier(
    variable: *const cfa_variable,
    index: *const u64,
    version: usize,
    buffer: *mut c_char,
    buffer_bytes: usize,
    needed: *mut usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        unsafe {
            let version = self::version(self::variable(variable)?, index, version)?;
            put_text(&version.identifier, buffer, buffer_bytes, needed)
        }
    })
}
