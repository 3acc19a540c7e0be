//! The open fragment files, shared by all reads of an aggregation file and bounded in number and in what is kept of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use super::Host;
use crate::cache::Cache;
use crate::container::Container;
use crate::error::Result;
use crate::io::location::{File, Found, Identity, Place, Recorded};
use crate::io::source::Source;
use crate::options::OpenOptions;

/// An open fragment file.
pub(crate) struct OpenFile {
    pub(crate) source: Arc<File>,
    /// Where it was found: what it names, if it is an aggregation file itself, may be relative to these.
    pub(crate) places: Vec<Place>,
    container: OnceCell<Arc<Container>>,
    nested: OnceCell<Arc<dyn Host>>,
    /// What is kept of all fragment files.
    total: Arc<AtomicU64>,
}

impl OpenFile {
    pub(crate) fn new(found: Found, files: &Files) -> Self {
        let (source, places) = (Arc::new(found.file), found.places);
        let (container, nested) = (OnceCell::new(), OnceCell::new());
        OpenFile { source, places, container, nested, total: Arc::clone(&files.total) }
    }

    pub(crate) fn identity(&self) -> Identity {
        self.source.identity()
    }

    /// Returns the file as netCDF.
    pub(crate) fn container(&self) -> Result<&Arc<Container>> {
        self.container.get_or_try_init(|| {
            let source: Arc<File> = Arc::clone(&self.source);
            let container = Container::open(source)?;
            container.allowance().share(&self.total);
            Ok(Arc::new(container))
        })
    }

    /// Whether the library keeps much of the file while nothing uses it.
    fn is_burden(self: &Arc<Self>) -> bool {
        let much = |container: &Arc<Container>| container.allowance().kept() > MUCH;
        Arc::strong_count(self) == 1 && self.container.get().is_some_and(much)
    }

    /// Returns the file as an aggregation file of its own, for a fragment of `host` that is itself an aggregation
    /// variable.
    pub(crate) fn nested(&self, host: &dyn Host) -> Result<&Arc<dyn Host>> {
        self.nested.get_or_try_init(|| host.open_nested(self))
    }
}

/// The number of bytes that are kept of all fragment files before the largest are closed. A file may make the library
/// keep more than its own length (`container::allowance`), and there may be many.
const MOST: u64 = 32 << 20;
/// A file of which more bytes are kept is one of the largest.
const MUCH: u64 = 256 << 10;
/// How many files on servers take the place of one that needs a descriptor.
const REMOTE: u64 = 100;

/// Open files by location, the least recently used one closed first.
pub(crate) struct Files {
    open: Mutex<Cache<Key, Arc<OpenFile>>>,
    /// The number of bytes that are kept of them.
    total: Arc<AtomicU64>,
}

/// The number of the aggregation file that names a file, and the location. The name of the open file would not be
/// unique: two files on a server may differ only in parts that names do not show. A file on a server that was not
/// opened, since its state was recorded, has that state in its key: it is not known where its address leads.
type Key = (u64, String, Option<Recorded>);

impl Files {
    pub(crate) fn new(options: &OpenOptions) -> Self {
        let open = Mutex::new(Cache::new((options.max_open_files.max(1) as u64).saturating_mul(REMOTE)));
        Files { open, total: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Cache<Key, Arc<OpenFile>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the file under this key, if it is open.
    pub(crate) fn get(&self, key: &Key) -> Option<Arc<OpenFile>> {
        self.lock().get(key).map(Arc::clone)
    }

    /// Keeps a file under this key. If a file is dropped here, readers that still use it keep it open.
    pub(crate) fn put(&self, key: Key, file: &Arc<OpenFile>) {
        if self.total.load(Ordering::Relaxed) > MOST {
            self.lock().retain(|file| !file.is_burden());
        }
        let mut closed = Vec::new();
        let weight = if file.source.is_remote() { 1 } else { REMOTE };
        let replaced = self.lock().put(key, Arc::clone(file), weight, |file| closed.push(file));
        // Closing a file is no work to do under a lock.
        drop((closed, replaced));
    }
}
