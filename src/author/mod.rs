//! Writes new files, and aggregations of existing files.

pub(crate) mod chunks;
pub mod convert;
pub mod create;
pub mod extract;
pub mod index;
pub(crate) mod option_name;
pub(crate) mod out;
pub mod qgis;
pub mod write;
