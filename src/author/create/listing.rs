//! Writes lists into messages, long enough to act on and short enough to read.

/// The maximum number of entries of a list.
const MOST: usize = 10;

/// The maximum number of bytes of a list, unless its first entry is longer.
const MOST_BYTES: usize = 2000;

/// The maximum number of characters of a text from a file.
const MOST_CHARACTERS: usize = 60;

/// Returns the entries, separated by semicolons; if there are too many, the first ones and the number of the others.
pub(super) fn listed(entries: impl IntoIterator<Item = String>, total: u128) -> String {
    let mut text = String::new();
    let mut shown = 0;
    for entry in entries.into_iter().take(MOST) {
        if shown > 0 && text.len() + entry.len() > MOST_BYTES {
            break;
        }
        text.push_str(if shown > 0 { "; " } else { "" });
        text.push_str(&entry);
        shown += 1;
    }
    match total.saturating_sub(shown) {
        0 => text,
        more => format!("{text}; and {more} more"),
    }
}

/// Returns a text from a file, shortened if it is too long for a message.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(short("Århus"), "Århus");
        assert_eq!(short(&"Å".repeat(100)), format!("{}...", "Å".repeat(60)));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let entries = |n: usize| (0..n).map(|i| i.to_string());
        assert_eq!(listed(entries(2), 2), "0; 1");
        assert_eq!(listed(entries(12), 12), "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; and 2 more");
        assert_eq!(listed(entries(3), 1_000_000), "0; 1; 2; and 999997 more");
        let long = listed((0..9).map(|_| "x".repeat(900)), 9);
        assert!(long.len() < 2100 && long.ends_with("; and 7 more"), "{}", long.len());
    }
}
