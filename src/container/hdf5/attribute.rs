//! Attributes (HDF5 file format IV.A.2.m and IV.A.2.v), compact in the header or dense in a fractal heap.
//!
//! They are listed with their bytes and decoded one by one, so that one of an odd type is left out alone.

use hdf5_reader::btree_v2::{collect_btree_v2_records_storage, BTreeV2Header, BTreeV2Record};
use hdf5_reader::checksum::jenkins_lookup3;
use hdf5_reader::fractal_heap::{FractalHeap, FractalHeapDirectBlockCache};
use hdf5_reader::io::Cursor;

use super::dataspace::Dataspace;
use super::datatype::Type;
use super::header::{Header, ATTRIBUTE, ATTRIBUTE_INFO};
use super::store::{damaged, unsupported, Store};
use crate::container::is_name;
use crate::error::Result;
use crate::value::{text_of, Attribute, Attributes, DataType, Values};

/// Attributes that netCDF-4 and the dimension scale library keep for themselves.
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

/// Whether an attribute of this name is one that netCDF-4 keeps for itself, so that no user can have it.
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

/// The attributes of an object, in order of creation where that is known.
pub(super) struct RawAttributes {
    list: Vec<RawAttribute>,
    /// Names (where known) and reasons of those that cannot be listed.
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
                Ok(attribute) => ordered.push((u32::from(message.order.unwrap_or(0)), attribute)),
                Err(error) => omitted.push((String::new(), error.to_string())),
            }
        }
        if let Some(dense) = Dense::of(store, header)? {
            let parse = |data: Vec<u8>| RawAttribute::parse(store, &data);
            let take = |order, data: Result<_>| match data.and_then(parse) {
                Ok(attribute) => ordered.push((order, attribute)),
                Err(error) => omitted.push((String::new(), error.to_string())),
            };
            dense.each(store, |_| true, take)?;
        }
        ordered.sort_by_key(|(order, _)| *order);
        Ok(RawAttributes { list: ordered.into_iter().map(|(_, attribute)| attribute).collect(), omitted })
    }

    /// The attribute of this name.
    pub(super) fn get(&self, name: &str) -> Option<&RawAttribute> {
        self.list.iter().find(|attribute| attribute.name == name)
    }

    /// The text of the attribute of this name; `None` when it is absent or no text.
    pub(super) fn text(&self, store: &Store, name: &str) -> Option<String> {
        self.get(name)?.values(store).ok()?.as_text()
    }

    /// The integers of the attribute of this name; none when it is absent or no integer.
    pub(super) fn integers(&self, store: &Store, name: &str) -> Vec<i128> {
        let values = self.get(name).and_then(|attribute| attribute.values(store).ok());
        values.map_or_else(Vec::new, |values| (0..values.len()).map_while(|i| values.int_at(i)).collect())
    }

    /// All but the bookkeeping ones, decoded; what cannot be goes to `omitted` with its name and the reason.
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

/// Whether the object with this header has an attribute with one of these names; values are not looked at.
///
/// # Errors
/// When none is found, and it cannot be told whether there is one.
pub(super) fn is_any_named(store: &Store, header: &Header, names: &[&str]) -> Result<bool> {
    let is_meant = |data: &[u8]| {
        Parts::of(data).is_ok_and(|parts| names.iter().any(|wanted| is_name(parts.name, wanted)))
    };
    let mut compact = header.messages.iter().filter(|m| m.kind == ATTRIBUTE && !m.shared);
    if compact.any(|message| is_meant(&message.data)) {
        return Ok(true);
    }
    let Some(dense) = Dense::of(store, header)? else { return Ok(false) };
    // The index has the hashes of the names: the heap with the attributes is seldom read.
    let hashes: Vec<u32> = names.iter().map(|name| jenkins_lookup3(name.as_bytes())).collect();
    let mut found = Ok(false);
    let take = |_, data: Result<Vec<u8>>| {
        if !matches!(found, Ok(true)) {
            found = data.map(|data| is_meant(&data));
        }
    };
    dense.each(store, |hash| hashes.contains(&hash), take)?;
    found
}

/// The attribute of this name, without parsing the others.
///
/// # Errors
/// When it cannot be told whether there is one.
pub(super) fn find(store: &Store, header: &Header, name: &str) -> Result<Option<RawAttribute>> {
    let is_meant = |data: &[u8]| Parts::of(data).is_ok_and(|parts| is_name(parts.name, name));
    let mut compact = header.messages.iter().filter(|m| m.kind == ATTRIBUTE && !m.shared);
    if let Some(message) = compact.find(|message| is_meant(&message.data)) {
        return RawAttribute::parse(store, &message.data).map(Some);
    }
    let Some(dense) = Dense::of(store, header)? else { return Ok(None) };
    let wanted = jenkins_lookup3(name.as_bytes());
    let mut found = Ok(None);
    let take = |_, data: Result<Vec<u8>>| {
        if matches!(found, Ok(None)) {
            found = data.map(|data| Some(data).filter(|data| is_meant(data)));
        }
    };
    dense.each(store, |hash| hash == wanted, take)?;
    found?.map(|data| RawAttribute::parse(store, &data)).transpose()
}

