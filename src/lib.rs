//! libcfa opens *aggregation* netCDF files and gives their data as if it were stored in one file.
//!
//! Data flows one way: container -> dialect -> model -> plan -> fragment -> canonical -> scatter -> the caller's buffer.

mod assemble;
mod block;
mod bytes;
pub mod canonical;
mod capi;
pub mod check;
mod checksum;
mod composed;
pub mod container;
mod control;
pub mod convert;
pub mod coordinates;
pub mod create;
mod dataset;
pub mod dialect;
mod error;
pub mod extract;
mod fragment;
mod identify;
pub mod inventory;
pub mod location;
pub mod message;
pub mod model;
pub mod options;
mod os;
mod out;
mod plan;
mod pool;
mod process;
#[cfg(feature = "remote")]
pub mod remote;
#[cfg(not(feature = "remote"))]
#[path = "not_remote.rs"]
pub mod remote;
mod scatter;
mod secrets;
pub mod select;
mod selection;
mod source;
mod value;
mod variable;
mod workers;
pub mod write;

pub use control::{Listener, Progress};
pub use dataset::Dataset;
pub use error::{Error, Kind, Result};
pub use selection::{c_strides, checked_product, Selection};
pub use source::Source;
pub use value::{text_of, Attribute, Attributes, DataType, Values};
pub use variable::{Number, Output, Variable};

/// The examples of the README are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
