//! A panic in any export becomes a status or "nothing", and the process lives on.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use super::aggregation::*;
use super::attribute::*;
use super::boundary::PANIC;
use super::check_options::*;
use super::chunk::*;
use super::convert_options::*;
use super::create_options::*;
use super::dataset::*;
use super::dimension::*;
use super::extract_options::*;
use super::file::*;
use super::fragment::*;
use super::fragments::*;
use super::group::*;
use super::last_error::*;
use super::open::*;
use super::open_options::*;
use super::read::*;
use super::read_options::*;
use super::select::*;
use super::setting::*;
use super::status::*;
use super::strings::*;
use super::supplied::*;
use super::time::*;
use super::types::*;
use super::variable::*;
use super::version::*;

/// The result of an export as a number, whether it is a status, a count or an address.
trait Given {
    fn number(self) -> i64;
}

impl Given for () {
    fn number(self) -> i64 {
        0
    }
}

macro_rules! given {
    ($($type:ty)*) => {$(impl Given for $type {
        fn number(self) -> i64 {
            self as i64
        }
    })*};
}
given!(i32 u32 u64 usize);

impl<T> Given for *const T {
    fn number(self) -> i64 {
        self as usize as i64
    }
}

/// The names of the exports that were called, each with its result.
fn call_all() -> Vec<(&'static str, i64)> {
    macro_rules! calls {
        ($($name:ident($($argument:expr),*);)*) => {
            // SAFETY: NULL is valid for every pointer, since every export panics before it uses one.
            vec![$((stringify!($name), unsafe { $name($($argument),*) }.number())),*]
        };
    }
    #[allow(unused_unsafe)]
    let calls = calls! {
        cfa_aggregation_check(null(), null(), null_mut());
        cfa_aggregation_convert(null(), null(), null());
        cfa_aggregation_create(null(), null(), 0, null());
        cfa_aggregation_extract(null(), null(), null());
        cfa_attribute_length(null());
        cfa_attribute_name(null());
        cfa_attribute_read(null(), 0, null_mut(), 0);
        cfa_attribute_string(null(), 0, null_mut());
        cfa_attribute_text(null());
        cfa_attribute_type(null());
        cfa_check_options_init(null_mut(), 0);
        cfa_convert_options_init(null_mut(), 0);
        cfa_create_options_init(null_mut(), 0);
        cfa_dataset_dimension(null(), 0);
        cfa_dataset_dimension_count(null());
        cfa_dataset_dimension_find(null(), null(), null_mut());
        cfa_dataset_free(null_mut());
        cfa_dataset_group_find(null(), null(), null_mut());
        cfa_dataset_name(null());
        cfa_dataset_open(null(), null(), null_mut());
        cfa_dataset_open_memory(null(), 0, null(), null(), null_mut());
        cfa_dataset_open_source(null(), null(), null(), null_mut());
        cfa_dataset_root(null());
        cfa_dataset_variable(null(), 0);
        cfa_dataset_variable_count(null());
        cfa_dataset_variable_find(null(), null(), null_mut());
        cfa_dataset_warning_copy(null(), 0, null_mut(), 0, null_mut());
        cfa_dataset_warning_count(null(), null_mut());
        cfa_dimension_group(null());
        cfa_dimension_is_unlimited(null());
        cfa_dimension_name(null());
        cfa_dimension_path(null());
        cfa_dimension_size(null());
        cfa_extract_options_init(null_mut(), 0);
        cfa_file_identify(null(), null_mut(), null_mut());
        cfa_group_attribute(null(), 0);
        cfa_group_attribute_count(null());
        cfa_group_attribute_find(null(), null(), null_mut());
        cfa_group_dimension(null(), 0);
        cfa_group_dimension_count(null());
        cfa_group_group(null(), 0);
        cfa_group_group_count(null());
        cfa_group_name(null());
        cfa_group_parent(null());
        cfa_group_path(null());
        cfa_group_variable(null(), 0);
        cfa_group_variable_count(null());
        cfa_last_error();
        cfa_last_error_file();
        cfa_last_error_fragment(0, null_mut(), null_mut());
        cfa_last_error_is_absence();
        cfa_last_error_status();
        cfa_last_error_variable();
        cfa_open_options_init(null_mut(), 0);
        cfa_read_options_init(null_mut(), 0);
        cfa_setting_at(0);
        cfa_setting_count();
        cfa_status_category(0);
        cfa_status_name(0);
        cfa_strings_free(null_mut(), 1);
        cfa_time_format(null(), null(), 0.0, null_mut(), 0, null_mut());
        cfa_type_name(1);
        cfa_type_size(1);
        cfa_variable_advise(null(), null(), null(), null());
        cfa_variable_attribute(null(), 0);
        cfa_variable_attribute_count(null());
        cfa_variable_attribute_find(null(), null(), null_mut());
        cfa_variable_block_shape(null(), 0, null_mut());
        cfa_variable_check(null());
        cfa_variable_chunk_visit(null(), null(), null(), None, null_mut());
        cfa_variable_dialect(null());
        cfa_variable_dimension(null(), 0, null_mut());
        cfa_variable_fragment_grid(null(), 0, null_mut());
        cfa_variable_fragment_identifier(null(), null(), 0, null_mut(), 0, null_mut());
        cfa_variable_fragment_location(null(), null(), 0, null_mut(), 0, null_mut());
        cfa_variable_fragment_range(null(), null(), null_mut(), null_mut());
        cfa_variable_fragment_sizes(null(), 0, 0, null_mut());
        cfa_variable_fragment_version_count(null(), null(), null_mut());
        cfa_variable_fragments_visit(null(), null(), null(), 0, None, null_mut());
        cfa_variable_group(null());
        cfa_variable_is_aggregated(null());
        cfa_variable_missing_value(null(), null_mut(), null_mut(), 0);
        cfa_variable_name(null());
        cfa_variable_path(null());
        cfa_variable_rank(null(), null_mut());
        cfa_variable_read(null(), null(), null(), null(), null(), 0, 0, null_mut(), null());
        cfa_variable_read_unpacked(null(), null(), null(), null(), 0, null_mut());
        cfa_variable_scale_offset(null(), null_mut(), null_mut(), null_mut(), null_mut());
        cfa_variable_select(null(), null(), 0, null_mut(), null_mut());
        cfa_variable_shape(null(), 0, null_mut());
        cfa_variable_type(null());
        cfa_variable_units(null());
        cfa_variable_unpacked_type(null());
        cfa_version_features();
        cfa_version_number();
        cfa_version_string();
    };
    calls
}

