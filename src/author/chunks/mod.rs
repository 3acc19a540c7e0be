//! Records where the chunks of fragments lie in their files, so that readers need not parse those files.
//!
//! A fragment is recorded if it consists of numbers in a netCDF file that are read as they are stored: not text, not
//! compressed by gathering, not an aggregation itself. Its first version is recorded, with the state of the file. Nothing
//! is recorded if that state is unknown, as for a server without `ETag` and `Last-Modified`.

mod known;
mod look;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::author::write::aggregation::{Content, Meaning, Recording};
use crate::author::write::{Catalogue, Data, File, Format, Group};
use crate::dialect;
use crate::error::{Error, Kind, Result};
use crate::io::location::{fingerprint, may_be_remote, Origin, Style};
use crate::model::fragments::Fragment;
use crate::model::Dialect;
use crate::options::OpenOptions;
use crate::selection::indices;
use crate::threads::workers;
pub(crate) use known::Known;
pub(crate) use look::{look, rows, Look};

/// The maximum number of chunks that are recorded for a variable: a row of a table each.
const MOST_CHUNKS: usize = 1 << 25;
/// The number of files on servers that cannot be reached after which no more are tried.
const MOST_FAILURES: usize = 8;

/// The fragments of an aggregation variable.
pub(crate) struct Fragments<'a> {
    pub(crate) list: &'a [Fragment],
    /// The sizes of fragments along each dimension.
    pub(crate) sizes: &'a [Vec<u64>],
    pub(crate) dialect: Dialect,
}

/// How fragments are found.
pub(crate) struct Recorder<'a> {
    pub(crate) origin: &'a Origin,
    pub(crate) options: &'a OpenOptions,
    /// What was recorded earlier.
    pub(crate) known: &'a Known,
    pub(crate) threads: usize,
    /// Called after each file.
    pub(crate) step: &'a (dyn Fn() -> Result<()> + Sync),
}

/// A variable of a file.
struct Wanted {
    variable: usize,
    fragment: usize,
    identifier: String,
    canonical: Vec<u64>,
}

impl Recorder<'_> {
    /// Records the fragments of some variables. A fragment that cannot be recorded is no error.
    ///
    /// # Errors
    /// Those of `step`.
    pub(crate) fn record(&self, variables: &[Fragments<'_>]) -> Result<Vec<Recording>> {
        let files = files_of(variables);
        let found: Vec<Vec<Mutex<Option<Look>>>> =
            variables.iter().map(|v| v.list.iter().map(|_| Mutex::default()).collect()).collect();
        let failures = AtomicUsize::new(0);
        let work = |((location, style), wanted): ((String, Style), Vec<Wanted>)| {
            let is_remote = may_be_remote(self.origin, &location, self.options);
            if is_remote && failures.load(Ordering::Relaxed) >= MOST_FAILURES {
                return Ok(());
            }
            let parts: Vec<(&str, &[u64])> = wanted.iter().map(|w| (&*w.identifier, &*w.canonical)).collect();
            match self.file(&location, style, &parts) {
                Ok(looks) => {
                    for (one, look) in wanted.iter().zip(looks) {
                        let place = &found[one.variable][one.fragment];
                        *place.lock().unwrap_or_else(PoisonError::into_inner) = look;
                    }
                }
                Err(_) => drop(failures.fetch_add(usize::from(is_remote), Ordering::Relaxed)),
            }
            (self.step)()
        };
        let is_remote =
            |((name, _), _): &((String, Style), Vec<Wanted>)| may_be_remote(self.origin, name, self.options);
        let waits = files.iter().any(is_remote);
        match waits {
            true => {
                let threads = self.options.http_concurrency.min(files.len()).max(1);
                workers::run_waiting(files, threads, None, || (), |file, _, ()| work(file))?;
            }
            false => workers::run(files, self.threads, || (), |file, _, ()| work(file))?,
        }
        let variables = variables.iter().zip(found);
        Ok(variables.map(|(variable, looks)| tables(variable, looks)).collect())
    }

    /// Records some variables of one file.
    fn file(&self, location: &str, style: Style, wanted: &[(&str, &[u64])]) -> Result<Vec<Option<Look>>> {
        let mut looks: Vec<Option<Look>> = wanted
            .iter()
            .map(|(identifier, shape)| self.known.get(self, location, style, identifier, shape))
            .collect();
        let rest: Vec<usize> = (0..wanted.len()).filter(|&i| looks[i].is_none()).collect();
        if !rest.is_empty() {
            let list: Vec<(&str, &[u64])> = rest.iter().map(|&i| wanted[i]).collect();
            for (i, found) in rest.into_iter().zip(look(self, location, style, &list)?) {
                looks[i] = found;
            }
        }
        Ok(looks)
    }
}

/// Returns the location that readers find for a location in a description.
fn name_of(location: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Cfa04 => dialect::located(location),
        _ => location.to_owned(),
    }
}

