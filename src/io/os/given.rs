//! Whole files that the user names and that need not be regular ones: a list on a pipe, a report to a terminal.
//!
//! The access policy is for names that stand in files; these are the user's own.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Reads everything that a file or stream holds.
pub(crate) fn read_given(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// Writes to a stream that exists; nothing is created or truncated.
pub(crate) fn write_to_stream(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes())
}
