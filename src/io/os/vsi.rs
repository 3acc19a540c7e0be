//! Files of GDAL's virtual file system: `/vsizip/`, `/vsimem/`, `/vsicurl/` and the like.
//!
//! A name that the user gave may lead here, and from there so may the names beside it. A name in another file may do so
//! only if a list in ALLOWED_SOURCES has it.

use std::ffi::{CStr, CString};
use std::os::raw::c_int;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use super::{check_end, fill};
use crate::error::Result;
use crate::io::source::Source;
use gdal_sys::{
    CSLDestroy, VSIFCloseL, VSIFOpenL, VSIFReadL, VSIFSeekL, VSIFTellL, VSIReadDirRecursive, VSILFILE,
};

const FROM_START: c_int = 0;
const FROM_END: c_int = 2;

/// An open file. A GDAL handle has one position, so each read uses a handle of its own.
#[derive(Debug)]
pub struct VirtualFile {
    name: String,
    length: u64,
    idle: Mutex<Vec<Handle>>,
}

#[derive(Debug)]
struct Handle(NonNull<VSILFILE>);

// SAFETY: GDAL lets a handle move between threads as long as one uses it at a time, and `Handle` is never shared.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the handle is open and is not used after this.
        unsafe { VSIFCloseL(self.0.as_ptr()) };
    }
}

impl Handle {
    fn open(name: &str) -> Option<Handle> {
        let name = CString::new(name).ok()?;
        // GDAL does not distinguish an absent file from a lack of descriptors.
        super::make_room(2);
        // SAFETY: both are C strings.
        NonNull::new(unsafe { VSIFOpenL(name.as_ptr(), c"rb".as_ptr()) }).map(Handle)
    }

    fn seek(&mut self, offset: u64, from: c_int) -> bool {
        // SAFETY: the handle is open and used by this thread alone.
        unsafe { VSIFSeekL(self.0.as_ptr(), offset, from) == 0 }
    }
}

impl VirtualFile {
    /// Opens a file. Returns `None` if there is none that can be read.
    pub fn open(path: &Path) -> Option<VirtualFile> {
        let name = path.to_str()?.to_owned();
        let mut handle = Handle::open(&name)?;
        if !handle.seek(0, FROM_END) {
            return None;
        }
        // SAFETY: the handle is open and used by this thread alone.
        let length = unsafe { VSIFTellL(handle.0.as_ptr()) };
        Some(VirtualFile { name, length, idle: Mutex::new(vec![handle]) })
    }

    fn read_some(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let handle = idle.or_else(|| Handle::open(&self.name));
        let mut handle = handle.ok_or_else(|| std::io::Error::other("GDAL cannot open it again"))?;
        if !handle.seek(offset, FROM_START) {
            return Err(std::io::Error::other("GDAL cannot seek in it"));
        }
        // SAFETY: the buffer has this many bytes; the handle is open and used by this thread alone.
        let count = unsafe { VSIFReadL(buffer.as_mut_ptr().cast(), 1, buffer.len(), handle.0.as_ptr()) };
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
        Ok(count)
    }
}

/// Returns the names of all files below a directory, relative to it, or `None` if it cannot be listed or a name is not
/// UTF-8.
pub(crate) fn list_virtual(directory: &str) -> Option<Vec<String>> {
    let directory = CString::new(directory).ok()?;
    let mut names = Some(Vec::new());
    // SAFETY: a C string; the list is NULL or ends with NULL, and this code must release it.
    unsafe {
        let list = VSIReadDirRecursive(directory.as_ptr());
        if list.is_null() {
            return None;
        }
        let mut entry = list;
        while !(*entry).is_null() {
            match CStr::from_ptr(*entry).to_str() {
                Ok(name) => names.iter_mut().for_each(|names: &mut Vec<String>| names.push(name.to_owned())),
                Err(_) => names = None,
            }
            entry = entry.add(1);
        }
        CSLDestroy(list);
    }
    names
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
