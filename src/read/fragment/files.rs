//! The fragment files that are open, shared by all reads of an aggregation file and bounded in number.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use super::Host;
use crate::cache::Cache;
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

    /// The file as netCDF.
    pub(crate) fn container(&self) -> Result<&Arc<Container>> {
        self.container.get_or_try_init(|| {
            let source: Arc<File> = Arc::clone(&self.source);
            Container::open(source).map(Arc::new)
        })
    }

    /// The file as an aggregation file of its own, for a fragment of `host` that is itself an aggregation variable.
    pub(crate) fn nested(&self, host: &dyn Host) -> Result<&Arc<dyn Host>> {
        self.nested.get_or_try_init(|| host.open_nested(self))
    }
}

/// Open files by location, the least recently used one closed first.
pub(crate) struct Files(Mutex<Cache<Key, Arc<OpenFile>>>);

/// The number of the aggregation file that names a file, and the name. Its own name would not do: two files on a server may
/// differ in what is not shown.
type Key = (u64, String);

impl Files {
    pub(crate) fn new(options: &OpenOptions) -> Self {
        Files(Mutex::new(Cache::new(options.max_open_files.max(1) as u64)))
    }

    fn lock(&self) -> MutexGuard<'_, Cache<Key, Arc<OpenFile>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file under this key, if it is open.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<OpenFile>> {
        self.lock().get(key).map(Arc::clone)
    }

    /// Keeps a file under this key; readers that still hold a file that is dropped here keep it open.
    pub(crate) fn put(&self, key: Key, file: &Arc<OpenFile>) {
        let mut closed = None;
        let replaced = self.lock().put(key, Arc::clone(file), 1, |file| closed = Some(file));
        // Closing a file is no work to do under a lock.
        drop((closed, replaced));
    }
}
