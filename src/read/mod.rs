//! Runs the steps of a read: plan, fragments, canonical form, scatter.

mod ahead;
pub(crate) mod chunk;
pub(crate) mod fragment;
mod parts;
pub(crate) mod plan;
pub(crate) mod scatter;
mod sink;
mod strings;

pub(crate) use ahead::ahead;
pub(crate) use strings::strings;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::canonical::{Conversion, Target};
use crate::container::array::Array;
use crate::container::read::ChunkCache;
use crate::container::tree::VariableId;
use crate::dataset::options::MissingFragments;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::model::fragments::{Block, Fragment, Version, View};
use crate::model::Aggregation;
use crate::selection::Selection;
use crate::threads::control::Control;
use crate::threads::workers::{self, Queue};
use crate::value::DataType;
use fragment::{Chain, Failure, Failures, Fitting, Outcome, Piece, Placement, Raw, Wanted};
use plan::{Plan, Span};
use scatter::Destination;
use sink::{size_of, Buffers, Sink};

/// Fragments that are looked up at once; bounds the memory for their names.
const BLOCK: usize = 16 << 10;

/// A read of fewer bytes than this from few fragments is not worth a second thread.
const WORTH_THREADS: u64 = 256 << 10;
const FEW_FRAGMENTS: usize = 8;

/// What a read of numbers wants.
pub(crate) struct Request<'a> {
    /// Which part.
    pub(crate) selection: &'a Selection,
    /// In which type.
    pub(crate) data_type: DataType,
    /// Where the values go.
    pub(crate) values: &'a Destination<'a>,
    /// Where validity goes: 1 valid, 0 missing.
    pub(crate) mask: Option<&'a Destination<'a>>,
    /// Whether the requested type may change values; `None`: as the dataset was opened.
    pub(crate) lossy: Option<bool>,
    /// Who watches.
    pub(crate) control: Option<&'a Control<'a>>,
}

/// Reads numbers or chars of a variable, aggregated or ordinary.
pub(crate) fn numbers(
    dataset: &Dataset,
    id: VariableId,
    request: &Request<'_>,
    outer: Option<&Chain<'_>>,
) -> Result<()> {
    if request.selection.is_empty() {
        return Ok(());
    }
    let shared = dataset.shared();
    let variable = &shared.tree().variables[id.0];
    let own = variable.array.data_type;
    let text = |t: DataType| !t.is_number();
    if own == DataType::String || (text(own) || text(request.data_type)) && own != request.data_type {
        return Err(Error::new(Kind::Type, format!("{own} data cannot be read as {}", request.data_type)));
    }
    let target = shared.target(id);
    let sink = Sink::new(&target, request, shared.options.lossy_casts)?;
    let Some(aggregation) = shared.aggregation(id)? else {
        return ordinary(dataset, id, &sink);
    };
    let chain = Chain::enter(outer, shared, id)?.watched(request.control);
    let assembly = Assembly::new(dataset, id, aggregation, &target, &chain);
    assembly.each_block(request.selection, |block, entries| match entries {
        Block::UniqueValues(values) => {
            let conversion = Conversion::for_unique(values.data_type(), &target, sink.lossy)?;
            for i in 0..block.len() {
                let not_numbers = || Error::new(Kind::FragmentType, "unique values are strings, not numbers");
                let raw = values.native_bytes_at(i).ok_or_else(not_numbers)?;
                let spans = block.piece(i);
                sink.repeat(&conversion, &raw, &at_of(&spans), &count_of(&spans))
                    .map_err(|e| e.in_fragment(&index_of(&spans)))?;
                chain.advance(count_of(&spans).iter().product())?;
            }
            Ok(())
        }
        Block::Fragments(list) => assembly.fragments(block, &list, &sink),
    })
}

/// What a thread does next.
enum Task {
    /// Open the fragment of this number in the block, and read it.
    Fragment(usize),
    /// Read a part of an open one.
    Part(usize, Arc<Opened>, Piece),
}

/// A fragment, or an ordinary variable, that is ready to be read.
struct Opened {
    raw: Raw,
    conversion: Arc<Conversion>,
    index: Vec<u64>,
    /// The version of the fragment that this is.
    version: usize,
    /// Whether its chunks are kept for later reads: not those of a read that would fill the cache by itself.
    keep: bool,
}

impl Opened {
    fn new(raw: Raw, conversion: Arc<Conversion>, index: Vec<u64>, version: usize) -> Self {
        Opened { raw, conversion, index, version, keep: false }
    }

