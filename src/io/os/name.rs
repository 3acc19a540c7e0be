//! File names as bytes and as text: on Unix, names need not be UTF-8.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::PathBuf;

/// Returns the name as text for people, with bytes that are not UTF-8 as `\xE9`.
pub fn shown(name: impl AsRef<OsStr>) -> String {
    let mut text = String::new();
    for chunk in name.as_ref().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// Returns the path with these bytes; on Windows they must be UTF-8.
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    #[cfg(unix)]
    return Some(PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes)));
    #[cfg(not(unix))]
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Returns the bytes of a name, or `None` for a Windows name that is not Unicode, which no bytes represent.
pub(crate) fn bytes_of(name: &OsStr) -> Option<&[u8]> {
    #[cfg(unix)]
    return Some(std::os::unix::ffi::OsStrExt::as_bytes(name));
    #[cfg(not(unix))]
    name.to_str().map(str::as_bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_shown_as_numbers() {
        let path = path_from_bytes(b"d/\xC3\xA9t\xE9\xFF.nc".to_vec()).unwrap();
        assert_eq!(shown(&path), "d/ét\\xE9\\xFF.nc");
        assert_eq!(shown("plain"), "plain");
    }
}
