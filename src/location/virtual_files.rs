//! Fragments of an aggregation file that lies in GDAL's virtual file system: an archive, memory, a remote store.
//!
//! Such a file is like a remote one: by default it may name what is beside it or below, and no local file.

use std::path::Path;

use super::resolve::{Candidates, Origin};
use super::uri::redact;
use super::{open_regular, Found, LocalFile, Opened};
use crate::error::{Error, Kind, Result};
use crate::options::{AllowedSources, OpenOptions};
use crate::os::is_virtual;

/// Opens the first of the paths that exists.
///
/// # Errors
/// `Policy` for one that the settings do not allow, `FragmentUnreadable` for a local one that cannot be read.
pub fn open(origin: &Origin, candidates: Candidates, options: &OpenOptions) -> Result<Opened> {
    let mut tried = candidates.reasons;
    for path in candidates.paths {
        let shown = redact(&path.display().to_string()).to_string();
        allow(origin, &path, options)?;
        let file = if is_virtual(&path) { LocalFile::open_virtual(&path) } else { open_regular(&path)? };
        match file {
            Some(file) => return Ok(Opened::Found(Found { file, path })),
            None => tried.push(format!("{shown}: no such file")),
        }
    }
    Ok(Opened::Absent(tried))
}

/// Judges a path.
///
/// # Errors
/// `Policy`.
pub fn allow(origin: &Origin, path: &Path, options: &OpenOptions) -> Result<()> {
    if is_allowed(origin, path, options) {
        return Ok(());
    }
    let message = format!(
        "'{}' is not beside the aggregation file, which lies in an archive or a store; a list in ALLOWED_SOURCES \
         allows it",
        redact(&path.display().to_string())
    );
    Err(Error::new(Kind::Policy, message))
}

fn is_allowed(origin: &Origin, path: &Path, options: &OpenOptions) -> bool {
    let beside = origin.siblings().iter().any(|directory| lies_below(path, directory));
    match &options.allowed_sources {
        AllowedSources::All => true,
        AllowedSources::Local => beside || !is_virtual(path),
        AllowedSources::Prefixes(list) => list.iter().any(|prefix| lies_below(path, Path::new(prefix))),
        AllowedSources::Siblings | AllowedSources::Default => beside,
    }
}

/// By whole segments of the text: `..` has been removed from the path.
fn lies_below(path: &Path, directory: &Path) -> bool {
    let (path, directory) = (path.to_string_lossy(), directory.to_string_lossy());
    let rest = path.strip_prefix(directory.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_segments_are_compared() {
        for (path, directory, expected) in [
            ("/vsizip//d/a.zip/f.nc", "/vsizip//d/a.zip", true),
            ("/vsizip//d/a.zip/s/f.nc", "/vsizip//d/a.zip/", true),
            ("/vsizip//d/a.zipped/f.nc", "/vsizip//d/a.zip", false),
            ("/vsizip/d/a.zip/f.nc", "/vsizip//d/a.zip", false),
            ("/etc/passwd", "/vsimem", false),
        ] {
            assert_eq!(lies_below(Path::new(path), Path::new(directory)), expected, "{path}");
        }
    }
}
