//! Finds what would be lost with a file: an aggregation without data of its own can be made again.
//!
//! Data of its own are variables that are stored and do not describe others, fragments in the file itself, and unique
//! values.

use std::collections::{BTreeSet, HashSet};

use super::Out;
use crate::author::option_name::OptionName;
use crate::cf::{self, Form};
use crate::container::array::Layout;
use crate::container::tree::{Tree, Variable, VariableId};
use crate::dataset::Dataset;
use crate::dialect::{self, reference};
use crate::error::{Kind, Result};
use crate::io::location::{self, Place, Style};
use crate::model::fragments::{Fragment, Lookup, Version};
use crate::model::slabs::Slabs;
use crate::model::Aggregation;
use crate::options::OpenOptions;
use crate::read::AggregationFile;
use crate::selection::{checked_product, Selection};

/// The number of fragments that are looked up at once.
const BLOCK: u64 = 4096;

/// The number of variables that a message names.
const NAMED: usize = 3;

impl Out {
    /// Checks that only an aggregation without data of its own is replaced, unless `overwrite` is set.
    ///
    /// # Errors
    /// `Request`; the message says what would be lost and what to do instead.
    pub(crate) fn refuse_data(&self, overwrite: bool, advice: &str) -> Result<()> {
        if overwrite || !self.exists() {
            return Ok(());
        }
        match self.loss() {
            None => Ok(()),
            Some(loss) => Err(self.refusal(format!(
                "{loss}, so it is not replaced; {advice}, or allow it ({})",
                OptionName::Overwrite
            ))),
        }
    }

    /// Checks that nothing is replaced, unless `overwrite` is set.
    ///
    /// # Errors
    /// `Request`.
    pub(crate) fn refuse_existing(&self, overwrite: bool) -> Result<()> {
        match self.exists() && !overwrite {
            true => Err(self.refusal(format!(
                "it exists and is not replaced; choose another name, or allow it ({})",
                OptionName::Overwrite
            ))),
            false => Ok(()),
        }
    }

    /// Returns whether the existing file is an aggregation, or may be a damaged one.
    pub(crate) fn is_aggregation(&self) -> bool {
        Dataset::identify(&self.target).is_ok_and(|found| found.is_some())
    }

    /// Returns what would be lost with the existing file.
    fn loss(&self) -> Option<String> {
        let opened = Dataset::open_with(&self.target, &OpenOptions::default());
        let holdings = match opened.and_then(|dataset| holdings(self, &dataset)) {
            Ok(holdings) => holdings,
            Err(error) if error.kind() == Kind::NotNetcdf => return Some("it is not a netCDF file".into()),
            Err(error) => return Some(format!("its content cannot be read ({})", error.message())),
        };
        let what = match (holdings.is_aggregation, holdings.data.is_empty()) {
            (true, true) => return None,
            (false, true) => return Some("it is not an aggregation".into()),
            (true, false) => "it holds data of its own",
            (false, false) => "it is not an aggregation but holds data",
        };
        let named: Vec<String> = holdings.data.iter().take(NAMED).map(|name| format!("'{name}'")).collect();
        let more = if holdings.data.len() > NAMED { ", ..." } else { "" };
        Some(format!("{what} ({}{more})", named.join(", ")))
    }
}

struct Holdings {
    is_aggregation: bool,
    /// The variables with data of their own, by their paths without leading slash.
    data: Vec<String>,
}

fn holdings(out: &Out, dataset: &Dataset) -> Result<Holdings> {
    let shared = dataset.shared();
    let tree = shared.tree();
    let mut idle = describing(tree);
    let mut data = BTreeSet::new();
    let mut is_aggregation = false;
    for (i, variable) in tree.variables.iter().enumerate() {
        let id = VariableId(i);
        if let Some(found) = shared.aggregation(id)? {
            is_aggregation = true;
            idle.extend(&found.definition);
            let own = fragments_here(out, shared, id, found)?;
            data.extend(own);
            // Readers ignore it, but somebody wrote it.
            if !variable.array.shape.is_empty() && is_stored(variable) {
                data.insert(id);
            }
        }
    }
    for (i, variable) in tree.variables.iter().enumerate() {
        let id = VariableId(i);
        if !dialect::is_aggregation(&variable.attributes) && !idle.contains(&id) && is_stored(variable) {
            data.insert(id);
        }
    }
    // Variables that cannot be read may also be data.
    let paths =
        data.iter().map(|id| &tree.variables[id.0].path).chain(tree.omitted.iter().map(|(path, _)| path));
    Ok(Holdings { is_aggregation, data: paths.map(|path| path.trim_start_matches('/').to_owned()).collect() })
}

