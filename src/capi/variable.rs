//! Variables: what they are. Reading is in `read`, the array of fragments in `fragment`.

use std::ffi::{c_char, c_void, CString};

use once_cell::sync::OnceCell;

use super::attribute::{cfa_attribute, find, put_bytes};
use super::boundary::{self, c_string, object, output, put_list, text, Answer, Failure};
use super::dataset::{cfa_dataset, no_index};
use super::dimension::cfa_dimension;
use super::file::dialect_code;
use super::group::cfa_group;
use super::status::{cfa_status, CFA_ERR_TYPE};
use super::types;
use crate::container::tree::VariableId;
use crate::dataset::coordinates;
use crate::{dialect, Dataset, Variable};

/// A variable of a dataset, aggregated or not; both are used alike. Borrowed until cfa_dataset_free.
pub struct cfa_variable {
    owner: *const cfa_dataset,
    pub(super) variable: Variable,
    name: CString,
    path: CString,
    units: OnceCell<Option<CString>>,
    attributes: OnceCell<Box<[cfa_attribute]>>,
}

// SAFETY: `owner` is only read through, and outlives the handle; the dataset may be shared by threads.
unsafe impl Send for cfa_variable {}
// SAFETY: as above.
unsafe impl Sync for cfa_variable {}

impl cfa_variable {
    pub(super) fn new(owner: *const cfa_dataset, dataset: &Dataset, id: VariableId) -> Self {
        let variable = Variable::new(dataset.clone(), id);
        let (name, path) = (c_string(variable.name()), c_string(variable.path()));
        cfa_variable { owner, variable, name, path, units: OnceCell::new(), attributes: OnceCell::new() }
    }

    pub(super) fn owner(&self) -> &cfa_dataset {
        // SAFETY: the dataset owns this handle.
        unsafe { &*self.owner }
    }

    fn attributes(&self) -> &[cfa_attribute] {
        self.attributes.get_or_init(|| cfa_attribute::all(self.variable.logical_attributes()))
    }

    fn is_aggregated(&self) -> bool {
        !self.owner().is_raw() && dialect::is_aggregation(self.variable.attributes())
    }
}

/// Returns the variable of a pointer.
pub(super) unsafe fn variable<'a>(pointer: *const cfa_variable) -> Answer<&'a cfa_variable> {
    // SAFETY: the contract of the C API (module capi).
    unsafe { object(pointer, "variable") }
}

/// Returns the name of a variable, without its path.
///
/// @param variable the variable
/// @return the name, valid until cfa_dataset_free; NULL if variable is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_name(variable: *const cfa_variable) -> *const c_char {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(std::ptr::null(), || Ok(unsafe { self::variable(variable)? }.name.as_ptr()))
}

/// Returns the absolute path of a variable, such as "/a/tas".
///
/// @param variable the variable
/// @return the path, valid until cfa_dataset_free; NULL if variable is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_path(variable: *const cfa_variable) -> *const c_char {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(std::ptr::null(), || Ok(unsafe { self::variable(variable)? }.path.as_ptr()))
}

/// Returns the group that holds a variable.
///
/// @param variable the variable
/// @return the group, borrowed until cfa_dataset_free; NULL if variable is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_group(variable: *const cfa_variable) -> *const cfa_group {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let group = variable.owner().dataset.shared().group_of(variable.variable.id());
        Ok(&variable.owner().groups[group.0])
    })
}

/// Returns the type of the data of a variable; for aggregated data that of the aggregation variable.
///
/// @param variable the variable
/// @return CFA_TYPE_INT8 to CFA_TYPE_STRING; 0 if variable is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_type(variable: *const cfa_variable) -> i32 {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(types::code(unsafe { self::variable(variable)? }.variable.data_type())))
}

/// Checks that the aggregation of a variable is well formed, without looking at its fragments.
///
/// @param variable the variable
/// @return CFA_OK, always for a variable that is not aggregated; else what is wrong: CFA_ERR_ATTRIBUTE,
///         CFA_ERR_TERMS, CFA_ERR_MISSING_DIMENSION, CFA_ERR_MISSING_VARIABLE, CFA_ERR_RANK, CFA_ERR_MAP,
///         CFA_ERR_LIMIT, CFA_ERR_IO, CFA_ERR_DAMAGED; CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_check(variable: *const cfa_variable) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        unsafe { self::variable(variable)? }.variable.aggregation()?;
        Ok(())
    })
}

