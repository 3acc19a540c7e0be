//! From a place in the array of fragments to an array that can be read.
//!
//! Chooses the first version that serves, opens its file, finds the variable; a fragment may lie in the aggregation
//! file itself, may be an aggregation variable again, and may be compressed (CF sections 8.2 and 9.3).

mod axes;
mod compressed;
pub(crate) mod files;
#[cfg(feature = "gdal")]
mod foreign;
#[cfg(feature = "gdal")]
mod gdal_array;
#[cfg(feature = "gdal")]
mod gdal_dataset;
#[cfg(feature = "gdal")]
mod gdal_group;
#[cfg(feature = "gdal")]
mod hdf4;
mod host;
mod layout;
mod open;
#[cfg(feature = "gdal")]
mod quiet;
mod raw;
mod recorded;
// Needs nothing of GDAL, so that its tests run in every build.
#[cfg(any(feature = "gdal", test))]
mod subdataset;
mod versions;

pub(crate) use compressed::Fitting;
pub(crate) use host::{Caches, Host, ToWholeNumbers};
pub(crate) use layout::{Piece, Placement};
pub(crate) use open::{known_file, open, stored, unreadable, Outcome, Wanted};
pub(crate) use raw::Raw;
pub(crate) use recorded::{check as check_recorded, difference as recorded_difference};
pub(crate) use versions::{is_of_version, Failure, Failures};

use crate::container::read::ChunkCache;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::io::location::Identity;
use crate::threads::progress::Progress;
use compressed::Expansions;
use files::Files;

/// The aggregation variables that are being read, each because the one before has it as a fragment.
pub(crate) struct Chain<'a> {
    /// The open files of the outermost aggregation.
    pub(crate) files: &'a Files,
    /// Its decoded chunks.
    pub(crate) chunks: &'a ChunkCache,
    /// What it knows of compressed fragments.
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
    /// `Cycle` when it is there already, `Limit` when the chain is too long.
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

    /// Sees whether to go on after this many elements; those of a nested read are counted by the outer one.
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
