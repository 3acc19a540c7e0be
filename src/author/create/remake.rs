//! Makes an aggregation file again with more in it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::existing::{self, Existing};
use super::locate::Locator;
use super::record::{Input, Interner};
use super::scan::{self, Scanned};
use super::{assemble, others, Inputs, Options, Report};
use crate::author::chunks::Known;
use crate::author::out::Out;
use crate::author::wish::Wish;
use crate::author::write::{self, File, Format};
use crate::error::message;
use crate::error::secrets::redact;
use crate::error::{Kind, Result};
use crate::threads::progress::Progress;

/// The maximum number of names in a note.
const SHOWN: usize = 5;

/// The result of an update.
pub(super) struct Remade {
    pub file: File,
    pub report: Report,
    /// The history of the existing file.
    history: Option<String>,
    /// Whether no file is new and none changed.
    is_idle: bool,
    /// Whether the existing file has places of chunks recorded, and which.
    pub has_chunks: bool,
    pub known: Known,
}

impl Remade {
    /// Returns whether the existing file already has all of it, except the entry of this call in the history.
    pub fn is_there(&mut self, out: &Path, format: Format) -> bool {
        if !self.is_idle {
            return false;
        }
        let attributes = &mut self.file.attributes;
        let new = attributes.get("history").cloned();
        match self.history.take() {
            Some(history) => attributes.set_text("history", history),
            None => drop(attributes.remove("history")),
        }
        let is_there = write::is_written(&self.file, out, format);
        if let Some(new) = new {
            self.file.attributes.set("history", new);
        }
        is_there
    }
}

/// Determines the aggregation that results from adding these files.
///
/// # Errors
/// As [`super::update`].
pub(super) fn remake(
    out: &Out,
    files: &Inputs,
    options: &Options,
    progress: &Progress<'_>,
) -> Result<Remade> {
    let others = others(out, files)?;
    if !out.exists() {
        return Err(out
            .refusal(format!("no such file; without {} it is created", Wish::Update))
            .with_kind(Kind::Io)
            .of_absence());
    }
    if !out.is_aggregation() {
        let message = format!(
            "it is not an aggregation, so no files can be added to it; without {} one is created",
            Wish::Update
        );
        return Err(out.refusal(message));
    }
    let interner = Interner::default();
    let old = existing::read(out.path(), &options.settings()?, &interner)?;
    let mut own = options.clone();
    own.dialect = old.dialect.unwrap_or(options.dialect);
    own.record_state |= old.has_state;
    own.aggregate_coordinates |= old.has_aggregated_coordinates;
    let locator = Locator::new(out.target(), &own.locations, own.dialect)?;
    let sorted = old.sort(&others, &locator, &own, progress)?;
    let mut scanned = scan::scan(&sorted.fresh, out, &own, progress, &interner)?;
    if let Some(name) = &own.new_dimension {
        if old.number(name, &mut scanned.inputs, &interner)? {
            own.new_dimension = None;
        }
    }
    scanned.globals.merge(&old.globals);
    let fresh = scanned.inputs.len();
    let mut again = sorted.again;
    let mut is_all = false;
    loop {
        let renewed = scan_again(out, &old, &again, &own, progress, &interner, &mut scanned)?;
        let mut inputs = old.inputs(&renewed, &own, &interner)?;
        for number in sorted.changed.iter().filter(|n| renewed.contains_key(n)) {
            let what = || "its size or time differs from the recorded one".to_owned();
            inputs.changes.entry(*number).or_insert_with(what);
        }
        let before = scanned.inputs.len() - fresh;
        scanned.inputs.splice(..before, inputs.list);
        let (file, mut report, is_placeless) =
            assemble(&scanned, old.history.clone(), &own, &locator, progress)?;
        if is_placeless && options.aggregate_coordinates && !is_all {
            // Variables that are stored by value can only be aggregated if their places in the files are known.
            again = old.all()?;
            is_all = true;
            continue;
        }
        let same = sorted.unchanged + again.len() - inputs.changes.len();
        if same > 0 && !is_all {
            report.notes.push(format!("{same} of the files are already in the aggregation"));
        }
        let changed =
            inputs.changes.iter().map(|(number, what)| format!("{} ({what})", renewed[number].name));
        let note = "changed since they were added; their parts are renewed";
        report.notes.extend(told(note, changed.collect()));
        let note =
            "changed since they were added and are not among the inputs; an update with them renews their parts";
        report.notes.extend(told(note, sorted.elsewhere));
        let is_idle = fresh == 0 && inputs.changes.is_empty();
        let (has_chunks, known) = (old.has_chunks, Known::of(&old.dataset)?);
        return Ok(Remade { file, report, history: old.history, is_idle, has_chunks, known });
    }
}

/// Scans files of the aggregation again, for all variables that it has from them. The result is by the index of the
/// file.
fn scan_again(
    out: &Out,
    old: &Existing,
    files: &HashMap<usize, PathBuf>,
    options: &Options,
    progress: &Progress<'_>,
    interner: &Interner,
    scanned: &mut Scanned,
) -> Result<HashMap<usize, Input>> {
    let mut options = options.clone();
    if !options.variables.is_empty() {
        options.variables.extend(files.keys().flat_map(|&number| old.identifiers(number)));
    }
    let mut numbers: Vec<usize> = files.keys().copied().collect();
    numbers.sort_unstable();
    let paths: Vec<&Path> = numbers.iter().map(|number| &*files[number]).collect();
    let found = scan::scan(&paths, out, &options, progress, interner)?;
    scanned.globals.absorb(found.globals);
    scanned.notes.extend(found.notes);
    scanned.notes.dedup();
    Ok(numbers.into_iter().zip(found.inputs).collect())
}

/// Returns a note on files, if there are any.
fn told(note: &str, mut names: Vec<String>) -> Option<String> {
    names.sort();
    let count = names.len();
    let more = if count > SHOWN { ", ..." } else { "" };
    names.truncate(SHOWN);
    names.iter_mut().for_each(|name| *name = redact(name));
    let note =
        |names: &str| message::line(&format!("{count} of the files {note}: {names}{more}"), message::MOST);
    (count > 0).then(|| note(&names.join(", ")))
}
