//! What to make of files.

use std::ffi::{c_char, c_void};

use super::open_options::cfa_open_options;
use super::options::{self, Options};
use super::planned::{cfa_describe_callback, cfa_note_callback};
use super::read::cfa_progress_callback;

/// Write netCDF-4.
pub const CFA_FORMAT_NETCDF4: i32 = 1;
/// Write netCDF classic with 64-bit offsets (CDF-2).
pub const CFA_FORMAT_CLASSIC: i32 = 2;
/// Write netCDF classic with 64-bit data (CDF-5).
pub const CFA_FORMAT_CDF5: i32 = 3;

/// Locations of fragments are relative to the aggregation file: both can be moved together.
pub const CFA_LOCATIONS_RELATIVE: i32 = 1;
/// Locations of fragments are absolute.
pub const CFA_LOCATIONS_ABSOLUTE: i32 = 2;

/// Remove fragments whose files are gone from folders that have other files.
pub const CFA_PRUNE_FILES: i32 = 1;
/// Remove all fragments whose files are gone, also if no file of their folder is left.
pub const CFA_PRUNE_FOLDERS: i32 = 2;

/// Options of cfa_aggregation_create.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_create_options {
    /// sizeof(cfa_create_options) of the caller.
    pub size: usize,
    /// The convention to follow, a CFA_DIALECT_ number; by default CF-1.13. Not with update: the file keeps its own.
    pub dialect: i32,
    /// CFA_CHOICE_DEFAULT or a CFA_FORMAT_ number: the format of the aggregation file; by default netCDF-4, with
    /// update that of the file.
    pub format: i32,
    /// CFA_CHOICE_DEFAULT, CFA_LOCATIONS_RELATIVE or CFA_LOCATIONS_ABSOLUTE: how fragments are named; by default relative
    /// to the aggregation file.
    pub locations: i32,
    /// CFA_CHOICE_YES to add the files to an aggregation file, and to no other sort of file, reading only those that it
    /// does not have. If there is no file of the name, it is created.
    pub update: i32,
    /// CFA_CHOICE_YES to work out what would be made, call describe and note, and write nothing.
    pub dry_run: i32,
    /// CFA_CHOICE_YES to take the names as the program cfa does: directories stand for the files in them, *, ?, [...] and
    /// ** are patterns, @list is a file with names and addresses. By default each name is that of a file or its
    /// address.
    pub expand: i32,
    /// CFA_CHOICE_YES to record size and time of each file, so that readers notice a change.
    pub record_state: i32,
    /// CFA_CHOICE_YES to accept coordinates that do not follow each other; note is called for each gap.
    pub allow_gaps: i32,
    /// CFA_CHOICE_YES to aggregate coordinates that are divided between files instead of copying them.
    pub aggregate_coordinates: i32,
    /// Threads that scan local files; by default one per core. Of files on servers, as many are scanned at a time as
    /// requests may wait.
    pub num_threads: i32,
    /// Put before the names relative to the aggregation file, such as the URL of a server; or NULL. Not with locations.
    pub base: *const c_char,
    /// The data variables to take, a list that ends with NULL; NULL for all.
    pub variables: *const *const c_char,
    /// The dimensions along which files may be joined, a list that ends with NULL; NULL for any. One of these that has no
    /// coordinates is joined in the order of the files.
    pub dimensions: *const *const c_char,
    /// A new dimension along which files with the same coordinates are put in their order; or NULL. After its name may
    /// follow a source of labels, which then are its coordinates: "=attribute:ATTRIBUTE", "=name:PATTERN",
    /// "=path:PATTERN" or "=path".
    pub new_dimension: *const c_char,
    /// What the attribute history says was done; NULL for the default.
    pub history: *const c_char,
    /// Called after success for each data variable; or NULL.
    pub describe: cfa_describe_callback,
    /// Called after success for each thing that is odd or was left out; or NULL.
    pub note: cfa_note_callback,
    /// Called with 0 before the work begins, now and then during it, and with 1 when all is done (what it then returns
    /// does not count); or NULL.
    pub progress: cfa_progress_callback,
    /// Handed to the functions above.
    pub user_data: *mut c_void,
    /// CFA_CHOICE_YES to replace a file that is no aggregation, or one with data of its own. A file that is read is never
    /// replaced. Not with update.
    pub overwrite: i32,
    /// CFA_CHOICE_YES to record where the chunks of each file lie, so that readers need not open and parse it first.
    pub record_chunks: i32,
    /// How files are opened: what may be requested from servers, and how. Settings that change values do not count.
    /// NULL for the settings of the environment.
    pub open: *const cfa_open_options,
    /// Of a file in several folders for releases (v20190101, v20200101): take the one of this release or the last one
    /// before it, or "all" of them; NULL for the newest.
    pub drs_version: *const c_char,
    /// CFA_CHOICE_YES to go on without files that cannot be read; note is called with their names and the reasons.
    pub skip_bad: i32,
    /// With update, CFA_PRUNE_FILES to remove fragments whose files are gone, unless no file of their folder is left;
    /// CFA_PRUNE_FOLDERS to remove them in any case. By default none is removed.
    pub prune: i32,
    /// Global attributes of the files to keep, as text variables along the dimensions in which they differ: a list that
    /// ends with NULL; or NULL. An update continues those of the aggregation.
    pub keep_attributes: *const *const c_char,
}

// SAFETY: a C structure that begins with its size and has no padding; its fields are numbers, pointers and functions
// that may be NULL.
unsafe impl Options for cfa_create_options {}

/// Sets all fields of a structure to their defaults, as CFA_CREATE_OPTIONS_INIT does.
///
/// Writes size bytes and no more, whatever the size of the structure in this version of the library.
///
/// @param options the structure; does nothing if it is NULL
/// @param size    sizeof(cfa_create_options) of the caller
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_create_options_init(options: *mut cfa_create_options, size: usize) {
    // SAFETY: the contract of the C API (module capi).
    unsafe { options::init(options, size) }
}
