//! Compares the recorded places of chunks with the files.

use std::sync::Arc;

use super::rules::{self, Rule};
use crate::author::chunks::rows;
use crate::container::described::Described;
use crate::io::source::Source;
use crate::model::fragments::Version;
use crate::read::fragment::Raw;
use crate::read::recorded_chunks::RecordedChunks;

/// Returns what is wrong with the record of a fragment, by its number, whose first version is open.
pub(super) fn problem(
    tables: &Arc<RecordedChunks>,
    number: u64,
    version: &Version,
    raw: &Raw,
) -> Option<(&'static Rule, String)> {
    let entry = tables.entry(number)?;
    let name = raw.file().unwrap_or_default();
    let stale = |what: &str| Some((&rules::FRAGMENT_CHUNKS_STALE, format!("{name}: {what}")));
    let Raw::Stored { variable, file: Some(file), .. } = raw else {
        return stale("chunks are recorded that it does not have");
    };
    let state = entry.state(version.location.as_deref()?, &version.identifier);
    if file.source.len() != state.length || file.source.fingerprint() != Some(state.fingerprint) {
        return stale(
            "it changed since its chunks were recorded, so it is parsed; cfa index records them again",
        );
    }
    let own = Described::of(&variable.array, &variable.attributes);
    let own = own.and_then(|own| Some((own.text(), rows(&variable.array, &own, state.length)?)));
    let recorded = tables.layout(entry.layout);
    let recorded = recorded.and_then(|layout| Some((layout.text(), tables.rows(&entry, &layout)?)));
    let message = "its chunks are not where they are recorded; cfa index records them again";
    (own.is_none() || own != recorded).then(|| (&rules::FRAGMENT_CHUNKS, format!("{name}: {message}")))
}
