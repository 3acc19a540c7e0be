//! Parses a location in a file: a URI reference (RFC 3986, RFC 8089) or, in older texts and real files, a path.
//!
//! Refused: empty names, NUL (plain or as `%00`), a `file:` URI without a path. Nothing is expanded: `~`, `$HOME` and
//! wildcards are ordinary characters, and so are `?` and `#`, because a local file has neither query nor fragment.

use crate::error::{Error, Kind, Result};

/// The form of a location; texts are still percent-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// A path relative to the aggregation file.
    Relative(&'a str),
    /// A path that begins with `/`, without a scheme.
    Absolute(&'a str),
    /// A Windows path with a drive or a leading backslash.
    Windows(&'a str),
    /// An absolute path in a `file:` URI of this machine.
    File(&'a str),
    /// A `file:` URI of another machine.
    OtherHost(&'a str),
    /// A network location of a known scheme.
    Network(&'a str),
    /// An unknown scheme. It is `opaque` if no `//` follows, so that the location may also be a file name.
    Unknown {
        /// The scheme.
        scheme: &'a str,
        /// Whether no `//` follows.
        opaque: bool,
    },
}

/// Determines the form of a location.
///
/// # Errors
/// `Uri` if it is empty, has a NUL or is a `file:` URI without a path.
pub fn parse(name: &str) -> Result<Reference<'_>> {
    if name.is_empty() {
        return Err(Error::new(Kind::Uri, "the location is empty"));
    }
    if name.contains('\0') {
        return Err(Error::new(Kind::Uri, "the location has a NUL character"));
    }
    if name.starts_with('\\') || has_drive(name) {
        return Ok(Reference::Windows(name));
    }
    if name.starts_with('/') {
        return Ok(Reference::Absolute(name));
    }
    let Some((scheme, rest)) = split_scheme(name) else { return Ok(Reference::Relative(name)) };
    match &*scheme.to_ascii_lowercase() {
        "file" => parse_file(rest),
        "http" | "https" | "s3" => Ok(Reference::Network(scheme)),
        _ => Ok(Reference::Unknown { scheme, opaque: !rest.starts_with("//") }),
    }
}

/// Returns whether a text is an absolute path, on Unix or Windows, or a URL.
pub fn is_absolute(name: &str) -> bool {
    name.starts_with(['/', '\\']) || has_drive(name) || name.contains("://")
}

/// Parses a `file:` URI by RFC 8089, and three more forms: `file:name` (relative), `file://C:/name` and
/// `file:///C:/name`.
fn parse_file(rest: &str) -> Result<Reference<'_>> {
    let (host, path) = match rest.strip_prefix("//") {
        None => ("", rest),
        Some(after) if has_drive(after) => return Ok(Reference::Windows(after)),
        Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
    };
    if path.is_empty() {
        return Err(Error::new(Kind::Uri, "a file: URI without a path"));
    }
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return Ok(Reference::OtherHost(host.rsplit('@').next().unwrap_or(host)));
    }
    match path.strip_prefix('/') {
        None => Ok(Reference::Relative(path)),
        Some(drive) if cfg!(windows) && has_drive(drive) => Ok(Reference::Windows(drive)),
        Some(_) => Ok(Reference::File(path)),
    }
}

/// Returns whether a path begins with a letter and a colon: a drive, since no scheme has one letter.
fn has_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// Splits at the colon of a scheme. If `//` follows, any word counts, since real files have
/// `locally_meaningful_protocol://`; otherwise only the characters of RFC 3986 do, so that `a_00:00.nc` is a file.
fn split_scheme(name: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = name.split_once(':')?;
    let mut characters = scheme.chars();
    let first = characters.next()?;
    let strict = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let loose = |c: char| strict(c) || c == '_';
    let word = if rest.starts_with("//") { characters.all(loose) } else { characters.all(strict) };
    (first.is_ascii_alphabetic() && word && scheme.len() > 1).then_some((scheme, rest))
}

/// Decodes percent-encoding once. Returns `None` if the text is not validly encoded, so that only its literal form can
/// be meant: a `%` without two hexadecimal digits, or an encoded path separator, which no file name has.
///
/// # Errors
/// `Uri` for an encoded NUL.
pub fn percent_decode(text: &str) -> Result<Option<Vec<u8>>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let (Some(high), Some(low)) = (bytes.next().and_then(hex), bytes.next().and_then(hex)) else {
            return Ok(None);
        };
        match high << 4 | low {
            0 => return Err(Error::new(Kind::Uri, "the location has an encoded NUL character")),
            b'/' => return Ok(None),
            b'\\' if cfg!(windows) => return Ok(None),
            byte => decoded.push(byte),
        }
    }
    Ok(Some(decoded))
}

