//! Where the elements of expanded fragments are stored, kept for the next read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::form::Form;
use super::places::Places;
use crate::cache::Cache;
use crate::container::Container;

/// Bytes that are kept, unless one fragment takes more.
const MOST: u64 = 32 << 20;

/// The expansions of the last fragments, by file and form.
pub(crate) struct Expansions(Mutex<Cache<Key, Entry>>);

/// The address of an open file and the form.
type Key = (usize, Form);

struct Entry {
    /// Not held open, and another one when the file is opened again: no other file has its address meanwhile.
    file: Weak<Container>,
    places: Arc<Places>,
}

impl Default for Expansions {
    fn default() -> Self {
        Expansions(Mutex::new(Cache::new(MOST)))
    }
}

impl Expansions {
    fn lock(&self) -> MutexGuard<'_, Cache<Key, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn get(&self, file: &Arc<Container>, form: &Form) -> Option<Arc<Places>> {
        self.lock().get(&key(file, form)).map(|entry| Arc::clone(&entry.places))
    }

    /// Keeps an expansion; those used least recently go, and those of files that are closed.
    pub(super) fn put(&self, file: &Arc<Container>, form: &Form, places: &Arc<Places>) {
        let entry = Entry { file: Arc::downgrade(file), places: Arc::clone(places) };
        let mut kept = self.lock();
        kept.retain(|entry| entry.file.strong_count() > 0);
        kept.put(key(file, form), entry, places.bytes() as u64, drop);
    }
}

fn key(file: &Arc<Container>, form: &Form) -> Key {
    (Arc::as_ptr(file) as usize, form.clone())
}
