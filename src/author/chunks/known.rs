//! The places of chunks that an aggregation file already has. Files that are still in the recorded state are not parsed
//! again.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Look, Recorder};
use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::io::location::{self, Style};
use crate::model::fragments::{Fragment, Lookup};
use crate::model::slabs::Slabs;
use crate::read::fragment::fits_plainly;
use crate::read::recorded_chunks::{Entry, RecordedChunks};
use crate::selection::Selection;

/// The number of fragments that are looked up at once.
const BLOCK: u64 = 4096;

/// What was recorded, by location and identifier.
#[derive(Default)]
pub(crate) struct Known(HashMap<(String, String), (Arc<RecordedChunks>, Entry)>);

impl Known {
    /// Reads the tables of a dataset.
    ///
    /// # Errors
    /// Those of reading its tables.
    pub(crate) fn of(dataset: &Dataset) -> Result<Known> {
        let shared = dataset.shared();
        let mut known = Known::default();
        for id in (0..shared.tree().variables.len()).map(VariableId) {
            let Some(aggregation) = shared.aggregation(id)? else { continue };
            let Some(tables) = shared.recorded_chunks(id, aggregation) else { continue };
            let shape = aggregation.grid.fragments();
            for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
                let block = block?;
                let found = aggregation.fragments.lookup(
                    &*shared.container,
                    &block,
                    &shared.runtime_substitutions,
                )?;
                let Lookup::Fragments(list) = found else { break };
                for (i, fragment) in list.into_iter().enumerate() {
                    let Fragment::Stored { versions, view: None } = fragment else { continue };
                    let Some(version) = versions.into_iter().next() else { continue };
                    let entry = tables.entry(aggregation.grid.number(&block.index(i as u64)));
                    if let (Some(entry), Some(location)) = (entry, version.location) {
                        known.0.insert((location, version.identifier), (Arc::clone(&tables), entry));
                    }
                }
            }
        }
        Ok(known)
    }

    /// Returns what was recorded about a variable, if its file is still in the recorded state. The state of a file on a
    /// server is not requested, since readers compare it.
    pub(super) fn get(
        &self,
        recorder: &Recorder<'_>,
        location: &str,
        style: Style,
        identifier: &str,
        canonical: &[u64],
    ) -> Option<Look> {
        let (tables, entry) = self.0.get(&(location.to_owned(), identifier.to_owned()))?;
        let state = entry.state(location, identifier);
        location::open_recorded(recorder.origin, location, style, recorder.options, state).ok()??;
        let layout = tables.layout(entry.layout).filter(|layout| fits_plainly(&layout.shape, canonical))?;
        Some(Look { rows: tables.rows(entry, &layout)?, layout: layout.text(), state })
    }
}
