//! From the name of a fragment to bytes: substitution, URI, policy.
//!
//! CF-1.13 section 2.8.1 (`uris`) and the corresponding terms of the CFA texts. An aggregation file is untrusted and
//! names other files, so the steps are: `rewrite` replaces keywords from the file's table and the settings, never from
//! the environment; `uri` parses the name as a URI reference and decodes its percent-encoding once; `resolve` lists the
//! places that it may mean; and each place is opened under the policy (`policy` for local files, `virtual_files`, and
//! [`crate::io::remote`] for servers). The policy is checked again on the open file and on each redirection.

mod above;
mod file;
pub(crate) mod fingerprint;
mod input;
mod origin;
mod policy;
mod resolve;
mod rewrite;
mod store_names;
mod stores;
mod uri;
mod virtual_files;
mod written;

use std::fs;
use std::path::Path;

use crate::error::{Error, Kind, Result};
use crate::io::os::{is_absence, is_virtual, Attempt, VirtualFile};
pub use crate::io::os::{shown, FileState, LocalFile};
use crate::io::remote::{Access, RemoteFile, S3Settings, Url};
use crate::io::source::Source;
use crate::options::OpenOptions;
pub(crate) use file::Pinned;
pub use file::{File, Identity};
use origin::Base;
pub use origin::{Origin, Place};
use policy::Policy;
pub(crate) use resolve::candidates;
pub use resolve::Style;
pub use rewrite::{join_base, substitute, unknown_keyword};
pub use store_names::stays_inside;
pub use stores::find_store;
pub use uri::is_absolute;
pub(crate) use uri::{parse, Reference};
pub(crate) use {
    input::{addresses, as_input, is_address},
    resolve::remove_dots,
    rewrite::relocate,
    written::{as_plain_path, as_reference, relative_path},
};

/// The result of opening one version of a fragment.
#[derive(Debug)]
pub enum Opened {
    /// Its file is open.
    Found(Found),
    /// There is no such file, or the location has another host or an unknown scheme. Lists what was tried, each with
    /// its reason. The caller tries the next version.
    Absent(Vec<String>),
}

/// An open fragment file.
#[derive(Debug)]
pub struct Found {
    /// The file.
    pub file: File,
    /// Where it was found; for [`Origin::nested`].
    pub places: Vec<Place>,
}

impl Found {
    fn at(place: Place, file: File) -> Self {
        Found { places: file.places(place), file }
    }

    /// Returns the identity of the file, for caches and the detection of cycles.
    pub fn identity(&self) -> Identity {
        self.file.identity()
    }
}

/// Returns whether a location in an aggregation file may lead to a server, without looking closely.
pub(crate) fn may_be_remote(origin: &Origin, name: &str, options: &OpenOptions) -> bool {
    let names_server = |name: &str| name.contains("://") && !name.starts_with("file:");
    let is_moved = |(_, to): &(String, String)| names_server(to);
    origin.is_remote()
        || names_server(name)
        || options.relocate.iter().any(is_moved)
        || options.substitutions.iter().any(is_moved)
}

