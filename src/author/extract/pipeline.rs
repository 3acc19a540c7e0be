//! Threads read blocks and compress them while this one writes; the number of waiting blocks is bounded.
//!
//! Blocks are written in their order, so that the same input yields the same bytes. A thread that is far ahead of the
//! slowest waits for it.
//!
//! A chunk that is being inflated or compressed cannot be interrupted, and may be of any size. So a cancelled extraction
//! does not wait for its threads: each ends by itself after the chunk that it has in hand.

use std::collections::BTreeMap;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{longitudes, Item};
use crate::author::write::blocks::blocks;
use crate::author::write::{Encoder, NewFile, Ready};
use crate::container::form::Form;
use crate::dataset::select::Parts;
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::model::feature::missing_texts;
use crate::read::chunk;
use crate::selection::checked_product;
use crate::threads::progress::{Listener, Progress};
use crate::threads::stop;
use crate::threads::workers;
use crate::value::Values;

/// The size of a block in bytes.
const BLOCK: u64 = 4 << 20;
/// The number of strings of a block, whose lengths are not known beforehand.
const STRINGS: u64 = 1 << 14;
/// The time that the writer waits for a block before it asks the listener whether to go on.
const PATIENCE: Duration = Duration::from_millis(50);
/// The number of blocks that a thread may be ahead of the writer.
const AHEAD: u64 = 3;
/// The size of a block of data on servers, and the maximum number and size of all blocks that wait for them: a thread
/// asks for one chunk after the other.
const REMOTE_BLOCK: u64 = 1 << 20;
const REMOTE_BLOCKS: u64 = 64;
const REMOTE_BYTES: u64 = 64 << 20;

/// A block: its number, the number of its item, its start and its count.
type Task = (u64, usize, Vec<u64>, Vec<u64>);
/// The outcome of a block: its number, the number of its item, the number of its values, and the block.
type Done = (u64, usize, u64, Result<Vec<Ready>>);

/// What the threads share.
struct Work {
    items: Vec<Item>,
    /// The encoder of each item.
    encoders: Vec<Encoder>,
    turns: Turns<Box<dyn Iterator<Item = Task> + Send>>,
}

/// Reads and writes all blocks of all items.
///
/// # Errors
/// The first error of reading or writing; `Cancelled`.
pub(super) fn run(
    dataset: &Dataset,
    items: Vec<Item>,
    out: &mut NewFile,
    listener: Option<&Listener<'_>>,
) -> Result<()> {
    let total = items.iter().filter_map(|i| checked_product(&i.parts.count())).fold(0, u64::saturating_add);
    let progress = Progress::new(listener, total, "the extraction was cancelled");
    let options = &dataset.shared().options;
    let waits = items.iter().any(|item| dataset.shared().waits_for(item.variable.id()));
    let size = if waits { REMOTE_BLOCK } else { BLOCK };
    let shapes: Vec<Vec<u64>> =
        items.iter().map(|item| out.block_shape(item.variable.path(), cap(item, size))).collect();
    let cores = workers::threads(options.num_threads) as u64;
    let (threads, ahead) = match waits {
        true => at_once(cores, options.http_concurrency, largest(&items, &shapes)),
        false => (cores, AHEAD * cores),
    };
    let encoders = items.iter().map(|item| out.encoder(item.variable.path())).collect();
    let turns = Turns::new(Box::new(tasks(&items, shapes)) as _, ahead);
    let work = Arc::new(Work { items, encoders, turns });
    let (sender, receiver) = channel::<Done>();
    let start = |sender: Sender<Done>| {
        let (work, stop) = (work.clone(), progress.stop());
        let serve = move || stop::within(Some(stop), || work.serve(&sender));
        std::thread::Builder::new().name("cfa".into()).spawn(serve)
    };
    let mut started = Vec::new();
    let mut result = Ok(());
    for _ in 0..threads {
        match start(sender.clone()) {
            Ok(thread) => started.push(thread),
            Err(error) => result = Err(Error::new(Kind::Io, "no thread can be started").because(error)),
        }
    }
    drop(sender);
    result = result.and_then(|()| work.write(&receiver, out, &progress));
    // Threads that wait for their turn must learn that no more blocks are accepted.
    work.turns.stop();
    if result.as_ref().is_err_and(|error| error.kind() == Kind::Cancelled) {
        return result;
    }
    // A panic of a thread was reported as the error of its block.
    started.into_iter().for_each(|thread| drop(thread.join()));
    result
}

