//! A number for the state of a file, by which a reader recognises that the file is unchanged.
//!
//! It is stored in files, so its definition never changes: FNV-1a with 64 bits over the text of the state. A state in
//! which another one could hide (a file on a server without `ETag` and `Last-Modified`) has none.

use std::fmt::{self, Write};
use std::time::UNIX_EPOCH;

use super::FileState;

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The number of what was written to it so far.
struct Number(u64);

impl Write for Number {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = text.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
        Ok(())
    }
}

/// Returns the number of a text.
pub(crate) fn of_text(text: fmt::Arguments<'_>) -> u64 {
    let mut number = Number(BASIS);
    // It takes every text.
    let _ = number.write_fmt(text);
    number.0
}

/// Returns the number of a variable in a file, by the last part of the location and the identifier. The directory does
/// not count, since whole archives move.
pub(crate) fn of_variable(location: &str, identifier: &str) -> u64 {
    let name = location.rsplit(['/', '\\']).next().unwrap_or(location);
    of_text(format_args!("variable {}\n{name}", identifier.trim_start_matches('/')))
}

/// Returns the number of the state of a local file, if the time of its last change is known.
pub(super) fn of_local(state: &FileState) -> Option<u64> {
    let time = state.modified?.duration_since(UNIX_EPOCH).ok()?;
    Some(of_text(format_args!("local {} {}.{:09}", state.length, time.as_secs(), time.subsec_nanos())))
}

/// Returns the number of the state of a file on a server, if the server reports one.
#[cfg(feature = "remote")]
pub(crate) fn of_remote(length: u64, etag: Option<&str>, modified: Option<&str>) -> Option<u64> {
    etag.or(modified)?;
    let shown = |text: Option<&str>| text.unwrap_or_default().to_owned();
    Some(of_text(format_args!("remote {length}\n{}\n{}", shown(etag), shown(modified))))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_part_of_a_state_counts() {
        let state =
            |length, nanos| FileState { length, modified: Some(UNIX_EPOCH + Duration::from_nanos(nanos)) };
        let numbers = [state(1, 1), state(2, 1), state(1, 2), state(1, 1_000_000_001)].map(|s| of_local(&s));
        for (i, number) in numbers.iter().enumerate() {
            assert!(number.is_some() && numbers.iter().filter(|other| *other == number).count() == 1, "{i}");
        }
        assert_eq!(of_local(&FileState { length: 1, modified: None }), None);
    }

    #[cfg(feature = "remote")]
    #[test]
    fn a_server_must_tell_versions_apart() {
        assert_eq!(of_remote(1, None, None), None);
        let some = [
            of_remote(1, Some("a"), None),
            of_remote(1, None, Some("a")),
            of_remote(2, Some("a"), None),
            of_remote(1, Some("a"), Some("b")),
        ];
        for (i, number) in some.iter().enumerate() {
            assert!(number.is_some() && some.iter().filter(|other| *other == number).count() == 1, "{i}");
        }
    }

    #[test]
    fn the_definition_never_changes() {
        assert_eq!(of_text(format_args!("")), BASIS);
        assert_eq!(of_text(format_args!("a")), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(of_variable("https://h/a/f.nc", "/tas"), of_variable("b\\f.nc", "tas"));
        assert_ne!(of_variable("f.nc", "tas"), of_variable("g.nc", "tas"));
    }
}
