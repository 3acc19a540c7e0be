//! Which library this is and what was built into it.

use std::ffi::{c_char, CStr};

use super::boundary;

/// The major version that this header belongs to.
pub const CFA_VERSION_MAJOR: u32 = 0;
/// The minor version that this header belongs to.
pub const CFA_VERSION_MINOR: u32 = 1;
/// The patch level that this header belongs to.
pub const CFA_VERSION_PATCH: u32 = 0;

/// Returns the version of the library that is running.
///
/// @return CFA_VERSION_MAJOR * 10000 + CFA_VERSION_MINOR * 100 + CFA_VERSION_PATCH as they were when it was built
#[unsafe(no_mangle)]
pub extern "C" fn cfa_version_number() -> u32 {
    boundary::value(0, || Ok(CFA_VERSION_MAJOR * 10_000 + CFA_VERSION_MINOR * 100 + CFA_VERSION_PATCH))
}

/// Returns the version of the library that is running as text, such as "0.1.0".
///
/// @return the text; never NULL, valid for ever
#[unsafe(no_mangle)]
pub extern "C" fn cfa_version_string() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    boundary::value(c"".as_ptr(), || Ok(VERSION.as_ptr().cast::<c_char>()))
}

/// Returns the features that were built into the library that is running.
///
/// @return words separated by one blank: "read" (to which checking belongs) and "write" are always there, "remote"
///         where files on servers can be read; never NULL, valid for ever
#[unsafe(no_mangle)]
pub extern "C" fn cfa_version_features() -> *const c_char {
    const FEATURES: &CStr = if cfg!(feature = "remote") { c"read remote write" } else { c"read write" };
    boundary::value(c"".as_ptr(), || Ok(FEATURES.as_ptr()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_has_the_version_of_the_crate() {
        let version = format!("{CFA_VERSION_MAJOR}.{CFA_VERSION_MINOR}.{CFA_VERSION_PATCH}");
        assert_eq!(version, env!("CARGO_PKG_VERSION"));
    }
}
