//! Datasets: turns the messages of an object header into an [`Array`].

use super::attribute::RawAttributes;
use super::chunk_index::{IndexDescription, LazyChunkIndex};
use super::cursor::Cursor;
use super::dataspace::Dataspace;
use super::datatype::Type;
use super::filters;
use super::header::{
    Header, DATASPACE, DATATYPE, EXTERNAL_FILES, FILL_VALUE, FILTERS, LAYOUT, OLD_FILL_VALUE,
};
use super::layout::RawLayout;
use super::store::{damaged, unsupported, Store};
use crate::container::allowance::heap;
use crate::container::array::{Array, Layout};
use crate::container::filter::Filter;
use crate::error::Result;

/// The beginning of the name of a dimension scale without a variable.
const NO_VARIABLE: &str = "This is a netCDF dimension but not a netCDF variable";

/// Memory that an array takes beside its fill value and layout, and what each of its dimensions adds.
const ARRAY_BYTES: usize = heap(size_of::<Array>() + 16) + 4 * heap(1);
const AXIS_BYTES: usize = 32;
/// Memory that the index of an array in chunks takes until it is read, and what each dimension adds.
const CHUNKED_BYTES: usize = heap(size_of::<LazyChunkIndex>()) + 5 * heap(1);
const CHUNKED_AXIS_BYTES: usize = 48;

/// Memory that a filter takes.
fn filter_bytes(filter: &Filter) -> usize {
    size_of::<Filter>() + heap(4 * filter.parameters.len())
}

/// A dataset before netCDF's view of its dimensions.
pub(super) struct Dataset {
    pub(super) header: Header,
    pub(super) dataspace: Dataspace,
    pub(super) attributes: RawAttributes,
    /// Whether it is a dimension scale.
    pub(super) is_scale: bool,
    /// Whether it is a variable, not only a dimension.
    pub(super) is_variable: bool,
}

impl Dataset {
    /// Reads what all datasets have.
    pub(super) fn read(store: &Store, header: Header) -> Result<Self> {
        let dataspace = header.data(DATASPACE)?.ok_or_else(|| damaged("a dataset lacks its dataspace"))?;
        let dataspace = Dataspace::parse(store, dataspace)?;
        let attributes = RawAttributes::of(store, &header)?;
        let class = attributes.text(store, "CLASS");
        let is_scale = class.as_deref() == Some("DIMENSION_SCALE") && !dataspace.shape.is_empty();
        let name = if is_scale { attributes.text(store, "NAME") } else { None };
        let is_variable = !name.is_some_and(|name| name.starts_with(NO_VARIABLE));
        Ok(Dataset { header, dataspace, attributes, is_scale, is_variable })
    }

    /// Returns its data.
    pub(super) fn array(&self, store: &Store) -> Result<Array> {
        if self.dataspace.null {
            return Err(unsupported("a dataset with a null dataspace has no data"));
        }
        let datatype = self.header.first(DATATYPE).ok_or_else(|| damaged("a dataset lacks its type"))?;
        let (data_type, element) = Type::of_message(store, datatype)?.element(store)?;
        let layout = self.layout(store, element.size())?;
        let axes = AXIS_BYTES * self.dataspace.shape.len();
        store.budget.keep(ARRAY_BYTES + axes + heap(element.size()))?;
        let fill = self.fill(element.size())?;
        Ok(Array { data_type, element, shape: self.dataspace.shape.clone(), layout, fill, short: None })
    }

