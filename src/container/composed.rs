//! Names in the composed form of Unicode (NFC), in which netCDF stores and compares them.

use std::borrow::Cow;

use unicode_normalization::{is_nfc, UnicodeNormalization};

/// Returns the composed form of a name.
pub(crate) fn composed(name: &str) -> Cow<'_, str> {
    if name.is_ascii() || is_nfc(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.nfc().collect())
    }
}

/// Returns whether two names have the same composed form.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    // Some letters beyond ASCII, such as the kelvin sign, have a composed form within ASCII.
    one == other || !(one.is_ascii() && other.is_ascii()) && composed(one) == composed(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_when_composed() {
        assert_eq!(composed("e\u{301}te\u{301}"), "été");
        assert!(matches!(composed("été"), Cow::Borrowed("été")));
        assert!(is_same("e\u{301}", "é") && is_same("é", "e\u{301}") && is_same("\u{212a}", "K"));
        assert!(!is_same("e", "é") && !is_same("e", "f"));
    }
}
