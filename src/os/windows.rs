//! Windows: positioned reads through the standard library, identity by canonical path.
//!
//! Volume serial number and file index are not stable in the standard library, so two hard links to one file count as
//! two files here.

use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::os::windows::fs::FileExt;
use std::path::{Path, PathBuf};

/// Which file it is, whatever the spelling of its path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    canonical: PathBuf,
}

/// Names that mean a device in every directory, with any extension.
pub fn reserved_name(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let stem = name.split(['.', ':']).next()?.trim_end().to_ascii_uppercase();
    let is_number =
        |text: &str| matches!(text.chars().collect::<Vec<_>>()[..], ['0'..='9' | '¹' | '²' | '³']);
    let numbered = |prefix: &str| stem.strip_prefix(prefix).is_some_and(is_number);
    let reserved = matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered("COM")
        || numbered("LPT");
    reserved.then_some("a device")
}

pub fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

pub fn opened(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Windows has no way to do so.
#[cfg(feature = "write")]
pub fn divert_to_memory(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Windows keeps its directories consistent by itself.
#[cfg(feature = "write")]
pub fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

pub fn identity(path: &Path, _metadata: &Metadata) -> io::Result<FileIdentity> {
    Ok(FileIdentity { canonical: fs::canonicalize(path)? })
}

/// A file that is open without sharing deletion keeps its name.
pub fn has_name(_metadata: &Metadata) -> bool {
    true
}

pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

pub fn path_of(_file: &File) -> Option<PathBuf> {
    None
}

/// This system has no paths that lead through an open file.
#[cfg(feature = "gdal")]
pub fn path_through_descriptor(_file: &File) -> Option<String> {
    None
}

/// ERROR_INVALID_NAME and ERROR_FILENAME_EXCED_RANGE.
pub fn is_impossible_name(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(123 | 206))
}

pub fn describe(_found: FileType) -> &'static str {
    "not a regular file"
}
