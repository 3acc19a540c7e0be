//! Which local files an aggregation file may make the library open.
//!
//! Paths are compared after symbolic links are resolved, by whole segments: `/data/a` allows `/data/a/f.nc` and not
//! `/data/ab/f.nc`. A path that does not exist is checked too, so that answers do not reveal which files exist
//! elsewhere.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::origin::Origin;
use super::resolve::remove_dots;
use super::uri::{parse, percent_decode, Reference};
use crate::error::secrets::redact;
use crate::error::{Error, Kind};
use crate::io::os::{path_from_bytes, shown};
use crate::options::{AllowedSources, OpenOptions};

/// The policy for one aggregation file.
#[derive(Debug)]
pub struct Policy {
    /// Directories or files without symbolic links; `None` if any local file is allowed.
    roots: Option<Vec<PathBuf>>,
    setting: &'static str,
}

impl Policy {
    /// Creates the policy that the settings define for the aggregation file at this origin.
    pub fn new(origin: &Origin, options: &OpenOptions) -> Self {
        let (roots, setting) = match &options.allowed_sources {
            AllowedSources::Siblings => (Some(origin.siblings()), "ALLOWED_SOURCES=SIBLINGS"),
            AllowedSources::Prefixes(list) => {
                let roots = list.iter().filter_map(|prefix| local_prefix(prefix)).collect();
                (Some(roots), "the list in ALLOWED_SOURCES")
            }
            AllowedSources::Local => (None, "ALLOWED_SOURCES=LOCAL"),
            AllowedSources::Default if origin.is_local() => (None, "ALLOWED_SOURCES=DEFAULT"),
            AllowedSources::Default => {
                (Some(Vec::new()), "ALLOWED_SOURCES=DEFAULT in a file that is not local")
            }
            AllowedSources::All => (None, "ALLOWED_SOURCES=ALL"),
        };
        Policy { roots, setting }
    }

    /// Returns whether some local files are not allowed, so that paths must be resolved and checked.
    pub fn is_restricted(&self) -> bool {
        self.roots.is_some()
    }

    /// Checks a path without symbolic links.
    pub fn allows(&self, real: &Path) -> bool {
        self.roots.as_ref().is_none_or(|roots| roots.iter().any(|root| real.starts_with(root)))
    }

    /// Returns the error for a path that is not allowed.
    pub fn refusal(&self, path: &Path, real: &Path) -> Error {
        let through = if remove_dots(path) == real { "" } else { ", symbolic links resolved," };
        // If a location has secrets, a part of it may be a part of them.
        let whole = shown(real);
        let directory = match redact(&whole) == whole {
            true => format!(" with '{}'", shown(real.parent().unwrap_or(real))),
            false => String::new(),
        };
        let message = format!(
            "'{}'{through} is outside of what {} allows; ALLOWED_SOURCES=LOCAL or a list{directory} allows it",
            redact(&shown(path)),
            self.setting,
        );
        Error::new(Kind::Policy, message)
    }
}

/// Returns the local path that a prefix of the list means, or `None` for a URL, which is for network locations.
fn local_prefix(prefix: &str) -> Option<PathBuf> {
    let path = match parse(prefix).ok()? {
        Reference::Absolute(path) => PathBuf::from(path),
        Reference::Windows(path) if cfg!(windows) => PathBuf::from(path),
        Reference::File(path) => match percent_decode(path).ok()? {
            Some(bytes) => path_from_bytes(bytes)?,
            None => PathBuf::from(path),
        },
        _ => return None,
    };
    Some(resolve_existing(&path))
}

/// Resolves the symbolic links of the existing part of an absolute path, and the dots of the rest by text.
pub fn resolve_existing(path: &Path) -> PathBuf {
    let mut rest: Vec<OsString> = Vec::new();
    let mut head = path.to_owned();
    loop {
        if let Ok(mut real) = fs::canonicalize(&head) {
            real.extend(rest.iter().rev());
            return remove_dots(&real);
        }
        // `file_name` of a path that ends in `..` is `None`; `components` returns that segment too.
        let Some(last) = head.components().next_back().map(|last| last.as_os_str().to_owned()) else {
            return remove_dots(path);
        };
        if !head.pop() {
            return remove_dots(path);
        }
        rest.push(last);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn policy(setting: &str, folder: &Path) -> Policy {
        let mut options = OpenOptions::default();
        options.set("ALLOWED_SOURCES", setting).unwrap();
        Policy::new(&Origin::local(&folder.join("agg.nc")).unwrap(), &options)
    }

    #[test]
    fn a_prefix_allows_whole_segments_only() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let policy = policy(&format!("{0}/a; file://{0}/b%20c/", root.display()), &root);
        for allowed in ["a", "a/f.nc", "a/b/f.nc", "b c/f.nc"] {
            assert!(policy.allows(&root.join(allowed)), "{allowed}");
        }
        for refused in ["ab/f.nc", "f.nc", "", "b", "b c2/f.nc", "b%20c/f.nc"] {
            assert!(!policy.allows(&root.join(refused)), "{refused}");
        }
    }

    #[test]
    fn siblings_are_the_directory_and_below() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let policy = policy("SIBLINGS", &root);
        assert!(policy.allows(&root.join("f.nc")) && policy.allows(&root.join("sub/f.nc")));
        assert!(!policy.allows(root.parent().unwrap()) && !policy.allows(Path::new("/etc/passwd")));
    }

    #[test]
    fn local_default_and_all_allow_any_local_file() {
        for setting in ["LOCAL", "DEFAULT", "ALL"] {
            let policy = policy(setting, Path::new("/"));
            assert!(!policy.is_restricted() && policy.allows(Path::new("/etc/passwd")));
        }
    }

    #[test]
    fn a_list_of_urls_allows_no_local_file() {
        let policy = policy("https://example.org/", Path::new("/"));
        assert!(policy.is_restricted() && !policy.allows(Path::new("/")));
    }

    #[test]
    fn a_refusal_names_the_setting_and_the_directory() {
        let refusal =
            policy("SIBLINGS", Path::new("/")).refusal(Path::new("/a/../b/f.nc"), Path::new("/b/f.nc"));
        assert_eq!(refusal.kind(), Kind::Policy);
        assert_eq!(
            refusal.message(),
            "'/a/../b/f.nc' is outside of what ALLOWED_SOURCES=SIBLINGS allows; \
             ALLOWED_SOURCES=LOCAL or a list with '/b' allows it"
        );
    }

    #[test]
    fn links_of_the_existing_part_are_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        assert_eq!(resolve_existing(&root.join("link/none/../x.nc")), root.join("real/x.nc"));
        assert_eq!(resolve_existing(&root.join("link/../../..")), resolve_existing(&root.join("../..")));
        assert_eq!(resolve_existing(Path::new("/no such/../x")), Path::new("/x"));
    }
}
