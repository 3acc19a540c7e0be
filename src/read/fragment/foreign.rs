//! Fragments in formats of GDAL: GeoTIFF, GRIB, Zarr, HDF4. Only the GDAL plugin includes this.
//!
//! The identifier of a version is one of three: the number of a band, whose rows and columns are then the array; the
//! name of a multidimensional array; or a subdataset as GDAL lists it, without the file: `GTIFF_DIR:2`. The bands of a
//! subdataset are its first dimension, unless there is only one.
//!
//! Only the drivers of the setting FRAGMENT_DRIVERS are used: a file that names other sources, such as a VRT under any
//! name, is refused. Rows are read as they are stored.

use std::sync::{Arc, Mutex, PoisonError};

use super::gdal_array::{GdalArray, Traits};
use super::gdal_dataset::{formats, GdalDataset, Opener};
use super::hdf4;
use super::quiet::Quiet;
use super::subdataset::Subdataset;
use crate::error::{Error, Kind, Result};
use crate::io::location::{File, Pinned};
use crate::io::source::Source;
use crate::options::FragmentDriver;
use crate::selection::Selection;
use crate::value::{Attributes, DataType};

/// The maximum number of names of one kind in a message.
const MOST_NAMES: usize = 20;

/// Returns whether a format of an aggregation file is one of these.
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
    /// The path that was passed to GDAL may lead through this open file.
    opened: Option<Pinned>,
}

/// An array, or several that are its parts along the first dimension, and the dataset to which they belong, which is
/// released after them.
struct Handles {
    arrays: Vec<GdalArray>,
    _dataset: GdalDataset,
}

impl Handles {
    fn one(array: Option<GdalArray>, dataset: GdalDataset) -> Option<Self> {
        array.map(|array| Handles { arrays: vec![array], _dataset: dataset })
    }
}

// SAFETY: GDAL lets its objects move between threads as long as one uses them at a time; the mutex ensures that.
unsafe impl Send for Handles {}

impl Foreign {
    /// Opens an array of a file that the access policy allowed, with one of these drivers.
    ///
    /// GDAL opens the file that is open already, not the one that its name leads to by now.
    ///
    /// # Errors
    /// `FragmentUnreadable`, `FragmentVariable`, `FragmentType` for complex numbers, text and unequal bands.
    pub(crate) fn in_file(
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
        let array = Self::open(&Opener::new(pinned.path(), file, format, &drivers)?, file, identifier)?;
        Ok(Foreign { opened: Some(pinned), ..array })
    }

    /// Opens an array of a Zarr store that the access policy allowed.
    ///
    /// # Errors
    /// As [`Foreign::in_file`].
    pub(crate) fn in_store(path: &str, identifier: &str, drivers: &[FragmentDriver]) -> Result<Self> {
        Self::open(&Opener::new(path, path, Some("zarr"), drivers)?, path, identifier)
    }

    /// Opens an array of a file, which messages name `file`.
    fn open(opener: &Opener<'_>, file: &str, identifier: &str) -> Result<Self> {
        let _quiet = Quiet::new();
        let Some(handles) = find(opener, identifier)? else {
            let message = format!("no band, array or subdataset '{identifier}'{}", contents(opener));
            return Err(Error::new(Kind::FragmentVariable, message).in_file(file));
        };
        let Traits { shape, data_type, attributes } =
            stacked(&handles.arrays, identifier).map_err(|error| error.in_file(file))?;
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
        if selection.is_empty() {
            return Ok(());
        }
        let _quiet = Quiet::new();
        let handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        self.read_from(&handles.arrays, selection, out).map_err(|error| self.named(error))
    }

