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
pub(crate) struct Prepared {
    /// The version that was used.
    pub(crate) version: usize,
    /// The file as it was.
    pub(crate) identity: Identity,
    pub(crate) state: FileState,
    /// Its array.
    pub(crate) array: Arc<Array>,
    /// How its values become canonical.
    pub(crate) conversion: Arc<Conversion>,
}

/// The fragments that were read, by variable and number in the array of fragments.
#[derive(Default)]
pub(crate) struct PreparedFragments(Mutex<HashMap<(VariableId, u64), Arc<Prepared>>>);

impl PreparedFragments {
    pub(crate) fn get(&self, variable: VariableId, fragment: u64) -> Option<Arc<Prepared>> {
        let map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&(variable, fragment)).cloned()
    }

    /// Keeps a fragment, if there is room and nothing in it holds the file open.
    pub(crate) fn put(&self, variable: VariableId, fragment: u64, prepared: Prepared) {
        if let Layout::Chunked { index, .. } = &prepared.array.layout {
            if index.detach().is_err() {
                return;
            }
        }
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if map.len() < MOST || map.contains_key(&(variable, fragment)) {
            map.insert((variable, fragment), Arc::new(prepared));
        }
    }
}
