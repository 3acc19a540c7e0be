//! Files of GDAL's virtual file system: `/vsizip/`, `/vsimem/`, `/vsicurl/` and the like.
//!
//! Only the GDAL plugin has one, and registers it. In every other program a name that begins with `/vsi` is a path like
//! others. A name that the user gave may lead here, and from there so may the names beside it. A name in another file may
//! do so only if a list in ALLOWED_SOURCES has it.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{check_end, fill, make_room};
use crate::error::Result;
use crate::io::source::Source;

/// A virtual file system and the options that belong to it.
pub trait VirtualFiles: Sync {
    /// Opens a file. Returns `None` if there is none that can be read.
    fn open(&self, name: &str) -> Option<Box<dyn VirtualHandle>>;

    /// Returns the names of all files below a directory, relative to it, or `None` if it cannot be listed or a name is
    /// not UTF-8.
    fn list(&self, directory: &str) -> Option<Vec<String>>;

    /// Returns an option or else a variable of the environment, if it is set and is text.
    fn variable(&self, name: &str) -> Option<String>;
}

/// An open file with one position: one thread uses it at a time.
pub trait VirtualHandle: Send + fmt::Debug {
    /// Returns the length of the file in bytes, or `None` if it has none.
    fn length(&mut self) -> Option<u64>;

    /// Reads bytes at an offset. Returns how many; none at the end of the file.
    ///
    /// # Errors
    /// If the offset cannot be reached.
    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

static SYSTEM: OnceLock<&'static dyn VirtualFiles> = OnceLock::new();

/// Makes a virtual file system known. The first one stays.
pub fn register_virtual_files(system: &'static dyn VirtualFiles) {
    let _ = SYSTEM.set(system);
}

/// Returns the virtual file system, if this process has one.
pub(super) fn system() -> Option<&'static dyn VirtualFiles> {
    SYSTEM.get().copied()
}

/// Returns whether a name that the user gave belongs to GDAL's virtual file system.
pub(crate) fn is_virtual(path: &Path) -> bool {
    system().is_some() && path.to_str().is_some_and(|path| path.starts_with("/vsi"))
}

/// Returns the names of all files below a directory, relative to it, or `None` if it cannot be listed or a name is not
/// UTF-8.
pub(crate) fn list_virtual(directory: &str) -> Option<Vec<String>> {
    system()?.list(directory)
}

/// An open file. A handle has one position, so each read uses a handle of its own.
#[derive(Debug)]
pub struct VirtualFile {
    name: String,
    length: u64,
    idle: Mutex<Vec<Box<dyn VirtualHandle>>>,
}

impl VirtualFile {
    /// Opens a file. Returns `None` if there is none that can be read.
    pub fn open(path: &Path) -> Option<VirtualFile> {
        let name = path.to_str()?.to_owned();
        let mut handle = open_handle(&name)?;
        let length = handle.length()?;
        Some(VirtualFile { name, length, idle: Mutex::new(vec![handle]) })
    }

    fn read_some(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let handle = idle.or_else(|| open_handle(&self.name));
        let mut handle = handle.ok_or_else(|| io::Error::other("GDAL cannot open it again"))?;
        let count = handle.read_at(buffer, offset)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
        Ok(count)
    }
}

fn open_handle(name: &str) -> Option<Box<dyn VirtualHandle>> {
    let system = system()?;
    // GDAL does not distinguish an absent file from a lack of descriptors.
    make_room(2);
    system.open(name)
}

impl Source for VirtualFile {
    fn name(&self) -> &str {
        &self.name
    }

    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_end(self, offset, buffer.len())?;
        fill(self, offset, buffer, |part, at| self.read_some(part, at))
    }
}