fn is_stored(variable: &Variable) -> bool {
    checked_product(&variable.array.shape) != Some(0) && !matches!(variable.array.layout, Layout::Unwritten)
}

/// Returns the variables of the file itself that hold fragments of an aggregation variable; for unique values, that
/// variable.
fn fragments_here(
    out: &Out,
    shared: &AggregationFile,
    id: VariableId,
    found: &Aggregation,
) -> Result<HashSet<VariableId>> {
    let mut own = HashSet::new();
    let shape = found.grid.fragments();
    for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
        let list = match found.fragments.lookup(&*shared.container, &block?, &shared.runtime_substitutions)? {
            Lookup::Fragments(list) => list,
            Lookup::UniqueValues(_) => return Ok(HashSet::from([id])),
        };
        for fragment in &list {
            let Fragment::Stored { versions, .. } = fragment else { continue };
            own.extend(versions.iter().filter_map(|version| in_same_file(out, shared, id, found, version)));
        }
    }
    Ok(own)
}

/// Returns the variable of the file itself that is a version of a fragment, unless that is an aggregation again.
fn in_same_file(
    out: &Out,
    shared: &AggregationFile,
    id: VariableId,
    found: &Aggregation,
    version: &Version,
) -> Option<VariableId> {
    let tree = shared.tree();
    let Some(name) = &version.location else {
        let groups = found.fragments.search_groups().iter().copied().chain([tree.variables[id.0].group]);
        let mut groups = groups;
        let target = groups.find_map(|group| reference::variable(tree, group, &version.identifier));
        return Some(target.unwrap_or(id)).filter(|t| *t == id || is_plain(tree, *t));
    };
    // Usually the file has a variable of this name only as an aggregation, and the locations need not be compared.
    let target = tree.variable_at(&version.identifier).filter(|&target| is_plain(tree, target))?;
    let style = Style::allowing_absolute_paths(found.fragments.allows_absolute_paths());
    let places = location::candidates(&shared.origin, name, style, &shared.options).ok()?.places;
    places.iter().any(|place| matches!(place, Place::Local(path) if out.is(path))).then_some(target)
}

fn is_plain(tree: &Tree, id: VariableId) -> bool {
    !dialect::is_aggregation(&tree.variables[id.0].attributes)
}

/// Attributes that only variables without data of their own have.
const CONTAINING: [&str; 4] =
    ["grid_mapping_name", "geometry_type", "interpolation_name", "topology_dimension"];

/// Returns the variables that describe others: coordinates, bounds, cell measures, grid mappings and the like.
fn describing(tree: &Tree) -> HashSet<VariableId> {
    let mut found = HashSet::new();
    for (i, variable) in tree.variables.iter().enumerate() {
        let along = variable.dimensions.first().map(|d| &tree.dimensions[d.0].name);
        let rank =
            variable.dimensions.len() - usize::from(variable.dimensions.len() > 1 && is_text(variable));
        let is_container = CONTAINING.iter().any(|name| variable.attributes.get(name).is_some());
        if is_container || (rank == 1 && along == Some(&variable.name)) {
            found.insert(VariableId(i));
        }
        for attribute in &variable.attributes {
            let name = &*attribute.name;
            // The attributes of a mesh, such as `face_node_connectivity` and `node_coordinates`.
            let of_mesh = name.ends_with("_connectivity") || name.ends_with("_coordinates");
            let reference = cf::reference(name, cf::Use::Description);
            if of_mesh || reference.is_some() {
                let text = attribute.value.as_text().unwrap_or_default();
                let words: Vec<&str> = match reference.map(|reference| reference.form) {
                    Some(Form::Mapping) => cf::words(&text).collect(),
                    _ => Form::Keyed.names(&text),
                };
                let named = |word: &str| reference::variable(tree, variable.group, word);
                found.extend(words.into_iter().filter_map(named));
            }
        }
    }
    found
}

fn is_text(variable: &Variable) -> bool {
    variable.array.data_type == crate::value::DataType::Char
}
