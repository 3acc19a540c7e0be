//! Lists the array of fragments for people: the place, locations and identifiers of each, and whether it exists.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::dataset::variable::Variable;
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, Opened, Style};
use crate::model::fragments::{Fragment, Lookup, Version};
use crate::model::slabs::Slabs;
use crate::selection::Selection;
use crate::threads::workers;
use crate::value::Values;

/// One fragment of an aggregation variable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// Its index in the array of fragments.
    pub index: Vec<u64>,
    /// The part of each aggregated dimension that it provides.
    pub ranges: Vec<Range<u64>>,
    /// Where its values come from.
    pub source: EntrySource,
}

/// Where the values of a fragment come from.
#[derive(Clone, Debug)]
pub enum EntrySource {
    /// All its values are missing.
    Missing,
    /// All its values are this one.
    UniqueValue(Values),
    /// It is stored in one of these versions.
    Versions(Vec<Version>),
}

/// Whether a version of a fragment can be opened.
#[derive(Clone, Debug)]
pub enum Presence {
    /// Its file exists, under this name.
    Present(String),
    /// Its file does not exist; these places were tried.
    Absent(Vec<String>),
    /// It may not or cannot be opened.
    Refused(Error),
}

/// The number of entries that are looked up at once.
const BLOCK: u64 = 4096;

/// The number of fragments on servers that are looked for together.
const TOGETHER: usize = 1024;

impl Variable {
    /// Visits every fragment in C order. A variable that is not aggregated has none.
    ///
    /// ```no_run
    /// # fn main() -> cfa::Result<()> {
    /// let tas = cfa::Dataset::open("tas.nc")?.variable("tas")?;
    /// tas.for_each_fragment(|entry| {
    ///     println!("{:?}", entry.index);
    ///     Ok::<(), cfa::Error>(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of decoding the aggregation or an entry, and those of `visit`.
    pub fn for_each_fragment<E: From<Error>>(
        &self,
        visit: impl FnMut(Entry) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let Some(aggregation) = self.aggregation()? else { return Ok(()) };
        self.for_each_fragment_of(&Selection::all(aggregation.grid.fragments()), visit)
    }

    /// Visits the fragments of a part of the array of fragments in C order; a variable that is not aggregated has none.
    ///
    /// # Errors
    /// As [`Variable::for_each_fragment`]; `Request` when the part is not one of the array of fragments, without steps.
    pub fn for_each_fragment_of<E: From<Error>>(
        &self,
        part: &Selection,
        mut visit: impl FnMut(Entry) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let Some(aggregation) = self.aggregation()? else { return Ok(()) };
        let shared = self.dataset().shared();
        let grid = &aggregation.grid;
        let shape = grid.fragments();
        let part = Selection::block(part.start(), part.count(), shape)?;
        for block in Slabs::new(&part, shape, BLOCK) {
            let block = block?;
            let entries =
                aggregation.fragments.lookup(&*shared.container, &block, &shared.runtime_substitutions)?;
            for (n, source) in sources_of(entries).enumerate() {
                let index = block.index(n as u64);
                let ranges = index.iter().enumerate().map(|(d, &i)| grid.range(d, i)).collect();
                visit(Entry { index, ranges, source })?;
            }
        }
        Ok(())
    }

    /// Returns the fragment at an index of the array of fragments.
    ///
    /// # Errors
    /// `Request` if there is none; the errors of decoding the aggregation or the entry.
    pub fn fragment(&self, index: &[u64]) -> Result<Entry> {
        let Some(aggregation) = self.aggregation()? else {
            return Err(Error::new(Kind::Request, "the variable is not aggregated").in_variable(self.path()));
        };
        let shared = self.dataset().shared();
        let grid = &aggregation.grid;
        let place = Selection::block(index, &vec![1; index.len()], grid.fragments())?;
        let entries = aggregation.fragments.lookup(&*shared.container, &place, &shared.runtime_substitutions);
        let entries = entries
            .map_err(|e| e.in_fragment(index).in_variable(self.path()).in_file(self.dataset().name()))?;
        let ranges = index.iter().enumerate().map(|(d, &i)| grid.range(d, i)).collect();
        let source = sources_of(entries).next().unwrap_or(EntrySource::Missing);
        Ok(Entry { index: index.to_vec(), ranges, source })
    }

