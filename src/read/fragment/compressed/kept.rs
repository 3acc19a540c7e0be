//! Keeps where the elements of expanded fragments are stored, for later reads.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::form::Form;
use super::places::Places;
use crate::container::Container;

/// The maximum number of bytes that are kept, unless one fragment takes more.
const MOST: usize = 32 << 20;

/// The expansions of the last fragments, by file and form.
#[derive(Default)]
pub(crate) struct Expansions(Mutex<Vec<Entry>>);

struct Entry {
    /// Does not hold the file open. When the file is opened again, this is another container.
    file: Weak<Container>,
    form: Form,
    places: Arc<Places>,
}

impl Entry {
    fn is(&self, file: &Arc<Container>, form: &Form) -> bool {
        std::ptr::eq(self.file.as_ptr(), Arc::as_ptr(file)) && self.form == *form
    }
}

impl Expansions {
    pub(super) fn get(&self, file: &Arc<Container>, form: &Form) -> Option<Arc<Places>> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = list.iter().position(|entry| entry.is(file, form))?;
        let entry = list.remove(at);
        let places = Arc::clone(&entry.places);
        list.push(entry);
        Some(places)
    }

    /// Keeps an expansion. Drops those of closed files, and the least recently used.
    pub(super) fn put(&self, file: &Arc<Container>, form: &Form, places: &Arc<Places>) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|entry| entry.file.strong_count() > 0 && !entry.is(file, form));
        let mut bytes = places.bytes();
        let fit = list.iter().rev().take_while(|entry| {
            bytes = bytes.saturating_add(entry.places.bytes());
            bytes <= MOST
        });
        let dropped = list.len() - fit.count();
        list.drain(..dropped);
        let (file, form, places) = (Arc::downgrade(file), form.clone(), Arc::clone(places));
        list.push(Entry { file, form, places });
    }
}
