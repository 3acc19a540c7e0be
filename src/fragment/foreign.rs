//! Fragments in formats of GDAL: GeoTIFF, GRIB, Zarr, HDF4. Built into the GDAL plugin alone.
//!
//! The identifier of a version is the number of a band, whose rows and columns are then the array, the name of a
//! multidimensional array, or a subdataset of one band as GDAL lists it, without the file: `GTIFF_DIR:2`. Only the drivers of the setting FRAGMENT_DRIVERS are asked: a file that names other sources,
//! such as a VRT under whatever name, is refused. Rows are taken as they are stored.

use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use gdal_sys as gdal;

use super::hdf4;
use super::raw::pick;
use crate::error::{Error, Kind, Result};
use crate::location::File;
use crate::options::FragmentDriver;
use crate::selection::Selection;
use crate::source::Source;
use crate::value::{Attribute, Attributes, DataType, Values};

/// The names in aggregation files of the format of a driver.
fn formats(driver: FragmentDriver) -> &'static [&'static str] {
    match driver {
        FragmentDriver::GeoTiff => &["gtiff", "geotiff", "tiff", "tif", "cog"],
        FragmentDriver::Grib => &["grib", "grib1", "grib2", "grb", "grb2"],
        FragmentDriver::Zarr => &["zarr", "zarr2"],
        FragmentDriver::Hdf4 => &["hdf4", "hdf"],
    }
}

/// What GDAL's header defines by macros that the bindings lack.
const OF_RASTER: u32 = 0x02;
const OF_MULTIDIM_RASTER: u32 = 0x10;

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
    opened: Option<(String, Arc<File>)>,
}

/// An array and the dataset it belongs to; both end with this object.
struct Handles {
    dataset: gdal::GDALDatasetH,
    array: gdal::GDALMDArrayH,
}

// SAFETY: GDAL lets its objects move between threads as long as one uses them at a time; the mutex sees to that.
unsafe impl Send for Handles {}

impl Handles {
    /// The same with an array of the dataset.
    fn with(mut self, array: impl FnOnce(gdal::GDALDatasetH) -> gdal::GDALMDArrayH) -> Self {
        self.array = array(self.dataset);
        self
    }
}

impl Drop for Handles {
    fn drop(&mut self) {
        // SAFETY: both are open handles or NULL, and end here; the array goes first.
        unsafe {
            if !self.array.is_null() {
                gdal::GDALMDArrayRelease(self.array);
            }
            gdal::GDALReleaseDataset(self.dataset);
        }
    }
}

/// While it lives, what GDAL has to say in this thread is not printed.
struct Quiet;

impl Quiet {
    fn new() -> Self {
        // SAFETY: the handler is one of GDAL's own; `drop` takes it away again.
        unsafe { gdal::CPLPushErrorHandler(Some(gdal::CPLQuietErrorHandler)) };
        Quiet
    }

    fn last_message() -> String {
        // SAFETY: GDAL gives a C string that lives until its next call in this thread.
        let text = unsafe { CStr::from_ptr(gdal::CPLGetLastErrorMsg()) };
        text.to_string_lossy().replace('\n', " ")
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // SAFETY: undoes `new` in the same thread.
        unsafe { gdal::CPLPopErrorHandler() };
    }
}

fn unreadable(file: &str, message: impl Into<String>) -> Error {
    Error::new(Kind::FragmentUnreadable, message).in_file(file)
}

impl Foreign {
    /// Opens an array of a file that the access policy allowed, with one of these drivers.
    ///
    /// GDAL opens the file that is open already, not what its name leads to by now.
    ///
    /// # Errors
    /// `FragmentUnreadable`, `FragmentVariable`, `FragmentType` for complex numbers and text.
    pub(crate) fn in_file(
        opened: &Arc<File>,
        format: Option<&str>,
        identifier: &str,
        drivers: &[FragmentDriver],
    ) -> Result<Self> {
        let file = opened.name();
        let Some(path) = opened.path_for_gdal() else {
            return Err(unreadable(
                file,
                "GDAL cannot be given this file; other formats than netCDF are read from \
                local files and from GDAL's virtual file system",
            ));
        };
        if hdf4::has_external_elements(&**opened).map_err(super::unreadable)? {
            return Err(unreadable(file, "it has data in other files, which are not under ALLOWED_SOURCES"));
        }
        // A store is a directory: a file that the driver takes for one lists chunks of other files.
        let drivers: Vec<_> =
            drivers.iter().copied().filter(|&driver| driver != FragmentDriver::Zarr).collect();
        let array = Self::open(&path, file, format, identifier, &drivers)?;
        Ok(Foreign { opened: Some((path, Arc::clone(opened))), ..array })
    }

