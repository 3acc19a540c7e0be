//! The aggregation file that a fragment belongs to, as far as its fragments need it.
//!
//! A fragment may itself be an aggregation variable. Reading one takes all steps of a read, which lie above this layer:
//! the file that is read passes them in as this trait.

use std::sync::atomic::AtomicI64;
use std::sync::Arc;

use super::compressed::Expansions;
use super::files::{Files, OpenFile};
use super::{Chain, Raw};
use crate::container::read::ChunkCache;
use crate::container::tree::{DimensionId, Tree, VariableId};
use crate::container::Container;
use crate::error::Result;
use crate::io::location::{Identity, Origin};
use crate::model::substitutions::Substitutions;
use crate::model::Aggregation;
use crate::options::OpenOptions;
use crate::selection::Selection;

/// What all reads of a dataset share, including those of nested aggregations.
pub(crate) struct Caches {
    pub(crate) files: Files,
    /// Decoded chunks.
    pub(crate) chunks: ChunkCache,
    /// What is known about compressed fragments.
    pub(crate) expansions: Expansions,
}

impl Caches {
    pub(crate) fn new(options: &OpenOptions) -> Self {
        Caches {
            files: Files::new(options),
            chunks: ChunkCache::new(options.cache_bytes),
            expansions: Expansions::default(),
        }
    }
}

/// An open aggregation file.
pub(crate) trait Host: Send + Sync {
    /// Returns a number that no other open file in this process has.
    fn number(&self) -> u64;

    fn container(&self) -> &Arc<Container>;

    fn tree(&self) -> &Tree;

    fn identity(&self) -> &Identity;

    fn origin(&self) -> &Origin;

    fn options(&self) -> &OpenOptions;

    /// Returns the user's replacements in locations.
    fn substitutions(&self) -> &Substitutions;

    /// Returns the caches for reads that begin here; a nested read uses those of the outermost file.
    fn caches(&self) -> &Caches;

    /// Returns the decoded aggregation of a variable, or `None` for an ordinary one.
    ///
    /// # Errors
    /// The errors of decoding the aggregation.
    fn aggregation(&self, id: VariableId) -> Result<Option<&Aggregation>>;

    /// Returns the size of a dimension: that of the aggregated data if the file has none.
    fn dimension_size(&self, id: DimensionId) -> u64;

    /// Keeps a warning for the user.
    fn warn(&self, warning: String);

    /// Opens the file of a fragment as an aggregation file of its own.
    ///
    /// # Errors
    /// Those of the container.
    fn open_nested(&self, file: &OpenFile) -> Result<Arc<dyn Host>>;

    /// Returns whether a variable has no value for missing data, so that only a mask shows them.
    fn is_unmarked(&self, id: VariableId) -> bool;

    /// Reads an aggregation variable in its own type, like [`Raw::read`].
    ///
    /// # Errors
    /// Those of its own fragments.
    fn read_numbers(
        self: Arc<Self>,
        id: VariableId,
        selection: &Selection,
        out: &mut [u8],
        valid: Option<&mut [u8]>,
        chain: Option<&Chain<'_>>,
    ) -> Result<()>;

    /// Reads an aggregation variable of strings, with `None` for missing ones.
    ///
    /// # Errors
    /// Those of its own fragments.
    fn read_strings(
        self: Arc<Self>,
        id: VariableId,
        selection: &Selection,
        chain: &Chain<'_>,
    ) -> Result<Vec<Option<String>>>;

    /// Decodes in advance what a read of an aggregation variable needs, while there is `room` in the cache.
    ///
    /// # Errors
    /// The errors of decoding the aggregation.
    fn read_ahead(
        self: Arc<Self>,
        id: VariableId,
        selection: &Selection,
        chain: &Chain<'_>,
        room: &AtomicI64,
    ) -> Result<()>;

    /// Returns a function that converts the numbers of a fragment's variable to whole numbers, in canonical form.
    ///
    /// # Errors
    /// `Type`, `Units` and the like if they cannot be converted.
    fn to_whole_numbers(&self, raw: &Raw) -> Result<Box<ToWholeNumbers>>;
}

/// Converts the stored bytes of numbers. Writes each as 8 bytes, and 1 (valid) or 0 (missing).
pub(crate) type ToWholeNumbers = dyn Fn(&[u8], &mut [u8], &mut [u8]) -> Result<()>;
