//! Data types, typed values and attributes, which every layer uses.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The type of the elements of a variable or attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DataType {
    /// Signed 8-bit integer (NC_BYTE).
    I8,
    /// Unsigned 8-bit integer (NC_UBYTE).
    U8,
    /// Signed 16-bit integer (NC_SHORT).
    I16,
    /// Unsigned 16-bit integer (NC_USHORT).
    U16,
    /// Signed 32-bit integer (NC_INT).
    I32,
    /// Unsigned 32-bit integer (NC_UINT).
    U32,
    /// Signed 64-bit integer (NC_INT64).
    I64,
    /// Unsigned 64-bit integer (NC_UINT64).
    U64,
    /// 32-bit floating point (NC_FLOAT).
    F32,
    /// 64-bit floating point (NC_DOUBLE).
    F64,
    /// One byte of text (NC_CHAR).
    Char,
    /// A string of any length (NC_STRING).
    String,
}

impl DataType {
    /// Returns the size of one element in bytes, or `None` for strings.
    pub fn size(self) -> Option<usize> {
        Some(match self {
            DataType::I8 | DataType::U8 | DataType::Char => 1,
            DataType::I16 | DataType::U16 => 2,
            DataType::I32 | DataType::U32 | DataType::F32 => 4,
            DataType::I64 | DataType::U64 | DataType::F64 => 8,
            DataType::String => return None,
        })
    }

    /// Returns whether this is an integer or floating type.
    pub fn is_number(self) -> bool {
        !matches!(self, DataType::Char | DataType::String)
    }

    /// Returns whether this is a floating type.
    pub fn is_float(self) -> bool {
        matches!(self, DataType::F32 | DataType::F64)
    }

    /// Returns whether this is an integer type.
    pub fn is_integer(self) -> bool {
        self.is_number() && !self.is_float()
    }

    /// Returns the short code used in JSON output: `i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 char str`.
    pub fn code(self) -> &'static str {
        match self {
            DataType::I8 => "i1",
            DataType::U8 => "u1",
            DataType::I16 => "i2",
            DataType::U16 => "u2",
            DataType::I32 => "i4",
            DataType::U32 => "u4",
            DataType::I64 => "i8",
            DataType::U64 => "u8",
            DataType::F32 => "f4",
            DataType::F64 => "f8",
            DataType::Char => "char",
            DataType::String => "str",
        }
    }

    /// Returns the name of the type in CDL.
    pub fn cdl_name(self) -> &'static str {
        match self {
            DataType::I8 => "byte",
            DataType::U8 => "ubyte",
            DataType::I16 => "short",
            DataType::U16 => "ushort",
            DataType::I32 => "int",
            DataType::U32 => "uint",
            DataType::I64 => "int64",
            DataType::U64 => "uint64",
            DataType::F32 => "float",
            DataType::F64 => "double",
            DataType::Char => "char",
            DataType::String => "string",
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.cdl_name())
    }
}

/// A one-dimensional run of values of one type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Values {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// Bytes of text; a text attribute is one such run.
    Char(Vec<u8>),
    String(Vec<String>),
}

/// Evaluates `$body` with `$v` bound to the vector of a numeric [`Values`], or `$other` for text.
#[macro_export]
#[doc(hidden)]
macro_rules! for_numbers {
    ($values:expr, $v:ident => $body:expr, $other:expr) => {
        match $values {
            $crate::Values::I8($v) => $body,
            $crate::Values::U8($v) => $body,
            $crate::Values::I16($v) => $body,
            $crate::Values::U16($v) => $body,
            $crate::Values::I32($v) => $body,
            $crate::Values::U32($v) => $body,
            $crate::Values::I64($v) => $body,
            $crate::Values::U64($v) => $body,
            $crate::Values::F32($v) => $body,
            $crate::Values::F64($v) => $body,
            _ => $other,
        }
    };
}

