//! An open aggregation file: its logical view, and what all its reads share.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use once_cell::sync::OnceCell;

use crate::canonical::Target;
use crate::container::read::ChunkCache;
use crate::container::tree::{Dimension, DimensionId, Group, GroupId, Tree, VariableId};
use crate::container::Container;
use crate::dialect;
use crate::error::{Error, Kind, Result};
use crate::fragment::files::Files;
use crate::fragment::{Expansions, PreparedFragments};
use crate::location::{self, Identity, Origin};
use crate::message;
use crate::model::substitutions::Substitutions;
use crate::model::Aggregation;
use crate::options::OpenOptions;
use crate::variable::Variable;

/// An open netCDF file with or without aggregation variables.
///
/// Cheap to clone; may be used by any number of threads at once.
#[derive(Clone)]
pub struct Dataset(Arc<Shared>);

pub(crate) struct Shared {
    /// Unique in this process.
    pub(crate) number: u64,
    pub(crate) container: Arc<Container>,
    pub(crate) identity: Identity,
    pub(crate) origin: Origin,
    pub(crate) options: OpenOptions,
    pub(crate) runtime_substitutions: Substitutions,
    /// Used by reads that begin here; a nested read uses those of the outermost dataset.
    pub(crate) files: Files,
    /// Decoded chunks, used likewise.
    pub(crate) chunks: ChunkCache,
    /// What is known of compressed fragments, used likewise.
    pub(crate) expansions: Expansions,
    pub(crate) prepared: PreparedFragments,
    /// Boxed, for most variables have none.
    aggregations: Vec<OnceCell<Box<Aggregation>>>,
    warnings: Mutex<Vec<String>>,
}

/// Warnings beyond this many are dropped: one oddity can repeat in a million fragments.
const MOST_WARNINGS: usize = 100;

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
        let container = Arc::new(Container::open(Arc::new(found.file))?);
        Dataset::from_container(container, identity, origin, options)
    }

    pub(crate) fn from_container(
        container: Arc<Container>,
        identity: Identity,
        origin: Origin,
        options: &OpenOptions,
    ) -> Result<Self> {
        let tree = container.tree()?;
        let aggregations = tree.variables.iter().map(|_| OnceCell::new()).collect();
        let omitted = tree.omitted.iter().take(MOST_WARNINGS);
        let mut warnings: Vec<String> =
            omitted.map(|(path, reason)| format!("{path} is left out: {reason}")).collect();
        if let Some(more @ 1..) = tree.omitted.len().checked_sub(MOST_WARNINGS) {
            warnings.push(format!("{more} more are left out"));
        }
        static LAST: AtomicU64 = AtomicU64::new(0);
        Ok(Dataset(Arc::new(Shared {
            number: LAST.fetch_add(1, Ordering::Relaxed),
            container,
            identity,
            origin,
            options: options.clone(),
            runtime_substitutions: Substitutions::from_pairs(options.substitutions.iter().cloned()),
            files: Files::new(options),
            chunks: ChunkCache::new(options.cache_bytes),
            expansions: Expansions::default(),
            prepared: PreparedFragments::default(),
            aggregations,
            warnings: Mutex::new(warnings),
        })))
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        self.0.container.name()
    }

    /// The variable at this path (`tas`, `/tas`, `/group/tas`).
    ///
    /// # Errors
    /// `MissingVariable`, naming those there are.
    pub fn variable(&self, path: &str) -> Result<Variable> {
        match self.0.tree().variable_at(path) {
            Some(id) => Ok(Variable::new(self.clone(), id)),
            None => Err(self.0.no_such_variable(path)),
        }
    }

    /// The variables of the logical view: those that only define fragments are left out, unless the raw view was
    /// asked for.
    pub fn variables(&self) -> Vec<Variable> {
        let hidden = self.0.hidden();
        (0..hidden.len())
            .filter(|&v| !hidden[v])
            .map(|v| Variable::new(self.clone(), VariableId(v)))
            .collect()
    }

    /// The dimensions of the logical view: those that only variables out of view have are left out.
    pub fn dimensions(&self) -> Vec<DimensionId> {
        let tree = self.0.tree();
        let (mut used, mut out_of_view) = (vec![false; tree.dimensions.len()], self.0.hidden());
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

    /// All groups; the root is first.
    pub fn groups(&self) -> &[Group] {
        &self.0.tree().groups
    }

    /// A dimension as it is stored.
    pub fn dimension(&self, id: DimensionId) -> &Dimension {
        &self.0.tree().dimensions[id.0]
    }

    /// The size of a dimension in the logical view.
    ///
    /// An unlimited dimension that only aggregated data span has size 0 in the file; its size is that of the data.
    pub fn dimension_size(&self, id: DimensionId) -> u64 {
        let stored = self.dimension(id).size;
        if stored > 0 {
            return stored;
        }
        (0..self.0.tree().variables.len())
            .filter_map(|v| self.0.aggregation(VariableId(v)).ok().flatten())
            .find_map(|a| {
                let position = a.dimensions.iter().position(|&d| d == id)?;
                Some(a.grid.shape()[position])
            })
            .unwrap_or(stored)
    }

    /// The absolute path of a dimension.
    pub fn dimension_path(&self, id: DimensionId) -> String {
        let dimension = self.dimension(id);
        let group = &self.0.tree().groups[dimension.group.0].path;
        format!("{}/{}", group.trim_end_matches('/'), dimension.name)
    }

    /// Oddities that were tolerated so far.
    pub fn warnings(&self) -> Vec<String> {
        self.0.warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dataset").field(&self.name()).finish()
    }
}

