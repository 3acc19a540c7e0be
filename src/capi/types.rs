//! Types of elements, as numbers that cross the boundary.

use std::ffi::{c_char, CStr};

use super::boundary::{self, Answer, Failure};
use crate::DataType;

/// Signed 8-bit integer.
pub const CFA_TYPE_INT8: i32 = 1;
/// Unsigned 8-bit integer.
pub const CFA_TYPE_UINT8: i32 = 2;
/// Signed 16-bit integer.
pub const CFA_TYPE_INT16: i32 = 3;
/// Unsigned 16-bit integer.
pub const CFA_TYPE_UINT16: i32 = 4;
/// Signed 32-bit integer.
pub const CFA_TYPE_INT32: i32 = 5;
/// Unsigned 32-bit integer.
pub const CFA_TYPE_UINT32: i32 = 6;
/// Signed 64-bit integer.
pub const CFA_TYPE_INT64: i32 = 7;
/// Unsigned 64-bit integer.
pub const CFA_TYPE_UINT64: i32 = 8;
/// 32-bit floating point.
pub const CFA_TYPE_FLOAT32: i32 = 9;
/// 64-bit floating point.
pub const CFA_TYPE_FLOAT64: i32 = 10;
/// One byte of text.
pub const CFA_TYPE_CHAR: i32 = 11;
/// A string of any length; a read buffer has a char pointer for each.
pub const CFA_TYPE_STRING: i32 = 12;

const TYPES: &[(i32, DataType, &CStr)] = &[
    (CFA_TYPE_INT8, DataType::I8, c"byte"),
    (CFA_TYPE_UINT8, DataType::U8, c"ubyte"),
    (CFA_TYPE_INT16, DataType::I16, c"short"),
    (CFA_TYPE_UINT16, DataType::U16, c"ushort"),
    (CFA_TYPE_INT32, DataType::I32, c"int"),
    (CFA_TYPE_UINT32, DataType::U32, c"uint"),
    (CFA_TYPE_INT64, DataType::I64, c"int64"),
    (CFA_TYPE_UINT64, DataType::U64, c"uint64"),
    (CFA_TYPE_FLOAT32, DataType::F32, c"float"),
    (CFA_TYPE_FLOAT64, DataType::F64, c"double"),
    (CFA_TYPE_CHAR, DataType::Char, c"char"),
    (CFA_TYPE_STRING, DataType::String, c"string"),
];

/// The number of a type.
pub(super) fn code(data_type: DataType) -> i32 {
    TYPES.iter().find(|(_, t, _)| *t == data_type).map_or(0, |(code, _, _)| *code)
}

/// The type of a number.
pub(super) fn data_type(code: i32) -> Answer<DataType> {
    let found = TYPES.iter().find(|(c, _, _)| *c == code);
    found
        .map(|(_, t, _)| *t)
        .ok_or_else(|| Failure::argument(format!("type {code} is not a constant CFA_TYPE_...")))
}

/// The bytes that an element takes in a buffer.
pub(super) fn size(data_type: DataType) -> usize {
    data_type.size().unwrap_or(size_of::<*const c_char>())
}

/// Returns the size of one element in a read buffer.
///
/// @param type CFA_TYPE_INT8 to CFA_TYPE_STRING
/// @return bytes; that of a char pointer for CFA_TYPE_STRING, 0 for a number that is no type
#[unsafe(no_mangle)]
pub extern "C" fn cfa_type_size(r#type: i32) -> usize {
    boundary::value(0, || data_type(r#type).map(size))
}

/// Returns the name of a type as in CDL: byte, ubyte, short, ..., double, char, string.
///
/// @param type CFA_TYPE_INT8 to CFA_TYPE_STRING
/// @return the name, "unknown" for a number that is no type; never NULL, valid for ever
#[unsafe(no_mangle)]
pub extern "C" fn cfa_type_name(r#type: i32) -> *const c_char {
    boundary::value(c"unknown".as_ptr(), || {
        data_type(r#type)?;
        let found = TYPES.iter().find(|(c, _, _)| *c == r#type);
        Ok(found.map_or(c"unknown", |(_, _, name)| *name).as_ptr())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_cdl() {
        for (number, data_type, name) in TYPES {
            assert_eq!(name.to_str().unwrap(), data_type.cdl_name());
            assert_eq!(code(*data_type), *number);
        }
    }
}
