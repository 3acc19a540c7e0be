//! Opens the first usable version of a fragment.

use std::sync::Arc;

use super::files::OpenFile;
use super::foreign::{self, Foreign};
use super::versions::{is_of_version, Failure};
use super::{Chain, Host, Raw};
use crate::container::tree::VariableId;
use crate::container::{Container, Stored};
use crate::dialect::{self, reference};
use crate::error::message;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, Opened, Recorded, Style};
use crate::io::source::Source;
use crate::model::fragments::{Fragments, Version};

/// A fragment that is to be opened.
pub(crate) struct Wanted<'a> {
    /// The aggregation file.
    pub(crate) host: &'a Arc<dyn Host>,
    /// The aggregation variable.
    pub(crate) variable: VariableId,
    pub(crate) fragments: &'a Fragments,
    /// Its index in the array of fragments.
    pub(crate) index: &'a [u64],
    pub(crate) versions: &'a [Version],
    pub(crate) chain: &'a Chain<'a>,
}

/// The result of opening the versions of a fragment.
pub(crate) enum Outcome<T> {
    /// One version is usable.
    Accepted(T),
    /// No version exists; the error names every place that was tried.
    Missing(Error),
}

impl<T> Outcome<T> {
    /// Returns what was accepted, or an error if no version exists.
    pub(crate) fn accepted(self) -> Result<T> {
        match self {
            Outcome::Accepted(accepted) => Ok(accepted),
            Outcome::Missing(error) => Err(error),
        }
    }
}

/// Opens the first version that exists and that `accept`, which also receives its number, does not refuse.
///
/// A version on this machine is taken before those on servers that precede it, if it is usable: versions have the same
/// data. If it is not, that changes nothing.
///
/// A version that does not exist, or whose scheme is unknown, is skipped. So is one that cannot be read, is refused or
/// is among `failed`, but with a warning. An error that is not about the version, such as a policy, ends the search.
///
/// # Errors
/// The error of the first version that exists.
pub(crate) fn open<T>(
    wanted: &Wanted<'_>,
    failed: &[Failure],
    mut accept: impl FnMut(Raw, usize) -> Result<T>,
) -> Result<Outcome<T>> {
    let mut tried: Vec<String> = Vec::new();
    let mut failures: Vec<Failure> = Vec::new();
    for number in wanted.nearer() {
        if failed.iter().any(|failure| failure.version == number) {
            continue;
        }
        let Ok(Found::Here(raw)) = wanted.open_version(&wanted.versions[number]) else { continue };
        match accept(raw, number) {
            Ok(accepted) => return Ok(Outcome::Accepted(accepted)),
            Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            Err(_) => {}
        }
    }
    for (number, version) in wanted.versions.iter().enumerate() {
        if let Some(known) = failed.iter().find(|failure| failure.version == number) {
            failures.push(known.clone());
            continue;
        }
        let outcome = match wanted.open_version(version) {
            Ok(Found::Here(raw)) => accept(raw, number),
            Ok(Found::Absent(places)) => {
                tried.extend(places);
                continue;
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(accepted) => {
                wanted.tell(&failures, number);
                return Ok(Outcome::Accepted(accepted));
            }
            Err(error) if is_of_version(&error) => failures.push(Failure { version: number, error }),
            Err(error) => return Err(error),
        }
    }
    match failures.into_iter().next() {
        Some(first) => Err(first.error),
        None => {
            let places = if tried.is_empty() { "no location".to_owned() } else { tried.join(", ") };
            Ok(Outcome::Missing(Error::new(Kind::FragmentMissing, format!("not found: {places}"))))
        }
    }
}

impl Wanted<'_> {
    /// Returns the numbers of the versions on this machine that come after one on a server, which are tried first.
    pub(crate) fn nearer(&self) -> Vec<usize> {
        if self.versions.len() < 2 {
            return Vec::new();
        }
        let is_remote = |version: &Version| {
            let name = version.location.as_ref();
            name.is_some_and(|name| location::may_be_remote(self.host.origin(), name, self.host.options()))
        };
        let (mut nearer, mut is_behind) = (Vec::new(), false);
        for (number, version) in self.versions.iter().enumerate() {
            match is_remote(version) {
                true => is_behind = true,
                false if is_behind => nearer.push(number),
                false => {}
            }
        }
        nearer
    }

    fn open_version(&self, version: &Version) -> Result<Found<Raw>> {
        if let Some(format) = version.format.as_deref().filter(|format| !is_readable(version, format)) {
            let message = format!("format '{format}' cannot be read; {} can", readable());
            return Err(Error::new(Kind::Format, message));
        }
        let Some(name) = &version.location else {
            return self.in_same_file(&version.identifier).map(Found::Here);
        };
        let host = &**self.host;
        if let Some(raw) = open_store(host, self.fragments, name, version)? {
            return Ok(Found::Here(raw));
        }
        match open_file(host, self.fragments, name, self.chain)? {
            Found::Here(file) => array_of(&file, version, host).map(Found::Here),
            Found::Absent(places) => Ok(Found::Absent(places)),
        }
    }

    fn in_same_file(&self, identifier: &str) -> Result<Raw> {
        let tree = self.host.tree();
        let mut groups = self.fragments.search_groups().to_vec();
        groups.push(tree.variables[self.variable.0].group);
        let found = groups.iter().find_map(|&group| reference::variable(tree, group, identifier));
        let Some(id) = found else {
            return Err(no_variable(self.host.container(), identifier));
        };
        if dialect::is_aggregation(&tree.variables[id.0].attributes) {
            return nested(self.host, id);
        }
        Ok(stored(&**self.host, id))
    }

    /// Warns that a version is used although earlier ones exist.
    fn tell(&self, failures: &[Failure], used: usize) {
        for Failure { version, error } in failures {
            let name = match &self.versions[*version].location {
                Some(name) => redact(name),
                None => "the same file".to_owned(),
            };
            self.host.warn(format!(
                "fragment {:?}: version {} ({name}) is skipped and version {} is used: {error}",
                self.index,
                version + 1,
                used + 1
            ));
        }
    }
}

