//! What stands in for `writing` in a library without feature `write`.

use std::ffi::c_char;

use super::boundary::{Answer, Failure};
use super::convert_options::cfa_convert_options;
use super::create_options::cfa_create_options;
use super::extract_options::cfa_extract_options;
use super::status::CFA_ERR_NOT_BUILT;

pub(super) unsafe fn create(
    _: *const c_char,
    _: *const *const c_char,
    _: usize,
    _: *const cfa_create_options,
) -> Answer<()> {
    not_built()
}

pub(super) unsafe fn convert(
    _: *const c_char,
    _: *const c_char,
    _: *const cfa_convert_options,
) -> Answer<()> {
    not_built()
}

pub(super) unsafe fn extract(
    _: *const c_char,
    _: *const c_char,
    _: *const cfa_extract_options,
) -> Answer<()> {
    not_built()
}

fn not_built() -> Answer<()> {
    Err(Failure::new(CFA_ERR_NOT_BUILT, "this library was built without writing (feature write)"))
}
