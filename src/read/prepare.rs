//! Opens the fragments of an aggregation variable, places them in the aggregated data and determines their conversion.
//! All kinds of reads and checks use this.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::desks::Room;
use super::fragment::{
    self, Chain, Failure, Failures, Fitting, Host, Outcome, Piece, Placement, Raw, Wanted,
};
use super::known::Known;
use super::plan::{self, index_of, Plan, Span};
use super::recorded_chunks::RecordedChunks;
use super::sink::size_of;
use super::{parts, AggregationFile};
use crate::canonical::{Conversion, Target};
use crate::container::array::Array;
use crate::container::begins_as_netcdf;
use crate::container::chunk_numbers::ChunkNumbers;
use crate::container::described::Described;
use crate::container::read::{self, ChunkCache, Keep};
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::io::source::{Fetched, Source};
use crate::model::fragments::{Fragment, Lookup, Version, View};
use crate::model::Aggregation;
use crate::options::MissingFragments;
use crate::selection::Selection;

/// The number of fragments that are looked up at once; bounds the memory for their names.
const BLOCK: usize = 16 << 10;
/// The bytes of decoded chunks of a read that are cached at once.
const FEW: u64 = 4 << 20;
/// The number of conversions that are kept.
const MOST_CONVERSIONS: usize = 1000;

/// Conversions by the description of the array.
type Conversions = HashMap<(u64, u64), Arc<Conversion>>;

/// A fragment, or an ordinary variable, that is ready to be read.
pub(super) struct Prepared {
    pub(super) raw: Raw,
    pub(super) conversion: Arc<Conversion>,
    /// The index of the fragment; empty for an ordinary variable.
    pub(super) index: Vec<u64>,
    /// The version of the fragment.
    pub(super) version: usize,
    /// When its chunks are cached for later reads. A read that would fill the cache by itself does not cache them.
    pub(super) keep: Keep,
    /// Whether its file was not parsed, since the places of its chunks were recorded.
    pub(super) is_recorded: bool,
}

impl Prepared {
    pub(super) fn new(raw: Raw, conversion: Arc<Conversion>, index: Vec<u64>, version: usize) -> Self {
        Prepared { raw, conversion, index, version, keep: Keep::Never, is_recorded: false }
    }

    /// Caches chunks, if those of this many fragments fit the cache: at once if they lie on a server or are few, and
    /// otherwise when they are read again.
    pub(super) fn keep_chunks(&mut self, piece: &Piece, fragments: usize, cache: &ChunkCache) {
        let Some(chunk) = self.raw.array().and_then(Array::chunk) else {
            // Parts of an expanded array share chunks of the stored one.
            let fits = self.raw.chunk_bytes().is_some_and(|bytes| cache.takes(bytes));
            self.keep = if fits { Keep::Always } else { Keep::Never };
            return;
        };
        let element = self.raw.data_type().size().unwrap_or(1) as u64;
        let chunks = ChunkNumbers::new(&piece.selection, chunk).count();
        let chunk_bytes = chunk.iter().fold(element, |n, &size| n.saturating_mul(size));
        let bytes = chunks.saturating_mul(chunk_bytes).saturating_mul(fragments as u64);
        let is_remote = self.raw.in_file().is_some_and(|(source, _)| source.is_remote());
        self.keep = match usize::try_from(bytes).is_ok_and(|bytes| cache.takes(bytes)) {
            true if is_remote || bytes <= FEW => Keep::Always,
            true => Keep::Again,
            false => Keep::Never,
        };
    }

    /// Divides a piece into parts, and finds the chunks of all of them.
    pub(super) fn parts(&self, piece: Piece) -> Result<Vec<Piece>> {
        let stored = self.raw.in_file();
        if let Some((_, array)) = stored {
            // The reads of the parts report what is wrong with the index.
            let _ = read::prepare(array, &piece.selection);
        }
        let chunk = match stored {
            Some((source, array)) if source.is_remote() => Some(Cow::Owned(array.tile())),
            _ => self.raw.array().and_then(Array::chunk).map(Cow::Borrowed),
        };
        parts::parts(piece, self.raw.shape(), chunk.as_deref(), size_of(self.raw.data_type())?)
    }

    /// Fetches what a part needs from a server, as soon as there is room for it.
    pub(super) fn fetch(&self, part: &Piece, cache: &ChunkCache) -> Result<Option<(Fetched, Room)>> {
        let Some((source, array)) = self.raw.in_file() else { return Ok(None) };
        let ranges = read::ranges(source, array, &part.selection, cache)?;
        if ranges.is_empty() {
            return Ok(None);
        }
        let room = Room::for_bytes(ranges.iter().map(|range| range.end - range.start).sum())?;
        Ok(Some((source.fetch(&ranges)?, room)))
    }

