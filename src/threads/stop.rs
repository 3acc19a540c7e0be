//! Tells a thread whether its work was stopped. A thread that waits, for a server or for its turn, checks now and then.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Error, Kind, Result};

/// The interval at which a waiting thread checks whether to stop. Cancelling takes effect within a few intervals.
pub(crate) const GLANCE: Duration = Duration::from_millis(40);

/// A flag that all threads of one piece of work share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// Returns the flag of the work that this thread does, if it can be stopped.
pub(crate) fn current() -> Option<Stop> {
    CURRENT.with_borrow(Clone::clone)
}

/// Checks whether the work of this thread was stopped.
///
/// # Errors
/// `Cancelled`.
pub(crate) fn check() -> Result<()> {
    match CURRENT.with_borrow(|stop| stop.as_ref().is_some_and(Stop::is_set)) {
        true => Err(Error::new(Kind::Cancelled, "cancelled")),
        false => Ok(()),
    }
}

/// Runs `work` as a part of the work that this flag stops. Without a flag, the flag of this thread stays as it is.
pub(crate) fn within<T>(stop: Option<Stop>, work: impl FnOnce() -> T) -> T {
    let Some(stop) = stop else { return work() };
    /// Puts the former flag back, also after a panic.
    struct Former(Option<Stop>);
    impl Drop for Former {
        fn drop(&mut self) {
            CURRENT.set(self.0.take());
        }
    }
    let _former = Former(CURRENT.replace(Some(stop)));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_sees_the_stop_of_its_own_work_alone() {
        let (outer, inner) = (Stop::default(), Stop::default());
        check().unwrap();
        within(Some(outer.clone()), || {
            within(Some(inner.clone()), || {
                outer.set();
                check().unwrap();
                inner.set();
                assert_eq!(check().unwrap_err().kind(), Kind::Cancelled);
            });
            assert!(check().is_err());
            within(None, || assert!(check().is_err()));
        });
        check().unwrap();
    }
}
