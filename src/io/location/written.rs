//! Writes the path of a file as a location: percent-encoded byte by byte (RFC 3986 section 3.3), or as it is.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use crate::io::os::bytes_of;

/// Returns a path as a URI reference: an absolute path as a `file:` URI, another one relative to the file that contains
/// it. Returns `None` if the path is a system name that no bytes represent.
pub(crate) fn as_reference(path: &Path) -> Option<String> {
    let text = joined(path, encode)?;
    if path.is_absolute() {
        // A third slash precedes a drive letter.
        let root = if text.starts_with('/') { "" } else { "/" };
        return Some(format!("file://{root}{text}"));
    }
    Some(guarded(text))
}

/// Returns a path as it is, with `/` between its parts, or `None` if it is not UTF-8.
pub(crate) fn as_plain_path(path: &Path) -> Option<String> {
    joined(path, |part| part.to_str().map(str::to_owned)).map(guarded)
}

/// Protects a relative reference whose first segment could be taken for a scheme, a drive or a Windows path.
fn guarded(text: String) -> String {
    let first = text.split('/').next().unwrap_or_default();
    if first.contains(':') || first.starts_with('\\') {
        return format!("./{text}");
    }
    text
}

/// Returns the relative path from a directory to a file, both absolute and without dots, or `None` if they are on
/// different drives.
pub(crate) fn relative_path(directory: &Path, file: &Path) -> Option<PathBuf> {
    let from: Vec<Component> = directory.components().collect();
    let to: Vec<Component> = file.components().collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if same == 0 {
        return None;
    }
    let mut way = PathBuf::new();
    from[same..].iter().for_each(|_| way.push(".."));
    way.extend(&to[same..]);
    Some(way)
}

fn joined(path: &Path, written: impl Fn(&OsStr) -> Option<String>) -> Option<String> {
    let mut text = String::new();
    for component in path.components() {
        if component == Component::RootDir {
            text.push('/');
            continue;
        }
        if !text.is_empty() && !text.ends_with('/') {
            text.push('/');
        }
        text.push_str(&written(component.as_os_str())?);
    }
    Some(text)
}

fn encode(part: &OsStr) -> Option<String> {
    let mut out = String::new();
    for &byte in bytes_of(part)? {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    Some(out)
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::uri::percent_decode;
    use super::*;
    use crate::io::os::path_from_bytes;
    use proptest::prelude::*;

    #[test]
    fn ways_between_directories() {
        let way = |from: &str, to: &str| relative_path(Path::new(from), Path::new(to)).unwrap();
        assert_eq!(way("/a/b", "/a/b/c.nc"), Path::new("c.nc"));
        assert_eq!(way("/a/b", "/a/x/c.nc"), Path::new("../x/c.nc"));
        assert_eq!(way("/", "/x/c.nc"), Path::new("x/c.nc"));
        assert_eq!(way("/a/bc", "/a/b/c.nc"), Path::new("../b/c.nc"));
    }

    #[test]
    fn paths_become_uri_references() {
        let reference = |path: &str| as_reference(Path::new(path)).unwrap();
        assert_eq!(reference("a b/50%#1?.nc"), "a%20b/50%25%231%3F.nc");
        assert_eq!(reference("run:1.nc"), "./run:1.nc");
        assert_eq!(reference("d/run:1.nc"), "d/run:1.nc");
        assert_eq!(reference("é.nc"), "%C3%A9.nc");
        assert_eq!(reference("/a b/${x}.nc"), "file:///a%20b/$%7Bx%7D.nc");
    }

    #[test]
    fn plain_paths_are_those_that_are_read_as_they_are() {
        let plain = |path: &str| as_plain_path(Path::new(path));
        assert_eq!(plain("/a b/é.nc").as_deref(), Some("/a b/é.nc"));
        assert_eq!(plain("50%.nc").as_deref(), Some("50%.nc"));
        assert_eq!(plain("run:1.nc").as_deref(), Some("./run:1.nc"));
        assert_eq!(plain("\\x.nc").as_deref(), Some("./\\x.nc"));
        assert_eq!(plain("a%41.nc").as_deref(), Some("a%41.nc"));
    }

    proptest! {
        #[test]
        fn any_bytes_lead_back_to_the_name(bytes in proptest::collection::vec(1u8..=255, 1..12)) {
            prop_assume!(!bytes.contains(&b'/') && bytes != b"." && bytes != b"..");
            let path = path_from_bytes([b"d/", &bytes[..]].concat()).unwrap();
            let decoded = percent_decode(&as_reference(&path).unwrap()).unwrap().unwrap();
            prop_assert_eq!(path_from_bytes(decoded).unwrap(), path.clone());
            prop_assert_eq!(as_plain_path(&path).is_some(), std::str::from_utf8(&bytes).is_ok());
        }
    }
}
