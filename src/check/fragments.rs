//! Opens every fragment and checks that it exists, that it has the variable, that it fits and that it has not changed.
//!
//! CF-1.13 section 2.8.2 and the corresponding sections of the older texts. Data are not read, so values that a
//! conversion would refuse are not found here.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::report::State;
use super::rules::{self, Rule};
use super::{recorded::Recorded, recorded_chunks, together::Subject};
use crate::container::tree::VariableId;
use crate::container::Container;
use crate::dataset::Dataset;
use crate::error::message;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::location::Identity;
use crate::model::effort::{Cost, Effort};
use crate::model::fragments::{Fragment, Lookup, Version, View};
use crate::model::slabs::Slabs;
use crate::read::fragment::{self, Chain, Host, Outcome, Raw, Wanted};
use crate::read::recorded_chunks::RecordedChunks;
use crate::read::Preparation;
use crate::selection::Selection;
use crate::threads::progress::Progress;
use crate::value::{DataType, Values};

/// The number of fragments that one task looks up at once: enough to be worth a task, few enough to balance the
/// threads.
pub(super) const BLOCK: u64 = 256;

/// The bytes of names of a fragment that are no extra effort, and the number beyond them that cost as much as a fragment
/// without a file.
const USUAL: u64 = 1024;
const BYTES: u64 = 32;

/// The maximum number of bytes of the location of a fragment that a page names.
const MOST_OF_NAME: usize = 300;

/// How much is checked of all variables of a file together.
pub(crate) struct Extent<'a> {
    pub(super) progress: Progress<'a>,
    pub(super) effort: Effort,
    /// The nested aggregation files that were found.
    known: Mutex<HashSet<Identity>>,
}

impl<'a> Extent<'a> {
    pub(crate) fn new(progress: Progress<'a>, container: &Container) -> Self {
        Extent { progress, effort: Effort::of(container), known: Mutex::default() }
    }

    /// Reports that all variables are done.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn finish(&self) -> Result<()> {
        self.progress.finish()
    }

    /// Adds what a nested aggregation file is worth.
    fn found(&self, host: &dyn Host) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.insert(host.identity().clone()) {
            self.effort.add(host.container());
        }
    }

    /// Counts fragments of a nested aggregation.
    fn spend(&self, fragments: u64, cost: Cost) -> Result<()> {
        match self.effort.spend(fragments, cost) {
            true => Ok(()),
            false => Err(Error::new(
                Kind::Limit,
                "not all of its fragments are checked: they are too many for files of this length",
            )),
        }
    }
}

/// The findings about one fragment.
pub(super) struct Verdict {
    pub(super) state: State,
    pub(super) problems: Vec<(&'static Rule, String)>,
    /// The version that is used, or the first if none is.
    version: usize,
    /// The location of that version, if a page may name it.
    pub(super) file: Option<String>,
}

impl Verdict {
    fn fine(state: State) -> Self {
        Verdict { state, problems: Vec::new(), version: 0, file: None }
    }
}

/// A variable under inspection.
pub(super) struct Inspection<'a> {
    preparation: Preparation<'a>,
    recorded: Option<Recorded>,
    chunks: Option<Arc<RecordedChunks>>,
    /// Nested aggregations that were searched, so that each is searched once.
    nested: Mutex<HashSet<(Identity, VariableId)>>,
    /// Taken while names are looked up: a chunk of a table may be large, and is decoded once for all threads.
    table: Mutex<()>,
    extent: &'a Extent<'a>,
    /// The fragments that a page names; `None` if there is no page.
    named: Option<&'a HashSet<u64>>,
}

