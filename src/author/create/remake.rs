//! Makes an existing aggregation file again, with files added, changed or removed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::existing::{self, Existing};
use super::labels::Labels;
use super::locate::Locator;
use super::numbered::Numbered;
use super::record::{Input, Interner};
use super::scan::{self, Scanned};
use super::{combine, kept_attributes, others, prune, releases, Inputs, Options, Report};
use crate::author::chunks::Known;
use crate::author::option_name::OptionName;
use crate::author::out::Out;
use crate::author::write::{self, File, Format};
use crate::error::message;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::os::shown;
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
    /// Returns whether the existing file already has all of this, except the entry of this call in the history.
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
    let (others, notes) = releases::choose(others(out, files)?, options.release.as_deref())?;
    if !out.is_aggregation() {
        let message = format!(
            "it is not an aggregation, so no files can be added to it; without {} one is created",
            OptionName::Update
        );
        return Err(out.refusal(message));
    }
    kept_attributes::check(&options.kept_attributes, options.new_dimension.as_deref())?;
    let interner = Interner::default();
    let old = existing::read(out.path(), &options.settings()?, &interner)?;
    let mut own = options.clone();
    own.dialect = old.dialect.unwrap_or(options.dialect);
    own.record_state |= old.has_state;
    own.aggregate_coordinates |= old.has_aggregated_coordinates;
    let keeps_more = own.kept_attributes.iter().any(|name| !old.kept_attributes.contains(name));
    let more = old.kept_attributes.iter().filter(|name| !options.keeps(name)).cloned();
    own.kept_attributes.extend(more);
    let locator = Locator::new(out.target(), &own.locations, own.dialect)?;
    let sorted = old.sort(&others, &locator, &own, progress)?;
    let gone = prune::gone(&old, &others, own.prune)?;
    let labels = labels(&old, &others, &own)?;
    let mut scanned = scan::scan(&sorted.fresh, out, &own, labels.as_ref(), progress, &interner)?;
    scanned.notes.splice(..0, notes);
    if let Some(name) = own.ordered() {
        if old.number(name, &mut scanned.inputs, &interner)? {
            own.new_dimension = None;
        }
    }
    scanned.globals.merge(&old.globals);
    let root = old.globals.iter().filter(|(group, _)| group.is_empty());
    root.for_each(|(_, own)| scanned.facets.add(&shown(out.path()), own));
    let fresh = scanned.inputs.len();
    let added: Vec<String> = scanned.inputs.iter().map(|input| input.name.to_string()).collect();
    // Attributes that the aggregation did not keep are only in its files.
    let mut again = match keeps_more {
        true => old.all().map_err(|e| {
            let message = "attributes of all files are to be kept, and this one is no local file that exists";
            Error::new(Kind::Request, message).in_file(e.file().unwrap_or_default())
        })?,
        false => sorted.again,
    };
    let mut is_all = false;
    loop {
        let renewed = scan_again(&old, &again, &own, &mut scanned, |paths: &[&Path], options: &Options| {
            scan::scan(paths, out, options, labels.as_ref(), progress, &interner)
        })?;
        let numbered = Numbered::of(&old, scanned.inputs.iter().chain(renewed.values()));
        let mut inputs = old.inputs(&renewed, &gone, &numbered, &own, &interner)?;
        for number in sorted.changed.iter().filter(|n| renewed.contains_key(n)) {
            let what = || "its size or time differs from the recorded one".to_owned();
            inputs.changes.entry(*number).or_insert_with(what);
        }
        let before = scanned.inputs.len() - fresh;
        scanned.inputs.splice(..before, inputs.list);
        let (file, mut report, is_placeless) =
            combine::combine(&scanned, old.history.clone(), &own, &locator, progress)?;
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
        report.changed = changed.collect();
        report.changed.sort();
        let removed = inputs.removed.iter().map(|&number| redact(&old.files[number].location));
        report.removed = removed.collect();
        report.added.clone_from(&added);
        let note = "changed since they were added; their parts are renewed";
        report.notes.extend(note_on(note, report.changed.clone()));
        let note = "are gone; their parts are removed";
        report.notes.extend(note_on(note, report.removed.clone()));
        for list in [&mut report.added, &mut report.changed, &mut report.removed] {
            list.iter_mut().for_each(|name| *name = redact(name));
        }
        let note =
            "changed since they were added and are not among the inputs; an update with them renews their parts";
        report.notes.extend(note_on(note, sorted.elsewhere));
        let is_idle = fresh == 0 && inputs.changes.is_empty() && inputs.removed.is_empty();
        let (has_chunks, known) = (old.has_chunks, Known::of(&old.dataset)?);
        return Ok(Remade { file, report, history: old.history, is_idle, has_chunks, known });
    }
}

/// Returns the labels along a new dimension. If they depend on all files, those of the aggregation are among these.
fn labels(old: &Existing, files: &[&Path], options: &Options) -> Result<Option<Labels>> {
    let Some(mut labels) = options.labels()? else { return Ok(None) };
    let known = match labels.compares_files() {
        true => old.all().map_err(|e| {
            let message =
                "its labels come from the folders in which all files lie, and a file of the aggregation is \
                           not there; a pattern (path:PATTERN) takes them from each path alone";
            Error::new(Kind::Request, message).in_file(e.file().unwrap_or_default())
        })?,
        false => HashMap::new(),
    };
    labels.compare(files.iter().copied().chain(known.values().map(PathBuf::as_path)))?;
    Ok(Some(labels))
}

/// Scans files of the aggregation again, for all variables that it has from them. The result is by the index of the
/// file.
fn scan_again(
    old: &Existing,
    files: &HashMap<usize, PathBuf>,
    options: &Options,
    scanned: &mut Scanned,
    scan: impl Fn(&[&Path], &Options) -> Result<Scanned>,
) -> Result<HashMap<usize, Input>> {
    let mut options = options.clone();
    if !options.variables.is_empty() {
        options.variables.extend(files.keys().flat_map(|&number| old.identifiers(number)));
    }
    let mut numbers: Vec<usize> = files.keys().copied().collect();
    numbers.sort_unstable();
    let paths: Vec<&Path> = numbers.iter().map(|number| &*files[number]).collect();
    let found = scan(&paths, &options)?;
    if !found.skipped.is_empty() {
        let mut at = 0..;
        numbers.retain(|_| at.next().is_none_or(|at| found.skipped.binary_search(&at).is_err()));
        scanned.notes.push("files that cannot be read and are in the aggregation keep their parts".into());
    }
    scanned.globals.absorb(found.globals);
    scanned.notes.extend(found.notes);
    scanned.notes.extend(found.bad);
    scanned.notes.dedup();
    Ok(numbers.into_iter().zip(found.inputs).collect())
}

/// Returns a note on files, if there are any.
fn note_on(note: &str, mut names: Vec<String>) -> Option<String> {
    names.sort();
    let count = names.len();
    let more = if count > SHOWN { ", ..." } else { "" };
    names.truncate(SHOWN);
    names.iter_mut().for_each(|name| *name = redact(name));
    let note =
        |names: &str| message::line(&format!("{count} of the files {note}: {names}{more}"), message::MOST);
    (count > 0).then(|| note(&names.join(", ")))
}
