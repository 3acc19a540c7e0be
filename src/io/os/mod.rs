//! Operating-system calls: opening regular files, positioned reads, file identity. Unix and Windows variants.
//!
//! A name in an aggregation file may refer to anything. Only regular files are opened: a FIFO would hang its reader, a
//! device may act on being opened, a directory has no bytes. The type is checked before the open, so that a device is
//! not touched, and again on the descriptor, in case the file was exchanged in between. Files are read by positioned
//! reads and never mapped: a file truncated under a mapping would kill the host program.

mod descriptors;
mod directory;
mod given;
mod lock;
mod name;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod unix_directory;
#[cfg(feature = "remote")]
mod variable;
mod virtual_files;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

use std::fs::{self, File, FileType};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::{Error, Kind, Result};
use crate::io::source::Source;
pub use descriptors::make_room;
pub(crate) use descriptors::with_room;
use descriptors::Descriptor;
pub(crate) use directory::{entries, EntryKind};
pub(crate) use given::{read_given, write_to_stream};
pub(crate) use lock::{leads_to, lock_file, remove, unlock_file, Lock, Locking};
pub(crate) use name::bytes_of;
pub(crate) use name::path_from_bytes;
pub use name::shown;
pub use system::FileIdentity;
pub(crate) use system::{check_length, close};
pub(crate) use system::{identity_at, identity_in, is_stream};
#[cfg(feature = "remote")]
pub(crate) use variable::variable;
pub(crate) use virtual_files::{is_virtual, list_virtual, VirtualFile};
pub use virtual_files::{register_virtual_files, VirtualFiles, VirtualHandle};

/// The size that a file counts as if it is unknown how much it takes on its disk.
const MOST_UNKNOWN: u64 = 1 << 20;

/// A local regular file, open for reading by any number of threads at once.
#[derive(Debug)]
pub struct LocalFile {
    file: Arc<Descriptor>,
    name: String,
    state: FileState,
    /// The number of bytes that it takes on its disk, if that was known when it was opened.
    stored: Option<u64>,
    identity: FileIdentity,
}

/// The state of a file when it was opened. A different state means different contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Its length in bytes.
    pub length: u64,
    /// When it was last written to, if the system reports that.
    pub modified: Option<SystemTime>,
}

/// The result of opening a path.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// It is a regular file and open.
    Open(LocalFile),
    /// There is no such file.
    Absent,
}

impl LocalFile {
    /// Opens a regular file. Errors and warnings name it by its path.
    ///
    /// # Errors
    /// `Io` if it is absent, is not a regular file or may not be read.
    pub fn open(path: &Path) -> Result<Self> {
        match Self::attempt(path)? {
            Attempt::Open(file) => Ok(file),
            Attempt::Absent => Err(Error::new(Kind::Io, "no such file").of_absence().in_file(shown(path))),
        }
    }

    /// Opens a regular file, and distinguishes an absent file from one that cannot be read.
    pub(crate) fn attempt(path: &Path) -> Result<Attempt> {
        let name = shown(path);
        match Self::open_named(path, &name) {
            Ok(Ok(file)) => Ok(Attempt::Open(file)),
            Ok(Err(found)) => {
                Err(Error::new(Kind::Io, format!("it is {found}; only regular files are read")).in_file(name))
            }
            Err(error) if is_absence(&error) => Ok(Attempt::Absent),
            Err(error) => Err(Error::new(Kind::Io, "not readable").because(error).in_file(name)),
        }
    }