    fn layout(&self, store: &Store, element_size: usize) -> Result<Layout> {
        if self.header.first(EXTERNAL_FILES).is_some() {
            return Ok(Layout::Refused("external data files are not read".into()));
        }
        let layout = self.header.data(LAYOUT)?.ok_or_else(|| damaged("a dataset lacks its layout"))?;
        let bytes = self.dataspace.len().and_then(|count| count.checked_mul(element_size as u64));
        let too_large = || damaged("the size of a dataset overflows");
        match RawLayout::parse(store, layout)? {
            RawLayout::Compact(mut data) => {
                store.budget.keep(heap(data.len()))?;
                let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(too_large)?;
                if data.len() < bytes {
                    return Err(damaged("compact data are shorter than their dataspace"));
                }
                data.truncate(bytes);
                Ok(Layout::Compact(data))
            }
            RawLayout::Contiguous(None) => Ok(Layout::Unwritten),
            RawLayout::Contiguous(Some(address)) => {
                let bytes = bytes.ok_or_else(too_large)?;
                if bytes == 0 {
                    return Ok(Layout::Unwritten);
                }
                if address.checked_add(bytes).is_none_or(|end| end > store.len()) {
                    return Err(damaged("data reach beyond the end of the file"));
                }
                Ok(Layout::Contiguous { offset: address + store.storage.base() })
            }
            RawLayout::Chunked { sizes, index, address, plain_edges } => {
                let (chunk, chunk_bytes) = self.chunk(&sizes, element_size)?;
                let filters = self.filters()?;
                let filters_bytes: usize = filters.iter().map(filter_bytes).sum();
                store.budget.keep(CHUNKED_BYTES + CHUNKED_AXIS_BYTES * chunk.len() + filters_bytes)?;
                let plan = IndexDescription {
                    file_len: store.len(),
                    base: store.storage.base(),
                    kind: index,
                    address,
                    shape: self.dataspace.shape.clone(),
                    maximum: self.dataspace.maximum.clone(),
                    chunk: chunk.clone(),
                    chunk_bytes,
                    filtered: !filters.is_empty(),
                    plain_edges,
                };
                Ok(Layout::Chunked { chunk, filters, index: Box::new(LazyChunkIndex::new(store, plan)) })
            }
            RawLayout::Refused(reason) => Ok(Layout::Refused(reason)),
        }
    }

    /// Returns the shape of a chunk and its bytes.
    fn chunk(&self, sizes: &[u64], element_size: usize) -> Result<(Vec<u64>, u64)> {
        let rank = self.dataspace.shape.len();
        match sizes.split_last() {
            Some((&last, chunk)) if chunk.len() == rank && rank > 0 && last == element_size as u64 => {
                let bytes = crate::selection::checked_product(sizes);
                match bytes.filter(|&bytes| bytes > 0) {
                    Some(bytes) => Ok((chunk.to_vec(), bytes)),
                    None => Err(damaged("a chunk of no bytes, or of more than can be counted")),
                }
            }
            _ => Err(damaged("chunks do not fit their dataspace and type")),
        }
    }

    fn filters(&self) -> Result<Vec<Filter>> {
        let Some(data) = self.header.data(FILTERS)? else {
            return Ok(Vec::new());
        };
        filters::parse(&mut Cursor::new(data))
    }

    /// Returns the element for what was never written: zeros if the file defines none.
    fn fill(&self, element_size: usize) -> Result<Vec<u8>> {
        let value = match self.header.data(FILL_VALUE)? {
            Some(data) => fill_value(data)?,
            None => match self.header.data(OLD_FILL_VALUE)? {
                Some(data) => sized(&mut Cursor::new(data))?,
                None => None,
            },
        };
        match value {
            Some(value) if value.len() == element_size => Ok(value),
            Some(_) => Err(damaged("fill value of another size than an element")),
            None => Ok(vec![0; element_size]),
        }
    }
}

/// Returns the value of a fill value message (IV.A.2.f).
fn fill_value(data: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut cursor = Cursor::new(data);
    match cursor.read_u8()? {
        1 | 2 => {
            cursor.skip(2)?;
            if cursor.read_u8()? == 0 {
                return Ok(None);
            }
            sized(&mut cursor)
        }
        3 => {
            if cursor.read_u8()? & 0x20 == 0 {
                return Ok(None);
            }
            sized(&mut cursor)
        }
        version => Err(damaged(format!("fill value of version {version}"))),
    }
}

/// Reads a value after its size. Returns `None` if the size is zero or negative, which means zeros.
fn sized(cursor: &mut Cursor<'_>) -> Result<Option<Vec<u8>>> {
    match cursor.read_i32_le()? {
        len @ 1.. => Ok(Some(cursor.read_bytes(len as usize)?.to_vec())),
        _ => Ok(None),
    }
}
