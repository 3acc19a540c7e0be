//! One array of GDAL: its traits, and its numbers.

use std::ffi::{CStr, CString};
use std::ptr;

use cfa::plugin::{c_strides, checked_product, offsets};
use cfa::{Attribute, Attributes, DataType, Error, Kind, Result, Selection, Values};
use gdal_sys as gdal;

use crate::quiet::last_message;

/// The attributes for no-data value, unit, scale and offset.
const ATTRIBUTES: [&str; 4] = ["_FillValue", "units", "scale_factor", "add_offset"];

/// An open array, released with this object.
pub(crate) struct GdalArray(gdal::GDALMDArrayH);

/// The properties of an array.
pub(crate) struct Traits {
    pub(crate) shape: Vec<u64>,
    /// `None` for complex numbers and text.
    pub(crate) data_type: Option<DataType>,
    /// The attributes that the canonical form needs.
    pub(crate) attributes: Attributes,
}

impl Traits {
    /// Returns the first property in which two arrays differ, or `None` if they can be parts of one.
    pub(crate) fn difference(&self, other: &Traits) -> Option<&'static str> {
        if self.shape != other.shape {
            return Some("shape");
        }
        if self.data_type != other.data_type {
            return Some("type");
        }
        // Compared by bits, so that no-data values that are NaN are equal.
        let bits = |values: Option<&Values>| -> Option<Vec<_>> {
            values.map(|values| (0..values.len()).map(|i| values.native_bytes_at(i)).collect())
        };
        let differs = |name: &&str| bits(self.attributes.get(name)) != bits(other.attributes.get(name));
        ATTRIBUTES.into_iter().find(differs)
    }
}

impl Drop for GdalArray {
    fn drop(&mut self) {
        // SAFETY: the handle is open and is not used after this.
        unsafe { gdal::GDALMDArrayRelease(self.0) };
    }
}

impl GdalArray {
    /// Takes ownership of a handle. Returns `None` for NULL.
    ///
    /// # Safety
    /// The handle must be NULL, or open and released by nobody else.
    pub(crate) unsafe fn from_handle(handle: gdal::GDALMDArrayH) -> Option<Self> {
        // Not `then_some`: that would create an object from NULL and drop it.
        (!handle.is_null()).then(|| GdalArray(handle))
    }

    /// Returns the plane at these indices of all dimensions but two.
    pub(crate) fn plane(&self, indices: &[u64]) -> Option<GdalArray> {
        let shape = self.shape();
        let is_within = shape.len() == indices.len() + 2 && indices.iter().zip(&shape).all(|(i, n)| i < n);
        let list: String = indices.iter().map(|index| format!("{index},")).collect();
        let view = is_within.then(|| CString::new(format!("[{list}...]")).ok()).flatten()?;
        // SAFETY: the handle is open, and the text ends with NUL; a view that cannot be made is NULL.
        unsafe { GdalArray::from_handle(gdal::GDALMDArrayGetView(self.0, view.as_ptr())) }
    }

    pub(crate) fn traits(&self) -> Traits {
        let data_type = self.data_type();
        Traits { shape: self.shape(), data_type, attributes: self.attributes(data_type) }
    }

    fn shape(&self) -> Vec<u64> {
        let mut count = 0;
        // SAFETY: the handle is open; the list is released as GDAL requires.
        unsafe {
            let dimensions = gdal::GDALMDArrayGetDimensions(self.0, &mut count);
            let shape = (0..count).map(|i| gdal::GDALDimensionGetSize(*dimensions.add(i))).collect();
            gdal::GDALReleaseDimensions(dimensions, count);
            shape
        }
    }

    fn data_type(&self) -> Option<DataType> {
        // SAFETY: the handle is open; the type is released as GDAL requires.
        unsafe {
            let extended = gdal::GDALMDArrayGetDataType(self.0);
            let is_number = gdal::GDALExtendedDataTypeGetClass(extended)
                == gdal::GDALExtendedDataTypeClass::GEDTC_NUMERIC;
            let number = gdal::GDALExtendedDataTypeGetNumericDataType(extended);
            gdal::GDALExtendedDataTypeRelease(extended);
            if is_number {
                data_type_of(number)
            } else {
                None
            }
        }
    }

    fn attributes(&self, data_type: Option<DataType>) -> Attributes {
        let mut list = Vec::new();
        let mut add = |name: &str, value: Values| list.push(Attribute { name: name.to_owned(), value });
        // SAFETY: the handle is open; the no-data value has the array's type, and GDAL owns it and the unit.
        unsafe {
            let missing = gdal::GDALMDArrayGetRawNoDataValue(self.0).cast::<u8>();
            if let (Some(data_type), false) = (data_type, missing.is_null()) {
                let bytes = std::slice::from_raw_parts(missing, data_type.size().unwrap_or(0));
                if let Some(value) = Values::from_native_bytes(data_type, bytes) {
                    add("_FillValue", value);
                }
            }
            let unit = gdal::GDALMDArrayGetUnit(self.0);
            if !unit.is_null() {
                match CStr::from_ptr(unit).to_bytes() {
                    // The GRIB driver writes a dash if there is no unit.
                    b"" | b"-" => {}
                    unit => add("units", Values::Char(unit.to_vec())),
                }
            }
            let mut has = 0;
            let scale = gdal::GDALMDArrayGetScale(self.0, &mut has);
            if has != 0 {
                add("scale_factor", Values::F64(vec![scale]));
            }
            let offset = gdal::GDALMDArrayGetOffset(self.0, &mut has);
            if has != 0 {
                add("add_offset", Values::F64(vec![offset]));
            }
        }
        Attributes::new(list)
    }

