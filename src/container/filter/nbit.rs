//! Filter 5, N-bit: stores only the significant bits of each number.
//!
//! The other bits become zeros, as with libhdf5. If a type has fewer bits than its bytes hold, whoever reads the type
//! extends the sign. Array and compound types are refused: netCDF numbers are neither.

use super::bits::{holds, write_numbers, BitReader};
use super::damaged;
use crate::error::{Error, Kind, Result};

const ATOMIC: u32 = 1;
const UNTOUCHED: u32 = 4;
const LITTLE_ENDIAN: u32 = 0;
const BIG_ENDIAN: u32 = 1;

/// Unpacks to the front of `out`.
pub fn decode(input: &[u8], parameters: &[u32], out: &mut [u8]) -> Result<usize> {
    let &[_, all_bits_significant, count, ref kind @ ..] = parameters else {
        return Err(damaged("nbit", "parameters are missing"));
    };
    if all_bits_significant != 0 {
        return copy(input, input.len(), out);
    }
    match *kind {
        [ATOMIC, size @ 1..=8, order @ (LITTLE_ENDIAN | BIG_ENDIAN), precision, offset] => {
            let fits = precision.checked_add(offset).is_some_and(|top| precision > 0 && top <= size * 8);
            if !fits {
                return Err(damaged(
                    "nbit",
                    format!("no {precision} bits from bit {offset} in {size} bytes"),
                ));
            }
            let len = total(count, size)?;
            let numbers =
                out.get_mut(..len).ok_or_else(|| damaged("nbit", "too many numbers for the chunk"))?;
            let cut_short = || damaged("nbit", "the bits are cut short");
            // Checked before memory is written.
            if !holds(input, count as usize, precision) {
                return Err(cut_short());
            }
            let mut bits = BitReader::new(input);
            let next = || bits.read(precision).map(|read| read << offset);
            write_numbers(numbers, size as usize, order == BIG_ENDIAN, next).ok_or_else(cut_short)?;
            Ok(len)
        }
        [UNTOUCHED, size] => copy(input, total(count, size)?, out),
        _ => Err(Error::new(
            Kind::Unsupported,
            "nbit: the type is neither a number of at most 8 bytes nor text",
        )),
    }
}

fn total(count: u32, size: u32) -> Result<usize> {
    usize::try_from(u64::from(count) * u64::from(size)).map_err(|cause| damaged("nbit", cause))
}

fn copy(input: &[u8], len: usize, out: &mut [u8]) -> Result<usize> {
    let (Some(from), Some(to)) = (input.get(..len), out.get_mut(..len)) else {
        return Err(damaged("nbit", "the data do not fit the chunk"));
    };
    to.copy_from_slice(from);
    Ok(len)
}
