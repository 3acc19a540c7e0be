//! Reads numbers and chars: distributes the fragments of a selection, or their parts, to threads.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::crew::{Crew, Hands};
use super::fragment::{self, Chain, Piece};
use super::plan::{self, at_of, count_of, index_of, Span};
use super::prepare::{Preparation, Prepared};
use super::scatter::Destination;
use super::sink::Sink;
use super::AggregationFile;
use crate::canonical::Conversion;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::model::fragments::{Fragment, Lookup};
use crate::selection::Selection;
use crate::threads::progress::Progress;
use crate::threads::workers::Queue;
use crate::value::DataType;

/// A request to read numbers.
pub(crate) struct Request<'a> {
    /// The part to read.
    pub(crate) selection: &'a Selection,
    /// The type of the result.
    pub(crate) data_type: DataType,
    /// The destination of the values.
    pub(crate) values: &'a Destination<'a>,
    /// The destination of the validity: 1 valid, 0 missing.
    pub(crate) mask: Option<&'a Destination<'a>>,
    /// Whether converting to the requested type may change values; `None` uses the option of the dataset.
    pub(crate) lossy: Option<bool>,
    /// The listener that observes the read.
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
            let conversion = Conversion::for_unique(values.data_type(), &target, file.options.lossy_casts)?;
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
    /// Read a part of an open fragment.
    Part(usize, Arc<Prepared>, Piece),
}

fn ordinary(file: &Arc<AggregationFile>, id: VariableId, sink: &Sink<'_>) -> Result<()> {
    let raw = fragment::stored(&**file, id);
    let conversion = Arc::new(Conversion::for_request(sink.target, sink.target.data_type(), false)?);
    let mut prepared = Prepared::new(raw, conversion, Vec::new(), 0);
    let piece = Piece::whole(sink.request.selection);
    prepared.keep_chunks(&piece, 1, &file.caches.chunks);
    let parts = prepared.parts(piece)?;
    let crew = Crew::new(file, sink.request, 1, file.container.source().is_remote()).for_parts(parts.len());
    let progress = sink.request.progress;
    crew.run(parts, progress, &file.caches.chunks, |part, _, hands| {
        hands.put(&prepared, &part, sink, None).map_err(|e| prepared.place(e))?;
        progress.map_or(Ok(()), |progress| progress.advance(part.elements()? as u64))
    })
}

impl Preparation<'_> {
    /// Reads the fragments of a block. If a version of a fragment cannot be read, reads that fragment again from
    /// another one.
    fn fragments(&self, block: &plan::Block<'_>, list: &[Fragment], sink: &Sink<'_>) -> Result<()> {
        let mut todo: Vec<usize> = (0..list.len()).collect();
        while !todo.is_empty() {
            let again = Mutex::new(BTreeSet::new());
            self.run(block, list, &todo, sink, &again)?;
            todo = again.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
        }
        Ok(())
    }

    /// Reads the fragments of these numbers in the block. `again` receives those to be read from another version.
    fn run(
        &self,
        block: &plan::Block<'_>,
        list: &[Fragment],
        todo: &[usize],
        sink: &Sink<'_>,
        again: &Mutex<BTreeSet<usize>>,
    ) -> Result<()> {
        let begin = |i: usize| self.begin(i, &list[i], &block.spans(i), list.len(), sink);
        let read = |i: usize, prepared: &Prepared, part: &Piece, hands: &mut Hands<'_, '_>| {
            // The whole fragment is read again from another version.
            if self.has_failed(prepared) {
                return Ok(());
            }
            match hands.put(prepared, part, sink, Some(self.chain)) {
                Ok(()) => self.chain.advance(part.elements()? as u64),
                Err(error) if self.pass_over(&list[i], prepared, &error) => {
                    again.lock().unwrap_or_else(PoisonError::into_inner).insert(i);
                    Ok(())
                }
                Err(error) => Err(prepared.place(fragment::unreadable(error))),
            }
        };
        let work = |task: Task, queue: &Queue<Task>, hands: &mut Hands<'_, '_>| match task {
            Task::Fragment(i) => {
                let mut parts = begin(i)?.into_iter();
                let first = parts.next();
                queue.add(parts);
                match first {
                    Some(Task::Part(i, prepared, part)) => read(i, &prepared, &part, hands),
                    _ => Ok(()),
                }
            }
            Task::Part(i, prepared, part) => read(i, &prepared, &part, hands),
        };
        self.bring_recorded(todo.iter().map(|&i| block.spans(i)));
        let waits = self.may_wait(todo.iter().map(|&i| &list[i]));
        let crew = Crew::new(self.file, sink.request, todo.len(), waits);
        let progress = self.chain.progress();
        let fragments = todo.iter().copied().map(Task::Fragment);
        if crew.takes_fragments() {
            return crew.run(fragments, progress, self.chain.chunks, work);
        }
        let parts = Mutex::new(BTreeMap::new());
        let open = |task: Task, _: &Queue<Task>, _: &mut Hands<'_, '_>| {
            if let Task::Fragment(i) = task {
                let begun = begin(i)?;
                parts.lock().unwrap_or_else(PoisonError::into_inner).insert(i, begun);
            }
            Ok(())
        };
        match waits {
            true => crew.run(fragments, progress, self.chain.chunks, open)?,
            false => {
                for &i in todo {
                    let begun = begin(i)?;
                    parts.lock().unwrap_or_else(PoisonError::into_inner).insert(i, begun);
                }
            }
        }
        let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let parts: Vec<Task> = parts.into_values().flatten().collect();
        let crew = crew.for_parts(parts.len());
        crew.run(parts, progress, self.chain.chunks, work)
    }

    /// Opens a fragment and divides the piece that is needed of it. A missing fragment is filled at once.
    fn begin(
        &self,
        i: usize,
        fragment: &Fragment,
        spans: &[Span],
        fragments: usize,
        sink: &Sink<'_>,
    ) -> Result<Vec<Task>> {
        let run = || {
            let Some((mut prepared, piece)) = self.prepare(fragment, spans)? else {
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
}