/// Returns the blocks, of these shapes, of all items.
fn tasks(items: &[Item], shapes: Vec<Vec<u64>>) -> impl Iterator<Item = Task> + Send {
    let counts = items.iter().map(|item| item.parts.count());
    let arrays: Vec<(Vec<u64>, Vec<u64>)> = counts.zip(shapes).collect();
    let all = arrays
        .into_iter()
        .enumerate()
        .flat_map(|(i, (count, block))| blocks(&count, &block).map(move |(start, count)| (i, start, count)));
    (0u64..).zip(all).map(|(number, (item, start, count))| (number, item, start, count))
}

/// Returns the number of elements of a block of this many bytes.
fn cap(item: &Item, bytes: u64) -> u64 {
    match item.variable.data_type().size() {
        Some(size) => bytes / size as u64,
        None => STRINGS,
    }
}

/// Returns the size of the largest block in bytes.
fn largest(items: &[Item], shapes: &[Vec<u64>]) -> u64 {
    let bytes = |(item, shape): (&Item, &Vec<u64>)| {
        let size = item.variable.data_type().size().map_or(BLOCK / STRINGS, |size| size as u64);
        checked_product(shape).unwrap_or(u64::MAX).saturating_mul(size)
    };
    items.iter().zip(shapes).map(bytes).max().unwrap_or(1)
}

/// Returns the number of threads for data on servers, and how many blocks they may be ahead of the writer. Blocks of
/// this size together do not exceed a limit, unless there would be fewer than for local data.
fn at_once(cores: u64, concurrency: usize, largest: u64) -> (u64, u64) {
    let ahead = (REMOTE_BYTES / largest.max(1)).min(REMOTE_BLOCKS).max(AHEAD * cores);
    ((ahead / 2).min(concurrency as u64).max(cores), ahead)
}

/// The blocks that wait to be read, and the progress of the writer.
struct Turns<I: Iterator<Item = Task>> {
    state: Mutex<State<I>>,
    moved: Condvar,
    ahead: u64,
}

struct State<I: Iterator<Item = Task>> {
    tasks: std::iter::Peekable<I>,
    written: u64,
    stopped: bool,
}

impl<I: Iterator<Item = Task>> Turns<I> {
    fn new(tasks: I, ahead: u64) -> Self {
        let state = State { tasks: tasks.peekable(), written: 0, stopped: false };
        Turns { state: Mutex::new(state), moved: Condvar::new(), ahead }
    }

    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next block, once it is not too far ahead; `None` at the end.
    fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            let limit = state.written.saturating_add(self.ahead);
            match state.tasks.peek() {
                Some((number, ..)) if *number >= limit => {
                    state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                _ => return state.tasks.next(),
            }
        }
    }

    /// Reports that this many blocks were written.
    fn written(&self, count: u64) {
        self.lock().written = count;
        self.moved.notify_all();
    }

    /// Returns whether no more blocks are needed.
    fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Reports that no more blocks are needed.
    fn stop(&self) {
        self.lock().stopped = true;
        self.moved.notify_all();
    }
}

