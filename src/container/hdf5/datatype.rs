//! Datatype messages (HDF5 file format IV.A.2.d): determines the netCDF type of the bytes.
//!
//! Only plain layouts are accepted: integers of at most 8 bytes at any of their bits, IEEE floating point, either byte
//! order. Bit fields, other floating point, VAX order, compounds, opaque data, arrays and complex numbers are refused,
//! since guessing would return wrong values.

use super::cursor::Cursor;
use super::header::{Header, Message, DATATYPE};
use super::store::{damaged, unsupported, Store};
use crate::container::array::Element;
use crate::container::narrow::Narrow;
use crate::error::Result;
use crate::value::DataType;

/// The longest fixed string of a dataset that is read; an element is allocated before its data are read. Those of
/// attributes are in the file.
const MAX_STRING: usize = 1 << 20;

/// The type of the elements of a dataset or attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// A number; enumerations count as their base.
    Number { data_type: DataType, big_endian: bool },
    /// An integer that uses only some of the bits of its bytes.
    Narrow(Narrow),
    /// Text in a field of fixed size.
    FixedString { size: usize, blank_padded: bool },
    /// Text in a global heap.
    HeapString,
    /// The address of an object.
    ObjectReference,
    /// A list of addresses of objects in a global heap.
    ObjectReferenceList,
    /// Anything else, with its name.
    Other { name: &'static str, size: usize },
}

impl Type {
    /// Parses the bytes of a datatype message.
    pub(super) fn parse(data: &[u8]) -> Result<Self> {
        Self::parse_nested(data, 0)
    }

    fn parse_nested(data: &[u8], depth: usize) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        let class = cursor.read_u8()? & 0x0f;
        let bits = cursor.read_bytes(3)?;
        let bits = u32::from_le_bytes([bits[0], bits[1], bits[2], 0]);
        let size = cursor.read_u32_le()? as usize;
        let rest = &data[8..];
        let other = |name| Ok(Type::Other { name, size });
        match class {
            0 => integer(bits, size, &mut cursor),
            1 => float(bits, size, &mut cursor),
            2 => other("time"),
            3 if size == 0 => Err(damaged("string of no bytes")),
            3 => Ok(Type::FixedString { size, blank_padded: bits & 0x0f == 2 }),
            4 => other("bit field"),
            5 => other("opaque"),
            6 => other("compound"),
            7 if bits & 0x0f == 0 => Ok(Type::ObjectReference),
            7 => other("region reference"),
            8 if depth == 0 => match Self::parse_nested(rest, depth + 1)? {
                number @ (Type::Number { .. } | Type::Narrow(_)) => Ok(number),
                _ => other("enumeration"),
            },
            9 if bits & 0x0f == 1 => Ok(Type::HeapString),
            9 if depth == 0 => match Self::parse_nested(rest, depth + 1)? {
                Type::ObjectReference => Ok(Type::ObjectReferenceList),
                _ => other("variable-length list"),
            },
            10 => other("array"),
            11 => other("complex number"),
            _ => other("unknown class"),
        }
    }

    /// Returns the netCDF type and the encoding of an element, or an error for types that are not read.
    pub(super) fn element(&self, store: &Store) -> Result<(DataType, Element)> {
        Ok(match *self {
            Type::Number { data_type, big_endian } => {
                let size = data_type.size().ok_or_else(|| damaged("number without size"))?;
                (data_type, Element::Number { size, big_endian })
            }
            Type::Narrow(narrow) => (narrow.data_type(), Element::Narrow(narrow)),
            Type::FixedString { size: 1, .. } => {
                (DataType::Char, Element::Number { size: 1, big_endian: false })
            }
            Type::FixedString { size, .. } if size > MAX_STRING => {
                return Err(unsupported("data of type string of more than 1 MiB are not read"))
            }
            Type::FixedString { size, blank_padded } => {
                (DataType::String, Element::FixedString { size, blank_padded })
            }
            Type::HeapString => (DataType::String, Element::HeapString { size: store.heap_reference_size() }),
            Type::ObjectReference | Type::ObjectReferenceList => {
                return Err(unsupported("data of type reference are not read"))
            }
            Type::Other { name, .. } => return Err(unsupported(format!("data of type {name} are not read"))),
        })
    }

    /// Returns the type in a datatype message, and follows the message to a committed type.
    pub(super) fn of_message(store: &Store, message: Message) -> Result<Self> {
        if message.shared {
            Self::committed(store, message.data)
        } else {
            Self::parse(message.data)
        }
    }

    /// Returns the committed type that a shared message (IV.A.2, "shared message") refers to.
    pub(super) fn committed(store: &Store, data: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        let version = cursor.read_u8()?;
        let place = cursor.read_u8()?;
        match (version, place) {
            (1, _) => cursor.skip(6)?,
            (2, 0 | 2) | (3, 2) => {}
            _ => return Err(unsupported("types in the shared message table are not read")),
        }
        let address = cursor.read_offset(store.offset_size)?;
        let header = store.budget.passing(|| Header::read(store, address))?;
        match header.first(DATATYPE) {
            Some(message) if !message.shared => Self::parse(message.data),
            _ => Err(damaged("a committed type is not where it should be")),
        }
    }
}