    /// Keeps chunks, if those of this many fragments fit the cache.
    fn keep_chunks(&mut self, piece: &Piece, fragments: usize, cache: &ChunkCache) {
        let Some(chunk) = self.raw.array().and_then(Array::chunk) else {
            // Parts of an expanded array share chunks of the stored one.
            self.keep = self.raw.chunk_bytes().is_some_and(|bytes| cache.takes(bytes));
            return;
        };
        let element = self.raw.data_type().size().unwrap_or(1) as u64;
        let (count, step) = (piece.selection.count(), piece.selection.step());
        let along = |a: usize| count[a].min(count[a].saturating_mul(step[a].unsigned_abs()) / chunk[a] + 2);
        let chunks = (0..chunk.len()).map(along).fold(1u64, u64::saturating_mul);
        let chunk_bytes = chunk.iter().fold(element, |n, &size| n.saturating_mul(size));
        let bytes = chunks.saturating_mul(chunk_bytes).saturating_mul(fragments as u64);
        self.keep = usize::try_from(bytes).is_ok_and(|bytes| cache.takes(bytes));
    }

    fn parts(&self, piece: Piece) -> Result<Vec<Piece>> {
        let chunk = self.raw.array().and_then(Array::chunk);
        parts::parts(piece, self.raw.shape(), chunk, size_of(self.raw.data_type())?)
    }

    fn place(&self, error: Error) -> Error {
        let error = if self.index.is_empty() { error } else { error.in_fragment(&self.index) };
        match self.raw.file() {
            Some(file) => error.in_file(file),
            None => error,
        }
    }
}

fn ordinary(dataset: &Dataset, id: VariableId, sink: &Sink<'_>) -> Result<()> {
    let shared = dataset.shared();
    let raw = fragment::stored(dataset, id);
    let conversion = Arc::new(Conversion::for_request(sink.target, sink.target.data_type(), sink.lossy)?);
    let mut opened = Opened::new(raw, conversion, Vec::new(), 0);
    let piece = Piece::whole(sink.request.selection);
    opened.keep_chunks(&piece, 1, &shared.chunks);
    let parts = opened.parts(piece)?;
    let opened = Arc::new(opened);
    let tasks = parts.into_iter().map(|part| Task::Part(0, Arc::clone(&opened), part));
    let state = || Buffers::new(&shared.chunks);
    workers::run(tasks, threads(dataset, sink.request, 1), state, |task, _, buffers| {
        let Task::Part(_, opened, part) = task else { return Ok(()) };
        buffers.keep_chunks(opened.keep);
        sink.put(&opened.raw, &opened.conversion, &part, None, buffers).map_err(|e| opened.place(e))?;
        sink.request.control.map_or(Ok(()), |control| control.advance(part.elements()? as u64))
    })
}

/// How many threads a read of this many fragments is worth.
fn threads(dataset: &Dataset, request: &Request<'_>, fragments: usize) -> usize {
    let bytes = request.selection.len().unwrap_or(u64::MAX);
    let bytes = bytes.saturating_mul(request.data_type.size().unwrap_or(1) as u64);
    let apart = request.values.is_disjoint() && request.mask.is_none_or(Destination::is_disjoint);
    if !apart || (bytes < WORTH_THREADS && fragments < FEW_FRAGMENTS) {
        return 1;
    }
    workers::threads(dataset.shared().options.num_threads)
}

/// An aggregation variable that is being read.
pub(crate) struct Assembly<'a> {
    pub(crate) dataset: &'a Dataset,
    pub(crate) id: VariableId,
    pub(crate) aggregation: &'a Aggregation,
    pub(crate) target: &'a Target,
    pub(crate) chain: &'a Chain<'a>,
    /// The versions that were found to be of no use while this is read.
    failures: Failures,
}

impl<'a> Assembly<'a> {
    pub(crate) fn new(
        dataset: &'a Dataset,
        id: VariableId,
        aggregation: &'a Aggregation,
        target: &'a Target,
        chain: &'a Chain<'a>,
    ) -> Self {
        Assembly { dataset, id, aggregation, target, chain, failures: Failures::default() }
    }

