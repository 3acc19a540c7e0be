//! Determines which input files an aggregation already has, under whatever name, and which of these must be scanned
//! again.
//!
//! A file is unchanged if its size and time are those that were recorded when it was added. If nothing was recorded, it
//! is scanned again. Files on servers are known by their addresses.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::existing::Existing;
use super::locate::Locator;
use super::{scan, Options};
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, addresses, candidates, is_address, FileState, Place};
use crate::io::os::{self, FileIdentity};
use crate::model::fragments::Fragment;
use crate::read::fragment::{differs_from_recorded, recorded_difference};
use crate::threads::progress::Progress;
use crate::threads::workers;

/// The input files, sorted.
#[derive(Default)]
pub(super) struct Sorted<'a> {
    /// The files that the aggregation does not have.
    pub fresh: Vec<&'a Path>,
    /// The files that it has and that must be scanned again, by index.
    pub again: HashMap<usize, PathBuf>,
    /// The indices of the files whose size or time is not as recorded.
    pub changed: HashSet<usize>,
    /// The number of the other files that it has.
    pub unchanged: usize,
    /// The names of files that changed and are not among the input files.
    pub elsewhere: Vec<String>,
}

/// The identity and state of a file, as the operating system reports them.
struct Seen {
    identity: Option<FileIdentity>,
    state: FileState,
}

