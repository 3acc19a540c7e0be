//! Settings for opening a file.

use std::ffi::c_char;

use super::boundary::{text, Answer, Failure};
use super::options::{self, taken, Options};
use crate::options::{MissingFragments, OpenOptions};

/// For a choice: the default.
pub const CFA_CHOICE_DEFAULT: i32 = 0;
/// For a choice: yes.
pub const CFA_CHOICE_YES: i32 = 1;
/// For a choice: no.
pub const CFA_CHOICE_NO: i32 = 2;

/// A fragment of which no version exists is an error.
pub const CFA_MISSING_FRAGMENTS_ERROR: i32 = 1;
/// If no version of a fragment exists, its data are missing.
pub const CFA_MISSING_FRAGMENTS_FILL: i32 = 2;

/// For max_nesting: no fragment may be an aggregation. Zero means the default here too.
pub const CFA_NESTING_NONE: i32 = -1;

/// Options of cfa_dataset_open and of all that opens a file.
///
/// The defaults are those of the environment variables CFA_MISSING_FRAGMENTS, CFA_NUM_THREADS and so on, or else
/// those of the library.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_open_options {
    /// sizeof(cfa_open_options) of the caller.
    pub size: usize,
    /// CFA_CHOICE_DEFAULT, CFA_MISSING_FRAGMENTS_ERROR or CFA_MISSING_FRAGMENTS_FILL: what to do about a fragment of
    /// which no version exists; by default an error.
    pub missing_fragments: i32,
    /// CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO: convert fragments even where values change (fractions are cut
    /// off, what is out of range is missing); by default no.
    pub lossy_casts: i32,
    /// CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO: show variables, dimensions and attributes as stored instead
    /// of the aggregated view; by default no.
    pub raw_view: i32,
    /// Threads that a read may use; by default one per core.
    pub num_threads: i32,
    /// Memory for decoded chunks in bytes; by default 64 MiB.
    pub cache_bytes: u64,
    /// CFA_CHOICE_YES to keep no decoded chunks; cache_bytes must then be 0.
    pub cache_disabled: i32,
    /// Fragment files kept open at a time; by default 100.
    pub max_open_files: i32,
    /// Fragments that one variable may have; by default 10 million.
    pub max_fragments: u64,
    /// Depth of aggregations whose fragments are aggregations, or CFA_NESTING_NONE; by default 32.
    pub max_nesting: i32,
    /// CFA_CHOICE_YES to ignore the environment variables.
    pub ignore_environment: i32,
    /// What an aggregation file may open: "SIBLINGS", "LOCAL", "DEFAULT", "ALL", or absolute paths and URLs separated
    /// by semicolons; NULL for the default.
    pub allowed_sources: *const c_char,
    /// Replacements in fragment locations, which come before the file's own: "${key}=value;..."; or NULL.
    pub substitutions: *const c_char,
    /// Location prefixes that moved: "from=to;..."; or NULL.
    pub relocate: *const c_char,
    /// Settings by name: "NAME=value" each, ended by NULL; or NULL for none. The names and values are those of the
    /// environment variables CFA_NAME. A field of this structure that is set takes precedence. An unknown name or an
    /// invalid value is CFA_ERR_ARGUMENT with a message that names it.
    pub settings: *const *const c_char,
}

// SAFETY: a C structure that begins with its size and has no padding; its fields are numbers, pointers and functions
// that may be NULL.
unsafe impl Options for cfa_open_options {}

/// Sets all fields of a structure to their defaults, as CFA_OPEN_OPTIONS_INIT does.
///
/// Writes size bytes and no more, whatever the size of the structure in this version of the library.
///
/// @param options the structure; does nothing if it is NULL
/// @param size    sizeof(cfa_open_options) of the caller
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_open_options_init(options: *mut cfa_open_options, size: usize) {
    // SAFETY: the contract of the C API (module capi).
    unsafe { options::init(options, size) }
}