    /// Reads numbers of an array of this shape and size of elements, in C order and native byte order.
    ///
    /// # Errors
    /// `FragmentUnreadable` with GDAL's message.
    pub(crate) fn read(
        &self,
        shape: &[u64],
        element: usize,
        selection: &Selection,
        out: &mut [u8],
    ) -> Result<()> {
        // GDAL 3.6 reads beyond the edge of a band if steps are larger than 1.
        if selection.step().iter().zip(selection.count()).any(|(&step, &count)| step != 1 && count > 1) {
            return self.read_stepped(shape, element, selection, out);
        }
        let counts = selection.count().iter().map(|&n| usize::try_from(n)).collect::<Result<Vec<_>, _>>();
        let counts = counts.map_err(|_| too_large())?;
        if bytes_of(selection.count(), element) != Some(out.len()) {
            return Err(too_large());
        }
        // SAFETY: start, count and step have an entry per dimension and lie within the array, and the buffer has room
        // for all elements in the array's own type.
        let done = unsafe {
            let data_type = gdal::GDALMDArrayGetDataType(self.0);
            let done = gdal::GDALMDArrayRead(
                self.0,
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
            return Err(Error::new(Kind::FragmentUnreadable, last_message()));
        }
        Ok(())
    }

    /// Reads everything between the first and the last index, and picks the selected elements.
    fn read_stepped(
        &self,
        shape: &[u64],
        element: usize,
        selection: &Selection,
        out: &mut [u8],
    ) -> Result<()> {
        let (mut low, mut span, mut start) = (Vec::new(), Vec::new(), Vec::new());
        for ((&first, &step), &count) in selection.start().iter().zip(selection.step()).zip(selection.count())
        {
            let reach = step.unsigned_abs().checked_mul(count.saturating_sub(1)).ok_or_else(too_large)?;
            let lowest = if step < 0 { first.checked_sub(reach).ok_or_else(too_large)? } else { first };
            low.push(lowest);
            span.push(reach + 1);
            start.push(first - lowest);
        }
        let bytes = bytes_of(&span, element).ok_or_else(too_large)?;
        let mut whole = Vec::new();
        whole.try_reserve_exact(bytes).map_err(|_| too_large())?;
        whole.resize(bytes, 0);
        self.read(shape, element, &Selection::block(&low, &span, shape)?, &mut whole)?;
        let within = Selection::new(&start, selection.count(), selection.step(), &span)?;
        pick(&whole, &span, element, &within, out)
    }
}

/// Copies the selected elements of an array in memory.
fn pick(bytes: &[u8], shape: &[u64], element: usize, selection: &Selection, out: &mut [u8]) -> Result<()> {
    let strides = c_strides(shape);
    let outside = || Error::new(Kind::Internal, "a selection outside what was read");
    let first: u64 = selection.start().iter().zip(&strides).map(|(start, stride)| start * stride).sum();
    // A step of any size may stand beside a count of one: what wraps is not used then.
    let distance = |(step, &stride): (&i64, &u64)| step.wrapping_mul(stride as i64);
    let steps: Vec<i64> = selection.step().iter().zip(&strides).map(distance).collect();
    for (from, to) in offsets(selection.count(), &steps).zip(out.chunks_exact_mut(element)) {
        let from = first.wrapping_add_signed(from) as usize * element;
        to.copy_from_slice(bytes.get(from..from + element).ok_or_else(outside)?);
    }
    Ok(())
}

fn bytes_of(counts: &[u64], element: usize) -> Option<usize> {
    usize::try_from(checked_product(counts)?).ok()?.checked_mul(element)
}

fn too_large() -> Error {
    Error::new(Kind::FragmentUnreadable, "a read is too large")
}

fn data_type_of(number: gdal::GDALDataType::Type) -> Option<DataType> {
    // GDAL has a type for signed bytes from 3.7 on, and another name for unsigned ones from 3.13 on.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_picked_by_start_count_and_step() {
        let bytes: Vec<u8> = (0..20).collect();
        let picked = |start: &[u64], count: &[u64], step: &[i64]| {
            let selection = Selection::new(start, count, step, &[4, 5]).unwrap();
            let mut out = vec![0; selection.len().unwrap() as usize];
            pick(&bytes, &[4, 5], 1, &selection, &mut out).map(|()| out).unwrap()
        };
        assert_eq!(picked(&[3, 0], &[2, 3], &[-2, 2]), [15, 17, 19, 5, 7, 9]);
        assert_eq!(picked(&[1, 4], &[1, 2], &[i64::MAX, -3]), [9, 6]);
        assert_eq!(picked(&[0, 0], &[0, 2], &[1, 1]), [0u8; 0]);
    }
}
