//! Reports progress to the caller, who may stop the work.

use crate::error::Result;
use crate::threads::progress::{Listener, Progress as Counted};

/// A stage of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Waiting for another writer of the file.
    Wait,
    /// Scanning files.
    Scan,
    /// Arranging the parts.
    Arrange,
    /// Writing the file.
    Write,
}

/// The progress of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// How much of the stage is done.
    pub done: u64,
    /// The total of the stage.
    pub total: u64,
}

/// Called now and then, by any thread. Returns `false` to stop the work with the error `Cancelled`.
pub type Observer<'a> = &'a (dyn Fn(Progress) -> bool + Sync);

/// Reports to the observer, if there is one.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a>(pub Option<Observer<'a>>);

impl Watch<'_> {
    /// Does the work of a stage, which counts what is done.
    pub fn count<T>(&self, stage: Stage, total: u64, work: impl FnOnce(&Counted<'_>) -> T) -> T {
        let tell = self.0.map(|observer| move |done, total| observer(Progress { stage, done, total }));
        work(&Counted::new(tell.as_ref().map(|tell| tell as &Listener<'_>), total, "cancelled"))
    }

    /// Reports how much of a stage is done.
    ///
    /// # Errors
    /// `Cancelled` if the observer stops the work.
    pub fn report(&self, stage: Stage, done: u64, total: u64) -> Result<()> {
        self.count(stage, total, |progress| progress.advance(done))
    }
}
