//! Watching and stopping long work.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use crate::error::{Error, Kind, Result};

/// Told how much of a read is done, from 0 to 1; gives `false` to stop it.
pub type Progress<'a> = dyn Fn(f64) -> bool + Sync + 'a;

/// Told how much of how much is done, of an extraction or a conversion; gives `false` to stop it.
pub type Listener<'a> = dyn Fn(u64, u64) -> bool + Sync + 'a;

/// A read that is watched. Helper threads count and stop; the progress function is called only in the thread that began
/// the read, so that callers need not expect it anywhere else.
pub(crate) struct Control<'a> {
    progress: &'a Progress<'a>,
    caller: ThreadId,
    total: u64,
    done: AtomicU64,
    stopped: AtomicBool,
    /// Whether the caller was told that all is done.
    told: AtomicBool,
}

impl<'a> Control<'a> {
    /// For a read of `total` elements that this thread begins.
    pub(crate) fn new(progress: &'a Progress<'a>, total: u64) -> Self {
        let (done, stopped, told) = (AtomicU64::new(0), AtomicBool::new(false), AtomicBool::new(false));
        Control { progress, caller: thread::current().id(), total: total.max(1), done, stopped, told }
    }

    /// Counts elements that are done, and tells the caller.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn advance(&self, elements: u64) -> Result<()> {
        self.done.fetch_add(elements, Ordering::Relaxed);
        self.check()
    }

    /// Tells the caller that all is done, if a helper did the last part.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn finish(&self) -> Result<()> {
        let all = self.done.load(Ordering::Relaxed) >= self.total;
        if all && !self.told.load(Ordering::Relaxed) {
            return self.check();
        }
        Ok(())
    }

    /// Sees whether to go on.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn check(&self) -> Result<()> {
        let mut stop = self.stopped.load(Ordering::Relaxed);
        if !stop && thread::current().id() == self.caller {
            let fraction = self.done.load(Ordering::Relaxed).min(self.total) as f64 / self.total as f64;
            self.told.fetch_or(fraction == 1.0, Ordering::Relaxed);
            stop = !(self.progress)(fraction);
        }
        if stop {
            self.stopped.store(true, Ordering::Relaxed);
            return Err(Error::new(Kind::Cancelled, "the read was cancelled"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_told_of_the_end_once_whoever_did_the_last_part() {
        for helper in [false, true] {
            let ends = AtomicU64::new(0);
            let progress = |fraction: f64| {
                ends.fetch_add(u64::from(fraction == 1.0), Ordering::Relaxed);
                true
            };
            let control = Control::new(&progress, 10);
            control.advance(4).unwrap();
            control.finish().unwrap();
            assert_eq!(ends.load(Ordering::Relaxed), 0);
            thread::scope(|scope| match helper {
                true => drop(scope.spawn(|| control.advance(6).unwrap())),
                false => control.advance(6).unwrap(),
            });
            control.finish().unwrap();
            assert_eq!(ends.load(Ordering::Relaxed), 1);
        }
    }

    #[test]
    fn only_the_caller_is_asked_and_all_stop() {
        let asked = AtomicU64::new(0);
        let progress = |fraction: f64| {
            asked.fetch_add(1, Ordering::Relaxed);
            fraction < 0.5
        };
        let control = Control::new(&progress, 10);
        thread::scope(|scope| {
            scope.spawn(|| control.advance(4).unwrap());
        });
        assert_eq!(asked.load(Ordering::Relaxed), 0);
        control.check().unwrap();
        assert_eq!(control.advance(1).unwrap_err().kind(), Kind::Cancelled);
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(control.check().unwrap_err().kind(), Kind::Cancelled));
        });
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }
}
