//! Records the places of chunks in an existing aggregation file, so that readers need not parse the files of its
//! fragments.
//!
//! The file is written anew with three more variables for each aggregation variable; everything else is copied as it is
//! stored. A file with something that cannot be copied is refused, and so is the classic format.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::chunks::{self, Fragments, Known, Recorder};
use super::convert::{copy, group_at, plain_variable, skeleton, Claims};
use super::out::Out;
use super::write::{Catalogue, Dimension, File, Format, NewFile};
use crate::container::allowance::Allowance;
use crate::container::tree::{DimensionId, GroupId, VariableId};
use crate::dataset::Dataset;
use crate::dialect::{self, CHUNKS_ATTRIBUTE};
use crate::error::{Error, Kind, Result};
use crate::io::location;
use crate::model::fragments::{Fragment, Lookup};
use crate::model::slabs::Slabs;
use crate::model::{Aggregation, Dialect};
use crate::options::OpenOptions;
use crate::selection::Selection;
use crate::threads::progress::{Listener, Progress};
use crate::threads::workers;

/// The number of fragments that are looked up at once.
const BLOCK: u64 = 4096;

/// What is collected of a fragment besides its names: its size, and what is found out about its file. Measured with
/// 20,000 to 80,000 fragments: 911 bytes of memory for each at most, 190 of which are names.
const OWN: usize = 720;

/// What was recorded.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The number of fragments of all aggregation variables.
    pub fragments: u64,
    /// The number of those whose chunks are recorded.
    pub recorded: u64,
    /// Notes on what is not recorded.
    pub notes: Vec<String>,
}

/// The fragments of one aggregation variable.
struct Found {
    id: VariableId,
    list: Vec<Fragment>,
    sizes: Vec<Vec<u64>>,
    dialect: Dialect,
}

/// Records the places of chunks in an aggregation file, and replaces those that it had recorded before.
///
/// Waits for other writers of the file. The new file is read back before it replaces the old one.
/// The listener is called with the number of files done so far.
///
/// # Errors
/// `Request` if it is not an aggregation; `Unsupported` for the classic format and for a file with something that cannot
/// be copied; those of decoding it; `Io`; `Cancelled`.
pub fn index(path: &Path, options: &OpenOptions, listener: Option<&Listener<'_>>) -> Result<Report> {
    index_for(path, None, options, listener)
}

/// Same as [`index`], for readers that will find the file at the path or address `at`, such as its URL on a server.
/// Relative locations are relative to `at`, and the files are recorded in the state that they have there.
///
/// # Errors
/// As [`index`]; `Uri` for a malformed address.
pub fn index_for(
    path: &Path,
    at: Option<&Path>,
    options: &OpenOptions,
    listener: Option<&Listener<'_>>,
) -> Result<Report> {
    let waiting = Progress::new(listener, 0, "cancelled");
    let target = Out::claimed(path, &mut || waiting.wait())?;
    if !target.exists() {
        return Err(target.refusal("no such file").with_kind(Kind::Io));
    }
    if !target.is_aggregation() {
        return Err(target.refusal("it is not an aggregation"));
    }
    let format = Format::of_file(path)?;
    let name = target.name();
    chunks::check_format(format).map_err(|e| e.in_file(&*name))?;
    let dataset = Dataset::open_with(path, options)?;
    let shared = dataset.shared();
    let tree = shared.tree();
    if let Some((what, reason)) = tree.omitted.first() {
        let message = format!("'{what}' cannot be copied, so the file is left as it is: {reason}");
        return Err(Error::new(Kind::Unsupported, message).in_file(dataset.name()));
    }
    let (found, old) = variables(&dataset)?;
    let total = found.iter().map(|v| v.list.len() as u64).sum();
    let progress = Progress::new(listener, total, "cancelled");
    let step = || progress.advance(1);
    let fragments: Vec<Fragments<'_>> =
        found.iter().map(|v| Fragments { list: &v.list, sizes: &v.sizes, dialect: v.dialect }).collect();
    let known = Known::default();
    let threads = workers::threads(options.num_threads);
    let origin = match at {
        Some(at) => location::origin_named(at)?.1,
        None => shared.origin.clone(),
    };
    let recorder = Recorder { origin: &origin, options, known: &known, threads, step: &step };
    let recordings = recorder.record(&fragments)?;
    let recorded = recordings.iter().map(|recording| recording.count()).sum();
    let kept: Vec<VariableId> =
        (0..tree.variables.len()).map(VariableId).filter(|id| !old.contains(id)).collect();
    let mut file = describe(&dataset, &kept, &old)?;
    let mut catalogues: HashMap<GroupId, Catalogue> = HashMap::new();
    for (variable, recording) in found.iter().zip(recordings) {
        let stored = &tree.variables[variable.id.0];
        let catalogue = catalogues.entry(stored.group).or_default();
        recording.attach(group_at(tree, &mut file, stored.group), catalogue, &stored.name);
    }
    let mut out = NewFile::begin(&file, target, format)?;
    out.remember_blocks();
    let mut claims = Claims::new(&dataset);
    for id in kept {
        copy(&dataset, id, &mut out, &mut claims, &waiting)?;
    }
    out.commit_checked(&file)?;
    // The file has its name, so it is too late to stop.
    let _ = progress.finish();
    let notes = if recorded < total { vec![chunks::note(total, recorded)] } else { Vec::new() };
    Ok(Report { fragments: total, recorded, notes })
}