impl Shared {
    /// The container's tree, which `from_container` has parsed.
    pub(crate) fn tree(&self) -> &Tree {
        static EMPTY: Tree =
            Tree { groups: Vec::new(), dimensions: Vec::new(), variables: Vec::new(), omitted: Vec::new() };
        self.container.tree().unwrap_or(&EMPTY)
    }

    /// The decoded aggregation of a variable; `None` for an ordinary one.
    pub(crate) fn aggregation(&self, id: VariableId) -> Result<Option<&Aggregation>> {
        let variable = &self.tree().variables[id.0];
        if self.options.raw_view || !dialect::is_aggregation(&variable.attributes) {
            return Ok(None);
        }
        self.aggregations[id.0]
            .get_or_try_init(|| {
                let aggregation = dialect::decode(&self.container, id, self.options.max_fragments)?;
                for warning in &aggregation.warnings {
                    self.warn(format!("variable '{}': {warning}", variable.path));
                }
                Ok(Box::new(aggregation))
            })
            .map(|aggregation| Some(&**aggregation))
            .map_err(|e: Error| e.in_variable(&variable.path).in_file(self.container.name()))
    }

    /// What the elements of a variable have to be, with the value that was chosen for missing bytes.
    pub(crate) fn target(&self, id: VariableId) -> Target {
        let variable = &self.tree().variables[id.0];
        let target = Target::new(&variable.attributes, variable.array.data_type);
        let aggregated = !self.options.raw_view && dialect::is_aggregation(&variable.attributes);
        match self.options.missing_bytes.filter(|_| aggregated) {
            Some(value) => target.with_missing_bytes(value),
            None => target,
        }
    }

    /// Per variable, whether it only defines fragments and is out of the logical view.
    fn hidden(&self) -> Vec<bool> {
        let mut hidden = vec![false; self.tree().variables.len()];
        for v in 0..hidden.len() {
            let aggregation = self.aggregation(VariableId(v)).ok().flatten();
            aggregation.iter().flat_map(|a| &a.definition).for_each(|id| hidden[id.0] = true);
        }
        hidden
    }

    pub(crate) fn warn(&self, warning: String) {
        let warning = message::line(&warning, message::MOST);
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.len() < MOST_WARNINGS && !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    fn no_such_variable(&self, path: &str) -> Error {
        let omitted = format!("/{}", path.trim_start_matches('/'));
        let reason = self.tree().omitted.iter().find(|(p, _)| *p == omitted);
        match reason {
            Some((_, reason)) => Error::new(Kind::Unsupported, format!("'{path}' cannot be read: {reason}")),
            None => {
                let names =
                    message::names(self.tree().variables.iter().map(|v| v.path.trim_start_matches('/')));
                let there = if names.is_empty() { "no variables".into() } else { names };
                Error::new(
                    Kind::MissingVariable,
                    format!("no variable '{}'; it has: {there}", message::short(path, message::MOST_OF_NAME)),
                )
            }
        }
        .in_file(self.container.name())
    }

    /// The group that holds a variable.
    pub(crate) fn group_of(&self, id: VariableId) -> GroupId {
        self.tree().variables[id.0].group
    }
}
