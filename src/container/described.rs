//! A stored array as a text, from which it can be read without its file's metadata.
//!
//! The text is JSON: type, shape, chunks, filters, fill value, and the attributes that say what the numbers mean. It
//! does not say where the data lie. Described are numbers in chunks, in records or in one piece; anything else has no
//! description. A text may come from anywhere, so whatever is odd in it makes it no description.

use serde_json::{json, Map, Value};

use super::array::{Array, Element, Layout};
use super::chunk_index::ChunkIndex;
use super::filter::Filter;
use crate::selection::checked_product;
use crate::value::{Attribute, Attributes, DataType, Values};

/// The longest text.
pub(crate) const MOST_TEXT: usize = 64 << 10;
/// The largest rank of netCDF.
const MOST_RANK: usize = 1024;
/// The most filters that a mask has bits for.
const MOST_FILTERS: usize = 32;
/// The number of bytes of the longest attribute.
const MOST_ATTRIBUTE: usize = 4 << 10;

/// The attributes that say what numbers mean.
const ATTRIBUTES: [&str; 10] = [
    "units",
    "calendar",
    "_FillValue",
    "missing_value",
    "valid_min",
    "valid_max",
    "valid_range",
    "scale_factor",
    "add_offset",
    "_Unsigned",
];

const TYPES: [DataType; 10] = [
    DataType::I8,
    DataType::U8,
    DataType::I16,
    DataType::U16,
    DataType::I32,
    DataType::U32,
    DataType::I64,
    DataType::U64,
    DataType::F32,
    DataType::F64,
];

/// An array without the places of its data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Described {
    pub(crate) data_type: DataType,
    pub(crate) shape: Vec<u64>,
    big_endian: bool,
    fill: Vec<u8>,
    form: Form,
    pub(crate) attributes: Attributes,
}

#[derive(Clone, Debug, PartialEq)]
enum Form {
    Contiguous,
    Records { stride: u64 },
    Chunked { chunk: Vec<u64>, filters: Vec<Filter> },
}