/// The settings that a structure asks for.
pub(super) unsafe fn settings(pointer: *const cfa_open_options) -> Answer<OpenOptions> {
    // SAFETY: the contract of the C API (module capi).
    let given = unsafe { taken(pointer, "options")? };
    let environment = !choice(given.ignore_environment, "ignore_environment")?.unwrap_or(false);
    let mut options = if environment { OpenOptions::from_env()? } else { OpenOptions::default() };
    // SAFETY: the contract of the C API (module capi).
    unsafe { apply(given.settings, &mut options)? };
    match given.missing_fragments {
        CFA_CHOICE_DEFAULT => {}
        CFA_MISSING_FRAGMENTS_ERROR => options.missing_fragments = MissingFragments::Error,
        CFA_MISSING_FRAGMENTS_FILL => options.missing_fragments = MissingFragments::Fill,
        other => return Err(Failure::value("missing_fragments", other)),
    }
    if let Some(yes) = choice(given.lossy_casts, "lossy_casts")? {
        options.lossy_casts = yes;
    }
    if let Some(yes) = choice(given.raw_view, "raw_view")? {
        options.raw_view = yes;
    }
    if let Some(n) = number(given.num_threads, 0, "num_threads")? {
        options.num_threads = n;
    }
    let disabled = choice(given.cache_disabled, "cache_disabled")?.unwrap_or(false);
    match (given.cache_bytes, disabled) {
        (0, false) => {}
        (0, true) => options.cache_bytes = 0,
        (bytes, false) => options.cache_bytes = bytes,
        (_, true) => {
            return Err(Failure::argument("cache_bytes is set while cache_disabled is CFA_CHOICE_YES"))
        }
    }
    if let Some(n) = number(given.max_open_files, 0, "max_open_files")? {
        options.max_open_files = n;
    }
    if given.max_fragments != 0 {
        options.max_fragments = given.max_fragments;
    }
    if let Some(n) = number(given.max_nesting, CFA_NESTING_NONE, "max_nesting")? {
        options.max_nesting = n;
    }
    let texts = [
        ("ALLOWED_SOURCES", given.allowed_sources, "allowed_sources"),
        ("SUBSTITUTIONS", given.substitutions, "substitutions"),
        ("RELOCATE", given.relocate, "relocate"),
    ];
    for (setting, pointer, name) in texts {
        if !pointer.is_null() {
            // SAFETY: the contract of the C API (module capi).
            options.set(setting, unsafe { text(pointer, name)? })?;
        }
    }
    Ok(options)
}

/// Applies a list of "NAME=value" that ends with NULL.
unsafe fn apply(list: *const *const c_char, options: &mut OpenOptions) -> Answer<()> {
    if list.is_null() {
        return Ok(());
    }
    for number in 0.. {
        // SAFETY: the list goes on until its NULL, which has not been met.
        let entry = unsafe { *list.add(number) };
        if entry.is_null() {
            break;
        }
        let place = format!("settings[{number}]");
        // SAFETY: the contract of the C API (module capi).
        let entry = unsafe { text(entry, &place)? };
        // The entry is not repeated: it may have credentials.
        let pair = entry.split_once('=');
        let (name, value) =
            pair.ok_or_else(|| Failure::argument(format!("{place} is not of the form NAME=value")))?;
        options.set(name, value)?;
    }
    Ok(())
}

/// A choice between yes and no; `None` for the default.
pub(super) fn choice(value: i32, name: &str) -> Answer<Option<bool>> {
    match value {
        CFA_CHOICE_DEFAULT => Ok(None),
        CFA_CHOICE_YES => Ok(Some(true)),
        CFA_CHOICE_NO => Ok(Some(false)),
        other => Err(Failure::argument(format!(
            "{name} is {other}; it takes CFA_CHOICE_DEFAULT, CFA_CHOICE_YES or CFA_CHOICE_NO"
        ))),
    }
}

/// A number of things; `None` for the default, and -1 for no such thing where `least` allows it.
fn number(value: i32, least: i32, name: &str) -> Answer<Option<usize>> {
    if value < least {
        return Err(Failure::argument(format!("{name} is {value}; it takes {least} or more")));
    }
    Ok((value != 0).then_some(value.max(0) as usize))
}
