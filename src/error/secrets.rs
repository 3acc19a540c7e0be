//! Removes user names, passwords, queries and fragments from locations, for messages.
//!
//! Other modules interpret locations, and a malformed location has no interpretation: a password with a `/`, `?`, `#`
//! or `@` that should have been encoded, a missing scheme, a URL that was encoded as a whole. So this module looks for
//! everything that could be a secret under some interpretation, and removes too much rather than too little.

use std::borrow::Cow;

/// A character that divides a URI, plain or percent-encoded (however often).
#[derive(Clone, Copy)]
struct Mark {
    sort: u8,
    at: usize,
    end: usize,
}

impl Mark {
    fn is_slash(&self) -> bool {
        matches!(self.sort, b'/' | b'\\')
    }

    fn is_encoded(&self) -> bool {
        self.end - self.at > 1
    }
}

/// Returns the location without user name, password, query and fragment, and without control characters.
///
/// If the end of a secret is ambiguous, everything from its beginning on is left out.
pub fn redact(name: &str) -> String {
    let shown = without_secrets(name);
    crate::error::message::plain(&shown).into_owned()
}

/// Redacts, as [`redact`] does, every quoted value and every word of a text that may be a location with secrets.
///
/// A text that is known to be a location is redacted as a whole. This function is for locations in unexpected places,
/// such as in place of the name of a variable.
pub(crate) fn without_locations(text: &str) -> Cow<'_, str> {
    let is_suspect = |text: &str| text.contains("://") || text.find('@') > text.find(':');
    if !is_suspect(text) {
        return Cow::Borrowed(text);
    }
    let value = |text: &str| match is_suspect(text) {
        // Punctuation at the end is not part of the location.
        true => {
            let location = text.trim_end_matches([':', ';', ',']);
            without_secrets(location) + &text[location.len()..]
        }
        false => text.to_owned(),
    };
    let is_sentence = |text: &str| text.starts_with(' ') || text.ends_with(' ');
    let words = |text: &str| text.split(' ').map(value).collect::<Vec<_>>().join(" ");
    let last = text.matches('\'').count();
    let parts =
        text.split('\'').enumerate().map(|(i, part)| match i == 0 || i == last || is_sentence(part) {
            true => words(part),
            false => value(part),
        });
    Cow::Owned(parts.collect::<Vec<_>>().join("'"))
}

/// Returns whether a location may contain a user name or a password.
#[cfg(feature = "remote")]
pub(crate) fn has_user(name: &str) -> bool {
    // The query and the fragment, which are left out too, are neither.
    let (shown, path) = (without_secrets(name), name.split(['?', '#']).next().unwrap_or_default());
    !shown.starts_with(path)
}

fn without_secrets(name: &str) -> String {
    let marks = marks(name);
    let Start { body, is_network, is_encoded, is_doubtful } = start(name, &marks);
    // In a location that is not encoded as a whole, an encoded slash is part of a password.
    let counts = |mark: &Mark| mark.at >= body && (is_encoded || !mark.is_slash() || !mark.is_encoded());
    let marks: Vec<Mark> = marks.into_iter().filter(counts).collect();
    let ends = |is_hash: bool| {
        let is_end = |mark: &&Mark| {
            (mark.sort == b'?' || (is_hash && mark.sort == b'#')) && (is_encoded || !mark.is_encoded())
        };
        marks.iter().find(is_end).copied()
    };
    let from = hidden_from(&marks, body, is_network, is_doubtful, ends(is_network));
    // A location with a user is a URL even without a scheme.
    let end = ends(is_network || from.is_some());
    let visible_end = end.map_or(name.len(), |end| end.at);
    let query = if end.is_some_and(|end| end.sort == b'?') { "?..." } else { "" };
    let Some(from) = from else { return format!("{}{query}", &name[..visible_end]) };
    let mut ats = marks.iter().filter(|mark| mark.sort == b'@');
    let first = ats.clone().next();
    let last = ats.next_back();
    let slash = marks.iter().find(|mark| mark.is_slash()).map_or(name.len(), |slash| slash.at);
    // There is an `@` before the host and another one behind it, and either may end the password.
    let is_divided =
        is_network && first.is_some_and(|first| first.at < slash) && last.is_some_and(|last| last.at > slash);
    match last {
        Some(last) if last.end <= visible_end && !is_divided => {
            let sign = if from == body && is_network { "" } else { "...@" };
            format!("{}{sign}{}{query}", &name[..from], &name[last.end..visible_end])
        }
        _ => format!("{}...", &name[..from]),
    }
}

