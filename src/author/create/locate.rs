//! The locations of fragments in the aggregation file: relative to it, absolute, or below a base. That of a file on a
//! server is its address.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Locations;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::location::{is_address, relative_path};
use crate::io::os::shown;
use crate::model::Dialect;

/// Determines the locations of fragments.
pub(super) struct Locator {
    folder: PathBuf,
    locations: Locations,
    dialect: Dialect,
    /// Real directories by the names under which they were passed.
    real: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl Locator {
    /// Returns the locator for an aggregation file of this name.
    ///
    /// # Errors
    /// `Io` if its directory does not exist.
    pub fn new(out: &Path, locations: &Locations, dialect: Dialect) -> Result<Locator> {
        let folder = real_folder(out)?;
        Ok(Locator { folder, locations: locations.clone(), dialect, real: Mutex::default() })
    }

    /// Returns the location of a file.
    ///
    /// # Errors
    /// `Io` if its directory does not exist, `Unsupported` if there is no relative name for it.
    pub fn location(&self, file: &Path) -> Result<String> {
        if let Some(address) = file.to_str().filter(|_| is_address(file)) {
            return Ok(address.to_owned());
        }
        let given = file.parent().unwrap_or(Path::new("")).to_owned();
        let known = self.real.lock().unwrap_or_else(PoisonError::into_inner).get(&given).cloned();
        let folder = match known {
            Some(folder) => folder,
            None => {
                let folder = real_folder(file)?;
                self.real.lock().unwrap_or_else(PoisonError::into_inner).insert(given, folder.clone());
                folder
            }
        };
        let name = file.file_name().ok_or_else(|| no_name(file))?;
        let whole = folder.join(name);
        match &self.locations {
            Locations::Absolute => self.dialect.location(&whole),
            Locations::Relative => self.relative(&whole, file),
            Locations::Base(base) => {
                let relative = self.relative(&whole, file)?;
                below(base, &relative).ok_or_else(|| {
                    let message = format!("{relative} leads out of the base '{}'", redact(base));
                    Error::new(Kind::Unsupported, message).in_file(shown(file))
                })
            }
        }
    }

    fn relative(&self, whole: &Path, file: &Path) -> Result<String> {
        let way = relative_path(&self.folder, whole).ok_or_else(|| {
            let message = "it is on another drive than the aggregation file; use absolute locations";
            Error::new(Kind::Unsupported, message).in_file(shown(file))
        })?;
        self.dialect.location(&way)
    }
}

/// Returns a relative name below a base. Steps upward are applied to the base, so that readers need not apply them.
///
/// `None` if the base has too few directories: the host of a URL and substitutions do not count as directories.
fn below(base: &str, relative: &str) -> Option<String> {
    if base.is_empty() {
        return Some(relative.to_owned());
    }
    // The path of a URL begins at the first slash after the host.
    let path = base.find("://").map_or(0, |i| i + 3 + base[i + 3..].find('/').unwrap_or(base.len() - i - 3));
    let (host, folder) = base.split_at(path);
    let is_absolute = folder.starts_with('/') || !host.is_empty();
    let mut folders: Vec<&str> = folder.split('/').filter(|f| !f.is_empty()).collect();
    let mut rest = relative;
    while let Some(inner) = rest.strip_prefix("../") {
        let last = folders.pop()?;
        if last == "." || last == ".." || last.contains('$') {
            return None;
        }
        rest = inner;
    }
    folders.push(rest);
    let root = if is_absolute { "/" } else { "" };
    Some(format!("{host}{root}{}", folders.join("/")))
}

fn no_name(file: &Path) -> Error {
    Error::new(Kind::Request, "it is not the name of a file").in_file(shown(file))
}

/// Returns the directory of a file, without symbolic links.
fn real_folder(file: &Path) -> Result<PathBuf> {
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::canonicalize(folder)
        .map_err(|e| Error::new(Kind::Io, "its directory cannot be found").because(e).in_file(shown(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_upward_are_taken_in_the_base() {
        for (base, relative, whole) in [
            ("https://host/x", "f.nc", Some("https://host/x/f.nc")),
            ("https://host/x/", "../a/f.nc", Some("https://host/a/f.nc")),
            ("https://host/x/y", "../../f.nc", Some("https://host/f.nc")),
            ("https://host/x", "../../f.nc", None),
            ("https://host", "f.nc", Some("https://host/f.nc")),
            ("https://host", "../f.nc", None),
            ("s3://bucket/a", "../f.nc", Some("s3://bucket/f.nc")),
            ("file:///a/b", "../f.nc", Some("file:///a/f.nc")),
            ("/a/b/", "../f.nc", Some("/a/f.nc")),
            ("/a", "../../f.nc", None),
            ("archive", "../f.nc", Some("f.nc")),
            ("${base}", "f.nc", Some("${base}/f.nc")),
            ("${base}", "../f.nc", None),
            ("", "../f.nc", Some("../f.nc")),
        ] {
            assert_eq!(below(base, relative).as_deref(), whole, "{base} {relative}");
        }
    }

    #[test]
    fn names_are_relative_absolute_or_below_a_base() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        std::fs::create_dir_all(root.join("a b")).unwrap();
        std::fs::create_dir_all(root.join("out")).unwrap();
        let name = |locations: Locations, dialect| {
            let locator = Locator::new(&root.join("out/agg.nc"), &locations, dialect).unwrap();
            locator.location(&root.join("a b/50%.nc")).unwrap()
        };
        assert_eq!(name(Locations::Relative, Dialect::Cf113), "../a%20b/50%25.nc");
        assert_eq!(name(Locations::Relative, Dialect::Cfa04), "../a b/50%.nc");
        assert!(name(Locations::Absolute, Dialect::Cf113).starts_with("file:///"));
        let base = Locations::Base("https://host/x".into());
        assert_eq!(name(base, Dialect::Cf113), "https://host/a%20b/50%25.nc");
        let locator = Locator::new(&root.join("agg.nc"), &Locations::Relative, Dialect::Cf113).unwrap();
        assert_eq!(locator.location(&root.join("run:1.nc")).unwrap(), "./run:1.nc");
        assert_eq!(locator.location(Path::new("s3://b/a//c.nc")).unwrap(), "s3://b/a//c.nc");
    }
}
