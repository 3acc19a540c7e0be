//! Attributes of groups and variables.

use std::ffi::{c_char, c_void, CString};

use once_cell::sync::OnceCell;

use super::boundary::{self, c_string, is_null, object, output, Answer, Failure};
use super::dataset::no_index;
use super::status::{cfa_status, CFA_ERR_BUFFER, CFA_ERR_NOT_FOUND, CFA_ERR_TYPE};
use super::types;
use crate::{Attribute, DataType, Values};

/// An attribute of a group or a variable. Borrowed until cfa_dataset_free.
pub struct cfa_attribute {
    /// In the tree of the dataset that owns the handle.
    stored: *const Attribute,
    name: CString,
    text: OnceCell<Option<CString>>,
    strings: OnceCell<Vec<CString>>,
}

// SAFETY: the attribute that `stored` points at never changes and outlives the handle.
unsafe impl Send for cfa_attribute {}
// SAFETY: as above.
unsafe impl Sync for cfa_attribute {}

impl cfa_attribute {
    /// Handles for the attributes that are shown.
    pub(super) fn all<'a>(attributes: impl Iterator<Item = &'a Attribute>) -> Box<[cfa_attribute]> {
        let handle = |stored: &Attribute| cfa_attribute {
            stored,
            name: c_string(&stored.name),
            text: OnceCell::new(),
            strings: OnceCell::new(),
        };
        attributes.map(handle).collect()
    }

    pub(super) fn value(&self) -> &Values {
        // SAFETY: it belongs to the dataset that owns this handle.
        unsafe { &(*self.stored).value }
    }

    fn text(&self) -> Option<&CString> {
        self.text.get_or_init(|| self.value().as_text().map(|text| c_string(&text))).as_ref()
    }
}

/// The attribute of this name.
pub(super) fn find<'a>(attributes: &'a [cfa_attribute], name: &str) -> Answer<&'a cfa_attribute> {
    let found = attributes.iter().find(|a| a.name.to_bytes() == name.as_bytes());
    found.ok_or_else(|| Failure::new(CFA_ERR_NOT_FOUND, format!("no attribute '{name}'")))
}

unsafe fn attribute<'a>(pointer: *const cfa_attribute) -> Answer<&'a cfa_attribute> {
    // SAFETY: the contract of the C API (module capi).
    unsafe { object(pointer, "attribute") }
}

/// Returns the name of an attribute.
///
/// @param attribute the attribute
/// @return the name, valid until cfa_dataset_free; NULL if attribute is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_attribute_name(attribute: *const cfa_attribute) -> *const c_char {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(std::ptr::null(), || Ok(unsafe { self::attribute(attribute)? }.name.as_ptr()))
}

/// Returns the type of the elements of an attribute.
///
/// @param attribute the attribute
/// @return CFA_TYPE_INT8 to CFA_TYPE_STRING; 0 if attribute is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_attribute_type(attribute: *const cfa_attribute) -> i32 {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(types::code(unsafe { self::attribute(attribute)? }.value().data_type())))
}

/// Returns the number of elements of an attribute.
///
/// @param attribute the attribute
/// @return numbers or strings, or bytes of text for CFA_TYPE_CHAR; 0 if attribute is NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_attribute_length(attribute: *const cfa_attribute) -> usize {
    // SAFETY: the contract of the C API (module capi).
    boundary::value(0, || Ok(unsafe { self::attribute(attribute)? }.value().len()))
}

/// Returns the text of an attribute that is one text: of type CFA_TYPE_CHAR, or CFA_TYPE_STRING with one element.
///
/// Text is UTF-8; bytes that are not are taken as Latin-1. It ends at its first NUL.
///
/// @param attribute the attribute
/// @return the text, valid until cfa_dataset_free; NULL if it is not one text
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_attribute_text(attribute: *const cfa_attribute) -> *const c_char {
    boundary::value(std::ptr::null(), || {
        // SAFETY: the contract of the C API (module capi).
        let attribute = unsafe { self::attribute(attribute)? };
        let none = || Failure::new(CFA_ERR_TYPE, "the attribute is not one text");
        attribute.text().map(|text| text.as_ptr()).ok_or_else(none)
    })
}

/// Returns one string of an attribute of type CFA_TYPE_STRING.
///
/// @param attribute the attribute
/// @param index     0 to cfa_attribute_length - 1
/// @param text      receives the string, valid until cfa_dataset_free
/// @return CFA_OK; CFA_ERR_TYPE if it is not of type CFA_TYPE_STRING, CFA_ERR_NOT_FOUND, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_attribute_string(
    attribute: *const cfa_attribute,
    index: usize,
    text: *mut *const c_char,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let attribute = unsafe { self::attribute(attribute)? };
        let place = output(text, "text")?;
        let Values::String(list) = attribute.value() else {
            return Err(Failure::new(CFA_ERR_TYPE, "the attribute is not of type CFA_TYPE_STRING"));
        };
        let strings = attribute.strings.get_or_init(|| list.iter().map(|s| c_string(s)).collect());
        let found = strings.get(index).ok_or_else(|| no_index("string", index))?;
        // SAFETY: checked not to be NULL.
        unsafe { place.write(found.as_ptr()) };
        Ok(())
    })
}