impl Work {
    /// Writes the blocks that the threads have made ready, in their order.
    fn write(&self, receiver: &Receiver<Done>, out: &mut NewFile, progress: &Progress<'_>) -> Result<()> {
        let mut early: BTreeMap<u64, Done> = BTreeMap::new();
        let mut next = 0;
        loop {
            let block = match receiver.recv_timeout(PATIENCE) {
                Ok(block) => block,
                Err(RecvTimeoutError::Timeout) => {
                    progress.check()?;
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            early.insert(block.0, block);
            while let Some((_, item, count, ready)) = early.remove(&next) {
                let ready = ready.map_err(|e| e.in_variable(self.items[item].variable.path()))?;
                ready.into_iter().try_for_each(|block| out.put_ready(block))?;
                next += 1;
                self.turns.written(next);
                progress.advance(count)?;
            }
        }
    }

    /// Reads and compresses blocks until there are no more, or no more are needed.
    fn serve(&self, sender: &Sender<Done>) {
        while let Some((number, i, start, count)) = self.turns.next() {
            let attempt = || self.ready(i, &start, &count);
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(attempt));
            let ready = outcome.unwrap_or_else(|_| Err(Error::new(Kind::Internal, "a read task panicked")));
            let values = checked_product(&count).unwrap_or(0);
            if sender.send((number, i, values, ready)).is_err() {
                return;
            }
        }
    }

    /// Returns a block, ready to be written. If its first chunk can be copied from a fragment, so is every other one
    /// for which that is possible.
    fn ready(&self, item: usize, start: &[u64], count: &[u64]) -> Result<Vec<Ready>> {
        let (item, encoder) = (&self.items[item], &self.encoders[item]);
        let check = || match self.turns.is_stopped() {
            true => Err(Error::new(Kind::Cancelled, "no more blocks are needed")),
            false => Ok(()),
        };
        let encoded = |start: &[u64], count: &[u64]| {
            let part = item.parts.block(start, count);
            let values = read(&item.variable, &part, &|_, _| !self.turns.is_stopped())?;
            let values = match item.moved {
                Some(d) => longitudes::move_by(values, &item.variable, &part, d)?,
                None => values,
            };
            encoder.encode(start, count, values, &check)
        };
        let Some(form) = encoder.form() else { return Ok(vec![encoded(start, count)?]) };
        let mut chunks = Vec::new();
        for (within, size) in blocks(count, &form.chunk) {
            check()?;
            let at: Vec<u64> = start.iter().zip(&within).map(|(start, within)| start + within).collect();
            match copied(item, encoder, &form, &at, &size) {
                Some(chunk) => chunks.push(chunk),
                None if chunks.is_empty() => return Ok(vec![encoded(start, count)?]),
                None => chunks.push(encoded(&at, &size)?),
            }
        }
        Ok(chunks)
    }
}

/// Returns the chunk at this place as a fragment stores it, if it can be copied.
fn copied(item: &Item, encoder: &Encoder, form: &Form, at: &[u64], size: &[u64]) -> Option<Ready> {
    // A chunk that reaches beyond the array may hold other values there.
    if *size != *form.chunk || item.moved.is_some() {
        return None;
    }
    let part = item.parts.block(at, size).single(item.variable.shape().ok()?).ok()??;
    if part.step().iter().any(|&step| step != 1) {
        return None;
    }
    let source = part.start().to_vec();
    let bytes = chunk::stored(item.variable.dataset().shared(), item.variable.id(), &source, form)?;
    encoder.whole(at, bytes)
}

/// Reads the values; a missing string becomes the variable's own missing value.
fn read(variable: &Variable, parts: &Parts, listener: &Listener<'_>) -> Result<Values> {
    let mut values = variable.read_parts_with(parts, Some(listener))?;
    if let (Values::String(words), valid) = &mut values {
        let missing = missing_texts(variable.attributes()).into_iter().next().unwrap_or_default();
        words
            .iter_mut()
            .zip(valid)
            .filter(|(_, valid)| !**valid)
            .for_each(|(word, _)| word.clone_from(&missing));
    }
    Ok(values.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_wait_for_servers_are_many_and_bounded() {
        assert_eq!(at_once(2, 64, REMOTE_BLOCK), (32, 64));
        assert_eq!(at_once(2, 8, REMOTE_BLOCK), (8, 64));
        assert_eq!(at_once(2, 64, 1), (32, 64));
        assert_eq!(at_once(2, 64, 8 << 20), (4, 8));
        assert_eq!(at_once(2, 64, u64::MAX), (3, 6));
        assert_eq!(at_once(8, 1, u64::MAX), (8, 24));
    }
}
