//! Runs the steps of a read: plan, fragments, canonical form, scatter.

mod ahead;
mod parts;
mod sink;
mod strings;

pub(crate) use ahead::ahead;
pub(crate) use strings::strings;

use std::sync::Arc;

use crate::canonical::{Conversion, Target};
use crate::container::array::Array;
use crate::container::read::ChunkCache;
use crate::container::tree::VariableId;
use crate::control::Control;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::fragment::{self, Chain, Piece, Placement, Raw};
use crate::model::fragments::{Block, Fragment};
use crate::model::Aggregation;
use crate::options::MissingFragments;
use crate::plan::{Plan, Span};
use crate::scatter::Destination;
use crate::selection::Selection;
use crate::value::DataType;
use crate::workers::{self, Queue};
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
    let target = Target::new(&variable.attributes, own);
    let sink = Sink::new(&target, request, shared.options.lossy_casts)?;
    let Some(aggregation) = shared.aggregation(id)? else {
        return ordinary(dataset, id, &sink);
    };
    let chain = Chain::enter(outer, shared, id)?.watched(request.control);
    let assembly = Assembly { dataset, id, aggregation, target: &target, chain: &chain };
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
    Part(Arc<Opened>, Piece),
}

/// A fragment, or an ordinary variable, that is ready to be read.
struct Opened {
    raw: Raw,
    conversion: Arc<Conversion>,
    index: Vec<u64>,
    /// Whether its chunks are kept for later reads: not those of a read that would fill the cache by itself.
    keep: bool,
}

impl Opened {
    fn new(raw: Raw, conversion: Arc<Conversion>, index: Vec<u64>) -> Self {
        Opened { raw, conversion, index, keep: false }
    }

    /// Keeps chunks, if those of this many fragments fit the cache.
    fn keep_chunks(&mut self, pieces: &[Piece], fragments: usize, cache: &ChunkCache) {
        let Some(chunk) = self.raw.array().and_then(Array::chunk) else { return };
        let element = self.raw.data_type().size().unwrap_or(1) as u64;
        let touched = |piece: &Piece| {
            let (count, step) = (piece.selection.count(), piece.selection.step());
            let along =
                |a: usize| count[a].min(count[a].saturating_mul(step[a].unsigned_abs()) / chunk[a] + 2);
            (0..chunk.len()).map(along).fold(1u64, u64::saturating_mul)
        };
        let chunk_bytes = chunk.iter().fold(element, |n, &size| n.saturating_mul(size));
        let chunks = pieces.iter().map(touched).fold(0u64, u64::saturating_add);
        let bytes = chunks.saturating_mul(chunk_bytes).saturating_mul(fragments as u64);
        self.keep = usize::try_from(bytes).is_ok_and(|bytes| cache.takes(bytes));
    }

