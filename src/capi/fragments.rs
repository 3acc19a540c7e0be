//! Many fragments of an aggregation variable at once.

use std::ffi::{c_char, c_void, CString};

use super::boundary::{self, c_string, is_null, list, put_list, Answer, Failure};
use super::fragment::aggregation;
use super::open_options::choice;
use super::status::{cfa_status, CFA_ERR_CANCELLED, CFA_ERR_NOT_FOUND};
use super::variable::{cfa_variable, variable};
use crate::dataset::inventory::{Entry, EntrySource, Presence};
use crate::{Selection, Variable};

/// Nobody has looked for the fragment.
pub const CFA_STATE_UNCHECKED: u8 = 0;
/// The fragment needs no file: a unique value, or wholly missing by definition.
pub const CFA_STATE_NO_FILE: u8 = 1;
/// The first version of the fragment exists and fits.
pub const CFA_STATE_PRESENT: u8 = 2;
/// The first version of the fragment does not exist or fit; another one does.
pub const CFA_STATE_OTHER_VERSION: u8 = 3;
/// The fragment has changed since its state was recorded.
pub const CFA_STATE_CHANGED: u8 = 4;
/// No version of the fragment exists.
pub const CFA_STATE_MISSING: u8 = 5;
/// The fragment exists, and does not fit or cannot be read.
pub const CFA_STATE_WRONG: u8 = 6;

/// A fragment of an aggregation variable. All that it points at is valid during the call that shows it; later
/// versions append fields.
#[repr(C)]
pub struct cfa_fragment {
    /// The number of dimensions: the length of index, start and count.
    pub rank: usize,
    /// Its index in the array of fragments.
    pub index: *const u64,
    /// The first index of the aggregated data that it provides, along each dimension.
    pub start: *const u64,
    /// The number of indices of the aggregated data that it provides, along each dimension.
    pub count: *const u64,
    /// The number of versions: files of which any one provides it; 0 if all of it is missing or one value.
    pub version_count: usize,
    /// The location of each version: a URI or file name after substitutions, "" for the aggregation file itself.
    pub locations: *const *const c_char,
    /// The identifier of each version: the name of the variable in its file.
    pub identifiers: *const *const c_char,
    /// CFA_STATE_NO_FILE where there are no versions. Else CFA_STATE_UNCHECKED or, if files were looked for,
    /// CFA_STATE_PRESENT, CFA_STATE_OTHER_VERSION, CFA_STATE_MISSING, or CFA_STATE_WRONG for a file that may not or
    /// cannot be opened. Whether a file fits is left to cfa_aggregation_check.
    pub state: i32,
    /// 1 if all of it is one value that the aggregation file holds, else 0.
    pub is_unique_value: i32,
}

/// Called for each fragment.
///
/// @param fragment  the fragment, valid during the call
/// @param user_data as given to cfa_variable_fragments_visit
/// @return 0 to stop, which then returns CFA_ERR_CANCELLED; anything else to go on
pub type cfa_fragment_callback =
    Option<unsafe extern "C" fn(fragment: *const cfa_fragment, user_data: *mut c_void) -> i32>;

/// Copies the sizes of all fragments along one dimension of an aggregation variable.
///
/// @param variable  the variable
/// @param dimension 0 to the rank - 1
/// @param capacity  the room in sizes, in numbers
/// @param sizes     receives as many numbers as cfa_variable_fragment_grid says for the dimension; their sum is the
///                  size of the dimension
/// @return CFA_OK; CFA_ERR_TYPE if it is not aggregated, CFA_ERR_NOT_FOUND if there is no such dimension,
///         CFA_ERR_BUFFER if capacity is too small; what cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_fragment_sizes(
    variable: *const cfa_variable,
    dimension: usize,
    capacity: usize,
    sizes: *mut u64,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let grid = &aggregation(unsafe { self::variable(variable)? })?.grid;
        let none = || {
            let message = format!("no dimension {dimension}; the variable has {}", grid.fragments().len());
            Failure::new(CFA_ERR_NOT_FOUND, message)
        };
        if dimension >= grid.fragments().len() {
            return Err(none());
        }
        let all: Vec<u64> = grid.sizes(dimension).collect();
        // SAFETY: as above.
        unsafe { put_list(&all, capacity, sizes, "sizes") }
    })
}

