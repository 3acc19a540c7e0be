//! Chooses the number of threads of a read: that of the cores, or that of the requests that may wait for servers.

use super::desks::Desks;
use super::fragment::Chain;
use super::prepare::Prepared;
use super::scatter::Destination;
use super::sink::{Buffers, Sink};
use super::{AggregationFile, Request};
use crate::container::read::ChunkCache;
use crate::error::Result;
use crate::read::fragment::Piece;
use crate::threads::progress::Progress;
use crate::threads::workers::{self, Queue};

/// A read of fewer bytes than this from few fragments gains nothing from a second thread, unless much is decoded for it.
const WORTH_THREADS: u64 = 256 << 10;
const FEW_FRAGMENTS: usize = 8;
/// From this number of fragments on servers on, each is read as soon as it is open. With fewer, all are opened first, so
/// that it is known how many parts there are.
const MANY_REMOTE: usize = 16;

/// The threads of a read, and their work.
#[derive(Clone, Copy)]
pub(super) struct Crew {
    /// The maximum number of threads.
    threads: usize,
    /// The number of tasks at the beginning.
    tasks: usize,
    /// The number of threads that decode at the same time.
    cores: usize,
    /// Whether the tasks wait for servers.
    pub(super) waits: bool,
    /// Whether the result is small.
    is_small: bool,
}

impl Crew {
    /// Creates the crew for a read of this many fragments. `waits` says whether some may be on servers.
    pub(super) fn new(file: &AggregationFile, request: &Request<'_>, fragments: usize, waits: bool) -> Self {
        let bytes = request.selection.len().unwrap_or(u64::MAX);
        let bytes = bytes.saturating_mul(request.data_type.size().unwrap_or(1) as u64);
        let apart = request.values.is_disjoint() && request.mask.is_none_or(Destination::is_disjoint);
        let cores = if apart { workers::threads(file.options.num_threads) } else { 1 };
        // A server has twice as many small requests as large ones, and opening a file is one.
        let threads = if waits && apart { file.options.http_concurrency.saturating_mul(2) } else { cores };
        let is_small = bytes < WORTH_THREADS && fragments < FEW_FRAGMENTS;
        Crew { threads, tasks: fragments, cores, waits, is_small }
    }

    /// Returns whether there are enough fragments to give each thread one. If not, their parts are distributed.
    pub(super) fn takes_fragments(&self) -> bool {
        match self.waits {
            true => self.tasks >= MANY_REMOTE.min(self.threads),
            false => self.tasks >= self.threads && (!self.is_small || self.threads == 1),
        }
    }

    /// Returns the same crew for the parts of the fragments.
    pub(super) fn for_parts(self, parts: usize) -> Self {
        // If no fragment has more than one part, little is decoded.
        let alone = !self.waits && self.is_small && parts <= self.tasks.max(1);
        Crew { threads: if alone { 1 } else { self.threads }, tasks: parts, ..self }
    }

    /// Runs `work` on every task.
    ///
    /// # Errors
    /// The first error.
    pub(super) fn run<T: Send>(
        &self,
        tasks: impl IntoIterator<Item = T>,
        progress: Option<&Progress<'_>>,
        chunks: &ChunkCache,
        work: impl Fn(T, &Queue<T>, &mut Hands<'_, '_>) -> Result<()> + Sync,
    ) -> Result<()> {
        if !self.waits {
            let state = || Buffers::new(chunks);
            return workers::run(tasks, self.threads, state, |task, queue, buffers| {
                work(task, queue, &mut Hands::Own(buffers))
            });
        }
        let desks = Desks::new(chunks, self.cores);
        // Fragments turn out to have several parts.
        let threads = self.threads.min(2 * self.tasks).max(1);
        workers::run_waiting(
            tasks,
            threads,
            progress,
            || (),
            |task, queue, ()| work(task, queue, &mut Hands::Shared { desks: &desks, chunks }),
        )
    }
}

/// What a thread decodes with.
pub(super) enum Hands<'a, 'b> {
    /// Buffers of its own.
    Own(&'a mut Buffers<'b>),
    /// A desk, for as long as it decodes.
    Shared { desks: &'a Desks<'b>, chunks: &'b ChunkCache },
}

impl Hands<'_, '_> {
    /// Reads a part and writes it to its place.
    pub(super) fn put(
        &mut self,
        prepared: &Prepared,
        part: &Piece,
        sink: &Sink<'_>,
        chain: Option<&Chain<'_>>,
    ) -> Result<()> {
        let put = |buffers: &mut Buffers<'_>| {
            buffers.keep_chunks(prepared.keep);
            sink.put(&prepared.raw, &prepared.conversion, part, chain, buffers)
        };
        match self {
            Hands::Own(buffers) => put(buffers),
            Hands::Shared { desks, chunks } => match prepared.fetch(part, chunks)? {
                Some((fetched, _room)) => desks.work(|buffers| {
                    buffers.bring(fetched);
                    put(buffers)
                }),
                None if prepared.raw.in_file().is_some() => desks.work(put),
                // Its own parts wait for servers and for desks.
                None => put(&mut Buffers::new(chunks)),
            },
        }
    }
}