impl Existing {
    /// Distinguishes known files from others.
    ///
    /// # Errors
    /// `Io`, `Unsupported` if a file can have no location; those of opening a file on a server; `Cancelled`.
    pub fn sort<'a>(
        &self,
        files: &[&'a Path],
        locator: &Locator,
        options: &Options,
        progress: &Progress<'_>,
    ) -> Result<Sorted<'a>> {
        let mut sorted = Sorted::default();
        let mut given: HashSet<usize> = HashSet::new();
        let mut identities: Option<HashMap<FileIdentity, usize>> = None;
        let mut addressed: Option<HashMap<String, usize>> = None;
        let mut seen: Option<Vec<Option<Seen>>> = None;
        let mut known = Vec::new();
        for &file in files {
            let number = match self.by_location.get(&*locator.location(file)?) {
                Some(number) => Some(*number),
                None if is_address(file) => {
                    let all = addressed.get_or_insert_with(|| self.addressed());
                    addresses(file).iter().find_map(|address| all.get(address).copied())
                }
                None => {
                    let all = identities.get_or_insert_with(|| {
                        let seen = seen.get_or_insert_with(|| self.seen()).iter().enumerate();
                        // If a file has several names, the first one counts.
                        let of = |(number, seen): (usize, &Option<Seen>)| {
                            Some((seen.as_ref()?.identity.clone()?, number))
                        };
                        seen.rev().filter_map(of).collect()
                    });
                    os::identity_at(file).ok().and_then(|identity| all.get(&identity).copied())
                }
            };
            match number {
                None => sorted.fresh.push(file),
                Some(number) if given.insert(number) => known.push((number, file)),
                Some(_) => {}
            }
        }
        let states = if self.has_state { states_of(&known, options, progress)? } else { HashMap::new() };
        for (number, file) in known {
            let difference = |recorded| match states.get(&number) {
                Some(&state) => differs_from_recorded(recorded, state),
                None => recorded_difference(recorded, file),
            };
            if self.states(number).flatten().any(|state| difference(state).is_some()) {
                sorted.changed.insert(number);
            }
            let is_unchanged =
                self.states(number).all(|state| state.is_some_and(|state| difference(state).is_none()));
            match is_unchanged && self.has_wanted(number, options) {
                true => sorted.unchanged += 1,
                false => drop(sorted.again.insert(number, file.to_owned())),
            }
        }
        if self.has_state {
            let seen = seen.get_or_insert_with(|| self.seen()).iter().enumerate();
            let others = seen.filter(|(number, _)| !given.contains(number));
            let changed = others.filter_map(|(number, seen)| {
                let state = seen.as_ref()?.state;
                let differs = |recorded| differs_from_recorded(recorded, state).is_some();
                self.states(number).flatten().any(differs).then_some(number)
            });
            let names = changed.filter_map(|number| self.local(number).map(|(path, _)| os::shown(&path)));
            sorted.elsewhere = names.collect();
        }
        Ok(sorted)
    }

    /// Returns the paths of the files by index, so that all can be scanned again.
    ///
    /// # Errors
    /// `Unsupported` if one is not a local file.
    pub fn all(&self) -> Result<HashMap<usize, PathBuf>> {
        let place = |number: usize| {
            let (path, _) = self.local(number).ok_or_else(|| {
                let message =
                    "its coordinates are stored by value; to aggregate them it must be read again, \
                     and it is no local file that exists";
                Error::new(Kind::Unsupported, message).in_file(&*self.files[number].location)
            })?;
            Ok((number, path))
        };
        (0..self.files.len()).map(place).collect()
    }

    /// Returns the variables of a file that are fragments.
    pub fn identifiers(&self, number: usize) -> Vec<String> {
        let file = &self.files[number];
        let of = |&(variable, fragment): &(usize, usize)| {
            let old = self.variables[variable].fragments.as_ref()?.list.get(fragment)?;
            let Fragment::Stored { versions, .. } = &*old.fragment else { return None };
            let version = versions.iter().find(|v| v.location.as_deref() == Some(&*file.location))?;
            Some(version.identifier.trim_start_matches('/').to_owned())
        };
        file.fragments.iter().filter_map(of).collect()
    }

    /// Returns the places that a location may mean.
    pub fn places(&self, number: usize) -> Vec<Place> {
        let file = &self.files[number];
        let shared = self.dataset.shared();
        let places = candidates(&shared.origin, file.reference(), file.style, &shared.options)
            .map(|found| found.places);
        places.unwrap_or_default()
    }

    /// Returns the local file that a location means, if it exists.
    fn local(&self, number: usize) -> Option<(PathBuf, Metadata)> {
        self.places(number).into_iter().find_map(|place| match place {
            Place::Local(path) => {
                let metadata = fs::metadata(&path).ok().filter(Metadata::is_file)?;
                Some((path, metadata))
            }
            _ => None,
        })
    }

    /// Looks up the file of each location.
    fn seen(&self) -> Vec<Option<Seen>> {
        let one = |number| {
            let (path, metadata) = self.local(number)?;
            let state = FileState { length: metadata.len(), modified: metadata.modified().ok() };
            Some(Seen { identity: os::identity_in(&path, &metadata).ok(), state })
        };
        (0..self.files.len()).map(one).collect()
    }

    /// Returns the files on servers by their normalised addresses.
    fn addressed(&self) -> HashMap<String, usize> {
        let of = |number: usize| {
            let name = Path::new(self.files[number].reference());
            addresses(name).into_iter().next().map(|address| (address, number))
        };
        (0..self.files.len()).rev().filter_map(of).collect()
    }

    /// Returns the state that each fragment of a file has recorded.
    fn states(&self, number: usize) -> impl Iterator<Item = Option<[f64; 2]>> + '_ {
        self.files[number].fragments.iter().map(|&(variable, fragment)| {
            let state = self.variables[variable].fragments.as_ref()?.list.get(fragment)?.state?;
            Some([state.bytes, state.modified])
        })
    }

    /// Returns whether the aggregation has from a file all variables that are requested by name.
    fn has_wanted(&self, number: usize, options: &Options) -> bool {
        let mut wanted = options.variables.iter().map(|name| name.trim_start_matches('/'));
        let fragments = &self.files[number].fragments;
        wanted
            .all(|name| fragments.iter().any(|(variable, _)| self.variables[*variable].template.name == name))
    }
}

/// Returns the present states of those files that are on servers, by number.
fn states_of(
    files: &[(usize, &Path)],
    options: &Options,
    progress: &Progress<'_>,
) -> Result<HashMap<usize, FileState>> {
    let remote: Vec<_> = files.iter().filter(|(_, file)| is_address(file)).collect();
    let states = Mutex::new(HashMap::new());
    if !remote.is_empty() {
        let settings = options.settings()?;
        let threads = scan::at_once(&settings, remote.len());
        let look = |&(number, file): &(usize, &Path), _: &_, (): &mut ()| {
            let state = location::find_named(file, &settings)?.file.state();
            states.lock().unwrap_or_else(PoisonError::into_inner).insert(number, state);
            Ok(())
        };
        workers::run_waiting(remote, threads, Some(progress), || (), look)?;
    }
    Ok(states.into_inner().unwrap_or_else(PoisonError::into_inner))
}
