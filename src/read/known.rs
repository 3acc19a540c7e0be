//! What a second read of a fragment can reuse: its layout and the conversion of its values.
//!
//! It is kept after the file is closed, in bounded number. When the file is opened again, its identity and state are
//! compared; a file that changed is read anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::canonical::Conversion;
use crate::container::array::{Array, Layout};
use crate::container::tree::VariableId;
use crate::io::location::{FileState, Identity};

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
}

/// The fragments that were read, by variable and number in the array of fragments.
#[derive(Default)]
pub(super) struct KnownFragments(Mutex<HashMap<(VariableId, u64), Arc<Known>>>);

impl KnownFragments {
    pub(super) fn get(&self, variable: VariableId, fragment: u64) -> Option<Arc<Known>> {
        let map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        map.get(&(variable, fragment)).cloned()
    }

    /// Keeps a fragment, if there is room and nothing in it holds the file open; a file on a server may stay open.
    pub(super) fn put(&self, variable: VariableId, fragment: u64, known: Known, is_remote: bool) {
        if let (Layout::Chunked { index, .. }, false) = (&known.array.layout, is_remote) {
            if !index.detach().unwrap_or(false) {
                return;
            }
        }
        let mut map = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if map.len() < MOST || map.contains_key(&(variable, fragment)) {
            map.insert((variable, fragment), Arc::new(known));
        }
    }
}
