//! The entries of a directory. The standard library lists directories too, but ends the program if one cannot be closed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{descriptors::with_room, system};

/// What a name in a directory belongs to. A link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a FIFO, a socket.
    Other,
}

/// A name in a directory.
#[derive(Debug)]
pub(crate) struct Entry {
    name: OsString,
    path: PathBuf,
    /// If the system reports it with the name.
    kind: Option<EntryKind>,
}

impl Entry {
    /// Returns the name, without the directory.
    pub(crate) fn name(&self) -> &OsString {
        &self.name
    }

    /// Returns the path: that of the directory and the name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what it is.
    ///
    /// # Errors
    /// An I/O error if that is not known without a look, and it cannot be looked at.
    pub(crate) fn kind(&self) -> io::Result<EntryKind> {
        match self.kind {
            Some(kind) => Ok(kind),
            None => fs::symlink_metadata(&self.path).map(|found| EntryKind::of(found.file_type())),
        }
    }
}

impl EntryKind {
    /// Returns the kind for a type that the standard library reported.
    pub(crate) fn of(found: fs::FileType) -> EntryKind {
        if found.is_file() {
            EntryKind::File
        } else if found.is_dir() {
            EntryKind::Directory
        } else if found.is_symlink() {
            EntryKind::Link
        } else {
            EntryKind::Other
        }
    }
}

/// Returns the entries of a directory, in no order, without `.` and `..`.
///
/// # Errors
/// An I/O error if it cannot be opened; each entry may be one as well, after which there are no more.
pub(crate) fn entries(directory: &Path) -> io::Result<impl Iterator<Item = io::Result<Entry>>> {
    let mut open = with_room(|| system::Directory::open(directory))?;
    let directory = directory.to_owned();
    let mut is_over = false;
    Ok(std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let next = open.next();
        is_over = !matches!(next, Ok(Some(_)));
        next.transpose().map(|found| {
            let (name, kind) = found?;
            Ok(Entry { path: directory.join(&name), name, kind })
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn entries_are_those_of_the_standard_library() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for number in 0..500 {
            fs::write(at(&format!("{}{number}", "long".repeat(number % 50))), "").unwrap();
        }
        fs::create_dir(at(".hidden")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            std::os::unix::fs::symlink("nowhere", at("link")).unwrap();
            fs::write(at("").join(std::ffi::OsStr::from_bytes(b"not \xff UTF-8")), "").unwrap();
            let _listener = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        }
        let expected: BTreeMap<PathBuf, EntryKind> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.map(|e| (e.path(), EntryKind::of(e.file_type().unwrap()))).unwrap())
            .collect();
        let found: BTreeMap<PathBuf, EntryKind> = entries(folder.path())
            .unwrap()
            .map(|entry| entry.map(|e| (e.path().to_owned(), e.kind().unwrap())).unwrap())
            .collect();
        assert!(expected.len() > 500);
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_no_directory_has_no_entries() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(entries(folder.path()).unwrap().count(), 1);
        assert!(entries(&file).is_err());
        assert!(entries(&folder.path().join("none")).is_err());
        #[cfg(unix)]
        assert!(entries(Path::new("a\0b")).is_err());
    }
}