    /// Opens an array of a Zarr store that the access policy allowed.
    ///
    /// # Errors
    /// As [`Foreign::in_file`].
    pub(crate) fn in_store(path: &str, identifier: &str, drivers: &[FragmentDriver]) -> Result<Self> {
        Self::open(path, path, Some("zarr"), identifier, drivers)
    }

    /// Opens an array by the path of its file; `file` is what messages call it.
    fn open(
        path: &str,
        file: &str,
        format: Option<&str>,
        identifier: &str,
        drivers: &[FragmentDriver],
    ) -> Result<Self> {
        let _quiet = Quiet::new();
        let open = |path: &str, kind| -> Result<Handles> {
            let dataset = open_dataset(path, file, format, kind, drivers)?;
            Ok(Handles { dataset, array: ptr::null_mut() })
        };
        let handles = find(open, path, identifier)?;
        if handles.array.is_null() {
            let message = format!("it has no band, array or subdataset of one band '{identifier}'");
            return Err(Error::new(Kind::FragmentVariable, message).in_file(file));
        }
        // SAFETY: the array is an open handle, used by this thread alone.
        let (shape, data_type, attributes) = unsafe { describe(handles.array) };
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
        // GDAL 3.6 reads beyond the edge of a band when steps are larger than 1.
        if selection.step().iter().zip(selection.count()).any(|(&step, &count)| step != 1 && count > 1) {
            return self.read_stepped(selection, out);
        }
        let too_large = || unreadable(&self.file, "a read is too large");
        let counts = selection.count().iter().map(|&n| usize::try_from(n)).collect::<Result<Vec<_>, _>>();
        let counts = counts.map_err(|_| too_large())?;
        let bytes =
            selection.len().and_then(|n| usize::try_from(n).ok()?.checked_mul(self.data_type.size()?));
        if bytes != Some(out.len()) {
            return Err(too_large());
        }
        let _quiet = Quiet::new();
        let handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: start, count and step have an entry per dimension and lie within the array, the buffer has room for
        // all elements in the array's own type, and the lock keeps other threads away.
        let done = unsafe {
            let data_type = gdal::GDALMDArrayGetDataType(handles.array);
            let done = gdal::GDALMDArrayRead(
                handles.array,
                selection.start().as_ptr(),
                counts.as_ptr(),
                selection.step().as_ptr(),
                ptr::null(),
                data_type,
                out.as_mut_ptr().cast(),
                out.as_ptr().cast(),
                out.len(),
            );
            gdal::GDALExtendedDataTypeRelease(data_type);
            done
        };
        if done == 0 {
            return Err(self.failure());
        }
        Ok(())
    }
}

impl Foreign {
    /// What GDAL said last, with the name of the file for the path that it was given.
    fn failure(&self) -> Error {
        let mut message = Quiet::last_message();
        if let Some((path, _)) = &self.opened {
            message = message.replace(path, &self.file);
        }
        unreadable(&self.file, message)
    }

    /// Reads all between the first and the last index, and picks.
    fn read_stepped(&self, selection: &Selection, out: &mut [u8]) -> Result<()> {
        let too_large = || unreadable(&self.file, "a read is too large");
        let (mut low, mut span, mut start) = (Vec::new(), Vec::new(), Vec::new());
        for ((&first, &step), &count) in selection.start().iter().zip(selection.step()).zip(selection.count())
        {
            let reach = step.unsigned_abs().checked_mul(count.saturating_sub(1)).ok_or_else(too_large)?;
            let lowest = if step < 0 { first.checked_sub(reach).ok_or_else(too_large)? } else { first };
            low.push(lowest);
            span.push(reach + 1);
            start.push(first - lowest);
        }
        let element = self.data_type.size().ok_or_else(too_large)?;
        let bytes = crate::selection::checked_product(&span)
            .and_then(|n| usize::try_from(n).ok()?.checked_mul(element))
            .ok_or_else(too_large)?;
        let mut whole = Vec::new();
        whole.try_reserve_exact(bytes).map_err(|_| too_large())?;
        whole.resize(bytes, 0);
        self.read(&Selection::block(&low, &span, &self.shape)?, &mut whole)?;
        let within = Selection::new(&start, selection.count(), selection.step(), &span)?;
        pick(&whole, &span, element, &within, out)
    }
}

