//! How the location of a fragment is written in the new file.
//!
//! A relative location is relative to the file that has it, so it changes when the new file is in another directory.
//! CF wants URI references, percent-encoded; CFA-0.4 has plain file names; the other CFA texts take URIs.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Options;
use crate::dataset::{Dataset, Shared};
use crate::error::{Error, Kind, Result};
use crate::location::{self, candidates, parse, relocate, remove_dots, Reference, Style};
use crate::model::Dialect;

/// How local locations are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Locations {
    /// Relative ones stay relative and absolute ones absolute.
    #[default]
    Keep,
    /// All absolute.
    Absolute,
    /// All relative to the new file.
    Relative,
}

/// Where a fragment is.
pub(super) enum Place {
    /// In the aggregation file itself.
    SameFile,
    /// At this location, as the new file writes it.
    Elsewhere(String),
}

/// Writes locations for one new file.
pub(super) struct Writer<'a> {
    shared: &'a Shared,
    /// The directory of the new file, without symbolic links.
    directory: PathBuf,
    name: String,
    dialect: Dialect,
    locations: Locations,
}

impl<'a> Writer<'a> {
    pub(super) fn new(dataset: &'a Dataset, path: &Path, options: &Options<'_>) -> Result<Self> {
        let place = |message: &str| Error::new(Kind::Io, message).in_file(path.display().to_string());
        // Where the name is a symbolic link its target is replaced, and readers look beside either.
        let link = fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink());
        let target = if link { fs::canonicalize(path) } else { std::path::absolute(path) };
        let target = target.map_err(|e| place("no such place").because(e))?;
        let (Some(directory), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(place("it is not the name of a file"));
        };
        Ok(Writer {
            shared: dataset.shared(),
            directory: fs::canonicalize(directory)
                .map_err(|e| place("its directory is not there").because(e))?,
            name: name.to_string_lossy().into_owned(),
            dialect: options.dialect,
            locations: options.locations,
        })
    }

    /// The location of the new file itself.
    pub(super) fn own_name(&self) -> String {
        reference_of(&self.name)
    }

    /// The location for the new file of what the old one calls `name`.
    pub(super) fn place(&self, name: &str, style: Style) -> Result<Place> {
        let options = &self.shared.options;
        let moved = relocate(name, &options.relocate)?;
        let written = moved.as_deref().unwrap_or(name);
        let relative = match parse(written)? {
            Reference::Relative(_) => true,
            Reference::File(_) => false,
            // Refused below where the old file's text does not allow it.
            Reference::Absolute(_) => false,
            _ => return Ok(Place::Elsewhere(written.to_owned())),
        };
        let places = candidates(&self.shared.origin, name, style, options)?.places;
        let is_there = |place: &&location::Place| !matches!(place, location::Place::Local(p) if !p.is_file());
        let path = match places.iter().find(is_there).or_else(|| places.first()) {
            Some(location::Place::Local(path)) => path,
            Some(location::Place::Remote(url)) => return Ok(Place::Elsewhere(url.to_location())),
            Some(location::Place::Virtual(_)) | None => return Ok(Place::Elsewhere(written.to_owned())),
        };
        if self.shared.identity.is_of(path) {
            return Ok(Place::SameFile);
        }
        let as_relative = match self.locations {
            Locations::Keep => relative,
            Locations::Absolute => false,
            Locations::Relative => true,
        };
        let path = settled(path);
        let path = if as_relative { relative_to(&self.directory, &path) } else { path };
        let text = path.to_str().ok_or_else(|| {
            Error::new(Kind::Unsupported, format!("'{}' is not valid UTF-8", path.display()))
        })?;
        let text = text.replace(std::path::MAIN_SEPARATOR, "/");
        Ok(Place::Elsewhere(match (self.dialect, as_relative) {
            (Dialect::Cfa04, _) => text,
            (_, true) => reference_of(&text),
            (_, false) => format!("file://{}{}", if text.starts_with('/') { "" } else { "/" }, encode(&text)),
        }))
    }
}

/// The path with symbolic links of its directory followed, so that `..` means the same to everybody.
fn settled(path: &Path) -> PathBuf {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return remove_dots(path) };
    match fs::canonicalize(directory) {
        Ok(directory) => directory.join(name),
        Err(_) => remove_dots(path),
    }
}

/// The way from a directory to a path, both absolute and without dots.
fn relative_to(directory: &Path, path: &Path) -> PathBuf {
    let from: Vec<Component> = directory.components().collect();
    let to: Vec<Component> = path.components().collect();
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    if same == 0 {
        // Another drive: there is no way.
        return path.to_owned();
    }
    let mut out = PathBuf::new();
    from[same..].iter().for_each(|_| out.push(".."));
    to[same..].iter().for_each(|part| out.push(part));
    out
}

/// A relative path as a URI reference: a colon in its first segment would make that a scheme.
fn reference_of(path: &str) -> String {
    let colon = path.split('/').next().is_some_and(|first| first.contains(':'));
    format!("{}{}", if colon { "./" } else { "" }, encode(path))
}

/// Percent-encodes what a path of a URI does not have (RFC 3986 section 3.3).
fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b'@' | b'!' | b'$' | b'&' | b'\'' => {
                out.push(char::from(byte))
            }
            b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' => out.push(char::from(byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_between_directories() {
        let way = |from: &str, to: &str| relative_to(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/a/b", "/a/b/c.nc"), "c.nc");
        assert_eq!(way("/a/b", "/a/x/c.nc"), "../x/c.nc");
        assert_eq!(way("/", "/x/c.nc"), "x/c.nc");
        assert_eq!(way("/a/bc", "/a/b/c.nc"), "../b/c.nc");
    }

    #[test]
    fn names_become_uri_references() {
        assert_eq!(reference_of("a b/50%#1?.nc"), "a%20b/50%25%231%3F.nc");
        assert_eq!(reference_of("run:1.nc"), "./run:1.nc");
        assert_eq!(reference_of("é.nc"), "%C3%A9.nc");
        assert_eq!(reference_of("d/run:1.nc"), "d/run:1.nc");
    }
}