    pub(super) fn place(&self, error: Error) -> Error {
        let error = if self.index.is_empty() { error } else { error.in_fragment(&self.index) };
        in_file_of(&self.raw, error)
    }
}

/// The fragments of an aggregation variable, for a read or a check.
pub(crate) struct Preparation<'a> {
    pub(crate) file: &'a Arc<AggregationFile>,
    /// The same file, in the form that its fragments use.
    host: Arc<dyn Host>,
    pub(crate) id: VariableId,
    pub(crate) aggregation: &'a Aggregation,
    pub(crate) target: &'a Target,
    pub(crate) chain: &'a Chain<'a>,
    /// The versions that proved unusable during this read.
    failures: Failures,
    /// The recorded places of chunks.
    recorded: Option<Arc<RecordedChunks>>,
    /// The fragments whose recorded places proved unusable during this read.
    stale: Mutex<HashSet<u64>>,
    /// The conversions of arrays with recorded descriptions.
    conversions: Mutex<Conversions>,
}

impl<'a> Preparation<'a> {
    pub(crate) fn new(
        file: &'a Arc<AggregationFile>,
        id: VariableId,
        aggregation: &'a Aggregation,
        target: &'a Target,
        chain: &'a Chain<'a>,
    ) -> Self {
        let host: Arc<dyn Host> = Arc::<AggregationFile>::clone(file);
        let recorded = file.recorded_chunks(id, aggregation);
        Preparation {
            file,
            host,
            id,
            aggregation,
            target,
            chain,
            failures: Failures::default(),
            recorded,
            stale: Mutex::default(),
            conversions: Mutex::default(),
        }
    }

    /// Looks up the fragments that a selection touches, block by block.
    pub(crate) fn each_block(
        &self,
        selection: &Selection,
        mut visit: impl FnMut(&plan::Block<'_>, Lookup) -> Result<()>,
    ) -> Result<()> {
        let plan = Plan::new(&self.aggregation.grid, selection);
        for block in plan.blocks(BLOCK) {
            self.chain.advance(0)?;
            let place = block.selection(self.aggregation.grid.fragments())?;
            visit(&block, self.lookup(&place)?)?;
        }
        Ok(())
    }

    /// Returns whether some of these fragments may lie on servers.
    pub(super) fn may_wait<'f>(&self, fragments: impl IntoIterator<Item = &'f Fragment>) -> bool {
        self.file.may_wait(fragments)
    }

    /// Looks up a part of the array of fragments.
    pub(crate) fn lookup(&self, place: &Selection) -> Result<Lookup> {
        let AggregationFile { container, runtime_substitutions, .. } = &**self.file;
        self.aggregation.fragments.lookup(&**container, place, runtime_substitutions)
    }