fn integer(bits: u32, size: usize, cursor: &mut Cursor<'_>) -> Result<Type> {
    let (offset, precision) = (u32::from(cursor.read_u16_le()?), u32::from(cursor.read_u16_le()?));
    let (big_endian, signed) = (bits & 1 != 0, bits & 0x08 != 0);
    if !(1..=8).contains(&size) {
        return Ok(Type::Other { name: "integer of unusual size", size });
    }
    if precision == 0 || offset + precision > 8 * size as u32 {
        return Err(damaged(format!("no {precision} bits from bit {offset} in {size} bytes")));
    }
    let narrow = Narrow { size, big_endian, offset, precision, signed };
    let data_type = narrow.data_type();
    if precision == 8 * size as u32 && data_type.size() == Some(size) {
        return Ok(Type::Number { data_type, big_endian });
    }
    Ok(Type::Narrow(narrow))
}

/// Fields of a floating type: precision, exponent position and size, mantissa size, bias; the sign is on top.
const IEEE_SINGLE: (u16, u8, u8, u8, u32) = (32, 23, 8, 23, 127);
const IEEE_DOUBLE: (u16, u8, u8, u8, u32) = (64, 52, 11, 52, 1023);

fn float(bits: u32, size: usize, cursor: &mut Cursor<'_>) -> Result<Type> {
    let offset = cursor.read_u16_le()?;
    let precision = cursor.read_u16_le()?;
    let (exponent_at, exponent) = (cursor.read_u8()?, cursor.read_u8()?);
    let (mantissa_at, mantissa) = (cursor.read_u8()?, cursor.read_u8()?);
    let bias = cursor.read_u32_le()?;
    let form = (precision, exponent_at, exponent, mantissa, bias);
    let data_type = match size {
        4 if form == IEEE_SINGLE => DataType::F32,
        8 if form == IEEE_DOUBLE => DataType::F64,
        _ => return Ok(Type::Other { name: "floating point of unusual form", size }),
    };
    let implied_leading_bit = (bits >> 4) & 3 == 2;
    let sign_at = (bits >> 8) & 0xff;
    if offset != 0 || mantissa_at != 0 || !implied_leading_bit || sign_at != u32::from(precision) - 1 {
        return Ok(Type::Other { name: "floating point of unusual form", size });
    }
    match (bits & 1 != 0, bits & 0x40 != 0) {
        (big_endian, false) => Ok(Type::Number { data_type, big_endian }),
        _ => Ok(Type::Other { name: "floating point in VAX order", size }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(class: u8, bits: [u8; 3], size: u32, properties: &[u8]) -> Vec<u8> {
        let mut data = vec![0x10 | class];
        data.extend(bits);
        data.extend(size.to_le_bytes());
        data.extend(properties);
        data
    }

    #[test]
    fn plain_numbers_of_either_order_are_taken() {
        let data = number(0, [0x08, 0, 0], 4, &[0, 0, 32, 0]);
        let expected = Type::Number { data_type: DataType::I32, big_endian: false };
        assert_eq!(Type::parse(&data).unwrap(), expected);
        let data = number(1, [0x21, 31, 0], 4, &[0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0]);
        let expected = Type::Number { data_type: DataType::F32, big_endian: true };
        assert_eq!(Type::parse(&data).unwrap(), expected);
    }

    #[test]
    fn integers_may_take_some_of_their_bits() {
        for (size, properties, offset, precision) in
            [(4, [0, 0, 24, 0], 0, 24), (4, [8, 0, 24, 0], 8, 24), (3, [0, 0, 24, 0], 0, 24)]
        {
            let narrow = Narrow { size, big_endian: true, offset, precision, signed: true };
            let data = number(0, [0x09, 0, 0], size as u32, &properties);
            assert_eq!(Type::parse(&data).unwrap(), Type::Narrow(narrow));
        }
        for properties in [[1, 0, 32, 0], [0, 0, 0, 0], [255, 255, 255, 255]] {
            assert!(Type::parse(&number(0, [0x08, 0, 0], 4, &properties)).is_err());
        }
    }

    #[test]
    fn long_integers_vax_order_and_odd_floats_are_not_numbers() {
        for data in [
            number(0, [0x08, 0, 0], 16, &[0, 0, 128, 0]),
            number(1, [0x61, 31, 0], 4, &[0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0]),
            number(1, [0x20, 31, 0], 4, &[0, 0, 32, 0, 24, 7, 0, 24, 63, 0, 0, 0]),
            number(1, [0x20, 15, 0], 2, &[0, 0, 16, 0, 10, 5, 0, 10, 15, 0, 0, 0]),
        ] {
            assert!(matches!(Type::parse(&data).unwrap(), Type::Other { .. }));
        }
    }

    #[test]
    fn a_type_cut_short_is_an_error() {
        let data = number(1, [0x20, 31, 0], 4, &[0, 0, 32, 0, 23]);
        assert!((0..data.len()).all(|len| Type::parse(&data[..len]).is_err()));
    }

    #[test]
    fn an_enumeration_is_read_as_its_base() {
        let base = number(0, [0x08, 0, 0], 1, &[0, 0, 8, 0]);
        let data = number(8, [2, 0, 0], 1, &base);
        assert_eq!(Type::parse(&data).unwrap(), Type::Number { data_type: DataType::I8, big_endian: false });
    }
}
