//! The caller's progress function.

use std::ffi::c_void;

use super::boundary::{Answer, Failure};
use super::read::cfa_progress_callback;
use super::status::CFA_ERR_CANCELLED;

/// Calls the caller's progress function with the fraction that is done.
pub(super) struct Watch {
    progress: cfa_progress_callback,
    user_data: *mut c_void,
}

// SAFETY: the engine calls listeners only in the thread that asked for the work.
unsafe impl Sync for Watch {}

impl Watch {
    pub(super) fn new(progress: cfa_progress_callback, user_data: *mut c_void) -> Watch {
        Watch { progress, user_data }
    }

    /// Reports that the work begins.
    pub(super) fn begin(progress: cfa_progress_callback, user_data: *mut c_void) -> Answer<Watch> {
        let watch = Watch::new(progress, user_data);
        match watch.report(0, 1) {
            true => Ok(watch),
            false => Err(Failure::new(CFA_ERR_CANCELLED, "cancelled before it began")),
        }
    }

    /// Reports how much is done, and returns whether to continue.
    pub(super) fn report(&self, done: u64, total: u64) -> bool {
        match self.progress {
            // SAFETY: the contract of the C API (module capi): a function of this type.
            Some(progress) => unsafe { progress(done as f64 / total.max(1) as f64, self.user_data) != 0 },
            None => true,
        }
    }

    /// Does the same for work that writes, except that its end is left to `end`: stopping it then would mean undoing it.
    pub(super) fn report_part(&self, done: u64, total: u64) -> bool {
        (total > 0 && done >= total) || self.report(done, total)
    }

    /// Reports that everything is done.
    pub(super) fn end(&self) {
        self.report(1, 1);
    }
}
