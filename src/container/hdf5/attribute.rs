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
use crate::container::allowance::heap;
use crate::container::is_name;
use crate::error::{Error, Result};
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

/// Memory that an attribute takes beside its name and value, in a list that grows.
const ATTRIBUTE_BYTES: usize = 3 * size_of::<Attribute>() / 2;
/// Memory that an attribute takes in the list of those that are not decoded yet.
const LISTED_BYTES: usize = 3 * size_of::<((u32, u32), RawAttribute)>() / 2;
/// Memory that the reason why an attribute is left out takes, roughly.
const OMITTED_BYTES: usize = 192;
/// Memory that a string takes beside its text.
const STRING_BYTES: usize = size_of::<String>();

/// Returns whether netCDF-4 uses attributes of this name internally, so that no user can have one.
pub(crate) fn is_bookkeeping(name: &str) -> bool {
    BOOKKEEPING.contains(&name)
}

/// An attribute as it is stored, with the places of its [`Parts`].
pub(super) struct RawAttribute {
    message: Vec<u8>,
    places: Places,
}

/// The attributes of an object, in order of creation if that is known.
pub(super) struct RawAttributes {
    list: Vec<RawAttribute>,
    /// Reasons of those that cannot be listed; one that repeats is there once.
    omitted: Vec<String>,
    /// Memory that they were counted with.
    kept: usize,
}

impl RawAttributes {
    /// Lists the attributes of the object with this header.
    pub(super) fn of(store: &Store, header: &Header) -> Result<Self> {
        let mut found = Listing { store, ordered: Vec::new(), omitted: Vec::new(), kept: 0 };
        if header.messages(ATTRIBUTE).any(|message| message.shared) {
            found.omit(unsupported("attributes in the shared message table are not read"))?;
        }
        for message in header.messages(ATTRIBUTE).filter(|message| !message.shared) {
            store.budget.keep(heap(message.data.len()))?;
            found.kept += heap(message.data.len());
            found.add((u32::from(message.order.unwrap_or(0)), 0), Ok(message.data.to_vec()))?;
        }
        if let Some((dense, tracked)) = dense(store, header)? {
            let take = |record: &Record, data: Result<Vec<u8>>| {
                let data = match record.shared {
                    true => Err(unsupported("attributes in the shared message table are not read")),
                    false => data,
                };
                if let Ok(data) = &data {
                    store.budget.keep(heap(data.len()))?;
                    found.kept += heap(data.len());
                }
                found.add((if tracked { record.order } else { 0 }, record.number), data)
            };
            dense.each(store, None, take)?;
        }
        // Attributes that were left out for lack of memory would be missed.
        store.budget.check()?;
        let Listing { mut ordered, omitted, kept, .. } = found;
        if !ordered.is_sorted_by_key(|(order, _)| *order) {
            ordered.sort_by_key(|(order, _)| *order);
        }
        Ok(RawAttributes {
            list: ordered.into_iter().map(|(_, attribute)| attribute).collect(),
            omitted,
            kept,
        })
    }

    /// Returns the attribute of this name.
    pub(super) fn get(&self, name: &str) -> Option<&RawAttribute> {
        self.list.iter().find(|attribute| attribute.is_named(name))
    }

    /// Returns the text of the attribute of this name, or `None` if it is absent or not text.
    pub(super) fn text(&self, store: &Store, name: &str) -> Option<String> {
        let attribute = self.get(name)?;
        store.budget.passing(|| attribute.values(store)).ok()?.as_text()
    }

    /// Returns the integers of the attribute of this name, or none if it is absent or not an integer.
    pub(super) fn integers(&self, store: &Store, name: &str) -> Vec<i128> {
        let values =
            self.get(name).and_then(|attribute| store.budget.passing(|| attribute.values(store)).ok());
        values.map_or_else(Vec::new, |values| (0..values.len()).map_while(|i| values.int_at(i)).collect())
    }

    /// All but the bookkeeping ones, decoded; what cannot be goes to `omit` with its name and the reason.
    pub(super) fn decoded(self, store: &Store, mut omit: impl FnMut(&str, String)) -> Attributes {
        self.omitted.into_iter().for_each(|reason| omit("", reason));
        let mut list = Vec::with_capacity(self.list.len());
        for attribute in self.list {
            let name = attribute.name();
            if is_bookkeeping(&name) {
                continue;
            }
            // Once too much was kept, which ends the operation, no more is.
            match store.budget.keep(ATTRIBUTE_BYTES + heap(name.len())).and_then(|()| attribute.values(store))
            {
                Ok(value) => list.push(Attribute { name, value }),
                Err(error) => omit(&name, error.to_string()),
            }
        }
        store.budget.release(self.kept);
        Attributes::new(list)
    }
}

