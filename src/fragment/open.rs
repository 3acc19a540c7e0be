//! The first version of a fragment that exists, opened.

use std::sync::Arc;

use super::files::OpenFile;
#[cfg(feature = "gdal")]
use super::foreign::{self, Foreign};
use super::{Chain, Prepared, Raw};
use crate::canonical::Conversion;
use crate::container::tree::VariableId;
use crate::container::{Container, Stored};
use crate::dataset::{Dataset, Shared};
use crate::dialect::{self, reference};
use crate::error::{Error, Kind, Result};
use crate::location::{self, Opened, Style};
use crate::model::fragments::{Fragments, Version};
use crate::model::Aggregation;

/// Opens the first version that can be had; gives also its number.
///
/// A version that does not exist, or whose scheme is not known, is passed over for the next; so is one that cannot be
/// read, with a warning.
///
/// # Errors
/// `FragmentMissing` naming every version tried, or what is wrong with the last one.
pub(crate) fn open(
    dataset: &Dataset,
    fragments: &Fragments,
    versions: &[Version],
    variable: VariableId,
    chain: &Chain<'_>,
) -> Result<(Raw, usize)> {
    let shared = dataset.shared();
    let mut tried: Vec<String> = Vec::new();
    let mut failure: Option<Error> = None;
    for (number, version) in versions.iter().enumerate() {
        if let Some(format) = version.format.as_deref().filter(|format| !is_readable(version, format)) {
            let error = Error::new(Kind::Format, format!("format '{format}' cannot be read; {READABLE} can"));
            failure.get_or_insert(error);
            continue;
        }
        let Some(name) = &version.location else {
            return in_same_file(dataset, fragments, &version.identifier, variable).map(|raw| (raw, number));
        };
        #[cfg(feature = "gdal")]
        if let Some(raw) = open_store(shared, fragments, name, version).transpose() {
            match raw {
                Ok(raw) => return Ok((raw, number)),
                Err(error) => {
                    failure.get_or_insert(error);
                    continue;
                }
            }
        }
        match open_file(shared, fragments, name, chain) {
            Ok(Found::File(file)) => match array_of(&file, version, shared) {
                Ok(raw) => {
                    if let Some(error) = failure {
                        shared.warn(format!("another version was used: {error}"));
                    }
                    return Ok((raw, number));
                }
                Err(error) => {
                    failure.get_or_insert(error);
                }
            },
            Ok(Found::Absent(places)) => tried.extend(places),
            Err(error) => {
                failure.get_or_insert(error);
            }
        }
    }
    Err(failure.unwrap_or_else(|| {
        let places = if tried.is_empty() { "no location".to_owned() } else { tried.join(", ") };
        Error::new(Kind::FragmentMissing, format!("not found: {places}"))
    }))
}

enum Found {
    File(Arc<OpenFile>),
    Absent(Vec<String>),
}

fn open_file(shared: &Shared, fragments: &Fragments, name: &str, chain: &Chain<'_>) -> Result<Found> {
    let key = (shared.number, name.to_owned());
    if let Some(file) = chain.files.get(&key).filter(|file| file.source.is_current()) {
        return Ok(Found::File(file));
    }
    let style = Style::allowing_absolute_paths(fragments.allows_absolute_paths());
    let found = match location::open_fragment(&shared.origin, name, style, &shared.options)? {
        Opened::Found(found) => found,
        Opened::Absent(places) => return Ok(Found::Absent(places)),
    };
    let origin = shared.origin.nested(&found.places);
    let file = Arc::new(OpenFile::new(found.file, origin));
    chain.files.put(key, &file);
    Ok(Found::File(file))
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

fn in_same_file(
    dataset: &Dataset,
    fragments: &Fragments,
    identifier: &str,
    variable: VariableId,
) -> Result<Raw> {
    let shared = dataset.shared();
    let tree = shared.tree();
    let mut groups = fragments.search_groups().to_vec();
    groups.push(shared.group_of(variable));
    let found = groups.iter().find_map(|&group| reference::variable(tree, group, identifier));
    let Some(id) = found else {
        return Err(no_variable(&shared.container, identifier));
    };
    if dialect::is_aggregation(&tree.variables[id.0].attributes) {
        return nested(dataset, id);
    }
    Ok(stored(dataset, id))
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

/// Opens a fragment that was read before; `None` when it was not, or is no longer what it was.
pub(crate) fn reopen(
    dataset: &Dataset,
    aggregation: &Aggregation,
    variable: VariableId,
    index: &[u64],
    versions: &[Version],
    chain: &Chain<'_>,
) -> Option<(Raw, Arc<Conversion>)> {
    let shared = dataset.shared();
    let prepared = shared.prepared.get(variable, aggregation.grid.number(index))?;
    let name = versions.get(prepared.version)?.location.as_ref()?;
    let Ok(Found::File(file)) = open_file(shared, &aggregation.fragments, name, chain) else { return None };
    if file.identity() != prepared.identity || file.source.state() != prepared.state {
        return None;
    }
    let raw = Raw::Known { file, array: Arc::clone(&prepared.array) };
    Some((raw, Arc::clone(&prepared.conversion)))
}

fn nested(dataset: &Dataset, id: VariableId) -> Result<Raw> {
    let shape = match dataset.shared().aggregation(id)? {
        Some(aggregation) => aggregation.grid.shape().to_vec(),
        None => dataset.shared().tree().variables[id.0].array.shape.clone(),
    };
    Ok(Raw::Nested { dataset: dataset.clone(), variable: id, shape })
}

/// Says that it is a fragment that cannot be read.
pub(crate) fn unreadable(error: Error) -> Error {
    match error.kind() {
        Kind::Io | Kind::NotNetcdf | Kind::Damaged => error.with_kind(Kind::FragmentUnreadable),
        _ => error,
    }
}

fn no_variable(container: &Container, identifier: &str) -> Error {
    let names: Vec<&str> = container
        .tree()
        .map(|tree| tree.variables.iter().map(|v| v.path.trim_start_matches('/')).take(20).collect())
        .unwrap_or_default();
    Error::new(Kind::FragmentVariable, format!("no variable '{identifier}'; it has: {}", names.join(", ")))
        .in_file(container.name())
}
