//! Which versions of fragments do not serve, as a read finds out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Kind};

/// A version that does not serve, and why.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Its number among the versions of the fragment.
    pub(crate) version: usize,
    pub(crate) error: Error,
}

/// Whether an error is about the version of a fragment, so that another one may serve.
///
/// A policy is not: what may not be opened is to be noticed. Nor are a cancel, what was asked for, and an aggregation that
/// is a fragment of itself.
pub(crate) fn is_of_version(error: &Error) -> bool {
    !matches!(
        error.kind(),
        Kind::Policy | Kind::Cancelled | Kind::Request | Kind::Type | Kind::Cycle | Kind::Internal
    )
}

/// The versions whose data could not be read, by the number of the fragment in the array of fragments.
///
/// Kept for one read: the next one tries again.
#[derive(Default)]
pub(crate) struct Failures(Mutex<HashMap<u64, Vec<Failure>>>);

impl Failures {
    /// Those of a fragment, in no order.
    pub(crate) fn of(&self, fragment: u64) -> Vec<Failure> {
        let map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&fragment).cloned().unwrap_or_default()
    }

    /// Whether a version is among them.
    pub(crate) fn has(&self, fragment: u64, version: usize) -> bool {
        let map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&fragment).is_some_and(|list| list.iter().any(|failure| failure.version == version))
    }

    /// Adds a version; what is known of it already stays.
    pub(crate) fn add(&self, fragment: u64, failure: Failure) {
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = map.entry(fragment).or_default();
        if !list.iter().any(|known| known.version == failure.version) {
            list.push(failure);
        }
    }
}
