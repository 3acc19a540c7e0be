//! Watching and stopping a read.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use crate::error::{Error, Kind, Result};

/// Told how much of a read is done, from 0 to 1; gives `false` to stop it.
pub type Progress<'a> = dyn Fn(f64) -> bool + Sync + 'a;

/// A read that is watched. Helper threads count and stop; the progress function is called only in the thread that began
/// the read, so that callers need not expect it anywhere else.
pub(crate) struct Control<'a> {
    progress: &'a Progress<'a>,
    caller: ThreadId,
    total: u64,
    done: AtomicU64,
    stopped: AtomicBool,
}

impl<'a> Control<'a> {
    /// For a read of `total` elements that this thread begins.
    pub(crate) fn new(progress: &'a Progress<'a>, total: u64) -> Self {
        let (done, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        Control { progress, caller: thread::current().id(), total: total.max(1), done, stopped }
    }

    /// Counts elements that are done, and tells the caller.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn advance(&self, elements: u64) -> Result<()> {
        self.done.fetch_add(elements, Ordering::Relaxed);
        self.check()
    }

    /// Tells the caller that all is done, whichever thread did the last of it.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn finish(&self) -> Result<()> {
        self.done.store(self.total, Ordering::Relaxed);
        self.check()
    }

    /// Sees whether to go on.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn check(&self) -> Result<()> {
        let mut stop = self.stopped.load(Ordering::Relaxed);
        if !stop && thread::current().id() == self.caller {
            let fraction = self.done.load(Ordering::Relaxed).min(self.total) as f64 / self.total as f64;
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
