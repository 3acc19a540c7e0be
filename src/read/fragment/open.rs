//! The first version of a fragment that serves, opened.

use std::sync::Arc;

use super::files::OpenFile;
#[cfg(feature = "gdal")]
use super::foreign::{self, Foreign};
use super::versions::{is_of_version, Failure};
use super::{Chain, Prepared, Raw};
use crate::canonical::{Conversion, Target};
use crate::container::tree::VariableId;
use crate::container::{Container, Stored};
use crate::dataset::{Dataset, Shared};
use crate::dialect::{self, reference};
use crate::error::message;
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, Opened, Style};
use crate::model::fragments::{Fragments, Version};
use crate::model::Aggregation;

/// A fragment that is to be opened.
pub(crate) struct Wanted<'a> {
    pub(crate) dataset: &'a Dataset,
    /// The aggregation variable.
    pub(crate) variable: VariableId,
    pub(crate) fragments: &'a Fragments,
    /// Its place in the array of fragments.
    pub(crate) index: &'a [u64],
    pub(crate) versions: &'a [Version],
    pub(crate) chain: &'a Chain<'a>,
}

/// What became of the versions of a fragment.
pub(crate) enum Outcome<T> {
    /// One serves.
    Accepted(T),
    /// None is there; the error names every place that was tried.
    Missing(Error),
}

impl<T> Outcome<T> {
    /// What was accepted; that nothing is there is an error.
    pub(crate) fn accepted(self) -> Result<T> {
        match self {
            Outcome::Accepted(accepted) => Ok(accepted),
            Outcome::Missing(error) => Err(error),
        }
    }
}

/// Opens the first version that can be had and that `accept`, which is given its number too, does not refuse.
///
/// A version that does not exist, or whose scheme is not known, is passed over for the next; so is one that cannot be
/// read, is refused or is among `failed`, with a warning. What says nothing of the version, such as a policy, ends the
/// search.
///
/// # Errors
/// What is wrong with the first version that exists.
pub(crate) fn open<T>(
    wanted: &Wanted<'_>,
    failed: &[Failure],
    mut accept: impl FnMut(Raw, usize) -> Result<T>,
) -> Result<Outcome<T>> {
    let mut tried: Vec<String> = Vec::new();
    let mut failures: Vec<Failure> = Vec::new();
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
    fn open_version(&self, version: &Version) -> Result<Found<Raw>> {
        if let Some(format) = version.format.as_deref().filter(|format| !is_readable(version, format)) {
            let message = format!("format '{format}' cannot be read; {READABLE} can");
            return Err(Error::new(Kind::Format, message));
        }
        let Some(name) = &version.location else {
            return self.in_same_file(&version.identifier).map(Found::Here);
        };
        let shared = self.dataset.shared();
        #[cfg(feature = "gdal")]
        if let Some(raw) = open_store(shared, self.fragments, name, version)? {
            return Ok(Found::Here(raw));
        }
        match open_file(shared, self.fragments, name, self.chain)? {
            Found::Here(file) => array_of(&file, version, shared).map(Found::Here),
            Found::Absent(places) => Ok(Found::Absent(places)),
        }
    }

    fn in_same_file(&self, identifier: &str) -> Result<Raw> {
        let shared = self.dataset.shared();
        let tree = shared.tree();
        let mut groups = self.fragments.search_groups().to_vec();
        groups.push(shared.group_of(self.variable));
        let found = groups.iter().find_map(|&group| reference::variable(tree, group, identifier));
        let Some(id) = found else {
            return Err(no_variable(&shared.container, identifier));
        };
        if dialect::is_aggregation(&tree.variables[id.0].attributes) {
            return nested(self.dataset, id);
        }
        Ok(stored(self.dataset, id))
    }

    /// Warns that a version is used although earlier ones exist.
    fn tell(&self, failures: &[Failure], used: usize) {
        for Failure { version, error } in failures {
            let name = match &self.versions[*version].location {
                Some(name) => location::redact(name),
                None => "the same file".to_owned(),
            };
            self.dataset.shared().warn(format!(
                "fragment {:?}: version {} ({name}) is passed over for version {}: {error}",
                self.index,
                version + 1,
                used + 1
            ));
        }
    }
}

enum Found<T> {
    Here(T),
    /// Nothing is there; these places were tried.
    Absent(Vec<String>),
}

fn open_file(
    shared: &Shared,
    fragments: &Fragments,
    name: &str,
    chain: &Chain<'_>,
) -> Result<Found<Arc<OpenFile>>> {
    let key = (shared.number, name.to_owned());
    if let Some(file) = chain.files.get(&key).filter(|file| file.source.is_current()) {
        return Ok(Found::Here(file));
    }
    let style = Style::allowing_absolute_paths(fragments.allows_absolute_paths());
    let found = match location::open_fragment(&shared.origin, name, style, &shared.options)? {
        Opened::Found(found) => found,
        Opened::Absent(places) => return Ok(Found::Absent(places)),
    };
    let origin = shared.origin.nested(&found.places);
    let file = Arc::new(OpenFile::new(found.file, origin));
    chain.files.put(key, &file);
    Ok(Found::Here(file))
}

/// The formats that can be read, for messages.
const READABLE: &str = if cfg!(feature = "gdal") { "netCDF, GeoTIFF, GRIB, Zarr and HDF4" } else { "netCDF" };

#[cfg(not(feature = "gdal"))]
fn is_readable(version: &Version, _format: &str) -> bool {
    version.is_netcdf()
}

