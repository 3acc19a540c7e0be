//! An open aggregation file: its logical view, and what all its reads share.

mod block;
pub(crate) mod coordinate_blocks;
pub mod coordinates;
mod find;
mod identify;
pub mod inventory;
pub mod range;
pub mod select;
pub mod settings;
mod supplied;
mod unpacked;
pub(crate) mod variable;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::container::tree::{Dimension, DimensionId, Group, VariableId};
use crate::container::Container;
use crate::dataset::variable::Variable;
use crate::error::message;
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, Identity, Origin};
use crate::io::source::Source;
use crate::options::OpenOptions;
use crate::read::AggregationFile;

/// An open netCDF file with or without aggregation variables.
///
/// Cheap to clone; may be used by any number of threads at once.
#[derive(Clone)]
pub struct Dataset(Arc<AggregationFile>);

impl Dataset {
    /// Opens a file with the settings of the environment (`CFA_*`).
    ///
    /// # Errors
    /// `Io`, `NotNetcdf`, `Damaged`, `Request` for a malformed setting.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Dataset::open_with(path, &OpenOptions::from_env()?)
    }

    /// Opens a file with these settings.
    ///
    /// # Errors
    /// `Io`, `NotNetcdf`, `Damaged`.
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self> {
        let (found, origin) = location::open_named(path.as_ref(), options)?;
        let identity = found.identity();
        // Its structure, its tables, and what they name.
        found.file.expect_all();
        let container = Arc::new(Container::open(Arc::new(found.file))?);
        Dataset::from_container(container, identity, origin, options)
    }

    /// Opens a container that the caller has opened.
    ///
    /// # Errors
    /// Those of the container.
    pub(crate) fn from_container(
        container: Arc<Container>,
        identity: Identity,
        origin: Origin,
        options: &OpenOptions,
    ) -> Result<Self> {
        Ok(Dataset(Arc::new(AggregationFile::new(container, identity, origin, options)?)))
    }

    pub(crate) fn shared(&self) -> &Arc<AggregationFile> {
        &self.0
    }

    /// Returns the name of the file.
    pub fn name(&self) -> &str {
        self.0.container.name()
    }

    /// Returns whether both are the same file, and not one that has its name.
    pub fn is_same_file(&self, other: &Dataset) -> bool {
        self.0.identity == other.0.identity
    }

    /// Returns the variable at this path (`tas`, `/tas`, `/group/tas`).
    ///
    /// # Errors
    /// `MissingVariable`, which lists the existing ones.
    pub fn variable(&self, path: &str) -> Result<Variable> {
        match self.0.tree().variable_at(path) {
            Some(id) => Ok(Variable::new(self.clone(), id)),
            None => Err(self.no_such_variable(path)),
        }
    }

    /// Returns the variable with this index in the file's list of variables.
    pub fn variable_with_id(&self, id: VariableId) -> Option<Variable> {
        (id.0 < self.0.tree().variables.len()).then(|| Variable::new(self.clone(), id))
    }

    /// Returns the variables of the logical view. Those that only define fragments are omitted, unless the dataset was
    /// opened with the raw view.
    pub fn variables(&self) -> Vec<Variable> {
        let hidden = self.hidden();
        (0..hidden.len())
            .filter(|&v| !hidden[v])
            .map(|v| Variable::new(self.clone(), VariableId(v)))
            .collect()
    }

    /// Returns the dimensions of the logical view. Those that only omitted variables have are omitted.
    pub fn dimensions(&self) -> Vec<DimensionId> {
        let tree = self.0.tree();
        let (mut used, mut out_of_view) = (vec![false; tree.dimensions.len()], self.hidden());
        for (v, variable) in tree.variables.iter().enumerate() {
            let aggregation = self.0.aggregation(VariableId(v)).ok().flatten();
            let dimensions = aggregation.map_or(&variable.dimensions, |a| &a.dimensions);
            if !out_of_view[v] {
                dimensions.iter().for_each(|d| used[d.0] = true);
            }
            out_of_view[v] |= aggregation.is_some();
        }
        let mut spare = vec![false; tree.dimensions.len()];
        for (variable, _) in tree.variables.iter().zip(&out_of_view).filter(|(_, &hidden)| hidden) {
            variable.dimensions.iter().for_each(|d| spare[d.0] = true);
        }
        let ids = tree.groups.iter().flat_map(|group| &group.dimensions).copied();
        ids.filter(|d| used[d.0] || !spare[d.0]).collect()
    }

    /// Returns all groups; the root is first.
    pub fn groups(&self) -> &[Group] {
        &self.0.tree().groups
    }

    /// Returns a dimension as it is stored.
    pub fn dimension(&self, id: DimensionId) -> &Dimension {
        &self.0.tree().dimensions[id.0]
    }

    /// Returns the size of a dimension in the logical view.
    ///
    /// An unlimited dimension that only aggregated data span has size 0 in the file; in the logical view it has that of
    /// the data.
    pub fn dimension_size(&self, id: DimensionId) -> u64 {
        self.0.dimension_size(id)
    }

    /// Returns the absolute path of a dimension.
    pub fn dimension_path(&self, id: DimensionId) -> String {
        let dimension = self.dimension(id);
        let group = &self.0.tree().groups[dimension.group.0].path;
        format!("{}/{}", group.trim_end_matches('/'), dimension.name)
    }

    /// Returns warnings about oddities that were tolerated so far.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings_after(0)
    }

    /// Returns the warnings that were added after the first `known` ones.
    pub fn warnings_after(&self, known: usize) -> Vec<String> {
        self.0.warnings_after(known)
    }
}

impl Dataset {
    /// Returns, per variable, whether it only defines fragments and is omitted from the logical view.
    fn hidden(&self) -> Vec<bool> {
        let mut hidden = vec![false; self.0.tree().variables.len()];
        for v in 0..hidden.len() {
            let aggregation = self.0.aggregation(VariableId(v)).ok().flatten();
            aggregation.iter().flat_map(|a| &a.definition).for_each(|id| hidden[id.0] = true);
        }
        hidden
    }

    fn no_such_variable(&self, path: &str) -> Error {
        let omitted = format!("/{}", path.trim_start_matches('/'));
        let reason = self.0.tree().omitted.iter().find(|(p, _)| *p == omitted);
        match reason {
            Some((_, reason)) => Error::new(Kind::Unsupported, format!("'{path}' cannot be read: {reason}")),
            None => {
                let names =
                    message::names(self.0.tree().variables.iter().map(|v| v.path.trim_start_matches('/')));
                let there = if names.is_empty() { "no variables".into() } else { names };
                Error::new(
                    Kind::MissingVariable,
                    format!("no variable '{}'; it has: {there}", message::short(path, message::MOST_OF_NAME)),
                )
            }
        }
        .in_file(self.0.container.name())
    }
}

impl fmt::Debug for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dataset").field(&self.name()).finish()
    }
}
