//! GDAL's virtual file system, in which an aggregation file may lie: an archive, memory, a remote store.
//!
//! Such a file is treated like a remote one: by default it may name what is beside it or below, and no local file. Any
//! other file may name a place there only if ALLOWED_SOURCES lists it.

use std::path::Path;

use super::origin::{Base, Origin};
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::os::{is_virtual, shown};
use crate::options::{AllowedSources, OpenOptions};

/// Returns whether an absolute path in an aggregation file means a place in the virtual file system rather than one on
/// this machine.
pub fn is_meant(origin: &Origin, path: &Path, options: &OpenOptions) -> bool {
    is_virtual(path) && (matches!(origin.base, Base::Virtual(_)) || is_listed(path, options))
}

/// Checks a place in the virtual file system against the policy.
///
/// # Errors
/// `Policy`.
pub fn judge(origin: &Origin, path: &Path, options: &OpenOptions) -> Result<()> {
    let is_beside = |directory: &Path| is_container(directory) && lies_below(path, directory);
    let beside = is_virtual(path) && matches!(&origin.home, Base::Virtual(directory) if is_beside(directory));
    let allowed = match &options.allowed_sources {
        AllowedSources::All => true,
        AllowedSources::Prefixes(_) => is_listed(path, options),
        AllowedSources::Local | AllowedSources::Siblings | AllowedSources::Default => beside,
    };
    if allowed {
        return Ok(());
    }
    let message = format!(
        "'{}' is not beside the aggregation file, which lies in an archive or a store; a list in ALLOWED_SOURCES \
         allows it",
        redact(&shown(path))
    );
    Err(Error::new(Kind::Policy, message))
}

/// Returns whether a directory lies within an archive or the like. Directly below the name of a file system, as in
/// `/vsigzip/f.gz` and `/vsicurl?url=...`, everything would be beside it.
fn is_container(directory: &Path) -> bool {
    let within = directory.to_str().and_then(|directory| directory.strip_prefix("/vsi"));
    within.is_some_and(|within| match within.split_once('/') {
        Some((system, inner)) => !system.contains('?') && !inner.trim_matches('/').is_empty(),
        // Everything in memory is the program's own.
        None => within == "mem",
    })
}

fn is_listed(path: &Path, options: &OpenOptions) -> bool {
    let AllowedSources::Prefixes(list) = &options.allowed_sources else { return false };
    // The prefix `/`, all local files, does not include this file system.
    list.iter().map(Path::new).any(|prefix| is_virtual(prefix) && lies_below(path, prefix))
}

/// Compares whole segments of the text. A path with `..` could lead elsewhere, so it lies below nothing.
fn lies_below(path: &Path, directory: &Path) -> bool {
    let (path, directory) = (path.to_string_lossy(), directory.to_string_lossy());
    if has_parent_segments(&path) {
        return false;
    }
    let rest = path.strip_prefix(directory.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether a path has `..`, also percent-encoded any number of times: servers may decode more than once.
pub(super) fn has_parent_segments(path: &str) -> bool {
    let mut path = path.to_ascii_lowercase();
    loop {
        if path.split(['/', '\\']).any(|segment| segment == "..") {
            return true;
        }
        let decoded = path.replace("%25", "%").replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
        if decoded == path {
            return false;
        }
        path = decoded;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_right_below_a_file_system_is_in_no_container() {
        for directory in ["/vsizip//d/a.zip", "/vsicurl/http://h", "/vsimem", "/vsimem/a", "/vsigzip//data"] {
            assert!(is_container(Path::new(directory)), "{directory}");
        }
        for directory in
            ["/", "/vsizip", "/vsizip/", "/vsigzip//", "/vsicurl", "/vsicurl?url=http:/", "/tmp", ""]
        {
            assert!(!is_container(Path::new(directory)), "{directory}");
        }
    }

    #[test]
    fn whole_segments_are_compared() {
        for (path, directory, expected) in [
            ("/vsizip//d/a.zip/f.nc", "/vsizip//d/a.zip", true),
            ("/vsizip//d/a.zip/s/f.nc", "/vsizip//d/a.zip/", true),
            ("/vsizip//d/a.zipped/f.nc", "/vsizip//d/a.zip", false),
            ("/vsizip/d/a.zip/f.nc", "/vsizip//d/a.zip", false),
            ("/vsizip//d/a.zip/../f.nc", "/vsizip//d/a.zip", false),
            ("/vsicurl/http://h/d/%2e%2e/f.nc", "/vsicurl/http://h/d", false),
            ("/vsicurl/http://h/d/%25252E%252e%2Ff.nc", "/vsicurl/http://h/d", false),
            ("/vsicurl/http://h/d/a..b/f%20.nc", "/vsicurl/http://h/d", true),
            ("/etc/passwd", "/vsimem", false),
        ] {
            assert_eq!(lies_below(Path::new(path), Path::new(directory)), expected, "{path}");
        }
    }
}
