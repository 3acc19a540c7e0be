//! Bytes from files: names are resolved and judged, files opened and read, here and nowhere else.

pub mod location;
pub(crate) mod os;
#[cfg(feature = "remote")]
pub mod remote;
#[cfg(not(feature = "remote"))]
#[path = "not_remote.rs"]
pub mod remote;
pub(crate) mod source;