impl Described {
    /// Returns the description of an array, if it has one.
    pub(crate) fn of(array: &Array, attributes: &Attributes) -> Option<Described> {
        let Element::Number { size, big_endian } = array.element else { return None };
        let form = match &array.layout {
            Layout::Contiguous { .. } => Form::Contiguous,
            Layout::Records { stride, .. } => Form::Records { stride: *stride },
            Layout::Chunked { chunk, filters, .. } => {
                Form::Chunked { chunk: chunk.clone(), filters: filters.clone() }
            }
            _ => return None,
        };
        if array.short.is_some() || array.data_type.size() != Some(size) || !array.data_type.is_number() {
            return None;
        }
        let own = attributes.iter().filter(|a| ATTRIBUTES.contains(&a.name.as_str())).cloned().collect();
        let described = Described {
            data_type: array.data_type,
            shape: array.shape.clone(),
            big_endian,
            fill: array.fill.clone(),
            form,
            attributes: Attributes::new(own),
        };
        // What cannot be described exactly is not described.
        let text = described.text();
        (Described::parse(&text)?.text() == text).then_some(described)
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> String {
        let attributes: Map<String, Value> =
            self.attributes.iter().map(|a| (a.name.clone(), attribute_value(&a.value))).collect();
        let mut text = json!({
            "type": self.data_type.code(),
            "big_endian": self.big_endian,
            "shape": self.shape,
            "fill": hex(&self.fill),
            "attributes": attributes,
        });
        match &self.form {
            Form::Contiguous => {}
            Form::Records { stride } => text["stride"] = json!(stride),
            Form::Chunked { chunk, filters } => {
                text["chunk"] = json!(chunk);
                let list: Vec<Value> = filters.iter().map(|f| json!([f.id, f.parameters])).collect();
                text["filters"] = json!(list);
            }
        }
        text.to_string()
    }

    /// Returns the description that a text has.
    pub(crate) fn parse(text: &str) -> Option<Described> {
        let value: Value = serde_json::from_str(text).ok().filter(|_| text.len() <= MOST_TEXT)?;
        let data_type = type_of(value.get("type")?.as_str()?).filter(|t| t.is_number())?;
        let shape = numbers(value.get("shape")?)?;
        let form = match (value.get("stride"), value.get("chunk")) {
            (None, None) => Form::Contiguous,
            (Some(stride), None) if !shape.is_empty() => Form::Records { stride: stride.as_u64()? },
            (None, Some(chunk)) => Form::Chunked {
                chunk: numbers(chunk)?,
                filters: value.get("filters")?.as_array()?.iter().map(filter).collect::<Option<_>>()?,
            },
            _ => return None,
        };
        let attributes = value.get("attributes")?.as_object()?.iter().map(|(name, value)| {
            let known = ATTRIBUTES.contains(&name.as_str());
            Some(Attribute { name: name.clone(), value: attribute_of(value).filter(|_| known)? })
        });
        let described = Described {
            data_type,
            big_endian: value.get("big_endian")?.as_bool()?,
            fill: unhex(value.get("fill")?.as_str()?)?,
            form,
            attributes: Attributes::new(attributes.collect::<Option<_>>()?),
            shape,
        };
        described.is_possible().then_some(described)
    }

    /// Returns whether such an array can be read.
    fn is_possible(&self) -> bool {
        let size = self.data_type.size().unwrap_or(0);
        let bytes = |shape: &[u64]| checked_product(shape)?.checked_mul(size as u64);
        let fits = |shape: &[u64]| bytes(shape).is_some_and(|n| i64::try_from(n).is_ok());
        let possible = match &self.form {
            Form::Contiguous | Form::Records { .. } => true,
            Form::Chunked { chunk, filters } => {
                chunk.len() == self.shape.len()
                    && chunk.iter().all(|&n| n > 0)
                    && bytes(chunk).is_some_and(|n| isize::try_from(n).is_ok())
                    && filters.len() <= MOST_FILTERS
            }
        };
        possible && self.shape.len() <= MOST_RANK && fits(&self.shape) && self.fill.len() == size
    }

    /// Returns the number of chunks along each dimension, if it has chunks.
    pub(crate) fn counts(&self) -> Option<Vec<u64>> {
        match &self.form {
            Form::Chunked { chunk, .. } => {
                Some(self.shape.iter().zip(chunk).map(|(size, chunk)| size.div_ceil(*chunk)).collect())
            }
            _ => None,
        }
    }

    /// Returns the most bytes that one chunk, or all data without chunks, can occupy in the file.
    pub(crate) fn most_stored(&self) -> u64 {
        let shape = match &self.form {
            Form::Chunked { chunk, .. } => chunk,
            _ => &self.shape,
        };
        let size = self.data_type.size().unwrap_or(1) as u64;
        let bytes = checked_product(shape).unwrap_or(u64::MAX).saturating_mul(size);
        match &self.form {
            Form::Chunked { filters, .. } if !filters.is_empty() => {
                bytes.saturating_mul(2).saturating_add(64 << 10)
            }
            _ => bytes,
        }
    }

    /// Returns the array whose data begin at `offset`, or whose chunks `index` finds.
    pub(crate) fn array(&self, place: Place) -> Option<Array> {
        let layout = match (&self.form, place) {
            (Form::Contiguous, Place::Offset(offset)) => Layout::Contiguous { offset },
            (Form::Records { stride }, Place::Offset(offset)) => Layout::Records { offset, stride: *stride },
            (Form::Chunked { chunk, filters }, Place::Index(index)) => {
                Layout::Chunked { chunk: chunk.clone(), filters: filters.clone(), index }
            }
            _ => return None,
        };
        Some(Array {
            data_type: self.data_type,
            element: Element::Number { size: self.data_type.size()?, big_endian: self.big_endian },
            shape: self.shape.clone(),
            layout,
            fill: self.fill.clone(),
            short: None,
        })
    }
}

/// Where the data of an array lie.
pub(crate) enum Place {
    /// From this offset on.
    Offset(u64),
    /// In chunks.
    Index(Box<dyn ChunkIndex>),
}

fn type_of(code: &str) -> Option<DataType> {
    TYPES.iter().copied().find(|t| t.code() == code)
}

fn numbers(list: &Value) -> Option<Vec<u64>> {
    list.as_array()?.iter().map(Value::as_u64).collect()
}

fn filter(pair: &Value) -> Option<Filter> {
    let [id, parameters] = pair.as_array()?.as_slice() else { return None };
    let parameters = numbers(parameters)?.into_iter().map(|n| u32::try_from(n).ok());
    Some(Filter { id: u16::try_from(id.as_u64()?).ok()?, parameters: parameters.collect::<Option<_>>()? })
}

/// Numbers are written as their bytes, least significant first, so that nothing is rounded.
fn attribute_value(values: &Values) -> Value {
    match values {
        Values::Char(bytes) => json!(["char", hex(bytes)]),
        Values::String(list) => json!(["str", list]),
        numbers => {
            let bytes: Vec<u8> = crate::for_numbers!(numbers, v => v.iter().flat_map(|x| x.to_le_bytes()).collect(), Vec::new());
            json!([numbers.data_type().code(), hex(&bytes)])
        }
    }
}

fn attribute_of(value: &Value) -> Option<Values> {
    let [code, value] = value.as_array()?.as_slice() else { return None };
    match (code.as_str()?, value) {
        ("str", Value::Array(list)) => {
            Some(Values::String(list.iter().map(|t| t.as_str().map(str::to_owned)).collect::<Option<_>>()?))
        }
        ("char", Value::String(text)) => Some(Values::Char(unhex(text)?)),
        (code, Value::String(text)) => {
            let data_type = type_of(code)?;
            let mut bytes = unhex(text)?;
            if cfg!(target_endian = "big") {
                bytes.chunks_mut(data_type.size()?).for_each(<[u8]>::reverse);
            }
            Values::from_native_bytes(data_type, &bytes)
        }
        _ => None,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    let whole = pairs.remainder().is_empty() && digits.len() <= 2 * MOST_ATTRIBUTE;
    whole.then(|| pairs.map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(layout: Layout) -> Array {
        let element = Element::Number { size: 4, big_endian: true };
        Array {
            data_type: DataType::F32,
            element,
            shape: vec![3, 5],
            layout,
            fill: vec![1, 2, 3, 4],
            short: None,
        }
    }

    fn attributes() -> Attributes {
        let mut attributes = Attributes::default();
        attributes.set_text("units", "K");
        attributes.set("calendar", Values::String(vec!["noleap".into()]));
        attributes.set("_FillValue", Values::F32(vec![f32::NAN]));
        attributes.set("valid_range", Values::F64(vec![-0.1, f64::INFINITY]));
        attributes.set("scale_factor", Values::F64(vec![0.1 + 0.2]));
        attributes.set("missing_value", Values::I64(vec![i64::MIN, 7]));
        attributes
    }

    #[test]
    fn a_description_has_all_that_decoding_needs_and_nothing_else() {
        let mut more = attributes();
        more.set_text("long_name", "x");
        let described = Described::of(&array(Layout::Records { offset: 9, stride: 100 }), &more).unwrap();
        let read = Described::parse(&described.text()).unwrap();
        assert_eq!(read.attributes.text("units").as_deref(), Some("K"));
        assert_eq!(read.attributes.get("long_name"), None);
        assert_eq!(read.attributes.get("scale_factor"), Some(&Values::F64(vec![0.1 + 0.2])));
        assert!(matches!(read.attributes.get("_FillValue"), Some(Values::F32(v)) if v[0].is_nan()));
        assert_eq!(read.attributes.get("missing_value"), Some(&Values::I64(vec![i64::MIN, 7])));
        let made = read.array(Place::Offset(9)).unwrap();
        assert!(matches!(made.layout, Layout::Records { offset: 9, stride: 100 }));
        assert_eq!((made.shape, made.fill), (vec![3, 5], vec![1, 2, 3, 4]));
        assert!(made.element == Element::Number { size: 4, big_endian: true });
    }

    #[test]
    fn what_has_no_description() {
        for layout in [Layout::Unwritten, Layout::Compact(vec![0; 60]), Layout::Refused("x".into())] {
            assert_eq!(Described::of(&array(layout), &Attributes::none()), None);
        }
        let mut long = Attributes::none();
        long.set_text("units", "m".repeat(MOST_ATTRIBUTE + 1));
        assert_eq!(Described::of(&array(Layout::Contiguous { offset: 0 }), &long), None);
    }

    #[test]
    fn odd_texts_are_no_descriptions() {
        let good = r#"{"type":"f4","big_endian":false,"shape":[4],"fill":"00000000","attributes":{}}"#;
        assert!(Described::parse(good).is_some());
        for (from, to) in [
            ("f4", "f8"),
            ("f4", "char"),
            ("f4", "str"),
            ("[4]", "[-4]"),
            ("[4]", "[4.5]"),
            ("[4]", "[4294967296,4294967296]"),
            ("[4]", "4"),
            ("00000000", "0000000"),
            ("00000000", "000000éx"),
            ("{}", "{\"units\":[\"f4\",\"00\"]}"),
            ("{}", "{\"long_name\":[\"char\",\"00\"]}"),
            ("{}", "{\"units\":3}"),
            ("{}", "{},\"stride\":3,\"chunk\":[1]"),
            ("{}", "{},\"chunk\":[0],\"filters\":[]"),
            ("{}", "{},\"chunk\":[1,1],\"filters\":[]"),
            ("{}", "{},\"chunk\":[9223372036854775807],\"filters\":[]"),
            ("{}", "{},\"chunk\":[1]"),
            ("{}", "{},\"chunk\":[1],\"filters\":[[70000,[]]]"),
            ("{}", "{},\"chunk\":[1],\"filters\":[[1,[4294967296]]]"),
            ("{}", "{"),
        ] {
            assert_eq!(Described::parse(&good.replace(from, to)), None, "{from} {to}");
        }
        let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
        assert_eq!(Described::parse(&deep), None);
        assert_eq!(Described::parse(&format!("{good}{}", " ".repeat(MOST_TEXT))), None);
    }
}
