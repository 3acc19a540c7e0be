//! A lock between writers: a file beside the one to be written, locked by the operating system.
//!
//! The system releases a lock when its holder ends, however it ends, so that nobody waits for a process that was
//! killed. The file to be written is not locked itself: it is replaced by another, and HDF5 locks the files that it
//! reads. The lock file is removed with the lock; whoever waited for it finds another in its place, or none, and begins
//! again.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{is_absence, system};

/// The maximum number of attempts to lock a file that is removed while it is being locked.
const ATTEMPTS: u32 = 1000;

/// A lock that one holder has at a time, in this process or another. It is released when dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
}

/// The result of an attempt to take a lock.
#[derive(Debug)]
pub(crate) enum Locking {
    /// The caller holds the lock.
    Taken(Lock),
    /// Another holder has it.
    Busy,
    /// The file system has no locks, or this user may not take this one.
    Impossible,
}

impl Lock {
    /// Takes the lock of this name if nobody holds it.
    ///
    /// # Errors
    /// Those of creating, opening, locking or looking at a file of this name, which is then removed.
    pub(crate) fn attempt(path: &Path) -> io::Result<Locking> {
        let mut absent = 0;
        for _ in 0..ATTEMPTS {
            let file = match super::descriptors::with_room(|| system::open_lock(path)) {
                // The file was removed between two checks; or, if that goes on, no file can be created here.
                Err(error)
                    if error.kind() == ErrorKind::NotFound && path.parent().is_some_and(Path::exists) =>
                {
                    absent += 1;
                    if absent == ATTEMPTS {
                        return Err(error);
                    }
                    continue;
                }
                Err(error) if system::is_busy(&error) => return Ok(Locking::Busy),
                other => other?,
            };
            match system::try_lock(&file) {
                Ok(true) => {}
                Ok(false) => return Ok(Locking::Busy),
                Err(error) if system::has_no_locks(&error) => {
                    // If it were left behind, users would think that it matters.
                    let _ = fs::remove_file(path);
                    return Ok(Locking::Impossible);
                }
                Err(error) if system::may_not_lock(&error) => return Ok(Locking::Impossible),
                Err(error) => {
                    // If another holder has the lock, it removes the file.
                    if !matches!(system::try_lock(&file), Ok(false)) {
                        remove(path, &file);
                    }
                    return Err(error);
                }
            }
            match leads_to(path, &file) {
                Ok(true) => return Ok(Locking::Taken(Lock { file, path: path.to_owned() })),
                Ok(false) => {}
                Err(error) => {
                    remove(path, &file);
                    return Err(error);
                }
            }
        }
        Ok(Locking::Busy)
    }
}

/// Locks an open file for as long as it, or a copy of it, is open. Returns `false` if another holder has locked it.
///
/// # Errors
/// If the file system has no locks.
pub(crate) fn lock_file(file: &File) -> io::Result<bool> {
    system::try_lock(file)
}

/// Releases a lock taken by [`lock_file`].
pub(crate) fn unlock_file(file: &File) {
    system::unlock(file);
}

/// Returns whether the name still belongs to the file that was locked. The file is opened again, since network file
/// systems check only then whether their cached names are still valid.
///
/// # Errors
/// If the system cannot say which file it is.
pub(crate) fn leads_to(path: &Path, file: &File) -> io::Result<bool> {
    let own = system::identity(file, &file.metadata()?)?;
    // A file that may not be read cannot be opened; its identity is looked up by its path.
    let again = match File::open(path) {
        Ok(again) => again.metadata().and_then(|now| system::identity(&again, &now)),
        Err(_) => system::identity_at(path),
    };
    match again {
        Ok(again) => Ok(again == own),
        Err(error) if is_absence(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a file of one's own, unless its name is known to belong to another by now.
pub(crate) fn remove(path: &Path, file: &File) {
    if !matches!(leads_to(path, file), Ok(false)) {
        let _ = fs::remove_file(path);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock is still held, so that of two processes that create the file again only one has its name.
        let _ = fs::remove_file(&self.path);
        // Otherwise the lock would last until the last copy of the descriptor, for example in a child process, is
        // closed.
        system::unlock(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn take(path: &Path) -> Lock {
        loop {
            if let Locking::Taken(lock) = Lock::attempt(path).unwrap() {
                return lock;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn one_has_a_lock_at_a_time_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".x.lock");
        let lock = take(&path);
        assert!(matches!(Lock::attempt(&path).unwrap(), Locking::Busy));
        drop(lock);
        assert!(!path.exists());
        drop(take(&path));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn many_threads_take_turns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".x.lock");
        let (inside, done) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let lock = take(&path);
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        done.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 800);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_holder_left_is_no_obstacle() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".x.lock");
        for mode in [0o644, 0o444, 0o400] {
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            drop(take(&path));
            assert!(!path.exists(), "{mode:o}");
        }
        // A directory in which nothing can be created.
        assert!(!cfg!(target_os = "linux") || Lock::attempt(Path::new("/proc/.x.lock")).is_err());
        let missing = folder.path().join("none/.x.lock");
        assert_eq!(Lock::attempt(&missing).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
