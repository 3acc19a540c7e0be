//! Fragments in formats of GDAL: GeoTIFF, GRIB, Zarr, HDF4. Built into the GDAL plugin alone.
//!
//! The identifier of a version is the number of a band, whose rows and columns are then the array, the name of a
//! multidimensional array, or a subdataset of one band as GDAL lists it, without the file: `GTIFF_DIR:2`. Only the
//! drivers of the setting FRAGMENT_DRIVERS are asked: a file that names other sources, such as a VRT under whatever
//! name, is refused. Rows are taken as they are stored.

use std::sync::{Arc, Mutex, PoisonError};

use super::gdal_array::{GdalArray, Traits};
use super::gdal_dataset::{formats, GdalDataset, Opener};
use super::hdf4;
use super::quiet::Quiet;
use crate::error::{Error, Kind, Result};
use crate::location::LocalFile;
use crate::options::FragmentDriver;
use crate::selection::Selection;
use crate::source::Source;
use crate::value::{Attributes, DataType};

/// Whether a format of an aggregation file is one of these.
pub(crate) fn is_known_format(format: &str) -> bool {
    FragmentDriver::ALL.iter().any(|&driver| formats(driver).contains(&format))
}

/// An array in such a file.
pub(crate) struct Foreign {
    file: String,
    shape: Vec<u64>,
    data_type: DataType,
    attributes: Attributes,
    handles: Mutex<Handles>,
    /// The path that GDAL was given may lead through this open file.
    opened: Option<Arc<LocalFile>>,
}

/// An array and the dataset it belongs to, which ends after it.
struct Handles {
    array: GdalArray,
    _dataset: GdalDataset,
}

// SAFETY: GDAL lets its objects move between threads as long as one uses them at a time; the mutex sees to that.
unsafe impl Send for Handles {}

impl Foreign {
    /// Opens an array of a file that the access policy allowed, with one of these drivers.
    ///
    /// GDAL opens the file that is open already, not what its name leads to by now.
    ///
    /// # Errors
    /// `FragmentUnreadable`, `FragmentVariable`, `FragmentType` for complex numbers and text.
    pub(crate) fn in_file(
        opened: &Arc<LocalFile>,
        format: Option<&str>,
        identifier: &str,
        drivers: &[FragmentDriver],
    ) -> Result<Self> {
        let (path, file) = (opened.path_for_others(), opened.name());
        if hdf4::has_external_elements(&**opened).map_err(super::unreadable)? {
            let message = "it has data in other files, which are not under ALLOWED_SOURCES";
            return Err(Error::new(Kind::FragmentUnreadable, message).in_file(file));
        }
        // A store is a directory: a file that the driver takes for one lists chunks of other files.
        let drivers: Vec<_> =
            drivers.iter().copied().filter(|&driver| driver != FragmentDriver::Zarr).collect();
        let array = Self::open(&Opener::new(&path, file, format, &drivers)?, file, identifier)?;
        Ok(Foreign { opened: Some(Arc::clone(opened)), ..array })
    }

    /// Opens an array of a Zarr store that the access policy allowed.
    ///
    /// # Errors
    /// As [`Foreign::in_file`].
    pub(crate) fn in_store(path: &str, identifier: &str, drivers: &[FragmentDriver]) -> Result<Self> {
        Self::open(&Opener::new(path, path, Some("zarr"), drivers)?, path, identifier)
    }

    /// Opens an array of a file, which messages call `file`.
    fn open(opener: &Opener<'_>, file: &str, identifier: &str) -> Result<Self> {
        let _quiet = Quiet::new();
        let Some(handles) = find(opener, identifier)? else {
            let message = format!("it has no band, array or subdataset of one band '{identifier}'");
            return Err(Error::new(Kind::FragmentVariable, message).in_file(file));
        };
        let Traits { shape, data_type, attributes } = handles.array.traits();
        let Some(data_type) = data_type else {
            let message = format!("'{identifier}' has complex numbers or text");
            return Err(Error::new(Kind::FragmentType, message).in_file(file));
        };
        let handles = Mutex::new(handles);
        Ok(Foreign { file: file.to_owned(), shape, data_type, attributes, handles, opened: None })
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
        let _quiet = Quiet::new();
        let handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        let element = self.data_type.size().unwrap_or(0);
        handles.array.read(&self.shape, element, selection, out).map_err(|error| self.named(error))
    }

    /// An error with the name of the file for the path that GDAL was given.
    fn named(&self, error: Error) -> Error {
        let message = match &self.opened {
            Some(opened) => error.message().replace(&opened.path_for_others(), &self.file),
            None => error.message().to_owned(),
        };
        Error::new(error.kind(), message).in_file(&*self.file)
    }
}

/// Finds what an identifier names.
fn find(opener: &Opener<'_>, identifier: &str) -> Result<Option<Handles>> {
    let with = |array, dataset| Handles { array, _dataset: dataset };
    if let Some(number) = identifier.trim().parse::<u32>().ok().and_then(|n| i32::try_from(n).ok()) {
        let dataset = opener.bands()?;
        return Ok(dataset.band(number).map(|band| with(band, dataset)));
    }
    // A file of a driver that has no arrays may have subdatasets.
    if let Ok(dataset) = opener.arrays() {
        if let Some(array) = dataset.array(identifier) {
            return Ok(Some(with(array, dataset)));
        }
    }
    let name = format!("{identifier}:{}", opener.path());
    // One that is not listed is not opened, whatever file it names.
    if !opener.bands()?.subdatasets().contains(&name) {
        return Ok(None);
    }
    let dataset = opener.subdataset(&name)?;
    let band = if dataset.band_count() == 1 { dataset.band(1) } else { None };
    Ok(band.map(|band| with(band, dataset)))
}
