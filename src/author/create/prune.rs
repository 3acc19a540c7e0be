//! Finds the fragments whose files are gone, which an update may remove from the aggregation.
//!
//! A file is gone if the operating system says that there is no file of this name. A file that cannot be reached
//! (permission, a link whose target is absent, a server) is not gone. If all files of a folder are gone, its disk may not
//! be mounted, so the user must accept that explicitly.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::existing::Existing;
use super::Prune;
use crate::author::option_name::OptionName;
use crate::error::{Error, Kind, Result};
use crate::io::location::{is_address, Place};
use crate::io::os::shown;

/// Returns the indices of the files of an aggregation that are gone.
///
/// # Errors
/// `Request` if all files of a folder are gone, unless that is accepted.
pub(super) fn gone(existing: &Existing, given: &[&Path], prune: Prune) -> Result<HashSet<usize>> {
    let mut gone = HashSet::new();
    if prune == Prune::Nothing {
        return Ok(gone);
    }
    // A folder of one of the given files exists.
    let folder = |path: &Path| std::path::absolute(path).ok().and_then(|p| p.parent().map(Path::to_owned));
    let there: HashSet<PathBuf> = given.iter().filter(|f| !is_address(f)).filter_map(|f| folder(f)).collect();
    let mut folders: BTreeMap<PathBuf, (usize, bool)> = BTreeMap::new();
    for number in 0..existing.files.len() {
        let places = existing.places(number);
        let paths: Option<Vec<&Path>> = places
            .iter()
            .map(|place| match place {
                Place::Local(path) => Some(&**path),
                _ => None,
            })
            .collect();
        let Some(paths) = paths.filter(|paths| !paths.is_empty()) else { continue };
        let is_gone = paths
            .iter()
            .all(|path| matches!(fs::symlink_metadata(path), Err(e) if e.kind() == ErrorKind::NotFound));
        if is_gone {
            gone.insert(number);
        }
        if let Some(folder) = folder(paths[0]) {
            let entry = folders.entry(folder).or_insert((0, false));
            entry.0 += 1;
            entry.1 |= !is_gone;
        }
    }
    let empty = folders.iter().find(|(folder, (_, has_some))| !has_some && !there.contains(*folder));
    match empty.filter(|_| prune != Prune::Folders) {
        None => Ok(gone),
        Some((folder, (count, _))) => {
            let message = format!(
                "all files of the aggregation in it ({count}) are gone, so its disk may not be mounted; {} removes \
                 them from the aggregation nevertheless",
                OptionName::PruneFolders
            );
            Err(Error::new(Kind::Request, message).in_file(shown(folder)))
        }
    }
}
