//! The components of messages: datatypes, dataspaces and the storage of data.
//!
//! HDF5 File Format Specification, IV.A.2. Each is written in the version that libhdf5 1.10 writes, so that readers of
//! that age know it.

use crate::value::DataType;

/// The address of nothing.
pub(super) const UNDEFINED: u64 = u64::MAX;

pub(super) const DATASPACE: u8 = 0x01;
pub(super) const LINK_INFO: u8 = 0x02;
pub(super) const DATATYPE: u8 = 0x03;
pub(super) const FILL_VALUE: u8 = 0x05;
pub(super) const LINK: u8 = 0x06;
pub(super) const LAYOUT: u8 = 0x08;
pub(super) const GROUP_INFO: u8 = 0x0a;
pub(super) const FILTERS: u8 = 0x0b;
pub(super) const ATTRIBUTE: u8 = 0x0c;
pub(super) const ATTRIBUTE_INFO: u8 = 0x15;

/// The flag of a message that must not be changed.
pub(super) const CONSTANT: u8 = 1;

/// The size of a reference to a string or a list in a global heap.
pub(super) const HEAP_REFERENCE: usize = 16;

/// Returns the type of the elements of a variable, little-endian.
pub(super) fn datatype(data_type: DataType) -> Vec<u8> {
    match data_type {
        DataType::I8 | DataType::I16 | DataType::I32 | DataType::I64 => integer(data_type, true),
        DataType::U8 | DataType::U16 | DataType::U32 | DataType::U64 => integer(data_type, false),
        DataType::F32 => float([0x11, 0x20, 31, 0], 4, [23, 8, 0, 23], 127),
        DataType::F64 => float([0x11, 0x20, 63, 0], 8, [52, 11, 0, 52], 1023),
        DataType::Char => text(1, false),
        DataType::String => {
            // A sequence of bytes that is a string in UTF-8.
            let mut out = vec![0x19, 0x01, 0x01, 0];
            out.extend((HEAP_REFERENCE as u32).to_le_bytes());
            out.extend(integer(DataType::U8, false));
            out
        }
    }
}

fn integer(data_type: DataType, signed: bool) -> Vec<u8> {
    let size = data_type.size().unwrap_or(1) as u32;
    let mut out = vec![0x10, if signed { 0x08 } else { 0 }, 0, 0];
    out.extend(size.to_le_bytes());
    out.extend([0, 0]);
    out.extend((8 * size as u16).to_le_bytes());
    out
}

fn float(head: [u8; 4], size: u32, fields: [u8; 4], bias: u32) -> Vec<u8> {
    let mut out = head.to_vec();
    out.extend(size.to_le_bytes());
    out.extend([0, 0]);
    out.extend((8 * size as u16).to_le_bytes());
    out.extend(fields);
    out.extend(bias.to_le_bytes());
    out
}

/// Returns a big-endian float, the type that libnetcdf uses for dimensions without variable.
pub(super) fn big_endian_float() -> Vec<u8> {
    float([0x11, 0x21, 31, 0], 4, [23, 8, 0, 23], 127)
}

/// Returns a string type of this many bytes.
pub(super) fn text(size: u32, utf8: bool) -> Vec<u8> {
    let mut out = vec![0x13, if utf8 { 0x10 } else { 0 }, 0, 0];
    out.extend(size.to_le_bytes());
    out
}

/// Returns the type of a reference to an object.
fn reference() -> [u8; 8] {
    [0x17, 0, 0, 0, 8, 0, 0, 0]
}

/// Returns the type of a list of references, which `DIMENSION_LIST` has.
pub(super) fn reference_list() -> Vec<u8> {
    let mut out = vec![0x19, 0, 0, 0];
    out.extend((HEAP_REFERENCE as u32).to_le_bytes());
    out.extend(reference());
    out
}

/// Returns the type of a reference with the number of a dimension, which `REFERENCE_LIST` has.
pub(super) fn back_reference() -> Vec<u8> {
    let mut out = vec![0x36, 2, 0, 0, 16, 0, 0, 0];
    out.extend(b"dataset\0\0");
    out.extend(reference());
    out.extend(b"dimension\0\x08");
    out.extend(integer(DataType::I32, true));
    out
}

