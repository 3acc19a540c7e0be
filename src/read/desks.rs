//! Bounds the memory of reads of files on servers, however many requests wait: the bytes that were fetched and not yet
//! decoded, and the buffers for decoding, of which there is a set (a desk) for each core.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::sink::Buffers;
use crate::container::read::ChunkCache;
use crate::error::{Error, Kind, Result};
use crate::threads::process::PerProcess;
use crate::threads::stop::{self, GLANCE};

/// The bytes that all reads of this process may have fetched, or be fetching, before they are decoded.
const MOST_BYTES: u64 = 24 << 20;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until `take` returns something.
fn wait<S, T>(mutex: &Mutex<S>, changed: &Condvar, mut take: impl FnMut(&mut S) -> Option<T>) -> Result<T> {
    let mut state = lock(mutex);
    loop {
        if let Some(taken) = take(&mut state) {
            return Ok(taken);
        }
        stop::check()?;
        state = changed.wait_timeout(state, GLANCE).unwrap_or_else(PoisonError::into_inner).0;
    }
}

#[derive(Default)]
struct InFlight {
    bytes: Mutex<u64>,
    changed: Condvar,
}

impl InFlight {
    fn of_this_process() -> &'static InFlight {
        static ALL: PerProcess<InFlight> = PerProcess::new();
        ALL.get(InFlight::default)
    }
}

/// Room for bytes in flight, until it is dropped.
pub(super) struct Room(u64);

impl Room {
    /// Waits for room. A part that is larger than the limit waits until nothing else is in flight.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(super) fn for_bytes(bytes: u64) -> Result<Room> {
        let all = InFlight::of_this_process();
        wait(&all.bytes, &all.changed, |taken| {
            let sum = taken.saturating_add(bytes);
            (*taken == 0 || sum <= MOST_BYTES).then(|| *taken = sum)
        })?;
        Ok(Room(bytes))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let all = InFlight::of_this_process();
        // After a fork, the room may have been taken in the parent process.
        let mut bytes = lock(&all.bytes);
        *bytes = bytes.saturating_sub(self.0);
        drop(bytes);
        all.changed.notify_all();
    }
}

/// The desks of one read. Each is used by one thread at a time.
pub(super) struct Desks<'a> {
    chunks: &'a ChunkCache,
    state: Mutex<State<'a>>,
    changed: Condvar,
}

struct State<'a> {
    free: Vec<Buffers<'a>>,
    /// The number of desks that may still be made.
    more: usize,
}

impl<'a> Desks<'a> {
    pub(super) fn new(chunks: &'a ChunkCache, most: usize) -> Self {
        let state = State { free: Vec::new(), more: most.max(1) };
        Desks { chunks, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for a desk, and works there.
    ///
    /// # Errors
    /// `Cancelled`, and those of `work`.
    pub(super) fn work<T>(&self, work: impl FnOnce(&mut Buffers<'a>) -> Result<T>) -> Result<T> {
        let buffers = wait(&self.state, &self.changed, |state| {
            state.free.pop().or_else(|| {
                state.more = state.more.checked_sub(1)?;
                Some(Buffers::new(self.chunks))
            })
        })?;
        let mut desk = Desk { desks: self, buffers: Some(buffers) };
        match &mut desk.buffers {
            Some(buffers) => work(buffers),
            None => Err(Error::new(Kind::Internal, "a desk without buffers")),
        }
    }
}

/// A desk in use. Dropping it leaves it to another thread, also after a panic.
struct Desk<'a, 'd> {
    desks: &'d Desks<'a>,
    buffers: Option<Buffers<'a>>,
}

impl Drop for Desk<'_, '_> {
    fn drop(&mut self) {
        lock(&self.desks.state).free.extend(self.buffers.take());
        self.desks.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn no_more_threads_work_than_there_are_desks() {
        let cache = ChunkCache::new(0);
        let desks = Desks::new(&cache, 2);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    desks.work(|_| {
                        most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(5));
                        now.fetch_sub(1, Ordering::Relaxed);
                        Ok(())
                    })
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
    }

    #[test]
    fn bytes_in_flight_wait_for_room() {
        let half = Room::for_bytes(MOST_BYTES / 2 + 1).unwrap();
        let stop = stop::Stop::default();
        stop.set();
        let refused = stop::within(Some(stop), || Room::for_bytes(MOST_BYTES / 2).err().map(|e| e.kind()));
        assert_eq!(refused, Some(Kind::Cancelled));
        drop(half);
        drop(Room::for_bytes(10 * MOST_BYTES).unwrap());
    }
}
