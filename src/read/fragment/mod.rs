//! Turns an index in the array of fragments into an array that can be read.
//!
//! Chooses the first usable version, opens its file and finds the variable. A fragment may lie in the aggregation file
//! itself, may be an aggregation variable again, and may be compressed (CF sections 8.2 and 9.3).

mod axes;
mod compressed;
pub(crate) mod files;
mod foreign;
mod hdf4;
mod host;
mod layout;
mod open;
mod raw;
mod recorded;
mod versions;

pub(crate) use compressed::Fitting;
pub use foreign::{register_formats, Asked, ForeignArray, ForeignFormats, ForeignNumbers};
pub(crate) use host::{Caches, Host, ToWholeNumbers};
pub(crate) use layout::{fits_plainly, Piece, Placement};
pub(crate) use open::{known_file, open, recorded_file, stored, unreadable, Outcome, Wanted};
pub(crate) use raw::{strings_are_not_bytes, Raw};
pub(crate) use recorded::{
    check as check_recorded, difference as recorded_difference, difference_of as recorded_difference_of,
    differs as differs_from_recorded, has_changed,
};
pub(crate) use versions::{is_of_version, Failure, Failures};

use crate::container::read::ChunkCache;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::io::location::Identity;
use crate::threads::progress::Progress;
use compressed::Expansions;
use files::Files;

/// The aggregation variables that are being read. Each is a fragment of the one before.
pub(crate) struct Chain<'a> {
    /// The open files of the outermost aggregation.
    pub(crate) files: &'a Files,
    /// Its decoded chunks.
    pub(crate) chunks: &'a ChunkCache,
    /// What it knows about compressed fragments.
    pub(crate) expansions: &'a Expansions,
    outer: Option<&'a Chain<'a>>,
    file: Identity,
    variable: VariableId,
    depth: usize,
    progress: Option<&'a Progress<'a>>,
}

impl<'a> Chain<'a> {
    /// Adds a variable to the chain.
    ///
    /// # Errors
    /// `Cycle` if it is there already, `Limit` if the chain is too long.
    pub(crate) fn enter(
        outer: Option<&'a Chain<'a>>,
        host: &'a dyn Host,
        variable: VariableId,
    ) -> Result<Self> {
        let depth = outer.map_or(0, |o| o.depth + 1);
        let mut link = outer;
        while let Some(chain) = link {
            if chain.file == *host.identity() && chain.variable == variable {
                return Err(Error::new(Kind::Cycle, "the aggregation is a fragment of itself")
                    .in_variable(&host.tree().variables[variable.0].path)
                    .in_file(host.container().name()));
            }
            link = chain.outer;
        }
        let most = host.options().max_nesting;
        if depth > most {
            return Err(Error::new(
                Kind::Limit,
                format!("aggregations are nested more than {most} deep (setting MAX_NESTING)"),
            ));
        }
        let own = host.caches();
        let files = outer.map_or(&own.files, |o| o.files);
        let chunks = outer.map_or(&own.chunks, |o| o.chunks);
        let expansions = outer.map_or(&own.expansions, |o| o.expansions);
        let (file, progress) = (host.identity().clone(), outer.and_then(|o| o.progress));
        Ok(Chain { files, chunks, expansions, outer, file, variable, depth, progress })
    }

    /// The same chain, watched; a nested read is watched as the outermost one is.
    pub(crate) fn watched(mut self, progress: Option<&'a Progress<'a>>) -> Self {
        self.progress = progress.or(self.progress);
        self
    }

    /// Returns who watches.
    pub(crate) fn progress(&self) -> Option<&'a Progress<'a>> {
        self.progress
    }

    /// Checks whether to continue after this many elements. The outer read counts those of a nested one.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn advance(&self, elements: u64) -> Result<()> {
        let Some(progress) = self.progress else { return Ok(()) };
        if self.outer.is_some() || elements == 0 {
            return progress.check();
        }
        progress.advance(elements)
    }
}
