//! Remembers which versions of fragments proved unusable during a read.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Kind};

/// A version that is unusable, and why.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Its number among the versions of the fragment.
    pub(crate) version: usize,
    pub(crate) error: Error,
}

/// Returns whether an error is about the version of a fragment, so that another one may be usable.
///
/// A policy is not: users must notice what may not be opened. Neither are a cancellation, an invalid request, and an
/// aggregation that is a fragment of itself.
pub(crate) fn is_of_version(error: &Error) -> bool {
    !matches!(
        error.kind(),
        Kind::Policy | Kind::Cancelled | Kind::Request | Kind::Type | Kind::Cycle | Kind::Internal
    )
}

/// The versions whose data could not be read, by the number of the fragment in the array of fragments.
///
/// They are kept for one read; the next one tries again.
#[derive(Default)]
pub(crate) struct Failures(Mutex<HashMap<u64, Vec<Failure>>>);

impl Failures {
    /// Returns those of a fragment, in no order.
    pub(crate) fn of(&self, fragment: u64) -> Vec<Failure> {
        let map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&fragment).cloned().unwrap_or_default()
    }

    /// Returns whether a version is among them.
    pub(crate) fn has(&self, fragment: u64, version: usize) -> bool {
        let map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&fragment).is_some_and(|list| list.iter().any(|failure| failure.version == version))
    }

    /// Adds a version, unless it was added before.
    pub(crate) fn add(&self, fragment: u64, failure: Failure) {
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = map.entry(fragment).or_default();
        if !list.iter().any(|known| known.version == failure.version) {
            list.push(failure);
        }
    }
}