/// Calls a function for each fragment of a part of the array of fragments, in C order, with its place, locations,
/// identifiers and state.
///
/// @param variable       the variable
/// @param start          the first fragment along each dimension; NULL for 0 everywhere
/// @param count          the number of fragments along each dimension; NULL for all from start on
/// @param look_for_files CFA_CHOICE_YES to look whether the files of the fragments are there, which takes time, on
///                       servers much of it; CFA_CHOICE_DEFAULT or CFA_CHOICE_NO not to
/// @param callback       is called for each fragment
/// @param user_data      handed to callback
/// @return CFA_OK; CFA_ERR_CANCELLED if callback said so, CFA_ERR_TYPE if the variable is not aggregated,
///         CFA_ERR_ARGUMENT if the part is not within the array of fragments; CFA_ERR_URI, CFA_ERR_ADDRESS,
///         CFA_ERR_FORMAT if an entry is not well formed; what cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_fragments_visit(
    variable: *const cfa_variable,
    start: *const u64,
    count: *const u64,
    look_for_files: i32,
    callback: cfa_fragment_callback,
    user_data: *mut c_void,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let shape = aggregation(variable)?.grid.fragments();
        let look = choice(look_for_files, "look_for_files")?.unwrap_or(false);
        let callback = callback.ok_or_else(|| is_null("callback"))?;
        // SAFETY: as above: one number per dimension.
        let part = unsafe { part(shape, start, count)? };
        variable.variable.for_each_fragment_of(&part, |entry| {
            let shown = Shown::new(&variable.variable, &entry, look);
            // SAFETY: a function of this type (module capi); what the structure points at outlives the call.
            match unsafe { callback(&shown.structure(&entry), user_data) } {
                0 => Err(Failure::new(CFA_ERR_CANCELLED, "the callback asked to stop")),
                _ => Ok(()),
            }
        })
    })
}

/// A part of the array of fragments.
unsafe fn part(shape: &[u64], start: *const u64, count: *const u64) -> Answer<Selection> {
    let rank = shape.len();
    let start = match start.is_null() {
        true => vec![0; rank],
        // SAFETY: as for the caller.
        false => unsafe { list(start, rank, "start")? }.to_vec(),
    };
    let count = match count.is_null() {
        true => shape.iter().zip(&start).map(|(n, s)| n.saturating_sub(*s)).collect(),
        // SAFETY: as for the caller.
        false => unsafe { list(count, rank, "count")? }.to_vec(),
    };
    Ok(Selection::block(&start, &count, shape)?)
}

/// What the structure for C points at.
struct Shown {
    starts: Vec<u64>,
    counts: Vec<u64>,
    _texts: Vec<CString>,
    locations: Vec<*const c_char>,
    identifiers: Vec<*const c_char>,
    state: u8,
}

impl Shown {
    fn new(variable: &Variable, entry: &Entry, look: bool) -> Shown {
        let versions = match &entry.source {
            EntrySource::Versions(versions) => &versions[..],
            EntrySource::Missing | EntrySource::UniqueValue(_) => &[],
        };
        let mut texts: Vec<CString> =
            versions.iter().map(|v| c_string(v.location.as_deref().unwrap_or_default())).collect();
        texts.extend(versions.iter().map(|v| c_string(&v.identifier)));
        // A text stays where it is when the list of texts moves.
        let mut locations: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let identifiers = locations.split_off(versions.len());
        let state = match (versions.is_empty(), look) {
            (true, _) => CFA_STATE_NO_FILE,
            (false, false) => CFA_STATE_UNCHECKED,
            (false, true) => state(versions.iter().map(|version| variable.presence(version))),
        };
        let starts = entry.ranges.iter().map(|range| range.start).collect();
        let counts = entry.ranges.iter().map(|range| range.end - range.start).collect();
        Shown { starts, counts, _texts: texts, locations, identifiers, state }
    }

    fn structure(&self, entry: &Entry) -> cfa_fragment {
        cfa_fragment {
            rank: entry.index.len(),
            index: entry.index.as_ptr(),
            start: self.starts.as_ptr(),
            count: self.counts.as_ptr(),
            version_count: self.locations.len(),
            locations: self.locations.as_ptr(),
            identifiers: self.identifiers.as_ptr(),
            state: i32::from(self.state),
            is_unique_value: i32::from(matches!(entry.source, EntrySource::UniqueValue(_))),
        }
    }
}

/// The state of a fragment, whose versions are looked for one after the other until one is there.
fn state(versions: impl Iterator<Item = Presence>) -> u8 {
    let mut state = CFA_STATE_MISSING;
    for (number, presence) in versions.enumerate() {
        match presence {
            Presence::Present(_) if number == 0 => return CFA_STATE_PRESENT,
            Presence::Present(_) => return CFA_STATE_OTHER_VERSION,
            Presence::Absent(_) => {}
            Presence::Refused(_) => state = CFA_STATE_WRONG,
        }
    }
    state
}
