//! Where the variables of a classic file lie: fixed-size ones in one piece, record variables interleaved.

use super::damaged;
use super::header::{Header, Variable};
use crate::container::array::{Array, Element, Layout};
use crate::error::Result;
use crate::selection::checked_product;
use crate::value::{Attributes, DataType};

/// The record variables of a file together.
pub struct Records {
    /// The number of records.
    pub count: u64,
    /// The distance between records.
    stride: u64,
}

impl Records {
    /// Adds up the record variables; a streamed file has as many records as it holds in full.
    pub fn new(header: &Header, file_len: u64) -> Result<Records> {
        let mut parts = Vec::new();
        let record = header.record_dimension();
        for variable in &header.variables {
            if record.is_some() && variable.dimensions.first().copied() == record {
                let shape: Vec<u64> =
                    variable.dimensions[1..].iter().map(|&d| header.dimensions[d].1).collect();
                let bytes = bytes_of(&shape, variable.data_type).ok_or_else(|| overflow(variable))?;
                parts.push((variable, bytes));
            }
        }
        let stride = match parts.as_slice() {
            // The one exception of the format: a lone record variable is not padded.
            [(_, bytes)] => *bytes,
            several => several.iter().try_fold(0u64, |sum, (variable, bytes)| {
                bytes
                    .checked_next_multiple_of(4)
                    .and_then(|padded| sum.checked_add(padded))
                    .ok_or_else(|| overflow(variable))
            })?,
        };
        let count = header.records.unwrap_or_else(|| {
            let whole = |(variable, bytes): &(&Variable, u64)| match variable.begin.checked_add(*bytes) {
                Some(end) if end <= file_len && stride > 0 => (file_len - end) / stride + 1,
                _ => 0,
            };
            parts.iter().map(whole).min().unwrap_or(0)
        });
        Ok(Records { count, stride })
    }
}

fn overflow(variable: &Variable) -> crate::Error {
    damaged("its size overflows").in_variable(variable.name.as_str())
}

/// The bytes of data, without padding.
fn bytes_of(shape: &[u64], data_type: DataType) -> Option<u64> {
    checked_product(shape)?.checked_mul(data_type.size()? as u64)
}

/// The array of a variable, given the sizes of all dimensions.
///
/// Whether the file is long enough is seen when elements are read, so that what a truncated file still holds
/// can be had.
pub fn array(variable: &Variable, header: &Header, sizes: &[u64], records: &Records) -> Result<Array> {
    let shape: Vec<u64> = variable.dimensions.iter().map(|&d| sizes[d]).collect();
    if variable.begin < header.end && !shape.contains(&0) {
        return Err(damaged("its data lie inside the header").in_variable(variable.name.as_str()));
    }
    let size = variable.data_type.size().ok_or_else(|| overflow(variable))?;
    let is_record = variable.dimensions.first().is_some_and(|&d| header.dimensions[d].1 == 0);
    let layout = if is_record {
        Layout::Records { offset: variable.begin, stride: records.stride }
    } else {
        Layout::Contiguous { offset: variable.begin }
    };
    Ok(Array {
        data_type: variable.data_type,
        element: Element::Number { size, big_endian: true },
        shape,
        layout,
        fill: fill(variable.data_type, &variable.attributes),
    })
}

/// One missing element as stored: `_FillValue` if it has the variable's type, else the netCDF default.
fn fill(data_type: DataType, attributes: &Attributes) -> Vec<u8> {
    let own = attributes.get("_FillValue").filter(|v| v.data_type() == data_type && v.len() == 1);
    if let Some(mut bytes) = own.and_then(|v| v.native_bytes_at(0)) {
        if cfg!(target_endian = "little") {
            bytes.reverse();
        }
        return bytes;
    }
    match data_type {
        DataType::I8 => (-127i8).to_be_bytes().to_vec(),
        DataType::U8 => vec![255],
        DataType::I16 => (-32767i16).to_be_bytes().to_vec(),
        DataType::U16 => 65535u16.to_be_bytes().to_vec(),
        DataType::I32 => (-2147483647i32).to_be_bytes().to_vec(),
        DataType::U32 => 4294967295u32.to_be_bytes().to_vec(),
        DataType::I64 => (-9223372036854775806i64).to_be_bytes().to_vec(),
        DataType::U64 => 18446744073709551614u64.to_be_bytes().to_vec(),
        DataType::F32 => 9.969_21e36_f32.to_be_bytes().to_vec(),
        DataType::F64 => 9.969209968386869e36f64.to_be_bytes().to_vec(),
        DataType::Char | DataType::String => vec![0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Attribute, Values};

    fn attributes(value: Values) -> Attributes {
        Attributes::new(vec![Attribute { name: "_FillValue".into(), value }])
    }

    #[test]
    fn fill_value_counts_only_in_the_type_of_the_variable() {
        assert_eq!(fill(DataType::I16, &attributes(Values::I16(vec![0x0102]))), [1, 2]);
        assert_eq!(fill(DataType::I16, &attributes(Values::I32(vec![5]))), [0x80, 0x01]);
        assert_eq!(fill(DataType::I16, &attributes(Values::I16(vec![]))), [0x80, 0x01]);
    }

    #[test]
    fn default_fills_of_floating_types_have_the_bits_of_netcdf() {
        assert_eq!(fill(DataType::F32, &Attributes::default()), [0x7c, 0xf0, 0, 0]);
        assert_eq!(fill(DataType::F64, &Attributes::default()), [0x47, 0x9e, 0, 0, 0, 0, 0, 0]);
    }
}