/// Returns the number of dimensions of a variable.
///
/// @param variable the variable
/// @param rank     receives the number
/// @return CFA_OK; what cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_rank(variable: *const cfa_variable, rank: *mut usize) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let place = output(rank, "rank")?;
        let rank = variable.variable.shape()?.len();
        // SAFETY: checked not to be NULL.
        unsafe { place.write(rank) };
        Ok(())
    })
}

/// Returns the shape of a variable.
///
/// @param variable the variable
/// @param capacity the room in shape
/// @param shape    receives the size of each dimension, slowest first; may be NULL for a scalar
/// @return CFA_OK; CFA_ERR_BUFFER if capacity is less than the rank; what cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_shape(
    variable: *const cfa_variable,
    capacity: usize,
    shape: *mut u64,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        // SAFETY: as above.
        unsafe { put_list(variable.variable.shape()?, capacity, shape, "shape") }
    })
}

/// Returns a dimension of a variable.
///
/// @param variable  the variable
/// @param index     0 to the rank - 1, slowest first
/// @param dimension receives the dimension, borrowed until cfa_dataset_free
/// @return CFA_OK; CFA_ERR_NOT_FOUND; what cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_dimension(
    variable: *const cfa_variable,
    index: usize,
    dimension: *mut *const cfa_dimension,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let place = output(dimension, "dimension")?;
        let id = variable.variable.dimensions()?.get(index).ok_or_else(|| no_index("dimension", index))?;
        // SAFETY: checked not to be NULL.
        unsafe { place.write(&variable.owner().dimensions[id.0]) };
        Ok(())
    })
}

/// Counts the attributes of a variable; those that define an aggregation are left out unless the view is raw.
///
/// @param variable the variable
/// @return the number; 0 if variable is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_attribute_count(variable: *const cfa_variable) -> usize {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(unsafe { self::variable(variable)? }.attributes().len()))
}

/// Returns an attribute of a variable, in file order.
///
/// @param variable the variable
/// @param index    0 to cfa_variable_attribute_count - 1
/// @return the attribute, borrowed until cfa_dataset_free; NULL if there is none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_attribute(
    variable: *const cfa_variable,
    index: usize,
) -> *const cfa_attribute {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        variable.attributes().get(index).map(std::ptr::from_ref).ok_or_else(|| no_index("attribute", index))
    })
}

/// Finds an attribute of a variable by its name.
///
/// @param variable  the variable
/// @param name      the name
/// @param attribute receives the attribute, borrowed until cfa_dataset_free
/// @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_attribute_find(
    variable: *const cfa_variable,
    name: *const c_char,
    attribute: *mut *const cfa_attribute,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (variable, name) = unsafe { (self::variable(variable)?, text(name, "name")?) };
        let place = output(attribute, "attribute")?;
        let found = find(variable.attributes(), name)?;
        // SAFETY: checked not to be NULL.
        unsafe { place.write(found) };
        Ok(())
    })
}

/// Returns whether a variable is an aggregation variable; cfa_variable_check reports whether it is well formed.
///
/// @param variable the variable
/// @return 1 or 0; 0 in the raw view and if variable is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_is_aggregated(variable: *const cfa_variable) -> i32 {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(i32::from(unsafe { self::variable(variable)? }.is_aggregated())))
}

/// Returns the convention that an aggregation variable follows.
///
/// @param variable the variable
/// @return a CFA_DIALECT_ number; CFA_DIALECT_NONE if it is not aggregated or not well formed
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_dialect(variable: *const cfa_variable) -> i32 {
    boundary::value(0, || {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        Ok(dialect_code(variable.variable.aggregation()?.map(|a| a.dialect)))
    })
}

