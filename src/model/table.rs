//! Fragments described by feature variables: a location, an identifier and perhaps a format for each version.

use super::feature::{Entries, Feature};
use super::features::Features;
use super::fragments::{Fragment, Version};
use super::room::Room;
use super::substitutions::Substitutions;
use crate::container::allowance::heap;
use crate::container::tree::GroupId;
use crate::error::{Error, Kind, Result};
use crate::selection::Selection;

/// The feature variables of an aggregation whose fragments are in files.
#[derive(Debug)]
pub struct Table {
    /// The names of the files; `None` if all fragments are in the aggregation file.
    pub locations: Option<Feature>,
    /// The variables in them.
    pub identifiers: Feature,
    /// The formats of the files.
    pub formats: Option<Feature>,
    /// The file's replacements for `${...}` in a location.
    pub substitutions: Substitutions,
    /// Whether a fragment may have no location: it is in the aggregation file, or wholly missing (CFA, not CF).
    pub location_optional: bool,
    /// The groups in which the search for an identifier without path begins.
    pub groups: Vec<GroupId>,
}

impl Table {
    /// Returns the fragments of a block, in C order. Each feature variable is read once.
    ///
    /// # Errors
    /// `Uri` if a location is missing, `Address` if an identifier is; those of the container.
    pub fn lookup(
        &self,
        features: &dyn Features,
        block: &Selection,
        runtime: &Substitutions,
    ) -> Result<Vec<Fragment>> {
        let count = block.len().and_then(|n| usize::try_from(n).ok());
        let count = count.ok_or_else(|| Error::new(Kind::Limit, "too many fragments at once"))?;
        let mut out = Vec::new();
        out.try_reserve_exact(count)
            .map_err(|_| Error::new(Kind::Limit, format!("{count} fragments do not fit into memory")))?;
        if count == 0 {
            return Ok(out);
        }
        let read = |feature: &Feature| feature.entries(features, block);
        let row = Row {
            table: self,
            locations: self.locations.as_ref().map(read).transpose()?,
            identifiers: read(&self.identifiers)?,
            formats: self.formats.as_ref().map(read).transpose()?,
            substitutions: self.substitutions.overridden_by(runtime),
        };
        let mut room = Room::for_places(count as u64);
        for i in 0..count {
            let fragment = row.fragment(i, &mut room).map_err(|e| e.in_fragment(&block.index(i as u64)))?;
            out.push(fragment);
        }
        Ok(out)
    }
}

struct Row<'a> {
    table: &'a Table,
    locations: Option<Entries>,
    identifiers: Entries,
    formats: Option<Entries>,
    substitutions: Substitutions,
}

impl Row<'_> {
    fn fragment(&self, i: usize, room: &mut Room) -> Result<Fragment> {
        let mut versions = Vec::new();
        let locations = self.locations.as_ref();
        for v in 0..locations.map_or(0, Entries::versions) {
            let Some(location) = locations.and_then(|l| l.get(i, v)) else { continue };
            let location = self.substitutions.apply(location.to_owned())?;
            let format = self.formats.as_ref().and_then(|f| f.get(i, v)).map(str::to_lowercase);
            let identifier = self.identifier(i, v, &location, format.as_deref())?;
            let texts = [Some(&location), Some(&identifier), format.as_ref()];
            let memory: usize = texts.into_iter().flatten().map(|text| heap(text.len())).sum();
            room.take_bytes((memory + size_of::<Version>()) as u64)?;
            versions.push(Version { location: Some(location), identifier, format });
        }
        if versions.is_empty() {
            if !self.table.location_optional {
                return Err(Error::new(Kind::Uri, "it has no location"));
            }
            // A single address for all applies only to the fragments that have a file (CFA-0.6.2 `address`).
            let shared_by_files = self.table.identifiers.is_shared() && locations.is_some();
            let mut here = (0..self.identifiers.versions()).filter_map(|v| self.identifiers.get(i, v));
            let Some(identifier) = here.next().filter(|_| !shared_by_files) else {
                return Ok(Fragment::Missing);
            };
            if self.table.identifiers.is_number() {
                return Err(self.number(identifier));
            }
            room.take(identifier)?;
            versions.push(Version { location: None, identifier: identifier.to_owned(), format: None });
        }
        Ok(Fragment::Stored { versions, view: None })
    }

    fn identifier(&self, i: usize, v: usize, location: &str, format: Option<&str>) -> Result<String> {
        let Some(identifier) = self.identifiers.get(i, v) else {
            let message = format!("'{location}' has no entry in '{}'", self.table.identifiers.path());
            return Err(Error::new(Kind::Address, message));
        };
        if self.table.identifiers.is_number() && format.is_none_or(Version::is_netcdf_format) {
            return Err(self.number(identifier));
        }
        Ok(identifier.to_owned())
    }

    fn number(&self, identifier: &str) -> Error {
        let path = self.table.identifiers.path();
        let message =
            format!("'{path}' has the number {identifier}; a netCDF variable is identified by its name");
        Error::new(Kind::Address, message)
    }
}