    /// Returns what is needed to open some versions of a fragment.
    pub(crate) fn wanted<'w>(&'w self, versions: &'w [Version], index: &'w [u64]) -> Wanted<'w> {
        let Preparation { host, id: variable, aggregation, chain, .. } = self;
        Wanted { host, variable: *variable, fragments: &aggregation.fragments, index, versions, chain }
    }

    /// Opens the first version of a fragment that `accept` does not refuse. Returns `None` if there is none and missing
    /// fragments are allowed.
    pub(crate) fn open<T>(
        &self,
        fragment: &Fragment,
        index: &[u64],
        mut accept: impl FnMut(Raw, usize) -> Result<T>,
    ) -> Result<Option<T>> {
        let Fragment::Stored { versions, .. } = fragment else { return Ok(None) };
        let failed = self.failures.of(self.aggregation.grid.number(index));
        let accept = |raw: Raw, version: usize| match self.check_recorded(&raw, version, index) {
            Ok(()) => accept(raw, version).map(Ok),
            // A file that changed is no reason to try another version.
            Err(error) => Ok(Err(error)),
        };
        match fragment::open(&self.wanted(versions, index), &failed, accept)? {
            Outcome::Missing(e) if self.file.options.missing_fragments == MissingFragments::Fill => {
                self.file.warn(format!("a missing fragment was filled: {e}"));
                Ok(None)
            }
            outcome => outcome.accepted()?.map(Some),
        }
    }

    /// Compares the file of a version with the recorded state, which is that of the first version.
    fn check_recorded(&self, raw: &Raw, version: usize, index: &[u64]) -> Result<()> {
        match &self.aggregation.recorded {
            Some(recorded) if version == 0 => fragment::check_recorded(&*self.host, recorded, index, raw),
            _ => Ok(()),
        }
    }

    /// Returns whether the version of a fragment proved unusable.
    pub(super) fn has_failed(&self, prepared: &Prepared) -> bool {
        let number = self.aggregation.grid.number(&prepared.index);
        self.failures.has(number, prepared.version)
            || prepared.is_recorded
                && self.stale.lock().unwrap_or_else(PoisonError::into_inner).contains(&number)
    }

    /// Returns whether a fragment that could not be read is to be read again: by parsing its file, if that was not done
    /// because the places of its chunks were recorded, or from another version.
    pub(super) fn pass_over(&self, fragment: &Fragment, prepared: &Prepared, error: &Error) -> bool {
        let number = self.aggregation.grid.number(&prepared.index);
        if prepared.is_recorded && is_stale(prepared, error) {
            self.stale.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
            self.file.known.mark_stale(self.id, number);
            return true;
        }
        let Fragment::Stored { versions, .. } = fragment else { return false };
        let error = prepared.place(fragment::unreadable(error.clone()));
        if versions.len() < 2 || !fragment::is_of_version(&error) {
            return false;
        }
        self.failures.add(number, Failure { version: prepared.version, error });
        true
    }

    /// Converts a version of the fragment at `index` to the form that fits its part of the aggregated data.
    ///
    /// # Errors
    /// `FragmentShape` if no form fits.
    pub(crate) fn place(&self, raw: Raw, index: &[u64], view: Option<&View>) -> Result<Raw> {
        let Preparation { host, aggregation, chain, target, .. } = self;
        let canonical = &aggregation.grid.shape_of(index);
        Fitting { host, aggregation, data_type: target.data_type(), canonical, view, chain }.fit(raw)
    }

    /// Returns the conversion of the values of a version to canonical form.
    ///
    /// It depends on the file and its options alone, never on the request, since later reads reuse it.
    ///
    /// # Errors
    /// `FragmentType`, `Units`, `Calendar` if they cannot be converted.
    pub(crate) fn convert(&self, raw: &Raw, view: Option<&View>) -> Result<Conversion> {
        let lossy = self.file.options.lossy_casts;
        let units = view.and_then(|v| v.units.as_deref());
        let calendar = view.and_then(|v| v.calendar.as_deref());
        Conversion::new(raw.attributes(), raw.data_type(), units, calendar, self.target, lossy)
            .map_err(|e| in_file_of(raw, e))
    }

    /// Opens, places and converts a fragment. Returns `None` if it is missing.
    pub(super) fn prepare(&self, fragment: &Fragment, spans: &[Span]) -> Result<Option<(Prepared, Piece)>> {
        let index = index_of(spans);
        let canonical = self.aggregation.grid.shape_of(&index);
        let recorded = || self.recorded(fragment, &index, &canonical);
        if let Some(prepared) = self.reopen(fragment, &index).or_else(recorded) {
            let piece = Placement::new(prepared.raw.shape(), &canonical, None)?.piece(spans)?;
            return Ok(Some((prepared, piece)));
        }
        self.open(fragment, &index, |raw, version| {
            let view = fragment.view();
            let raw = self.place(raw, &index, view)?;
            let placement = Placement::new(raw.shape(), &canonical, view);
            let piece = placement.and_then(|p| p.piece(spans)).map_err(|e| in_file_of(&raw, e))?;
            let conversion = Arc::new(self.convert(&raw, view)?);
            for warning in conversion.warnings() {
                self.file.warn(warning.clone());
            }
            if view.is_none() {
                self.remember(&index, version, &raw, &conversion);
            }
            Ok((Prepared::new(raw, conversion, index.clone(), version), piece))
        })
    }

    /// Keeps what is known about a fragment in a file of its own, for [`Preparation::reopen`].
    fn remember(&self, index: &[u64], version: usize, raw: &Raw, conversion: &Arc<Conversion>) {
        let Raw::Stored { variable, file: Some(file), .. } = raw else { return };
        let known = Known {
            version,
            identity: file.identity(),
            state: file.source.state(),
            array: Arc::clone(&variable.array),
            conversion: Arc::clone(conversion),
            recorded: None,
        };
        let is_remote = file.source.is_remote();
        self.file.known.put(self.id, self.aggregation.grid.number(index), known, is_remote);
    }

    /// Opens a fragment that was read before. Returns `None` if it was not, or if its file changed.
    fn reopen(&self, fragment: &Fragment, index: &[u64]) -> Option<Prepared> {
        let Fragment::Stored { versions, view: None } = fragment else { return None };
        let number = self.aggregation.grid.number(index);
        let known = self.file.known.get(self.id, number)?;
        if self.failures.has(number, known.version) {
            return None;
        }
        let wanted = self.wanted(versions, index);
        let file = match known.recorded {
            Some(recorded) => fragment::recorded_file(&wanted, recorded)?,
            None => fragment::known_file(&wanted, known.version)?,
        };
        if file.identity() != known.identity || file.source.state() != known.state {
            return None;
        }
        let raw = Raw::Known { file, array: Arc::clone(&known.array) };
        let prepared = Prepared::new(raw, Arc::clone(&known.conversion), index.to_vec(), known.version);
        Some(Prepared { is_recorded: known.recorded.is_some(), ..prepared })
    }

    /// Reads what is recorded about fragments with these spans, with few requests.
    pub(super) fn bring_recorded(&self, all: impl Iterator<Item = Vec<Span>> + Clone) {
        if let Some(tables) = &self.recorded {
            tables.bring(all.map(|spans| self.aggregation.grid.number(&index_of(&spans))));
        }
    }

    /// Opens a fragment whose places of chunks were recorded. Returns `None` if they were not, if its file changed, or if
    /// anything in the record is odd.
    fn recorded(&self, fragment: &Fragment, index: &[u64], canonical: &[u64]) -> Option<Prepared> {
        let tables = self.recorded.as_ref()?;
        let Fragment::Stored { versions, view: None } = fragment else { return None };
        let version = versions.first().filter(|version| version.is_netcdf())?;
        let number = self.aggregation.grid.number(index);
        if self.file.known.is_stale(self.id, number) || self.failures.has(number, 0) {
            return None;
        }
        let entry = tables.entry(number)?;
        let layout = tables.layout(entry.layout)?;
        if !fragment::fits_plainly(&layout.shape, canonical) {
            return None;
        }
        let state = entry.state(version.location.as_deref()?, &version.identifier);
        let file = fragment::recorded_file(&self.wanted(versions, index), state)?;
        // A record must not make a local file readable that is not netCDF.
        if !file.source.is_remote() && !begins_as_netcdf(&*file.source) {
            return None;
        }
        let has_changed = |ids| fragment::has_changed(&*self.host, ids, index, file.source.name());
        if self.aggregation.recorded.as_ref().is_some_and(has_changed) {
            return None;
        }
        let conversion = self.conversion_of(entry.layout, &layout)?;
        let known = Known {
            version: 0,
            identity: file.identity(),
            state: file.source.state(),
            array: Arc::new(tables.array(&entry, &layout)?),
            conversion: Arc::clone(&conversion),
            recorded: Some(state),
        };
        let array = Arc::clone(&known.array);
        self.file.known.put(self.id, number, known, file.source.is_remote());
        let prepared = Prepared::new(Raw::Known { file, array }, conversion, index.to_vec(), 0);
        Some(Prepared { is_recorded: true, ..prepared })
    }

    /// Returns the conversion of arrays with this recorded description.
    fn conversion_of(&self, key: (u64, u64), layout: &Described) -> Option<Arc<Conversion>> {
        let lock = || self.conversions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return Some(Arc::clone(known));
        }
        let Described { attributes, data_type, .. } = layout;
        let lossy = self.file.options.lossy_casts;
        let conversion = Conversion::new(attributes, *data_type, None, None, self.target, lossy).ok()?;
        for warning in conversion.warnings() {
            self.file.warn(warning.clone());
        }
        let conversion = Arc::new(conversion);
        let mut conversions = lock();
        if conversions.len() >= MOST_CONVERSIONS {
            conversions.clear();
        }
        conversions.insert(key, Arc::clone(&conversion));
        drop(conversions);
        Some(conversion)
    }
}

/// Returns whether wrong records may have caused a failure, rather than the connection to a server.
fn is_stale(prepared: &Prepared, error: &Error) -> bool {
    let Raw::Known { file, .. } = &prepared.raw else { return false };
    let is_lost = error.kind() == Kind::Io && file.source.is_remote() && file.source.is_current();
    error.kind() != Kind::Cancelled && !is_lost
}

fn in_file_of(raw: &Raw, error: Error) -> Error {
    match raw.file() {
        Some(file) => error.in_file(file),
        None => error,
    }
}
