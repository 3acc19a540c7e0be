//! Zarr stores: directories that GDAL opens as a whole, so that all in them has to be judged beforehand.

use std::fs;
use std::path::Path;

use super::origin::{Origin, Place};
use super::policy::Policy;
use super::resolve::{candidates, Style};
use super::virtual_files;
use crate::error::{Error, Kind, Result};
use crate::options::OpenOptions;
use crate::os::{is_virtual, shown, LocalFile, VirtualFile};
use crate::secrets::redact;
use crate::source::Source;

/// The Zarr store that a location names, as GDAL is to open it, if it names one. Every file in it is under the policy.
///
/// # Errors
/// `Uri`, `Policy`; a location that is no store is not an error.
pub fn find_store(
    origin: &Origin,
    name: &str,
    style: Style,
    options: &OpenOptions,
) -> Result<Option<String>> {
    for place in candidates(origin, name, style, options)?.places {
        let store = match &place {
            Place::Local(path) => find_local(origin, path, options)?,
            Place::Virtual(path) => find_virtual(origin, path, options)?,
            Place::Remote(_) => None,
        };
        if store.is_some() {
            return Ok(store);
        }
    }
    Ok(None)
}

fn find_local(origin: &Origin, path: &Path, options: &OpenOptions) -> Result<Option<String>> {
    let Ok(real) = fs::canonicalize(path) else { return Ok(None) };
    // Such a name would mean another file to GDAL.
    if !real.is_dir() || is_virtual(&real) {
        return Ok(None);
    }
    let policy = Policy::new(origin, options);
    if !policy.allows(&real) {
        return Err(policy.refusal(path, &real));
    }
    if let Some(obstacle) = obstacle(&real, policy.is_restricted()) {
        let message = format!("'{}' {obstacle}", redact(&shown(path)));
        return Err(Error::new(Kind::Policy, message));
    }
    let catalogue = real.join(CATALOGUE);
    if catalogue.exists() && has_references(LocalFile::open(&catalogue).ok()) {
        return Err(names_others(path));
    }
    Ok(real.to_str().map(str::to_owned))
}

/// A store in GDAL's virtual file system, with the prefix of its driver.
///
/// Told by the end of its name and by a file that each store has: servers do not say what is a directory, and asking for
/// more would cost a request for each fragment.
fn find_virtual(origin: &Origin, path: &Path, options: &OpenOptions) -> Result<Option<String>> {
    // A quote would end the path in the name for the driver.
    let Some(name) = path.to_str().filter(|name| !name.contains('"')) else { return Ok(None) };
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zarr")) {
        return Ok(None);
    }
    virtual_files::judge(origin, path, options)?;
    let has = |mark: &&str| VirtualFile::open(&path.join(mark)).is_some();
    if ![".zgroup", ".zarray", "zarr.json"].iter().any(has) {
        return Ok(None);
    }
    let catalogue = VirtualFile::open(&path.join(CATALOGUE));
    if catalogue.is_some() && has_references(catalogue) {
        return Err(names_others(path));
    }
    Ok(Some(format!("ZARR:\"{name}\"")))
}

/// What keeps a directory from being given to GDAL, which opens by name whatever is in it.
fn obstacle(directory: &Path, links_are: bool) -> Option<&'static str> {
    const MOST: usize = 1_000_000;
    let (mut pending, mut seen) = (vec![directory.to_owned()], 0);
    while let Some(directory) = pending.pop() {
        let Ok(entries) = fs::read_dir(&directory) else {
            return Some("has a directory that cannot be read");
        };
        for entry in entries {
            seen += 1;
            if seen > MOST {
                return Some("has too many files to look through");
            }
            let kind = entry.as_ref().ok().and_then(|entry| entry.file_type().ok());
            let (Ok(entry), Some(kind)) = (entry, kind) else { return Some("cannot be looked through") };
            // A link that leads nowhere is a chunk that is not there.
            let kind = match kind.is_symlink() {
                true if links_are => return Some("has symbolic links"),
                true => fs::metadata(entry.path()).map(|target| target.file_type()).ok(),
                false => Some(kind),
            };
            match kind {
                Some(kind) if kind.is_dir() => pending.push(entry.path()),
                Some(kind) if !kind.is_file() => return Some("has a FIFO, a socket or a device"),
                _ => {}
            }
        }
    }
    None
}

/// The file that lists what is in a store.
const CATALOGUE: &str = ".zmetadata";

/// Whether a catalogue says that chunks lie in other files (a store of Kerchunk references, which GDAL follows from 3.11
/// on); so does one that cannot be read.
fn has_references(catalogue: Option<impl Source>) -> bool {
    const MOST: u64 = 256 << 20;
    let Some(file) = catalogue.filter(|file| file.len() <= MOST) else { return true };
    let mut text = vec![0; file.len() as usize];
    if file.read_at(0, &mut text).is_err() {
        return true;
    }
    let root = serde_json::from_slice::<serde_json::Value>(&text);
    root.map_or(true, |root| root.get("record_size").is_some())
}

fn names_others(path: &Path) -> Error {
    let shown = redact(&shown(path));
    Error::new(
        Kind::Policy,
        format!("'{shown}' has its chunks in other files, which are not under ALLOWED_SOURCES"),
    )
}
