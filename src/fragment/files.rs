//! The fragment files that are open, shared by all reads of a dataset and bounded in number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use once_cell::sync::OnceCell;

use crate::container::Container;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::location::{FileIdentity, Origin};
use crate::options::OpenOptions;

/// An open fragment file.
pub(crate) struct OpenFile {
    pub(crate) container: Arc<Container>,
    pub(crate) identity: FileIdentity,
    pub(crate) origin: Origin,
    dataset: OnceCell<Dataset>,
}

impl OpenFile {
    pub(crate) fn new(container: Arc<Container>, identity: FileIdentity, origin: Origin) -> Self {
        OpenFile { container, identity, origin, dataset: OnceCell::new() }
    }

    /// The file as a dataset of its own, for a fragment that is itself an aggregation variable.
    pub(crate) fn dataset(&self, options: &OpenOptions) -> Result<&Dataset> {
        self.dataset.get_or_try_init(|| {
            Dataset::from_container(
                Arc::clone(&self.container),
                self.identity.clone(),
                self.origin.clone(),
                options,
            )
        })
    }
}

/// Open files by location, the least recently used one closed first.
pub(crate) struct Files {
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    clock: u64,
    open: HashMap<String, (u64, Arc<OpenFile>)>,
}

impl Files {
    pub(crate) fn new(options: &OpenOptions) -> Self {
        Files { capacity: options.max_open_files.max(1), state: Mutex::default() }
    }

    /// The file under this key, if it is open.
    pub(crate) fn get(&self, key: &str) -> Option<Arc<OpenFile>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let now = state.clock;
        let (used, file) = state.open.get_mut(key)?;
        *used = now;
        Some(Arc::clone(file))
    }

    /// Keeps a file under this key; readers that still hold a file that is dropped here keep it open.
    pub(crate) fn put(&self, key: &str, file: &Arc<OpenFile>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.clock += 1;
        let now = state.clock;
        if state.open.len() >= self.capacity && !state.open.contains_key(key) {
            let oldest = state.open.iter().min_by_key(|(_, (used, _))| *used).map(|(k, _)| k.clone());
            if let Some(oldest) = oldest {
                state.open.remove(&oldest);
            }
        }
        state.open.insert(key.to_owned(), (now, Arc::clone(file)));
    }
}
