//! Strings: fixed fields, and references into global heaps.

use std::slice::ChunksExact;

use super::global_heap;
use super::store::{damaged, Store};
use crate::container::array::{Array, Element};
use crate::error::{Error, Kind, Result};
use crate::value::text_of;

/// Returns the text of a fixed field: up to the first NUL, without trailing blanks if they are padding.
pub(super) fn fixed(field: &[u8], blank_padded: bool) -> String {
    let mut text = text_of(field);
    if blank_padded {
        text.truncate(text.trim_end_matches(' ').len());
    }
    text
}

/// Returns the strings of stored elements, one after the other in `fields`.
pub(super) fn decode(store: &Store, array: &Array, fields: &[u8]) -> Result<Vec<String>> {
    let size = array.element.size();
    if size == 0 || fields.len() % size != 0 {
        return Err(damaged("string fields of odd length"));
    }
    let fields = fields.chunks_exact(size);
    match array.element {
        Element::FixedString { blank_padded, .. } => {
            Ok(fields.map(|field| fixed(field, blank_padded)).collect())
        }
        Element::HeapString { .. } => heap_texts(store, fields),
        Element::Number { .. } | Element::Narrow(_) => Err(Error::new(Kind::Request, "not string data")),
    }
}

/// Returns the texts that references name.
pub(super) fn heap_texts(store: &Store, references: ChunksExact<'_, u8>) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    let no_memory = |_| Error::new(Kind::Limit, "no memory for a list of strings");
    texts.try_reserve_exact(references.len()).map_err(no_memory)?;
    texts.resize(references.len(), String::new());
    global_heap::each(store, references, 1, |position, bytes| {
        texts[position] = text_of(bytes);
        Ok(())
    })?;
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_padding_only_in_blank_padded_fields() {
        assert_eq!(fixed(b"ab  ", true), "ab");
        assert_eq!(fixed(b"ab  ", false), "ab  ");
        assert_eq!(fixed(b"ab\0x", false), "ab");
        assert_eq!(fixed(b"    ", true), "");
    }
}
