//! Makes messages safe to show: one short line, without characters that can deceive whoever reads it.
//!
//! Names, attributes and locations come from files that are not trusted, and messages end up on terminals and in logs.
//! Every error, warning, note and finding passes through here.

use std::borrow::Cow;

use crate::error::secrets::without_locations;

/// The maximum length of a message in bytes: below 4 KiB, with room for what a program adds before and after it.
pub const MOST: usize = 3500;

/// The maximum length in bytes of a name (a file, a variable) in a message.
pub const MOST_OF_NAME: usize = 600;

/// Replaces the middle of a text that is too long.
const GAP: &str = " ... ";

/// Returns whether a character controls the terminal or the order of the surrounding text instead of being visible:
/// control characters (C0, DEL, C1), ends of lines and paragraphs, marks of the direction of writing (Unicode Standard
/// Annex 9), zero-width no-break spaces within text.
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Replaces each such character with U+FFFD.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_deceptive) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_deceptive(c) { '\u{fffd}' } else { c }).collect())
}

/// Replaces such characters with escapes (`\n`, `\u{1b}`), so that different texts look different.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' | '\0' => out.extend(c.escape_debug()),
            c if is_deceptive(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Replaces such characters in JSON with JSON escapes. JSON has them within strings only, except for the ends of lines
/// between values, which stay.
pub fn escaped_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\n' => out.push(c),
            // All of them are in the Basic Multilingual Plane, where one escape is enough.
            c if is_deceptive(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// Returns the text, or its beginning and end if it is longer than `most` bytes.
pub fn short(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let room = most.saturating_sub(GAP.len());
    let mut end = room - room / 3;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut begin = text.len() - room / 3;
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    Cow::Owned(format!("{}{GAP}{}", &text[..end], &text[begin..]))
}

/// Returns a text in the form for messages: short, plain and without secrets.
pub fn line(text: &str, most: usize) -> String {
    // U+FFFD has three bytes and may replace one, so the text is shortened again.
    short(&plain(&short(&without_locations(text), most)), most).into_owned()
}

/// Joins names to a list, with at most 20 names of at most 100 bytes each.
pub fn names<'a>(list: impl IntoIterator<Item = &'a str>) -> String {
    const MOST_NAMES: usize = 20;
    const MOST_OF_EACH: usize = 100;
    let mut list = list.into_iter();
    let mut shown: Vec<Cow<'_, str>> =
        list.by_ref().take(MOST_NAMES).map(|name| short(name, MOST_OF_EACH)).collect();
    if list.next().is_some() {
        shown.push(Cow::Borrowed("..."));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_that_act_are_shown_as_signs_or_escapes() {
        let text = "a\u{1b}[31m\u{7f}\u{9b}\u{202e}\n\u{2028}é🌍";
        assert_eq!(plain(text), "a\u{fffd}[31m\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}é🌍");
        assert_eq!(escaped(text), "a\\u{1b}[31m\\u{7f}\\u{9b}\\u{202e}\\n\\u{2028}é🌍");
        let json = serde_json::json!({ "key\u{9b}": text }).to_string();
        let safe = escaped_json(&json);
        assert!(!safe.contains(is_deceptive), "{safe}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap()["key\u{9b}"], text);
    }

    #[test]
    fn lists_of_names_end() {
        assert_eq!(names(["a", "b"]), "a, b");
        let many: Vec<String> = (0..10_000).map(|n| format!("{n}{}", "x".repeat(5000))).collect();
        let shown = names(many.iter().map(String::as_str));
        assert!(shown.len() < 2200 && shown.ends_with(", ..."), "{shown}");
    }

    proptest! {
        #[test]
        fn a_line_is_short_and_keeps_both_ends(text in any::<String>(), times in 1usize..50, most in 20usize..400) {
            let text = text.repeat(times);
            let line = line(&text, most);
            prop_assert!(line.len() <= most && !line.contains(is_deceptive));
            if text.len() <= most && !text.contains(is_deceptive) && !text.contains(['@', '?']) {
                prop_assert_eq!(line, text);
            }
        }
    }
}
