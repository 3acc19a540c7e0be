//! A file that GDAL has open, using only the drivers that may read fragments.

use std::ffi::{CStr, CString};
use std::ptr;

use cfa::plugin::{make_room, stays_inside, Asked};
use cfa::{Error, FragmentDriver, Kind, Result};
use gdal_sys as gdal;

use crate::array::GdalArray;
use crate::group::{texts, GdalGroup};
use crate::quiet::last_message;
use crate::subdataset::Subdataset;

/// Macros of GDAL's header that the bindings lack.
const OF_RASTER: u32 = 0x02;
const OF_MULTIDIM_RASTER: u32 = 0x10;

/// Opens the contents of one file.
pub(crate) struct Opener<'a> {
    /// The name used for the file in messages.
    file: &'a str,
    /// The path for GDAL.
    path: &'a str,
    drivers: &'a [FragmentDriver],
}

impl<'a> Opener<'a> {
    pub(crate) fn new(asked: &Asked<'a>) -> Self {
        Opener { file: asked.file, path: asked.path, drivers: asked.drivers }
    }

    /// Returns the path for GDAL.
    pub(crate) fn path(&self) -> &str {
        self.path
    }

    /// Opens the file with its bands and its list of subdatasets.
    ///
    /// # Errors
    /// `FragmentUnreadable`.
    pub(crate) fn bands(&self) -> Result<GdalDataset> {
        self.whole(OF_RASTER)
    }

    /// Opens the file with its multidimensional arrays.
    ///
    /// # Errors
    /// `FragmentUnreadable`.
    pub(crate) fn arrays(&self) -> Result<GdalDataset> {
        self.whole(OF_MULTIDIM_RASTER)
    }

    fn whole(&self, kind: u32) -> Result<GdalDataset> {
        let names: Vec<_> = self.drivers.iter().map(|driver| driver.name()).collect();
        GdalDataset::open(self.path, kind, &names)
            .ok_or_else(|| self.unreadable(format!("neither netCDF nor a file of {}", names.join(", "))))
    }

    /// Opens a subdataset that the file lists, with the driver that lists it.
    ///
    /// No other driver is used: GDAL also looks for a file of that very name, below the current directory.
    ///
    /// # Errors
    /// `FragmentUnreadable` with GDAL's message.
    pub(crate) fn subdataset(&self, whole: &GdalDataset, subdataset: &Subdataset<'_>) -> Result<GdalDataset> {
        let opens = |driver: &FragmentDriver| match driver {
            // The subdatasets that this driver lists are opened by another one, which has no other use.
            FragmentDriver::Hdf4 => "HDF4Image",
            driver => driver.name(),
        };
        let driver = whole.driver();
        let driver = self.drivers.iter().find(|known| Some(known.name()) == driver.as_deref()).map(opens);
        let opened = driver.and_then(|driver| GdalDataset::open(subdataset.listed, OF_RASTER, &[driver]));
        opened.ok_or_else(|| {
            let said = last_message().replace(self.path, self.file);
            self.unreadable(format!("subdataset '{}': {said}", subdataset.identifier()))
        })
    }

    fn unreadable(&self, message: impl Into<String>) -> Error {
        Error::new(Kind::FragmentUnreadable, message).in_file(self.file)
    }
}

/// An open dataset, closed with this object.
pub(crate) struct GdalDataset(gdal::GDALDatasetH);

impl Drop for GdalDataset {
    fn drop(&mut self) {
        // SAFETY: the handle is open and is not used after this.
        unsafe { gdal::GDALReleaseDataset(self.0) };
    }
}

impl GdalDataset {
    fn open(name: &str, kind: u32, drivers: &[&str]) -> Option<Self> {
        // To GDAL, an empty list means all drivers.
        if drivers.is_empty() {
            return None;
        }
        let name = CString::new(name).ok()?;
        let terms: Vec<CString> = drivers.iter().filter_map(|driver| CString::new(*driver).ok()).collect();
        let mut list: Vec<_> = terms.iter().map(|term| term.as_ptr()).collect();
        list.push(ptr::null());
        // No sibling files: what a driver finds beside the file is not under the policy.
        let siblings = [ptr::null()];
        // A driver may open a file more than once, and takes it for another format if it cannot.
        make_room(4);
        // SAFETY: C strings and lists that end with NULL, alive during the call.
        let dataset =
            unsafe { gdal::GDALOpenEx(name.as_ptr(), kind, list.as_ptr(), ptr::null(), siblings.as_ptr()) };
        // Not `then_some`: that would create an object from NULL and drop it.
        (!dataset.is_null()).then(|| GdalDataset(dataset))
    }

    /// Returns the name of the driver that opened it.
    fn driver(&self) -> Option<String> {
        // SAFETY: the handle is open; the driver and its name live as long as GDAL.
        unsafe {
            let driver = gdal::GDALGetDatasetDriver(self.0);
            if driver.is_null() {
                return None;
            }
            let name = CStr::from_ptr(gdal::GDALGetDriverShortName(driver));
            name.to_str().ok().map(str::to_owned)
        }
    }

    pub(crate) fn band_count(&self) -> i32 {
        // SAFETY: the handle is open.
        unsafe { gdal::GDALGetRasterCount(self.0) }
    }

    /// Returns a band as an array of rows and columns; the first has number 1.
    pub(crate) fn band(&self, number: i32) -> Option<GdalArray> {
        // SAFETY: the handle is open; a band that does not exist is NULL.
        unsafe {
            let band = gdal::GDALGetRasterBand(self.0, number);
            if band.is_null() {
                return None;
            }
            GdalArray::from_handle(gdal::GDALRasterBandAsMDArray(band))
        }
    }

    /// Returns the array of this full name; the slash at its start is optional.
    pub(crate) fn array(&self, name: &str) -> Option<GdalArray> {
        let name = name.trim_start_matches('/');
        // A driver may take the name for a path.
        if !stays_inside(name) {
            return None;
        }
        self.root()?.array(&format!("/{name}"))
    }

    /// Returns the full names of arrays in all groups, at most `most`.
    pub(crate) fn arrays(&self, most: usize) -> Vec<String> {
        self.root().map(|root| root.arrays(most)).unwrap_or_default()
    }

    fn root(&self) -> Option<GdalGroup> {
        // SAFETY: the handle is open; without groups the root is NULL.
        unsafe { GdalGroup::from_handle(gdal::GDALDatasetGetRootGroup(self.0)) }
    }

    /// Returns the names of subdatasets as GDAL lists them.
    pub(crate) fn subdatasets(&self) -> Vec<String> {
        // SAFETY: the handle is open and owns the list.
        let entries = unsafe { texts(gdal::GDALGetMetadata(self.0, c"SUBDATASETS".as_ptr())) };
        // Names and descriptions alternate: SUBDATASET_1_NAME=..., SUBDATASET_1_DESC=...
        let name = |entry: String| {
            entry.split_once('=').filter(|(key, _)| key.ends_with("_NAME")).map(|(_, name)| name.to_owned())
        };
        entries.into_iter().flatten().filter_map(name).collect()
    }
}
