//! Fragments in formats of GDAL: GeoTIFF, GRIB, Zarr, HDF4. Only the GDAL plugin can read them, and registers how.
//!
//! The identifier of a version is one of three: the number of a band, whose rows and columns are then the array; the
//! name of a multidimensional array; or a subdataset as GDAL lists it, without the file: `GTIFF_DIR:2`. The bands of a
//! subdataset are its first dimension, unless there is only one.
//!
//! Only the drivers of the setting FRAGMENT_DRIVERS are used: a file that names other sources, such as a VRT under any
//! name, is refused. Rows are read as they are stored.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::hdf4;
use crate::error::{Error, Kind, Result};
use crate::io::location::{File, Pinned};
use crate::io::source::Source;
use crate::options::FragmentDriver;
use crate::selection::Selection;
use crate::value::{Attributes, DataType};

/// The formats of GDAL.
pub trait ForeignFormats: Sync {
    /// Opens an array of a file or store that the access policy allowed.
    ///
    /// # Errors
    /// `FragmentUnreadable`, `FragmentVariable`, `FragmentType` for complex numbers, text and unequal bands.
    fn open(&self, asked: &Asked<'_>) -> Result<ForeignArray>;
}

/// An array that is to be opened.
pub struct Asked<'a> {
    /// The path or name that GDAL opens.
    pub path: &'a str,
    /// The name of the file in messages.
    pub file: &'a str,
    /// The name of the array, see the module.
    pub identifier: &'a str,
    /// The drivers that may open it; at least one.
    pub drivers: &'a [FragmentDriver],
}

/// An open array.
pub struct ForeignArray {
    /// Its shape.
    pub shape: Vec<u64>,
    /// The type of its numbers.
    pub data_type: DataType,
    /// The attributes that the canonical form needs.
    pub attributes: Attributes,
    /// Its numbers.
    pub numbers: Box<dyn ForeignNumbers>,
}

/// The numbers of an open array, which one thread reads at a time.
pub trait ForeignNumbers: Send {
    /// Reads numbers in C order and native byte order.
    ///
    /// # Errors
    /// `FragmentUnreadable` with GDAL's message.
    fn read(&mut self, selection: &Selection, out: &mut [u8]) -> Result<()>;
}

static FORMATS: OnceLock<&'static dyn ForeignFormats> = OnceLock::new();

/// Makes formats known. The first ones stay.
pub fn register_formats(formats: &'static dyn ForeignFormats) {
    let _ = FORMATS.set(formats);
}

/// Returns the formats, if this process can read any.
pub(crate) fn formats() -> Option<&'static dyn ForeignFormats> {
    FORMATS.get().copied()
}

/// Returns whether a format of an aggregation file is one of these and can be read.
pub(crate) fn is_readable(format: &str) -> bool {
    formats().is_some() && FragmentDriver::ALL.iter().any(|&driver| names_of(driver).contains(&format))
}

/// Returns the names of a driver's format in aggregation files.
fn names_of(driver: FragmentDriver) -> &'static [&'static str] {
    match driver {
        FragmentDriver::GeoTiff => &["gtiff", "geotiff", "tiff", "tif", "cog"],
        FragmentDriver::Grib => &["grib", "grib1", "grib2", "grb", "grb2"],
        FragmentDriver::Zarr => &["zarr", "zarr2"],
        FragmentDriver::Hdf4 => &["hdf4", "hdf"],
    }
}

/// An array in such a file.
pub(crate) struct Foreign {
    file: String,
    shape: Vec<u64>,
    data_type: DataType,
    attributes: Attributes,
    numbers: Mutex<Box<dyn ForeignNumbers>>,
    /// The path that was passed to GDAL may lead through this open file.
    opened: Option<Pinned>,
}

impl Foreign {
    /// Opens an array of a file that the access policy allowed, with those of the drivers that read the format, or with
    /// all if no format is given.
    ///
    /// GDAL opens the file that is open already, not the one that its name leads to by now.
    ///
    /// # Errors
    /// As [`ForeignFormats::open`].
    pub(crate) fn in_file(
        formats: &dyn ForeignFormats,
        opened: &Arc<File>,
        format: Option<&str>,
        identifier: &str,
        drivers: &[FragmentDriver],
    ) -> Result<Self> {
        let file = opened.name();
        let Some(pinned) = Pinned::new(opened) else {
            let message =
                "it is not netCDF; other formats are read only from local files and GDAL's file systems";
            return Err(Error::new(Kind::FragmentUnreadable, message).in_file(file));
        };
        if hdf4::has_external_elements(&**opened).map_err(super::unreadable)? {
            let message = "it has data in other files, which are not under ALLOWED_SOURCES";
            return Err(Error::new(Kind::FragmentUnreadable, message).in_file(file));
        }
        // A store is a directory: a file that the driver accepts as a store lists chunks of other files.
        let drivers: Vec<_> =
            drivers.iter().copied().filter(|&driver| driver != FragmentDriver::Zarr).collect();
        let drivers = drivers_for(format, &drivers);
        let asked = Asked { path: pinned.path(), file, identifier, drivers: &drivers };
        let array = Self::open(formats, &asked)?;
        Ok(Foreign { opened: Some(pinned), ..array })
    }

    /// Opens an array of a Zarr store that the access policy allowed.
    ///
    /// # Errors
    /// As [`ForeignFormats::open`].
    pub(crate) fn in_store(
        formats: &dyn ForeignFormats,
        path: &str,
        identifier: &str,
        drivers: &[FragmentDriver],
    ) -> Result<Self> {
        let drivers = drivers_for(Some("zarr"), drivers);
        Self::open(formats, &Asked { path, file: path, identifier, drivers: &drivers })
    }

    fn open(formats: &dyn ForeignFormats, asked: &Asked<'_>) -> Result<Self> {
        if asked.drivers.is_empty() {
            let message = "the setting FRAGMENT_DRIVERS allows no driver for it";
            return Err(Error::new(Kind::FragmentUnreadable, message).in_file(asked.file));
        }
        let ForeignArray { shape, data_type, attributes, numbers } = formats.open(asked)?;
        let (file, numbers) = (asked.file.to_owned(), Mutex::new(numbers));
        Ok(Foreign { file, shape, data_type, attributes, numbers, opened: None })
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    pub(crate) fn shape(&self) -> &[u64] {
        &self.shape
    }

    pub(crate) fn data_type(&self) -> DataType {
        self.data_type
    }

    pub(crate) fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Reads numbers in C order and native byte order.
    ///
    /// # Errors
    /// `FragmentUnreadable` with GDAL's message.
    pub(crate) fn read(&self, selection: &Selection, out: &mut [u8]) -> Result<()> {
        if selection.is_empty() {
            return Ok(());
        }
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.read(selection, out).map_err(|error| self.named(error))
    }

    /// Replaces the path that was passed to GDAL with the name of the file in an error.
    fn named(&self, error: Error) -> Error {
        let message = match &self.opened {
            Some(pinned) => error.message().replace(pinned.path(), &self.file),
            None => error.message().to_owned(),
        };
        Error::new(error.kind(), message).in_file(&*self.file)
    }
}

/// Returns those of the drivers that read a format; all if no format is given.
fn drivers_for(format: Option<&str>, drivers: &[FragmentDriver]) -> Vec<FragmentDriver> {
    let is_asked = |driver: FragmentDriver| format.is_none_or(|format| names_of(driver).contains(&format));
    drivers.iter().copied().filter(|&driver| is_asked(driver)).collect()
}
