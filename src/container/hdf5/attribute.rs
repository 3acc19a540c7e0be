//! Attributes (HDF5 file format IV.A.2.m and IV.A.2.v), compact in the header or dense in a fractal heap.
//!
//! Attributes are listed with their bytes and decoded one by one, so that only those of unknown types are left out.

use super::btree2::hash;
use super::cursor::Cursor;
use super::dataspace::Dataspace;
use super::datatype::Type;
use super::dense::{Dense, Listed, Record};
use super::global_heap;
use super::header::{Header, ATTRIBUTE, ATTRIBUTE_INFO};
use super::store::{damaged, unsupported, Store};
use super::strings::heap_texts;
use crate::container::is_name;
use crate::error::Result;
use crate::value::{text_of, Attribute, Attributes, DataType, Values};

/// Attributes that netCDF-4 and the dimension scale library use internally.
const BOOKKEEPING: [&str; 8] = [
    "CLASS",
    "NAME",
    "DIMENSION_LIST",
    "REFERENCE_LIST",
    "_Netcdf4Dimid",
    "_Netcdf4Coordinates",
    "_nc3_strict",
    "_NCProperties",
];

/// Memory that an attribute takes in addition to its bytes.
const ATTRIBUTE_BYTES: usize = 128;
/// Approximate memory that the reason for omitting an attribute takes.
const OMITTED_BYTES: usize = 192;
/// Memory that a string takes in addition to its text.
const STRING_BYTES: usize = 48;

/// Returns whether netCDF-4 uses attributes of this name internally, so that no user can have one.
pub(crate) fn is_bookkeeping(name: &str) -> bool {
    BOOKKEEPING.contains(&name)
}

/// An attribute as it is stored.
pub(super) struct RawAttribute {
    pub(super) name: String,
    datatype: Vec<u8>,
    committed: bool,
    dataspace: Result<Dataspace, String>,
    data: Vec<u8>,
}

/// The attributes of an object, in order of creation if that is known.
pub(super) struct RawAttributes {
    list: Vec<RawAttribute>,
    /// Names (if known) and reasons of those that cannot be listed.
    pub(super) omitted: Vec<(String, String)>,
}

impl RawAttributes {
    /// Lists the attributes of the object with this header.
    pub(super) fn of(store: &Store, header: &Header) -> Result<Self> {
        let mut ordered = Vec::new();
        let mut omitted = Vec::new();
        for message in header.messages.iter().filter(|message| message.kind == ATTRIBUTE) {
            if message.shared {
                omitted.push((String::new(), "attributes in the shared message table are not read".into()));
                continue;
            }
            match RawAttribute::parse(store, &message.data) {
                Ok(attribute) => ordered.push(((u32::from(message.order.unwrap_or(0)), 0), attribute)),
                Err(error) => omitted.push((String::new(), error.to_string())),
            }
        }
        if let Some((dense, tracked)) = dense(store, header)? {
            let take = |record: &Record, data: Result<Vec<u8>>| match parse(store, record, data) {
                Ok(attribute) => {
                    let order = if tracked { record.order } else { 0 };
                    ordered.push(((order, record.number), attribute));
                    Ok(())
                }
                Err(error) => {
                    store.budget.keep(OMITTED_BYTES)?;
                    omitted.push((String::new(), error.to_string()));
                    Ok(())
                }
            };
            dense.each(store, None, take)?;
        }
        // Attributes that were left out for lack of memory would be missed.
        store.budget.check()?;
        ordered.sort_by_key(|(order, _)| *order);
        Ok(RawAttributes { list: ordered.into_iter().map(|(_, attribute)| attribute).collect(), omitted })
    }

    /// Returns the attribute of this name.
    pub(super) fn get(&self, name: &str) -> Option<&RawAttribute> {
        self.list.iter().find(|attribute| attribute.name == name)
    }

    /// Returns the text of the attribute of this name, or `None` if it is absent or not text.
    pub(super) fn text(&self, store: &Store, name: &str) -> Option<String> {
        self.get(name)?.values(store).ok()?.as_text()
    }

    /// Returns the integers of the attribute of this name, or none if it is absent or not an integer.
    pub(super) fn integers(&self, store: &Store, name: &str) -> Vec<i128> {
        let values = self.get(name).and_then(|attribute| attribute.values(store).ok());
        values.map_or_else(Vec::new, |values| (0..values.len()).map_while(|i| values.int_at(i)).collect())
    }

    /// Decodes all but the bookkeeping ones. Those that cannot be decoded go to `omitted` with name and reason.
    pub(super) fn decoded(&self, store: &Store, omitted: &mut Vec<(String, String)>) -> Attributes {
        omitted.extend(self.omitted.iter().cloned());
        let mut list = Vec::with_capacity(self.list.len());
        for attribute in &self.list {
            if is_bookkeeping(&attribute.name) {
                continue;
            }
            match attribute.values(store) {
                Ok(value) => list.push(Attribute { name: attribute.name.clone(), value }),
                Err(error) => omitted.push((attribute.name.clone(), error.to_string())),
            }
        }
        Attributes::new(list)
    }
}

