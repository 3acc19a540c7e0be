//! Writing: new files, and aggregations of files that there are.

pub mod convert;
pub mod create;
pub mod extract;
pub(crate) mod out;
pub mod write;
