//! The header of a classic file.

use super::Variable;
use crate::author::write::bytes::{encode as bytes_of, text_bytes, Order};
use crate::author::write::description::{Format, Group};
use crate::error::{Error, Kind, Result};
use crate::value::Values;
use crate::value::{Attributes, DataType};

const DIMENSION: u32 = 10;
const VARIABLE: u32 = 11;
const ATTRIBUTE: u32 = 12;

/// Returns the bytes of the header. Its length does not depend on the places of the variables.
///
/// # Errors
/// `Unsupported` for what the format has no room or type for.
pub(super) fn encode(file: &Group, format: Format, variables: &[Variable]) -> Result<Vec<u8>> {
    let mut out = Header { bytes: Vec::new(), is_wide: format == Format::Cdf5 };
    out.bytes.extend(if out.is_wide { b"CDF\x05" } else { b"CDF\x02" });
    let records = file.dimensions.iter().find(|d| d.unlimited).map_or(0, |d| d.size);
    out.count(records)?;
    out.list(DIMENSION, file.dimensions.len())?;
    for dimension in &file.dimensions {
        out.name(&dimension.name)?;
        out.count(if dimension.unlimited { 0 } else { dimension.size })?;
    }
    out.attributes(&file.attributes)?;
    out.list(VARIABLE, file.variables.len())?;
    for (described, variable) in file.variables.iter().zip(variables) {
        out.name(&described.name)?;
        out.count(described.dimensions.len() as u64)?;
        for name in &described.dimensions {
            let id = file.dimensions.iter().position(|d| d.name == *name).unwrap_or_default();
            out.count(id as u64)?;
        }
        out.attributes(&described.attributes)?;
        out.bytes.extend(type_code(described.data_type, format)?.to_be_bytes());
        // If the length of a record does not fit, readers compute it.
        let len = variable.slab()?.next_multiple_of(4);
        match out.is_wide {
            true => out.bytes.extend(len.to_be_bytes()),
            false => out.bytes.extend(u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes()),
        }
        out.bytes.extend(variable.begin.to_be_bytes());
    }
    Ok(out.bytes)
}

struct Header {
    bytes: Vec<u8>,
    /// Whether numbers have eight bytes instead of four.
    is_wide: bool,
}

impl Header {
    fn count(&mut self, n: u64) -> Result<()> {
        if self.is_wide {
            self.bytes.extend(n.to_be_bytes());
            return Ok(());
        }
        let narrow = u32::try_from(n).ok().filter(|&n| n <= u32::MAX - 3);
        let message = format!("the number {n} is too large for CDF-2; use format cdf5 or netcdf4");
        self.bytes.extend(narrow.ok_or_else(|| Error::new(Kind::Unsupported, message))?.to_be_bytes());
        Ok(())
    }

    /// Writes the beginning of a list. An empty one has no tag.
    fn list(&mut self, tag: u32, len: usize) -> Result<()> {
        self.bytes.extend(if len == 0 { 0 } else { tag }.to_be_bytes());
        self.count(len as u64)
    }

    fn name(&mut self, name: &str) -> Result<()> {
        self.count(name.len() as u64)?;
        self.padded(name.as_bytes());
        Ok(())
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len() + bytes.len().next_multiple_of(4) - bytes.len(), 0);
    }

    fn attributes(&mut self, attributes: &Attributes) -> Result<()> {
        self.list(ATTRIBUTE, attributes.iter().count())?;
        for attribute in attributes {
            self.name(&attribute.name)?;
            let format = if self.is_wide { Format::Cdf5 } else { Format::Classic };
            self.bytes.extend(type_code(attribute.value.data_type(), format)?.to_be_bytes());
            match &attribute.value {
                Values::Char(text) => {
                    let text = text_bytes(text);
                    self.count(text.len() as u64)?;
                    self.padded(&text);
                }
                numbers => {
                    self.count(numbers.len() as u64)?;
                    self.padded(&bytes_of(numbers, Order::Big));
                }
            }
        }
        Ok(())
    }
}

fn type_code(data_type: DataType, format: Format) -> Result<u32> {
    let code = match data_type {
        DataType::I8 => 1,
        DataType::Char => 2,
        DataType::I16 => 3,
        DataType::I32 => 4,
        DataType::F32 => 5,
        DataType::F64 => 6,
        DataType::U8 => 7,
        DataType::U16 => 8,
        DataType::U32 => 9,
        DataType::I64 => 10,
        DataType::U64 => 11,
        DataType::String => 12,
    };
    let most = if format == Format::Cdf5 { 11 } else { 6 };
    match code <= most {
        true => Ok(code),
        false => Err(Error::new(Kind::Unsupported, format!("the format has no type {data_type}"))),
    }
}
