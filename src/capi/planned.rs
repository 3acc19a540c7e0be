//! Shows C what was made, or would be, of files.

use std::ffi::{c_void, CString};

use super::boundary::c_string;
use super::create_options::*;
use crate::author::create::{PlannedDimension, PlannedVariable};

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
        let texts = dimension.parts.iter().map(|(_, place, file)| (c_string(place), c_string(file)));
        Dimension { dimension, name: c_string(&dimension.name), texts: texts.collect() }
    }

    /// The parts, and pointers to them.
    fn parts(&self) -> (Vec<cfa_planned_part>, Vec<*const cfa_planned_part>) {
        let sizes = self.dimension.parts.iter().map(|(size, _, _)| *size);
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
