//! What a second read of a fragment need not find out again: its layout and how its values are converted.
//!
//! Kept after the file is closed, in bounded number. The file is compared with what it was; one that changed is read
//! anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::canonical::Conversion;
use crate::container::array::{Array, Layout};
use crate::container::tree::VariableId;
use crate::io::location::{FileState, Identity};

/// Fragments that are kept; each takes about a kilobyte.
const MOST: usize = 10_000;

/// A fragment that was read.
pub(super) struct Known {
    /// The version that was used.
    pub(super) version: usize,
    /// The file as it was.
    pub(super) identity: Identity,
    pub(super) state: FileState,
    /// Its array.
    pub(super) array: Arc<Array>,
    /// How its values become canonical.
    pub(super) conversion: Arc<Conversion>,
}

/// The fragments that were read, by variable and number in the array of fragments.
#[derive(Default)]
pub(super) struct KnownFragments(Mutex<HashMap<(VariableId, u64), Arc<Known>>>);

impl KnownFragments {
    pub(super) fn get(&self, variable: VariableId, fragment: u64) -> Option<Arc<Known>> {
        let map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&(variable, fragment)).cloned()
    }

    /// Keeps a fragment, if there is room and nothing in it holds the file open.
    pub(super) fn put(&self, variable: VariableId, fragment: u64, known: Known) {
        if let Layout::Chunked { index, .. } = &known.array.layout {
            if index.detach().is_err() {
                return;
            }
        }
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if map.len() < MOST || map.contains_key(&(variable, fragment)) {
            map.insert((variable, fragment), Arc::new(known));
        }
    }
}