    /// Looks up the touched fragments block by block.
    pub(crate) fn each_block(
        &self,
        selection: &Selection,
        mut visit: impl FnMut(&plan::Block<'_>, Block) -> Result<()>,
    ) -> Result<()> {
        let shared = self.dataset.shared();
        let plan = Plan::new(&self.aggregation.grid, selection);
        for block in plan.blocks(BLOCK) {
            self.chain.advance(0)?;
            let place = block.selection(self.aggregation.grid.fragments())?;
            let entries = self.aggregation.fragments.lookup(
                &*shared.container,
                &place,
                &shared.runtime_substitutions,
            )?;
            visit(&block, entries)?;
        }
        Ok(())
    }

    fn wanted<'w>(&'w self, versions: &'w [Version], index: &'w [u64]) -> Wanted<'w> {
        let Assembly { dataset, id: variable, aggregation, chain, .. } = *self;
        Wanted { dataset, variable, fragments: &aggregation.fragments, index, versions, chain }
    }

    /// Opens the first version of a fragment that `accept` does not refuse; `None` when there is none and need not be.
    pub(crate) fn open<T>(
        &self,
        fragment: &Fragment,
        index: &[u64],
        accept: impl FnMut(Raw, usize) -> Result<T>,
    ) -> Result<Option<T>> {
        let Fragment::Stored { versions, .. } = fragment else { return Ok(None) };
        let shared = self.dataset.shared();
        let failed = self.failures.of(self.aggregation.grid.number(index));
        match fragment::open(&self.wanted(versions, index), &failed, accept)? {
            Outcome::Missing(e) if shared.options.missing_fragments == MissingFragments::Fill => {
                shared.warn(format!("a missing fragment was filled: {e}"));
                Ok(None)
            }
            outcome => outcome.accepted().map(Some),
        }
    }

    /// Compares the file of a version with what was recorded, which is the state of the first.
    fn check_recorded(&self, raw: &Raw, version: usize, index: &[u64]) -> Result<()> {
        match (&self.aggregation.recorded, raw.file()) {
            (Some(recorded), Some(file)) if version == 0 => {
                fragment::check_recorded(self.dataset, recorded, index, file)
            }
            _ => Ok(()),
        }
    }

    /// Whether the data of a version that could not be read may be in another one; then that is remembered.
    fn pass_over(&self, fragment: &Fragment, index: &[u64], version: usize, error: &Error) -> bool {
        let Fragment::Stored { versions, .. } = fragment else { return false };
        if versions.len() < 2 || !fragment::is_of_version(error) {
            return false;
        }
        let failure = Failure { version, error: error.clone() };
        self.failures.add(self.aggregation.grid.number(index), failure);
        true
    }

    /// The canonical shape of the fragment that the spans lie in.
    pub(crate) fn canonical_shape(&self, spans: &[Span]) -> Vec<u64> {
        let sizes = spans.iter().enumerate().map(|(d, span)| self.aggregation.grid.range(d, span.fragment));
        sizes.map(|range| range.end - range.start).collect()
    }

    /// Brings a fragment into the form that fits its part of the aggregated data.
    fn fit(&self, raw: Raw, canonical: &[u64], view: Option<&View>) -> Result<Raw> {
        let Assembly { dataset, aggregation, chain, target, .. } = *self;
        Fitting { dataset, aggregation, data_type: target.data_type(), canonical, view, chain }.fit(raw)
    }

    /// Reads the fragments of a block, and those of which a version could not be read again.
    fn fragments(&self, block: &plan::Block<'_>, list: &[Fragment], sink: &Sink<'_>) -> Result<()> {
        let mut todo: Vec<usize> = (0..list.len()).collect();
        while !todo.is_empty() {
            let again = Mutex::new(BTreeSet::new());
            self.run(block, list, &todo, sink, &again)?;
            todo = again.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
        }
        Ok(())
    }

    /// Reads the fragments of these numbers in the block; `again` receives those to be read of another version.
    fn run(
        &self,
        block: &plan::Block<'_>,
        list: &[Fragment],
        todo: &[usize],
        sink: &Sink<'_>,
        again: &Mutex<BTreeSet<usize>>,
    ) -> Result<()> {
        let threads = threads(self.dataset, sink.request, todo.len());
        let tasks = if todo.len() < threads {
            // Too few to go round: their parts are shared out instead.
            let mut parts = Vec::new();
            for &i in todo {
                parts.extend(self.begin(i, &list[i], &block.piece(i), list.len(), sink)?);
            }
            parts
        } else {
            todo.iter().copied().map(Task::Fragment).collect()
        };
        let read = |i: usize, opened: &Opened, part: &Piece, buffers: &mut Buffers<'_>| {
            // All of the fragment is read again of another version.
            if self.failures.has(self.aggregation.grid.number(&opened.index), opened.version) {
                return Ok(());
            }
            match self.part(opened, part, sink, buffers) {
                Err(error) if self.pass_over(&list[i], &opened.index, opened.version, &error) => {
                    again.lock().unwrap_or_else(PoisonError::into_inner).insert(i);
                    Ok(())
                }
                outcome => outcome,
            }
        };
        let work = |task: Task, queue: &Queue<Task>, buffers: &mut Buffers<'_>| match task {
            Task::Fragment(i) => {
                let mut parts = self.begin(i, &list[i], &block.piece(i), list.len(), sink)?.into_iter();
                let first = parts.next();
                queue.add(parts);
                match first {
                    Some(Task::Part(i, opened, part)) => read(i, &opened, &part, buffers),
                    _ => Ok(()),
                }
            }
            Task::Part(i, opened, part) => read(i, &opened, &part, buffers),
        };
        workers::run(tasks, threads, || Buffers::new(self.chain.chunks), work)
    }

    /// Opens a fragment and cuts what is wanted of it into parts; a missing one is filled at once.
    fn begin(
        &self,
        i: usize,
        fragment: &Fragment,
        spans: &[Span],
        fragments: usize,
        sink: &Sink<'_>,
    ) -> Result<Vec<Task>> {
        let run = || {
            let Some((mut opened, piece)) = self.ready(fragment, spans, sink.lossy)? else {
                sink.missing(&at_of(spans), &count_of(spans))?;
                self.chain.advance(count_of(spans).iter().product())?;
                return Ok(Vec::new());
            };
            opened.keep_chunks(&piece, fragments, self.chain.chunks);
            let parts = opened.parts(piece)?;
            let opened = Arc::new(opened);
            Ok(parts.into_iter().map(|part| Task::Part(i, Arc::clone(&opened), part)).collect())
        };
        run().map_err(|e: Error| e.in_fragment(&index_of(spans)))
    }

    fn part(&self, opened: &Opened, part: &Piece, sink: &Sink<'_>, buffers: &mut Buffers<'_>) -> Result<()> {
        buffers.keep_chunks(opened.keep);
        sink.put(&opened.raw, &opened.conversion, part, Some(self.chain), buffers)
            .map_err(|e| opened.place(fragment::unreadable(e)))?;
        self.chain.advance(part.elements()? as u64)
    }

    /// Opens a fragment whose shape, type and units fit; `None` when it is missing.
    fn ready(&self, fragment: &Fragment, spans: &[Span], lossy: bool) -> Result<Option<(Opened, Piece)>> {
        let index = index_of(spans);
        let known = match fragment {
            Fragment::Stored { versions, view: None } => {
                let number = self.aggregation.grid.number(&index);
                fragment::reopen(&self.wanted(versions, &index), number, &self.failures.of(number))
            }
            _ => None,
        };
        if let Some((raw, version, conversion)) = known {
            let canonical = self.canonical_shape(spans);
            let opened = Opened::new(raw, conversion, index, version);
            let piece = Placement::new(opened.raw.shape(), &canonical, None)?.piece(spans)?;
            return Ok(Some((opened, piece)));
        }
        let opened = self.open(fragment, &index, |raw, version| {
            // That the file changed is no reason to look for another.
            if let Err(error) = self.check_recorded(&raw, version, &index) {
                return Ok(Err(error));
            }
            self.fitted(raw, version, fragment, spans, lossy).map(Ok)
        })?;
        opened.transpose()
    }

    /// Checks shape, type and units of a version.
    fn fitted(
        &self,
        raw: Raw,
        version: usize,
        fragment: &Fragment,
        spans: &[Span],
        lossy: bool,
    ) -> Result<(Opened, Piece)> {
        let index = index_of(spans);
        let view = fragment.view();
        let canonical = self.canonical_shape(spans);
        let raw = self.fit(raw, &canonical, view)?;
        let place = |e: Error| match raw.file() {
            Some(file) => e.in_file(file),
            None => e,
        };
        let piece =
            Placement::new(raw.shape(), &canonical, view).and_then(|p| p.piece(spans)).map_err(place)?;
        let (units, calendar) =
            (view.and_then(|v| v.units.as_deref()), view.and_then(|v| v.calendar.as_deref()));
        let (attributes, data_type) = (raw.attributes(), raw.data_type());
        let conversion = Conversion::new(attributes, data_type, units, calendar, self.target, lossy);
        let conversion = Arc::new(conversion.map_err(place)?);
        for warning in conversion.warnings() {
            self.dataset.shared().warn(warning.clone());
        }
        if view.is_none() {
            fragment::remember(self.dataset, self.aggregation, self.id, &index, version, &raw, &conversion);
        }
        Ok((Opened::new(raw, conversion, index, version), piece))
    }
}

fn c_order(shape: &[u64]) -> Vec<usize> {
    crate::selection::c_strides(shape).iter().map(|&s| s as usize).collect()
}

fn at_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.at).collect()
}

fn count_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.count).collect()
}

fn index_of(spans: &[Span]) -> Vec<u64> {
    spans.iter().map(|s| s.fragment).collect()
}
