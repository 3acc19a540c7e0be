//! Opens datasets from bytes that the caller holds or fetches, instead of a file.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use crate::container::Container;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::io::location::{self, Identity};
use crate::io::source::Supplied;
use crate::options::OpenOptions;

impl Dataset {
    /// Opens a file that is in memory.
    ///
    /// `name` is the path or address that the file would have. Messages contain it, and locations of fragments are
    /// relative to it. The access policy applies as if the file lay there.
    ///
    /// ```
    /// use cfa::{Dataset, OpenOptions};
    ///
    /// // A classic file without dimensions, attributes and variables.
    /// let mut bytes = b"CDF\x01".to_vec();
    /// bytes.resize(32, 0);
    /// let dataset = Dataset::open_bytes(bytes, "empty.nc", &OpenOptions::default())?;
    /// assert_eq!((dataset.name(), dataset.variables().len()), ("empty.nc", 0));
    /// # Ok::<(), cfa::Error>(())
    /// ```
    ///
    /// # Errors
    /// `NotNetcdf`, `Damaged`; `Io` when the directory of `name` does not exist, `Uri` when it is a malformed address.
    pub fn open_bytes(bytes: Vec<u8>, name: impl AsRef<Path>, options: &OpenOptions) -> Result<Self> {
        let len = bytes.len() as u64;
        let read = move |offset: u64, buffer: &mut [u8]| {
            let start = offset as usize;
            buffer.copy_from_slice(&bytes[start..start + buffer.len()]);
            Ok(())
        };
        Dataset::open_supplied(len, read, name, options)
    }

    /// Opens a file of `len` bytes that a function reads: it fills a buffer from an offset on, within the length. Several
    /// threads may call it at once. `name` is as for [`Dataset::open_bytes`].
    ///
    /// # Errors
    /// As [`Dataset::open_bytes`], and those of the function.
    pub fn open_supplied(
        len: u64,
        read: impl Fn(u64, &mut [u8]) -> Result<()> + Send + Sync + 'static,
        name: impl AsRef<Path>,
        options: &OpenOptions,
    ) -> Result<Self> {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let (name, origin) = location::origin_named(name.as_ref())?;
        // Two files of the same name are different files.
        let identity = Identity::Named(format!("supplied {}", LAST.fetch_add(1, Ordering::Relaxed)));
        let container = Arc::new(Container::open(Arc::new(Supplied { name, len, read }))?);
        Dataset::from_container(container, identity, origin, options)
    }
}
