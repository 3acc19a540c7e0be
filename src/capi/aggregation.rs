//! Aggregation files as such: made, checked, converted, extracted. The work is in `checking` and `writing`.

use std::ffi::c_char;

use super::boundary;
use super::check_options::cfa_check_options;
use super::convert_options::cfa_convert_options;
use super::create_options::cfa_create_options;
use super::extract_options::cfa_extract_options;
use super::status::cfa_status;
use super::{checking, writing};

/// Makes an aggregation file of the files that hold its parts, or adds files to one.
///
/// out_path is never one of the files, nor a fragment of one that is itself an aggregation, by whatever name: a file
/// that is read is never replaced. An aggregation without data of its own that has the name is replaced, anything
/// else only with options->overwrite. With options->expand, out_path is skipped if a directory or pattern finds it
/// and it is an aggregation. With options->update it must be an aggregation, or absent.
///
/// Files may be on servers, named by http, https and s3 addresses, which become the locations of the fragments. An
/// address with a password or a query is CFA_ERR_URI: files contain no secrets. out_path is a local file.
///
/// Dimensions are joined by their coordinates, so the order of the files does not matter. Parts that overlap, occur
/// twice or are missing, and units and types that cannot be converted, are errors that name the files.
///
/// The new file gets its name when all of it is on the disk. After any error, also CFA_ERR_CANCELLED, the directory is
/// as it was before the call.
///
/// @param out_path   the aggregation file
/// @param files      the names or addresses of the files
/// @param file_count the length of files
/// @param options    what to make; NULL for the defaults
/// @return CFA_OK; CFA_ERR_ARGUMENT when out_path may not be replaced; CFA_ERR_MAP when the parts do not fit
///         together, CFA_ERR_UNITS, CFA_ERR_CALENDAR and CFA_ERR_FRAGMENT_TYPE when they cannot be converted,
///         CFA_ERR_MISSING_VARIABLE, CFA_ERR_UNSUPPORTED when the dialect or format cannot express the result, those
///         of opening a file, CFA_ERR_IO, also when somebody else made a file of that name meanwhile,
///         CFA_ERR_CANCELLED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_aggregation_create(
    out_path: *const c_char,
    files: *const *const c_char,
    file_count: usize,
    options: *const cfa_create_options,
) -> cfa_status {
    // SAFETY: the contract of the C API (module capi).
    boundary::status(|| unsafe { writing::create(out_path, files, file_count, options) })
}

/// Checks an aggregation file against the rules of the convention that it follows, and with options->fragments each
/// fragment against the aggregation. All faults are reported, not only the first.
///
/// @param path     the file
/// @param options  what to check, and the functions to call; NULL for the defaults
/// @param violated receives the number of requirements that are violated: 0 for a file that is as it must be
/// @return CFA_OK, whatever was found; CFA_ERR_NOT_NETCDF, CFA_ERR_DAMAGED when the file itself cannot be read,
///         CFA_ERR_ARGUMENT when a report would replace a file that is not such a report, CFA_ERR_IO when the file
///         cannot be read or a report cannot be written, CFA_ERR_CANCELLED
///
/// Several threads open the fragments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_aggregation_check(
    path: *const c_char,
    options: *const cfa_check_options,
    violated: *mut u64,
) -> cfa_status {
    // SAFETY: the contract of the C API (module capi).
    boundary::status(|| unsafe { checking::check(path, options, violated) })
}

/// Writes an aggregation file in another dialect, or with other locations.
///
/// Fragments stay where they are, and values read from the new file are those of the old one. What is not aggregated
/// is copied. The new file gets its name, and replaces another, as with cfa_aggregation_create; it is never the old
/// one, nor a fragment of it.
///
/// @param path     the aggregation file
/// @param out_path the new file
/// @param options  what to write; NULL for the defaults
/// @return CFA_OK; CFA_ERR_ARGUMENT when out_path may not be replaced; CFA_ERR_UNSUPPORTED when the dialect or format
///         cannot express the file, those of opening it and of decoding its aggregations, CFA_ERR_IO,
///         CFA_ERR_CANCELLED
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_aggregation_convert(
    path: *const c_char,
    out_path: *const c_char,
    options: *const cfa_convert_options,
) -> cfa_status {
    // SAFETY: the contract of the C API (module capi).
    boundary::status(|| unsafe { writing::convert(path, out_path, options) })
}

/// Writes aggregated data as one plain netCDF-4 file with coordinates and everything else that the variables refer to.
///
/// Values are those that cfa_variable_read returns in the variable's own type. Memory does not grow with the data. The
/// new file gets its name as with cfa_aggregation_create; it is never the aggregation file, nor a fragment of it,
/// and another file that exists is replaced only with options->overwrite.
///
/// @param path     the aggregation file
/// @param out_path the new file
/// @param options  what to extract and how to store it; NULL for the defaults
/// @return CFA_OK; CFA_ERR_ARGUMENT when out_path may not be replaced; CFA_ERR_NOT_FOUND when there is no such
///         dimension, CFA_ERR_MISSING_VARIABLE, those of opening the file and of reading from it, CFA_ERR_IO,
///         CFA_ERR_CANCELLED
///
/// Several threads read the data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_aggregation_extract(
    path: *const c_char,
    out_path: *const c_char,
    options: *const cfa_extract_options,
) -> cfa_status {
    // SAFETY: the contract of the C API (module capi).
    boundary::status(|| unsafe { writing::extract(path, out_path, options) })
}
