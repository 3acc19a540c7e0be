//! Converts an aggregation to another dialect, or to other locations.
//!
//! Data that are not aggregated are copied as stored. Fragments stay where they are: locations are written so that the
//! new file, wherever it is, refers to the same files. What the requested dialect cannot express is an error.
//!
//! ```no_run
//! use cfa::convert::{convert, Options};
//! use cfa::{Dataset, Dialect};
//!
//! let options = Options { dialect: Dialect::Cfa062, ..Options::default() };
//! convert(&Dataset::open("year.nc")?, "old.nc".as_ref(), &options)?;
//! # Ok::<(), cfa::Error>(())
//! ```

mod fragments;
mod locations;
mod steps;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::author::chunks;
use crate::author::out::Out;
use crate::author::write::aggregation::{self, Aggregated, Content, Recording, States};
use crate::author::write::blocks::blocks;
use crate::author::write::{self, Catalogue, Dimension, File, Format, Group, NewFile};
use crate::container::array::{Array, Layout};
use crate::container::read::is_unwritten;
use crate::container::tree::{DimensionId, GroupId, Tree, Variable, VariableId};
use crate::container::Container;
use crate::dataset::Dataset;
use crate::dialect::{self, reference};
use crate::error::{Error, Kind, Result};
use crate::model::{Aggregation, Dialect};
use crate::selection::{checked_product, Selection};
use crate::threads::progress::{Listener, Progress};
use crate::value::{Attributes, DataType, Values};
use fragments::Collector;
pub use locations::Locations;

/// The number of elements of plain data that are in memory at once.
const SLAB: u64 = 1 << 20;

/// How many chunks of an array are searched for, whatever the length of the file; as many again as it has bytes.
const MOST_SEARCHED: u64 = 1 << 22;

/// The size in bytes up to which records that were not written are always written.
const MOST_FILLED: u64 = 1 << 30;

/// The size in bytes up to which a chunk always keeps its shape.
const LARGE: u64 = 16 << 20;
/// How many times as long as the file a larger one may be. Deflate can make 1032 bytes of one.
const TIMES: u64 = 2048;

/// How a file is converted.
///
/// If a location begins with a prefix of the dataset's setting `relocate`, its replacement is written.
#[derive(Clone)]
pub struct Options<'a> {
    /// The dialect of the new file.
    pub dialect: Dialect,
    /// How local locations are written.
    pub locations: Locations,
    /// The format of the new file.
    pub format: Format,
    /// Whether a file with data of its own is replaced; never one that is read.
    pub overwrite: bool,
    /// Called with the number of fragments and plain values done so far and in total.
    pub progress: Option<&'a Listener<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            dialect: Dialect::Cf113,
            locations: Locations::Keep,
            format: Format::Netcdf4,
            overwrite: false,
            progress: None,
        }
    }
}

/// Writes a new file. An aggregation of that name is replaced if it has no data of its own, another file only with
/// [`Options::overwrite`]; never the file that is converted, nor a fragment of it. Waits for others who write the file
/// at the same time. The new file is read back before it gets its name. A warning of the dataset tells what the format
/// cannot hold and readers do not need.
///
/// # Errors
/// `Request` if the file may not be replaced; the errors of decoding an aggregation; `Unsupported` if the dialect or
/// format cannot express it; `Io`; `Cancelled`.
pub fn convert(dataset: &Dataset, path: &Path, options: &Options<'_>) -> Result<()> {
    let progress = steps::progress(dataset, options.progress);
    let target = Out::claimed(path, &mut || progress.wait())?;
    target.refuse_file(dataset)?;
    target.refuse_data(options.overwrite, "choose another name")?;
    target.refuse_fragments(dataset)?;
    let tree = dataset.shared().tree();
    let mut collector = Collector::new(dataset, path, options)?;
    collector.keep_description(tree).map_err(|e| e.in_file(dataset.name()))?;
    let mut aggregated: Vec<Converted> = Vec::new();
    let mut definition: HashSet<VariableId> = HashSet::new();
    let mut drops_chunks = false;
    for (i, variable) in tree.variables.iter().enumerate() {
        if !dialect::is_aggregation(&variable.attributes) {
            continue;
        }
        let place = |e: Error| e.in_variable(&variable.path).in_file(dataset.name());
        let id = VariableId(i);
        let Some(found) = dataset.shared().aggregation(id)? else {
            return Err(place(Error::new(Kind::Request, "the raw view has no aggregations to convert")));
        };
        definition.extend(&found.definition);
        let states = states_of(dataset, found).map_err(place)?;
        let chunks = chunks_of(dataset, found, options.format).map_err(place)?;
        drops_chunks |= found.chunks.is_some() && chunks.is_none();
        let description = collector.variable(id, found, &progress).map_err(place)?;
        aggregated.push(Converted { group: variable.group, description, states, chunks });
    }
    let plain: Vec<VariableId> = (0..tree.variables.len())
        .map(VariableId)
        .filter(|id| !dialect::is_aggregation(&tree.variables[id.0].attributes))
        .filter(|id| !definition.contains(id) || collector.same_file.contains(id))
        .collect();
    let file = describe(dataset, &plain, &definition, aggregated, options)?;
    let mut out = NewFile::begin(&file, target, options.format)?;
    out.remember_blocks();
    for id in plain {
        copy(dataset, id, &mut out, &progress)?;
    }
    out.commit_checked(&file)?;
    if drops_chunks {
        dataset.shared().warn(chunks::note_of_format());
    }
    Ok(())
}