/// Returns the dataspace of one element.
pub(super) fn scalar() -> Vec<u8> {
    vec![2, 0, 0, 0]
}

/// Returns the dataspace of no elements at all.
pub(super) fn null() -> Vec<u8> {
    vec![2, 0, 0, 2]
}

/// Returns the dataspace of an array. Dimensions that are `unlimited` can grow.
pub(super) fn simple(shape: &[u64], unlimited: &[bool]) -> Vec<u8> {
    if shape.is_empty() {
        return scalar();
    }
    let mut out = vec![2, shape.len() as u8, 1, 1];
    out.extend(shape.iter().flat_map(|n| n.to_le_bytes()));
    let maximum = |d: usize| if unlimited.get(d) == Some(&true) { u64::MAX } else { shape[d] };
    out.extend((0..shape.len()).flat_map(|d| maximum(d).to_le_bytes()));
    out
}

/// Returns the fill value, for elements that were never written; `None` for strings. Storage is allocated when data are
/// written.
pub(super) fn fill_value(value: Option<&[u8]>, chunked: bool) -> Vec<u8> {
    let when = if chunked { 0x0b } else { 0x0a };
    let Some(value) = value else { return vec![3, when] };
    let mut out = vec![3, when | 0x20];
    out.extend((value.len() as u32).to_le_bytes());
    out.extend(value);
    out
}

/// Returns the layout of contiguous data, at this address if there are any.
pub(super) fn contiguous(address: u64, len: u64) -> Vec<u8> {
    let mut out = vec![3, 1];
    out.extend(address.to_le_bytes());
    out.extend(len.to_le_bytes());
    out
}

/// Returns the layout of data in chunks of this shape, with a B-tree at this address if there are any.
pub(super) fn chunked(address: u64, chunk: &[u32], element: usize) -> Vec<u8> {
    let mut out = vec![3, 2, chunk.len() as u8 + 1];
    out.extend(address.to_le_bytes());
    out.extend(chunk.iter().flat_map(|n| n.to_le_bytes()));
    out.extend((element as u32).to_le_bytes());
    out
}

/// Returns the filters that every chunk passes through, in this order: shuffle for elements of this size, deflate of
/// this level.
pub(super) fn filters(shuffle: Option<usize>, deflate: Option<u8>) -> Vec<u8> {
    let shuffle = shuffle.map(|element| (2u16, element as u32));
    let deflate = deflate.map(|level| (1u16, u32::from(level)));
    let list: Vec<(u16, u32)> = shuffle.into_iter().chain(deflate).collect();
    let mut out = vec![2, list.len() as u8];
    for (id, value) in list {
        out.extend(id.to_le_bytes());
        // Optional, and with one value.
        out.extend([1, 0, 1, 0]);
        out.extend(value.to_le_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // The bytes are from a file written by libnetcdf 4.9 with libhdf5 1.10.

    #[test]
    fn types_are_those_of_libhdf5() {
        assert_eq!(datatype(DataType::I32), [0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0]);
        let float = [0x11, 0x20, 0x1f, 0, 4, 0, 0, 0, 0, 0, 0x20, 0, 0x17, 8, 0, 0x17, 0x7f, 0, 0, 0];
        assert_eq!(datatype(DataType::F32), float);
        let string = [0x19, 1, 1, 0, 16, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0];
        assert_eq!(datatype(DataType::String), string);
        assert_eq!(back_reference().len(), 0x30);
    }

    #[test]
    fn fill_values_and_layouts_are_those_of_libhdf5() {
        assert_eq!(fill_value(Some(&[0, 0, 0xf0, 0x7c]), false), [3, 0x2a, 4, 0, 0, 0, 0, 0, 0xf0, 0x7c]);
        assert_eq!(fill_value(None, true), [3, 0x0b]);
        assert_eq!(contiguous(UNDEFINED, 0x1c)[..11], [3, 1, 255, 255, 255, 255, 255, 255, 255, 255, 0x1c]);
        assert_eq!(
            filters(Some(4), Some(1)),
            [2, 2, 2, 0, 1, 0, 1, 0, 4, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0]
        );
    }
}
