//! libcfa opens *aggregation* netCDF files and returns their data as if they were stored in one file.
//!
//! # Reading
//!
//! A [`Dataset`] is an open file. Its [`Variable`]s, aggregated or ordinary, are all read in the same way.
//!
//! ```no_run
//! use cfa::{Dataset, Selection};
//!
//! # fn main() -> cfa::Result<()> {
//! let dataset = Dataset::open("tas.nc")?;
//! let tas = dataset.variable("tas")?;
//! let first_month = Selection::block(&[0, 0, 0], &[1, 180, 360], tas.shape()?)?;
//! let values = tas.read::<f32>(&first_month)?;
//! let spring = tas.select(&["time=2001-03..2001-05"])?;
//! # drop((values, spring));
//! # Ok(())
//! # }
//! ```
//!
//! [`OpenOptions`] set what an aggregation file may open and how much memory it may use. An [`Error`] names the file,
//! variable and fragment that it concerns.
//!
//! # Writing
//!
//! [`create`] makes aggregations of files, [`check`] reports what is wrong with them, [`convert`] changes their
//! dialect, and [`extract`] writes their data into one file. None of them replaces what it reads.
//!
//! ```no_run
//! # fn main() -> cfa::Result<()> {
//! let inputs = cfa::create::expand(&["archive/*.nc"])?;
//! let report = cfa::create::create("archive.nc".as_ref(), inputs.paths(), &Default::default(), None)?;
//! # drop(report);
//! # Ok(())
//! # }
//! ```

mod author;
mod bytes;
mod cache;
mod canonical;
mod capi;
mod cf;
pub mod check;
mod container;
mod dataset;
mod dialect;
mod error;
mod io;
mod model;
mod options;
mod read;
mod selection;
mod threads;
mod value;

pub use author::write::Format;
pub use author::{convert, create, extract, index, qgis};
pub use canonical::{Calendar, DateTime, TimeUnits};
pub use container::tree::{Dimension, DimensionId, Group, GroupId, VariableId};
pub use dataset::coordinates::Coordinates;
pub use dataset::inventory::{Entry, EntrySource, Presence};
pub use dataset::range::{CoordinateRange, Gap, Order, Point, Step};
pub use dataset::select::{Choice, Parts, Range};
pub use dataset::settings::{Setting, SettingForm, SETTINGS};
pub use dataset::variable::{Number, Output, Variable};
pub use dataset::Dataset;
pub use dialect::ATTRIBUTES as AGGREGATION_ATTRIBUTES;
pub use error::{Error, Kind, Result};
pub use io::source::Source;
pub use model::fragments::{AxisIndices, Fragment, Version, View};
pub use model::grid::Grid;
pub use model::{Aggregation, Dialect};
pub use options::{AllowedSources, ChangedFragments, FragmentDriver, MissingFragments, OpenOptions};
pub use selection::Selection;
pub use threads::progress::Listener;
pub use value::{Attribute, Attributes, DataType, Values};

/// Formats names and locations from files for people: on one line, without control characters and secrets; and names
/// options as they write them.
///
/// ```
/// use cfa::text::{escaped, redact};
/// assert_eq!(redact("https://me:secret@host/a.nc"), "https://host/a.nc");
/// assert_eq!(escaped("two\nlines"), "two\\nlines");
/// ```
pub mod text {
    pub use crate::author::option_name::name_options_for_python;
    pub use crate::error::message::{escaped, escaped_json, short};
    pub use crate::error::secrets::redact;
    pub use crate::io::os::shown;
}

/// Internals that the tests and benchmarks of this crate use. They may change at any time.
#[doc(hidden)]
pub mod internals {
    pub mod canonical {
        pub use crate::canonical::*;
    }
    pub mod container {
        pub use crate::container::*;
    }
    pub mod location {
        pub use crate::io::location::*;
    }
    pub mod model {
        pub use crate::model::*;
    }
    pub mod write {
        pub use crate::author::write::*;
    }
    pub use crate::selection::{c_strides, checked_product};
    pub use crate::value::text_of;
}

/// What the GDAL plugin brings to the engine, and what it needs for that. It may change at any time.
#[doc(hidden)]
pub mod plugin {
    pub use crate::io::location::stays_inside;
    pub use crate::io::os::{make_room, register_virtual_files, VirtualFiles, VirtualHandle};
    pub use crate::read::fragment::{register_formats, Asked, ForeignArray, ForeignFormats, ForeignNumbers};
    pub use crate::selection::{c_strides, checked_product, offsets};
}

/// The examples of the README are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
