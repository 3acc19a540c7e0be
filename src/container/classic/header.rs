//! The grammar of a classic header, as "netCDF Classic Format Specification" gives it.
//!
//! Refused: more than one record dimension, a record dimension that is not the first of a variable, unknown
//! dimensions and types, empty names. Sizes (`vsize`) that the file states are not used.

use super::cursor::Cursor;
use super::damaged;
use crate::error::{Error, Kind, Result};
use crate::source::Source;
use crate::value::{text_of, Attribute, Attributes, DataType, Values};

const TAG_DIMENSION: u32 = 10;
const TAG_VARIABLE: u32 = 11;
const TAG_ATTRIBUTE: u32 = 12;
/// NC_MAX_VAR_DIMS: no netCDF library reads more.
const MOST_DIMENSIONS: u64 = 1024;

/// What a header says.
pub struct Header {
    /// The number of records; `None` in a file that is written as a stream.
    pub records: Option<u64>,
    /// Names and sizes; size 0 marks the record dimension.
    pub dimensions: Vec<(String, u64)>,
    /// Global attributes.
    pub attributes: Attributes,
    /// Variables in file order.
    pub variables: Vec<Variable>,
    /// The offset after the header.
    pub end: u64,
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
    /// The index of the record dimension.
    pub fn record_dimension(&self) -> Option<usize> {
        self.dimensions.iter().position(|(_, size)| *size == 0)
    }

    /// Reads the header of a source.
    pub fn parse(source: &dyn Source) -> Result<Header> {
        let mut cursor = Cursor::new(source);
        let magic = cursor.u32()?.to_be_bytes();
        let version = match magic {
            [b'C', b'D', b'F', version @ (1 | 2 | 5)] => version,
            [b'C', b'D', b'F', other] => {
                return Err(Error::new(
                    Kind::NotNetcdf,
                    format!("no netCDF classic format has version {other}"),
                ))
            }
            _ => return Err(Error::new(Kind::NotNetcdf, "not a netCDF classic file")),
        };
        cursor.set_wide(version == 5);
        let records = Some(cursor.size()?).filter(|&n| n != u64::MAX);
        let dimensions = list(&mut cursor, TAG_DIMENSION, 12, |c| Ok((name(c)?, c.size()?)))?;
        if dimensions.iter().filter(|(_, size)| *size == 0).count() > 1 {
            return Err(damaged("the header has more than one record dimension"));
        }
        let attributes = attributes(&mut cursor)?;
        let variables = list(&mut cursor, TAG_VARIABLE, 32, |c| variable(c, version, &dimensions))?;
        Ok(Header { records, dimensions, attributes, variables, end: cursor.position() })
    }
}

/// A list with its tag; `least` is the size of its shortest entry.
fn list<T>(
    cursor: &mut Cursor,
    tag: u32,
    least: u64,
    mut entry: impl FnMut(&mut Cursor) -> Result<T>,
) -> Result<Vec<T>> {
    let place = cursor.position();
    let found = cursor.u32()?;
    let count = cursor.count(least)?;
    if found != tag && !(found == 0 && count == 0) {
        return Err(damaged(format!("the header has tag {found} instead of {tag} at offset {place}")));
    }
    let mut entries = Vec::new();
    for _ in 0..count {
        entries.push(entry(cursor)?);
    }
    Ok(entries)
}

fn name(cursor: &mut Cursor) -> Result<String> {
    let len = cursor.size()?;
    let name = text_of(cursor.padded(len)?);
    if name.is_empty() {
        return Err(damaged(format!("the header has an empty name before offset {}", cursor.position())));
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
    list(cursor, TAG_ATTRIBUTE, 16, |c| Ok(Attribute { name: name(c)?, value: values(c)? }))
        .map(Attributes::new)
}

fn values(cursor: &mut Cursor) -> Result<Values> {
    let data_type = data_type(cursor)?;
    let overflow = || damaged("the length of an attribute overflows");
    let size = data_type.size().ok_or_else(overflow)?;
    let len = cursor.size()?.checked_mul(size as u64).ok_or_else(overflow)?;
    let mut bytes = cursor.padded(len)?.to_vec();
    if cfg!(target_endian = "little") {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    Values::from_native_bytes(data_type, &bytes).ok_or_else(overflow)
}

fn variable(cursor: &mut Cursor, version: u8, dimensions: &[(String, u64)]) -> Result<Variable> {
    let name = name(cursor)?;
    let in_variable = |message: String| damaged(message).in_variable(name.clone());
    let rank = cursor.count(4)?;
    if rank > MOST_DIMENSIONS {
        return Err(in_variable(format!("it has {rank} dimensions; {MOST_DIMENSIONS} is the limit")));
    }
    let mut own = Vec::new();
    for place in 0..rank {
        let id = cursor.size()?;
        match usize::try_from(id).ok().and_then(|i| dimensions.get(i).map(|d| (i, d.1))) {
            Some((_, 0)) if place > 0 => {
                return Err(in_variable("the record dimension is not its first dimension".into()))
            }
            Some((i, _)) => own.push(i),
            None => return Err(in_variable(format!("it has the unknown dimension number {id}"))),
        }
    }
    let attributes = attributes(cursor)?;
    let data_type = data_type(cursor)?;
    cursor.size()?;
    let begin = if version == 1 { cursor.u32()?.into() } else { cursor.u64()? };
    Ok(Variable { name, dimensions: own, attributes, data_type, begin })
}
