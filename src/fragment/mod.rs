//! From a place in the array of fragments to an array that can be read.
//!
//! Chooses the first version that exists, opens its file, finds the variable; a fragment may lie in the aggregation
//! file itself, may be an aggregation variable again, and may be compressed by gathering (CF section 8.2).

pub(crate) mod files;
mod gathered;
mod layout;
mod open;
mod raw;
mod recorded;

pub(crate) use gathered::expand;
pub(crate) use layout::Placement;
pub(crate) use open::{open, unreadable};
pub(crate) use raw::Raw;
pub(crate) use recorded::check as check_recorded;

use crate::container::tree::VariableId;
use crate::dataset::Shared;
use crate::error::{Error, Kind, Result};
use crate::location::FileIdentity;
use files::Files;

/// The aggregation variables that are being read, each because the one before has it as a fragment.
pub(crate) struct Chain<'a> {
    /// The open files of the outermost dataset.
    pub(crate) files: &'a Files,
    outer: Option<&'a Chain<'a>>,
    file: FileIdentity,
    variable: VariableId,
    depth: usize,
}

impl<'a> Chain<'a> {
    /// Adds a variable to the chain.
    ///
    /// # Errors
    /// `Cycle` when it is there already, `Limit` when the chain is too long.
    pub(crate) fn enter(
        outer: Option<&'a Chain<'a>>,
        shared: &'a Shared,
        variable: VariableId,
    ) -> Result<Self> {
        let depth = outer.map_or(0, |o| o.depth + 1);
        let mut link = outer;
        while let Some(chain) = link {
            if chain.file == shared.identity && chain.variable == variable {
                return Err(Error::new(Kind::Cycle, "the aggregation is a fragment of itself")
                    .in_variable(&shared.tree().variables[variable.0].path)
                    .in_file(shared.container.name()));
            }
            link = chain.outer;
        }
        let most = shared.options.max_nesting;
        if depth > most {
            return Err(Error::new(
                Kind::Limit,
                format!("aggregations are nested more than {most} deep (setting MAX_NESTING)"),
            ));
        }
        let files = outer.map_or(&shared.files, |o| o.files);
        Ok(Chain { files, outer, file: shared.identity.clone(), variable, depth })
    }
}
