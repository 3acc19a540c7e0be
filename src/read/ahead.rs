//! Reads ahead: decodes the chunks of a selection into the cache of the file, in parallel, and returns no values.
//!
//! The cache limits it: chunks that would displace others of the same selection are not read. Only compressed chunks
//! profit from it; of other fragments, the next read only knows the layout already.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use super::prepare::{Preparation, Prepared};
use super::AggregationFile;
use crate::container::read::{self, Kept};
use crate::container::tree::VariableId;
use crate::error::Result;
use crate::model::fragments::Lookup;
use crate::read::fragment::{self, Chain, Piece, Raw};
use crate::selection::Selection;
use crate::threads::workers::{self, Queue};

/// The number of bytes that an open fragment counts, so that reading ahead ends for fragments without chunks too.
const FRAGMENT: i64 = 4 << 10;

/// What a thread does next.
enum Task {
    Fragment(usize),
    Part(Arc<Prepared>, Piece),
}

/// Decodes in advance what a read of this selection needs, as far as the cache holds it.
///
/// # Errors
/// The errors of decoding the aggregation. A fragment that cannot be read is not an error.
pub(crate) fn ahead(file: &Arc<AggregationFile>, id: VariableId, selection: &Selection) -> Result<()> {
    let capacity = file.caches.chunks.capacity();
    let room = AtomicI64::new(i64::try_from(capacity).unwrap_or(i64::MAX));
    within(file, id, selection, None, &room)
}

pub(super) fn within(
    file: &Arc<AggregationFile>,
    id: VariableId,
    selection: &Selection,
    outer: Option<&Chain<'_>>,
    room: &AtomicI64,
) -> Result<()> {
    let full = || room.load(Ordering::Relaxed) <= 0;
    let variable = &file.tree().variables[id.0];
    if selection.is_empty() || variable.array.data_type.size().is_none() || full() {
        return Ok(());
    }
    let Some(aggregation) = file.aggregation(id)? else {
        let chunks = outer.map_or(&file.caches.chunks, |chain| chain.chunks);
        let state = || Kept::sharing(chunks);
        let raw = fragment::stored(&**file, id);
        let tasks = parts(&raw, Piece::whole(selection))?;
        return workers::run(
            tasks,
            threads_for(file, file.container.source().is_remote()),
            state,
            |part, _, kept| {
                // The later read reports errors, here and below.
                let _ = decode(&raw, &part, room, kept);
                Ok(())
            },
        );
    };
    let chain = Chain::enter(outer, &**file, id)?;
    let target = file.target(id);
    let preparation = Preparation::new(file, id, aggregation, &target, &chain);
    preparation.each_block(selection, |block, entries| {
        let Lookup::Fragments(list) = entries else { return Ok(()) };
        let begin = |i: usize| -> Result<Vec<Task>> {
            room.fetch_sub(FRAGMENT, Ordering::Relaxed);
            let ready = preparation.prepare(&list[i], &block.spans(i))?;
            let Some((prepared, piece)) = ready else { return Ok(Vec::new()) };
            if let Raw::Nested { host, variable, .. } = &prepared.raw {
                Arc::clone(host).read_ahead(*variable, &piece.selection, &chain, room)?;
                return Ok(Vec::new());
            }
            let parts = parts(&prepared.raw, piece)?;
            let prepared = Arc::new(prepared);
            Ok(parts.into_iter().map(|piece| Task::Part(Arc::clone(&prepared), piece)).collect())
        };
        let work = |task: Task, queue: &Queue<Task>, kept: &mut Kept<'_>| {
            match task {
                _ if full() => {}
                Task::Fragment(i) => queue.add(begin(i).unwrap_or_default().into_iter()),
                Task::Part(prepared, part) => {
                    let _ = decode(&prepared.raw, &part, room, kept);
                }
            }
            Ok(())
        };
        let state = || Kept::sharing(chain.chunks);
        let waits = preparation.may_wait(&list);
        let (threads, fragments) = (threads_for(file, waits), (0..list.len()).map(Task::Fragment));
        if waits {
            return workers::run_waiting(fragments, threads.min(list.len()), None, state, work);
        }
        if list.len() < threads {
            // There are fewer fragments than threads, so their parts are distributed instead.
            let parts: Vec<Task> = (0..list.len()).flat_map(|i| begin(i).unwrap_or_default()).collect();
            return workers::run(parts, threads, state, work);
        }
        workers::run(fragments, threads, state, work)
    })
}

/// Returns how many threads read ahead. While a request waits, its thread holds the buffers of one chunk, so there are
/// fewer than for a read.
fn threads_for(file: &AggregationFile, waits: bool) -> usize {
    match waits {
        true => file.options.http_concurrency,
        false => workers::threads(file.options.num_threads),
    }
}

/// Divides the piece into parts of whole chunks.
fn parts(raw: &Raw, piece: Piece) -> Result<Vec<Piece>> {
    let Some((array, chunk)) = raw.array().and_then(|array| Some((array, array.chunk()?))) else {
        return Ok(Vec::new());
    };
    read::prepare(array, &piece.selection)?;
    super::parts::parts(piece, raw.shape(), Some(chunk), super::sink::size_of(raw.data_type())?)
}

fn decode(raw: &Raw, part: &Piece, room: &AtomicI64, kept: &mut Kept<'_>) -> Result<()> {
    match raw.in_file() {
        Some((source, array)) => read::ahead(source, array, &part.selection, room, kept),
        None => Ok(()),
    }
}
