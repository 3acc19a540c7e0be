//! Groups, dimensions and variables as HDF5 objects, with the attributes by which netCDF-4 recognises them.
//!
//! "NetCDF-4 Format" in the appendix of the netCDF user's guide; HDF5 Dimension Scale Specification. A dimension is a
//! dataset that is a dimension scale: the variable of the same name if the dimension is its first, else a dataset
//! without data. Objects refer to each other by address, so all addresses are assigned before the first object is
//! written.

use super::attribute::Attribute;
use super::dense::{self, Addresses, Member, Members};
use super::header::{self, Message};
use super::heap::Heap;
use super::message::{self, CONSTANT};
use crate::author::write::sink::Sink;
use crate::container::hdf5::is_bookkeeping;
use crate::error::Result;
use crate::value::Attributes;

/// The maximum number of attributes or links that are kept in the header.
const COMPACT: usize = 500;
/// The prefix of the name of a variable that has the name of a dimension without being its coordinate variable.
const NON_COORDINATE: &str = "_nc4_non_coord_";

/// A group or dataset to be written.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// Its messages other than attributes and links.
    pub messages: Vec<Message>,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// The objects in a group, with their names there; `None` for a dataset.
    pub links: Option<Vec<(String, usize)>>,
}

impl Object {
    /// Adds the attributes of a user.
    pub(super) fn describe(&mut self, attributes: &Attributes) {
        let own = attributes.iter().filter(|a| !is_bookkeeping(&a.name));
        self.attributes.extend(own.map(|a| Attribute::new(&a.name, &a.value)));
    }

    fn has_dense_attributes(&self) -> bool {
        self.attributes.len() > COMPACT || self.attributes.iter().any(|a| a.len() > header::LONGEST)
    }

    fn has_dense_links(&self) -> bool {
        self.links.as_ref().is_some_and(|links| links.len() > COMPACT && links.len() <= dense::MOST)
    }

    /// Returns the number of bytes of its header.
    fn len(&self) -> usize {
        let mut bodies: Vec<usize> = self.messages.iter().map(|m| m.body.len()).collect();
        bodies.push(attribute_info(0, Addresses::NONE).len());
        if !self.has_dense_attributes() {
            bodies.extend(self.attributes.iter().map(Attribute::len));
        }
        if let Some(links) = &self.links {
            bodies.extend([link_info(0, Addresses::NONE).len(), GROUP_INFO.len()]);
            if !self.has_dense_links() {
                bodies.extend(links.iter().enumerate().map(|(i, (name, _))| link(name, i, 0).len()));
            }
        }
        header::length(bodies.into_iter())
    }

    /// Writes its contents outside of the header, and returns the header.
    fn encode(self, addresses: &[u64], heap: &mut Heap, sink: &mut Sink) -> Result<Vec<u8>> {
        let (dense_attributes, dense_links) = (self.has_dense_attributes(), self.has_dense_links());
        let mut messages = Vec::new();
        if let Some(links) = &self.links {
            let bodies =
                links.iter().enumerate().map(|(i, (name, to))| (name, link(name, i, addresses[*to])));
            let mut place = Addresses::NONE;
            let mut compact = Vec::new();
            if dense_links {
                let members: Vec<Member<'_>> = bodies.map(|(name, body)| Member { name, body }).collect();
                place = dense::write(sink, Members::Links, &members)?;
            } else {
                compact.extend(bodies.map(|(_, body)| Message::new(message::LINK, 0, body)));
            }
            messages.push(Message::new(message::LINK_INFO, 0, link_info(links.len() as u64, place)));
            messages.push(Message::new(message::GROUP_INFO, CONSTANT, GROUP_INFO.to_vec()));
            messages.extend(compact);
        }
        messages.extend(self.messages);
        let mut place = Addresses::NONE;
        let mut bodies = Vec::with_capacity(self.attributes.len());
        for attribute in &self.attributes {
            bodies.push(attribute.encode(addresses, heap, sink)?);
        }
        let count = self.attributes.len() as u16;
        let mut compact = Vec::new();
        if dense_attributes {
            let named = self.attributes.iter().zip(bodies);
            let members: Vec<Member<'_>> = named.map(|(a, body)| Member { name: &a.name, body }).collect();
            place = dense::write(sink, Members::Attributes, &members)?;
        } else {
            let numbered = (0..).zip(bodies);
            compact.extend(numbered.map(|(order, body)| Message {
                kind: message::ATTRIBUTE,
                flags: 0,
                order,
                body,
            }));
        }
        // Not shared with other objects.
        messages.push(Message::new(message::ATTRIBUTE_INFO, 4, attribute_info(count, place)));
        messages.extend(compact);
        header::encode(&messages)
    }
}

/// Writes all objects that are present, and returns the address of the first.
///
/// # Errors
/// `Limit`, `Io`.
pub(super) fn write(objects: Vec<Option<Object>>, heap: &mut Heap, sink: &mut Sink) -> Result<u64> {
    let mut addresses = Vec::with_capacity(objects.len());
    let begin = sink.end();
    for object in &objects {
        addresses.push(sink.reserve(object.as_ref().map_or(0, Object::len) as u64)?);
    }
    let mut headers = Vec::with_capacity((sink.end() - begin) as usize);
    for object in objects.into_iter().flatten() {
        headers.extend(object.encode(&addresses, heap, sink)?);
    }
    heap.flush(sink)?;
    sink.write_at(begin, &headers)?;
    Ok(begin)
}

/// Returns the name under which a variable is linked.
pub(super) fn linked_name(name: &str, is_hidden_by_dimension: bool) -> String {
    match is_hidden_by_dimension {
        true => format!("{NON_COORDINATE}{name}"),
        false => name.to_owned(),
    }
}

/// Returns the attributes that make a dataset the scale of a dimension with this number.
pub(super) fn scale(name: &str, number: usize) -> [Attribute; 3] {
    let ended = format!("{name}\0");
    [
        Attribute::text("CLASS", b"DIMENSION_SCALE\0"),
        Attribute::text("NAME", ended.as_bytes()),
        Attribute::number("_Netcdf4Dimid", number as i32),
    ]
}

/// Returns the name of a scale that is not a variable.
pub(super) fn name_without_variable(size: u64) -> String {
    format!("This is a netCDF dimension but not a netCDF variable.{size:10}")
}

/// The default values.
const GROUP_INFO: [u8; 2] = [0, 0];

fn link_info(count: u64, place: Addresses) -> Vec<u8> {
    // The order of creation is kept and indexed.
    let mut out = vec![0, 3];
    out.extend(count.to_le_bytes());
    out.extend(place.bytes());
    out
}

fn attribute_info(count: u16, place: Addresses) -> Vec<u8> {
    let mut out = vec![0, 3];
    out.extend(count.to_le_bytes());
    out.extend(place.bytes());
    out
}

/// Returns a hard link.
fn link(name: &str, order: usize, address: u64) -> Vec<u8> {
    let utf8 = !name.is_ascii();
    // The order is included, and the charset if it matters; the length of the name has one or two bytes.
    let wide = name.len() > 255;
    let mut out = vec![1, 0x04 | if utf8 { 0x10 } else { 0 } | u8::from(wide)];
    out.extend((order as u64).to_le_bytes());
    if utf8 {
        out.push(1);
    }
    match wide {
        true => out.extend((name.len() as u16).to_le_bytes()),
        false => out.push(name.len() as u8),
    }
    out.extend(name.as_bytes());
    out.extend(address.to_le_bytes());
    out
}
