//! Observes and stops long work: one way for reads, checks and everything that writes.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use super::stop::Stop;
use crate::error::{Error, Kind, Result};

/// Called with the number of elements, fragments or files done so far and in total; with 0 of 0 while the work waits
/// for another writer of the same file. Returns `false` to stop the work. It is called only in the thread that asked
/// for the work.
pub type Listener<'a> = dyn Fn(u64, u64) -> bool + Sync + 'a;

/// Observed work: any thread counts what it has done, and all stop when the listener asks for it.
pub(crate) struct Progress<'a> {
    listener: Option<&'a Listener<'a>>,
    /// The only thread in which the listener is called.
    caller: ThreadId,
    /// The message of the error after the listener stopped the work.
    cancelled: &'static str,
    total: u64,
    done: AtomicU64,
    stopped: Stop,
    /// Whether the listener was called with everything done.
    is_finished: AtomicBool,
}

impl<'a> Progress<'a> {
    /// Creates the progress of work that this thread begins, with or without a listener. `total` is its extent.
    pub(crate) fn new(listener: Option<&'a Listener<'a>>, total: u64, cancelled: &'static str) -> Self {
        let (done, stopped, is_finished) = (AtomicU64::new(0), Stop::default(), AtomicBool::new(false));
        Progress { listener, caller: thread::current().id(), cancelled, total, done, stopped, is_finished }
    }

    /// Counts what is done, and calls the listener.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn advance(&self, by: u64) -> Result<()> {
        let done = self.done.fetch_add(by, Ordering::Relaxed).saturating_add(by);
        // Some work does more than was known when it began.
        self.report(done.min(self.total), self.total)
    }

    /// Calls the listener with everything done, unless it already was.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.is_finished.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.report(self.total, self.total),
        }
    }

    /// Reports that the work waits for another writer.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn wait(&self) -> Result<()> {
        self.report(0, 0)
    }

    /// Checks whether to continue.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn check(&self) -> Result<()> {
        self.advance(0)
    }

    /// Returns the flag that is set when the listener stops the work.
    pub(crate) fn stop(&self) -> Stop {
        self.stopped.clone()
    }

    /// Returns whether there is a listener and this is the thread in which it is called.
    pub(crate) fn is_watched_here(&self) -> bool {
        self.listener.is_some() && self.is_of_this_thread()
    }

    fn is_of_this_thread(&self) -> bool {
        thread::current().id() == self.caller
    }

    fn report(&self, done: u64, total: u64) -> Result<()> {
        let Some(listener) = self.listener else { return Ok(()) };
        let mut stop = self.stopped.is_set();
        if !stop && self.is_of_this_thread() {
            self.is_finished.fetch_or(done == self.total, Ordering::Relaxed);
            stop = !listener(done, total);
        }
        if stop {
            self.stopped.set();
            return Err(Error::new(Kind::Cancelled, self.cancelled));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_listener_hears_of_the_end_once_whichever_thread_did_the_last_part() {
        for helper in [false, true] {
            let ends = AtomicU64::new(0);
            let listener = |done: u64, total: u64| {
                ends.fetch_add(u64::from(done == total), Ordering::Relaxed);
                true
            };
            let progress = Progress::new(Some(&listener), 10, "cancelled");
            progress.advance(4).unwrap();
            assert_eq!(ends.load(Ordering::Relaxed), 0);
            thread::scope(|scope| match helper {
                true => drop(scope.spawn(|| progress.advance(6).unwrap())),
                false => progress.advance(6).unwrap(),
            });
            progress.finish().unwrap();
            assert_eq!(ends.load(Ordering::Relaxed), 1);
        }
    }

    #[test]
    fn only_the_caller_is_asked_and_all_stop() {
        let asked = AtomicU64::new(0);
        let listener = |done: u64, _: u64| {
            asked.fetch_add(1, Ordering::Relaxed);
            done < 5
        };
        let progress = Progress::new(Some(&listener), 10, "cancelled");
        thread::scope(|scope| {
            scope.spawn(|| progress.advance(4).unwrap());
        });
        assert_eq!(asked.load(Ordering::Relaxed), 0);
        progress.check().unwrap();
        assert_eq!(progress.advance(1).unwrap_err().kind(), Kind::Cancelled);
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(progress.check().unwrap_err().kind(), Kind::Cancelled));
        });
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn no_more_is_reported_than_the_total() {
        let most = AtomicU64::new(0);
        let listener = |done: u64, _: u64| {
            most.fetch_max(done, Ordering::Relaxed);
            true
        };
        let progress = Progress::new(Some(&listener), 10, "cancelled");
        progress.advance(4).unwrap();
        progress.wait().unwrap();
        assert_eq!(most.load(Ordering::Relaxed), 4);
        progress.advance(u64::MAX - 4).unwrap();
        assert_eq!(most.load(Ordering::Relaxed), 10);
        Progress::new(None, 10, "cancelled").advance(3).unwrap();
    }
}