/// An aggregation variable that is being converted.
struct Converted {
    group: GroupId,
    description: Aggregated,
    states: Option<States>,
    chunks: Option<Recording>,
}

/// Returns the recorded states of the fragments' files, which do not change.
fn states_of(dataset: &Dataset, found: &Aggregation) -> Result<Option<States>> {
    let shared = dataset.shared();
    let Some(ids) = found.recorded else { return Ok(None) };
    let mut lists = [Vec::new(), Vec::new()];
    for (list, id) in lists.iter_mut().zip(ids) {
        let array = &shared.tree().variables[id.0].array;
        if let Values::F64(values) = shared.container.read_table(array, &Selection::all(&array.shape))? {
            *list = values;
        }
    }
    let [bytes, modified] = lists;
    Ok(Some(States { bytes, modified }))
}

/// Returns the recorded places of chunks, which do not change. The classic format cannot hold them.
fn chunks_of(dataset: &Dataset, found: &Aggregation, format: Format) -> Result<Option<Recording>> {
    let shared = dataset.shared();
    let Some(tables) = found.chunks.filter(|_| format != Format::Classic) else { return Ok(None) };
    let read = |id: VariableId| {
        let array = &shared.tree().variables[id.0].array;
        shared.container.read_table(array, &Selection::all(&array.shape))
    };
    match (read(tables.fragments)?, read(tables.layouts)?, read(tables.chunks)?) {
        (Values::I64(fragments), Values::Char(layouts), Values::I64(chunks)) => {
            Ok(Some(Recording { fragments, layouts, chunks }))
        }
        _ => Ok(None),
    }
}

fn describe(
    dataset: &Dataset,
    plain: &[VariableId],
    definition: &HashSet<VariableId>,
    aggregated: Vec<Converted>,
    options: &Options<'_>,
) -> Result<File> {
    let tree = dataset.shared().tree();
    let mut root = skeleton(tree, GroupId(0), &kept_dimensions(dataset, plain, definition));
    if let Some(group) = tree.groups.first() {
        root.attributes = global(&group.attributes, options.dialect);
    }
    for &id in plain {
        let variable = &tree.variables[id.0];
        group_at(tree, &mut root, variable.group).variables.push(plain_variable(dataset, variable)?);
    }
    let mut catalogues: HashMap<GroupId, Catalogue> = HashMap::new();
    for Converted { group: id, description, states, chunks } in aggregated {
        let (group, catalogue) = (group_at(tree, &mut root, id), catalogues.entry(id).or_default());
        let name = description.variable.name.clone();
        aggregation::add_indexed(group, catalogue, description, options.dialect, states)
            .map_err(|e| e.in_file(dataset.name()))?;
        if let Some(chunks) = chunks {
            chunks.attach(group, catalogue, &name);
        }
    }
    Ok(root)
}

