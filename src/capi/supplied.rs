//! Files in memory, and files that the caller's function reads.

use std::ffi::{c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use super::boundary::{self, is_null, list, output, Failure};
use super::dataset::cfa_dataset;
use super::open::path_of;
use super::open_options::{cfa_open_options, settings};
use super::options::{taken, Options};
use super::status::{cfa_status, CFA_ERR_LIMIT};
use crate::{Dataset, Error, Kind};

/// Reads bytes of a file for cfa_dataset_open_source.
///
/// Called by any thread, also by several at once and by threads of the library.
///
/// @param offset    the first byte
/// @param size      the number of bytes, all of them within the length of the file
/// @param buffer    receives the bytes
/// @param user_data as given in the source
/// @return 0 if all bytes were read; anything else is CFA_ERR_IO with this number in the message
pub type cfa_source_read_callback = Option<
    unsafe extern "C" fn(offset: u64, size: usize, buffer: *mut c_void, user_data: *mut c_void) -> i32,
>;

/// Called once, by cfa_dataset_free, when the library no longer needs a source. If cfa_dataset_open_source
/// fails, the source stays the caller's and this is not called.
///
/// @param user_data as given in the source
pub type cfa_source_release_callback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// A file that the caller's function reads: in a language's own file object, an object store, an archive.
///
/// Begin with CFA_SOURCE_INIT. Later versions append fields, of which zero is the default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cfa_source {
    /// sizeof(cfa_source) of the caller.
    pub size: usize,
    /// The length of the file in bytes. It and the bytes must not change while the dataset is open.
    pub length: u64,
    /// Reads bytes.
    pub read: cfa_source_read_callback,
    /// Called when the source is no longer needed; or NULL.
    pub release: cfa_source_release_callback,
    /// Handed to the functions above.
    pub user_data: *mut c_void,
}

// SAFETY: a C structure that begins with its size and has no padding; its fields are numbers, pointers and functions
// that may be NULL.
unsafe impl Options for cfa_source {}

/// The caller's functions.
struct Reader {
    source: cfa_source,
    /// Whether the source is the library's, to be released.
    owned: AtomicBool,
}

// SAFETY: the contract of the C API (module capi): the functions may be called by any thread.
unsafe impl Send for Reader {}
// SAFETY: as above, also by several at once.
unsafe impl Sync for Reader {}

impl Reader {
    fn read(&self, offset: u64, buffer: &mut [u8]) -> crate::Result<()> {
        let Some(read) = self.source.read else {
            return Err(Error::new(Kind::Internal, "no function to read"));
        };
        // SAFETY: a function of this type (module capi), and a buffer of that size.
        let answer = unsafe { read(offset, buffer.len(), buffer.as_mut_ptr().cast(), self.source.user_data) };
        match answer {
            0 => Ok(()),
            _ => {
                let end = offset + buffer.len() as u64;
                let message =
                    format!("bytes {offset} to {end} are not readable: the read function returned {answer}");
                Err(Error::new(Kind::Io, message))
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let (true, Some(release)) = (*self.owned.get_mut(), self.source.release) {
            // SAFETY: a function of this type (module capi), called once.
            unsafe { release(self.source.user_data) };
        }
    }
}

/// Opens a netCDF file that is in memory.
///
/// @param bytes   the file; copied, so that the caller may free it at once
/// @param size    the number of bytes
/// @param name    the path or URL that the file would have: its name in messages, and what relative locations of
///                fragments are relative to. The settings on what may be opened apply as if it lay there. The
///                directory of a path must exist
/// @param options settings; NULL for the defaults
/// @param dataset receives the dataset, which is the caller's to free with cfa_dataset_free
/// @return CFA_OK; CFA_ERR_NOT_NETCDF, CFA_ERR_DAMAGED, CFA_ERR_UNSUPPORTED, CFA_ERR_LIMIT, CFA_ERR_ARGUMENT;
///         CFA_ERR_URI and CFA_ERR_IO if name is not a place where a file could be
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_open_memory(
    bytes: *const c_void,
    size: usize,
    name: *const c_char,
    options: *const cfa_open_options,
    dataset: *mut *mut cfa_dataset,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (bytes, name) = unsafe { (list(bytes.cast::<u8>(), size, "bytes")?, path_of(name, "name")?) };
        let place = output(dataset, "dataset")?;
        // SAFETY: as above.
        let options = unsafe { settings(options)? };
        let mut copy = Vec::new();
        copy.try_reserve_exact(size).map_err(|_| Failure::new(CFA_ERR_LIMIT, "no memory for the file"))?;
        copy.extend_from_slice(bytes);
        let opened = cfa_dataset::boxed(Dataset::open_bytes(copy, name, &options)?);
        // SAFETY: checked not to be NULL.
        unsafe { place.write(opened) };
        Ok(())
    })
}

/// Opens a netCDF file that a function of the caller reads.
///
/// Fragments are opened by the library, as those of any other file.
///
/// @param source  how the file is read; copied
/// @param name    as for cfa_dataset_open_memory
/// @param options settings; NULL for the defaults
/// @param dataset receives the dataset, which is the caller's to free with cfa_dataset_free
/// @return CFA_OK; CFA_ERR_IO if source->read fails; else as cfa_dataset_open_memory
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_dataset_open_source(
    source: *const cfa_source,
    name: *const c_char,
    options: *const cfa_open_options,
    dataset: *mut *mut cfa_dataset,
) -> cfa_status {
    boundary::status(|| {
        if source.is_null() {
            return Err(is_null("source"));
        }
        // SAFETY: the contract of the C API (module capi).
        let source = unsafe { taken(source, "source")? };
        if source.read.is_none() {
            return Err(is_null("source->read"));
        }
        // SAFETY: as above.
        let (name, options) = unsafe { (path_of(name, "name")?, settings(options)?) };
        let place = output(dataset, "dataset")?;
        let reader = Arc::new(Reader { source, owned: AtomicBool::new(false) });
        let shared = Arc::clone(&reader);
        let read = move |offset: u64, buffer: &mut [u8]| shared.read(offset, buffer);
        let opened = cfa_dataset::boxed(Dataset::open_supplied(source.length, read, name, &options)?);
        reader.owned.store(true, Ordering::Relaxed);
        // SAFETY: checked not to be NULL.
        unsafe { place.write(opened) };
        Ok(())
    })
}
