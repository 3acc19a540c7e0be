//! What a second read of a fragment can reuse: its layout and the conversion of its values.
//!
//! Both are kept after the file is closed, for a bounded number of fragments. When the file is opened again, its
//! identity and state are compared; a file that changed is parsed again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::canonical::Conversion;
use crate::container::array::{Array, Layout};
use crate::container::tree::VariableId;
use crate::io::location::{FileState, Identity, Recorded};

/// The maximum number of fragments that are kept; each takes about a kilobyte.
const MOST: usize = 10_000;

/// A fragment that was read.
pub(super) struct Known {
    /// The version that was used.
    pub(super) version: usize,
    /// The identity of the file when it was read.
    pub(super) identity: Identity,
    pub(super) state: FileState,
    /// Its array.
    pub(super) array: Arc<Array>,
    /// The conversion of its values to canonical form.
    pub(super) conversion: Arc<Conversion>,
    /// The state that was recorded for its file, if its array is the recorded one.
    pub(super) recorded: Option<Recorded>,
}

/// The fragments that were read, by variable and number in the array of fragments.
#[derive(Default)]
pub(super) struct KnownFragments {
    known: Mutex<HashMap<(VariableId, u64), Arc<Known>>>,
    /// The fragments whose recorded places of chunks are not usable.
    stale: Mutex<HashSet<(VariableId, u64)>>,
}

impl KnownFragments {
    pub(super) fn get(&self, variable: VariableId, fragment: u64) -> Option<Arc<Known>> {
        let map = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&(variable, fragment)).cloned()
    }

    /// Keeps a fragment, if there is room and nothing in it holds the file open; a file on a server may stay open.
    pub(super) fn put(&self, variable: VariableId, fragment: u64, known: Known, is_remote: bool) {
        if let (Layout::Chunked { index, .. }, false) = (&known.array.layout, is_remote) {
            if !index.detach().unwrap_or(false) {
                return;
            }
        }
        let mut map = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if map.len() < MOST || map.contains_key(&(variable, fragment)) {
            map.insert((variable, fragment), Arc::new(known));
        }
    }

    /// Returns whether the recorded places of the chunks of a fragment proved unusable.
    pub(super) fn is_stale(&self, variable: VariableId, fragment: u64) -> bool {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner).contains(&(variable, fragment))
    }

    /// Forgets a fragment whose recorded places of chunks proved unusable.
    pub(super) fn mark_stale(&self, variable: VariableId, fragment: u64) {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner).insert((variable, fragment));
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(&(variable, fragment));
    }
}
