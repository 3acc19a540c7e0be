//! Reports tests that cannot run here.

use std::io::Write;

/// Reports a test that is left out. Below `make test` it is listed at the end, and is a failure, since what the tests need
/// is installed there; unless the user names it, as in `SKIP='small-disk' make test`.
#[track_caller]
pub fn left_out(name: &str, reason: &str) {
    eprintln!("{name}: left out, {reason}");
    let Some(list) = std::env::var_os("CFA_LEFT_OUT") else { return };
    let mut list = std::fs::OpenOptions::new().append(true).open(list).unwrap();
    writeln!(list, "{name}: {reason}").unwrap();
    let skip = std::env::var("SKIP").unwrap_or_default();
    assert!(skip.split_whitespace().any(|word| word == name), "{name}: left out, {reason}");
}
