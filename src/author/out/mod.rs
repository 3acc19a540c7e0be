//! The file that is written (OUT), and what it may replace. Every module that writes a file asks here.
//!
//! - OUT is never a file that is read: no input, and no fragment of an input, in any version and at any depth. Files
//!   are compared by identity, whatever their names, and no option permits it.
//! - `create` and `convert` replace an aggregation that has no data of its own, `extract` and a picture replace nothing, a report
//!   replaces a former report, a layer file a former one. With the option `overwrite`, all but reports replace anything
//!   else.
//! - A file that got the name of OUT during the work is kept.
//!
//! Files on servers are not compared: OUT is always on this machine.

mod claim;
mod fragments;
mod holdings;
mod temporary;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::io::location::{is_address, Identity};
use crate::io::os::{self, is_absence, shown, FileIdentity, FileState};
use crate::io::source::Source;
pub(crate) use temporary::Temporary;

/// A file to be written.
#[derive(Debug)]
pub(crate) struct Out {
    path: PathBuf,
    /// The target if the path is a symbolic link; its directory is without links.
    target: PathBuf,
    /// What was there when the work began.
    before: Found,
    /// Keeps other writers away.
    lock: Option<os::Lock>,
}

/// What is at a place.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// No file.
    Nothing,
    /// This file, as it was.
    File(FileIdentity, FileState),
    /// Something irrelevant: it is replaced whatever it is.
    Anything,
}

impl Out {
    /// Returns the file of this name. Whatever is there now must still be there when the new file replaces it.
    ///
    /// # Errors
    /// `Io` if no file can be written there, `Request` if it is not the name of a file.
    pub(crate) fn new(path: &Path) -> Result<Out> {
        let place = |e: Error| e.in_file(shown(path));
        let target = target_of(path).map_err(place)?;
        let before = found_at(&target).map_err(place)?;
        Ok(Out { path: path.to_owned(), target, before, lock: None })
    }

    /// Same as [`Out::new`], after waiting for all other writers of the file, who then wait for this one. Calls `wait`
    /// now and then.
    ///
    /// # Errors
    /// As [`Out::new`]; the errors of `wait`.
    pub(crate) fn claimed(path: &Path, wait: &mut dyn FnMut() -> Result<()>) -> Result<Out> {
        let place = |e: Error| e.in_file(shown(path));
        let lock = claim::lock(&target_of(path).map_err(place)?, wait).map_err(place)?;
        Ok(Out { lock, ..Out::new(path)? })
    }

    /// Same as [`Out::new`], for a file that is replaced whatever it is.
    ///
    /// # Errors
    /// As [`Out::new`].
    pub(crate) fn replacing_anything(path: &Path) -> Result<Out> {
        Ok(Out { before: Found::Anything, ..Out::new(path)? })
    }

    /// Returns the original path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the file itself: the target if the path is a symbolic link.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the original name, for messages.
    pub(crate) fn name(&self) -> String {
        shown(&self.path)
    }

    /// Returns whether the file exists already.
    pub(crate) fn exists(&self) -> bool {
        self.before != Found::Nothing
    }

    /// Returns whether this is the file at a path, or the place where it would be.
    pub(crate) fn is(&self, path: &Path) -> bool {
        match &self.before {
            Found::File(own, _) => os::identity_at(path).is_ok_and(|identity| identity == *own),
            _ => path.file_name() == self.target.file_name() && self.is_beside(path),
        }
    }

    /// Returns whether the existing file has this identity.
    fn is_identity(&self, identity: &FileIdentity) -> bool {
        matches!(&self.before, Found::File(own, _) if own == identity)
    }

    fn is_beside(&self, path: &Path) -> bool {
        let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::canonicalize(directory).is_ok_and(|directory| Some(&*directory) == self.target.parent())
    }

    /// Returns whether another file to be written is the same.
    pub(crate) fn is_also(&self, other: &Out) -> bool {
        self.target == other.target || (self.exists() && self.before == other.before)
    }

    /// Checks that a file that is read is a different one.
    ///
    /// # Errors
    /// `Request`.
    pub(crate) fn refuse_file(&self, dataset: &Dataset) -> Result<()> {
        let same = match (&self.before, &dataset.shared().identity) {
            (Found::File(own, _), Identity::Local(read)) if own == read => true,
            // Another file may have got its name since it was opened.
            (_, Identity::Local(_)) => {
                target_of(Path::new(dataset.name())).is_ok_and(|target| target == self.target)
            }
            _ => false,
        };
        match same {
            true => Err(self.refusal("it is the input file, which is never replaced; choose another name")),
            false => Ok(()),
        }
    }

    /// Checks that no fragment of an aggregation file that is read, at any depth, is this file.
    ///
    /// # Errors
    /// `Request` if one is, or if the files cannot be determined.
    pub(crate) fn refuse_fragments(&self, dataset: &Dataset) -> Result<()> {
        fragments::search(&[self], dataset)
    }

    /// Does the same for several files at once, so that the fragments are searched once.
    ///
    /// # Errors
    /// Those of [`Out::refuse_fragments`].
    pub(crate) fn refuse_fragments_of_all(outs: &[&Out], dataset: &Dataset) -> Result<()> {
        fragments::search(outs, dataset)
    }

    /// Checks that only a former report, which begins with this mark, is replaced.
    ///
    /// # Errors
    /// `Request`.
    pub(crate) fn refuse_all_but_reports(&self, mark: &str) -> Result<()> {
        if !self.exists() {
            return Ok(());
        }
        if self.begins_with(mark) {
            return Ok(());
        }
        let message =
            "it exists and is not a report of this kind; only an earlier report is replaced: choose another name";
        Err(self.refusal(message))
    }

