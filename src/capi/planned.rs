//! Describes to C what was made of files, or would be made.

use std::ffi::{c_char, c_void, CString};

use super::boundary::c_string;
use crate::author::create::{PlannedDimension, PlannedVariable};

/// Called for each thing that is odd or was left out.
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
    /// One of the files; a byte of its name that is not UTF-8 is shown in the form \xE9. For people to read.
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

/// Called for each variable that was made or planned.
///
/// @param variable  what was planned, valid during the call
/// @param user_data as given in the options
pub type cfa_describe_callback =
    Option<unsafe extern "C" fn(variable: *const cfa_planned_variable, user_data: *mut c_void)>;

/// Calls the caller's function for one variable.
///
/// # Safety
/// The function is one of this type (module capi).
pub(super) unsafe fn show(
    variable: &PlannedVariable,
    describe: cfa_describe_callback,
    user_data: *mut c_void,
) {
    let Some(describe) = describe else { return };
    let name = c_string(&variable.name);
    let dimensions: Vec<Dimension> = variable.dimensions.iter().map(Dimension::new).collect();
    let dimensions: Vec<_> = dimensions.iter().map(|d| (d, d.parts())).collect();
    let shown: Vec<_> = dimensions.iter().map(|(d, (_, parts))| d.shown(parts)).collect();
    let pointers: Vec<*const cfa_planned_dimension> = shown.iter().map(std::ptr::from_ref).collect();
    let shown = cfa_planned_variable {
        name: name.as_ptr(),
        rank: pointers.len(),
        dimensions: pointers.as_ptr(),
        fragment_count: variable.fragments,
        is_static: i32::from(variable.is_static),
    };
    // SAFETY: as above; all that the structure points at outlives the call.
    unsafe { describe(&shown, user_data) }
}

/// The texts of a dimension, which the structures for C point at.
struct Dimension<'a> {
    dimension: &'a PlannedDimension,
    name: CString,
    texts: Vec<(CString, CString)>,
}

impl<'a> Dimension<'a> {
    fn new(dimension: &'a PlannedDimension) -> Self {
        let texts = dimension.parts.iter().map(|(_, place, file)| (c_string(&place), c_string(&file)));
        Dimension { dimension, name: c_string(&dimension.name), texts: texts.collect() }
    }

    /// The parts, and pointers to them.
    fn parts(&self) -> (Vec<cfa_planned_part>, Vec<*const cfa_planned_part>) {
        let sizes = self.dimension.parts.iter().map(|(size, _, _)| size);
        let part = |(size, (place, file)): (u64, &(CString, CString))| cfa_planned_part {
            size,
            coordinates: place.as_ptr(),
            file: file.as_ptr(),
        };
        let parts: Vec<_> = sizes.zip(&self.texts).map(part).collect();
        let pointers = parts.iter().map(std::ptr::from_ref).collect();
        (parts, pointers)
    }

    fn shown(&self, parts: &[*const cfa_planned_part]) -> cfa_planned_dimension {
        cfa_planned_dimension {
            name: self.name.as_ptr(),
            size: self.dimension.size,
            part_count: parts.len(),
            parts: parts.as_ptr(),
            is_new: i32::from(self.dimension.is_new),
        }
    }
}
