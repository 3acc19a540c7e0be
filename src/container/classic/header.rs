//! The grammar of a classic header, as in "netCDF Classic Format Specification".
//!
//! Refused: more than one record dimension, a record dimension that is not the first of a variable, unknown dimensions
//! and types, empty names. The sizes (`vsize`) that the file states are not used.

use super::cursor::Cursor;
use super::{damaged, ROOT};
use crate::container::allowance::heap;
use crate::container::array::Array;
use crate::container::is_name;
use crate::container::tree::{self, Dimension};
use crate::error::{Error, Kind, Result};
use crate::io::source::Source;
use crate::value::{text_of, Attribute, Attributes, DataType, Values};

const TAG_DIMENSION: u32 = 10;
const TAG_VARIABLE: u32 = 11;
const TAG_ATTRIBUTE: u32 = 12;
/// NC_MAX_VAR_DIMS: no netCDF library reads more.
const MOST_DIMENSIONS: u64 = 1024;

/// Memory that a dimension takes beside its name, in lists that grow; that of attributes and variables.
const DIMENSION_BYTES: usize = size_of::<Dimension>() + 32;
const ATTRIBUTE_BYTES: usize = 3 * size_of::<Attribute>() / 2;
const VARIABLE_BYTES: usize =
    size_of::<Variable>() + size_of::<tree::Variable>() + heap(size_of::<Array>() + 16) + 3 * heap(1);
/// What each dimension of a variable adds.
const AXIS_BYTES: usize = 24;

/// What a header says.
pub struct Header {
    /// The number of records; `None` in a file that is written as a stream.
    pub records: Option<u64>,
    /// The dimensions; size 0 marks the record dimension.
    pub dimensions: Vec<Dimension>,
    /// Global attributes.
    pub attributes: Attributes,
    /// Variables in file order.
    pub variables: Vec<Variable>,
    /// The offset after the header.
    pub end: u64,
    /// How much memory may still be kept of the file.
    pub left: u64,
}

/// A variable as the header describes it.
pub struct Variable {
    pub name: String,
    /// Indices into [`Header::dimensions`].
    pub dimensions: Vec<usize>,
    pub attributes: Attributes,
    pub data_type: DataType,
    /// Offset of its first element.
    pub begin: u64,
}

impl Header {
    /// Returns the index of the record dimension.
    pub fn record_dimension(&self) -> Option<usize> {
        self.dimensions.iter().position(|dimension| dimension.size == 0)
    }

    /// Reads the header of a source, of which no more than `room` may be kept.
    pub fn parse(source: &dyn Source, room: u64) -> Result<Header> {
        let mut cursor = Cursor::new(source, room);
        let version = version(&mut cursor)?;
        let records = Some(cursor.size()?).filter(|&n| n != u64::MAX);
        let dimensions = list(&mut cursor, TAG_DIMENSION, 12, |c| {
            c.keep(DIMENSION_BYTES)?;
            let (name, size) = (name(c)?, c.size()?);
            Ok(Dimension { name, group: ROOT, size, unlimited: size == 0 })
        })?;
        let sizes: Vec<u64> = dimensions.iter().map(|dimension| dimension.size).collect();
        check_records(&sizes)?;
        let attributes = attributes(&mut cursor)?;
        let variables = list(&mut cursor, TAG_VARIABLE, 32, |c| variable(c, version, &sizes))?;
        let end = cursor.position();
        Ok(Header { records, dimensions, attributes, variables, end, left: cursor.room() })
    }
}

/// Returns whether a variable has an attribute with one of these names.
///
/// Keeps nothing but sizes of dimensions, and ends at the first such name; up to there, it refuses what [`Header::parse`] refuses.
pub fn has_attribute(source: &dyn Source, room: u64, names: &[&str]) -> Result<bool> {
    let cursor = &mut Cursor::new(source, room);
    let version = version(cursor)?;
    cursor.size()?;
    let sizes = list(cursor, TAG_DIMENSION, 12, |c| name_bytes(c).map(drop).and_then(|()| c.size()))?;
    check_records(&sizes)?;
    for _ in 0..entries(cursor, TAG_ATTRIBUTE)? {
        name_bytes(cursor)?;
        skip_values(cursor)?;
    }
    for _ in 0..entries(cursor, TAG_VARIABLE)? {
        name_bytes(cursor)?;
        for place in 0..rank(cursor)? {
            dimension(cursor, place, &sizes)?;
        }
        for _ in 0..entries(cursor, TAG_ATTRIBUTE)? {
            let name = name_bytes(cursor)?;
            if names.iter().any(|wanted| is_name(name, wanted)) {
                return Ok(true);
            }
            skip_values(cursor)?;
        }
        data_type_and_begin(cursor, version)?;
    }
    Ok(false)
}

fn version(cursor: &mut Cursor) -> Result<u8> {
    let version = match cursor.u32()?.to_be_bytes() {
        [b'C', b'D', b'F', version @ (1 | 2 | 5)] => version,
        [b'C', b'D', b'F', other] => {
            return Err(Error::new(Kind::NotNetcdf, format!("no netCDF classic format has version {other}")))
        }
        _ => return Err(Error::new(Kind::NotNetcdf, "not a netCDF classic file")),
    };
    cursor.set_wide(version == 5);
    Ok(version)
}

