//! libcfa opens *aggregation* netCDF files and gives their data as if it were stored in one file.
//!
//! Data flows one way: container -> dialect -> model -> plan -> fragment -> canonical -> scatter -> the caller's buffer.

mod author;
mod bytes;
mod cache;
pub mod canonical;
mod capi;
mod cf;
pub mod check;
pub mod container;
mod dataset;
pub mod dialect;
mod error;
mod io;
pub mod model;
mod options;
mod read;
mod selection;
mod threads;
mod value;

pub use author::{convert, create, extract, write};
pub use dataset::settings::{Setting, SETTINGS};
pub use dataset::variable::{Number, Output, Variable};
pub use dataset::{coordinates, inventory, select, Dataset};
pub use error::{message, Error, Kind, Result};
pub use io::source::Source;
pub use io::{location, remote};
pub use options::{AllowedSources, ChangedFragments, FragmentDriver, MissingFragments, OpenOptions};
pub use selection::{c_strides, checked_product, Selection};
pub use threads::progress::{Fraction, Listener};
pub use value::{text_of, Attribute, Attributes, DataType, Values};

/// The examples of the README are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