fn hex(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms_are_told_apart() {
        let cases = [
            ("plain.nc", Reference::Relative("plain.nc")),
            ("./run:1.nc", Reference::Relative("./run:1.nc")),
            ("wrf_2000-01-01_00:00.nc", Reference::Relative("wrf_2000-01-01_00:00.nc")),
            ("1:2.nc", Reference::Relative("1:2.nc")),
            ("a:b", Reference::Relative("a:b")),
            ("run:1.nc", Reference::Unknown { scheme: "run", opaque: true }),
            ("/a/b.nc", Reference::Absolute("/a/b.nc")),
            ("//host/b.nc", Reference::Absolute("//host/b.nc")),
            ("C:\\data\\b.nc", Reference::Windows("C:\\data\\b.nc")),
            ("c:/data/b.nc", Reference::Windows("c:/data/b.nc")),
            ("\\\\host\\share\\b.nc", Reference::Windows("\\\\host\\share\\b.nc")),
            ("file:///a/b.nc", Reference::File("/a/b.nc")),
            ("FILE://LocalHost/a/b.nc", Reference::File("/a/b.nc")),
            ("file:/a/b.nc", Reference::File("/a/b.nc")),
            ("file:b.nc", Reference::Relative("b.nc")),
            ("file://C:/b.nc", Reference::Windows("C:/b.nc")),
            ("file://data1/b.nc", Reference::OtherHost("data1")),
            ("file://me:secret@data1/b.nc", Reference::OtherHost("data1")),
            ("https://example.org/b.nc", Reference::Network("https")),
            ("s3://bucket/b.nc", Reference::Network("s3")),
            (
                "locally_meaningful_protocol:///UID",
                Reference::Unknown { scheme: "locally_meaningful_protocol", opaque: false },
            ),
        ];
        for (name, expected) in cases {
            assert_eq!(parse(name).unwrap(), expected, "{name}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn file_uris_with_a_drive_are_windows_paths() {
        assert_eq!(parse("file:///C:/data/b.nc").unwrap(), Reference::Windows("C:/data/b.nc"));
    }

    #[test]
    fn empty_names_and_nul_are_refused() {
        for name in ["", "a\0b.nc", "file:", "file://", "file://host"] {
            assert_eq!(parse(name).unwrap_err().kind(), Kind::Uri, "{name:?}");
        }
        assert_eq!(percent_decode("a%00b").unwrap_err().kind(), Kind::Uri);
    }

    #[test]
    fn percent_encoding_is_decoded_once() {
        let decode =
            |text: &str| percent_decode(text).unwrap().map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(decode("a%2520b+c.nc").as_deref(), Some("a%20b+c.nc"));
        assert_eq!(decode("dir/%C3%bc.nc").as_deref(), Some("dir/ü.nc"));
        for text in ["50%.nc", "%", "%2", "%zz", "%+1", "..%2f..%2Fetc"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(text in "[^\0/\\\\]{0,20}") {
            let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            prop_assert_eq!(percent_decode(&encoded).unwrap(), Some(text.into_bytes()));
        }

        #[test]
        fn no_name_panics(name in any::<String>()) {
            let _ = (parse(&name), percent_decode(&name), is_absolute(&name));
        }
    }
}