/// Returns where a possible user and password begin.
fn hidden_from(
    marks: &[Mark],
    body: usize,
    is_network: bool,
    is_doubtful: bool,
    end: Option<Mark>,
) -> Option<usize> {
    let first = marks.iter().find(|mark| mark.sort == b'@')?;
    let last = marks.iter().rfind(|mark| mark.sort == b'@')?;
    let slash = marks.iter().find(|mark| mark.is_slash());
    if is_doubtful || (is_network && slash.is_none_or(|slash| first.at < slash.at)) {
        return Some(body);
    }
    let colon = marks.iter().find(|mark| mark.sort == b':' && mark.at < last.at)?;
    if end.is_some_and(|end| end.at < colon.at) {
        return None;
    }
    let before = marks.iter().rfind(|mark| mark.is_slash() && mark.at < colon.at);
    Some(before.map_or(body, |slash| slash.end))
}

/// Where the scheme and the slashes of a location end.
struct Start {
    body: usize,
    /// Whether a host comes next.
    is_network: bool,
    /// Whether the location is percent-encoded as a whole.
    is_encoded: bool,
    /// Whether the apparent scheme may be a user, and the rest a password.
    is_doubtful: bool,
}

fn start(name: &str, marks: &[Mark]) -> Start {
    let slashes = |from: usize, at: usize| {
        let mut end = at;
        for mark in marks[from..].iter().take_while(|mark| mark.is_slash()) {
            if mark.at != end {
                break;
            }
            end = mark.end;
        }
        end
    };
    let local = |body| Start { body, is_network: false, is_encoded: false, is_doubtful: false };
    if let [a, b, ..] = marks {
        if a.at == 0 && a.is_slash() && b.is_slash() && b.at == a.end {
            let is_encoded = a.is_encoded();
            return Start { body: slashes(0, 0), is_network: true, is_encoded, is_doubtful: false };
        }
    }
    if let [letter, b':', b'/' | b'\\', ..] = name.as_bytes() {
        if letter.is_ascii_alphabetic() {
            return local(2);
        }
    }
    // The first colon, if any, ends the scheme, unless a user or a query comes before it.
    let Some(colon) = marks.iter().position(|mark| matches!(mark.sort, b':' | b'@' | b'?')) else {
        return local(0);
    };
    let mark = marks[colon];
    if mark.sort != b':' {
        return local(0);
    }
    let body = slashes(colon + 1, mark.end);
    let count = marks[colon + 1..].iter().take_while(|slash| slash.is_slash() && slash.at < body).count();
    let scheme = name[..mark.at].rsplit(['/', '\\']).next().unwrap_or_default();
    let is = |known: &[&str]| known.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    match count >= 2 || is(&["http", "https"]) {
        true => Start {
            body,
            is_network: true,
            is_encoded: mark.is_encoded(),
            is_doubtful: !is(&["http", "https", "s3", "file"]),
        },
        false => local(0),
    }
}

fn marks(name: &str) -> Vec<Mark> {
    let bytes = name.as_bytes();
    let mut marks = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (sort, end) = match bytes[at] {
            b'%' => encoded(bytes, at),
            byte => (byte, at + 1),
        };
        if matches!(sort, b':' | b'/' | b'\\' | b'@' | b'?' | b'#') {
            marks.push(Mark { sort, at, end });
        }
        at = end;
    }
    marks
}

