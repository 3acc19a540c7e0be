//! Unix: `pread` through the standard library, identity by device and inode.

use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

pub use super::unix_directory::Directory;

/// Identifies a file, whatever its names: device and inode.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    device: u64,
    inode: u64,
}

/// If the system reports less than this for a file on its disk, the file may occupy more.
const LEAST_TAKEN: u64 = 8 << 10;

/// Returns `None`: Unix has no file names that mean devices.
pub fn reserved_name(_path: &Path) -> Option<&'static str> {
    None
}

/// Opens for reading without ever waiting for a writer and without acquiring a terminal. The standard library adds
/// `O_CLOEXEC`; it is mentioned here because this code relies on it.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Ends the non-blocking mode of a file that [`open`] opened.
fn allow_waiting(file: &File) -> io::Result<()> {
    // Of the flags that can be changed, it has no other.
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and F_SETFL takes an int.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFL, 0) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Closes a file. The system may report earlier failures to write only then.
pub fn close(file: File) -> io::Result<()> {
    // SAFETY: the descriptor was given up by its owner, so nobody else closes it.
    if unsafe { libc::close(file.into_raw_fd()) } == 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        // The descriptor is closed nevertheless.
        error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        error => Err(error),
    }
}

/// Makes a change of names in the directory durable.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    match File::open(directory)?.sync_all() {
        // Some network file systems do not support this.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOTSUP)) => Ok(()),
        result => result,
    }
}

/// Opens the file of a lock, and creates it if necessary.
pub fn open_lock(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::PermissionsExt;
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    let mut options = OpenOptions::new();
    match options.read(true).write(true).create(true).custom_flags(flags).open(path) {
        Ok(file) => {
            // If its creator is killed, everybody else must be able to lock it.
            let _ = file.set_permissions(std::fs::Permissions::from_mode(0o666));
            Ok(file)
        }
        // A file without write permission can be locked, except on some network file systems. If there is no file, it
        // is the directory that lacks write permission.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|_| error)
        }
        Err(error) => Err(error),
    }
}

/// Returns whether the error means that another holder has the lock.
pub fn is_busy(_error: &io::Error) -> bool {
    false
}

/// Locks an open file. Returns `false` if another holder has locked it.
pub fn try_lock(file: &File) -> io::Result<bool> {
    // SAFETY: the descriptor is open for as long as `file` is borrowed; nothing else is passed.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(false),
        _ => Err(error),
    }
}

pub fn unlock(file: &File) {
    // SAFETY: as above. A lock that cannot be released ends with the descriptor.
    unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_UN) };
}

/// Returns whether the error means that the file system has no locks.
pub fn has_no_locks(error: &io::Error) -> bool {
    let codes = [libc::ENOSYS, libc::ENOTSUP, libc::EOPNOTSUPP, libc::ENOLCK, libc::EINVAL];
    error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

/// Returns whether the error means that locking the file requires write permission.
pub fn may_not_lock(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EBADF)
}

pub fn identity(_file: &File, metadata: &Metadata) -> io::Result<FileIdentity> {
    Ok(FileIdentity { device: metadata.dev(), inode: metadata.ino() })
}

/// Returns the identity of the file at a path, following symbolic links.
pub fn identity_at(path: &Path) -> io::Result<FileIdentity> {
    identity_in(path, &std::fs::metadata(path)?)
}

/// Returns the identity of the file at a path, given its metadata.
pub fn identity_in(_path: &Path, metadata: &Metadata) -> io::Result<FileIdentity> {
    Ok(FileIdentity { device: metadata.dev(), inode: metadata.ino() })
}

/// Returns whether written data are passed on and replace nothing: a terminal, a pipe, `/dev/null`.
pub fn is_stream(kind: FileType) -> bool {
    kind.is_fifo() || kind.is_char_device()
}

/// Returns the number of bytes that a file takes on its disk, or `None` if that is unknown.
pub fn stored(metadata: &Metadata) -> Option<u64> {
    let (length, taken) = (metadata.len(), metadata.blocks().saturating_mul(512));
    // A file that was just written, or that lies on tape, may be said to take nothing yet.
    (taken >= LEAST_TAKEN || length <= taken).then_some(taken.min(length))
}