    /// Visits every fragment in C order, and reports whether each of its versions can be opened. Files on servers are
    /// looked for side by side.
    ///
    /// # Errors
    /// As [`Variable::for_each_fragment`].
    pub fn for_each_presence<E: From<Error>>(
        &self,
        mut visit: impl FnMut(Entry, Vec<Presence>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        if !self.dataset().shared().waits_for(self.id()) {
            // Neighbours often name the same file.
            let mut last: Option<(Version, Presence)> = None;
            return self.for_each_fragment(|entry| {
                let mut look = |version: &Version| match &last {
                    Some((same, presence)) if same == version => presence.clone(),
                    _ => {
                        let presence = self.presence(version);
                        last = Some((version.clone(), presence.clone()));
                        presence
                    }
                };
                let found = versions_of(&entry).iter().map(&mut look).collect();
                visit(entry, found)
            });
        }
        let mut waiting: Vec<Entry> = Vec::new();
        let mut tell = |entries: Vec<Entry>| {
            let found = self.presences(&entries)?;
            entries.into_iter().try_for_each(|entry| {
                let own = versions_of(&entry).iter().map(|version| found.of(version)).collect();
                visit(entry, own)
            })
        };
        self.for_each_fragment(|entry| {
            waiting.push(entry);
            match waiting.len() < TOGETHER {
                true => Ok(()),
                false => tell(std::mem::take(&mut waiting)),
            }
        })?;
        tell(waiting)
    }

    /// Looks for the files of all versions, each once.
    fn presences(&self, entries: &[Entry]) -> Result<Found> {
        let found = Mutex::new(HashMap::new());
        let versions = entries.iter().flat_map(versions_of);
        let places: HashMap<Option<&str>, &Version> =
            versions.map(|version| (version.location.as_deref(), version)).collect();
        let threads = self.dataset().shared().options.http_concurrency.saturating_mul(2);
        let threads = threads.min(places.len()).max(1);
        let look = |version: &Version, _: &_, (): &mut ()| {
            let presence = self.presence(version);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.insert(version.location.clone(), presence);
            Ok(())
        };
        workers::run_waiting(places.into_values(), threads, None, || (), look)?;
        Ok(Found(found.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Checks whether the file of a version can be opened. The aggregation file itself is always present.
    pub fn presence(&self, version: &Version) -> Presence {
        let Some(name) = &version.location else {
            return Presence::Present(self.dataset().name().to_owned());
        };
        let look = || -> Result<Presence> {
            let Some(aggregation) = self.aggregation()? else { return Ok(Presence::Absent(Vec::new())) };
            let shared = self.dataset().shared();
            let style = Style::allowing_absolute_paths(aggregation.fragments.allows_absolute_paths());
            Ok(match location::open_fragment(&shared.origin, name, style, &shared.options)? {
                Opened::Found(found) => Presence::Present(crate::Source::name(&found.file).to_owned()),
                Opened::Absent(places) => Presence::Absent(places),
            })
        };
        look().unwrap_or_else(Presence::Refused)
    }
}

/// Whether files can be opened, by location.
struct Found(HashMap<Option<String>, Presence>);

impl Found {
    fn of(&self, version: &Version) -> Presence {
        self.0.get(&version.location).cloned().unwrap_or(Presence::Absent(Vec::new()))
    }
}

fn versions_of(entry: &Entry) -> &[Version] {
    match &entry.source {
        EntrySource::Versions(versions) => versions,
        EntrySource::Missing | EntrySource::UniqueValue(_) => &[],
    }
}

/// Returns where the values of each fragment of a block come from.
fn sources_of(entries: Lookup) -> impl Iterator<Item = EntrySource> {
    let (values, list) = match entries {
        Lookup::UniqueValues(values) => (Some(values), Vec::new()),
        Lookup::Fragments(list) => (None, list),
    };
    let unique = values
        .into_iter()
        .flat_map(|values| (0..values.len()).map(move |n| EntrySource::UniqueValue(values.element(n))));
    unique.chain(list.into_iter().map(|fragment| match fragment {
        Fragment::Missing => EntrySource::Missing,
        Fragment::Stored { versions, .. } => EntrySource::Versions(versions),
    }))
}
