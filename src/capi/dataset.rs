//! An open file and the handles of all that is in it.
//!
//! Handles are made once, at open, and live as long as the dataset; which of them the logical view shows is determined on
//! first use, because that decodes every aggregation of the file.

use std::ffi::{c_char, CString};

use once_cell::sync::OnceCell;

use super::boundary::{self, c_string, object, output, put_text, text, Failure};
use super::dimension::cfa_dimension;
use super::group::cfa_group;
use super::status::{cfa_status, CFA_ERR_NOT_FOUND};
use super::variable::cfa_variable;
use crate::container::tree::{DimensionId, GroupId, Tree, VariableId};
use crate::Dataset;

/// An open file. Owned by the caller: free it with cfa_dataset_free.
pub struct cfa_dataset {
    pub(super) dataset: Dataset,
    name: CString,
    pub(super) groups: Box<[cfa_group]>,
    pub(super) dimensions: Box<[cfa_dimension]>,
    pub(super) variables: Box<[cfa_variable]>,
    view: OnceCell<View>,
}

/// What the view shows, in file order.
pub(super) struct View {
    pub(super) variables: Vec<VariableId>,
    pub(super) dimensions: Vec<DimensionId>,
}

impl cfa_dataset {
    /// Makes the handles; they point back at the dataset, which therefore never moves.
    pub(super) fn boxed(dataset: Dataset) -> *mut cfa_dataset {
        let name = c_string(dataset.name());
        let owner = Box::into_raw(Box::new(cfa_dataset {
            dataset,
            name,
            groups: Box::default(),
            dimensions: Box::default(),
            variables: Box::default(),
            view: OnceCell::new(),
        }));
        // SAFETY: fresh from the box; nobody else has it yet.
        let this = unsafe { &mut *owner };
        let dataset = this.dataset.clone();
        let tree = dataset.shared().tree();
        this.groups = (0..tree.groups.len()).map(|i| cfa_group::new(owner, &dataset, GroupId(i))).collect();
        this.dimensions =
            (0..tree.dimensions.len()).map(|i| cfa_dimension::new(owner, &dataset, DimensionId(i))).collect();
        this.variables =
            (0..tree.variables.len()).map(|i| cfa_variable::new(owner, &dataset, VariableId(i))).collect();
        owner
    }

    pub(super) fn tree(&self) -> &Tree {
        self.dataset.shared().tree()
    }

    pub(super) fn is_raw(&self) -> bool {
        self.dataset.shared().options.raw_view
    }

    pub(super) fn view(&self) -> &View {
        self.view.get_or_init(|| {
            let variables: Vec<VariableId> = self.dataset.variables().iter().map(|v| v.id()).collect();
            let dimensions = self.shown_dimensions(&variables);
            View { variables, dimensions }
        })
    }

    /// All dimensions but those that only hidden variables have.
    fn shown_dimensions(&self, shown: &[VariableId]) -> Vec<DimensionId> {
        let tree = self.tree();
        let mut hide = vec![false; tree.dimensions.len()];
        let mut is_shown = vec![false; tree.variables.len()];
        shown.iter().for_each(|v| is_shown[v.0] = true);
        for (variable, _) in tree.variables.iter().zip(&is_shown).filter(|(_, shown)| !**shown) {
            variable.dimensions.iter().for_each(|d| hide[d.0] = true);
        }
        for id in shown {
            let stored = &tree.variables[id.0].dimensions;
            let logical = self.variables[id.0].variable.dimensions().unwrap_or(stored);
            logical.iter().for_each(|d| hide[d.0] = false);
        }
        (0..hide.len()).filter(|&d| !hide[d]).map(DimensionId).collect()
    }
}

/// Returns the name of the file as it was opened; a byte that is not UTF-8 is shown in the form \xE9.
///
/// @param dataset the dataset
/// @return the name, valid until cfa_dataset_free; NULL if dataset is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_name(dataset: *const cfa_dataset) -> *const c_char {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(std::ptr::null(), || Ok(unsafe { object(dataset, "dataset")? }.name.as_ptr()))
}

/// Returns the root group, whose attributes are the global attributes.
///
/// @param dataset the dataset
/// @return the group, borrowed until cfa_dataset_free; NULL if dataset is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_root(dataset: *const cfa_dataset) -> *const cfa_group {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let dataset = unsafe { object(dataset, "dataset")? };
        Ok(dataset.groups.first().map_or(std::ptr::null(), std::ptr::from_ref))
    })
}

/// Counts the variables of all groups.
///
/// Variables that only define fragments are left out, unless the dataset was opened with raw_view.
///
/// @param dataset the dataset
/// @return the number; 0 if dataset is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_variable_count(dataset: *const cfa_dataset) -> usize {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(unsafe { object(dataset, "dataset")? }.view().variables.len()))
}

/// Returns a variable by its number among the variables of all groups, in the order of the file.
///
/// @param dataset the dataset
/// @param index   0 to cfa_dataset_variable_count - 1
/// @return the variable, borrowed until cfa_dataset_free; NULL if there is none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_variable(
    dataset: *const cfa_dataset,
    index: usize,
) -> *const cfa_variable {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let dataset = unsafe { object(dataset, "dataset")? };
        let id = dataset.view().variables.get(index).ok_or_else(|| no_index("variable", index))?;
        Ok(&dataset.variables[id.0])
    })
}

