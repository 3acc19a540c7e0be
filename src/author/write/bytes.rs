//! Encodes values as the bytes of a file.

use std::borrow::Cow;

use super::description::Variable;
use crate::container::array::Element;
use crate::container::fill;
use crate::value::{Attributes, DataType, Values};

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The least significant one, in netCDF-4 files.
    Little,
    /// The most significant one, in classic files.
    Big,
}

/// Returns the bytes of numbers or characters; strings have none.
pub(super) fn encode(values: &Values, order: Order) -> Cow<'_, [u8]> {
    macro_rules! numbers {
        ($v:expr) => {{
            fn put<const N: usize, T: Copy>(list: &[T], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
                let mut out = vec![0; list.len() * N];
                out.chunks_exact_mut(N).zip(list).for_each(|(place, &x)| place.copy_from_slice(&bytes(x)));
                out
            }
            Cow::Owned(match order {
                Order::Little => put($v, |x| x.to_le_bytes()),
                Order::Big => put($v, |x| x.to_be_bytes()),
            })
        }};
    }
    match values {
        Values::Char(bytes) | Values::U8(bytes) => Cow::Borrowed(bytes),
        Values::I8(v) => numbers!(v),
        Values::I16(v) => numbers!(v),
        Values::U16(v) => numbers!(v),
        Values::I32(v) => numbers!(v),
        Values::U32(v) => numbers!(v),
        Values::I64(v) => numbers!(v),
        Values::U64(v) => numbers!(v),
        Values::F32(v) => numbers!(v),
        Values::F64(v) => numbers!(v),
        Values::String(_) => Cow::Borrowed(&[]),
    }
}

/// Returns the element that stands for data that are not written to a variable of numbers or characters.
pub(super) fn unwritten(variable: &Variable, order: Order) -> Vec<u8> {
    match &variable.unwritten {
        Some(value) => encode(value, order).into_owned(),
        None => fill_value(variable.data_type, &variable.attributes, order),
    }
}

/// Returns one element that netCDF reads where nothing was written: `_FillValue`, or the default of the type.
fn fill_value(data_type: DataType, attributes: &Attributes, order: Order) -> Vec<u8> {
    let size = data_type.size().unwrap_or(1);
    let element = Element::Number { size, big_endian: order == Order::Big };
    fill::own(data_type, element, attributes).unwrap_or_else(|| fill::default(data_type, element))
}

/// Returns a string up to its first NUL, where strings end in netCDF.
pub(super) fn ended(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

/// Returns text in UTF-8, because readers interpret the bytes of an attribute as that.
pub(super) fn text_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(bytes) {
        Ok(_) => Cow::Borrowed(bytes),
        Err(_) => Cow::Owned(bytes.iter().map(|&b| b as char).collect::<String>().into_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_either_order() {
        assert_eq!(*encode(&Values::I16(vec![0x0102, -2]), Order::Little), [2, 1, 0xfe, 0xff]);
        assert_eq!(*encode(&Values::I16(vec![0x0102, -2]), Order::Big), [1, 2, 0xff, 0xfe]);
        assert_eq!(*encode(&Values::F64(vec![1.0]), Order::Big), 1f64.to_be_bytes());
        assert_eq!(*encode(&Values::Char(b"ab".to_vec()), Order::Big), *b"ab");
    }

    #[test]
    fn what_is_not_written_has_the_fill_value() {
        let mut attributes = Attributes::none();
        assert_eq!(fill_value(DataType::I16, &attributes, Order::Big), (-32767i16).to_be_bytes());
        attributes.set("_FillValue", Values::I16(vec![-9]));
        assert_eq!(fill_value(DataType::I16, &attributes, Order::Little), (-9i16).to_le_bytes());
        assert_eq!(fill_value(DataType::Char, &Attributes::none(), Order::Little), [0]);
    }
}
