//! Groups: where dimensions, variables and attributes are.

use std::ffi::{c_char, CString};

use once_cell::sync::OnceCell;

use super::attribute::{cfa_attribute, find};
use super::boundary::{self, c_string, object, output, text, Answer};
use super::dataset::{cfa_dataset, no_index};
use super::dimension::cfa_dimension;
use super::status::cfa_status;
use super::variable::cfa_variable;
use crate::container::tree::{DimensionId, Group, GroupId, VariableId};
use crate::Dataset;

/// A group of a dataset. Borrowed until cfa_dataset_free.
pub struct cfa_group {
    owner: *const cfa_dataset,
    id: GroupId,
    name: CString,
    path: CString,
    attributes: OnceCell<Box<[cfa_attribute]>>,
    members: OnceCell<Members>,
}

/// What the view shows of a group.
struct Members {
    dimensions: Vec<DimensionId>,
    variables: Vec<VariableId>,
}

// SAFETY: `owner` is only read through, and outlives the handle; the dataset may be shared by threads.
unsafe impl Send for cfa_group {}
// SAFETY: as above.
unsafe impl Sync for cfa_group {}

impl cfa_group {
    pub(super) fn new(owner: *const cfa_dataset, dataset: &Dataset, id: GroupId) -> Self {
        let stored = &dataset.shared().tree().groups[id.0];
        let (name, path) = (c_string(&stored.name), c_string(&stored.path));
        cfa_group { owner, id, name, path, attributes: OnceCell::new(), members: OnceCell::new() }
    }

    fn owner(&self) -> &cfa_dataset {
        // SAFETY: the dataset owns this handle.
        unsafe { &*self.owner }
    }

    fn stored(&self) -> &Group {
        &self.owner().tree().groups[self.id.0]
    }

    fn attributes(&self) -> &[cfa_attribute] {
        self.attributes.get_or_init(|| cfa_attribute::all(self.stored().attributes.iter()))
    }

    fn members(&self) -> &Members {
        self.members.get_or_init(|| {
            let (tree, view) = (self.owner().tree(), self.owner().view());
            let dimension = |d: &DimensionId| tree.dimensions[d.0].group == self.id;
            let variable = |v: &VariableId| tree.variables[v.0].group == self.id;
            Members {
                dimensions: view.dimensions.iter().copied().filter(dimension).collect(),
                variables: view.variables.iter().copied().filter(variable).collect(),
            }
        })
    }
}

unsafe fn group<'a>(pointer: *const cfa_group) -> Answer<&'a cfa_group> {
    // SAFETY: the contract of the C API (module capi).
    unsafe { object(pointer, "group") }
}

/// Returns the name of a group, without its path.
///
/// @param group the group
/// @return the name, "" for the root; valid until cfa_dataset_free; NULL if group is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_name(group: *const cfa_group) -> *const c_char {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(std::ptr::null(), || Ok(unsafe { self::group(group)? }.name.as_ptr()))
}

/// Returns the absolute path of a group.
///
/// @param group the group
/// @return "/" for the root, else such as "/a/b"; valid until cfa_dataset_free; NULL if group is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_path(group: *const cfa_group) -> *const c_char {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(std::ptr::null(), || Ok(unsafe { self::group(group)? }.path.as_ptr()))
}

/// Returns the group that holds a group.
///
/// @param group the group
/// @return the group, borrowed until cfa_dataset_free; NULL for the root and if group is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_parent(group: *const cfa_group) -> *const cfa_group {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let group = unsafe { self::group(group)? };
        let parent = group.stored().parent.map(|id| std::ptr::from_ref(&group.owner().groups[id.0]));
        Ok(parent.unwrap_or(std::ptr::null()))
    })
}

/// Counts the groups directly in a group.
///
/// @param group the group
/// @return the number; 0 if group is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_group_count(group: *const cfa_group) -> usize {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(unsafe { self::group(group)? }.stored().groups.len()))
}

/// Returns a group directly in a group.
///
/// @param group the group
/// @param index 0 to cfa_group_group_count - 1
/// @return the group, borrowed until cfa_dataset_free; NULL if there is none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_group(group: *const cfa_group, index: usize) -> *const cfa_group {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let group = unsafe { self::group(group)? };
        let id = group.stored().groups.get(index).ok_or_else(|| no_index("group", index))?;
        Ok(&group.owner().groups[id.0])
    })
}

/// Counts the dimensions that a group defines and the view shows.
///
/// @param group the group
/// @return the number; 0 if group is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_dimension_count(group: *const cfa_group) -> usize {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(unsafe { self::group(group)? }.members().dimensions.len()))
}

/// Returns a dimension that a group defines.
///
/// @param group the group
/// @param index 0 to cfa_group_dimension_count - 1
/// @return the dimension, borrowed until cfa_dataset_free; NULL if there is none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_dimension(group: *const cfa_group, index: usize) -> *const cfa_dimension {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let group = unsafe { self::group(group)? };
        let id = group.members().dimensions.get(index).ok_or_else(|| no_index("dimension", index))?;
        Ok(&group.owner().dimensions[id.0])
    })
}

/// Counts the variables in a group that the view shows.
///
/// @param group the group
/// @return the number; 0 if group is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_variable_count(group: *const cfa_group) -> usize {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(unsafe { self::group(group)? }.members().variables.len()))
}

/// Returns a variable in a group.
///
/// @param group the group
/// @param index 0 to cfa_group_variable_count - 1
/// @return the variable, borrowed until cfa_dataset_free; NULL if there is none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_variable(group: *const cfa_group, index: usize) -> *const cfa_variable {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let group = unsafe { self::group(group)? };
        let id = group.members().variables.get(index).ok_or_else(|| no_index("variable", index))?;
        Ok(&group.owner().variables[id.0])
    })
}

/// Counts the attributes of a group.
///
/// @param group the group; the attributes of the root are the global attributes
/// @return the number; 0 if group is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_attribute_count(group: *const cfa_group) -> usize {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(unsafe { self::group(group)? }.attributes().len()))
}

/// Returns an attribute of a group, in file order.
///
/// @param group the group
/// @param index 0 to cfa_group_attribute_count - 1
/// @return the attribute, borrowed until cfa_dataset_free; NULL if there is none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_attribute(group: *const cfa_group, index: usize) -> *const cfa_attribute {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let group = unsafe { self::group(group)? };
        group.attributes().get(index).map(std::ptr::from_ref).ok_or_else(|| no_index("attribute", index))
    })
}

/// Finds an attribute of a group by its name.
///
/// @param group     the group
/// @param name      the name
/// @param attribute receives the attribute, borrowed until cfa_dataset_free
/// @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_group_attribute_find(
    group: *const cfa_group,
    name: *const c_char,
    attribute: *mut *const cfa_attribute,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (group, name) = unsafe { (self::group(group)?, text(name, "name")?) };
        let place = output(attribute, "attribute")?;
        let found = find(group.attributes(), name)?;
        // SAFETY: checked not to be NULL.
        unsafe { place.write(found) };
        Ok(())
    })
}
