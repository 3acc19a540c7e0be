//! Telling the caller how far the work is, and being told to stop.

use crate::error::Result;
use crate::threads::progress::{Listener, Progress as Counted};

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Another writer of the file is waited for.
    Wait,
    /// Files are looked at.
    Scan,
    /// The parts are put in order.
    Arrange,
    /// The file is written.
    Write,
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// How much of it is done.
    pub done: u64,
    /// How much there is.
    pub total: u64,
}

/// Called now and then, by any thread; `false` stops the work with the error `Cancelled`.
pub type Observer<'a> = &'a (dyn Fn(Progress) -> bool + Sync);

/// Reports to whoever watches, if anybody.
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
    /// `Cancelled` when the caller says so.
    pub fn report(&self, stage: Stage, done: u64, total: u64) -> Result<()> {
        self.count(stage, total, |progress| progress.advance(done))
    }
}