/// Finds a variable by its path.
///
/// @param dataset  the dataset
/// @param path     "tas", "/tas" or "/group/tas"; variables that only define fragments are found too
/// @param variable receives the variable, borrowed until cfa_dataset_free
/// @return CFA_OK; CFA_ERR_NOT_FOUND with the names there are in the message, CFA_ERR_UNSUPPORTED if its type cannot
///         be read, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_variable_find(
    dataset: *const cfa_dataset,
    path: *const c_char,
    variable: *mut *const cfa_variable,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (dataset, path) = unsafe { (object(dataset, "dataset")?, text(path, "path")?) };
        let place = output(variable, "variable")?;
        let found = dataset.dataset.variable(path).map_err(|e| match e.kind() {
            crate::Kind::MissingVariable => not_found(e),
            _ => e.into(),
        })?;
        // SAFETY: checked not to be NULL.
        unsafe { place.write(&dataset.variables[found.id().0]) };
        Ok(())
    })
}

/// Finds a group by its path.
///
/// @param dataset the dataset
/// @param path    "/" or "" for the root, "inner", "/inner" or "/inner/deeper"
/// @param group   receives the group, borrowed until cfa_dataset_free
/// @return CFA_OK; CFA_ERR_NOT_FOUND with the names there are in the message, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_group_find(
    dataset: *const cfa_dataset,
    path: *const c_char,
    group: *mut *const cfa_group,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (dataset, path) = unsafe { (object(dataset, "dataset")?, text(path, "path")?) };
        let place = output(group, "group")?;
        let found = dataset.dataset.group_at(path).map_err(not_found)?;
        // SAFETY: checked not to be NULL.
        unsafe { place.write(&dataset.groups[found.0]) };
        Ok(())
    })
}

/// Finds a dimension by its path.
///
/// @param dataset   the dataset
/// @param path      "time", "/time" or "/group/x"; dimensions that only fragment definitions have are found too
/// @param dimension receives the dimension, borrowed until cfa_dataset_free
/// @return CFA_OK; CFA_ERR_NOT_FOUND with the names there are in the message, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_dimension_find(
    dataset: *const cfa_dataset,
    path: *const c_char,
    dimension: *mut *const cfa_dimension,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (dataset, path) = unsafe { (object(dataset, "dataset")?, text(path, "path")?) };
        let place = output(dimension, "dimension")?;
        let found = dataset.dataset.dimension_at(path).map_err(not_found)?;
        // SAFETY: checked not to be NULL.
        unsafe { place.write(&dataset.dimensions[found.0]) };
        Ok(())
    })
}

/// Counts the dimensions of all groups.
///
/// Dimensions that only fragment definitions have are left out, unless the dataset was opened with raw_view.
///
/// @param dataset the dataset
/// @return the number; 0 if dataset is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_dimension_count(dataset: *const cfa_dataset) -> usize {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(unsafe { object(dataset, "dataset")? }.view().dimensions.len()))
}

/// Returns a dimension by its number among the dimensions of all groups, in the order of the file.
///
/// @param dataset the dataset
/// @param index   0 to cfa_dataset_dimension_count - 1
/// @return the dimension, borrowed until cfa_dataset_free; NULL if there is none
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_dimension(
    dataset: *const cfa_dataset,
    index: usize,
) -> *const cfa_dimension {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let dataset = unsafe { object(dataset, "dataset")? };
        let id = dataset.view().dimensions.get(index).ok_or_else(|| no_index("dimension", index))?;
        Ok(&dataset.dimensions[id.0])
    })
}

/// Counts the warnings so far: oddities that were tolerated. Reading may add some.
///
/// @param dataset the dataset
/// @param count   receives the number
/// @return CFA_OK; CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_warning_count(
    dataset: *const cfa_dataset,
    count: *mut usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let dataset = unsafe { object(dataset, "dataset")? };
        let place = output(count, "count")?;
        // SAFETY: checked not to be NULL.
        unsafe { place.write(dataset.dataset.warnings().len()) };
        Ok(())
    })
}

/// Copies a warning.
///
/// @param dataset      the dataset
/// @param index        0 to the number of warnings - 1; a warning keeps its index
/// @param buffer       receives the text with its NUL; NULL with buffer_bytes 0 to ask for the size alone
/// @param buffer_bytes the size of buffer
/// @param needed       receives the bytes that the text with its NUL takes, also with CFA_ERR_BUFFER; may be NULL if
///                     buffer is not
/// @return CFA_OK; CFA_ERR_NOT_FOUND, CFA_ERR_BUFFER, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_warning_copy(
    dataset: *const cfa_dataset,
    index: usize,
    buffer: *mut c_char,
    buffer_bytes: usize,
    needed: *mut usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let dataset = unsafe { object(dataset, "dataset")? };
        let warnings = dataset.dataset.warnings();
        let warning = warnings.get(index).ok_or_else(|| no_index("warning", index))?;
        // SAFETY: as above.
        unsafe { put_text(warning, buffer, buffer_bytes, needed) }
    })
}

/// An unknown name.
fn not_found(error: crate::Error) -> Failure {
    Failure::from(error).with_status(CFA_ERR_NOT_FOUND)
}

/// Returns the error for an index that is out of range.
pub(super) fn no_index(what: &str, index: usize) -> Failure {
    Failure::new(CFA_ERR_NOT_FOUND, format!("no {what} {index}"))
}