impl Values {
    /// Returns the type of the elements.
    pub fn data_type(&self) -> DataType {
        match self {
            Values::I8(_) => DataType::I8,
            Values::U8(_) => DataType::U8,
            Values::I16(_) => DataType::I16,
            Values::U16(_) => DataType::U16,
            Values::I32(_) => DataType::I32,
            Values::U32(_) => DataType::U32,
            Values::I64(_) => DataType::I64,
            Values::U64(_) => DataType::U64,
            Values::F32(_) => DataType::F32,
            Values::F64(_) => DataType::F64,
            Values::Char(_) => DataType::Char,
            Values::String(_) => DataType::String,
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self {
            Values::Char(v) => v.len(),
            Values::String(v) => v.len(),
            numbers => for_numbers!(numbers, v => v.len(), 0),
        }
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns element `i` as a run of one value.
    ///
    /// # Panics
    /// Panics if `i` is out of range.
    pub fn element(&self, i: usize) -> Values {
        self.part(i..i + 1)
    }

    /// Returns a part.
    ///
    /// # Panics
    /// Panics if the range is not within the values.
    pub(crate) fn part(&self, range: Range<usize>) -> Values {
        match self {
            Values::I8(v) => Values::I8(v[range].to_vec()),
            Values::U8(v) => Values::U8(v[range].to_vec()),
            Values::I16(v) => Values::I16(v[range].to_vec()),
            Values::U16(v) => Values::U16(v[range].to_vec()),
            Values::I32(v) => Values::I32(v[range].to_vec()),
            Values::U32(v) => Values::U32(v[range].to_vec()),
            Values::I64(v) => Values::I64(v[range].to_vec()),
            Values::U64(v) => Values::U64(v[range].to_vec()),
            Values::F32(v) => Values::F32(v[range].to_vec()),
            Values::F64(v) => Values::F64(v[range].to_vec()),
            Values::Char(v) => Values::Char(v[range].to_vec()),
            Values::String(v) => Values::String(v[range].to_vec()),
        }
    }

    /// Returns the elements at these indices.
    ///
    /// # Panics
    /// Panics if one is out of range.
    pub fn elements(&self, indices: impl Iterator<Item = usize>) -> Values {
        macro_rules! pick {
            ($($kind:ident),*) => {
                match self {
                    $(Values::$kind(v) => Values::$kind(indices.map(|i| v[i].clone()).collect()),)*
                }
            };
        }
        pick!(I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, Char, String)
    }

    /// Appends values of the same type; others are left out.
    pub(crate) fn append(&mut self, more: Values) {
        macro_rules! append {
            ($($kind:ident),*) => {
                match (self, more) {
                    $((Values::$kind(list), Values::$kind(more)) => list.extend(more),)*
                    _ => {}
                }
            };
        }
        append!(I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, Char, String)
    }

    /// Returns the text of a char run or of a single string, or `None` for numbers and lists of strings.
    pub fn as_text(&self) -> Option<String> {
        match self {
            Values::Char(bytes) => Some(text_of(bytes)),
            Values::String(list) if list.len() == 1 => Some(list[0].clone()),
            _ => None,
        }
    }

    /// Returns element `i` as a double, or `None` for text or if `i` is out of range. Integers beyond 2^53 are rounded.
    #[allow(clippy::unnecessary_cast)] // only `f64` needs no cast
    pub fn f64_at(&self, i: usize) -> Option<f64> {
        for_numbers!(self, v => v.get(i).map(|&x| x as f64), None)
    }

    /// Returns element `i` as an exact integer, or `None` for floating types, for text or if `i` is out of range.
    pub fn int_at(&self, i: usize) -> Option<i128> {
        match self {
            Values::F32(_) | Values::F64(_) => None,
            other => for_numbers!(other, v => v.get(i).map(|&x| x as i128), None),
        }
    }

    /// Returns number `i` in the fewest digits that identify it, or `None` for text or if `i` is out of range.
    pub fn decimal_at(&self, i: usize) -> Option<String> {
        let short = |text: String| text.strip_suffix(".0").map(str::to_owned).unwrap_or(text);
        match self {
            Values::F32(list) => list.get(i).map(|x| short(format!("{x:?}"))),
            Values::F64(list) => list.get(i).map(|x| short(format!("{x:?}"))),
            other => other.int_at(i).map(|x| x.to_string()),
        }
    }

    /// Reads numbers of type `data_type` from native-endian bytes. Returns `None` for strings and for a length that is
    /// no multiple of the element size.
    pub fn from_native_bytes(data_type: DataType, bytes: &[u8]) -> Option<Values> {
        fn split<const N: usize, T>(bytes: &[u8], f: impl Fn([u8; N]) -> T) -> Option<Vec<T>> {
            (bytes.len() % N == 0).then(|| crate::bytes::arrays(bytes).iter().map(|c| f(*c)).collect())
        }
        Some(match data_type {
            DataType::I8 => Values::I8(split(bytes, i8::from_ne_bytes)?),
            DataType::U8 => Values::U8(bytes.to_vec()),
            DataType::I16 => Values::I16(split(bytes, i16::from_ne_bytes)?),
            DataType::U16 => Values::U16(split(bytes, u16::from_ne_bytes)?),
            DataType::I32 => Values::I32(split(bytes, i32::from_ne_bytes)?),
            DataType::U32 => Values::U32(split(bytes, u32::from_ne_bytes)?),
            DataType::I64 => Values::I64(split(bytes, i64::from_ne_bytes)?),
            DataType::U64 => Values::U64(split(bytes, u64::from_ne_bytes)?),
            DataType::F32 => Values::F32(split(bytes, f32::from_ne_bytes)?),
            DataType::F64 => Values::F64(split(bytes, f64::from_ne_bytes)?),
            DataType::Char => Values::Char(bytes.to_vec()),
            DataType::String => return None,
        })
    }

    /// Returns the native-endian bytes of element `i`, or `None` for strings or if `i` is out of range.
    pub fn native_bytes_at(&self, i: usize) -> Option<Vec<u8>> {
        match self {
            Values::Char(v) => v.get(i).map(|&b| vec![b]),
            numbers => for_numbers!(numbers, v => v.get(i).map(|x| x.to_ne_bytes().to_vec()), None),
        }
    }
}

/// Decodes text up to the first NUL: as UTF-8 if it is valid, else as Latin-1.
pub fn text_of(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    match std::str::from_utf8(&bytes[..end]) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes[..end].iter().map(|&b| b as char).collect(),
    }
}

/// A named attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Values,
}

