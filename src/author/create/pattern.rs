//! Patterns of file names, and the order of names. Names are bytes: what is not UTF-8 counts byte by byte, which the crate
//! `glob` cannot do (`docs/dependencies.md`).

use std::ffi::OsStr;

/// Returns whether a part of a path is a pattern.
pub(super) fn is_pattern(part: &OsStr) -> bool {
    part.as_encoded_bytes().iter().any(|b| b"*?[".contains(b))
}

/// Returns whether a name matches a pattern of `*`, `?` and `[...]`.
pub(super) fn fits(name: &OsStr, pattern: &OsStr) -> bool {
    let (name, pattern) = (characters(name), characters(pattern));
    let (mut n, mut p) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(&STAR) => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some(&ANY) => Some(p + 1),
            Some(&OPEN) => class(&pattern[p..], name[n]).map(|length| p + length),
            Some(c) if *c == name[n] => Some(p + 1),
            _ => None,
        };
        match (step, star) {
            (Some(next), _) => (n, p) = (n + 1, next),
            // The last star matches one more.
            (None, Some((at, from))) => {
                (n, p) = (from + 1, at + 1);
                star = Some((at, from + 1));
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == STAR)
}

const STAR: u32 = '*' as u32;
const ANY: u32 = '?' as u32;
const OPEN: u32 = '[' as u32;
const CLOSE: u32 = ']' as u32;

/// Returns the characters of a name. A byte that belongs to no character comes after all of Unicode.
fn characters(name: &OsStr) -> Vec<u32> {
    let mut list = Vec::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        list.extend(chunk.valid().chars().map(u32::from));
        list.extend(chunk.invalid().iter().map(|&byte| 0x11_0000 + u32::from(byte)));
    }
    list
}

/// Returns the length of a `[...]` that contains this character; `None` if it does not.
fn class(pattern: &[u32], c: u32) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|p| *p == CLOSE)? + 2;
    let negated = [u32::from('!'), u32::from('^')].contains(&pattern[1]);
    let set = &pattern[1 + usize::from(negated)..end];
    let mut has = false;
    let mut i = 0;
    while i < set.len() {
        if i + 2 < set.len() && set[i + 1] == u32::from('-') {
            has |= (set[i]..=set[i + 2]).contains(&c);
            i += 3;
        } else {
            has |= set[i] == c;
            i += 1;
        }
    }
    (has != negated).then_some(end + 1)
}

/// Returns a key by which `r2` comes before `r10`.
pub(super) fn natural(name: &OsStr) -> (Vec<(Vec<u8>, u128)>, Vec<u8>) {
    let mut key = Vec::new();
    let bytes = name.as_encoded_bytes();
    let mut rest = bytes;
    while !rest.is_empty() {
        let words = rest.iter().position(u8::is_ascii_digit).unwrap_or(rest.len());
        let (word, after) = rest.split_at(words);
        let digits = after.iter().position(|b| !b.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(digits);
        let number = std::str::from_utf8(number).ok().and_then(|n| n.parse().ok());
        key.push((word.to_owned(), number.unwrap_or(0)));
        rest = after;
    }
    // Names whose numbers are equal (`r1`, `r01`) or too large are ordered by their bytes.
    (key, bytes.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_within_a_name() {
        for (name, pattern, expected) in [
            ("a.nc", "*.nc", true),
            ("a.nc4", "*.nc", false),
            ("tas_2001.nc", "tas_200[0-4].n?", true),
            ("tas_2005.nc", "tas_200[!0-4].nc", true),
            ("aXbXc", "a*b*c", true),
            ("abcb", "*b", true),
            ("", "*", true),
            ("a", "[", false),
            ("é", "?", true),
            ("é", "[à-ï]", true),
        ] {
            assert_eq!(fits(OsStr::new(name), OsStr::new(pattern)), expected, "{name} {pattern}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_byte_that_is_no_character_is_one() {
        use std::os::unix::ffi::OsStrExt;
        for (name, pattern, expected) in [
            (&b"t\xE9.nc"[..], &b"t?.nc"[..], true),
            (b"t\xE9.nc", b"t??.nc", false),
            (b"t\xE9.nc", b"t\xE9*", true),
            (b"t\xE9.nc", b"t\xEA*", false),
            (b"t\xE9.nc", b"t[\xE0-\xEF].nc", true),
            (b"t\xE9.nc", b"t[a-z].nc", false),
            (b"t\xE9.nc", b"t[!a-z].nc", true),
            (b"t\xC3\xA9.nc", b"t\xC3*", false),
        ] {
            let (name, pattern) = (OsStr::from_bytes(name), OsStr::from_bytes(pattern));
            assert_eq!(fits(name, pattern), expected, "{name:?} {pattern:?}");
        }
    }

    #[test]
    fn numbers_are_ordered_as_numbers() {
        let mut names = ["r10i1", "r2i1", "r2i10", "r1", "a", "r01"];
        names.sort_by_key(|n| natural(OsStr::new(n)));
        assert_eq!(names, ["a", "r01", "r1", "r2i1", "r2i10", "r10i1"]);
    }
}
