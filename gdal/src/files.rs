//! Files of GDAL's virtual file system, and GDAL's options.

use std::ffi::{CStr, CString};
use std::io;
use std::os::raw::c_int;
use std::ptr::{self, NonNull};

use cfa::plugin::{VirtualFiles, VirtualHandle};
use gdal_sys::{
    CPLGetConfigOption, CSLDestroy, VSIFCloseL, VSIFOpenL, VSIFReadL, VSIFSeekL, VSIFTellL,
    VSIReadDirRecursive, VSILFILE,
};

use crate::group::texts;

const FROM_START: c_int = 0;
const FROM_END: c_int = 2;

/// GDAL's virtual file system.
pub(crate) struct Gdal;

impl VirtualFiles for Gdal {
    fn open(&self, name: &str) -> Option<Box<dyn VirtualHandle>> {
        let name = CString::new(name).ok()?;
        // SAFETY: both are C strings.
        let handle = NonNull::new(unsafe { VSIFOpenL(name.as_ptr(), c"rb".as_ptr()) })?;
        Some(Box::new(Handle(handle)))
    }

    fn list(&self, directory: &str) -> Option<Vec<String>> {
        let directory = CString::new(directory).ok()?;
        // SAFETY: a C string; the list is NULL or ends with NULL, and this code must release it.
        unsafe {
            let list = VSIReadDirRecursive(directory.as_ptr());
            let names = (!list.is_null()).then(|| texts(list));
            CSLDestroy(list);
            names?.into_iter().collect()
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        let key = CString::new(name).ok()?;
        // SAFETY: the key is a C string; without a default GDAL returns null or a C string, which is copied at once.
        let value = unsafe {
            let value = CPLGetConfigOption(key.as_ptr(), ptr::null());
            (!value.is_null()).then(|| CStr::from_ptr(value))
        };
        value.and_then(|value| value.to_str().ok()).map(str::to_owned)
    }
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
    fn seek(&mut self, offset: u64, from: c_int) -> bool {
        // SAFETY: the handle is open and used by this thread alone.
        unsafe { VSIFSeekL(self.0.as_ptr(), offset, from) == 0 }
    }
}

impl VirtualHandle for Handle {
    fn length(&mut self) -> Option<u64> {
        // SAFETY: the handle is open and used by this thread alone.
        self.seek(0, FROM_END).then(|| unsafe { VSIFTellL(self.0.as_ptr()) })
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if !self.seek(offset, FROM_START) {
            return Err(io::Error::other("GDAL cannot seek in it"));
        }
        // SAFETY: the buffer has this many bytes; the handle is open and used by this thread alone.
        Ok(unsafe { VSIFReadL(buffer.as_mut_ptr().cast(), 1, buffer.len(), self.0.as_ptr()) })
    }
}