fn check_records(sizes: &[u64]) -> Result<()> {
    if sizes.iter().filter(|&&size| size == 0).count() > 1 {
        return Err(damaged("the header has more than one record dimension"));
    }
    Ok(())
}

/// Reads the number of entries of a list, after its tag.
fn entries(cursor: &mut Cursor, tag: u32) -> Result<u64> {
    let place = cursor.position();
    let found = cursor.u32()?;
    let count = cursor.size()?;
    if found != tag && !(found == 0 && count == 0) {
        return Err(damaged(format!("the header has tag {found} instead of {tag} at offset {place}")));
    }
    Ok(count)
}

/// Reads a list with its tag; `least` is the size of its shortest entry.
fn list<T>(
    cursor: &mut Cursor,
    tag: u32,
    least: u64,
    mut entry: impl FnMut(&mut Cursor) -> Result<T>,
) -> Result<Vec<T>> {
    let count = entries(cursor, tag)?;
    cursor.check_room(count, least)?;
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(entry(cursor)?);
    }
    Ok(list)
}

fn name(cursor: &mut Cursor) -> Result<String> {
    let name = name_bytes(cursor).map(text_of)?;
    cursor.keep(heap(name.len()))?;
    Ok(name)
}

/// Reads the bytes of a name, which may be followed by NULs.
fn name_bytes<'a>(cursor: &'a mut Cursor) -> Result<&'a [u8]> {
    let len = cursor.size()?;
    let place = cursor.position();
    let name = cursor.padded(len)?;
    if matches!(name, [] | [0, ..]) {
        return Err(damaged(format!("the header has an empty name at offset {place}")));
    }
    Ok(name)
}

fn data_type(cursor: &mut Cursor) -> Result<DataType> {
    Ok(match cursor.u32()? {
        1 => DataType::I8,
        2 => DataType::Char,
        3 => DataType::I16,
        4 => DataType::I32,
        5 => DataType::F32,
        6 => DataType::F64,
        7 => DataType::U8,
        8 => DataType::U16,
        9 => DataType::U32,
        10 => DataType::I64,
        11 => DataType::U64,
        other => return Err(damaged(format!("the header has the unknown type {other}"))),
    })
}

fn attributes(cursor: &mut Cursor) -> Result<Attributes> {
    let attribute = |c: &mut Cursor| {
        c.keep(ATTRIBUTE_BYTES)?;
        Ok(Attribute { name: name(c)?, value: values(c)? })
    };
    list(cursor, TAG_ATTRIBUTE, 16, attribute).map(Attributes::new)
}

/// Reads the type of an attribute and the number of bytes of its values.
fn type_and_bytes(cursor: &mut Cursor) -> Result<(DataType, usize, u64)> {
    let data_type = data_type(cursor)?;
    let overflow = || damaged("the length of an attribute overflows");
    let size = data_type.size().ok_or_else(overflow)?;
    let bytes = cursor.size()?.checked_mul(size as u64).ok_or_else(overflow)?;
    Ok((data_type, size, bytes))
}

fn values(cursor: &mut Cursor) -> Result<Values> {
    let (data_type, size, len) = type_and_bytes(cursor)?;
    let mut bytes = cursor.padded(len)?.to_vec();
    cursor.keep(heap(bytes.len()))?;
    if cfg!(target_endian = "little") {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    Values::from_native_bytes(data_type, &bytes)
        .ok_or_else(|| damaged("the length of an attribute overflows"))
}

fn skip_values(cursor: &mut Cursor) -> Result<()> {
    let (_, _, len) = type_and_bytes(cursor)?;
    cursor.skip_padded(len)
}

fn rank(cursor: &mut Cursor) -> Result<u64> {
    let rank = cursor.size()?;
    if rank > MOST_DIMENSIONS {
        return Err(damaged(format!("it has {rank} dimensions; {MOST_DIMENSIONS} is the limit")));
    }
    Ok(rank)
}

/// Reads dimension number `place` of a variable: an index into all dimensions, which have these sizes.
fn dimension(cursor: &mut Cursor, place: u64, sizes: &[u64]) -> Result<usize> {
    let id = cursor.size()?;
    match usize::try_from(id).ok().and_then(|i| sizes.get(i).map(|size| (i, *size))) {
        Some((_, 0)) if place > 0 => Err(damaged("the record dimension is not its first dimension")),
        Some((i, _)) => Ok(i),
        None => Err(damaged(format!("it has the unknown dimension number {id}"))),
    }
}

fn data_type_and_begin(cursor: &mut Cursor, version: u8) -> Result<(DataType, u64)> {
    let data_type = data_type(cursor)?;
    cursor.size()?;
    let begin = if version == 1 { cursor.u32()?.into() } else { cursor.u64()? };
    Ok((data_type, begin))
}

fn variable(cursor: &mut Cursor, version: u8, sizes: &[u64]) -> Result<Variable> {
    let name = name(cursor)?;
    let rank = rank(cursor).map_err(|e| e.in_variable(name.as_str()))?;
    cursor.keep(VARIABLE_BYTES + heap(name.len() + 1) + AXIS_BYTES * rank as usize)?;
    let dimensions = (0..rank)
        .map(|place| dimension(cursor, place, sizes))
        .collect::<Result<_>>()
        .map_err(|e| e.in_variable(name.as_str()))?;
    let attributes = attributes(cursor)?;
    let (data_type, begin) = data_type_and_begin(cursor, version)?;
    Ok(Variable { name, dimensions, attributes, data_type, begin })
}
