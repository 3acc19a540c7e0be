//! The texts of selections: `DIM=ITEM,ITEM..` and `DIM~VALUE,VALUE..`.
//!
//! An item is `VALUE` or `VALUE..VALUE`; either end of a range may be left out. In double quotes, commas and dots are
//! characters of a value; a quote is doubled there.

use super::{request, Choice};
use crate::error::Result;

/// A parsed text: the dimension, the choices, and all that follows `=` as one choice, since labels may have commas.
pub(super) struct Wanted<'a> {
    pub name: &'a str,
    pub choices: Vec<Choice>,
    pub as_one: Option<Choice>,
}

/// Parses a text. `is_dimension` recognises a name, since a name may contain `=` or `~`.
pub(super) fn parse(text: &str, is_dimension: impl Fn(&str) -> bool) -> Result<Wanted<'_>> {
    let signs = || text.char_indices().filter(|(_, c)| matches!(c, '=' | '~'));
    let Some((at, sign)) = signs().find(|(at, _)| is_dimension(&text[..*at])).or_else(|| signs().next())
    else {
        let message = format!("'{text}': expected DIM=VALUE, DIM=VALUE..VALUE or DIM~VALUE (the nearest)");
        return Err(request(message));
    };
    let (name, wanted) = (&text[..at], &text[at + 1..]);
    let items =
        split(wanted, ",").ok_or_else(|| request(format!("'{text}': a double quote is not closed")))?;
    let several = items.len() > 1;
    let mut choices = Vec::with_capacity(items.len());
    for item in items {
        if several && item.trim().is_empty() {
            return Err(request(format!("'{text}': nothing is between two commas, or after the last one")));
        }
        let none = || request(format!("'{text}': no value after '{sign}'"));
        choices.push(match sign {
            // An empty value is a mistake, such as a variable of the shell that is not set. The whole is `..`.
            '=' if item.trim().is_empty() => return Err(none()),
            '=' => range(item),
            _ => Choice::Nearest(plain(item).ok_or_else(none)?),
        });
    }
    let as_one = (sign == '=' && several && !wanted.contains('"')).then(|| range(wanted));
    Ok(Wanted { name, choices, as_one })
}

fn range(item: &str) -> Choice {
    match split(item, "..").filter(|ends| ends.len() > 1) {
        Some(ends) => Choice::Between(plain(ends[0]), plain(&item[ends[0].len() + 2..])),
        None => Choice::Between(plain(item), plain(item)),
    }
}

/// Splits a text where this mark is outside of quotes; `None` if a quote is not closed. A quote opens at the beginning
/// of a value only: elsewhere it is a character of a label, or the sign of inches.
fn split<'a>(text: &'a str, mark: &str) -> Option<Vec<&'a str>> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    let (mut quoted, mut closed) = (false, None);
    while let Some(c) = text[at..].chars().next() {
        let opens = |before: &str| {
            let before = before.trim_end();
            before.is_empty() || before.ends_with("..")
        };
        if !quoted && text[at..].starts_with(mark) {
            parts.push(&text[start..at]);
            at += mark.len();
            start = at;
            continue;
        }
        if c == '"' && quoted {
            (quoted, closed) = (false, Some(at + 1));
        } else if c == '"' {
            // A doubled quote closes and opens again.
            quoted = closed == Some(at) || opens(&text[start..at]);
        }
        at += c.len_utf8();
    }
    parts.push(&text[start..]);
    (!quoted).then_some(parts)
}

/// Returns a value without blanks and quotes around it, if anything is written.
fn plain(text: &str) -> Option<String> {
    let text = text.trim();
    match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => Some(inside.replace("\"\"", "\"")),
        None => Some(text.to_owned()).filter(|text| !text.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Vec<Choice>) {
        let wanted = parse(text, |name| matches!(name, "x" | "a~b")).unwrap();
        (wanted.name.to_owned(), wanted.choices)
    }

    fn between(from: &str, to: &str) -> Choice {
        let end = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Choice::Between(end(from), end(to))
    }

    #[test]
    fn texts_are_cut_at_the_first_sign_and_dots() {
        assert_eq!(parsed("x=1"), ("x".into(), vec![between("1", "1")]));
        assert_eq!(parsed("x= 1 .. "), ("x".into(), vec![between("1", "")]));
        assert_eq!(parsed("x=.."), ("x".into(), vec![between("", "")]));
        assert_eq!(parsed("x=a=b..c..d"), ("x".into(), vec![between("a=b", "c..d")]));
        assert_eq!(parsed("x~-1.5"), ("x".into(), vec![Choice::Nearest("-1.5".into())]));
        assert_eq!(parsed("a~b=3"), ("a~b".into(), vec![between("3", "3")]));
        assert_eq!(parsed("z~b=3"), ("z".into(), vec![Choice::Nearest("b=3".into())]));
        assert_eq!(
            parsed("x=1..2,4, 6.."),
            ("x".into(), vec![between("1", "2"), between("4", "4"), between("6", "")])
        );
        for odd in ["x", "x=", "x= ", "x=1,", "x=,1", "x~", "x~1,,2", "x=\"a", "x=\"a\"\""] {
            assert!(parse(odd, |_| true).is_err(), "{odd}");
        }
    }

    #[test]
    fn in_quotes_commas_and_dots_are_characters() {
        assert_eq!(parsed("x=\"a, b\",c"), ("x".into(), vec![between("a, b", "a, b"), between("c", "c")]));
        assert_eq!(parsed("x=\"a..b\"..\"c\""), ("x".into(), vec![between("a..b", "c")]));
        assert_eq!(parsed("x=\"say \"\"a\"\"\""), ("x".into(), vec![between("say \"a\"", "say \"a\"")]));
        assert_eq!(parsed("x=5\",6\""), ("x".into(), vec![between("5\"", "5\""), between("6\"", "6\"")]));
    }
}
