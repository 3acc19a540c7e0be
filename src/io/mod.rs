//! Bytes from files. Only this folder resolves and checks names, and opens and reads files.

pub mod location;
pub(crate) mod os;
#[cfg(feature = "remote")]
pub mod remote;
#[cfg(not(feature = "remote"))]
#[path = "not_remote.rs"]
pub mod remote;
// Without the feature, nothing is fetched.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(crate) mod source;