/// Returns groups with their attributes and the dimensions that are kept, without variables.
pub(super) fn skeleton(tree: &Tree, id: GroupId, sizes: &[Option<Dimension>]) -> Group {
    let group = &tree.groups[id.0];
    Group {
        name: group.name.clone(),
        attributes: group.attributes.clone(),
        dimensions: group.dimensions.iter().filter_map(|d| sizes[d.0].clone()).collect(),
        variables: Vec::new(),
        groups: group.groups.iter().map(|&g| skeleton(tree, g, sizes)).collect(),
    }
}

/// Returns the dimensions of the new file: all but those that only tables of the old one have.
fn kept_dimensions(
    dataset: &Dataset,
    plain: &[VariableId],
    definition: &HashSet<VariableId>,
) -> Vec<Option<Dimension>> {
    let tree = dataset.shared().tree();
    let used_by = |ids: &mut dyn Iterator<Item = &VariableId>| -> HashSet<DimensionId> {
        ids.flat_map(|id| tree.variables[id.0].dimensions.iter().copied()).collect()
    };
    let tables = used_by(&mut definition.iter());
    let data = used_by(&mut plain.iter());
    let spanned: HashSet<DimensionId> = (0..tree.variables.len())
        .filter_map(|v| dataset.shared().aggregation(VariableId(v)).ok().flatten())
        .flat_map(|a| a.dimensions.iter().copied())
        .collect();
    (0..tree.dimensions.len())
        .map(DimensionId)
        .map(|id| {
            if tables.contains(&id) && !data.contains(&id) && !spanned.contains(&id) {
                return None;
            }
            let dimension = &tree.dimensions[id.0];
            let size = dataset.dimension_size(id);
            // Writers leave an unlimited dimension empty when only aggregations use it; the texts require its size.
            let unlimited = dimension.unlimited && (dimension.size > 0 || size == 0);
            Some(Dimension { name: dimension.name.clone(), size, unlimited })
        })
        .collect()
}

/// Returns the description of a variable that [`copy`] copies.
///
/// # Errors
/// Those of reading its fill value.
pub(super) fn plain_variable(dataset: &Dataset, variable: &Variable) -> Result<write::Variable> {
    let shared = dataset.shared();
    let length = shared.container.source().len();
    let mut new = write::Variable::new(&*variable.name, variable.array.data_type, &[]);
    let names = variable.dimensions.iter().map(|d| shared.tree().dimensions[d.0].name.clone());
    if variable.array.data_type != DataType::String {
        new.unwritten = Some(unwritten(&shared.container, &variable.array)?);
    }
    new.dimensions = names.collect();
    new.attributes = variable.attributes.clone();
    if let Layout::Chunked { chunk, filters, .. } = &variable.array.layout {
        if !filters.is_empty() && variable.array.data_type.is_number() {
            let chunks = (!is_hollow(&variable.array, length)).then(|| chunk.clone());
            new.storage = write::Storage { chunks, deflate: Some(4), shuffle: true };
        }
    }
    Ok(new)
}

/// Returns the one element that an array has where nothing was written.
fn unwritten(container: &Container, array: &Array) -> Result<Values> {
    let Array { data_type, element, ref fill, .. } = *array;
    let (shape, fill) = (vec![1], fill.clone());
    let one = Array { data_type, element, shape, layout: Layout::Unwritten, fill, short: None };
    container.read_values(&one, &Selection::all(&one.shape))
}

/// Returns whether chunks hold next to nothing, as a constant of gigabytes does in a file of this length. Such a chunk is
/// copied in parts: the whole would be in memory several times.
fn is_hollow(array: &Array, length: u64) -> bool {
    let Layout::Chunked { chunk, .. } = &array.layout else { return false };
    let elements = checked_product(chunk).unwrap_or(u64::MAX);
    let bytes = elements.saturating_mul(array.element.size() as u64);
    bytes > LARGE && bytes / TIMES > length
}

pub(super) fn group_at<'a>(tree: &Tree, root: &'a mut Group, id: GroupId) -> &'a mut Group {
    let path: Vec<GroupId> = tree.upward(id).collect();
    let mut at = root;
    for id in path.iter().rev().skip(1) {
        let name = &tree.groups[id.0].name;
        // The skeleton has every group of the tree.
        let position = at.groups.iter().position(|g| g.name == *name).unwrap_or(0);
        at = &mut at.groups[position];
    }
    at
}

