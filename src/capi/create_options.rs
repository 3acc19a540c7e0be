//! What to make of files, and how what was made is described.

// The header has these numbers in every build.

use std::ffi::{c_char, c_void};

use super::options::{self, Options};
use super::read_options::cfa_progress_callback;

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

/// Is told something that is odd or was left out. Called in the thread that made the call.
///
/// @param text      one line, valid during the call
/// @param user_data as given in the options
pub type cfa_note_callback = Option<unsafe extern "C" fn(text: *const c_char, user_data: *mut c_void)>;

/// A part of a dimension: what one file, or several with the same coordinates, have of it. All texts are valid during
/// the call that shows them; later versions append fields.
#[repr(C)]
pub struct cfa_planned_part {
    /// Indices along the dimension.
    pub size: u64,
    /// The first and last coordinate in the units of the first part, such as "31 to 58", with dates where they are times;
    /// "part of size 28" where there are none. For people to read.
    pub coordinates: *const c_char,
    /// One of the files; bytes of its name that are not UTF-8 are shown as \xE9. For people to read.
    pub file: *const c_char,
}

/// A dimension of a planned variable.
#[repr(C)]
pub struct cfa_planned_dimension {
    /// Its name in the files.
    pub name: *const c_char,
    /// Its size.
    pub size: u64,
    /// The number of parts.
    pub part_count: usize,
    /// The parts in order.
    pub parts: *const *const cfa_planned_part,
    /// 1 if the files do not have the dimension, else 0.
    pub is_new: i32,
}

/// A data variable that is, or with dry_run would be, in the aggregation file.
#[repr(C)]
pub struct cfa_planned_variable {
    /// Its name.
    pub name: *const c_char,
    /// The number of its dimensions.
    pub rank: usize,
    /// Its dimensions.
    pub dimensions: *const *const cfa_planned_dimension,
    /// The number of its fragments.
    pub fragment_count: u64,
    /// 1 if it is the same in all files and stored by value, else 0.
    pub is_static: i32,
}

/// Is shown a variable that was made or planned. Called in the thread that made the call.
///
/// @param variable  what was planned, valid during the call
/// @param user_data as given in the options
pub type cfa_describe_callback =
    Option<unsafe extern "C" fn(variable: *const cfa_planned_variable, user_data: *mut c_void)>;

/// Options of cfa_aggregation_create.
///
/// Zero means the default in every field, now and in later versions: begin with CFA_CREATE_OPTIONS_INIT or
/// cfa_create_options_init. Structures of other versions are taken as described at cfa_open_options.
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
    /// CFA_CHOICE_DEFAULT, CFA_LOCATIONS_RELATIVE or CFA_LOCATIONS_ABSOLUTE: how fragments are named; by default relative to
    /// the aggregation file.
    pub locations: i32,
    /// CFA_CHOICE_YES to add the files to an aggregation file that exists, and to no other sort of file, reading only those that it
    /// does not have.
    pub update: i32,
    /// CFA_CHOICE_YES to work out what would be made, tell it to describe and note, and write nothing.
    pub dry_run: i32,
    /// CFA_CHOICE_YES to take the names as the program cfa does: directories stand for the files in them, *, ?, [...] and ** are
    /// patterns, @list is a file with names. By default each name is that of a file.
    pub expand: i32,
    /// CFA_CHOICE_YES to record size and time of each file, so that readers notice a change.
    pub record_state: i32,
    /// CFA_CHOICE_YES to accept coordinates that do not follow each other; note is told where.
    pub allow_gaps: i32,
    /// CFA_CHOICE_YES to aggregate coordinates that are divided between files instead of copying them.
    pub aggregate_coordinates: i32,
    /// Threads that scan the files; by default one per core.
    pub num_threads: i32,
    /// Put before the names relative to the aggregation file, such as the URL of a server; or NULL. Not with locations.
    pub base: *const c_char,
    /// The data variables to take, a list that ends with NULL; NULL for all.
    pub variables: *const *const c_char,
    /// The dimensions along which files may be joined, a list that ends with NULL; NULL for any. One of these that has no
    /// coordinates is joined in the order of the files.
    pub dimensions: *const *const c_char,
    /// A new dimension along which files with the same coordinates are put in their order; or NULL.
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
    /// Zero.
    pub reserved: i32,
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
///
/// Thread-safe for different structures. Since 0.1.0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_create_options_init(options: *mut cfa_create_options, size: usize) {
    // SAFETY: the contract of the C API (module capi).
    unsafe { options::init(options, size) }
}