impl<'a> Inspection<'a> {
    pub(super) fn new(
        dataset: &'a Dataset,
        one: &'a Subject<'a>,
        extent: &'a Extent<'a>,
        named: Option<&'a HashSet<u64>>,
    ) -> Inspection<'a> {
        let shared = dataset.shared();
        let Subject { id, aggregation, target, chain, .. } = one;
        Inspection {
            preparation: Preparation::new(shared, *id, aggregation, target, chain),
            recorded: Recorded::of(dataset, aggregation),
            chunks: shared.recorded_chunks(*id, aggregation),
            nested: Mutex::default(),
            table: Mutex::default(),
            extent,
            named,
        }
    }

    /// Checks the fragments of a block, as far as there is effort left.
    pub(super) fn block(&self, block: &Selection) -> Result<Vec<(Vec<u64>, Verdict)>> {
        let indices: Vec<Vec<u64>> = (0..block.len().unwrap_or(0)).map(|i| block.index(i)).collect();
        match self.looked_up(block) {
            Ok(Lookup::UniqueValues(_)) => {
                self.extent.effort.spend(indices.len() as u64, Cost::NoFile);
                Ok(indices.into_iter().map(|i| (i, Verdict::fine(State::NoFile))).collect())
            }
            Ok(Lookup::Fragments(list)) => {
                let left = indices.into_iter().zip(&list).take_while(|_| !self.extent.effort.is_spent());
                Ok(left.map(|(i, f)| self.judged(i, f)).collect())
            }
            // One bad entry must not hide the others of its block.
            Err(_) if indices.len() > 1 => {
                let mut out = Vec::with_capacity(indices.len());
                for index in indices {
                    if self.extent.effort.is_spent() {
                        break;
                    }
                    let grid = &self.preparation.aggregation.grid;
                    let one = Selection::block(&index, &vec![1; index.len()], grid.fragments())?;
                    out.extend(self.block(&one)?);
                }
                Ok(out)
            }
            Err(error) => {
                // What is refused as too much was read first.
                let times = if error.kind() == Kind::Limit { 1024 } else { 1 };
                self.extent.effort.spend(times * indices.len() as u64, Cost::Opened);
                Ok(indices.into_iter().map(|i| (i, wrong(&error))).collect())
            }
        }
    }

    /// Looks up the names of a block. Long names and chunks that must be decoded cost more.
    fn looked_up(&self, block: &Selection) -> Result<Lookup> {
        let allowance = self.preparation.file.container.allowance();
        let table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let before = allowance.decoded();
        let found = self.preparation.lookup(block);
        let decoded = allowance.decoded().saturating_sub(before);
        drop(table);
        let long = found.as_ref().map_or(0, long).max(decoded / 2);
        self.extent.effort.spend(long / BYTES, Cost::NoFile);
        found
    }

    fn judged(&self, index: Vec<u64>, fragment: &Fragment) -> (Vec<u64>, Verdict) {
        let verdict = match fragment {
            Fragment::Missing => {
                self.extent.effort.spend(1, Cost::NoFile);
                Verdict::fine(State::NoFile)
            }
            Fragment::Stored { versions, view } => {
                let verdict = self.versions(&index, versions, view.as_deref());
                let file =
                    versions.get(verdict.version).and_then(|used| self.name(&index, verdict.state, used));
                Verdict { file, ..verdict }
            }
        };
        (index, verdict)
    }

    /// Returns the location of a fragment, if a page may name it.
    fn name(&self, index: &[u64], state: State, used: &Version) -> Option<String> {
        let number = self.preparation.aggregation.grid.number(index);
        if !self.named?.contains(&number) && state == State::Present {
            return None;
        }
        let name = used.location.as_deref().map_or_else(|| "(this file)".to_owned(), redact);
        Some(message::short(&name, MOST_OF_NAME).into_owned())
    }

    /// Checks the versions up to the first that can be used, in the order of a read. Reports what is wrong with those
    /// before it.
    fn versions(&self, index: &[u64], versions: &[Version], view: Option<&View>) -> Verdict {
        let (mut problems, mut absences) = (Vec::new(), Vec::new());
        let nearer = self.preparation.wanted(versions, index).nearer();
        let in_order = (0..versions.len()).map(|v| (v, false));
        for (v, is_nearer) in nearer.into_iter().map(|v| (v, true)).chain(in_order) {
            let version = &versions[v];
            self.extent.effort.spend(1, Cost::Opened);
            let outcome = self.open(index, version).and_then(|outcome| {
                let raw = match outcome {
                    Outcome::Accepted(raw) => raw,
                    Outcome::Missing(error) => return Ok(Outcome::Missing(error)),
                };
                let name = raw.file().unwrap_or_default().to_owned();
                let changed = self.changed(index, v, versions, &raw);
                let mut oddities = Vec::new();
                oddities.extend(self.misplaced(index, v, version, &raw));
                self.fits(index, raw, view, &mut oddities)?;
                Ok(Outcome::Accepted((name, changed, oddities)))
            });
            match outcome {
                Ok(Outcome::Accepted((name, changed, oddities))) => {
                    if v > 0 {
                        let message = format!("version {} is used: {name}", v + 1);
                        problems.push((&rules::FRAGMENT_VERSION, message));
                    }
                    let mut state = if v > 0 { State::OtherVersion } else { State::Present };
                    if let Some(message) = changed {
                        problems.push((&rules::FRAGMENT_CHANGED, message));
                        state = State::Changed;
                    }
                    problems.extend(oddities);
                    // Versions exist because earlier ones may be missing, so that is not reported.
                    return Verdict { version: v, problems, ..Verdict::fine(state) };
                }
                // It comes again in its place.
                Ok(Outcome::Missing(_)) if is_nearer => {}
                Err(error) if is_nearer && error.kind() != Kind::Cancelled => {}
                Ok(Outcome::Missing(error)) => absences.push((rule_of(&error), error.to_string())),
                Err(error) => {
                    problems.push((rule_of(&error), error.to_string()));
                    if !fragment::is_of_version(&error) {
                        break;
                    }
                }
            }
        }
        let state = if problems.is_empty() { State::Missing } else { State::Wrong };
        problems.extend(absences);
        Verdict { problems, ..Verdict::fine(state) }
    }

    fn open(&self, index: &[u64], version: &Version) -> Result<Outcome<Raw>> {
        let wanted = self.preparation.wanted(std::slice::from_ref(version), index);
        fragment::open(&wanted, &[], |raw, _| Ok(raw))
    }

    fn changed(&self, index: &[u64], version: usize, versions: &[Version], raw: &Raw) -> Option<String> {
        // The recorded state is that of the first version, when the aggregation was made.
        let recorded = self.recorded.as_ref().filter(|_| version == 0)?;
        versions[0].location.as_ref()?;
        recorded.difference(index, raw)
    }

    fn misplaced(
        &self,
        index: &[u64],
        number: usize,
        version: &Version,
        raw: &Raw,
    ) -> Option<(&'static Rule, String)> {
        let tables = self.chunks.as_ref().filter(|_| number == 0)?;
        recorded_chunks::problem(tables, self.preparation.aggregation.grid.number(index), version, raw)
    }

    fn fits(
        &self,
        index: &[u64],
        raw: Raw,
        view: Option<&View>,
        problems: &mut Vec<(&'static Rule, String)>,
    ) -> Result<()> {
        let Preparation { target, chain, .. } = self.preparation;
        let raw = self.preparation.place(raw, index, view)?;
        if let Raw::Stored { container, variable, .. } = raw.unexpanded() {
            container.check_length(&variable.array).map_err(fragment::unreadable)?;
        }
        let conversion = self.preparation.convert(&raw, view)?;
        problems.extend(conversion.warnings().iter().map(|warning| (&rules::ODDITY, warning.clone())));
        let (attributes, own) = (raw.attributes(), raw.data_type());
        if target.data_type() == DataType::String && own.is_number() {
            let error = Error::new(Kind::FragmentType, format!("{own} values for string data"));
            return Err(raw.file().map_or(error.clone(), |file| error.in_file(file)));
        }
        let packed = ["scale_factor", "add_offset"].iter().any(|n| attributes.get(n).is_some());
        if (own.is_float() || packed) && target.data_type().is_integer() {
            let message = format!(
                "its {own} values become {}; those that are not whole are refused when read",
                target.data_type()
            );
            problems.push((&rules::FRAGMENT_LOSSY, message));
        }
        self.inside(&raw, chain)
    }

    /// Searches a fragment that is itself an aggregation for cycles and for missing parts.
    fn inside(&self, raw: &Raw, chain: &Chain<'_>) -> Result<()> {
        let Raw::Nested { host, variable, .. } = raw.unexpanded() else { return Ok(()) };
        let inner = Chain::enter(Some(chain), &**host, *variable)?;
        let key = (host.identity().clone(), *variable);
        if !self.nested.lock().unwrap_or_else(PoisonError::into_inner).insert(key) {
            return Ok(());
        }
        let Some(aggregation) = host.aggregation(*variable)? else { return Ok(()) };
        self.extent.found(&**host);
        let shape = aggregation.grid.fragments();
        for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
            let block = block?;
            let found = aggregation.fragments.lookup(&**host.container(), &block, host.substitutions())?;
            self.extent.spend(long(&found) / BYTES, Cost::NoFile)?;
            let Lookup::Fragments(list) = found else { return Ok(()) };
            for (i, fragment) in list.iter().enumerate() {
                let Fragment::Stored { versions, .. } = fragment else {
                    self.extent.spend(1, Cost::NoFile)?;
                    continue;
                };
                self.extent.spend(versions.len() as u64, Cost::Opened)?;
                let index = block.index(i as u64);
                let fragments = &aggregation.fragments;
                let wanted =
                    Wanted { host, variable: *variable, fragments, index: &index, versions, chain: &inner };
                let outcome = fragment::open(&wanted, &[], |raw, _| self.inside(&raw, &inner));
                outcome.and_then(Outcome::accepted).map_err(|e| {
                    e.in_variable(&host.tree().variables[variable.0].path).in_file(host.container().name())
                })?;
            }
        }
        Ok(())
    }
}