/// The attributes of a variable or group, in file order. Copies share them until one is changed.
#[derive(Clone, Debug, Default)]
pub struct Attributes(Option<Arc<Vec<Attribute>>>);

impl PartialEq for Attributes {
    fn eq(&self, other: &Self) -> bool {
        self.list() == other.list()
    }
}

impl Attributes {
    /// Returns an empty list.
    pub const fn none() -> Self {
        Attributes(None)
    }

    /// Creates attributes from a list in file order.
    pub fn new(list: Vec<Attribute>) -> Self {
        Attributes(Some(list).filter(|list| !list.is_empty()).map(Arc::new))
    }

    fn list(&self) -> &[Attribute] {
        self.0.as_ref().map_or(&[], |list| list.as_slice())
    }

    fn list_mut(&mut self) -> &mut Vec<Attribute> {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Returns the value of the attribute of this name.
    pub fn get(&self, name: &str) -> Option<&Values> {
        self.list().iter().find(|a| a.name == name).map(|a| &a.value)
    }

    /// Returns the text of the attribute of this name, or `None` if it is absent or not text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(Values::as_text)
    }

    /// Sets the value of the attribute of this name. A new attribute is added at the end.
    pub fn set(&mut self, name: &str, value: Values) {
        let list = self.list_mut();
        match list.iter_mut().find(|a| a.name == name) {
            Some(attribute) => attribute.value = value,
            None => list.push(Attribute { name: name.to_owned(), value }),
        }
    }

    /// Like [`Attributes::set`], with text as the value.
    pub fn set_text(&mut self, name: &str, text: impl Into<String>) {
        self.set(name, Values::Char(text.into().into_bytes()));
    }

    /// Removes the attribute of this name and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Values> {
        let position = self.list().iter().position(|a| a.name == name)?;
        Some(self.list_mut().remove(position).value)
    }

    /// Iterates over the attributes in file order.
    pub fn iter(&self) -> std::slice::Iter<'_, Attribute> {
        self.list().iter()
    }
}

impl<'a> IntoIterator for &'a Attributes {
    type Item = &'a Attribute;
    type IntoIter = std::slice::Iter<'a, Attribute>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_utf8_or_latin1_and_ends_at_nul() {
        assert_eq!(text_of("µm\0junk".as_bytes()), "µm");
        assert_eq!(text_of(&[0xb5, b'm']), "µm");
    }

    #[test]
    fn native_bytes_round_trip() {
        let values = Values::I16(vec![1, -2, 300]);
        let bytes: Vec<u8> = (0..3).flat_map(|i| values.native_bytes_at(i).unwrap()).collect();
        assert_eq!(Values::from_native_bytes(DataType::I16, &bytes), Some(values));
        assert_eq!(Values::from_native_bytes(DataType::I16, &bytes[1..]), None);
    }

    #[test]
    fn a_change_of_attributes_changes_no_copy() {
        let mut attributes = Attributes::new(Vec::new());
        attributes.set_text("units", "K");
        let copy = attributes.clone();
        attributes.set_text("units", "degC");
        assert_eq!(copy.text("units").as_deref(), Some("K"));
        assert_eq!(attributes.remove("units"), Some(Values::Char(b"degC".to_vec())));
        assert_eq!(attributes, Attributes::none());
        assert_ne!(attributes, copy);
    }

    #[test]
    fn integers_are_exact() {
        let values = Values::U64(vec![u64::MAX]);
        assert_eq!(values.int_at(0), Some(u64::MAX as i128));
        assert_eq!(Values::F32(vec![1.0]).int_at(0), None);
    }
}
