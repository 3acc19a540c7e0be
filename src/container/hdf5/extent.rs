//! Determines whether a variable may be shorter than its dimensions, without reading the whole file.
//!
//! An unlimited dimension is as long as in its longest variable. libnetcdf leaves the other variables, including the
//! dimension's own scale, as they are. Only [`super::netcdf4`] knows the sizes of dimensions; but a scale lists the
//! variables that use it (`REFERENCE_LIST`, HDF5 dimension scale specification), and if none of those is longer, the
//! variable has the shape with which it was written.

use super::attribute::{self, RawAttribute};
use super::cursor::Cursor;
use super::dataset::Dataset;
use super::dataspace::Dataspace;
use super::header::{Header, DATASPACE};
use super::store::{damaged, Store};
use crate::error::Result;

/// For a scale that more variables use than this, the shortcut does not pay.
const MOST_VARIABLES: usize = 1000;

/// Returns whether a dimension of the dataset at this address may be longer than the dataset. If in doubt, it may.
pub(super) fn may_be_short(store: &Store, address: u64, dataset: &Dataset) -> bool {
    let can_grow = dataset.dataspace.maximum.iter().any(Option::is_none);
    can_grow && store.budget.passing(|| is_short(store, address, dataset)).unwrap_or(true)
}

fn is_short(store: &Store, address: u64, dataset: &Dataset) -> Result<bool> {
    let Dataspace { shape, maximum, .. } = &dataset.dataspace;
    let scales = match dataset.attributes.get("DIMENSION_LIST") {
        Some(list) => list.references(store)?,
        None if dataset.is_scale && shape.len() == 1 => {
            let users = users(store, dataset.attributes.get("REFERENCE_LIST"))?;
            return has_longer(store, &users, address, shape[0]);
        }
        // Those of a coordinate variable of several dimensions. Without any, the dimensions are derived from the
        // dataset itself.
        None => return Ok(dataset.attributes.get("_Netcdf4Coordinates").is_some()),
    };
    for ((&size, maximum), scale) in shape.iter().zip(maximum).zip(scales) {
        let Some(scale) = scale.filter(|_| maximum.is_none()) else { continue };
        let header = Header::read(store, scale)?;
        let dataspace = dataspace(store, &header)?;
        if dataspace.maximum.first().is_some_and(Option::is_some) {
            continue;
        }
        let users = users(store, attribute::find(store, &header, "REFERENCE_LIST")?.as_ref())?;
        let is_listed = users.iter().any(|user| user.0 == address);
        let is_longer = dataspace.shape.first().is_none_or(|&own| own > size);
        if is_longer || !is_listed || has_longer(store, &users, address, size)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether one of these datasets, other than that at `address`, is longer than `size` along its axis.
fn has_longer(store: &Store, users: &[(u64, usize)], address: u64, size: u64) -> Result<bool> {
    for &(user, axis) in users.iter().filter(|user| user.0 != address) {
        let dataspace = store.budget.passing(|| dataspace(store, &Header::read(store, user)?))?;
        if dataspace.shape.get(axis).is_none_or(|&other| other > size) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn dataspace(store: &Store, header: &Header) -> Result<Dataspace> {
    let data = header.data(DATASPACE)?.ok_or_else(|| damaged("a dataset lacks its dataspace"))?;
    Dataspace::parse(store, data)
}

/// Returns the datasets that use a scale, each with the axis that uses it.
fn users(store: &Store, list: Option<&RawAttribute>) -> Result<Vec<(u64, usize)>> {
    let list = list.ok_or_else(|| damaged("a scale lists no datasets"))?;
    let users = list.records(store)?.map(|record| {
        let mut cursor = Cursor::new(record);
        let address = store.address(&mut cursor)?.ok_or_else(|| damaged("a scale lists no dataset"))?;
        Ok((address, cursor.read_u32_le()? as usize))
    });
    let users = users.take(MOST_VARIABLES + 1).collect::<Result<Vec<_>>>()?;
    match users.len() > MOST_VARIABLES {
        true => Err(damaged("a scale lists too many datasets")),
        false => Ok(users),
    }
}
