//! Where files lie: the place of one file, and the origin of an aggregation file, from which its locations are
//! resolved.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::os::shown;
use crate::io::remote::{S3Settings, Url};

/// Where a file lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// On this machine.
    Local(PathBuf),
    /// In GDAL's virtual file system: an archive, memory, a store.
    Virtual(PathBuf),
    /// On a server.
    Remote(Url),
}

impl Place {
    /// Returns the address without user name and password, if the place is on a server.
    pub(crate) fn address(&self) -> Option<String> {
        match self {
            Place::Remote(url) => Some(url.to_location()),
            Place::Local(_) | Place::Virtual(_) => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Local(path) | Place::Virtual(path) => f.write_str(&redact(&shown(path))),
            Place::Remote(url) => fmt::Display::fmt(url, f),
        }
    }
}

/// Where an aggregation file is; the locations in it are resolved from there.
#[derive(Clone, Debug)]
pub struct Origin {
    /// What relative locations are relative to.
    pub(super) base: Base,
    /// The same for the file that the user named, without symbolic links.
    pub(super) home: Base,
    pub(super) s3: S3Settings,
}

/// Directories, in the order in which they are searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Local(Vec<PathBuf>),
    Virtual(PathBuf),
    /// The addresses of the file itself: the given one, and the one that it redirected to.
    Remote(Vec<Url>),
}

impl Origin {
    /// Returns the origin of an aggregation file on this machine that the user named.
    ///
    /// The path is made absolute, so that a later change of the working directory does not matter.
    ///
    /// # Errors
    /// `Io` if the path or its directory cannot be resolved.
    pub fn local(path: &Path) -> Result<Self> {
        let unresolved =
            |error| Error::new(Kind::Io, "its directory is not found").because(error).in_file(shown(path));
        let directories = directories_of(&std::path::absolute(path).map_err(unresolved)?);
        let real = directories.iter().map(fs::canonicalize).collect::<Result<_, _>>().map_err(unresolved)?;
        Ok(Origin { base: Base::Local(directories), home: Base::Local(real), s3: S3Settings::default() })
    }

    /// Returns the origin of an aggregation file that the user named and that was found at these places. The first
    /// place is the one that the user gave.
    ///
    /// # Errors
    /// `Io` as for [`Origin::local`].
    pub(super) fn of(places: &[Place], s3: S3Settings) -> Result<Self> {
        if let [Place::Local(path), ..] = places {
            return Origin::local(path);
        }
        let base = Base::of(places);
        Ok(Origin { home: base.clone(), base, s3 })
    }

    /// Returns the origin of a fragment, found at these places, that is itself an aggregation file. Names are relative
    /// to it, but siblings remain those of the file that the user named.
    pub fn nested(&self, places: &[Place]) -> Self {
        Origin { base: Base::of(places), home: self.home.clone(), s3: self.s3.clone() }
    }

    /// Returns the directories, without symbolic links, whose files count as siblings.
    pub(super) fn siblings(&self) -> Vec<PathBuf> {
        match &self.home {
            Base::Local(directories) => directories.clone(),
            Base::Virtual(_) | Base::Remote(_) => Vec::new(),
        }
    }

    /// Returns whether names are relative to a file on a server.
    pub(super) fn is_remote(&self) -> bool {
        matches!(self.base, Base::Remote(_))
    }

    /// Returns whether both the aggregation file and the one that the user named lie on this machine.
    pub(crate) fn is_local(&self) -> bool {
        matches!((&self.base, &self.home), (Base::Local(_), Base::Local(_)))
    }
}

impl Base {
    fn of(places: &[Place]) -> Self {
        match places {
            [] => Base::Local(Vec::new()),
            [Place::Local(path), ..] => Base::Local(directories_of(path)),
            [Place::Virtual(path), ..] => Base::Virtual(directory_of(path)),
            [Place::Remote(_), ..] => {
                let url = |place: &Place| match place {
                    Place::Remote(url) => Some(url.clone()),
                    _ => None,
                };
                Base::Remote(places.iter().filter_map(url).collect())
            }
        }
    }
}

fn directory_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

fn directories_of(path: &Path) -> Vec<PathBuf> {
    let mut directories = vec![directory_of(path)];
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        if let Ok(target) = fs::canonicalize(path) {
            let directory = directory_of(&target);
            if !directories.contains(&directory) {
                directories.push(directory);
            }
        }
    }
    directories
}
