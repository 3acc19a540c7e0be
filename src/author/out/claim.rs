//! The right to replace a file, which one writer has at a time.
//!
//! A writer that reads a file to rewrite it holds a lock from before the reading until the new file has its name.
//! Otherwise the second of two writers at once would overwrite the first one's work without having seen it. Programs that
//! ignore the lock are noticed: the file that is replaced must be the one that was there when the lock was taken.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::unwritable;
use crate::error::{Error, Kind, Result};
use crate::io::os::{shown, with_room, Lock, Locking};

/// The longest pause between two checks whether another writer is done.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits for other writers of the file, calling `wait` now and then. Returns no lock if the file system has none; a
/// replacement in the meantime is noticed nevertheless.
///
/// # Errors
/// `Io` if no file can be written there; the errors of `wait`.
pub(super) fn lock(target: &Path, wait: &mut dyn FnMut() -> Result<()>) -> Result<Option<Lock>> {
    let name = lock_name(target)?;
    let mut pause = Duration::from_millis(1);
    loop {
        match Lock::attempt(&name).map_err(|e| unwritable().because(e))? {
            Locking::Taken(lock) => return Ok(Some(lock)),
            Locking::Impossible => return Ok(None),
            Locking::Busy => {
                wait()?;
                std::thread::sleep(pause);
                pause = PAUSE.min(pause * 2);
            }
        }
    }
}

/// Keeps other writers away for the moment in which a file is checked and replaced. Ends when dropped.
pub(super) enum Moment {
    Locked {
        _lock: Lock,
    },
    /// For file systems without locks.
    InTurn {
        _turn: Turn,
    },
}

/// Waits until nobody else is replacing the file.
///
/// # Errors
/// `Io`.
pub(super) fn moment(target: &Path) -> Result<Moment> {
    Ok(match lock(target, &mut || Ok(()))? {
        Some(_lock) => Moment::Locked { _lock },
        None => Moment::InTurn { _turn: turn(target)? },
    })
}

/// A file that only one process can create: the one that replaces another file.
pub(super) struct Turn(PathBuf);

impl Drop for Turn {
    fn drop(&mut self) {
        // If that fails, the error of the next writer names it.
        let _ = fs::remove_file(&self.0);
    }
}

/// How long to wait for the turn of others, which lasts as long as a rename.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the turn.
///
/// # Errors
/// `Io` if somebody has it for too long, or was killed, or no file can be created there.
fn turn(target: &Path) -> Result<Turn> {
    let path = side_name(target, "turn")?;
    let began = Instant::now();
    loop {
        match with_room(|| fs::File::create_new(&path)) {
            Ok(_) => return Ok(Turn(path)),
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(unwritable().because(error));
            }
            Err(_) if began.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            Err(_) => {
                let message = format!(
                    "another program is writing it, or was killed while it did; if none is running, remove {}",
                    shown(&path)
                );
                return Err(Error::new(Kind::Io, message));
            }
        }
    }
}

fn lock_name(target: &Path) -> Result<PathBuf> {
    side_name(target, "lock")
}

/// Returns a name in the same directory: that of the file with a suffix, shortened if that would be too long.
fn side_name(target: &Path, suffix: &str) -> Result<PathBuf> {
    let (Some(directory), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(Error::new(Kind::Request, "it is not the name of a file"));
    };
    let name = name.to_string_lossy();
    let short: String = match name.len() {
        0..=200 => name.into_owned(),
        _ => name.chars().take(60).collect(),
    };
    Ok(directory.join(format!(".{short}.{suffix}")))
}

#[cfg(test)]
mod tests {
    use super::super::Out;
    use super::*;

    fn claim(path: &Path) -> Out {
        Out::claimed(path, &mut || Ok(())).unwrap()
    }

    /// Replaces the claimed file by a new one.
    fn take(out: &Out) -> Result<()> {
        let finished = out.temporary()?;
        fs::write(finished.path(), "new").unwrap();
        out.take(&finished)
    }

    #[test]
    fn a_file_under_two_names_is_claimed_once() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.nc"), folder.path().join("link.nc"));
        fs::write(&real, "a").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("real.nc", &link).unwrap();
        #[cfg(not(unix))]
        let link = real.clone();
        let held = claim(&real);
        let mut looks = 0;
        let stopped = Out::claimed(&link, &mut || {
            looks += 1;
            if looks < 3 {
                Ok(())
            } else {
                Err(Error::new(Kind::Cancelled, "enough"))
            }
        });
        assert_eq!(stopped.err().map(|e| e.kind()), Some(Kind::Cancelled));
        drop(held);
        let named = claim(&link).target.clone();
        assert_eq!(named, claim(&real).target);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_was_written_in_the_meantime_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nc");
        let new = claim(&path);
        fs::write(&path, "a").unwrap();
        assert_eq!(take(&new).unwrap_err().kind(), Kind::Io);
        drop(new);
        let old = claim(&path);
        fs::write(folder.path().join("b.nc"), "a").unwrap();
        fs::rename(folder.path().join("b.nc"), &path).unwrap();
        assert_eq!(take(&old).unwrap_err().kind(), Kind::Io);
        drop(old);
        let grown = claim(&path);
        fs::write(&path, "ab").unwrap();
        assert!(take(&grown).is_err());
        drop(grown);
        take(&claim(&path)).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn without_locks_nothing_that_was_done_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.nc");
        fs::write(&path, "").unwrap();
        // Appends a letter to the file, as an update does.
        let add = |letter: &str| {
            let out = Out::new(&path)?;
            let old = fs::read_to_string(&path).unwrap();
            let finished = out.temporary()?;
            fs::write(finished.path(), old + letter).unwrap();
            let _turn = turn(&path)?;
            out.replace(finished.path())
        };
        let done = std::thread::scope(|scope| {
            let writers = ["a", "b", "c", "d"].map(|letter| {
                scope.spawn(move || {
                    (0..60).filter(|_| add(letter).is_ok()).map(|_| letter).collect::<String>()
                })
            });
            writers.map(|writer| writer.join().unwrap()).concat()
        });
        let mut there: Vec<char> = fs::read_to_string(&path).unwrap().chars().collect();
        let mut done: Vec<char> = done.chars().collect();
        there.sort();
        done.sort();
        assert!(!done.is_empty());
        assert_eq!(there, done);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_turn_that_a_killed_writer_left_is_no_obstacle_where_there_are_locks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        fs::write(side_name(&path, "turn").unwrap(), "").unwrap();
        let began = Instant::now();
        Out::new(&path).unwrap().write("text").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"text");
        assert!(began.elapsed() < PATIENCE);
    }

    #[test]
    fn names_of_any_length_have_a_lock() {
        let folder = tempfile::tempdir().unwrap();
        for length in [1, 200, 201, 255] {
            drop(claim(&folder.path().join("é".repeat(length / 2) + &"x".repeat(length % 2))));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(Out::claimed(&folder.path().join("none/a.nc"), &mut || Ok(())).is_err());
        assert!(Out::claimed(folder.path(), &mut || Ok(())).is_err());
    }
}
