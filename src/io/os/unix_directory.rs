//! Unix: `opendir`, `readdir` and `closedir`.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

use super::directory::EntryKind;

#[cfg(not(any(target_os = "linux", target_os = "android")))]
use libc::readdir;
#[cfg(any(target_os = "linux", target_os = "android"))]
use libc::readdir64 as readdir;

/// An open directory.
pub struct Directory(NonNull<libc::DIR>);

impl Directory {
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: the path ends with a NUL and outlives the call.
        let directory = unsafe { libc::opendir(path.as_ptr()) };
        NonNull::new(directory).map(Directory).ok_or_else(io::Error::last_os_error)
    }

    /// Returns the next name, and what it belongs to if the file system says so; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<(OsString, Option<EntryKind>)>> {
        loop {
            // The end and an error differ only in `errno`.
            // SAFETY: the place of `errno` of this thread is valid for as long as the thread lives.
            unsafe { *errno() = 0 };
            // SAFETY: the directory is open, and no other thread uses it while it is exclusively borrowed.
            let Some(entry) = NonNull::new(unsafe { readdir(self.0.as_ptr()) }) else {
                let error = io::Error::last_os_error();
                return if error.raw_os_error() == Some(0) { Ok(None) } else { Err(error) };
            };
            // SAFETY: the entry is valid until the next call for this directory. It may be shorter than its type, so
            // that only places within it are formed; the name ends with a NUL.
            let (name, kind) = unsafe {
                let entry = entry.as_ptr();
                (CStr::from_ptr((&raw const (*entry).d_name).cast()), (*entry).d_type)
            };
            if !matches!(name.to_bytes(), b"." | b"..") {
                return Ok(Some((OsStr::from_bytes(name.to_bytes()).to_owned(), known(kind))));
            }
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // A directory was only read from: nothing is lost if it cannot be closed.
        // SAFETY: it is open, and nobody uses it after this.
        unsafe { libc::closedir(self.0.as_ptr()) };
    }
}

/// Returns the kind for the type of an entry; `None` if the file system does not report types.
fn known(kind: u8) -> Option<EntryKind> {
    match kind {
        libc::DT_UNKNOWN => None,
        libc::DT_REG => Some(EntryKind::File),
        libc::DT_DIR => Some(EntryKind::Directory),
        libc::DT_LNK => Some(EntryKind::Link),
        _ => Some(EntryKind::Other),
    }
}

fn errno() -> *mut libc::c_int {
    #[cfg(any(target_os = "android", target_os = "netbsd", target_os = "openbsd"))]
    use libc::__errno as place;
    #[cfg(target_os = "linux")]
    use libc::__errno_location as place;
    #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
    use libc::__error as place;
    // SAFETY: the function takes nothing and cannot fail.
    unsafe { place() }
}
