//! The values that netCDF returns for elements that were never written.

use super::array::Element;
use crate::value::{Attributes, DataType, Values};

/// Returns one such element as stored: `_FillValue` if it has the variable's type.
pub(crate) fn own(data_type: DataType, element: Element, attributes: &Attributes) -> Option<Vec<u8>> {
    let value = attributes.get("_FillValue").filter(|v| v.data_type() == data_type && v.len() == 1);
    stored(value?, element)
}

/// Returns one such element as stored: the default of the type, or empty text.
pub(crate) fn default(data_type: DataType, element: Element) -> Vec<u8> {
    let value = match data_type {
        DataType::I8 => Values::I8(vec![-127]),
        DataType::U8 => Values::U8(vec![255]),
        DataType::I16 => Values::I16(vec![-32767]),
        DataType::U16 => Values::U16(vec![65535]),
        DataType::I32 => Values::I32(vec![-2147483647]),
        DataType::U32 => Values::U32(vec![4294967295]),
        DataType::I64 => Values::I64(vec![-9223372036854775806]),
        DataType::U64 => Values::U64(vec![18446744073709551614]),
        DataType::F32 => Values::F32(vec![9.969_21e36]),
        DataType::F64 => Values::F64(vec![9.969209968386869e36]),
        DataType::Char | DataType::String => return vec![0; element.size()],
    };
    stored(&value, element).unwrap_or_else(|| vec![0; element.size()])
}

fn stored(value: &Values, element: Element) -> Option<Vec<u8>> {
    let mut bytes = value.native_bytes_at(0).filter(|bytes| bytes.len() == element.size())?;
    if element.is_foreign_endian() {
        bytes.reverse();
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Attribute;

    fn fill(data_type: DataType, value: Option<Values>) -> Vec<u8> {
        let element = Element::Number { size: data_type.size().unwrap(), big_endian: true };
        let list = value.map(|value| Attribute { name: "_FillValue".into(), value });
        let attributes = Attributes::new(list.into_iter().collect());
        own(data_type, element, &attributes).unwrap_or_else(|| default(data_type, element))
    }

    #[test]
    fn fill_value_counts_only_in_the_type_of_the_variable() {
        assert_eq!(fill(DataType::I16, Some(Values::I16(vec![0x0102]))), [1, 2]);
        assert_eq!(fill(DataType::I16, Some(Values::I32(vec![5]))), [0x80, 0x01]);
        assert_eq!(fill(DataType::I16, Some(Values::I16(vec![]))), [0x80, 0x01]);
    }

    #[test]
    fn default_fills_of_floating_types_have_the_bits_of_netcdf() {
        assert_eq!(fill(DataType::F32, None), [0x7c, 0xf0, 0, 0]);
        assert_eq!(fill(DataType::F64, None), [0x47, 0x9e, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn text_that_was_never_written_is_empty() {
        assert_eq!(default(DataType::String, Element::HeapString { size: 16 }), [0; 16]);
        assert_eq!(fill(DataType::Char, None), [0]);
    }
}
