//! The C API: one file per noun of `include/cfa.h`, which is generated from here.
//!
//! The comments of exported items are the manual of the C library, so they use its terms. The rules that hold for every
//! export, and that the unsafe code below relies on, are these:
//!
//! - a pointer is NULL, which is checked, or points at what the header says for the time of the call;
//! - a handle came from this library and its dataset is not yet freed; a dataset never changes once it is open, so handles
//!   may be used by any number of threads;
//! - no panic leaves an export: [`boundary`] turns one into `CFA_ERR_INTERNAL`, or into the value for "nothing";
//! - nothing is printed, no signal handler is set, no variable of the environment is written.

// The contract above is the safety section of every export; the names are those of C.
#![allow(clippy::missing_safety_doc, non_camel_case_types)]

mod aggregation;
mod attribute;
mod boundary;
mod check_options;
mod checking;
mod chunk;
mod convert_options;
mod create_options;
mod dataset;
mod dimension;
mod extract_options;
mod file;
mod fragment;
mod fragments;
mod group;
mod last_error;
mod open;
mod open_options;
mod options;
mod planned;
mod read;
mod read_options;
mod select;
mod setting;
mod status;
mod strings;
mod supplied;
mod time;
mod types;
mod variable;
mod version;
mod watch;
mod writing;

#[cfg(test)]
mod panics;
