//! An open file: local, virtual or remote.

use std::fmt;

use super::fingerprint;
use super::origin::Place;
use crate::error::secrets::redact;
use crate::error::Result;
use crate::io::os::{self, FileState, LocalFile, VirtualFile};
use crate::io::remote::RemoteFile;
use crate::io::source::{Fetched, Source};

/// An open file, read by any number of threads at once.
#[derive(Debug)]
pub enum File {
    /// A regular file of this machine.
    Local(LocalFile),
    /// A file of GDAL's virtual file system.
    Virtual(VirtualFile),
    /// A file on a server.
    Remote(Box<RemoteFile>),
}

/// Identifies a file, whatever its names.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Identity {
    /// The identity that the operating system reports.
    Local(os::FileIdentity),
    /// The name of the file.
    Named(String),
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identity::Local(identity) => fmt::Debug::fmt(identity, f),
            Identity::Named(name) => f.write_str(&redact(name)),
        }
    }
}

impl Identity {
    /// Returns whether this is the identity of the file at a local path.
    pub(crate) fn is_of(&self, path: &std::path::Path) -> bool {
        matches!(self, Identity::Local(own) if os::identity_at(path).is_ok_and(|identity| identity == *own))
    }
}

impl File {
    /// Returns the identity of the file.
    pub fn identity(&self) -> Identity {
        match self {
            File::Local(file) => Identity::Local(file.identity().clone()),
            File::Virtual(file) => Identity::Named(file.name().to_owned()),
            File::Remote(file) => Identity::Named(file.identity()),
        }
    }

    /// Returns the state of the file when it was opened.
    pub fn state(&self) -> FileState {
        match self {
            File::Local(file) => file.state(),
            File::Virtual(file) => FileState { length: file.len(), modified: None },
            File::Remote(file) => file.state(),
        }
    }

    /// Returns a number for the state of the file when it was opened, if its server or file system distinguishes states.
    pub(crate) fn fingerprint(&self) -> Option<u64> {
        match self {
            File::Local(file) => fingerprint::of_local(&file.state()),
            File::Virtual(_) => None,
            File::Remote(file) => file.fingerprint(),
        }
    }

    /// Returns whether the file is unchanged since it was opened, as far as that is known without a request to a
    /// server.
    pub(crate) fn is_current(&self) -> bool {
        match self {
            File::Local(file) => file.is_current(),
            // GDAL keeps its own copies of what it reads, and does not report changes.
            File::Virtual(_) => true,
            File::Remote(file) => file.is_current(),
        }
    }

    /// Returns the places to which names in this file may be relative, if it was opened at `place`.
    pub(super) fn places(&self, place: Place) -> Vec<Place> {
        let led_to = match self {
            File::Remote(file) => file.led_to().map(Place::Remote),
            _ => None,
        };
        std::iter::once(place).chain(led_to).collect()
    }

    fn source(&self) -> &dyn Source {
        match self {
            File::Local(file) => file,
            File::Virtual(file) => file,
            File::Remote(file) => &**file,
        }
    }
}

/// A file that stays open while GDAL opens it too.
pub(crate) struct Pinned {
    path: String,
    file: std::sync::Arc<File>,
}

impl Pinned {
    /// Returns `None` if GDAL has no way to open this very file.
    pub(crate) fn new(file: &std::sync::Arc<File>) -> Option<Self> {
        let path = match &**file {
            File::Local(file) => file.pin_for_gdal()?,
            File::Virtual(file) => file.name().to_owned(),
            File::Remote(_) => return None,
        };
        Some(Pinned { path, file: std::sync::Arc::clone(file) })
    }

    /// Returns the path by which GDAL opens the file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let File::Local(file) = &*self.file {
            file.unpin();
        }
    }
}

impl Source for File {
    fn name(&self) -> &str {
        self.source().name()
    }

    fn len(&self) -> u64 {
        self.source().len()
    }

    fn stored(&self) -> u64 {
        self.source().stored()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        self.source().read_at(offset, buffer)
    }

    fn is_remote(&self) -> bool {
        self.source().is_remote()
    }

    fn expect_pages(&self, size: u64) {
        self.source().expect_pages(size);
    }

    fn expect_all(&self) {
        self.source().expect_all();
    }

    fn fetch(&self, ranges: &[std::ops::Range<u64>]) -> Result<Fetched> {
        self.source().fetch(ranges)
    }
}