    fn open_named(path: &Path, name: &str) -> io::Result<std::result::Result<Self, &'static str>> {
        if let Some(device) = system::reserved_name(path) {
            return Ok(Err(device));
        }
        let before = fs::metadata(path)?;
        if !before.is_file() {
            return Ok(Err(describe(before.file_type())));
        }
        let file = descriptors::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(Err(describe(metadata.file_type())));
        }
        let identity = system::identity(&file, &metadata)?;
        let state = FileState { length: metadata.len(), modified: metadata.modified().ok() };
        let file = Descriptor::new(path, file, identity.clone());
        let stored = system::stored(&metadata);
        Ok(Ok(LocalFile { file, name: name.to_owned(), state, stored, identity }))
    }

    /// Returns the state of the file when it was opened.
    pub fn state(&self) -> FileState {
        self.state
    }

    /// Returns whether the file is unchanged since it was opened: not written to, deleted or replaced by another.
    pub(crate) fn is_current(&self) -> bool {
        self.file.with(File::metadata).is_ok_and(|now| {
            let state = FileState { length: now.len(), modified: now.modified().ok() };
            state == self.state && system::has_name(&now)
        })
    }

    /// Returns the identity of the file, whatever its names.
    pub fn identity(&self) -> &FileIdentity {
        &self.identity
    }

    /// Returns the path, without symbolic links, of the open file, which was opened as `path`.
    ///
    /// It is taken from the descriptor if the system can report it; otherwise the path is resolved again and must lead
    /// to the same file.
    ///
    /// # Errors
    /// `Io` if the path no longer leads to the file.
    pub(crate) fn real_path(&self, path: &Path) -> Result<PathBuf> {
        if let Ok(Some(real)) = self.file.with(|file| Ok(system::path_of(file))) {
            return Ok(real);
        }
        let again = fs::canonicalize(path).and_then(|real| {
            let identity = system::identity_at(&real)?;
            Ok((real, identity))
        });
        match again {
            Ok((real, identity)) if identity == self.identity => Ok(real),
            Ok(_) => {
                Err(Error::new(Kind::Io, "another file took its place while it was opened")
                    .in_file(&*self.name))
            }
            Err(error) => {
                Err(Error::new(Kind::Io, "it moved while it was opened").because(error).in_file(&*self.name))
            }
        }
    }
}

impl LocalFile {
    /// Returns a path by which other code in this process opens this very file while it is open. If the system has
    /// none, returns its name, unless GDAL would take that for another file. The file stays open until
    /// [`LocalFile::unpin`].
    pub(crate) fn pin_for_gdal(&self) -> Option<String> {
        self.file.pin().ok()?;
        let named = || Some(&self.name).filter(|name| !is_virtual(Path::new(name))).cloned();
        let through = self.file.with(|file| Ok(system::path_through_descriptor(file)));
        let path = through.ok().flatten().or_else(named);
        if path.is_none() {
            self.file.unpin();
        }
        path
    }

    /// Undoes [`LocalFile::pin_for_gdal`].
    pub(crate) fn unpin(&self) {
        self.file.unpin();
    }
}

impl Source for LocalFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn len(&self) -> u64 {
        self.state.length
    }

    fn stored(&self) -> u64 {
        // One that had to be fetched from a tape is there once it has been read from.
        let again = || self.file.with(File::metadata).ok().and_then(|metadata| system::stored(&metadata));
        let unknown = self.state.length.min(MOST_UNKNOWN);
        self.stored.or_else(|| (self.state.length > MOST_UNKNOWN).then(again)?).unwrap_or(unknown)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_end(self, offset, buffer.len())?;
        fill(self, offset, buffer, |part, at| self.file.with(|file| system::read_at(file, part, at)))
    }
}

/// Checks that a read ends within the file.
///
/// # Errors
/// `Damaged` if it does not.
pub(crate) fn check_end(source: &dyn Source, offset: u64, count: usize) -> Result<()> {
    let length = source.len();
    if offset.checked_add(count as u64).is_some_and(|end| end <= length) {
        return Ok(());
    }
    let message = format!("{count} bytes at offset {offset} lie beyond the end of the file ({length} bytes)");
    Err(Error::new(Kind::Damaged, message).in_file(source.name()))
}

/// Fills a buffer with as many reads as necessary.
fn fill(
    source: &dyn Source,
    offset: u64,
    buffer: &mut [u8],
    read: impl Fn(&mut [u8], u64) -> io::Result<usize>,
) -> Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match read(&mut buffer[done..], offset + done as u64) {
            Ok(0) => {
                let message = format!("the file is now shorter than its former {} bytes", source.len());
                return Err(Error::new(Kind::Damaged, message).in_file(source.name()));
            }
            Ok(count) => done += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(Error::new(Kind::Io, format!("reading at offset {offset}"))
                    .because(error)
                    .in_file(source.name()))
            }
        }
    }
    Ok(())
}