    fn parts(&self, pieces: Vec<Piece>) -> Result<Vec<Piece>> {
        let chunk = self.raw.array().and_then(Array::chunk);
        let element = size_of(self.raw.data_type())?;
        let mut all = Vec::with_capacity(pieces.len());
        for piece in pieces {
            all.extend(parts::parts(piece, self.raw.shape(), chunk, element)?);
        }
        Ok(all)
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
    let mut opened = Opened::new(raw, conversion, Vec::new());
    let pieces = vec![Piece::whole(sink.request.selection)];
    opened.keep_chunks(&pieces, 1, &shared.chunks);
    let parts = opened.parts(pieces)?;
    let opened = Arc::new(opened);
    let tasks = parts.into_iter().map(|part| Task::Part(Arc::clone(&opened), part));
    let state = || Buffers::new(&shared.chunks);
    workers::run(tasks, threads(dataset, sink.request, 1), state, |task, _, buffers| {
        let Task::Part(opened, part) = task else { return Ok(()) };
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
}

impl Assembly<'_> {
    /// Looks up the touched fragments block by block.
    pub(crate) fn each_block(
        &self,
        selection: &Selection,
        mut visit: impl FnMut(&crate::plan::Block<'_>, Block) -> Result<()>,
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

    /// Opens a fragment; `None` when it is missing and may be.
    pub(crate) fn open(&self, fragment: &Fragment) -> Result<Option<(Raw, usize)>> {
        let Fragment::Stored { versions, .. } = fragment else { return Ok(None) };
        let fragments = &self.aggregation.fragments;
        let shared = self.dataset.shared();
        match fragment::open(self.dataset, fragments, versions, self.id, self.chain) {
            Err(e)
                if e.kind() == Kind::FragmentMissing
                    && shared.options.missing_fragments == MissingFragments::Fill =>
            {
                shared.warn(format!("a missing fragment was filled: {e}"));
                Ok(None)
            }
            opened => opened.map(Some),
        }
    }

    /// As [`Assembly::open`], and compares the file with what was recorded of it.
    fn open_to_read(&self, fragment: &Fragment, index: &[u64]) -> Result<Option<(Raw, usize)>> {
        let opened = self.open(fragment)?;
        let file = opened.as_ref().and_then(|(raw, _)| raw.file());
        if let (Some(recorded), Some(file)) = (&self.aggregation.recorded, file) {
            fragment::check_recorded(self.dataset, recorded, index, file)?;
        }
        Ok(opened)
    }

    /// The canonical shape of the fragment that the spans lie in.
    pub(crate) fn canonical_shape(&self, spans: &[Span]) -> Vec<u64> {
        let sizes = spans.iter().enumerate().map(|(d, span)| self.aggregation.grid.range(d, span.fragment));
        sizes.map(|range| range.end - range.start).collect()
    }

    /// Reads the fragments of a block.
    fn fragments(&self, block: &crate::plan::Block<'_>, list: &[Fragment], sink: &Sink<'_>) -> Result<()> {
        let threads = threads(self.dataset, sink.request, list.len());
        let tasks = if list.len() < threads {
            // Too few to go round: their parts are shared out instead.
            let mut parts = Vec::new();
            for (i, fragment) in list.iter().enumerate() {
                parts.extend(self.begin(fragment, &block.piece(i), list.len(), sink)?);
            }
            parts
        } else {
            (0..list.len()).map(Task::Fragment).collect()
        };
        let work = |task: Task, queue: &Queue<Task>, buffers: &mut Buffers<'_>| match task {
            Task::Fragment(i) => {
                let mut parts = self.begin(&list[i], &block.piece(i), list.len(), sink)?.into_iter();
                let first = parts.next();
                queue.add(parts);
                match first {
                    Some(Task::Part(opened, part)) => self.part(&opened, &part, sink, buffers),
                    _ => Ok(()),
                }
            }
            Task::Part(opened, part) => self.part(&opened, &part, sink, buffers),
        };
        workers::run(tasks, threads, || Buffers::new(self.chain.chunks), work)
    }

    /// Opens a fragment and cuts what is wanted of it into parts; a missing one is filled at once.
    fn begin(
        &self,
        fragment: &Fragment,
        spans: &[Span],
        fragments: usize,
        sink: &Sink<'_>,
    ) -> Result<Vec<Task>> {
        let run = || {
            let Some((mut opened, pieces)) = self.ready(fragment, spans, sink.lossy)? else {
                sink.missing(&at_of(spans), &count_of(spans))?;
                self.chain.advance(count_of(spans).iter().product())?;
                return Ok(Vec::new());
            };
            opened.keep_chunks(&pieces, fragments, self.chain.chunks);
            let parts = opened.parts(pieces)?;
            let opened = Arc::new(opened);
            Ok(parts.into_iter().map(|part| Task::Part(Arc::clone(&opened), part)).collect())
        };
        run().map_err(|e: Error| e.in_fragment(&index_of(spans)))
    }

    fn part(&self, opened: &Opened, part: &Piece, sink: &Sink<'_>, buffers: &mut Buffers<'_>) -> Result<()> {
        buffers.keep_chunks(opened.keep);
        sink.put(&opened.raw, &opened.conversion, part, Some(self.chain), buffers)
            .map_err(|e| opened.place(fragment::unreadable(e)))?;
        self.chain.advance(part.elements()? as u64)
    }

    /// Opens a fragment and checks shape, type and units; `None` when it is missing.
    fn ready(
        &self,
        fragment: &Fragment,
        spans: &[Span],
        lossy: bool,
    ) -> Result<Option<(Opened, Vec<Piece>)>> {
        let index = index_of(spans);
        let view = fragment.view();
        let canonical = self.canonical_shape(spans);
        let known = match fragment {
            Fragment::Stored { versions, view: None } => {
                fragment::reopen(self.dataset, self.aggregation, self.id, &index, versions, self.chain)
            }
            _ => None,
        };
        if let Some((raw, conversion)) = known {
            let opened = Opened::new(raw, conversion, index);
            let pieces = Placement::new(opened.raw.shape(), &canonical, None)?.pieces(spans)?;
            return Ok(Some((opened, pieces)));
        }
        let Some((mut raw, version)) = self.open_to_read(fragment, &index)? else { return Ok(None) };
        if Placement::new(raw.shape(), &canonical, view).is_err() {
            if let Some(expanded) = fragment::expand(&raw, canonical.iter().product())? {
                raw = expanded;
            }
        }
        let place = |e: Error| match raw.file() {
            Some(file) => e.in_file(file),
            None => e,
        };
        let pieces =
            Placement::new(raw.shape(), &canonical, view).and_then(|p| p.pieces(spans)).map_err(place)?;
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
        Ok(Some((Opened::new(raw, conversion, index), pieces)))
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
