//! Attributes (HDF5 file format IV.A.2.m and IV.A.2.v), compact in the header or dense in a fractal heap.
//!
//! They are listed with their bytes and decoded one by one, so that one of an odd type is left out alone.

use hdf5_reader::btree_v2::{collect_btree_v2_records_storage, BTreeV2Header, BTreeV2Record};
use hdf5_reader::fractal_heap::{FractalHeap, FractalHeapDirectBlockCache};
use hdf5_reader::io::Cursor;

use super::dataspace::Dataspace;
use super::datatype::Type;
use super::header::{Header, ATTRIBUTE, ATTRIBUTE_INFO};
use super::store::{damaged, unsupported, Store};
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
        if let Some(info) = header.data(ATTRIBUTE_INFO)? {
            dense(store, info, &mut ordered, &mut omitted)?;
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
            if BOOKKEEPING.contains(&attribute.name.as_str()) {
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

/// Adds the attributes that an attribute info message points to.
fn dense(
    store: &Store,
    info: &[u8],
    ordered: &mut Vec<(u32, RawAttribute)>,
    omitted: &mut Vec<(String, String)>,
) -> Result<()> {
    let mut cursor = Cursor::new(info);
    let version = cursor.read_u8()?;
    if version != 0 {
        return Err(damaged(format!("attribute info of version {version}")));
    }
    let tracked = cursor.read_u8()? & 1 != 0;
    if tracked {
        cursor.skip(2)?;
    }
    let (Some(heap), Some(names)) = (store.address(&mut cursor)?, store.address(&mut cursor)?) else {
        return Ok(());
    };
    let (offset_size, length_size) = (store.offset_size, store.length_size);
    let heap = FractalHeap::parse_at_storage(&store.storage, heap, offset_size, length_size)?;
    let tree = BTreeV2Header::parse_at_storage(&store.storage, names, offset_size, length_size)?;
    let records =
        collect_btree_v2_records_storage(&store.storage, &tree, offset_size, length_size, None, &[], None)?;
    let mut blocks = FractalHeapDirectBlockCache::default();
    for record in records {
        let BTreeV2Record::AttributeNameHash { flags, creation_order, heap_id, .. } = record else {
            return Err(damaged("attributes are indexed by something else than names"));
        };
        if flags & 0x02 != 0 {
            omitted.push((String::new(), "attributes in the shared message table are not read".into()));
            continue;
        }
        let attribute = heap
            .get_object_storage_cached(&heap_id, &store.storage, offset_size, length_size, &mut blocks)
            .map_err(Into::into)
            .and_then(|data| RawAttribute::parse(store, &data));
        match attribute {
            Ok(attribute) => ordered.push((if tracked { creation_order } else { 0 }, attribute)),
            Err(error) => omitted.push((String::new(), error.to_string())),
        }
    }
    Ok(())
}

impl RawAttribute {
    /// Parses the bytes of an attribute message, versions 1 to 3.
    fn parse(store: &Store, data: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        let version = cursor.read_u8()?;
        let flags = cursor.read_u8()?;
        let lengths = [cursor.read_u16_le()?, cursor.read_u16_le()?, cursor.read_u16_le()?].map(usize::from);
        match version {
            1 | 2 => {}
            3 => cursor.skip(1)?,
            _ => return Err(damaged(format!("attribute of version {version}"))),
        }
        let mut part = |len: usize| -> Result<Vec<u8>> {
            let bytes = cursor.read_bytes(len)?.to_vec();
            if version == 1 {
                cursor.skip((8 - len % 8) % 8)?;
            }
            Ok(bytes)
        };
        let name = text_of(&part(lengths[0])?);
        let datatype = part(lengths[1])?;
        let dataspace = part(lengths[2])?;
        let flags = if version == 1 { 0 } else { flags };
        let dataspace = if flags & 2 != 0 {
            Err("shared dataspaces are not read".to_owned())
        } else {
            Dataspace::parse(store, &dataspace).map_err(|error| error.to_string())
        };
        let data = cursor.read_bytes(cursor.remaining() as usize)?.to_vec();
        Ok(RawAttribute { name, datatype, committed: flags & 1 != 0, dataspace, data })
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
        if dataspace.null {
            return Ok(Values::Char(Vec::new()));
        }
        match datatype {
            Type::Number { data_type, big_endian } => {
                let size = data_type.size().unwrap_or(1);
                numbers(data_type, big_endian, self.elements(size)?)
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
