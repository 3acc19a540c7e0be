//! The right to replace a file, which one writer has at a time.
//!
//! Whoever reads a file to write it anew holds a lock from before the reading until the new one has its name: otherwise
//! the second of two who do so at once would write what the first has not seen. Programs that know nothing of the lock are
//! noticed: what is replaced has to be what was there when it was taken.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::unwritable;
use crate::error::{Error, Kind, Result};
use crate::os::{Lock, Locking};

/// The longest pause between two looks at whether another writer is done.
const PAUSE: Duration = Duration::from_millis(100);

/// Waits for other writers of the file, calling `wait` now and then. There is no lock where the file system has none; what
/// was replaced in the meantime is noticed all the same.
///
/// # Errors
/// `Io` when no file can be written there; what `wait` returns.
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

/// The name of the lock: that of the file, shortened where that leaves no room for more.
fn lock_name(target: &Path) -> Result<PathBuf> {
    let (Some(directory), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(Error::new(Kind::Request, "it is not the name of a file"));
    };
    let name = name.to_string_lossy();
    let short: String = match name.len() {
        0..=200 => name.into_owned(),
        _ => name.chars().take(60).collect(),
    };
    Ok(directory.join(format!(".{short}.lock")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Out;
    use super::*;

    fn claim(path: &Path) -> Out {
        Out::claimed(path, &mut || Ok(())).unwrap()
    }

    /// Puts a new file in the place of the claimed one.
    fn take(out: &Out) -> Result<()> {
        let finished = out.temporary()?;
        fs::write(finished.path(), "new").unwrap();
        out.take(finished.path())
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