/// Where the attributes lie that are not in the header.
struct Dense {
    heap: u64,
    names: u64,
    tracked: bool,
}

impl Dense {
    /// As the header says; `None` when it has all attributes itself.
    fn of(store: &Store, header: &Header) -> Result<Option<Self>> {
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
            (Some(heap), Some(names)) => Some(Dense { heap, names, tracked }),
            _ => None,
        })
    }

    /// Takes each attribute, with its order of creation, whose hash of the name is wanted.
    fn each(
        &self,
        store: &Store,
        is_wanted: impl Fn(u32) -> bool,
        mut take: impl FnMut(u32, Result<Vec<u8>>),
    ) -> Result<()> {
        let (storage, offset_size, length_size) = (&store.storage, store.offset_size, store.length_size);
        let tree = BTreeV2Header::parse_at_storage(storage, self.names, offset_size, length_size)?;
        let records =
            collect_btree_v2_records_storage(storage, &tree, offset_size, length_size, None, &[], None)?;
        let mut heap = None;
        let mut blocks = FractalHeapDirectBlockCache::default();
        for record in records {
            let BTreeV2Record::AttributeNameHash { hash, flags, creation_order, heap_id } = record else {
                return Err(damaged("attributes are indexed by something else than names"));
            };
            if !is_wanted(hash) {
                continue;
            }
            let order = if self.tracked { creation_order } else { 0 };
            if flags & 0x02 != 0 {
                take(order, Err(unsupported("attributes in the shared message table are not read")));
                continue;
            }
            let heap = match &mut heap {
                Some(heap) => heap,
                None => {
                    heap.insert(FractalHeap::parse_at_storage(storage, self.heap, offset_size, length_size)?)
                }
            };
            let data =
                heap.get_object_storage_cached(&heap_id, storage, offset_size, length_size, &mut blocks);
            take(order, data.map_err(Into::into));
        }
        Ok(())
    }
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
        let data = cursor.read_bytes(cursor.remaining() as usize)?;
        Ok(Parts { flags: if version == 1 { 0 } else { flags }, name, datatype, dataspace, data })
    }
}

impl RawAttribute {
    /// Parses the bytes of an attribute message.
    fn parse(store: &Store, data: &[u8]) -> Result<Self> {
        let parts = Parts::of(data)?;
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

    /// The stored elements of `size` bytes each.
    fn elements(&self, size: usize) -> Result<std::slice::ChunksExact<'_, u8>> {
        let dataspace = self.dataspace.as_ref().map_err(|reason| unsupported(reason.clone()))?;
        let count = dataspace.len().and_then(|count| usize::try_from(count).ok());
        let bytes = count.and_then(|count| count.checked_mul(size)).and_then(|len| self.data.get(..len));
        Ok(bytes.ok_or_else(|| damaged("attribute is shorter than its dataspace"))?.chunks_exact(size))
    }

    /// Its value as netCDF sees it.
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
            // netCDF writes text as one fixed string; a list of fixed strings is a list of strings to it.
            Type::FixedString { size, .. } if dataspace.shape.is_empty() => {
                Ok(Values::Char(self.elements(size)?.flatten().copied().collect()))
            }
            Type::FixedString { size, blank_padded } => {
                let texts = self.elements(size)?.map(|field| super::strings::fixed(field, blank_padded));
                Ok(Values::String(texts.collect()))
            }
            Type::HeapString => {
                let references = self.elements(store.heap_reference_size())?;
                let texts = references.map(|reference| Ok(text_of(&store.heap_bytes(reference, 1)?)));
                Ok(Values::String(texts.collect::<Result<_>>()?))
            }
            Type::ObjectReference | Type::ObjectReferenceList => {
                Err(unsupported("attributes of type reference are not read"))
            }
            Type::Other { name, .. } => Err(unsupported(format!("attributes of type {name} are not read"))),
        }
    }

    /// The elements of a list of compounds, as they are stored.
    pub(super) fn records(&self) -> Result<std::slice::ChunksExact<'_, u8>> {
        match Type::parse(&self.datatype)? {
            Type::Other { name: "compound", size } if !self.committed && size > 0 => self.elements(size),
            _ => Err(unsupported("not a list of compounds")),
        }
    }

    /// The first object that each element of a list of references names; the value of `DIMENSION_LIST`.
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
        self.elements(store.heap_reference_size())?
            .map(|reference| one(&store.heap_bytes(reference, width)?))
            .collect()
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