    /// Returns whether the existing file begins with this mark of a former one.
    pub(crate) fn begins_with(&self, mark: &str) -> bool {
        let mut beginning = vec![0; mark.len()];
        let read = os::LocalFile::open(&self.target).and_then(|file| file.read_at(0, &mut beginning));
        self.exists() && read.is_ok() && beginning == mark.as_bytes()
    }

    /// Returns an error that says why this file is not written.
    pub(crate) fn refusal(&self, message: impl Into<String>) -> Error {
        Error::new(Kind::Request, message).in_file(self.name())
    }

    /// Returns a new file in the same directory that will get the name. Removes the temporary files that killed writers
    /// left.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn temporary(&self) -> Result<Temporary> {
        Temporary::beside(&self.target).map_err(|e| unwritable().because(e).in_file(self.name()))
    }

    /// Gives a finished file, which was flushed to disk, its name.
    ///
    /// # Errors
    /// `Io`; the file that had the name before then stays, and so does one that got it in the meantime. Only if the
    /// directory cannot be flushed to disk, the new file has the name all the same.
    pub(crate) fn take(&self, finished: &Temporary) -> Result<()> {
        if let Ok(old) = fs::metadata(&self.target) {
            fs::set_permissions(finished.path(), old.permissions()).map_err(misplaced)?;
        }
        match (&self.before, &self.lock) {
            (Found::Anything, _) => fs::rename(finished.path(), &self.target).map_err(misplaced)?,
            (_, Some(_)) => self.replace(finished.path())?,
            (_, None) => {
                let _moment = claim::moment(&self.target)?;
                self.replace(finished.path())?;
            }
        }
        finished.unlock();
        let message = "the new file has its name, but may lose it if the system fails";
        os::sync_directory(&self.target).map_err(|e| Error::new(Kind::Io, message).because(e))
    }

    /// Gives a finished file its name if what was there before still is. Only one writer at a time may call it.
    fn replace(&self, finished: &Path) -> Result<()> {
        match found_at(&self.target)? {
            Found::Nothing => os::settle(finished, &self.target).map_err(|e| match e.kind() {
                ErrorKind::AlreadyExists => meanwhile(),
                _ => misplaced(e),
            }),
            now if now == self.before => fs::rename(finished, &self.target).map_err(misplaced),
            _ => Err(meanwhile()),
        }
    }

    /// Writes a text or bytes to a temporary file, and flushes it to disk; [`Out::take`] gives it its name.
    ///
    /// # Errors
    /// `Io`.
    pub(crate) fn written(&self, text: impl AsRef<[u8]>) -> Result<Temporary> {
        let (text, temporary) = (text.as_ref(), self.temporary()?);
        let write = || -> std::io::Result<()> {
            let mut file = temporary.file()?;
            os::check_length(text.len() as u64)?;
            file.write_all(text)?;
            file.sync_all()?;
            os::close(file)
        };
        let io = |e| Error::new(Kind::Io, "it cannot be written").because(e).in_file(self.name());
        write().map_err(io)?;
        Ok(temporary)
    }

    /// Writes a text to this file.
    ///
    /// # Errors
    /// As [`Out::take`].
    #[cfg(test)]
    pub(crate) fn write(&self, text: &str) -> Result<()> {
        self.take(&self.written(text)?)
    }
}

fn unwritable() -> Error {
    Error::new(Kind::Io, "no file can be written there")
}

fn misplaced(error: std::io::Error) -> Error {
    Error::new(Kind::Io, "the new file cannot replace it").because(error)
}

fn meanwhile() -> Error {
    Error::new(Kind::Io, "another program created or changed it meanwhile, so it is kept; try again")
}

fn target_of(path: &Path) -> Result<PathBuf> {
    let io = |e| unwritable().because(e);
    if is_address(path) {
        let message =
            "it is an address; new files are written on this machine, and can be copied to a server then";
        return Err(Error::new(Kind::Request, message));
    }
    if is_name_of_directory(path) {
        return Err(Error::new(Kind::Request, "it is a directory; choose another name"));
    }
    if fs::symlink_metadata(path).is_ok_and(|m| m.is_symlink()) {
        return fs::canonicalize(path).map_err(io);
    }
    let absolute = std::path::absolute(path).map_err(io)?;
    let (Some(directory), Some(name)) = (absolute.parent(), absolute.file_name()) else {
        return Err(Error::new(Kind::Request, "it is not the name of a file"));
    };
    Ok(fs::canonicalize(directory).map_err(io)?.join(name))
}

/// Returns whether a path can only be that of a directory, whatever is there: `data/`, `data/.` and `..`.
fn is_name_of_directory(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    let is_separator = |byte: &u8| std::path::is_separator(char::from(*byte));
    matches!(text.rsplit(is_separator).next(), Some(b"" | b"." | b"..")) && !text.is_empty()
}

fn found_at(target: &Path) -> Result<Found> {
    let look = || -> std::io::Result<Found> {
        let metadata = fs::metadata(target)?;
        if !metadata.is_file() {
            return Ok(Found::Anything);
        }
        let state = FileState { length: metadata.len(), modified: metadata.modified().ok() };
        Ok(Found::File(os::identity_at(target)?, state))
    };
    match look() {
        Ok(Found::Anything) if target.is_dir() => Err(Error::new(Kind::Io, "it is a directory")),
        Ok(Found::Anything) => Err(Error::new(Kind::Io, "it is there and not a regular file")),
        Ok(found) => Ok(found),
        Err(error) if is_absence(&error) => Ok(Found::Nothing),
        Err(error) => Err(unwritable().because(error)),
    }
}
