//! The caller's progress function during work that several threads do.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use super::boundary::{Answer, Failure};
use super::read::cfa_progress_callback;
use super::status::CFA_ERR_CANCELLED;

/// Tells of progress, and remembers that it was told to stop.
pub(super) struct Watch {
    progress: cfa_progress_callback,
    user_data: *mut c_void,
    caller: ThreadId,
    stopped: AtomicBool,
}

// SAFETY: the caller's function and data are used only in the thread that made the call.
unsafe impl Sync for Watch {}

impl Watch {
    /// Tells that the work begins in this thread.
    pub(super) fn begin(progress: cfa_progress_callback, user_data: *mut c_void) -> Answer<Watch> {
        let caller = thread::current().id();
        let watch = Watch { progress, user_data, caller, stopped: AtomicBool::new(false) };
        match watch.tell(0.0) {
            true => Ok(watch),
            false => Err(Failure::new(CFA_ERR_CANCELLED, "cancelled before it began")),
        }
    }

    /// Tells how much is done, from whatever thread, and gives whether to go on. That all is done is left for `end`: to
    /// stop would then be to undo.
    pub(super) fn tell(&self, fraction: f64) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return false;
        }
        if fraction < 1.0 && thread::current().id() == self.caller && !self.call(fraction) {
            self.stopped.store(true, Ordering::Relaxed);
            return false;
        }
        true
    }

    /// The same by counts.
    pub(super) fn count(&self, done: u64, total: u64) -> bool {
        self.tell(done as f64 / total.max(1) as f64)
    }

    /// Tells that all is done.
    pub(super) fn end(&self) {
        self.call(1.0);
    }

    fn call(&self, fraction: f64) -> bool {
        match self.progress {
            // SAFETY: the contract of the C API (module capi): a function of this type.
            Some(progress) => unsafe { progress(fraction, self.user_data) != 0 },
            None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn keep(fraction: f64, user_data: *mut c_void) -> i32 {
        // SAFETY: the test hands over its list and waits.
        let told = unsafe { &mut *user_data.cast::<Vec<f64>>() };
        told.push(fraction);
        i32::from(fraction < 0.5)
    }

    #[test]
    fn other_threads_do_not_call_and_stop_when_told() {
        let mut told: Vec<f64> = Vec::new();
        let watch = Watch::begin(Some(keep), std::ptr::from_mut(&mut told).cast()).unwrap();
        let elsewhere = |fraction| thread::scope(|s| s.spawn(|| watch.tell(fraction)).join().unwrap());
        assert!(watch.count(1, 4) && elsewhere(0.75) && watch.tell(1.0));
        assert!(!watch.count(3, 4));
        assert!(!elsewhere(0.8) && !watch.tell(0.2));
        watch.end();
        assert_eq!(told, [0.0, 0.25, 0.75, 1.0]);
    }
}
