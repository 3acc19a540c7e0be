//! The file that becomes the new one, under a name of its own until it is finished.
//!
//! It is locked while it is being written. The system releases the lock when the writer ends, however it ends. So a
//! later writer of the same file knows which files nobody will finish, and removes them. A process number would not be
//! enough: it may belong to another process by now, or to a process on another machine.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::io::os;

/// Distinguishes the temporary files of one process.
static COUNTER: AtomicU64 = AtomicU64::new(0);
/// The number of attempts to create a file that nobody removes as a leftover.
const ATTEMPTS: u32 = 100;

/// A file that is being written. It is removed when dropped, unless it was renamed.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
    file: File,
}

impl Temporary {
    /// Creates a file beside `target`, named `.NAME.PID-N.tmp`, and removes those that others left there.
    ///
    /// # Errors
    /// An I/O error if no file can be created there.
    pub(super) fn beside(target: &Path) -> io::Result<Temporary> {
        // A long name leaves no room for more.
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let short: String = name.chars().take(60).collect();
        remove_left(target, &short);
        for _ in 0..ATTEMPTS {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = target.with_file_name(format!(".{short}.{}-{number}.tmp", std::process::id()));
            let create = || OpenOptions::new().read(true).write(true).create_new(true).open(&path);
            let file = match os::with_room(create) {
                // Left by a process with the same number, on a file system without locks.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                other => other?,
            };
            // From here on it is removed whatever fails.
            let made = Temporary { path, file };
            match os::lock_file(&made.file) {
                Ok(false) => {}
                // Without locks nobody removes anything.
                Err(_) => return Ok(made),
                Ok(true) if os::leads_to(&made.path, &made.file)? => return Ok(made),
                Ok(true) => {}
            }
            // Somebody removed it as a leftover, in the moment before it was locked.
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Returns its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file, for writing.
    ///
    /// # Errors
    /// An I/O error if there are too many open files.
    pub(crate) fn file(&self) -> io::Result<File> {
        os::with_room(|| self.file.try_clone())
    }

    /// Lets others lock it, now that it has its name: HDF5 does so when it opens a file. Otherwise the lock would last
    /// until the last copy of the descriptor, in a child process for example, is closed.
    pub(super) fn unlock(&self) {
        os::unlock_file(&self.file);
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After the rename, a file of this name may belong to a writer in another container, where process numbers are
        // the same.
        os::remove(&self.path, &self.file);
    }
}

/// Removes the files that killed writers left; those that cannot be removed do no harm.
fn remove_left(target: &Path, short: &str) {
    // On Windows an open file can be opened and removed by others, locked or not.
    let Some(directory) = target.parent().filter(|_| cfg!(unix)) else { return };
    for entry in os::entries(directory).into_iter().flatten().flatten() {
        // If it is not a file but, for example, a link, no writer left it.
        if !entry.name().to_str().is_some_and(|name| is_temporary(name, short))
            || !entry.kind().is_ok_and(|kind| kind == os::EntryKind::File)
        {
            continue;
        }
        let path = entry.path();
        let open = || OpenOptions::new().read(true).write(true).open(path);
        let Ok(file) = os::with_room(open) else { continue };
        if matches!(os::lock_file(&file), Ok(true)) && matches!(os::leads_to(path, &file), Ok(true)) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Returns whether this is the name of a temporary file of a file whose shortened name is `short`.
fn is_temporary(name: &str, short: &str) -> bool {
    let numbers =
        name.strip_prefix('.').and_then(|n| n.strip_prefix(short)).and_then(|n| n.strip_prefix('.'));
    let numbers = numbers.and_then(|n| n.strip_suffix(".tmp")).and_then(|n| n.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_temporary_files_are_taken_for_them() {
        assert!(is_temporary(".a.nc.12-0.tmp", "a.nc"));
        for name in [
            ".a.nc.12-.tmp",
            ".a.nc.x-0.tmp",
            "a.nc.12-0.tmp",
            ".b.nc.12-0.tmp",
            ".a.nc.12-0.nc",
            ".a.nc.tmp",
        ] {
            assert!(!is_temporary(name, "a.nc"), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_dead_writers_left_is_removed_and_what_living_ones_write_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.nc");
        let left = folder.path().join(".a.nc.1-7.tmp");
        let other = folder.path().join(".b.nc.1-7.tmp");
        fs::write(&left, "half").unwrap();
        fs::write(&other, "half").unwrap();
        let link = folder.path().join(".a.nc.1-8.tmp");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let first = Temporary::beside(&target).unwrap();
        assert!(!left.exists() && other.exists() && link.exists());
        let second = Temporary::beside(&target).unwrap();
        assert!(first.path().exists() && second.path().exists());
        drop((first, second));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn a_finished_file_is_not_locked_though_a_child_process_has_a_copy_of_its_descriptor() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nc");
        let out = super::super::Out::new(&path).unwrap();
        let temporary = out.temporary().unwrap();
        let copy = temporary.file().unwrap();
        out.take(&temporary).unwrap();
        assert!(os::lock_file(&File::open(&path).unwrap()).unwrap());
        drop((temporary, copy));
    }

    #[test]
    fn a_file_of_another_writer_that_has_the_name_by_now_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let temporary = Temporary::beside(&folder.path().join("a.nc")).unwrap();
        let path = temporary.path().to_owned();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "of another container").unwrap();
        drop(temporary);
        assert!(path.exists());
    }

    #[test]
    fn writers_that_begin_at_once_leave_each_other_alone() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.nc");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let own = Temporary::beside(&target).unwrap();
                        std::thread::yield_now();
                        assert!(own.path().exists());
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
