//! Parses the header `Content-Range` (RFC 9110 section 14.4).

use std::ops::Range;

/// The part of a file that a server says it sends.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ContentRange {
    /// The bytes that follow; `None` if there are none.
    pub(super) bytes: Option<Range<u64>>,
    /// The length of the whole file.
    pub(super) length: u64,
}

/// Parses the header. Returns `None` if it is malformed or has no length.
pub(super) fn parse(text: &str) -> Option<ContentRange> {
    let (unit, rest) = text.trim().split_once(' ')?;
    let (range, length) = rest.trim().split_once('/')?;
    let length = number(length)?;
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    if range == "*" {
        return Some(ContentRange { bytes: None, length });
    }
    let (first, last) = range.split_once('-')?;
    let (first, end) = (number(first)?, number(last)?.checked_add(1)?);
    (first < end && end <= length).then_some(ContentRange { bytes: Some(first..end), length })
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    // No file is longer, and sums of such numbers do not overflow.
    is_number.then(|| text.parse().ok()).flatten().filter(|&number| number <= i64::MAX as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_told() {
        assert_eq!(parse("bytes 0-9/20"), Some(ContentRange { bytes: Some(0..10), length: 20 }));
        assert_eq!(parse(" Bytes 5-5/6 "), Some(ContentRange { bytes: Some(5..6), length: 6 }));
        assert_eq!(parse("bytes */0"), Some(ContentRange { bytes: None, length: 0 }));
        for wrong in [
            "",
            "bytes",
            "bytes 0-9/*",
            "bytes 9-0/20",
            "bytes 0-20/20",
            "bytes +0-9/20",
            "lines 0-9/20",
            "bytes 0-9",
            "bytes 0-18446744073709551615/18446744073709551615",
            "bytes -5/20",
            "bytes 0-9/9223372036854775808",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[bytes 0-9/*]{0,30}") {
            let _ = parse(&text);
        }
    }
}