/// Returns whether the object with this header has an attribute with one of these names, without decoding values.
///
/// # Errors
/// If none is found and it is unknown whether there is one.
pub(super) fn is_any_named(store: &Store, header: &Header, names: &[&str]) -> Result<bool> {
    let is_meant = |data: &[u8]| {
        Parts::of(data).is_ok_and(|parts| names.iter().any(|wanted| is_name(parts.name, wanted)))
    };
    let mut compact = header.messages.iter().filter(|m| m.kind == ATTRIBUTE && !m.shared);
    if compact.any(|message| is_meant(&message.data)) {
        return Ok(true);
    }
    let Some((dense, _)) = dense(store, header)? else { return Ok(false) };
    // The index has the hashes of the names, so the heap with the attributes is seldom read.
    let hashes: Vec<u32> = names.iter().map(|name| hash(name)).collect();
    let mut found = Ok(false);
    let take = |_: &Record, data: Result<Vec<u8>>| {
        if !matches!(found, Ok(true)) {
            found = data.map(|data| is_meant(&data));
        }
        Ok(())
    };
    dense.each(store, Some(&hashes), take)?;
    found
}

/// Returns the attribute of this name, without parsing the others.
///
/// # Errors
/// If it is unknown whether there is one.
pub(super) fn find(store: &Store, header: &Header, name: &str) -> Result<Option<RawAttribute>> {
    let is_meant = |data: &[u8]| Parts::of(data).is_ok_and(|parts| is_name(parts.name, name));
    let mut compact = header.messages.iter().filter(|m| m.kind == ATTRIBUTE && !m.shared);
    if let Some(message) = compact.find(|message| is_meant(&message.data)) {
        return RawAttribute::parse(store, &message.data).map(Some);
    }
    let Some((dense, _)) = dense(store, header)? else { return Ok(None) };
    let mut found = Ok(None);
    let take = |_: &Record, data: Result<Vec<u8>>| {
        if matches!(found, Ok(None)) {
            found = data.map(|data| Some(data).filter(|data| is_meant(data)));
        }
        Ok(())
    };
    dense.each(store, Some(&[hash(name)]), take)?;
    found?.map(|data| RawAttribute::parse(store, &data)).transpose()
}

/// Returns where the attributes outside the header lie, and whether their order of creation is known, or `None` if the
/// header has all attributes.
fn dense(store: &Store, header: &Header) -> Result<Option<(Dense, bool)>> {
    let Some(info) = header.data(ATTRIBUTE_INFO)? else { return Ok(None) };
    let mut cursor = Cursor::new(info);
    let version = cursor.read_u8()?;
    if version != 0 {
        return Err(damaged(format!("attribute info of version {version}")));
    }
    let tracked = cursor.read_u8()? & 1 != 0;
    if tracked {
        cursor.skip(2)?;
    }
    let places = (store.address(&mut cursor)?, store.address(&mut cursor)?);
    Ok(match places {
        (Some(heap), Some(names)) => Some((Dense { listed: Listed::Attributes, heap, names }, tracked)),
        _ => None,
    })
}

/// Parses an attribute from a heap.
fn parse(store: &Store, record: &Record, data: Result<Vec<u8>>) -> Result<RawAttribute> {
    if record.shared {
        return Err(unsupported("attributes in the shared message table are not read"));
    }
    RawAttribute::parse(store, &data?)
}

/// The parts of an attribute message, versions 1 to 3.
struct Parts<'a> {
    flags: u8,
    name: &'a [u8],
    datatype: &'a [u8],
    dataspace: &'a [u8],
    data: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(data: &'a [u8]) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        let version = cursor.read_u8()?;
        let flags = cursor.read_u8()?;
        let lengths = [cursor.read_u16_le()?, cursor.read_u16_le()?, cursor.read_u16_le()?].map(usize::from);
        match version {
            1 | 2 => {}
            3 => cursor.skip(1)?,
            _ => return Err(damaged(format!("attribute of version {version}"))),
        }
        let mut part = |len: usize| -> Result<&'a [u8]> {
            let bytes = cursor.read_bytes(len)?;
            if version == 1 {
                cursor.skip((8 - len % 8) % 8)?;
            }
            Ok(bytes)
        };
        let (name, datatype, dataspace) = (part(lengths[0])?, part(lengths[1])?, part(lengths[2])?);
        let data = cursor.read_bytes(cursor.remaining())?;
        Ok(Parts { flags: if version == 1 { 0 } else { flags }, name, datatype, dataspace, data })
    }
}

