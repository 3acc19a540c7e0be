//! Threads read blocks while this one writes them; what waits in between is bounded.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{sync_channel, SyncSender};
use std::sync::{Mutex, PoisonError};

use super::blocks::{block_shape, blocks};
use super::Item;
use crate::control::Listener;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::model::feature::missing_texts;
use crate::selection::{checked_product, Selection};
use crate::value::{DataType, Values};
use crate::variable::Variable;
use crate::workers;
use crate::write::NewFile;

/// Bytes of a block.
const BLOCK: u64 = 4 << 20;
/// Strings of a block, whose length is not known beforehand.
const STRINGS: u64 = 1 << 14;

/// A block that was read: which variable, where it goes, and its values.
type Read = (usize, Vec<u64>, Vec<u64>, Values);

/// Reads and writes all blocks of all items.
///
/// # Errors
/// The first one of reading or writing; `Cancelled`.
pub(super) fn run(
    dataset: &Dataset,
    items: &[Item],
    out: &mut NewFile,
    progress: Option<&Listener<'_>>,
) -> Result<()> {
    let total = items.iter().filter_map(|i| i.selection.len()).fold(0, u64::saturating_add);
    let shapes: Vec<Vec<u64>> = items.iter().map(shape_of_blocks).collect();
    let tasks = items.iter().zip(&shapes).enumerate().flat_map(|(i, (item, shape))| {
        blocks(item.selection.count(), shape).map(move |(start, count)| (i, start, count))
    });
    let tasks = Mutex::new(tasks);
    let stop = AtomicBool::new(false);
    let threads = workers::threads(dataset.shared().options.num_threads);
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<Result<Read>>(threads);
        for _ in 0..threads {
            let sender = sender.clone();
            let (tasks, stop) = (&tasks, &stop);
            let read = move || serve(items, tasks, stop, &sender);
            std::thread::Builder::new()
                .name("cfa".into())
                .spawn_scoped(scope, read)
                .map_err(|e| Error::new(Kind::Io, "no thread can be started").because(e))?;
        }
        drop(sender);
        let mut done = 0u64;
        let mut write = || -> Result<()> {
            for read in &receiver {
                let (item, start, count, values) = read?;
                out.put(items[item].variable.path(), &start, &count, &values)?;
                done += values.len() as u64;
                if progress.is_some_and(|tell| !tell(done, total)) {
                    return Err(Error::new(Kind::Cancelled, "the extraction was cancelled"));
                }
            }
            Ok(())
        };
        let result = write();
        stop.store(true, Ordering::Relaxed);
        // Readers that wait for room must find out that nobody takes anything more.
        drop(receiver);
        result
    })
}

fn shape_of_blocks(item: &Item) -> Vec<u64> {
    let cap = match item.variable.data_type().size() {
        Some(size) => BLOCK / size as u64,
        None => STRINGS,
    };
    // Chunks that were asked for may be of any size; a block must stay small.
    let chunk: Vec<u64> = match checked_product(&item.chunk) {
        Some(n) if n <= cap => item.chunk.clone(),
        _ => vec![1; item.chunk.len()],
    };
    block_shape(item.selection.count(), &chunk, cap)
}

fn serve(
    items: &[Item],
    tasks: &Mutex<impl Iterator<Item = (usize, Vec<u64>, Vec<u64>)>>,
    stop: &AtomicBool,
    sender: &SyncSender<Result<Read>>,
) {
    while !stop.load(Ordering::Relaxed) {
        let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((i, start, count)) = task else { return };
        let item = &items[i];
        let attempt =
            || part(&item.selection, &start, &count, item).and_then(|part| read(&item.variable, &part));
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(attempt));
        let values = outcome.unwrap_or_else(|_| Err(Error::new(Kind::Internal, "a read task panicked")));
        if sender.send(values.map(|values| (i, start, count, values))).is_err() {
            return;
        }
    }
}

/// The part of the source that a block of the selection comes from.
fn part(whole: &Selection, start: &[u64], count: &[u64], item: &Item) -> Result<Selection> {
    let first: Vec<u64> = (0..whole.rank())
        .map(|d| whole.start()[d].wrapping_add_signed(whole.step()[d].wrapping_mul(start[d] as i64)))
        .collect();
    Selection::new(&first, count, whole.step(), item.variable.shape()?)
}

/// The values; a missing string is the variable's own missing value.
fn read(variable: &Variable, part: &Selection) -> Result<Values> {
    if variable.data_type() != DataType::String {
        return variable.read_values(part);
    }
    let missing = missing_texts(variable.attributes()).into_iter().next().unwrap_or_default();
    let strings = variable.read_strings(part)?;
    Ok(Values::String(strings.into_iter().map(|s| s.unwrap_or_else(|| missing.clone())).collect()))
}