fn open_dataset(
    path: &str,
    file: &str,
    format: Option<&str>,
    kind: u32,
    drivers: &[FragmentDriver],
) -> Result<gdal::GDALDatasetH> {
    let is_asked = |driver: FragmentDriver| format.is_none_or(|format| formats(driver).contains(&format));
    let names: Vec<&str> =
        drivers.iter().filter(|&&driver| is_asked(driver)).map(|driver| driver.name()).collect();
    // GDAL takes an empty list for all drivers.
    if names.is_empty() {
        return Err(unreadable(file, "the setting FRAGMENT_DRIVERS leaves no driver for it"));
    }
    let path = CString::new(path).map_err(|_| unreadable(file, "its name has a NUL"))?;
    let terms: Vec<CString> = names.iter().filter_map(|name| CString::new(*name).ok()).collect();
    let mut list: Vec<_> = terms.iter().map(|term| term.as_ptr()).collect();
    list.push(ptr::null());
    // No neighbours: what a driver finds beside the file is not under the policy.
    let siblings = [ptr::null()];
    // SAFETY: C strings and lists that end with NULL, alive during the call.
    let dataset =
        unsafe { gdal::GDALOpenEx(path.as_ptr(), kind, list.as_ptr(), ptr::null(), siblings.as_ptr()) };
    if dataset.is_null() {
        return Err(unreadable(file, format!("neither netCDF nor a file of {}", names.join(", "))));
    }
    Ok(dataset)
}

/// Finds what an identifier names; without an array if there is no such thing.
fn find(open: impl Fn(&str, u32) -> Result<Handles>, path: &str, identifier: &str) -> Result<Handles> {
    if let Some(number) = identifier.trim().parse::<u32>().ok().and_then(|n| i32::try_from(n).ok()) {
        return Ok(open(path, OF_RASTER)?.with(|dataset| band_array(dataset, number)));
    }
    // A file of a driver that has no arrays may have subdatasets.
    if let Ok(whole) = open(path, OF_MULTIDIM_RASTER) {
        let named = whole.with(|dataset| named_array(dataset, identifier));
        if !named.array.is_null() {
            return Ok(named);
        }
    }
    let whole = open(path, OF_RASTER)?;
    let name = format!("{identifier}:{path}");
    match has_subdataset(whole.dataset, &name) {
        true => Ok(open(&name, OF_RASTER)?.with(only_band)),
        false => Ok(whole),
    }
}

fn band_array(dataset: gdal::GDALDatasetH, number: i32) -> gdal::GDALMDArrayH {
    // SAFETY: the dataset is an open handle; a band that does not exist is NULL.
    unsafe {
        let band = gdal::GDALGetRasterBand(dataset, number);
        if band.is_null() {
            ptr::null_mut()
        } else {
            gdal::GDALRasterBandAsMDArray(band)
        }
    }
}

/// The band of a dataset that has one alone.
fn only_band(dataset: gdal::GDALDatasetH) -> gdal::GDALMDArrayH {
    // SAFETY: the dataset is an open handle.
    match unsafe { gdal::GDALGetRasterCount(dataset) } {
        1 => band_array(dataset, 1),
        _ => ptr::null_mut(),
    }
}

/// Whether GDAL lists a subdataset of this name; one that it does not list is not opened, whatever file it names.
fn has_subdataset(dataset: gdal::GDALDatasetH, name: &str) -> bool {
    // SAFETY: the dataset is an open handle, and the list, which ends with NULL, is its own.
    unsafe {
        let mut entry = gdal::GDALGetMetadata(dataset, c"SUBDATASETS".as_ptr()).cast_const();
        while !entry.is_null() && !(*entry).is_null() {
            let text = CStr::from_ptr(*entry).to_bytes();
            if text.splitn(2, |&b| b == b'=').nth(1) == Some(name.as_bytes()) {
                return true;
            }
            entry = entry.add(1);
        }
    }
    false
}