impl RawAttribute {
    /// Parses the bytes of an attribute message.
    fn parse(store: &Store, data: &[u8]) -> Result<Self> {
        let parts = Parts::of(data)?;
        store.budget.keep(ATTRIBUTE_BYTES + data.len())?;
        let dataspace = if parts.flags & 2 != 0 {
            Err("shared dataspaces are not read".to_owned())
        } else {
            Dataspace::parse(store, parts.dataspace).map_err(|error| error.to_string())
        };
        Ok(RawAttribute {
            name: text_of(parts.name),
            datatype: parts.datatype.to_vec(),
            committed: parts.flags & 1 != 0,
            dataspace,
            data: parts.data.to_vec(),
        })
    }

    fn datatype(&self, store: &Store) -> Result<Type> {
        if self.committed {
            Type::committed(store, &self.datatype)
        } else {
            Type::parse(&self.datatype)
        }
    }

    /// Returns the stored elements of `size` bytes each.
    fn elements(&self, size: usize) -> Result<std::slice::ChunksExact<'_, u8>> {
        let dataspace = self.dataspace.as_ref().map_err(|reason| unsupported(reason.clone()))?;
        let count = dataspace.len().and_then(|count| usize::try_from(count).ok());
        let bytes = count.and_then(|count| count.checked_mul(size)).and_then(|len| self.data.get(..len));
        Ok(bytes.ok_or_else(|| damaged("attribute is shorter than its dataspace"))?.chunks_exact(size))
    }

    /// Returns its value as netCDF defines it.
    pub(super) fn values(&self, store: &Store) -> Result<Values> {
        let datatype = self.datatype(store)?;
        let dataspace = self.dataspace.as_ref().map_err(|reason| unsupported(reason.clone()))?;
        match datatype {
            Type::Number { data_type, big_endian } => {
                let size = data_type.size().unwrap_or(1);
                numbers(data_type, big_endian, self.elements(size)?)
            }
            Type::Narrow(narrow) => {
                let mut bytes = Vec::new();
                for element in self.elements(narrow.size)? {
                    let at = bytes.len();
                    bytes.resize(at + narrow.data_type().size().unwrap_or(1), 0);
                    narrow.widen(element, &mut bytes[at..]);
                }
                Values::from_native_bytes(narrow.data_type(), &bytes)
                    .ok_or_else(|| damaged("attribute of odd length"))
            }
            // netCDF writes text as one fixed string; it treats a list of fixed strings as a list of strings.
            Type::FixedString { size, .. } if dataspace.shape.is_empty() => {
                Ok(Values::Char(self.elements(size)?.flatten().copied().collect()))
            }
            Type::FixedString { size, blank_padded } => {
                let fields = self.elements(size)?;
                store.budget.keep(fields.len().saturating_mul(STRING_BYTES))?;
                Ok(Values::String(fields.map(|field| super::strings::fixed(field, blank_padded)).collect()))
            }
            Type::HeapString => {
                let references = self.elements(store.heap_reference_size())?;
                store.budget.keep(references.len().saturating_mul(STRING_BYTES))?;
                Ok(Values::String(heap_texts(store, references)?))
            }
            Type::ObjectReference | Type::ObjectReferenceList => {
                Err(unsupported("attributes of type reference are not read"))
            }
            Type::Other { name, .. } => Err(unsupported(format!("attributes of type {name} are not read"))),
        }
    }

    /// Returns the stored elements of a list of compounds.
    pub(super) fn records(&self) -> Result<std::slice::ChunksExact<'_, u8>> {
        match Type::parse(&self.datatype)? {
            Type::Other { name: "compound", size } if !self.committed && size > 0 => self.elements(size),
            _ => Err(unsupported("not a list of compounds")),
        }
    }

    /// Returns the first object that each element of a list of references names; the value of `DIMENSION_LIST`.
    pub(super) fn references(&self, store: &Store) -> Result<Vec<Option<u64>>> {
        let list = match self.datatype(store)? {
            Type::ObjectReference => false,
            Type::ObjectReferenceList => true,
            _ => return Err(unsupported("not a list of references")),
        };
        let width = usize::from(store.offset_size);
        let one = |bytes: &[u8]| -> Result<Option<u64>> {
            match bytes.get(..width) {
                Some(bytes) => store.address(&mut Cursor::new(bytes)),
                None => Ok(None),
            }
        };
        if !list {
            return self.elements(width)?.map(one).collect();
        }
        let references = self.elements(store.heap_reference_size())?;
        let mut objects = vec![None; references.len()];
        global_heap::each(store, references, width, |position, bytes| {
            objects[position] = one(bytes)?;
            Ok(())
        })?;
        Ok(objects)
    }
}

fn numbers(
    data_type: DataType,
    big_endian: bool,
    elements: std::slice::ChunksExact<'_, u8>,
) -> Result<Values> {
    let swap = big_endian != cfg!(target_endian = "big");
    let mut bytes = Vec::new();
    for element in elements {
        let at = bytes.len();
        bytes.extend_from_slice(element);
        if swap {
            bytes[at..].reverse();
        }
    }
    Values::from_native_bytes(data_type, &bytes).ok_or_else(|| damaged("attribute of odd length"))
}