/// Attributes that are being listed, with their order.
struct Listing<'a> {
    store: &'a Store,
    ordered: Vec<((u32, u32), RawAttribute)>,
    omitted: Vec<String>,
    kept: usize,
}

impl Listing<'_> {
    /// Adds an attribute, or the reason why it cannot be.
    fn add(&mut self, order: (u32, u32), data: Result<Vec<u8>>) -> Result<()> {
        match data.and_then(RawAttribute::new) {
            Ok(attribute) => {
                self.store.budget.keep(LISTED_BYTES)?;
                self.kept += LISTED_BYTES;
                self.ordered.push((order, attribute));
                Ok(())
            }
            Err(error) => self.omit(error),
        }
    }

    fn omit(&mut self, error: Error) -> Result<()> {
        let reason = error.to_string();
        if self.omitted.last() != Some(&reason) {
            self.store.budget.keep(OMITTED_BYTES)?;
            self.kept += OMITTED_BYTES;
            self.omitted.push(reason);
        }
        Ok(())
    }
}

/// Whether the object with this header has an attribute with one of these names; values are not looked at.
///
/// # Errors
/// If none is found and it is unknown whether there is one.
pub(super) fn is_any_named(store: &Store, header: &Header, names: &[&str]) -> Result<bool> {
    let is_meant = |data: &[u8]| {
        Parts::of(data).is_ok_and(|parts| names.iter().any(|wanted| is_name(parts.name, wanted)))
    };
    if compact(header).any(is_meant) {
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
    if let Some(data) = compact(header).find(|data| is_meant(data)) {
        return RawAttribute::new(data.to_vec()).map(Some);
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
    found?.map(RawAttribute::new).transpose()
}

/// Returns the attributes in the header.
fn compact(header: &Header) -> impl Iterator<Item = &[u8]> {
    header.messages(ATTRIBUTE).filter(|message| !message.shared).map(|message| message.data)
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

/// The parts of an attribute message, versions 1 to 3.
struct Parts<'a> {
    flags: u8,
    name: &'a [u8],
    datatype: &'a [u8],
    dataspace: &'a [u8],
    data: &'a [u8],
}

/// Where the parts of an attribute message begin, and how long those before the last one are.
struct Places {
    flags: u8,
    begins: [u32; 4],
    lengths: [u16; 3],
}

impl Places {
    fn of(message: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(message);
        let version = cursor.read_u8()?;
        let flags = cursor.read_u8()?;
        let lengths = [cursor.read_u16_le()?, cursor.read_u16_le()?, cursor.read_u16_le()?];
        match version {
            1 | 2 => {}
            3 => cursor.skip(1)?,
            _ => return Err(damaged(format!("attribute of version {version}"))),
        }
        let mut begins = [0; 4];
        for (begin, len) in begins.iter_mut().zip(lengths.map(usize::from)) {
            *begin = cursor.position() as u32;
            cursor.skip(len)?;
            if version == 1 {
                cursor.skip((8 - len % 8) % 8)?;
            }
        }
        begins[3] = cursor.position() as u32;
        Ok(Places { flags: if version == 1 { 0 } else { flags }, begins, lengths })
    }
}

impl<'a> Parts<'a> {
    fn of(message: &'a [u8]) -> Result<Self> {
        Ok(Parts::at(message, &Places::of(message)?))
    }

    /// Returns the parts at places that were found in the message.
    fn at(message: &'a [u8], places: &Places) -> Self {
        let [name, datatype, dataspace] = [0, 1, 2].map(|part| {
            let begin = places.begins[part] as usize;
            message.get(begin..begin + usize::from(places.lengths[part])).unwrap_or_default()
        });
        let data = message.get(places.begins[3] as usize..).unwrap_or_default();
        Parts { flags: places.flags, name, datatype, dataspace, data }
    }

    /// The datatype lies elsewhere.
    fn is_committed(&self) -> bool {
        self.flags & 1 != 0
    }
}

impl RawAttribute {
    /// Takes the bytes of an attribute message.
    fn new(message: Vec<u8>) -> Result<Self> {
        let places = Places::of(&message)?;
        Ok(RawAttribute { message, places })
    }

    fn parts(&self) -> Parts<'_> {
        Parts::at(&self.message, &self.places)
    }

    fn is_named(&self, name: &str) -> bool {
        is_name(self.parts().name, name)
    }

    fn name(&self) -> String {
        text_of(self.parts().name)
    }

    fn datatype(&self, store: &Store) -> Result<Type> {
        let parts = self.parts();
        match parts.is_committed() {
            true => Type::committed(store, parts.datatype),
            false => Type::parse(parts.datatype),
        }
    }

    fn dataspace(&self, store: &Store) -> Result<Dataspace> {
        let parts = self.parts();
        match parts.flags & 2 {
            0 => Dataspace::parse(store, parts.dataspace).map_err(|error| unsupported(error.to_string())),
            _ => Err(unsupported("shared dataspaces are not read")),
        }
    }

    /// The stored elements of `size` bytes each.
    fn elements(&self, store: &Store, size: usize) -> Result<std::slice::ChunksExact<'_, u8>> {
        let count = self.dataspace(store)?.len().and_then(|count| usize::try_from(count).ok());
        let data = self.parts().data;
        let bytes = count.and_then(|count| count.checked_mul(size)).and_then(|len| data.get(..len));
        Ok(bytes.ok_or_else(|| damaged("attribute is shorter than its dataspace"))?.chunks_exact(size))
    }

    /// Its value as netCDF sees it, which is counted as kept.
    pub(super) fn values(&self, store: &Store) -> Result<Values> {
        let datatype = self.datatype(store)?;
        let counted = |elements: std::slice::ChunksExact<'_, u8>, size: usize| {
            store.budget.keep(heap(elements.len().saturating_mul(size)))
        };
        match datatype {
            Type::Number { data_type, big_endian } => {
                let size = data_type.size().unwrap_or(1);
                let elements = self.elements(store, size)?;
                counted(elements.clone(), size)?;
                numbers(data_type, big_endian, elements)
            }
            Type::Narrow(narrow) => {
                let elements = self.elements(store, narrow.size)?;
                counted(elements.clone(), 8)?;
                let mut bytes = Vec::new();
                for element in elements {
                    let at = bytes.len();
                    bytes.resize(at + narrow.data_type().size().unwrap_or(1), 0);
                    narrow.widen(element, &mut bytes[at..]);
                }
                Values::from_native_bytes(narrow.data_type(), &bytes)
                    .ok_or_else(|| damaged("attribute of odd length"))
            }
            // netCDF writes text as one fixed string; a list of fixed strings is a list of strings to it.
            Type::FixedString { size, .. } if self.dataspace(store)?.shape.is_empty() => {
                let elements = self.elements(store, size)?;
                counted(elements.clone(), size)?;
                Ok(Values::Char(elements.flatten().copied().collect()))
            }
            Type::FixedString { size, blank_padded } => {
                let fields = self.elements(store, size)?;
                store.budget.keep(fields.len().saturating_mul(STRING_BYTES + heap(size)))?;
                Ok(Values::String(fields.map(|field| super::strings::fixed(field, blank_padded)).collect()))
            }
            Type::HeapString => {
                let references = self.elements(store, store.heap_reference_size())?;
                store.budget.keep(references.len().saturating_mul(STRING_BYTES + heap(1)))?;
                Ok(Values::String(heap_texts(store, references)?))
            }
            Type::ObjectReference | Type::ObjectReferenceList => {
                Err(unsupported("attributes of type reference are not read"))
            }
            Type::Other { name, .. } => Err(unsupported(format!("attributes of type {name} are not read"))),
        }
    }

    /// The elements of a list of compounds, as they are stored.
    pub(super) fn records(&self, store: &Store) -> Result<std::slice::ChunksExact<'_, u8>> {
        let parts = self.parts();
        match Type::parse(parts.datatype)? {
            Type::Other { name: "compound", size } if !parts.is_committed() && size > 0 => {
                self.elements(store, size)
            }
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
            return self.elements(store, width)?.map(one).collect();
        }
        let references = self.elements(store, store.heap_reference_size())?;
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
    let mut bytes = Vec::with_capacity(elements.len() * data_type.size().unwrap_or(1));
    for element in elements {
        let at = bytes.len();
        bytes.extend_from_slice(element);
        if swap {
            bytes[at..].reverse();
        }
    }
    Values::from_native_bytes(data_type, &bytes).ok_or_else(|| damaged("attribute of odd length"))
}