/// Renames a file to a name that must be free.
///
/// # Errors
/// `AlreadyExists` if it is not free.
pub(crate) fn settle(new: &Path, name: &Path) -> io::Result<()> {
    match fs::hard_link(new, name) {
        Ok(()) => {
            // The file has its name, whether the other one goes or not.
            let _ = fs::remove_file(new);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // Some file systems have no links. There, another process can take the name between the check and the renaming.
        Err(_) if fs::symlink_metadata(name).is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(new, name),
    }
}

/// Makes the name of a file durable.
pub(crate) fn sync_directory(name: &Path) -> io::Result<()> {
    with_room(|| system::sync_directory(name.parent().unwrap_or(Path::new("."))))
}

/// Returns whether the error means that there is no such file. A name too long for the file system counts as absent
/// too.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
        || system::is_impossible_name(error)
}

fn describe(found: FileType) -> &'static str {
    if found.is_dir() {
        "a directory"
    } else {
        system::describe(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file_with(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn reads_at_any_offset() {
        let (_folder, path) = file_with(b"0123456789");
        let file = LocalFile::open(&path).unwrap();
        let mut buffer = [0; 4];
        file.read_at(3, &mut buffer).unwrap();
        assert_eq!((&buffer, file.len()), (b"3456", 10));
        file.read_at(10, &mut []).unwrap();
    }

    #[test]
    fn a_read_beyond_the_end_is_damage() {
        let (_folder, path) = file_with(b"0123456789");
        let file = LocalFile::open(&path).unwrap();
        let mut buffer = [0; 4];
        for offset in [7, 10, 11, u64::MAX - 1, u64::MAX] {
            assert_eq!(file.read_at(offset, &mut buffer).unwrap_err().kind(), Kind::Damaged);
        }
    }

    #[test]
    fn a_file_that_shrank_is_damage() {
        let (_folder, path) = file_with(b"0123456789");
        let file = LocalFile::open(&path).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(5).unwrap();
        let mut buffer = [0; 4];
        let error = file.read_at(4, &mut buffer).unwrap_err();
        assert_eq!(error.kind(), Kind::Damaged);
        assert!(error.message().contains("shorter"), "{error}");
    }

    #[test]
    fn a_file_that_grew_keeps_the_length_it_had() {
        let (_folder, path) = file_with(b"01");
        let file = LocalFile::open(&path).unwrap();
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"23").unwrap();
        assert_eq!(file.len(), 2);
        assert!(file.read_at(2, &mut [0]).is_err());
    }

    #[test]
    fn directories_are_refused_and_absent_files_told_apart() {
        let (folder, path) = file_with(b"");
        let error = LocalFile::open(folder.path()).unwrap_err();
        assert!(error.to_string().contains("a directory"), "{error}");
        assert!(matches!(LocalFile::attempt(&folder.path().join("none")), Ok(Attempt::Absent)));
        assert!(matches!(LocalFile::attempt(&path.join("below a file")), Ok(Attempt::Absent)));
        assert!(matches!(LocalFile::attempt(&folder.path().join("x".repeat(4000))), Ok(Attempt::Absent)));
    }

    #[test]
    fn the_same_file_under_two_names_has_one_identity() {
        let (folder, path) = file_with(b"a");
        let other = folder.path().join("other");
        fs::write(&other, b"a").unwrap();
        let roundabout = folder.path().join(".").join("data");
        let identity = |path: &Path| LocalFile::open(path).unwrap().identity().clone();
        assert_eq!(identity(&path), identity(&roundabout));
        assert_ne!(identity(&path), identity(&other));
    }

    #[test]
    fn the_real_path_of_an_open_file_is_its_canonical_one() {
        let (folder, path) = file_with(b"a");
        let roundabout = folder.path().join("..").join(folder.path().file_name().unwrap()).join("data");
        let file = LocalFile::open(&roundabout).unwrap();
        assert_eq!(file.real_path(&roundabout).unwrap(), fs::canonicalize(path).unwrap());
    }
}
