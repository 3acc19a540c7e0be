//! How fragments are named in the aggregation file: relative to it, absolutely, or below a base.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Locations;
use crate::error::{Error, Kind, Result};
use crate::model::Dialect;

/// Gives the names of fragments.
pub(super) struct Locator {
    folder: PathBuf,
    locations: Locations,
    dialect: Dialect,
    /// Real directories by the names that were given for them.
    real: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl Locator {
    /// For an aggregation file of this name.
    ///
    /// # Errors
    /// `Io` when its directory is not there.
    pub fn new(out: &Path, locations: &Locations, dialect: Dialect) -> Result<Locator> {
        let folder = real_folder(out)?;
        Ok(Locator { folder, locations: locations.clone(), dialect, real: Mutex::default() })
    }

    /// The location of a file.
    ///
    /// # Errors
    /// `Io` when its directory is not there, `Unsupported` when a relative name does not exist for it.
    pub fn location(&self, file: &Path) -> Result<String> {
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
            Locations::Absolute if self.dialect == Dialect::Cfa04 => Ok(whole.to_string_lossy().into_owned()),
            Locations::Absolute => {
                let path = slashed(&whole);
                // A drive letter follows a third slash.
                let root = if path.starts_with('/') { "" } else { "/" };
                Ok(format!("file://{root}{}", self.encode(&path)))
            }
            Locations::Relative => self.relative(&whole),
            Locations::Base(base) => {
                let separator = if base.is_empty() || base.ends_with('/') { "" } else { "/" };
                Ok(format!("{base}{separator}{}", self.relative(&whole)?))
            }
        }
    }

    fn relative(&self, file: &Path) -> Result<String> {
        let (ours, theirs): (Vec<_>, Vec<_>) =
            (self.folder.components().collect(), file.components().collect());
        let common = ours.iter().zip(&theirs).take_while(|(a, b)| a == b).count();
        if common == 0 {
            let message = format!("{} is on another drive; use absolute locations", file.display());
            return Err(Error::new(Kind::Unsupported, message));
        }
        let mut path = PathBuf::new();
        for _ in common..ours.len() {
            path.push("..");
        }
        path.extend(&theirs[common..]);
        let text = self.encode(&slashed(&path));
        let first = text.split('/').next().unwrap_or_default();
        // A colon in the first segment would be that of a scheme.
        Ok(if first.contains(':') { format!("./{text}") } else { text })
    }

    /// Percent-encoded, except in CFA-0.4, where locations are paths.
    fn encode(&self, path: &str) -> String {
        if self.dialect == Dialect::Cfa04 {
            return path.to_owned();
        }
        let mut out = String::with_capacity(path.len());
        for byte in path.bytes() {
            let plain = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&byte);
            if plain {
                out.push(byte as char);
            } else {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
        out
    }
}

fn no_name(file: &Path) -> Error {
    Error::new(Kind::Request, "it is not the name of a file").in_file(file.display().to_string())
}

/// The directory of a file, without symbolic links.
fn real_folder(file: &Path) -> Result<PathBuf> {
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::canonicalize(folder).map_err(|e| {
        Error::new(Kind::Io, "its directory cannot be found").because(e).in_file(file.display().to_string())
    })
}

fn slashed(path: &Path) -> String {
    let mut parts = Vec::new();
    for component in path.components() {
        parts.push(match component {
            Component::RootDir => String::new(),
            other => other.as_os_str().to_string_lossy().into_owned(),
        });
    }
    if parts.len() == 1 && parts[0].is_empty() {
        return "/".into();
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(name(base, Dialect::Cf113), "https://host/x/../a%20b/50%25.nc");
        let locator = Locator::new(&root.join("agg.nc"), &Locations::Relative, Dialect::Cf113).unwrap();
        assert_eq!(locator.location(&root.join("run:1.nc")).unwrap(), "./run:1.nc");
    }
}