    fn read_from(&self, arrays: &[GdalArray], selection: &Selection, out: &mut [u8]) -> Result<()> {
        let element = self.data_type.size().unwrap_or(0);
        if let [array] = arrays {
            return array.read(&self.shape, element, selection, out);
        }
        let (start, count, step) = (selection.start(), selection.count(), selection.step());
        let plane = &self.shape[1..];
        let within = Selection::new(&start[1..], &count[1..], &step[1..], plane)?;
        let bytes = out.len() / count[0] as usize;
        for (i, part) in (0..count[0]).zip(out.chunks_exact_mut(bytes.max(1))) {
            let band = start[0].wrapping_add_signed(step[0].wrapping_mul(i as i64));
            let array = arrays.get(band as usize);
            let array = array.ok_or_else(|| Error::new(Kind::Internal, "selection outside the bands"))?;
            array.read(plane, element, &within, part)?;
        }
        Ok(())
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

/// Finds the array that an identifier names.
fn find(opener: &Opener<'_>, identifier: &str) -> Result<Option<Handles>> {
    let number = identifier.trim().parse::<u32>().ok().and_then(|n| i32::try_from(n).ok());
    if number.is_none() {
        if let Some(array) = find_array(opener, identifier) {
            return Ok(Some(array));
        }
    }
    // A store may have no array with bands.
    let Ok(whole) = opener.bands() else { return opener.arrays().map(|_| None) };
    if let Some(number) = number {
        return Ok(Handles::one(whole.band(number), whole));
    }
    // A subdataset that is not listed is not opened, whatever file it names.
    let listed = whole.subdatasets();
    let mut subdatasets = listed.iter().filter_map(|name| Subdataset::new(name, opener.path()));
    let Some(subdataset) = subdatasets.find(|subdataset| subdataset.is_named(identifier)) else {
        return Ok(None);
    };
    // Zarr lists arrays of any rank, but has bands only for those of two dimensions.
    if let Some(array) = subdataset.array().and_then(|name| find_array(opener, name)) {
        return Ok(Some(array));
    }
    let dataset = opener.subdataset(&whole, &subdataset)?;
    let bands: Option<_> = (1..=dataset.band_count()).map(|number| dataset.band(number)).collect();
    Ok(bands.map(|arrays| Handles { arrays, _dataset: dataset }))
}

/// Returns the multidimensional array of a name, if the driver has such arrays.
fn find_array(opener: &Opener<'_>, name: &str) -> Option<Handles> {
    let dataset = opener.arrays().ok()?;
    Handles::one(dataset.array(name), dataset)
}

/// Returns the traits of arrays as one: each is an index of the first dimension, unless it is the only one.
fn stacked(arrays: &[GdalArray], identifier: &str) -> Result<Traits> {
    let mut all = arrays.iter().map(GdalArray::traits);
    let mut first = all.next().ok_or_else(|| {
        Error::new(Kind::FragmentVariable, format!("subdataset '{identifier}' has no bands"))
    })?;
    for (number, other) in (2..).zip(all) {
        if let Some(what) = first.difference(&other) {
            let message = format!("band {number} of '{identifier}' has another {what} than band 1");
            return Err(Error::new(Kind::FragmentType, message));
        }
    }
    if arrays.len() > 1 {
        first.shape.insert(0, arrays.len() as u64);
    }
    Ok(first)
}

/// Returns the end of a message: the names that an identifier can have.
fn contents(opener: &Opener<'_>) -> String {
    let bands = opener.bands().ok();
    let count = bands.as_ref().map_or(0, GdalDataset::band_count);
    let arrays = opener.arrays().map(|dataset| dataset.arrays(MOST_NAMES + 1)).unwrap_or_default();
    let listed = bands.map(|dataset| dataset.subdatasets()).unwrap_or_default();
    let subdatasets = listed.iter().filter_map(|name| Subdataset::new(name, opener.path()));
    let sorts = [
        (count > 0).then(|| if count == 1 { "band 1".to_owned() } else { format!("bands 1 to {count}") }),
        named("array", &arrays),
        named("subdataset", &subdatasets.map(|s| s.identifier()).collect::<Vec<_>>()),
    ];
    let sorts: Vec<_> = sorts.into_iter().flatten().collect();
    if sorts.is_empty() {
        return String::new();
    }
    format!("; it has: {}", sorts.join(", "))
}

/// Returns the names of one kind, no more than a reader looks through.
fn named(sort: &str, names: &[String]) -> Option<String> {
    Some(match names {
        [] => return None,
        [name] => format!("{sort} {name}"),
        names if names.len() > MOST_NAMES => format!("{sort}s {}, ...", names[..MOST_NAMES].join(", ")),
        names => format!("{sort}s {}", names.join(", ")),
    })
}