/// Returns the number that stands for missing data where a read has no mask: _FillValue, missing_value, or the
/// default fill value of the type.
///
/// @param variable    the variable
/// @param has         receives 1 if there is one, else 0 (integers of one byte have no default, unless the setting
///                    MISSING_BYTES chooses one for aggregated data; text has none)
/// @param value       receives the number in the type of the variable; may be NULL
/// @param value_bytes the size of value; cfa_type_size of the type at least
/// @return CFA_OK; CFA_ERR_BUFFER, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_missing_value(
    variable: *const cfa_variable,
    has: *mut i32,
    value: *mut c_void,
    value_bytes: usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let has = output(has, "has")?;
        let missing = variable.variable.missing_value();
        // SAFETY: as above; `has` is not NULL.
        unsafe {
            if let Some(missing) = missing.as_ref().filter(|_| !value.is_null()) {
                put_bytes(&missing.native_bytes_at(0).unwrap_or_default(), value, value_bytes)?;
            }
            has.write(i32::from(missing.is_some()));
        }
        Ok(())
    })
}

/// Returns the scale factor and the offset of packed data: a stored number x means x * scale + offset.
///
/// cfa_variable_read returns the packed numbers unless options->unpacked is set.
///
/// @param variable   the variable
/// @param has_scale  receives 1 if there is a scale factor, else 0
/// @param scale      receives it, 1 if there is none
/// @param has_offset receives 1 if there is an offset, else 0
/// @param offset     receives it, 0 if there is none
/// @return CFA_OK; CFA_ERR_TYPE if an attribute is not a number, CFA_ERR_ARGUMENT
///
/// Each output may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_scale_offset(
    variable: *const cfa_variable,
    has_scale: *mut i32,
    scale: *mut f64,
    has_offset: *mut i32,
    offset: *mut f64,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let number = |name: &str| -> Answer<Option<f64>> {
            let Some(value) = variable.variable.attributes().get(name) else { return Ok(None) };
            let text = || Failure::new(CFA_ERR_TYPE, format!("attribute {name} is not a number"));
            value.f64_at(0).map(Some).ok_or_else(text)
        };
        let (a, b) = (number("scale_factor")?, number("add_offset")?);
        // SAFETY: as above; NULL is looked for.
        unsafe {
            put(has_scale, i32::from(a.is_some()));
            put(scale, a.unwrap_or(1.0));
            put(has_offset, i32::from(b.is_some()));
            put(offset, b.unwrap_or(0.0));
        }
        Ok(())
    })
}

/// Returns the type of the unpacked numbers of a variable: for packed data the type that CF section 8.1 derives from
/// scale factor and offset, for integers with _Unsigned the unsigned type.
///
/// cfa_variable_read_unpacked returns these numbers, as doubles.
///
/// @param variable the variable
/// @return CFA_TYPE_INT8 to CFA_TYPE_STRING, that of cfa_variable_type for data that are not packed; 0 if variable is
///         NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_unpacked_type(variable: *const cfa_variable) -> i32 {
    boundary::value(0, || {
        // SAFETY: the contract of the C API (module capi).
        let variable = &unsafe { self::variable(variable)? }.variable;
        Ok(types::code(coordinates::meant_type(variable.attributes(), variable.data_type())))
    })
}

/// Writes an output that may be NULL.
unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the contract of the C API (module capi).
        unsafe { place.write(value) };
    }
}

/// Returns the units of a variable.
///
/// @param variable the variable
/// @return the text of its units attribute, valid until cfa_dataset_free; NULL if there is none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_units(variable: *const cfa_variable) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        let made = || variable.variable.attributes().text("units").map(|text| c_string(&text));
        Ok(variable.units.get_or_init(made).as_ref().map_or(std::ptr::null(), |text| text.as_ptr()))
    })
}

/// Returns the shape of a block that is good to read at a time: a chunk as stored, within one fragment.
///
/// May open the first fragment; if that cannot be read, the block is the whole fragment. Reads of any shape are
/// correct.
///
/// @param variable the variable
/// @param capacity the room in block
/// @param block    receives a size per dimension, at least 1 where the dimension is not empty; may be NULL for a
///                 scalar
/// @return CFA_OK; CFA_ERR_BUFFER if capacity is less than the rank; what cfa_variable_check returns
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_block_shape(
    variable: *const cfa_variable,
    capacity: usize,
    block: *mut u64,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        // SAFETY: as above.
        unsafe { put_list(&variable.variable.block_shape()?, capacity, block, "block") }
    })
}