/// Returns the first versions of all fragments, by file.
fn files_of(variables: &[Fragments<'_>]) -> Vec<((String, Style), Vec<Wanted>)> {
    let mut files: Vec<((String, Style), Vec<Wanted>)> = Vec::new();
    let mut by_name: HashMap<(String, bool), usize> = HashMap::new();
    for (variable, fragments) in variables.iter().enumerate() {
        let counts: Vec<u64> = fragments.sizes.iter().map(|row| row.len() as u64).collect();
        let paths = fragments.dialect.has_plain_paths();
        for (fragment, (one, index)) in fragments.list.iter().zip(indices(&counts)).enumerate() {
            let Fragment::Stored { versions, view: None } = one else { continue };
            let Some(version) = versions.first().filter(|version| version.is_netcdf()) else { continue };
            let Some(location) = &version.location else { continue };
            let name = name_of(location, fragments.dialect);
            let canonical = index.iter().zip(fragments.sizes).map(|(&i, row)| row[i as usize]).collect();
            let number = *by_name.entry((name.clone(), paths)).or_insert_with(|| {
                files.push(((name, Style::allowing_absolute_paths(paths)), Vec::new()));
                files.len() - 1
            });
            let identifier = version.identifier.clone();
            files[number].1.push(Wanted { variable, fragment, identifier, canonical });
        }
    }
    files
}

fn tables(fragments: &Fragments<'_>, looks: Vec<Mutex<Option<Look>>>) -> Recording {
    let mut made = Recording::default();
    let mut layouts: HashMap<String, (i64, i64)> = HashMap::new();
    for (fragment, look) in fragments.list.iter().zip(looks) {
        let look = look.into_inner().unwrap_or_else(PoisonError::into_inner);
        let version = match fragment {
            Fragment::Stored { versions, .. } => versions.first(),
            Fragment::Missing => None,
        };
        let location = version.and_then(|v| Some((name_of(v.location.as_deref()?, fragments.dialect), v)));
        let room = |look: &Look| made.chunks.len() / 3 + look.rows.len() / 3 <= MOST_CHUNKS;
        let (Some(look), Some((name, version))) = (look.filter(room), location) else {
            made.fragments.extend([-1, 0, 0, 0, 0]);
            continue;
        };
        let (at, count) = *layouts.entry(look.layout).or_insert_with_key(|text| {
            let at = made.layouts.len() as i64;
            made.layouts.extend(text.bytes().chain(*b"\n"));
            (at, text.len() as i64)
        });
        let stamp = look.state.fingerprint ^ fingerprint::of_variable(&name, &version.identifier);
        let first = (made.chunks.len() / 3) as i64;
        made.fragments.extend([at, count, first, look.state.length as i64, stamp as i64]);
        made.chunks.extend(look.rows);
    }
    made
}

/// Refuses a format that cannot hold what is recorded.
///
/// # Errors
/// `Unsupported`.
pub(crate) fn check_format(format: Format) -> Result<()> {
    match format {
        Format::Classic => {
            let message =
                "the classic format has no 64-bit integers, in which places of chunks are recorded; \
                           choose netcdf4 or cdf5";
            Err(Error::new(Kind::Unsupported, message))
        }
        _ => Ok(()),
    }
}

/// Returns the note on a new file whose classic format cannot hold the places that the old one recorded.
pub(crate) fn note_of_format() -> String {
    "the classic format cannot hold the places of chunks that were recorded; readers of the new file parse those of its \
     fragments"
        .into()
}

/// Returns the note on fragments that are not recorded.
pub(crate) fn note(total: u64, recorded: u64) -> String {
    let rest = total - recorded;
    format!("the chunks of {rest} of {total} fragments are not recorded; readers parse their files")
}

/// Records the fragments of all aggregation variables of a file that is about to be written. Returns the number of
/// fragments, and of those that are recorded.
///
/// # Errors
/// As [`Recorder::record`].
pub(crate) fn record_all(file: &mut File, recorder: &Recorder<'_>) -> Result<(u64, u64)> {
    let mut found = Vec::new();
    collect(file, &mut Vec::new(), &mut found);
    let lists: Vec<_> = found.iter().map(|(_, _, meaning)| meaning.aggregated.fragments.stored()).collect();
    let fragments: Vec<Fragments<'_>> = lists
        .iter()
        .zip(&found)
        .filter_map(|(list, (_, _, meaning))| {
            let list = list.as_ref()?;
            Some(Fragments { list, sizes: &meaning.aggregated.sizes, dialect: meaning.dialect })
        })
        .collect();
    let total = fragments.iter().map(|f| f.list.len() as u64).sum();
    let recordings = recorder.record(&fragments)?;
    drop(fragments);
    drop(lists);
    let stored = found.into_iter().filter(|(_, _, m)| !matches!(m.aggregated.fragments, Content::Unique(_)));
    let mut count = 0;
    let mut catalogues: HashMap<Vec<usize>, Catalogue> = HashMap::new();
    for ((path, name, meaning), recording) in stored.zip(recordings) {
        drop(meaning);
        count += recording.count();
        let group = path.iter().fold(&mut *file, |group, &i| &mut group.groups[i]);
        recording.attach(group, catalogues.entry(path).or_default(), &name);
    }
    Ok((total, count))
}

type Found = (Vec<usize>, String, std::sync::Arc<Meaning>);

fn collect(group: &Group, path: &mut Vec<usize>, found: &mut Vec<Found>) {
    for variable in &group.variables {
        if let Data::Fragments(meaning) = &variable.data {
            found.push((path.clone(), variable.name.clone(), meaning.clone()));
        }
    }
    for (i, child) in group.groups.iter().enumerate() {
        path.push(i);
        collect(child, path, found);
        path.pop();
    }
}
