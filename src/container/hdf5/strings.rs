//! Strings: fixed fields, and references into global heaps.

use super::store::{damaged, Store};
use crate::container::array::{Array, Element};
use crate::error::{Error, Kind, Result};
use crate::value::text_of;

/// The text of a fixed field: up to the first NUL, without trailing blanks where they are padding.
pub(super) fn fixed(field: &[u8], blank_padded: bool) -> String {
    let mut text = text_of(field);
    if blank_padded {
        text.truncate(text.trim_end_matches(' ').len());
    }
    text
}

/// The strings of stored elements, one after the other in `fields`.
pub(super) fn decode(store: &Store, array: &Array, fields: &[u8]) -> Result<Vec<String>> {
    let size = array.element.size();
    if size == 0 || !fields.len().is_multiple_of(size) {
        return Err(damaged("string fields of odd length"));
    }
    let fields = fields.chunks_exact(size);
    match array.element {
        Element::FixedString { blank_padded, .. } => {
            Ok(fields.map(|field| fixed(field, blank_padded)).collect())
        }
        Element::HeapString { .. } => fields.map(|field| Ok(text_of(&store.heap_bytes(field, 1)?))).collect(),
        Element::Number { .. } | Element::Narrow(_) => Err(Error::new(Kind::Request, "not string data")),
    }
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