enum Found<T> {
    Here(T),
    /// It does not exist; these places were tried.
    Absent(Vec<String>),
}

fn open_file(
    host: &dyn Host,
    fragments: &Fragments,
    name: &str,
    chain: &Chain<'_>,
) -> Result<Found<Arc<OpenFile>>> {
    let key = (host.number(), name.to_owned(), None);
    if let Some(file) = chain.files.get(&key).filter(|file| file.source.is_current()) {
        return Ok(Found::Here(file));
    }
    let style = Style::allowing_absolute_paths(fragments.allows_absolute_paths());
    let found = match location::open_fragment(host.origin(), name, style, host.options())? {
        Opened::Found(found) => found,
        Opened::Absent(places) => return Ok(Found::Absent(places)),
    };
    let file = Arc::new(OpenFile::new(found, chain.files));
    chain.files.put(key, &file);
    Ok(Found::Here(file))
}

/// The formats that can be read, for messages.
fn readable() -> &'static str {
    foreign::formats().map_or("netCDF", |_| "netCDF, GeoTIFF, GRIB, Zarr and HDF4")
}

fn is_readable(version: &Version, format: &str) -> bool {
    version.is_netcdf() || foreign::is_readable(format)
}

/// Opens a variable of a netCDF file, or an array in a format of GDAL.
fn array_of(file: &Arc<OpenFile>, version: &Version, host: &dyn Host) -> Result<Raw> {
    let Some(formats) = foreign::formats() else { return variable_of(file, &version.identifier, host) };
    let format = version.format.as_deref().filter(|_| !version.is_netcdf());
    let is_foreign = || file.container().is_err_and(|error| error.kind() == Kind::NotNetcdf);
    // If the dialect states a format, that is used.
    if format.is_some() || (version.format.is_none() && is_foreign()) {
        let drivers = &host.options().fragment_drivers;
        return Foreign::in_file(formats, &file.source, format, &version.identifier, drivers)
            .map(Raw::Foreign);
    }
    variable_of(file, &version.identifier, host)
}

/// Opens an array of a Zarr store, which is a directory. Returns `None` for anything else.
fn open_store(host: &dyn Host, fragments: &Fragments, name: &str, version: &Version) -> Result<Option<Raw>> {
    let Some(formats) = foreign::formats() else { return Ok(None) };
    if version.format.is_some() && version.is_netcdf() {
        return Ok(None);
    }
    let style = Style::allowing_absolute_paths(fragments.allows_absolute_paths());
    let Some(store) = location::find_store(host.origin(), name, style, host.options())? else {
        return Ok(None);
    };
    let array = Foreign::in_store(formats, &store, &version.identifier, &host.options().fragment_drivers)?;
    Ok(Some(Raw::Foreign(array)))
}

