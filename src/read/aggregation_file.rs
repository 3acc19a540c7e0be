//! An open aggregation file, with what all its reads share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use once_cell::sync::OnceCell;

use super::fragment::files::OpenFile;
use super::fragment::{Caches, Chain, Host, Raw, ToWholeNumbers};
use super::known::KnownFragments;
use super::recorded_chunks::RecordedChunks;
use super::scatter::Destination;
use super::sink::size_of;
use super::Request;
use crate::canonical::{Conversion, Target};
use crate::container::tree::{DimensionId, GroupId, Tree, VariableId};
use crate::container::Container;
use crate::dialect::{self, Grids};
use crate::error::{message, Error, Kind, Result};
use crate::io::location::{self, Identity, Origin};
use crate::model::fragments::{Fragment, Lookup, Version};
use crate::model::slabs::Slabs;
use crate::model::substitutions::Substitutions;
use crate::model::Aggregation;
use crate::options::OpenOptions;
use crate::selection::Selection;
use crate::value::{Attributes, DataType};

/// The maximum number of warnings; more are dropped, since one oddity can occur in a million fragments.
const MOST_WARNINGS: usize = 100;

/// An open file with or without aggregation variables.
pub(crate) struct AggregationFile {
    /// A number that is unique in this process.
    number: u64,
    pub(crate) container: Arc<Container>,
    pub(crate) identity: Identity,
    pub(crate) origin: Origin,
    pub(crate) options: OpenOptions,
    pub(crate) runtime_substitutions: Substitutions,
    pub(super) caches: Caches,
    pub(super) known: KnownFragments,
    /// The recorded places of chunks, by variable.
    recorded: Mutex<HashMap<VariableId, Arc<RecordedChunks>>>,
    /// Boxed, since most variables have none.
    aggregations: Vec<OnceCell<Result<Box<Aggregation>>>>,
    grids: Grids,
    warnings: Mutex<Vec<String>>,
}

/// The number of fragments that show whether those of a variable lie on servers.
const SAMPLE: u64 = 1024;

impl AggregationFile {
    /// Returns whether some of these fragments may lie on servers.
    pub(super) fn may_wait<'f>(&self, fragments: impl IntoIterator<Item = &'f Fragment>) -> bool {
        let is_remote = |version: &Version| {
            let name = version.location.as_ref();
            name.is_some_and(|name| location::may_be_remote(&self.origin, name, &self.options))
        };
        fragments.into_iter().any(|fragment| match fragment {
            Fragment::Stored { versions, .. } => versions.iter().any(is_remote),
            Fragment::Missing => false,
        })
    }

    /// Returns whether the data of a variable may lie on servers, judged by its first fragments.
    pub(crate) fn waits_for(&self, id: VariableId) -> bool {
        let Ok(Some(aggregation)) = self.aggregation(id) else { return self.container.source().is_remote() };
        let shape = aggregation.grid.fragments();
        let first = Slabs::new(&Selection::all(shape), shape, SAMPLE).next();
        let Some(Ok(first)) = first else { return false };
        match aggregation.fragments.lookup(&*self.container, &first, &self.runtime_substitutions) {
            Ok(Lookup::Fragments(list)) => self.may_wait(&list),
            _ => false,
        }
    }

    /// Parses the structure of a file.
    ///
    /// # Errors
    /// Those of the container.
    pub(crate) fn new(
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
        Ok(AggregationFile {
            number: LAST.fetch_add(1, Ordering::Relaxed),
            container,
            identity,
            origin,
            options: options.clone(),
            runtime_substitutions: Substitutions::from_pairs(options.substitutions.iter().cloned()),
            caches: Caches::new(options),
            known: KnownFragments::default(),
            recorded: Mutex::default(),
            aggregations,
            grids: Grids::default(),
            warnings: Mutex::new(warnings),
        })
    }

    /// Returns the container's tree, which [`AggregationFile::new`] has parsed.
    pub(crate) fn tree(&self) -> &Tree {
        static EMPTY: Tree = Tree::empty();
        self.container.tree().unwrap_or(&EMPTY)
    }

    /// Returns the decoded aggregation of a variable, or `None` for an ordinary one.
    pub(crate) fn aggregation(&self, id: VariableId) -> Result<Option<&Aggregation>> {
        let variable = &self.tree().variables[id.0];
        if self.options.raw_view || !dialect::is_aggregation(&variable.attributes) {
            return Ok(None);
        }
        let place = |e: Error| e.in_variable(&variable.path).in_file(self.container.name());
        // Listing a file asks for each variable several times, so an error is remembered, unless reading failed.
        let decoded = self.aggregations[id.0].get_or_try_init(|| {
            let decoded = dialect::decode(&self.container, id, self.options.max_fragments, &self.grids);
            let decoded = match decoded {
                Err(error) if error.kind() == Kind::Io => return Err(error),
                other => other,
            };
            for warning in decoded.iter().flat_map(|aggregation| &aggregation.warnings) {
                self.warn(format!("variable '{}': {warning}", variable.path));
            }
            Ok(decoded.map(Box::new))
        });
        match decoded.map_err(place)? {
            Ok(aggregation) => Ok(Some(aggregation)),
            Err(error) => Err(place(error.clone())),
        }
    }

    /// Returns the recorded places of the chunks of a variable's fragments, if there are any.
    pub(crate) fn recorded_chunks(
        &self,
        id: VariableId,
        aggregation: &Aggregation,
    ) -> Option<Arc<RecordedChunks>> {
        let tables = aggregation.chunks?;
        let mut all = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(RecordedChunks::new(&self.container, tables));
        Some(Arc::clone(all.entry(id).or_insert_with(new)))
    }

    /// Returns the target for the elements of a variable, with the value that was chosen for missing bytes.
    pub(crate) fn target(&self, id: VariableId) -> Target {
        let variable = &self.tree().variables[id.0];
        let target = Target::new(&variable.attributes, variable.array.data_type);
        let aggregated = !self.options.raw_view && dialect::is_aggregation(&variable.attributes);
        match self.options.missing_bytes.filter(|_| aggregated) {
            Some(value) => target.with_missing_bytes(value),
            None => target,
        }
    }

    /// Returns the size of a dimension in the logical view.
    ///
    /// An unlimited dimension that only aggregated data span has size 0 in the file; in the logical view it has that of
    /// the data.
    pub(crate) fn dimension_size(&self, id: DimensionId) -> u64 {
        let stored = self.tree().dimensions[id.0].size;
        if stored > 0 {
            return stored;
        }
        (0..self.tree().variables.len())
            .filter_map(|v| self.aggregation(VariableId(v)).ok().flatten())
            .find_map(|a| {
                let position = a.dimensions.iter().position(|&d| d == id)?;
                Some(a.grid.shape()[position])
            })
            .unwrap_or(stored)
    }

    pub(crate) fn warn(&self, warning: String) {
        let warning = message::line(&warning, message::MOST);
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.len() < MOST_WARNINGS && !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Returns warnings about oddities that were tolerated so far, without the first `known` ones.
    pub(crate) fn warnings_after(&self, known: usize) -> Vec<String> {
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.get(known..).unwrap_or_default().to_vec()
    }

    /// Returns the group that contains a variable.
    pub(crate) fn group_of(&self, id: VariableId) -> GroupId {
        self.tree().variables[id.0].group
    }
}

