//! From the name of a fragment to bytes: substitution, URI, policy.
//!
//! CF-1.13 section 2.8.1 (`uris`) and the corresponding terms of the CFA texts. An aggregation file is untrusted and
//! names other files, so the rules are: keywords are replaced from the file's table and the settings and never from
//! the environment (`rewrite`), the name is parsed as a URI reference and percent-decoded once (`uri`), the local
//! paths it may mean are listed (`resolve`), and each is opened under the policy (`policy`), which is judged again
//! on the open file. Network locations are not supported yet.

mod policy;
mod resolve;
mod rewrite;
#[cfg(feature = "gdal")]
mod stores;
mod uri;
mod virtual_files;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::options::OpenOptions;
use crate::os::{is_absence, is_virtual, Attempt};
pub use crate::os::{FileIdentity, FileState, LocalFile};
use policy::Policy;
pub use resolve::{Origin, Style};
pub use rewrite::{join_base, substitute, unknown_keyword};
#[cfg(feature = "gdal")]
pub use stores::find_store;
pub use uri::{is_absolute, redact};
#[cfg(feature = "write")]
pub(crate) use {
    resolve::{candidates, remove_dots},
    rewrite::relocate,
    uri::{parse, Reference},
};

/// What became of one version of a fragment.
#[derive(Debug)]
pub enum Opened {
    /// Its file is open.
    Found(Found),
    /// There is no such file, or the location has another host or an unknown scheme: what was tried, each with its
    /// reason. The next version is to be tried.
    Absent(Vec<String>),
}

/// An open fragment file.
#[derive(Debug)]
pub struct Found {
    /// The file.
    pub file: LocalFile,
    /// The path under which it was found; for [`Origin::nested`].
    pub path: PathBuf,
}

impl Found {
    /// Which file it is, for caches and the detection of cycles.
    pub fn identity(&self) -> &FileIdentity {
        self.file.identity()
    }
}

/// Opens one version of a fragment: `name` is its location after the substitutions of the file.
///
/// Keywords that are left are replaced from the settings, and a prefix that moved is replaced.
///
/// # Errors
/// These concern the version for good, unlike [`Opened::Absent`]: `Uri` for a malformed location, `Policy` for one
/// that the settings do not allow (whether or not it exists), `FragmentUnreadable` for what may not be read or is no
/// regular file (FIFO, device, socket, directory), `Unsupported` for a network location.
pub fn open_fragment(origin: &Origin, name: &str, style: Style, options: &OpenOptions) -> Result<Opened> {
    let candidates = resolve::candidates(origin, name, style, options)?;
    if origin.is_virtual() {
        return virtual_files::open(origin, candidates, options);
    }
    let policy = Policy::new(origin, options);
    let mut tried = candidates.reasons;
    let mut refusal = None;
    for path in candidates.paths {
        match open_candidate(&path, &policy) {
            Ok(Some(file)) => return Ok(Opened::Found(Found { file, path })),
            Ok(None) => tried.push(format!("{}: no such file", redact(&path.display().to_string()))),
            // Another reading of the name may still be allowed.
            Err(error) if error.kind() == Kind::Policy => {
                refusal.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    match refusal {
        Some(error) => Err(error),
        None => Ok(Opened::Absent(tried)),
    }
}

/// Opens an aggregation file that the user named by a path or a `file:` URI; no policy applies to it.
///
/// # Errors
/// `Io` when it is absent, not a regular file or not readable; `Unsupported` for a network location.
pub fn open_named(path: &Path) -> Result<(Found, Origin)> {
    let found = find_named(path)?;
    let origin = Origin::local(&found.path)?;
    Ok((found, origin))
}

/// As [`open_named`], for a look at the file alone: where it lies is not asked for.
///
/// # Errors
/// `Io`, `Uri`.
pub fn find_named(path: &Path) -> Result<Found> {
    let mut path = path.to_owned();
    if is_virtual(&path) {
        let shown = redact(&path.display().to_string()).to_string();
        let absent = || Error::new(Kind::Io, "GDAL cannot open it").in_file(shown);
        return Ok(Found { file: LocalFile::open_virtual(&path).ok_or_else(absent)?, path });
    }
    if let Some(name) = path.to_str().filter(|name| name.contains(':')) {
        if let uri::Reference::Network(_) | uri::Reference::File(_) = uri::parse(name)? {
            let here = Origin::local(Path::new("."))?;
            let candidates = resolve::candidates(&here, name, Style::UriOrPath, &OpenOptions::default())?;
            let mut paths = candidates.paths.into_iter();
            let first = paths.next();
            let existing = first.iter().cloned().chain(paths).find(|path| path.exists());
            path = existing.or(first).unwrap_or(path);
        }
    }
    let file = LocalFile::open(&path)?;
    Ok(Found { file, path })
}

fn open_candidate(path: &Path, policy: &Policy) -> Result<Option<LocalFile>> {
    if !policy.is_restricted() {
        return open_regular(path);
    }
    let real = match fs::canonicalize(path) {
        Ok(real) => real,
        Err(error) if is_absence(&error) => {
            let real = policy::resolve_existing(path);
            return if policy.allows(&real) { Ok(None) } else { Err(policy.refusal(path, &real)) };
        }
        Err(error) => return Err(unreadable(Error::new(Kind::Io, "not readable").because(error), path)),
    };
    if !policy.allows(&real) {
        return Err(policy.refusal(path, &real));
    }
    let Some(file) = open_regular(&real)? else { return Ok(None) };
    // A directory of the path may have been exchanged for a link since it was judged.
    let opened = file.real_path(&real).map_err(|error| unreadable(error, path))?;
    if !policy.allows(&opened) {
        return Err(policy.refusal(path, &opened));
    }
    Ok(Some(file))
}

fn open_regular(path: &Path) -> Result<Option<LocalFile>> {
    match LocalFile::attempt(path) {
        Ok(Attempt::Open(file)) => Ok(Some(file)),
        Ok(Attempt::Absent) => Ok(None),
        Err(error) => Err(unreadable(error, path)),
    }
}

/// The file is named in the message, since the place of the error is the aggregation file.
fn unreadable(error: Error, path: &Path) -> Error {
    let shown = redact(&path.display().to_string());
    let text = error.to_string();
    let reason = error
        .file()
        .and_then(|file| text.strip_prefix(file))
        .map_or(&*text, |rest| rest.strip_prefix(": ").unwrap_or(rest));
    Error::new(Kind::FragmentUnreadable, format!("'{shown}': {reason}"))
}
