//! Where the variables of a classic file lie: fixed-size ones contiguously, record variables interleaved.

use super::damaged;
use super::header::{Header, Variable};
use crate::container::array::{Array, Element, Layout};
use crate::container::fill;
use crate::error::Result;
use crate::selection::checked_product;
use crate::value::DataType;

/// All record variables of a file.
pub struct Records {
    /// The number of records.
    pub count: u64,
    /// The distance between records.
    stride: u64,
}

impl Records {
    /// Adds up the record variables. A streamed file has as many records as it contains completely.
    pub fn new(header: &Header, file_len: u64) -> Result<Records> {
        let mut parts = Vec::new();
        let record = header.record_dimension();
        for variable in &header.variables {
            if record.is_some() && variable.dimensions.first().copied() == record {
                let shape: Vec<u64> =
                    variable.dimensions[1..].iter().map(|&d| header.dimensions[d].size).collect();
                let bytes = bytes_of(&shape, variable.data_type).ok_or_else(|| overflow(variable))?;
                parts.push((variable, bytes));
            }
        }
        let stride = match parts.as_slice() {
            // The one exception of the format: a single record variable is not padded.
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

/// Returns the bytes of data, without padding.
fn bytes_of(shape: &[u64], data_type: DataType) -> Option<u64> {
    checked_product(shape)?.checked_mul(data_type.size()? as u64)
}

/// Returns the array of a variable, given the sizes of all dimensions.
///
/// The length of the file is checked only when elements are read, so that the remaining data of a truncated file can be
/// read.
pub fn array(variable: &Variable, header: &Header, sizes: &[u64], records: &Records) -> Result<Array> {
    let shape: Vec<u64> = variable.dimensions.iter().map(|&d| sizes[d]).collect();
    if variable.begin < header.end && !shape.contains(&0) {
        return Err(damaged("its data lie inside the header").in_variable(variable.name.as_str()));
    }
    let size = variable.data_type.size().ok_or_else(|| overflow(variable))?;
    let is_record = variable.dimensions.first().is_some_and(|&d| header.dimensions[d].size == 0);
    let layout = if is_record {
        Layout::Records { offset: variable.begin, stride: records.stride }
    } else {
        Layout::Contiguous { offset: variable.begin }
    };
    let (data_type, element) = (variable.data_type, Element::Number { size, big_endian: true });
    let own = fill::own(data_type, element, &variable.attributes);
    let fill = own.unwrap_or_else(|| fill::default(data_type, element));
    Ok(Array { data_type, element, shape, layout, fill, short: None })
}