/// Opens one version of a fragment. `name` is its location after the substitutions of the file.
///
/// Keywords that remain are replaced from the settings, and so is a prefix that moved.
///
/// # Errors
/// Unlike [`Opened::Absent`], these are final for the version: `Uri` for a malformed location, `Policy` for one that
/// the settings do not allow (whether or not it exists), `FragmentUnreadable` for a file without read permission, for
/// what is no regular file (FIFO, device, socket, directory) and for a server that does not answer, `Unsupported` for
/// what this build cannot reach.
pub fn open_fragment(origin: &Origin, name: &str, style: Style, options: &OpenOptions) -> Result<Opened> {
    let candidates = resolve::candidates(origin, name, style, options)?;
    let mut tried = candidates.reasons;
    let mut refusal = None;
    for place in candidates.places {
        match open_place(origin, &place, options) {
            Ok(Some(file)) => return Ok(Opened::Found(Found::at(place, file))),
            Ok(None) => tried.push(format!("{place}: no such file")),
            Err(error) if error.is_absence() => tried.push(error.to_string()),
            // Another interpretation of the name may still be allowed.
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

/// Opens one version of a fragment as [`open_fragment`] does, if its file is still in the recorded state. A file on a
/// server is not requested: each answer to a later request shows whether its state is the recorded one.
///
/// # Errors
/// As [`open_fragment`].
// Without servers there is no `RemoteFile`.
#[cfg_attr(not(feature = "remote"), allow(unreachable_code))]
pub(crate) fn open_recorded(
    origin: &Origin,
    name: &str,
    style: Style,
    options: &OpenOptions,
    recorded: Recorded,
) -> Result<Option<Found>> {
    for place in resolve::candidates(origin, name, style, options)?.places {
        let file = match &place {
            Place::Remote(url) => {
                let Recorded { length, fingerprint } = recorded;
                let access = access(origin, options);
                Some(File::Remote(Box::new(RemoteFile::recorded(url, access, options, length, fingerprint))))
            }
            place => open_place(origin, place, options)?,
        };
        let Some(file) = file else { continue };
        let is_true = file.len() == recorded.length && file.fingerprint() == Some(recorded.fingerprint);
        return Ok(is_true.then(|| Found::at(place, file)));
    }
    Ok(None)
}

/// The recorded state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Recorded {
    /// Its length in bytes.
    pub(crate) length: u64,
    /// See [`fingerprint`].
    pub(crate) fingerprint: u64,
}

/// Opens the file of a fragment at a local place under the policy. Returns `None` if there is no such file.
///
/// # Errors
/// As [`open_fragment`].
pub(crate) fn open_local_fragment(
    origin: &Origin,
    path: &Path,
    options: &OpenOptions,
) -> Result<Option<LocalFile>> {
    open_local(path, &Policy::new(origin, options))
}

fn open_place(origin: &Origin, place: &Place, options: &OpenOptions) -> Result<Option<File>> {
    let opened = match place {
        Place::Local(path) => {
            open_local(path, &Policy::new(origin, options)).map(|file| file.map(File::Local))
        }
        Place::Virtual(path) => virtual_files::judge(origin, path, options).map(|()| open_virtual(path)),
        Place::Remote(url) => RemoteFile::open(url, access(origin, options), options)
            .map(|file| file.map(Box::new).map(File::Remote)),
    };
    opened.map_err(|error| unreadable(error, place))
}

/// Returns what an aggregation file at this origin may request from servers.
fn access(origin: &Origin, options: &OpenOptions) -> Access {
    let urls = |base: &Base| match base {
        Base::Local(_) => Vec::new(),
        // A file that GDAL fetched from a server has the origin of that server.
        Base::Virtual(directory) => {
            let path = directory.to_str().unwrap_or_default();
            let http = path.strip_prefix("/vsicurl/").map(|url| format!("{url}/"));
            let store = path.strip_prefix("/vsis3/").map(|path| format!("s3://{path}/"));
            http.or(store).and_then(|url| Url::parse(&url).ok()).into_iter().collect()
        }
        Base::Remote(urls) => urls.clone(),
    };
    Access::of_fragments(!origin.is_local(), urls(&origin.base), urls(&origin.home), options, &origin.s3)
}

/// Opens an aggregation file that the user named by a path or a URI. Of the policy, only the rule on the network
/// addresses of servers applies to it.
///
/// # Errors
/// `Io` if it is absent, not a regular file or not readable; `Policy`, `Unsupported`.
pub fn open_named(path: &Path, options: &OpenOptions) -> Result<(Found, Origin)> {
    let s3 = S3Settings::default();
    let found = find(path, options, &s3, true)?;
    let origin = Origin::of(&found.places, s3)?;
    Ok((found, origin))
}

/// Like [`open_named`], but does not determine the origin, for callers that only inspect the file.
///
/// # Errors
/// `Io`, `Uri`, `Policy`, `Unsupported`.
pub fn find_named(path: &Path, options: &OpenOptions) -> Result<Found> {
    find(path, options, &S3Settings::default(), false)
}

/// Finds the file that the user named; `leads_on` if what it names is read too.
fn find(path: &Path, options: &OpenOptions, s3: &S3Settings, leads_on: bool) -> Result<Found> {
    let places = places_named(path)?;
    let absent = |message: &str| Error::new(Kind::Io, message).of_absence().in_file(places[0].to_string());
    for place in &places {
        let file = match place {
            Place::Local(path) => File::Local(LocalFile::open(path)?),
            Place::Virtual(path) => open_virtual(path).ok_or_else(|| absent("GDAL cannot open it"))?,
            Place::Remote(url) => {
                let access = Access::of_named(url, options, s3);
                if leads_on {
                    RemoteFile::connect_ahead(url, access.clone(), options);
                }
                match RemoteFile::open(url, access, options)? {
                    Some(file) => File::Remote(Box::new(file)),
                    None => continue,
                }
            }
        };
        return Ok(Found::at(place.clone(), file));
    }
    Err(absent("no such file"))
}

/// The origin of an aggregation file that the user has otherwise than by its name, such as in memory: fragments are looked
/// for, and judged by the policy, as if it lay at this path or address. The text is its name in messages.
///
/// # Errors
/// `Uri` for a malformed address, `Io` when its directory does not exist.
pub(crate) fn origin_named(path: &Path) -> Result<(String, Origin)> {
    let places = places_named(path)?;
    let name = places[0].to_string();
    let origin = Origin::of(&places[..1], S3Settings::default()).map_err(|error| error.in_file(&*name))?;
    Ok((name, origin))
}

/// Returns the place that the user names; of an address, all places that it may mean.
fn places_named(path: &Path) -> Result<Vec<Place>> {
    if is_virtual(path) {
        return Ok(vec![Place::Virtual(path.to_owned())]);
    }
    let given = vec![Place::Local(path.to_owned())];
    let Some(name) = path.to_str().filter(|name| name.contains(':')) else { return Ok(given) };
    if !matches!(uri::parse(name)?, uri::Reference::Network(_) | uri::Reference::File(_)) {
        return Ok(given);
    }
    let here = Origin::local(Path::new("."))?;
    let mut places = resolve::candidates(&here, name, Style::UriOrPath, &OpenOptions::default())?.places;
    if let Some(Place::Local(_)) = places.first() {
        let exists = |place: &Place| matches!(place, Place::Local(path) if path.exists());
        let first = places.iter().position(exists).unwrap_or_default();
        return Ok(vec![places.swap_remove(first)]);
    }
    Ok(if places.is_empty() { given } else { places })
}

fn open_virtual(path: &Path) -> Option<File> {
    VirtualFile::open(path).map(File::Virtual)
}

fn open_local(path: &Path, policy: &Policy) -> Result<Option<LocalFile>> {
    if !policy.is_restricted() {
        return open_regular(path);
    }
    let real = match fs::canonicalize(path) {
        Ok(real) => real,
        Err(error) if is_absence(&error) => {
            let real = policy::resolve_existing(path);
            return if policy.allows(&real) { Ok(None) } else { Err(policy.refusal(path, &real)) };
        }
        Err(error) => return Err(Error::new(Kind::Io, "not readable").because(error)),
    };
    if !policy.allows(&real) {
        return Err(policy.refusal(path, &real));
    }
    let Some(file) = open_regular(&real)? else { return Ok(None) };
    // A directory of the path may have been replaced by a link since the check.
    let opened = file.real_path(&real)?;
    if !policy.allows(&opened) {
        return Err(policy.refusal(path, &opened));
    }
    Ok(Some(file))
}

fn open_regular(path: &Path) -> Result<Option<LocalFile>> {
    match LocalFile::attempt(path)? {
        Attempt::Open(file) => Ok(Some(file)),
        Attempt::Absent => Ok(None),
    }
}

/// Puts the name of the fragment's file into the message, since the file of the error is the aggregation file.
fn unreadable(error: Error, place: &Place) -> Error {
    if matches!(error.kind(), Kind::Policy | Kind::Cancelled) || error.is_absence() {
        return error;
    }
    let text = error.to_string();
    let reason = error
        .file()
        .and_then(|file| text.strip_prefix(file))
        .map_or(&*text, |rest| rest.strip_prefix(": ").unwrap_or(rest));
    Error::new(Kind::FragmentUnreadable, format!("'{place}': {reason}"))
}