/// Returns whether some path still leads to the open file.
pub fn has_name(metadata: &Metadata) -> bool {
    metadata.nlink() > 0
}

/// Returns how many descriptors this process may have.
pub fn most_descriptors() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call writes to `limit`, which is exclusively borrowed.
    match unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) } {
        0 => usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

/// Checks that this process may create a file of this length (`RLIMIT_FSIZE`). Exceeding the limit would raise
/// `SIGXFSZ`, which ends the program.
pub fn check_length(length: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the call writes to `limit`, which is exclusively borrowed.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    match known && limit.rlim_cur != libc::RLIM_INFINITY && length > limit.rlim_cur {
        true => Err(io::Error::from_raw_os_error(libc::EFBIG)),
        false => Ok(()),
    }
}

/// Returns whether the error means that no descriptor is left, for this process or for all.
pub fn is_exhaustion(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Takes a descriptor, to check that one is free.
pub fn spare_descriptor() -> io::Result<File> {
    File::open("/dev/null")
}

pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    waiting(file, || file.read_at(buffer, offset))
}

/// Reads, and once more if the file is to be waited for: in the non-blocking mode in which [`open`] opened it, tape-backed
/// file systems return `EAGAIN` instead of recalling a regular file.
fn waiting(file: &File, mut read: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    match read() {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            allow_waiting(file)?;
            read()
        }
        result => result,
    }
}

/// Returns the path of the open file as the kernel knows it. A file that is deleted or out of reach has none.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn path_of(file: &File) -> Option<PathBuf> {
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    let opened = file.metadata().ok()?;
    let named = std::fs::symlink_metadata(&path).ok()?;
    let same = (named.dev(), named.ino()) == (opened.dev(), opened.ino());
    (path.is_absolute() && same).then_some(path)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn path_of(_file: &File) -> Option<PathBuf> {
    None
}

/// Returns a path that leads to the open file itself while it is open, whatever happens to its names.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn path_through_descriptor(file: &File) -> Option<String> {
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    Path::new(&path).exists().then_some(path)
}

/// Returns `None`: this system has no such paths.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn path_through_descriptor(_file: &File) -> Option<String> {
    None
}

pub fn is_impossible_name(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENAMETOOLONG)
}

pub fn describe(found: FileType) -> &'static str {
    if found.is_fifo() {
        "a FIFO"
    } else if found.is_socket() {
        "a socket"
    } else if found.is_char_device() || found.is_block_device() {
        "a device"
    } else {
        "not a regular file"
    }
}

#[cfg(test)]
mod tests {
    use crate::io::os::LocalFile;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileExt;
    use std::path::Path;

    #[test]
    fn a_fifo_is_refused_without_waiting_for_a_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = LocalFile::open(&path).unwrap_err();
        assert!(error.to_string().contains("a FIFO; only regular files are read"), "{error}");
        drop(super::open(&path).unwrap());
    }

    #[test]
    fn devices_and_sockets_are_refused() {
        let error = LocalFile::open(Path::new("/dev/zero")).unwrap_err();
        assert!(error.to_string().contains("a device"), "{error}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let error = LocalFile::open(&path).unwrap_err();
        assert!(error.to_string().contains("a socket"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_yet_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        std::fs::write(&path, b"ab").unwrap();
        let file = super::open(&path).unwrap();
        // SAFETY: the descriptor is open; F_GETFL takes no argument.
        let flags = || unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
        // As a file system does that keeps files on tapes.
        let mut buffer = [0; 2];
        let read = || match flags() & libc::O_NONBLOCK {
            0 => file.read_at(&mut buffer, 0),
            _ => Err(io::ErrorKind::WouldBlock.into()),
        };
        assert_eq!(super::waiting(&file, read).unwrap(), 2);
        let busy = || Err(io::ErrorKind::WouldBlock.into());
        assert_eq!(super::waiting(&file, busy).unwrap_err().kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn a_deleted_file_has_no_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data");
        std::fs::write(&path, b"a").unwrap();
        let file = LocalFile::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(file.real_path(&path).is_err());
    }
}
