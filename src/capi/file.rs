//! Checks whether a file has aggregation variables, and the numbers of dialects.

use std::ffi::c_char;

use super::boundary::{self, output};
use super::open::path_of;
use super::status::cfa_status;
use crate::model::Dialect;
use crate::Dataset;

/// No aggregation.
pub const CFA_DIALECT_NONE: i32 = 0;
/// CFA-0.4: JSON in the attribute cfa_array.
pub const CFA_DIALECT_CFA_0_4: i32 = 1;
/// Attributes cfa_dimensions and cfa_array with terms.
pub const CFA_DIALECT_CFA_TERMS: i32 = 2;
/// CFA-0.6b1 before file and format became mandatory.
pub const CFA_DIALECT_CFA_0_6B1_EARLY: i32 = 3;
/// CFA-0.6b1: index ranges.
pub const CFA_DIALECT_CFA_0_6B1: i32 = 4;
/// CFA-0.6.2: a table of sizes.
pub const CFA_DIALECT_CFA_0_6_2: i32 = 5;
/// The draft of section 2.8 of the CF conventions.
pub const CFA_DIALECT_CF_DRAFT: i32 = 6;
/// CF-1.13, section 2.8.
pub const CFA_DIALECT_CF_1_13: i32 = 7;

const DIALECTS: [(i32, Dialect); 7] = [
    (CFA_DIALECT_CFA_0_4, Dialect::Cfa04),
    (CFA_DIALECT_CFA_TERMS, Dialect::CfaTerms),
    (CFA_DIALECT_CFA_0_6B1_EARLY, Dialect::Cfa06b1Early),
    (CFA_DIALECT_CFA_0_6B1, Dialect::Cfa06b1),
    (CFA_DIALECT_CFA_0_6_2, Dialect::Cfa062),
    (CFA_DIALECT_CF_DRAFT, Dialect::CfDraft),
    (CFA_DIALECT_CF_1_13, Dialect::Cf113),
];

/// Returns the number of a dialect.
pub(super) fn dialect_code(dialect: Option<Dialect>) -> i32 {
    DIALECTS.iter().find(|(_, d)| Some(*d) == dialect).map_or(CFA_DIALECT_NONE, |(code, _)| *code)
}

/// Returns the dialect of a number; `None` for the default.
pub(super) fn dialect_of(code: i32) -> super::boundary::Answer<Option<Dialect>> {
    let found = DIALECTS.iter().find(|(c, _)| *c == code).map(|(_, dialect)| *dialect);
    match (found, code) {
        (None, CFA_DIALECT_NONE) => Ok(None),
        (None, _) => Err(boundary::Failure::value("dialect", code)),
        (found, _) => Ok(found),
    }
}

/// Checks whether a file has aggregation variables, by its attributes alone; opens no fragment.
///
/// A truncated or damaged file counts as an aggregation as long as an aggregation attribute can still be found in it;
/// cfa_dataset_open then reports what is wrong with it.
///
/// @param path           the file
/// @param is_aggregation receives 1 if a variable of any group has an aggregation attribute, else 0
/// @param dialect        receives the CFA_DIALECT_ number of the first one that is well formed, else
///                       CFA_DIALECT_NONE; may be NULL
/// @return CFA_OK; CFA_ERR_IO, CFA_ERR_NOT_NETCDF, CFA_ERR_DAMAGED if no such attribute is found, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_file_identify(
    path: *const c_char,
    is_aggregation: *mut i32,
    dialect: *mut i32,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let path = unsafe { path_of(path, "path")? };
        output(is_aggregation, "is_aggregation")?;
        let found = Dataset::identify(path)?;
        // SAFETY: as above; checked not to be NULL.
        unsafe {
            is_aggregation.write(i32::from(found.is_some()));
            if !dialect.is_null() {
                dialect.write(dialect_code(found.flatten()));
            }
        }
        Ok(())
    })
}
