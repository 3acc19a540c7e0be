//! Windows: positioned reads through the standard library, identity by volume and file index.

use std::ffi::OsString;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::os::windows::io::{AsRawHandle, RawHandle};
use std::path::{Path, PathBuf};

use super::directory::EntryKind;

/// Identifies a file, whatever its names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    volume: u32,
    index: u64,
}

/// What the system reports about an open file (`BY_HANDLE_FILE_INFORMATION`); times are two numbers each.
#[repr(C)]
#[derive(Default)]
struct Information {
    attributes: u32,
    times: [u32; 6],
    volume: u32,
    size: [u32; 2],
    links: u32,
    index_high: u32,
    index_low: u32,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetFileInformationByHandle(file: RawHandle, information: *mut Information) -> i32;
}

/// An open directory.
pub struct Directory(fs::ReadDir);

impl Directory {
    pub fn open(path: &Path) -> io::Result<Self> {
        fs::read_dir(path).map(Directory)
    }

    /// Returns the next name and what it belongs to; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<(OsString, Option<EntryKind>)>> {
        let Some(entry) = self.0.next().transpose()? else { return Ok(None) };
        Ok(Some((entry.file_name(), entry.file_type().ok().map(EntryKind::of))))
    }
}

/// Returns the device that a name means in every directory, with any extension.
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

/// Closes a file; Windows reports nothing then.
pub fn close(file: File) -> io::Result<()> {
    drop(file);
    Ok(())
}

/// Windows keeps its directories consistent by itself.
pub fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

/// Opens the file of a lock exclusively; it is removed when it is closed.
pub fn open_lock(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).share_mode(0).custom_flags(DELETE_ON_CLOSE).open(path)
}

/// Matches ERROR_SHARING_VIOLATION, and ERROR_ACCESS_DENIED for a file that is being removed.
pub fn is_busy(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(32 | 5))
}

/// Returns `true`: opening the file locked it.
pub fn try_lock(_file: &File) -> io::Result<bool> {
    Ok(true)
}

pub fn unlock(_file: &File) {}

pub fn has_no_locks(_error: &io::Error) -> bool {
    false
}

pub fn may_not_lock(_error: &io::Error) -> bool {
    false
}

pub fn identity(file: &File, _metadata: &Metadata) -> io::Result<FileIdentity> {
    let mut information = Information::default();
    // SAFETY: the handle is open for as long as `file` is borrowed, and `information` is what the call fills.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &mut information) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let index = u64::from(information.index_high) << 32 | u64::from(information.index_low);
    Ok(FileIdentity { volume: information.volume, index })
}

/// Returns the identity of the file at a path, following symbolic links.
pub fn identity_at(path: &Path) -> io::Result<FileIdentity> {
    // Requires no read permission, and accepts directories too.
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;
    let file = OpenOptions::new().access_mode(0).custom_flags(BACKUP_SEMANTICS).open(path)?;
    let metadata = file.metadata()?;
    identity(&file, &metadata)
}

/// Returns the identity of the file at a path; its metadata do not have it.
pub fn identity_in(path: &Path, _metadata: &Metadata) -> io::Result<FileIdentity> {
    identity_at(path)
}

/// Returns `false`: devices have reserved names here, which no path of a file leads to.
pub fn is_stream(_kind: FileType) -> bool {
    false
}

/// Bytes that a file takes on its disk; here its length.
pub fn stored(metadata: &Metadata) -> Option<u64> {
    Some(metadata.len())
}

/// Returns `true`: a file that is open without shared deletion keeps its name.
pub fn has_name(_metadata: &Metadata) -> bool {
    true
}

/// Windows has no relevant limit.
pub fn most_descriptors() -> usize {
    usize::MAX
}

/// Windows has no limit on the size of files.
pub fn check_length(_length: u64) -> io::Result<()> {
    Ok(())
}

pub fn is_exhaustion(_error: &io::Error) -> bool {
    false
}

pub fn spare_descriptor() -> io::Result<()> {
    Ok(())
}

pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

pub fn path_of(_file: &File) -> Option<PathBuf> {
    None
}

/// Returns `None`: this system has no paths that lead through an open file.
pub fn path_through_descriptor(_file: &File) -> Option<String> {
    None
}

/// Matches ERROR_INVALID_NAME and ERROR_FILENAME_EXCED_RANGE.
pub fn is_impossible_name(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(123 | 206))
}

pub fn describe(_found: FileType) -> &'static str {
    "not a regular file"
}