fn variable_of(file: &Arc<OpenFile>, identifier: &str, host: &dyn Host) -> Result<Raw> {
    let container = file.container().map_err(unreadable)?;
    let path = identifier.trim_start_matches('/');
    let Some(variable) = container.variable(path).map_err(unreadable)? else {
        return Err(no_variable(container, identifier));
    };
    if dialect::is_aggregation(&variable.attributes) {
        let nesting = file.nested(host).map_err(unreadable)?;
        let Some(id) = nesting.tree().variable_at(path) else {
            return Err(no_variable(container, identifier));
        };
        return nested(nesting, id);
    }
    let (container, file) = (Arc::clone(container), Some(Arc::clone(file)));
    Ok(Raw::Stored { container, variable, path: path.to_owned(), file })
}

/// Returns a variable of the aggregation file itself, as it is stored.
pub(crate) fn stored(host: &dyn Host, id: VariableId) -> Raw {
    let stored = &host.tree().variables[id.0];
    let variable = Stored { attributes: stored.attributes.clone(), array: Arc::clone(&stored.array) };
    let path = stored.path.trim_start_matches('/').to_owned();
    Raw::Stored { container: Arc::clone(host.container()), variable, path, file: None }
}

/// Returns the file of a version, if it has one of its own and can be opened.
pub(crate) fn known_file(wanted: &Wanted<'_>, version: usize) -> Option<Arc<OpenFile>> {
    let name = wanted.versions.get(version)?.location.as_ref()?;
    match open_file(&**wanted.host, wanted.fragments, name, wanted.chain) {
        Ok(Found::Here(file)) => Some(file),
        _ => None,
    }
}

/// Returns the file of the first version, if its state is the recorded one. A file on a server is not requested.
pub(crate) fn recorded_file(wanted: &Wanted<'_>, recorded: Recorded) -> Option<Arc<OpenFile>> {
    let Wanted { host, fragments, chain, .. } = wanted;
    let name = wanted.versions.first()?.location.as_ref()?;
    let mut key = (host.number(), name.to_owned(), None);
    if let Some(file) = chain.files.get(&key).filter(|file| file.source.is_current()) {
        let is_true =
            file.source.len() == recorded.length && file.source.fingerprint() == Some(recorded.fingerprint);
        return is_true.then_some(file);
    }
    key.2 = Some(recorded);
    if let Some(file) = chain.files.get(&key).filter(|file| file.source.is_current()) {
        return Some(file);
    }
    let style = Style::allowing_absolute_paths(fragments.allows_absolute_paths());
    let found = location::open_recorded(host.origin(), name, style, host.options(), recorded).ok()??;
    if !found.file.is_remote() {
        key.2 = None;
    } else if wanted.versions.len() > 1 {
        // Another version may be nearer.
        return None;
    }
    let file = Arc::new(OpenFile::new(found, chain.files));
    chain.files.put(key, &file);
    Some(file)
}

/// Returns an aggregation variable as a fragment.
pub(super) fn nested(host: &Arc<dyn Host>, variable: VariableId) -> Result<Raw> {
    let shape = match host.aggregation(variable)? {
        Some(aggregation) => aggregation.grid.shape().to_vec(),
        None => host.tree().variables[variable.0].array.shape.clone(),
    };
    Ok(Raw::Nested { host: Arc::clone(host), variable, shape, unmarked: host.is_unmarked(variable) })
}

/// Turns an error into one about a fragment that cannot be read.
pub(crate) fn unreadable(error: Error) -> Error {
    match error.kind() {
        Kind::Io | Kind::NotNetcdf | Kind::Damaged => error.with_kind(Kind::FragmentUnreadable),
        _ => error,
    }
}

fn no_variable(container: &Container, identifier: &str) -> Error {
    let names = container
        .tree()
        .map(|tree| message::names(tree.variables.iter().map(|v| v.path.trim_start_matches('/'))))
        .unwrap_or_default();
    let identifier = message::short(identifier, message::MOST_OF_NAME);
    Error::new(Kind::FragmentVariable, format!("no variable '{identifier}'; it has: {names}"))
        .in_file(container.name())
}