#[cfg(not(feature = "gdal"))]
fn array_of(file: &Arc<OpenFile>, version: &Version, shared: &Shared) -> Result<Raw> {
    variable_of(file, &version.identifier, shared)
}

#[cfg(feature = "gdal")]
fn is_readable(version: &Version, format: &str) -> bool {
    version.is_netcdf() || foreign::is_known_format(format)
}

/// A variable of a netCDF file, or an array in a format of GDAL.
#[cfg(feature = "gdal")]
fn array_of(file: &Arc<OpenFile>, version: &Version, shared: &Shared) -> Result<Raw> {
    let format = version.format.as_deref().filter(|_| !version.is_netcdf());
    let is_foreign = || file.container().is_err_and(|error| error.kind() == Kind::NotNetcdf);
    // A dialect that gives formats is taken at its word.
    if format.is_some() || (version.format.is_none() && is_foreign()) {
        let drivers = &shared.options.fragment_drivers;
        return Foreign::in_file(&file.source, format, &version.identifier, drivers).map(Raw::Foreign);
    }
    variable_of(file, &version.identifier, shared)
}

/// An array of a Zarr store, which is a directory; `None` for anything else.
#[cfg(feature = "gdal")]
fn open_store(shared: &Shared, fragments: &Fragments, name: &str, version: &Version) -> Result<Option<Raw>> {
    if version.format.is_some() && version.is_netcdf() {
        return Ok(None);
    }
    let style = Style::allowing_absolute_paths(fragments.allows_absolute_paths());
    let Some(store) = location::find_store(&shared.origin, name, style, &shared.options)? else {
        return Ok(None);
    };
    let array = Foreign::in_store(&store, &version.identifier, &shared.options.fragment_drivers)?;
    Ok(Some(Raw::Foreign(array)))
}

fn variable_of(file: &Arc<OpenFile>, identifier: &str, shared: &Shared) -> Result<Raw> {
    let container = file.container().map_err(unreadable)?;
    let path = identifier.trim_start_matches('/');
    let Some(variable) = container.variable(path).map_err(unreadable)? else {
        return Err(no_variable(container, identifier));
    };
    if dialect::is_aggregation(&variable.attributes) {
        let dataset = file.dataset(&shared.options).map_err(unreadable)?;
        let Some(id) = dataset.shared().tree().variable_at(path) else {
            return Err(no_variable(container, identifier));
        };
        return nested(dataset, id);
    }
    let (container, file) = (Arc::clone(container), Some(Arc::clone(file)));
    Ok(Raw::Stored { container, variable, path: path.to_owned(), file })
}

/// A variable of the aggregation file itself, as it is stored.
pub(crate) fn stored(dataset: &Dataset, id: VariableId) -> Raw {
    let shared = dataset.shared();
    let stored = &shared.tree().variables[id.0];
    let variable = Stored { attributes: stored.attributes.clone(), array: Arc::clone(&stored.array) };
    let path = stored.path.trim_start_matches('/').to_owned();
    Raw::Stored { container: Arc::clone(&shared.container), variable, path, file: None }
}

/// Keeps what was found out about a fragment in a file of its own, for [`reopen`].
pub(crate) fn remember(
    dataset: &Dataset,
    aggregation: &Aggregation,
    variable: VariableId,
    index: &[u64],
    version: usize,
    raw: &Raw,
    conversion: &Arc<Conversion>,
) {
    let Raw::Stored { variable: stored, file: Some(file), .. } = raw else { return };
    let prepared = Prepared {
        version,
        identity: file.identity(),
        state: file.source.state(),
        array: Arc::clone(&stored.array),
        conversion: Arc::clone(conversion),
    };
    dataset.shared().prepared.put(variable, aggregation.grid.number(index), prepared);
}

/// Opens the fragment of this number if it was read before; `None` when it was not, or is no longer what it was.
pub(crate) fn reopen(
    wanted: &Wanted<'_>,
    number: u64,
    failed: &[Failure],
) -> Option<(Raw, usize, Arc<Conversion>)> {
    let shared = wanted.dataset.shared();
    let prepared = shared.prepared.get(wanted.variable, number)?;
    if failed.iter().any(|failure| failure.version == prepared.version) {
        return None;
    }
    let name = wanted.versions.get(prepared.version)?.location.as_ref()?;
    let Ok(Found::Here(file)) = open_file(shared, wanted.fragments, name, wanted.chain) else { return None };
    if file.identity() != prepared.identity || file.source.state() != prepared.state {
        return None;
    }
    let raw = Raw::Known { file, array: Arc::clone(&prepared.array) };
    Some((raw, prepared.version, Arc::clone(&prepared.conversion)))
}

/// An aggregation variable as a fragment.
pub(super) fn nested(dataset: &Dataset, id: VariableId) -> Result<Raw> {
    let shape = match dataset.shared().aggregation(id)? {
        Some(aggregation) => aggregation.grid.shape().to_vec(),
        None => dataset.shared().tree().variables[id.0].array.shape.clone(),
    };
    let variable = &dataset.shared().tree().variables[id.0];
    let (attributes, data_type) = (&variable.attributes, variable.array.data_type);
    let unmarked = data_type.is_number() && Target::new(attributes, data_type).missing_value().is_none();
    Ok(Raw::Nested { dataset: dataset.clone(), variable: id, shape, unmarked })
}

/// Says that it is a fragment that cannot be read.
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
