//! Filter 6, scale-offset: numbers as packed non-negative integers above their minimum.
//!
//! Integers are stored exactly. Floating-point numbers are stored as decimal fractions ("D-scaling"); "E-scaling" was
//! never implemented by libhdf5 and is refused. The largest packed number stands for the fill value, if there is one.

use super::bits::{write_numbers, BitReader};
use super::damaged;
use crate::error::{Error, Kind, Result};

/// Width of a packed number (4 bytes), size of the minimum (1), minimum (8), 8 bytes not used.
const HEADER: usize = 21;
const D_SCALE: u32 = 0;
const INTEGER_SCALE: u32 = 2;
const INTEGER: u32 = 0;
const FLOAT: u32 = 1;
const LITTLE_ENDIAN: u32 = 0;
const BIG_ENDIAN: u32 = 1;

/// The numbers are packed so.
struct Packing {
    /// Bits of a packed number.
    width: u32,
    /// The bytes of the smallest number, as a little-endian integer.
    minimum: u64,
    /// The bytes of the fill value, as a little-endian integer.
    fill: Option<u64>,
}

/// Unpacks to the front of `out`.
pub fn decode(input: &[u8], parameters: &[u32], out: &mut [u8]) -> Result<usize> {
    let &[scale_type, factor, count, class, size, _sign, order, fill_defined, fill_low, fill_high, ..] =
        parameters
    else {
        return Err(damaged("scaleoffset", "parameters are missing"));
    };
    let factor = factor as i32;
    match (class, scale_type, size) {
        (INTEGER, INTEGER_SCALE, 1 | 2 | 4 | 8) | (FLOAT, D_SCALE, 4 | 8) => {}
        _ => {
            let what =
                format!("scaleoffset: scale type {scale_type} of {size}-byte numbers of class {class}");
            return Err(Error::new(Kind::Unsupported, what));
        }
    }
    if !matches!(order, LITTLE_ENDIAN | BIG_ENDIAN) {
        return Err(Error::new(Kind::Unsupported, format!("scaleoffset: byte order {order}")));
    }
    let size = size as usize;
    let bits = 8 * size as u32;
    // Asked to keep all bits, the writer leaves the data alone.
    if class == INTEGER && i64::from(factor) == i64::from(bits) {
        return copy(input, input.len(), out);
    }
    let (header, packed) =
        input.split_at_checked(HEADER).ok_or_else(|| damaged("scaleoffset", "the header is cut short"))?;
    let width = u32::from_le_bytes([header[0], header[1], header[2], header[3]]);
    let len =
        usize::try_from(u64::from(count) * size as u64).map_err(|cause| damaged("scaleoffset", cause))?;
    if width >= bits {
        if width > bits {
            return Err(damaged("scaleoffset", format!("{width} bits in numbers of {bits}")));
        }
        copy(packed, len, out)?;
    } else {
        let mut minimum = [0; 8];
        let minimum_size = usize::from(header[4]).min(8);
        minimum[..minimum_size].copy_from_slice(&header[5..5 + minimum_size]);
        let packing = Packing {
            width,
            minimum: u64::from_le_bytes(minimum),
            fill: (fill_defined != 0).then_some(u64::from(fill_high) << 32 | u64::from(fill_low)),
        };
        let out =
            out.get_mut(..len).ok_or_else(|| damaged("scaleoffset", "too many numbers for the chunk"))?;
        match (class, size) {
            (INTEGER, _) => {
                packing.unpack(packed, out, size, |packed| packing.minimum.wrapping_add(packed))?;
            }
            (_, 4) => {
                let (minimum, scale) = (f32::from_bits(packing.minimum as u32), 10f64.powi(factor) as f32);
                let value = |packed: u64| packed as i32 as f32 / scale + minimum;
                packing.unpack(packed, out, size, |packed| value(packed).to_bits().into())?;
            }
            _ => {
                let (minimum, scale) = (f64::from_bits(packing.minimum), 10f64.powi(factor));
                let value = |packed: u64| packed as i64 as f64 / scale + minimum;
                packing.unpack(packed, out, size, |packed| value(packed).to_bits())?;
            }
        }
    }
    if order == BIG_ENDIAN {
        out[..len].chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    Ok(len)
}

impl Packing {
    /// Writes `value` of each packed number, or the fill value, as little-endian numbers of `size` bytes.
    fn unpack(&self, packed: &[u8], out: &mut [u8], size: usize, value: impl Fn(u64) -> u64) -> Result<()> {
        let mut bits = BitReader::new(packed);
        let mark = (1 << self.width) - 1;
        let next = || {
            let packed = if self.width == 0 { 0 } else { bits.read(self.width)? };
            Some(match self.fill {
                Some(fill) if packed == mark => fill,
                _ => value(packed),
            })
        };
        write_numbers(out, size, false, next).ok_or_else(|| damaged("scaleoffset", "the bits are cut short"))
    }
}

fn copy(input: &[u8], len: usize, out: &mut [u8]) -> Result<usize> {
    let (Some(from), Some(to)) = (input.get(..len), out.get_mut(..len)) else {
        return Err(damaged("scaleoffset", "the data do not fit the chunk"));
    };
    to.copy_from_slice(from);
    Ok(len)
}
