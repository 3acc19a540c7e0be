//! Reads numbers and chars: the fragments of a selection, or their parts, are shared out to threads.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::fragment::{self, Chain, Piece};
use super::plan::{self, at_of, count_of, index_of, Span};
use super::prepare::{Preparation, Prepared};
use super::scatter::Destination;
use super::sink::{Buffers, Sink};
use super::AggregationFile;
use crate::canonical::Conversion;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::model::fragments::{Fragment, Lookup};
use crate::selection::Selection;
use crate::threads::progress::Progress;
use crate::threads::workers::{self, Queue};
use crate::value::DataType;

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
    /// Whether the requested type may change values; `None`: as the dataset was prepared.
    pub(crate) lossy: Option<bool>,
    /// Who watches.
    pub(crate) progress: Option<&'a Progress<'a>>,
}

/// Reads numbers or chars of a variable, aggregated or ordinary.
pub(crate) fn numbers(
    file: &Arc<AggregationFile>,
    id: VariableId,
    request: &Request<'_>,
    outer: Option<&Chain<'_>>,
) -> Result<()> {
    if request.selection.is_empty() {
        return Ok(());
    }
    let variable = &file.tree().variables[id.0];
    let own = variable.array.data_type;
    let text = |t: DataType| !t.is_number();
    if own == DataType::String || (text(own) || text(request.data_type)) && own != request.data_type {
        return Err(Error::new(Kind::Type, format!("{own} data cannot be read as {}", request.data_type)));
    }
    let target = file.target(id);
    let sink = Sink::new(&target, request, file.options.lossy_casts)?;
    let Some(aggregation) = file.aggregation(id)? else {
        return ordinary(file, id, &sink);
    };
    let chain = Chain::enter(outer, &**file, id)?.watched(request.progress);
    let preparation = Preparation::new(file, id, aggregation, &target, &chain);
    preparation.each_block(request.selection, |block, entries| match entries {
        Lookup::UniqueValues(values) => {
            let conversion = Conversion::for_unique(values.data_type(), &target, sink.lossy)?;
            for i in 0..block.len() {
                let not_numbers = || Error::new(Kind::FragmentType, "unique values are strings, not numbers");
                let raw = values.native_bytes_at(i).ok_or_else(not_numbers)?;
                let spans = block.spans(i);
                sink.repeat(&conversion, &raw, &at_of(&spans), &count_of(&spans))
                    .map_err(|e| e.in_fragment(&index_of(&spans)))?;
                chain.advance(count_of(&spans).iter().product())?;
            }
            Ok(())
        }
        Lookup::Fragments(list) => preparation.fragments(block, &list, &sink),
    })
}

/// What a thread does next.
enum Task {
    /// Open the fragment of this number in the block, and read it.
    Fragment(usize),
    /// Read a part of an open one.
    Part(usize, Arc<Prepared>, Piece),
}

fn ordinary(file: &Arc<AggregationFile>, id: VariableId, sink: &Sink<'_>) -> Result<()> {
    let raw = fragment::stored(&**file, id);
    let conversion = Arc::new(Conversion::for_request(sink.target, sink.target.data_type(), sink.lossy)?);
    let mut prepared = Prepared::new(raw, conversion, Vec::new(), 0);
    let piece = Piece::whole(sink.request.selection);
    prepared.keep_chunks(&piece, 1, &file.caches.chunks);
    let parts = prepared.parts(piece)?;
    let prepared = Arc::new(prepared);
    let tasks = parts.into_iter().map(|part| Task::Part(0, Arc::clone(&prepared), part));
    let state = || Buffers::new(&file.caches.chunks);
    workers::run(tasks, threads(file, sink.request, 1), state, |task, _, buffers| {
        let Task::Part(_, prepared, part) = task else { return Ok(()) };
        buffers.keep_chunks(prepared.keep);
        sink.put(&prepared.raw, &prepared.conversion, &part, None, buffers).map_err(|e| prepared.place(e))?;
        sink.request.progress.map_or(Ok(()), |progress| progress.advance(part.elements()? as u64))
    })
}

/// How many threads a read of this many fragments is worth.
fn threads(file: &Arc<AggregationFile>, request: &Request<'_>, fragments: usize) -> usize {
    let bytes = request.selection.len().unwrap_or(u64::MAX);
    let bytes = bytes.saturating_mul(request.data_type.size().unwrap_or(1) as u64);
    let apart = request.values.is_disjoint() && request.mask.is_none_or(Destination::is_disjoint);
    if !apart || (bytes < WORTH_THREADS && fragments < FEW_FRAGMENTS) {
        return 1;
    }
    workers::threads(file.options.num_threads)
}

impl Preparation<'_> {
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
        let threads = threads(self.file, sink.request, todo.len());
        let tasks = if todo.len() < threads {
            // Too few to go round: their parts are shared out instead.
            let mut parts = Vec::new();
            for &i in todo {
                parts.extend(self.begin(i, &list[i], &block.spans(i), list.len(), sink)?);
            }
            parts
        } else {
            todo.iter().copied().map(Task::Fragment).collect()
        };
        let read = |i: usize, prepared: &Prepared, part: &Piece, buffers: &mut Buffers<'_>| {
            // All of the fragment is read again of another version.
            if self.has_failed(prepared) {
                return Ok(());
            }
            match self.part(prepared, part, sink, buffers) {
                Err(error) if self.pass_over(&list[i], &prepared.index, prepared.version, &error) => {
                    again.lock().unwrap_or_else(PoisonError::into_inner).insert(i);
                    Ok(())
                }
                outcome => outcome,
            }
        };
        let work = |task: Task, queue: &Queue<Task>, buffers: &mut Buffers<'_>| match task {
            Task::Fragment(i) => {
                let mut parts = self.begin(i, &list[i], &block.spans(i), list.len(), sink)?.into_iter();
                let first = parts.next();
                queue.add(parts);
                match first {
                    Some(Task::Part(i, prepared, part)) => read(i, &prepared, &part, buffers),
                    _ => Ok(()),
                }
            }
            Task::Part(i, prepared, part) => read(i, &prepared, &part, buffers),
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
            let Some((mut prepared, piece)) = self.prepare(fragment, spans, sink.lossy)? else {
                sink.missing(&at_of(spans), &count_of(spans))?;
                self.chain.advance(count_of(spans).iter().product())?;
                return Ok(Vec::new());
            };
            prepared.keep_chunks(&piece, fragments, self.chain.chunks);
            let parts = prepared.parts(piece)?;
            let prepared = Arc::new(prepared);
            Ok(parts.into_iter().map(|part| Task::Part(i, Arc::clone(&prepared), part)).collect())
        };
        run().map_err(|e: Error| e.in_fragment(&index_of(spans)))
    }

    fn part(
        &self,
        prepared: &Prepared,
        part: &Piece,
        sink: &Sink<'_>,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        buffers.keep_chunks(prepared.keep);
        sink.put(&prepared.raw, &prepared.conversion, part, Some(self.chain), buffers)
            .map_err(|e| prepared.place(fragment::unreadable(e)))?;
        self.chain.advance(part.elements()? as u64)
    }
}