/// Reads all numbers of an attribute, converted to a type, or the bytes of one of type CFA_TYPE_CHAR.
///
/// @param attribute    the attribute
/// @param type         CFA_TYPE_INT8 to CFA_TYPE_FLOAT64, or CFA_TYPE_CHAR for an attribute of that type
/// @param buffer       receives cfa_attribute_length elements
/// @param buffer_bytes the size of buffer
/// @return CFA_OK; CFA_ERR_TYPE if the attribute is text or a number does not fit the type (a fraction or a number
///         out of range for an integer type), CFA_ERR_BUFFER, CFA_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_attribute_read(
    attribute: *const cfa_attribute,
    r#type: i32,
    buffer: *mut c_void,
    buffer_bytes: usize,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let attribute = unsafe { self::attribute(attribute)? };
        let bytes = converted(attribute.value(), types::data_type(r#type)?)?;
        // SAFETY: as above.
        unsafe { put_bytes(&bytes, buffer, buffer_bytes) }
    })
}

/// Copies bytes into a caller's buffer.
pub(super) unsafe fn put_bytes(bytes: &[u8], buffer: *mut c_void, room: usize) -> Answer<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    if buffer.is_null() {
        return Err(is_null("buffer"));
    }
    if room < bytes.len() {
        let message = format!("the values need {} bytes; the buffer has {room}", bytes.len());
        return Err(Failure::new(CFA_ERR_BUFFER, message));
    }
    // SAFETY: the buffer has room for that many bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.cast::<u8>(), bytes.len()) };
    Ok(())
}

/// All elements in another type, as native bytes.
fn converted(values: &Values, to: DataType) -> Answer<Vec<u8>> {
    let from = values.data_type();
    if from != to && !(from.is_number() && to.is_number()) || to == DataType::String {
        return Err(Failure::new(CFA_ERR_TYPE, format!("a {from} attribute cannot be read as {to}")));
    }
    let mut bytes = Vec::with_capacity(values.len() * types::size(to));
    for i in 0..values.len() {
        let element = if from == to { values.native_bytes_at(i) } else { number(values, i, to) };
        let misfit =
            || Failure::new(CFA_ERR_TYPE, format!("element {i} of the attribute does not fit type {to}"));
        bytes.extend(element.ok_or_else(misfit)?);
    }
    Ok(bytes)
}

/// Number `i` in another type; `None` if it does not fit.
fn number(values: &Values, i: usize, to: DataType) -> Option<Vec<u8>> {
    let float = values.f64_at(i)?;
    // Exact for every float that has no fraction and is in the range of any integer type.
    let whole =
        values.int_at(i).or_else(|| (float.fract() == 0.0 && float.abs() < 1e20).then_some(float as i128));
    Some(match to {
        DataType::F32 if float.is_finite() && (float as f32).is_infinite() => return None,
        DataType::F32 => (float as f32).to_ne_bytes().to_vec(),
        DataType::F64 => float.to_ne_bytes().to_vec(),
        DataType::I8 => i8::try_from(whole?).ok()?.to_ne_bytes().to_vec(),
        DataType::U8 => u8::try_from(whole?).ok()?.to_ne_bytes().to_vec(),
        DataType::I16 => i16::try_from(whole?).ok()?.to_ne_bytes().to_vec(),
        DataType::U16 => u16::try_from(whole?).ok()?.to_ne_bytes().to_vec(),
        DataType::I32 => i32::try_from(whole?).ok()?.to_ne_bytes().to_vec(),
        DataType::U32 => u32::try_from(whole?).ok()?.to_ne_bytes().to_vec(),
        DataType::I64 => i64::try_from(whole?).ok()?.to_ne_bytes().to_vec(),
        DataType::U64 => u64::try_from(whole?).ok()?.to_ne_bytes().to_vec(),
        DataType::Char | DataType::String => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_converted_exactly_or_refused() {
        let floats = Values::F64(vec![3.0, -7.0]);
        assert_eq!(converted(&floats, DataType::I8).unwrap(), [3, 249]);
        for (values, to) in [
            (Values::F64(vec![0.5]), DataType::I32),
            (Values::F64(vec![f64::NAN]), DataType::I32),
            (Values::F64(vec![1e300]), DataType::F32),
            (Values::I32(vec![-1]), DataType::U64),
            (Values::U64(vec![u64::MAX]), DataType::I64),
            (Values::Char(b"1".to_vec()), DataType::I32),
            (Values::I32(vec![1]), DataType::Char),
            (Values::String(vec!["1".into()]), DataType::String),
        ] {
            assert_eq!(converted(&values, to).unwrap_err().status, CFA_ERR_TYPE, "{values:?} {to}");
        }
        let large = converted(&Values::U64(vec![u64::MAX]), DataType::U64).unwrap();
        assert_eq!(large, u64::MAX.to_ne_bytes());
    }
}