/// Returns the aggregation variables with fragments in files, and the tables of what was recorded before.
fn variables(dataset: &Dataset) -> Result<(Vec<Found>, HashSet<VariableId>)> {
    let shared = dataset.shared();
    let allowance = Allowance::of_gathering(&**shared.container.source());
    let (mut found, mut old) = (Vec::new(), HashSet::new());
    for id in (0..shared.tree().variables.len()).map(VariableId) {
        let variable = &shared.tree().variables[id.0];
        let Some(aggregation) = shared.aggregation(id)? else { continue };
        let place = |e: Error| e.in_variable(&variable.path).in_file(dataset.name());
        if let Some(tables) = aggregation.chunks {
            old.extend([tables.fragments, tables.layouts, tables.chunks]);
        }
        if let Some(list) = fragments(dataset, aggregation, &allowance).map_err(place)? {
            let (shape, grid) = (aggregation.grid.fragments(), &aggregation.grid);
            let row = |d: usize| (0..shape[d]).map(|i| grid.range(d, i)).map(|r| r.end - r.start).collect();
            let sizes = (0..shape.len()).map(row).collect();
            // The locations are those that readers look up, whatever the dialect writes.
            let dialect = match aggregation.fragments.allows_absolute_paths() {
                true => Dialect::Cfa062,
                false => Dialect::Cf113,
            };
            found.push(Found { id, list, sizes, dialect });
        }
    }
    Ok((found, old))
}

/// Returns the fragments of a variable; `None` for unique values.
///
/// # Errors
/// `Limit` if those of all variables are too many for a file of this length.
fn fragments(
    dataset: &Dataset,
    aggregation: &Aggregation,
    allowance: &Allowance,
) -> Result<Option<Vec<Fragment>>> {
    let shared = dataset.shared();
    let shape = aggregation.grid.fragments();
    let mut list = Vec::new();
    for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
        let place = block?;
        match aggregation.fragments.lookup(&*shared.container, &place, &shared.runtime_substitutions)? {
            Lookup::Fragments(part) => {
                allowance.keep(part.iter().map(|fragment| fragment.memory() + OWN).sum())?;
                list.extend(part);
            }
            Lookup::UniqueValues(_) => return Ok(None),
        }
    }
    Ok(Some(list))
}

/// Returns the file without what was recorded before.
fn describe(dataset: &Dataset, kept: &[VariableId], old: &HashSet<VariableId>) -> Result<File> {
    let tree = dataset.shared().tree();
    let used_by = |ids: &mut dyn Iterator<Item = &VariableId>| -> HashSet<DimensionId> {
        ids.flat_map(|id| tree.variables[id.0].dimensions.iter().copied()).collect()
    };
    let (used, unused) = (used_by(&mut kept.iter()), used_by(&mut old.iter()));
    let dimensions: Vec<Option<Dimension>> = (0..tree.dimensions.len())
        .map(|d| {
            let dimension = &tree.dimensions[d];
            let is_kept = used.contains(&DimensionId(d)) || !unused.contains(&DimensionId(d));
            is_kept.then(|| Dimension {
                name: dimension.name.clone(),
                size: dimension.size,
                unlimited: dimension.unlimited,
            })
        })
        .collect();
    let mut root = skeleton(tree, GroupId(0), &dimensions);
    for &id in kept {
        let variable = &tree.variables[id.0];
        let mut new = plain_variable(dataset, variable)?;
        if dialect::is_aggregation(&variable.attributes) {
            new.attributes.remove(CHUNKS_ATTRIBUTE);
        }
        group_at(tree, &mut root, variable.group).variables.push(new);
    }
    Ok(root)
}