/// The exports that return a status according to the header.
fn statuses() -> Vec<String> {
    let header = include_str!("../../include/cfa.h");
    let lines = header.lines().filter_map(|line| line.strip_prefix("cfa_status "));
    lines.map(|line| line.split('(').next().unwrap().to_owned()).collect()
}

#[test]
fn a_panic_in_any_export_is_reported_and_goes_no_further() {
    PANIC.set(true);
    let given = call_all();
    PANIC.set(false);
    let names: Vec<&str> = given.iter().map(|(name, _)| *name).collect();
    let exported: Vec<&str> = include_str!("../../c_tests/symbols.txt").lines().collect();
    assert_eq!(names, exported);
    let statuses = statuses();
    assert!(statuses.len() > 20);
    // These are never NULL, whatever happens.
    let texts = ["cfa_last_error", "cfa_status_category", "cfa_status_name", "cfa_type_name"];
    for (name, number) in given {
        if statuses.iter().any(|s| s == name) {
            assert_eq!(number, i64::from(CFA_ERR_INTERNAL), "{name}");
        } else if texts.contains(&name) || name.starts_with("cfa_version_") && name != "cfa_version_number" {
            assert_ne!(number, 0, "{name}");
        } else {
            assert_eq!(number, 0, "{name}");
        }
    }
    // SAFETY: the message stays until the next call in this thread.
    let message = unsafe { CStr::from_ptr(cfa_last_error()) };
    assert_eq!(message.to_str(), Ok("defect of the library: injected"));
}
