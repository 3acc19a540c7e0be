//! Dimensions.

use std::ffi::{c_char, CString};

use super::boundary::{self, c_string, object, Answer};
use super::dataset::cfa_dataset;
use super::group::cfa_group;
use crate::container::tree::{Dimension, DimensionId};
use crate::Dataset;

/// A dimension of a dataset. Borrowed until cfa_dataset_free.
pub struct cfa_dimension {
    owner: *const cfa_dataset,
    id: DimensionId,
    name: CString,
    path: CString,
}

// SAFETY: `owner` is only read through, and outlives the handle; the dataset may be shared by threads.
unsafe impl Send for cfa_dimension {}
// SAFETY: as above.
unsafe impl Sync for cfa_dimension {}

impl cfa_dimension {
    pub(super) fn new(owner: *const cfa_dataset, dataset: &Dataset, id: DimensionId) -> Self {
        let name = c_string(&dataset.dimension(id).name);
        cfa_dimension { owner, id, name, path: c_string(&dataset.dimension_path(id)) }
    }

    fn owner(&self) -> &cfa_dataset {
        // SAFETY: the dataset owns this handle.
        unsafe { &*self.owner }
    }

    fn stored(&self) -> &Dimension {
        self.owner().dataset.dimension(self.id)
    }
}

unsafe fn dimension<'a>(pointer: *const cfa_dimension) -> Answer<&'a cfa_dimension> {
    // SAFETY: the contract of the C API (module capi).
    unsafe { object(pointer, "dimension") }
}

/// Returns the name of a dimension, without its path.
///
/// @param dimension the dimension
/// @return the name, valid until cfa_dataset_free; NULL if dimension is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dimension_name(dimension: *const cfa_dimension) -> *const c_char {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(std::ptr::null(), || Ok(unsafe { self::dimension(dimension)? }.name.as_ptr()))
}

/// Returns the absolute path of a dimension, such as "/a/time".
///
/// @param dimension the dimension
/// @return the path, valid until cfa_dataset_free; NULL if dimension is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dimension_path(dimension: *const cfa_dimension) -> *const c_char {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(std::ptr::null(), || Ok(unsafe { self::dimension(dimension)? }.path.as_ptr()))
}

/// Returns the size of a dimension.
///
/// An unlimited dimension that only aggregated data have is stored with size 0; its size is that of the data.
///
/// @param dimension the dimension
/// @return the size; 0 if dimension is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dimension_size(dimension: *const cfa_dimension) -> u64 {
    boundary::value(0, || {
        // SAFETY: the contract of the C API (module capi).
        let dimension = unsafe { self::dimension(dimension)? };
        Ok(dimension.owner().dataset.dimension_size(dimension.id))
    })
}

/// Returns whether a dimension can grow.
///
/// @param dimension the dimension
/// @return 1 or 0; 0 if dimension is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dimension_is_unlimited(dimension: *const cfa_dimension) -> i32 {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(i32::from(unsafe { self::dimension(dimension)? }.stored().unlimited)))
}

/// Returns the group that defines a dimension.
///
/// @param dimension the dimension
/// @return the group, borrowed until cfa_dataset_free; NULL if dimension is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dimension_group(dimension: *const cfa_dimension) -> *const cfa_group {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let dimension = unsafe { self::dimension(dimension)? };
        Ok(&dimension.owner().groups[dimension.stored().group.0])
    })
}