/// Returns by how many bytes names or values are longer than usual.
fn long(found: &Lookup) -> u64 {
    let (bytes, count): (usize, usize) = match found {
        Lookup::Fragments(list) => (list.iter().map(Fragment::memory).sum(), list.len()),
        Lookup::UniqueValues(Values::String(list)) => (list.iter().map(String::len).sum(), list.len()),
        Lookup::UniqueValues(_) => (0, 0),
    };
    (bytes as u64).saturating_sub(USUAL.saturating_mul(count as u64))
}

fn wrong(error: &Error) -> Verdict {
    Verdict { problems: vec![(rule_of(error), error.message().to_owned())], ..Verdict::fine(State::Wrong) }
}

/// Returns the rule that an error of the reader is about.
pub(crate) fn rule_of(error: &Error) -> &'static Rule {
    match error.kind() {
        Kind::Attribute => &rules::DATA_TEXT,
        Kind::Terms => &rules::KEYWORDS,
        Kind::MissingDimension => &rules::DIMENSION_EXISTS,
        Kind::MissingVariable => &rules::VARIABLE_EXISTS,
        Kind::Rank => &rules::LOCATIONS_SHAPE,
        Kind::Map => &rules::MAP_SUM,
        Kind::Uri => &rules::LOCATIONS_FORM,
        Kind::Address => &rules::IDENTIFIERS_MISSING,
        Kind::Format => &rules::FRAGMENT_FORMAT,
        Kind::FragmentMissing => &rules::FRAGMENT_PRESENT,
        Kind::FragmentUnreadable | Kind::Io | Kind::NotNetcdf | Kind::Damaged => &rules::FRAGMENT_READABLE,
        Kind::FragmentVariable => &rules::FRAGMENT_VARIABLE,
        Kind::FragmentShape => &rules::FRAGMENT_SHAPE,
        Kind::FragmentType | Kind::Type => &rules::FRAGMENT_TYPE,
        Kind::Units => &rules::FRAGMENT_UNITS,
        Kind::Calendar => &rules::FRAGMENT_CALENDAR,
        Kind::Cycle => &rules::FRAGMENT_CYCLE,
        Kind::Policy | Kind::Limit | Kind::Unsupported => &rules::FRAGMENT_REFUSED,
        _ => &rules::DECODED,
    }
}
