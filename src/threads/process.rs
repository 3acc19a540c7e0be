//! Values that each process has for itself: a process made by `fork` does not continue with those of its parent.

use std::sync::atomic::{AtomicPtr, Ordering};

/// A value that is made on first use in a process and lasts until the process ends.
///
/// After a fork the parent's value is left as it is, never dropped: a lock in it may be held forever, and its threads
/// and connections are the parent's.
pub(crate) struct PerProcess<T>(AtomicPtr<Owned<T>>);

struct Owned<T> {
    process: u32,
    value: T,
}

impl<T: Send + Sync> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        PerProcess(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Returns the value of this process.
    pub(crate) fn get(&'static self, make: impl Fn() -> T) -> &'static T {
        let process = std::process::id();
        let mut known = self.0.load(Ordering::Acquire);
        loop {
            // SAFETY: the pointer is null or comes from `Box::into_raw` below and is never freed once published.
            if let Some(owned) = unsafe { known.as_ref() }.filter(|owned| owned.process == process) {
                return &owned.value;
            }
            let made = Box::into_raw(Box::new(Owned { process, value: make() }));
            match self.0.compare_exchange(known, made, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: a published value is never freed.
                Ok(_) => return unsafe { &(*made).value },
                Err(other) => {
                    // SAFETY: `made` was not published, so this is its only owner.
                    drop(unsafe { Box::from_raw(made) });
                    known = other;
                }
            }
        }
    }
}
