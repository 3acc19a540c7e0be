//! Attributes as messages (HDF5 file format IV.A.2.m): those of users, and those from which netCDF-4 knows dimensions.

use super::heap::Heap;
use super::message::{self, HEAP_REFERENCE};
use crate::author::write::bytes::{encode, text_bytes, Order};
use crate::author::write::sink::Sink;
use crate::error::{Error, Kind, Result};
use crate::value::Values;

/// An attribute to be written.
#[derive(Debug)]
pub(super) struct Attribute {
    pub name: String,
    datatype: Vec<u8>,
    dataspace: Vec<u8>,
    payload: Payload,
}

#[derive(Debug)]
enum Payload {
    Bytes(Vec<u8>),
    Strings(Vec<String>),
    /// The scale of each dimension.
    Scales(Vec<usize>),
    /// The objects that use a scale, with the number of their dimension.
    Users(Vec<(usize, u32)>),
}

impl Attribute {
    /// Returns an attribute of a user.
    pub(super) fn new(name: &str, values: &Values) -> Attribute {
        if let Values::Char(bytes) = values {
            return Attribute::text(name, &text_bytes(bytes));
        }
        let dataspace = match values.len() {
            0 => message::null(),
            n => message::simple(&[n as u64], &[]),
        };
        let payload = match values {
            Values::String(list) => {
                Payload::Strings(list.iter().map(|text| text.replace('\0', "")).collect())
            }
            numbers => Payload::Bytes(encode(numbers, Order::Little).into_owned()),
        };
        let datatype = message::datatype(values.data_type());
        Attribute { name: name.to_owned(), datatype, dataspace, payload }
    }

    /// Returns text without padding or terminator.
    pub(super) fn text(name: &str, text: &[u8]) -> Attribute {
        Attribute {
            name: name.to_owned(),
            datatype: message::text(text.len().max(1) as u32, !text.is_ascii()),
            dataspace: if text.is_empty() { message::null() } else { message::scalar() },
            payload: Payload::Bytes(text.to_vec()),
        }
    }

    /// Returns one number.
    pub(super) fn number(name: &str, value: i32) -> Attribute {
        Attribute { dataspace: message::scalar(), ..Attribute::new(name, &Values::I32(vec![value])) }
    }

    /// Returns `DIMENSION_LIST`: the scale of each dimension.
    pub(super) fn scales(scales: Vec<usize>) -> Attribute {
        Attribute {
            name: "DIMENSION_LIST".into(),
            datatype: message::reference_list(),
            dataspace: message::simple(&[scales.len() as u64], &[]),
            payload: Payload::Scales(scales),
        }
    }

    /// Returns `REFERENCE_LIST`: the users of a scale.
    pub(super) fn users(users: Vec<(usize, u32)>) -> Attribute {
        Attribute {
            name: "REFERENCE_LIST".into(),
            datatype: message::back_reference(),
            dataspace: message::simple(&[users.len() as u64], &[]),
            payload: Payload::Users(users),
        }
    }

    /// Returns the number of bytes of the message.
    pub(super) fn len(&self) -> usize {
        let payload = match &self.payload {
            Payload::Bytes(bytes) => bytes.len(),
            Payload::Strings(list) => list.len() * HEAP_REFERENCE,
            Payload::Scales(list) => list.len() * HEAP_REFERENCE,
            Payload::Users(list) => list.len() * 16,
        };
        9 + self.name.len() + 1 + self.datatype.len() + self.dataspace.len() + payload
    }

    /// Returns the message; `addresses` are those of the objects.
    ///
    /// # Errors
    /// `Limit`, `Io`.
    pub(super) fn encode(&self, addresses: &[u64], heap: &mut Heap, sink: &mut Sink) -> Result<Vec<u8>> {
        let long = |_| Error::new(Kind::Limit, format!("the name of attribute '{}' is too long", self.name));
        let mut out = Vec::with_capacity(self.len());
        out.extend([3, 0]);
        for part in [self.name.len() + 1, self.datatype.len(), self.dataspace.len()] {
            out.extend(u16::try_from(part).map_err(long)?.to_le_bytes());
        }
        out.push(u8::from(!self.name.is_ascii()));
        out.extend(self.name.as_bytes());
        out.push(0);
        out.extend(&self.datatype);
        out.extend(&self.dataspace);
        match &self.payload {
            Payload::Bytes(bytes) => out.extend(bytes),
            Payload::Strings(list) => {
                let list: Vec<&str> = list.iter().map(String::as_str).collect();
                out.extend(heap.add_strings(sink, &list)?);
            }
            Payload::Scales(list) => {
                for &scale in list {
                    out.extend(1u32.to_le_bytes());
                    out.extend(heap.add(sink, &addresses[scale].to_le_bytes(), 0)?);
                }
            }
            Payload::Users(list) => {
                for &(user, dimension) in list {
                    out.extend(addresses[user].to_le_bytes());
                    out.extend(dimension.to_le_bytes());
                    out.extend([0; 4]);
                }
            }
        }
        Ok(out)
    }
}