/// Returns the character that `%40`, `%2540` and so on encode, and where the encoding ends; `%` if nothing valid is
/// encoded.
fn encoded(bytes: &[u8], at: usize) -> (u8, usize) {
    let mut begin = at + 1;
    while bytes[begin..].starts_with(b"25") {
        begin += 2;
    }
    let digit = |at: usize| bytes.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    match (digit(begin), digit(begin + 1)) {
        (Some(high), Some(low)) => ((high * 16 + low) as u8, begin + 2),
        _ => (b'%', at + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn credentials_queries_and_control_characters_are_not_shown() {
        let cases = [
            ("https://me:secret@host/a.nc?sig=secret#secret", "https://host/a.nc?..."),
            ("HTTPS://me:secret@host/a.nc", "HTTPS://host/a.nc"),
            ("https://me:sec/ret@host/a.nc", "https://host/a.nc"),
            ("https://host/me@there/a.nc", "https://host/me@there/a.nc"),
            ("https://host:80/a.nc", "https://host:80/a.nc"),
            ("https://host/a.nc#secret", "https://host/a.nc"),
            ("https://host/a.nc?redirect=https://me:secret@host", "https://host/a.nc?..."),
            ("https://host?x=a@secret", "https://..."),
            ("a.nc?sig=secret", "a.nc?..."),
            ("https://me:s3?cret@host/a.nc?x", "https://..."),
            ("https://me:s3#cret@host/a.nc", "https://..."),
            ("https://me:a@b/secret@host/a.nc", "https://..."),
            ("https:me:secret@host/a.nc", "https:host/a.nc"),
            ("http:\\\\me:secret@host", "http:\\\\host"),
            ("//me:secret@host/a.nc?x", "//host/a.nc?..."),
            ("\\\\me:secret@host\\a.nc", "\\\\host\\a.nc"),
            ("/me:secret@host/a.nc", "/...@host/a.nc"),
            ("me:secret@host/a.nc#secret", "...@host/a.nc"),
            ("/data/me:sec/ret@host/a.nc", "/data/...@host/a.nc"),
            ("/vsicurl/https://me:secret@host/a.nc", "/vsicurl/https://host/a.nc"),
            ("https://proxy/https://me:secret@host/a.nc?x", "https://proxy/...@host/a.nc?..."),
            ("https%3A%2F%2Fme%3Asecret%40host%2Fa.nc%3Fsig=secret", "https%3A%2F%2Fhost%2Fa.nc?..."),
            ("https://me%3Asecret%2540host/a.nc", "https://host/a.nc"),
            ("s3://key:secret@bucket/a.nc", "s3://bucket/a.nc"),
            ("file:///data/a@b.nc", "file:///data/a@b.nc"),
            ("C:\\data\\a@b.nc", "C:\\data\\a@b.nc"),
            ("a/b://c@d", "a/b://d"),
            ("dir/50%.nc", "dir/50%.nc"),
            ("wrf_2000-01-01_00:00.nc", "wrf_2000-01-01_00:00.nc"),
            ("a\n\u{1b}[31m.nc", "a\u{fffd}\u{fffd}[31m.nc"),
            ("h#sh.nc", "h#sh.nc"),
            ("", ""),
        ];
        for (name, shown) in cases {
            assert_eq!(redact(name), shown, "{name}");
        }
    }

    #[test]
    fn locations_in_place_of_something_else_are_shown_without_secrets() {
        let cases = [
            (
                "no variable 'https://me:secret@host/a.nc?sig=secret'; it has: a",
                "no variable 'https://host/a.nc?...'; it has: a",
            ),
            (
                "no variable 'https://me:se cret@host/a.nc'; it has: a",
                "no variable 'https://host/a.nc'; it has: a",
            ),
            ("'//me:secret@host/a' is not a number", "'//host/a' is not a number"),
            (
                "--start s3://me:secret@host/a?x: expected numbers",
                "--start s3://host/a?...: expected numbers",
            ),
            ("'me:secret@host' is neither", "'...@host' is neither"),
            ("'https://host/a.nc?...' is refused", "'https://host/a.nc?...' is refused"),
            ("https://host/a.nc: not found; it's: gone?", "https://host/a.nc: not found; it's: gone?"),
            ("12:00 is no time for x@y.org, he said: no", "12:00 is no time for x@y.org, he said: no"),
            ("units 'K @ 2000-01-01 12:00'", "units 'K @ 2000-01-01 12:00'"),
            ("", ""),
        ];
        for (text, shown) in cases {
            assert_eq!(without_locations(text), shown);
            assert_eq!(without_locations(shown), shown);
        }
    }

    proptest! {
        #[test]
        fn no_secret_is_shown_wherever_it_is(
            scheme in r"(https?://|S3://|ftp://|x_y://|//|\\\\|/vsicurl/https://|https:|/|/data/)?",
            // A single letter would be a drive.
            user in "([a-z%.]{2,4})?",
            secret in r"[a-z0-9:/?#@%\\ ]{0,4}QZ[a-z0-9:/?#@%\\ ]{0,4}QZ[a-z/?#@%\\]{0,2}",
            host in r"host(:80)?",
            path in "(/[a-z@]{0,3}){0,2}",
            query in r"(\?[a-z=@:/]{0,4}QZ[a-z=@:/?]{0,4})?",
            whole in any::<bool>(),
        ) {
            let mut name = format!("{scheme}{user}:{secret}@{host}{path}{query}");
            if whole {
                name = name.replace(':', "%3A").replace('/', "%2F").replace('@', "%40");
            }
            prop_assert!(!redact(&name).contains("QZ"), "{} {}", name, redact(&name));
            prop_assert!(!redact(&redact(&name)).contains("QZ"));
        }

        #[test]
        fn ordinary_names_are_shown_as_they_are(name in r"(https://host(:80)?|file://|/|\./)?([a-zA-Z0-9_./-]|%20){0,20}") {
            prop_assert_eq!(redact(&name), name);
        }

        #[test]
        fn any_text_is_shown_somehow(name in any::<String>(), marks in r"[:/\\@?#%2540]{0,20}") {
            let _ = (redact(&name), redact(&marks), redact(&format!("{marks}{name}{marks}")));
        }
    }
}