fn named_array(dataset: gdal::GDALDatasetH, name: &str) -> gdal::GDALMDArrayH {
    let Ok(name) = CString::new(format!("/{}", name.trim_start_matches('/'))) else { return ptr::null_mut() };
    // SAFETY: the dataset is an open handle; a group that it does not have is NULL.
    unsafe {
        let root = gdal::GDALDatasetGetRootGroup(dataset);
        if root.is_null() {
            return ptr::null_mut();
        }
        let array = gdal::GDALGroupOpenMDArrayFromFullname(root, name.as_ptr(), ptr::null_mut());
        gdal::GDALGroupRelease(root);
        array
    }
}

/// The shape, the type if it is that of a real number, and what the canonical form needs to know.
///
/// # Safety
/// The array is an open handle that no other thread uses.
unsafe fn describe(array: gdal::GDALMDArrayH) -> (Vec<u64>, Option<DataType>, Attributes) {
    // SAFETY: the contract of this function; lists are released as GDAL gave them.
    unsafe {
        let mut count = 0;
        let dimensions = gdal::GDALMDArrayGetDimensions(array, &mut count);
        let shape = (0..count).map(|i| gdal::GDALDimensionGetSize(*dimensions.add(i))).collect();
        gdal::GDALReleaseDimensions(dimensions, count);

        let extended = gdal::GDALMDArrayGetDataType(array);
        let is_number =
            gdal::GDALExtendedDataTypeGetClass(extended) == gdal::GDALExtendedDataTypeClass::GEDTC_NUMERIC;
        let number = gdal::GDALExtendedDataTypeGetNumericDataType(extended);
        gdal::GDALExtendedDataTypeRelease(extended);
        let data_type = if is_number { data_type_of(number) } else { None };

        let mut list = Vec::new();
        let mut add = |name: &str, value: Values| list.push(Attribute { name: name.to_owned(), value });
        let missing = gdal::GDALMDArrayGetRawNoDataValue(array).cast::<u8>();
        if let (Some(data_type), false) = (data_type, missing.is_null()) {
            let bytes = std::slice::from_raw_parts(missing, data_type.size().unwrap_or(0));
            if let Some(value) = Values::from_native_bytes(data_type, bytes) {
                add("_FillValue", value);
            }
        }
        let unit = gdal::GDALMDArrayGetUnit(array);
        if !unit.is_null() && *unit != 0 {
            add("units", Values::Char(CStr::from_ptr(unit).to_bytes().to_vec()));
        }
        let mut has = 0;
        let scale = gdal::GDALMDArrayGetScale(array, &mut has);
        if has != 0 {
            add("scale_factor", Values::F64(vec![scale]));
        }
        let offset = gdal::GDALMDArrayGetOffset(array, &mut has);
        if has != 0 {
            add("add_offset", Values::F64(vec![offset]));
        }
        (shape, data_type, Attributes::new(list))
    }
}

fn data_type_of(number: gdal::GDALDataType::Type) -> Option<DataType> {
    // Signed bytes are a type of GDAL from 3.7 on, and unsigned ones have another name from 3.13 on.
    const UNSIGNED_BYTE: gdal::GDALDataType::Type = 1;
    const SIGNED_BYTE: gdal::GDALDataType::Type = 14;
    Some(match number {
        UNSIGNED_BYTE => DataType::U8,
        SIGNED_BYTE => DataType::I8,
        gdal::GDALDataType::GDT_UInt16 => DataType::U16,
        gdal::GDALDataType::GDT_Int16 => DataType::I16,
        gdal::GDALDataType::GDT_UInt32 => DataType::U32,
        gdal::GDALDataType::GDT_Int32 => DataType::I32,
        gdal::GDALDataType::GDT_UInt64 => DataType::U64,
        gdal::GDALDataType::GDT_Int64 => DataType::I64,
        gdal::GDALDataType::GDT_Float32 => DataType::F32,
        gdal::GDALDataType::GDT_Float64 => DataType::F64,
        _ => return None,
    })
}