/// Returns the global attributes, with the conventions of the new file.
fn global(attributes: &Attributes, dialect: Dialect) -> Attributes {
    let mut out = attributes.clone();
    let mut words = vec![dialect.conventions().to_owned()];
    if let Some(text) = attributes.text("Conventions") {
        words.extend(text.split_whitespace().filter(|w| !w.starts_with("CF")).map(str::to_owned));
    }
    out.set_text("Conventions", words.join(" "));
    out
}

/// Returns the description of an aggregation variable without its fragments.
fn variable_of(
    tree: &Tree,
    id: VariableId,
    dimensions: &[DimensionId],
    dialect: Dialect,
) -> Result<write::Variable> {
    let stored = &tree.variables[id.0];
    let packed = ["scale_factor", "add_offset"].iter().any(|n| stored.attributes.get(n).is_some());
    if packed && dialect == Dialect::Cfa06b1Early {
        let message = format!("it is packed, which {dialect} does not allow");
        return Err(Error::new(Kind::Unsupported, message));
    }
    let mut new = write::Variable::new(&*stored.name, stored.array.data_type, &[]);
    for &d in dimensions {
        let dimension = &tree.dimensions[d.0];
        let near = reference::dimension(tree, stored.group, &dimension.name) == Some(d);
        let group = &tree.groups[dimension.group.0].path;
        let absolute = || format!("{}/{}", group.trim_end_matches('/'), dimension.name);
        new.dimensions.push(if near { dimension.name.clone() } else { absolute() });
    }
    for attribute in &stored.attributes {
        if !dialect::defines_aggregation(attribute) {
            new.attributes.set(&attribute.name, attribute.value.clone());
        }
    }
    Ok(new)
}

/// Checks that copying an array takes time and space in proportion to the data in the file, not to the shape that it
/// claims.
///
/// # Errors
/// `Limit`.
fn check_claims(container: &Container, array: &Array, block: &[u64]) -> Result<()> {
    let length = container.source().len();
    let count = |part: &[u64]| {
        let counts: Vec<u64> = array.shape.iter().zip(part).map(|(&n, &b)| n.div_ceil(b.max(1))).collect();
        checked_product(&counts).unwrap_or(u64::MAX)
    };
    let searched = count(block).max(array.chunk().map_or(0, count));
    let bytes = checked_product(&array.shape).and_then(|n| n.checked_mul(array.element.size() as u64));
    let filled = array.short.is_some()
        && bytes.is_none_or(|bytes| bytes > length.saturating_mul(TIMES).saturating_add(MOST_FILLED));
    match filled || searched > length.saturating_add(MOST_SEARCHED) {
        true => Err(Error::new(
            Kind::Limit,
            format!("its shape {:?} is too much for a file of {length} bytes", array.shape),
        )),
        false => Ok(()),
    }
}

/// Copies plain data as stored; what was never written stays so, with the same value.
pub(super) fn copy(
    dataset: &Dataset,
    id: VariableId,
    out: &mut NewFile,
    progress: &Progress<'_>,
) -> Result<()> {
    let shared = dataset.shared();
    let variable = &shared.tree().variables[id.0];
    let shape = &variable.array.shape;
    if checked_product(shape) == Some(0) {
        return Ok(());
    }
    // A string that is not written is that of `_FillValue`.
    let same = match unwritten(&shared.container, &variable.array)? {
        Values::String(list) => list == [variable.attributes.text("_FillValue").unwrap_or_default()],
        _ => true,
    };
    if same && matches!(variable.array.layout, Layout::Unwritten) && variable.array.short.is_none() {
        return Ok(());
    }
    let block = out.block_shape(&variable.path, SLAB);
    check_claims(&shared.container, &variable.array, &block)
        .map_err(|e| e.in_variable(&variable.path).in_file(dataset.name()))?;
    for (start, count) in blocks(shape, &block) {
        let part = Selection::block(&start, &count, shape)?;
        if same && is_unwritten(&variable.array, &part)? {
            progress.advance(part.len().unwrap_or(0))?;
            continue;
        }
        let values = shared.container.read_values(&variable.array, &part)?;
        out.put(&variable.path, &start, &count, &values)?;
        progress.advance(values.len() as u64)?;
    }
    Ok(())
}
