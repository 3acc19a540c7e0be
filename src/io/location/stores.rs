//! Zarr stores: directories that GDAL opens as a whole, so that everything in them must be checked beforehand.

use std::fs;
use std::path::{Path, PathBuf};

use super::above::Needs;
use super::origin::{Origin, Place};
use super::policy::Policy;
use super::resolve::{candidates, Style};
use super::{store_names, virtual_files};
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::os::{entries, is_virtual, list_virtual, shown, EntryKind, LocalFile, VirtualFile};
use crate::io::source::Source;
use crate::options::{AllowedSources, OpenOptions};

/// Returns the name by which GDAL opens the Zarr store at a location, if there is one. The policy applies to every file
/// in it.
///
/// # Errors
/// `Uri`, `Policy`. A location that is no store is not an error.
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
    // GDAL would take such a name for another file.
    if !real.is_dir() || is_virtual(&real) {
        return Ok(None);
    }
    let policy = Policy::new(origin, options);
    if !policy.allows(&real) {
        return Err(policy.refusal(path, &real));
    }
    check(&real, &policy)
        .map_err(|e| Error::new(Kind::Policy, format!("'{}' {}", redact(&shown(path)), e.message())))?;
    Ok(real.to_str().map(str::to_owned))
}

/// The maximum number of directories that belong to a store: it and what is above it.
const MOST_ROOTS: usize = 16;

/// Checks a store and what GDAL would read above it.
///
/// # Errors
/// `Policy`.
fn check(store: &Path, policy: &Policy) -> Result<()> {
    let (mut needs, mut seen) = (Needs::default(), 0);
    let mut roots = vec![store.to_owned()];
    let mut next = 0;
    while let Some(root) = roots.get(next) {
        if let Some(obstacle) = obstacle(root, policy.is_restricted(), &mut needs, &mut seen) {
            return Err(Error::new(Kind::Policy, obstacle));
        }
        next += 1;
        let found: Vec<PathBuf> = roots[..next].iter().flat_map(|root| needs.found(root)).collect();
        for place in found {
            let Ok(real) = fs::canonicalize(&place) else { continue };
            if !policy.allows(&real) {
                let refusal = policy.refusal(&place, &real);
                let message = format!("is described by what lies above it: {}", refusal.message());
                return Err(Error::new(Kind::Policy, message));
            }
            if !roots.iter().any(|root| real.starts_with(root)) {
                roots.push(real);
            }
            if roots.len() > MOST_ROOTS {
                return Err(Error::new(Kind::Policy, "is described by too many arrays above it"));
            }
        }
    }
    Ok(())
}

/// Returns a store in GDAL's virtual file system, with the prefix of its driver.
///
/// A store is recognised by the end of its name and by a file that each store has: servers do not report what is a
/// directory, and more checks would cost a request for each fragment.
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
    let refused = |obstacle: &str| Error::new(Kind::Policy, format!("'{}' {obstacle}", redact(&shown(path))));
    let mut files: Vec<PathBuf> = ROOT_METADATA.iter().map(|name| path.join(name)).collect();
    match list(path) {
        Some(all) => files.extend(all.iter().filter(|name| is_metadata(name)).map(|name| path.join(name))),
        // Names in it may lead to other places on the same server, and only there.
        None if is_restricted(options) => {
            return Err(refused(
                "is a Zarr store that cannot be listed, so that names in it are not under ALLOWED_SOURCES",
            ));
        }
        None => {}
    }
    let mut needs = Needs::default();
    for (path, file) in files.iter().filter_map(|path| Some((path, VirtualFile::open(path)?))) {
        if let Some(obstacle) = of_metadata(path, &file, &mut needs) {
            return Err(refused(obstacle));
        }
    }
    // On a server each search would cost a request.
    if is_listed(path) && !needs.found(path).is_empty() {
        return Err(refused("is described by what lies above it, which is not under ALLOWED_SOURCES"));
    }
    Ok(Some(format!("ZARR:\"{name}\"")))
}

