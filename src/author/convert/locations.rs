//! Converts the location of a fragment to its form in the new file.
//!
//! A relative location is relative to the file that contains it, so it changes if the new file is in another directory.
//! CF requires percent-encoded URI references; CFA-0.4 has plain file names; the other CFA texts allow URIs.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::Options;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, candidates, parse, relative_path, relocate, remove_dots, Reference, Style};
use crate::io::os::shown;
use crate::model::Dialect;
use crate::read::AggregationFile;

/// How local locations are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Locations {
    /// Relative locations stay relative and absolute ones absolute.
    #[default]
    Keep,
    /// All absolute.
    Absolute,
    /// All relative to the new file.
    Relative,
}

/// Where a fragment is.
pub(super) enum NewLocation {
    /// In the aggregation file itself.
    SameFile,
    /// At this location, as the new file writes it.
    Elsewhere(String),
}

/// Writes locations for one new file.
pub(super) struct Writer<'a> {
    shared: &'a AggregationFile,
    /// The directory of the new file, without symbolic links.
    directory: PathBuf,
    name: OsString,
    dialect: Dialect,
    locations: Locations,
}

impl<'a> Writer<'a> {
    pub(super) fn new(dataset: &'a Dataset, path: &Path, options: &Options<'_>) -> Result<Self> {
        let place = |message: &str| Error::new(Kind::Io, message).in_file(shown(path));
        // If the name is a symbolic link, its target is replaced, and readers search the directories of both.
        let link = fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink());
        let target = if link { fs::canonicalize(path) } else { std::path::absolute(path) };
        let target = target.map_err(|e| place("it cannot be found").because(e))?;
        let (Some(directory), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(place("it is not the name of a file"));
        };
        Ok(Writer {
            shared: dataset.shared(),
            directory: fs::canonicalize(directory)
                .map_err(|e| place("its directory does not exist").because(e))?,
            name: name.to_owned(),
            dialect: options.dialect,
            locations: options.locations,
        })
    }

    /// Returns the location of the new file itself.
    ///
    /// # Errors
    /// `Unsupported` if its name cannot be written.
    pub(super) fn own_name(&self) -> Result<String> {
        self.dialect.location(Path::new(&self.name))
    }

    /// Returns the location in the new file for `name` in the old one.
    pub(super) fn place(&self, name: &str, style: Style) -> Result<NewLocation> {
        let options = &self.shared.options;
        let moved = relocate(name, &options.relocate)?;
        let written = moved.as_deref().unwrap_or(name);
        let reference = parse(written)?;
        let relative = match reference {
            // What looks like a scheme may be the beginning of a name.
            Reference::Relative(_) | Reference::Unknown { opaque: true, .. } => true,
            Reference::File(_) => false,
            // Refused below if the text of the old file does not allow it.
            Reference::Absolute(_) => false,
            _ => return Ok(NewLocation::Elsewhere(written.to_owned())),
        };
        let places = candidates(&self.shared.origin, name, style, options)?.places;
        let is_there = |place: &&location::Place| !matches!(place, location::Place::Local(p) if !p.is_file());
        let found = places.iter().find(is_there);
        let is_scheme = matches!(reference, Reference::Unknown { .. });
        if is_scheme && !matches!(found, Some(location::Place::Local(_))) {
            return Ok(NewLocation::Elsewhere(written.to_owned()));
        }
        let path = match found.or_else(|| places.first()) {
            Some(location::Place::Local(path)) => path,
            Some(location::Place::Remote(url)) => return Ok(NewLocation::Elsewhere(url.to_location())),
            Some(location::Place::Virtual(_)) | None => {
                return Ok(NewLocation::Elsewhere(written.to_owned()))
            }
        };
        if self.shared.identity.is_of(path) {
            return Ok(NewLocation::SameFile);
        }
        let as_relative = match self.locations {
            Locations::Keep => relative,
            Locations::Absolute => false,
            Locations::Relative => true,
        };
        let path = settled(path);
        // No relative path leads to another drive.
        let way = as_relative.then(|| relative_path(&self.directory, &path)).flatten().unwrap_or(path);
        self.dialect.location(&way).map(NewLocation::Elsewhere)
    }
}

/// Returns the path with the symbolic links of its directory resolved, so that `..` has the same meaning for everybody.
fn settled(path: &Path) -> PathBuf {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return remove_dots(path) };
    match fs::canonicalize(directory) {
        Ok(directory) => directory.join(name),
        Err(_) => remove_dots(path),
    }
}
