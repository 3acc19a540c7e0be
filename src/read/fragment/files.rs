//! The open fragment files, shared by all reads of an aggregation file and bounded in number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use super::Host;
use crate::container::Container;
use crate::error::Result;
use crate::io::location::{File, Identity, Origin};
use crate::options::OpenOptions;

/// An open fragment file.
pub(crate) struct OpenFile {
    pub(crate) source: Arc<File>,
    pub(crate) origin: Origin,
    container: OnceCell<Arc<Container>>,
    nested: OnceCell<Arc<dyn Host>>,
}

impl OpenFile {
    pub(crate) fn new(source: File, origin: Origin) -> Self {
        let (container, nested) = (OnceCell::new(), OnceCell::new());
        OpenFile { source: Arc::new(source), origin, container, nested }
    }

    pub(crate) fn identity(&self) -> Identity {
        self.source.identity()
    }

    /// Returns the file as netCDF.
    pub(crate) fn container(&self) -> Result<&Arc<Container>> {
        self.container.get_or_try_init(|| {
            let source: Arc<File> = Arc::clone(&self.source);
            Container::open(source).map(Arc::new)
        })
    }

    /// Returns the file as an aggregation file of its own, for a fragment of `host` that is itself an aggregation
    /// variable.
    pub(crate) fn nested(&self, host: &dyn Host) -> Result<&Arc<dyn Host>> {
        self.nested.get_or_try_init(|| host.open_nested(self))
    }
}

/// Open files by location. The least recently used one is closed first.
pub(crate) struct Files {
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    clock: u64,
    open: HashMap<Key, (u64, Arc<OpenFile>)>,
}

/// The number of the aggregation file that names a file, and the location. The name of the open file would not be
/// unique: two files on a server may differ only in parts that names do not show.
type Key = (u64, String);

impl Files {
    pub(crate) fn new(options: &OpenOptions) -> Self {
        Files { capacity: options.max_open_files.max(1), state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the file under this key, if it is open.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<OpenFile>> {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        let (used, file) = state.open.get_mut(key)?;
        *used = now;
        Some(Arc::clone(file))
    }

    /// Keeps a file under this key. If a file is dropped here, readers that still use it keep it open.
    pub(crate) fn put(&self, key: Key, file: &Arc<OpenFile>) {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        let mut closed = None;
        if state.open.len() >= self.capacity && !state.open.contains_key(&key) {
            let oldest = state.open.iter().min_by_key(|(_, (used, _))| *used).map(|(k, _)| k.clone());
            closed = oldest.and_then(|oldest| state.open.remove(&oldest));
        }
        state.open.insert(key, (now, Arc::clone(file)));
        drop(state);
        // The file is closed after the lock is released.
        drop(closed);
    }
}