/// Returns why a directory must not be passed to GDAL, which opens everything in it by name. `seen` counts the entries
/// of all directories.
fn obstacle(directory: &Path, links_are: bool, needs: &mut Needs, seen: &mut usize) -> Option<&'static str> {
    const MOST: usize = 1_000_000;
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let Ok(list) = entries(&directory) else {
            return Some("has a directory that cannot be read");
        };
        for entry in list {
            *seen += 1;
            if *seen > MOST {
                return Some("has too many files to check");
            }
            let kind = entry.as_ref().ok().and_then(|entry| entry.kind().ok());
            let (Ok(entry), Some(kind)) = (entry, kind) else { return Some("cannot be checked") };
            // A link to nothing is a chunk that is absent.
            let kind = match kind {
                EntryKind::Link if links_are => return Some("has symbolic links"),
                EntryKind::Link => {
                    fs::metadata(entry.path()).map(|target| EntryKind::of(target.file_type())).ok()
                }
                kind => Some(kind),
            };
            match kind {
                Some(EntryKind::Directory) => pending.push(entry.path().to_owned()),
                Some(kind) if kind != EntryKind::File => return Some("has a FIFO, a socket or a device"),
                Some(_) if is_metadata(&entry.name().to_string_lossy()) => {
                    let found = match LocalFile::open(entry.path()) {
                        Ok(file) => of_metadata(entry.path(), &file, needs),
                        Err(_) => Some("has metadata that cannot be read"),
                    };
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
        }
    }
    None
}

/// Files of metadata at the root of a store.
const ROOT_METADATA: [&str; 5] = [".zmetadata", ".zgroup", ".zarray", ".zattrs", "zarr.json"];

/// Returns whether a file of a store holds metadata: `.zarray` and the like of version 2, `zarr.json` and
/// `NAME.array.json` of 3.
fn is_metadata(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.starts_with(".z") || name.to_ascii_lowercase().ends_with(".json")
}

/// Returns why a store with these metadata, which are JSON, must not be passed to GDAL. Adds what they need.
fn of_metadata(path: &Path, file: &impl Source, needs: &mut Needs) -> Option<&'static str> {
    const MOST: u64 = 256 << 20;
    let unreadable = Some("has metadata that cannot be read");
    if file.len() > MOST {
        return unreadable;
    }
    let mut text = vec![0; file.len() as usize];
    if file.read_at(0, &mut text).is_err() {
        return unreadable;
    }
    if parsed_size(&text) > FLOOR + TIMES_LENGTH * text.len() {
        return Some("has metadata that need too much memory");
    }
    match serde_json::from_slice(&text) {
        Ok(metadata) => store_names::obstacle(&metadata).or_else(|| needs.add(path, &metadata)),
        Err(_) => unreadable,
    }
}

/// Bytes that parsed metadata may take, whatever their length, and for each byte of them.
const FLOOR: usize = 36 << 20;
const TIMES_LENGTH: usize = 8;

/// Returns about how many bytes JSON text takes when it is parsed, here or by GDAL.
fn parsed_size(text: &[u8]) -> usize {
    let size = |byte: &u8| match byte {
        b'{' => 700,
        b',' | b'[' => 64,
        _ => 1,
    };
    text.iter().map(size).sum()
}

/// Lists the names of files in a directory and below, if the file system has them at hand; a server would need a
/// request for each.
fn list(directory: &Path) -> Option<Vec<String>> {
    list_virtual(directory.to_str().filter(|_| is_listed(directory))?)
}

/// Returns whether a path belongs to a file system that is listed.
fn is_listed(path: &Path) -> bool {
    const LISTED: [&str; 5] = ["/vsizip/", "/vsitar/", "/vsimem/", "/vsi7z/", "/vsirar/"];
    path.to_str().is_some_and(|name| LISTED.iter().any(|system| name.starts_with(system)))
}

/// Returns whether the user restricted which places may be read.
fn is_restricted(options: &OpenOptions) -> bool {
    matches!(options.allowed_sources, AllowedSources::Siblings | AllowedSources::Prefixes(_))
}
