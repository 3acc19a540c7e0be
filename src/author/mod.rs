//! Writes new files, and aggregations of existing files.

pub mod convert;
pub mod create;
pub mod extract;
pub(crate) mod out;
pub(crate) mod wish;
pub mod write;
