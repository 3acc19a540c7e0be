//! Writes new files, and aggregations of existing files.

pub(crate) mod chunks;
pub mod convert;
pub mod create;
pub mod extract;
pub mod index;
pub(crate) mod out;
pub mod qgis;
pub(crate) mod wish;
pub mod write;
