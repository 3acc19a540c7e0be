//! Which of the files that are given an aggregation has already, whatever their names, and which of those have to be
//! looked at again.
//!
//! A file is unchanged if its size and time are those that were recorded when it was added. Where nothing was recorded, it
//! is scanned again.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::existing::{Existing, Ranges};
use super::locate::Locator;
use super::Options;
use crate::error::{Error, Kind, Result};
use crate::io::location::{candidates, Place};
use crate::io::os::{self, FileIdentity};
use crate::model::fragments::Fragment;
use crate::read::fragment::recorded_difference;

/// The files that were given.
#[derive(Default)]
pub(super) struct Sorted<'a> {
    /// Those that the aggregation has not.
    pub fresh: Vec<&'a Path>,
    /// Those that it has, by their numbers, and that have to be scanned again.
    pub again: HashMap<usize, PathBuf>,
    /// The numbers of those whose size or time is not what was recorded.
    pub changed: HashSet<usize>,
    /// How many of the others it has.
    pub unchanged: usize,
    /// Names of files that changed and were not given.
    pub elsewhere: Vec<String>,
}

impl Existing {
    /// Tells known files from others.
    ///
    /// # Errors
    /// `Io`, `Unsupported` when a file can have no location.
    pub fn sort<'a>(&self, files: &[&'a Path], locator: &Locator, options: &Options) -> Result<Sorted<'a>> {
        let mut sorted = Sorted::default();
        let mut given: HashSet<usize> = HashSet::new();
        let mut identities: Option<HashMap<FileIdentity, usize>> = None;
        for &file in files {
            let known = match self.by_location.get(&locator.location(file)?) {
                Some(number) => Some(*number),
                None => {
                    let all = identities.get_or_insert_with(|| self.identities());
                    os::identity_at(file).ok().and_then(|identity| all.get(&identity).copied())
                }
            };
            let Some(number) = known else {
                sorted.fresh.push(file);
                continue;
            };
            if !given.insert(number) {
                continue;
            }
            if self.has_changed(number, file) {
                sorted.changed.insert(number);
            }
            match self.is_unchanged(number, file) && self.has_wanted(number, options) {
                true => sorted.unchanged += 1,
                false => drop(sorted.again.insert(number, file.to_owned())),
            }
        }
        if self.has_state {
            let others = (0..self.files.len()).filter(|number| !given.contains(number));
            let changed = others.filter_map(|number| Some((number, self.local(number).next()?)));
            let changed = changed.filter(|(number, path)| self.has_changed(*number, path));
            sorted.elsewhere = changed.map(|(_, path)| os::shown(&path)).collect();
        }
        Ok(sorted)
    }

    /// Where the files are, by their numbers, so that all can be scanned again.
    ///
    /// # Errors
    /// `Unsupported` when one is not a local file.
    pub fn all(&self) -> Result<HashMap<usize, PathBuf>> {
        let place = |number: usize| {
            let path = self.local(number).next().ok_or_else(|| {
                let message = "coordinates of it are stored by value; to aggregate them it would be scanned again, and it is not there";
                Error::new(Kind::Unsupported, message).in_file(&*self.files[number].location)
            })?;
            Ok((number, path))
        };
        (0..self.files.len()).map(place).collect()
    }

    /// The variables of a file that are fragments.
    pub fn identifiers(&self, number: usize) -> Vec<String> {
        let file = &self.files[number];
        let of = |(variable, ranges): &(usize, Ranges)| {
            let piece = self.known[*variable].pieces.as_ref()?.get(ranges)?;
            let Fragment::Stored { versions, .. } = &piece.fragment else { return None };
            let version = versions.iter().find(|v| v.location.as_ref() == Some(&file.location))?;
            Some(version.identifier.trim_start_matches('/').to_owned())
        };
        file.pieces.iter().filter_map(of).collect()
    }

    /// The local files that a location means, if they are there.
    fn local(&self, number: usize) -> impl Iterator<Item = PathBuf> + '_ {
        let (name, style) = &self.files[number].reference;
        let shared = self.dataset.shared();
        let places = candidates(&shared.origin, name, *style, &shared.options).map(|found| found.places);
        places.unwrap_or_default().into_iter().filter_map(|place| match place {
            Place::Local(path) if path.is_file() => Some(path),
            _ => None,
        })
    }

    /// The files by what the operating system knows them by.
    fn identities(&self) -> HashMap<FileIdentity, usize> {
        let of = |number: usize| {
            let identity = os::identity_at(&self.local(number).next()?).ok()?;
            Some((identity, number))
        };
        // Of a file with several names the first counts.
        (0..self.files.len()).rev().filter_map(of).collect()
    }

    /// Whether the file is known to be what it was when it was added.
    fn is_unchanged(&self, number: usize, file: &Path) -> bool {
        self.states(number).all(|state| {
            state.is_some_and(|[bytes, modified]| recorded_difference([bytes, modified], file).is_none())
        })
    }

    /// Whether the file is known to be another than when it was added.
    fn has_changed(&self, number: usize, file: &Path) -> bool {
        self.states(number).flatten().any(|state| recorded_difference(state, file).is_some())
    }

    /// What was recorded of a file for each of its pieces.
    fn states(&self, number: usize) -> impl Iterator<Item = Option<[f64; 2]>> + '_ {
        self.files[number].pieces.iter().map(|(variable, ranges)| {
            let state = self.known[*variable].pieces.as_ref()?.get(ranges)?.state?;
            Some([state.bytes, state.modified])
        })
    }

    /// Whether the aggregation has of a file all variables that are asked for by name.
    fn has_wanted(&self, number: usize, options: &Options) -> bool {
        let mut wanted = options.variables.iter().map(|name| name.trim_start_matches('/'));
        let pieces = &self.files[number].pieces;
        wanted.all(|name| pieces.iter().any(|(variable, _)| self.known[*variable].template.name == name))
    }
}