impl Host for AggregationFile {
    fn number(&self) -> u64 {
        self.number
    }

    fn container(&self) -> &Arc<Container> {
        &self.container
    }

    fn tree(&self) -> &Tree {
        self.tree()
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn options(&self) -> &OpenOptions {
        &self.options
    }

    fn substitutions(&self) -> &Substitutions {
        &self.runtime_substitutions
    }

    fn caches(&self) -> &Caches {
        &self.caches
    }

    fn aggregation(&self, id: VariableId) -> Result<Option<&Aggregation>> {
        self.aggregation(id)
    }

    fn dimension_size(&self, id: DimensionId) -> u64 {
        self.dimension_size(id)
    }

    fn warn(&self, warning: String) {
        self.warn(warning);
    }

    fn open_nested(&self, file: &OpenFile) -> Result<Arc<dyn Host>> {
        let container = Arc::clone(file.container()?);
        let origin = self.origin.nested(&file.places);
        let nested = AggregationFile::new(container, file.identity(), origin, &self.options)?;
        Ok(Arc::new(nested))
    }

    fn is_unmarked(&self, id: VariableId) -> bool {
        let variable = &self.tree().variables[id.0];
        let (attributes, data_type) = (&variable.attributes, variable.array.data_type);
        data_type.is_number() && Target::new(attributes, data_type).missing_value().is_none()
    }

    fn read_numbers(
        self: Arc<Self>,
        id: VariableId,
        selection: &Selection,
        out: &mut [u8],
        valid: Option<&mut [u8]>,
        chain: Option<&Chain<'_>>,
    ) -> Result<()> {
        let data_type = self.tree().variables[id.0].array.data_type;
        let element = size_of(data_type)?;
        let values = &Destination::c_order(out, selection.count(), element)?;
        let mask = valid.map(|valid| Destination::c_order(valid, selection.count(), 1)).transpose()?;
        let mask = mask.as_ref();
        super::numbers(
            &self,
            id,
            &Request { selection, data_type, values, mask, lossy: None, progress: None },
            chain,
        )
    }

    fn read_strings(
        self: Arc<Self>,
        id: VariableId,
        selection: &Selection,
        chain: &Chain<'_>,
    ) -> Result<Vec<Option<String>>> {
        super::strings(&self, id, selection, None, Some(chain))
    }

    fn read_ahead(
        self: Arc<Self>,
        id: VariableId,
        selection: &Selection,
        chain: &Chain<'_>,
        room: &AtomicI64,
    ) -> Result<()> {
        super::ahead::within(&self, id, selection, Some(chain), room)
    }

    fn to_whole_numbers(&self, raw: &Raw) -> Result<Box<ToWholeNumbers>> {
        let target = Target::new(&Attributes::none(), DataType::I64);
        let conversion = Conversion::new(raw.attributes(), raw.data_type(), None, None, &target, false)?;
        Ok(Box::new(move |stored, numbers, valid| conversion.apply(stored, numbers, Some(valid))))
    }
}
