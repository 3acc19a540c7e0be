//! Filter 6, scale-offset: stores numbers as packed non-negative integers above their minimum.
//!
//! Integers are stored exactly. Floating-point numbers are stored as decimal fractions ("D-scaling"); libhdf5 never
//! implemented "E-scaling", which is refused. The largest packed number represents the fill value, if there is one.

use super::bits::{holds, write_numbers, BitReader};
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

/// How the numbers are packed.
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
    // If all bits are to be kept, the writer leaves the data unchanged.
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

/// Returns the number that a chunk of `decoded_len` bytes consists of, or `None` if its numbers are stored one by one.
pub fn constant(
    input: &[u8],
    parameters: &[u32],
    element_size: usize,
    decoded_len: usize,
) -> Result<Option<Vec<u8>>> {
    let width = input.first_chunk().map(|&width| u32::from_le_bytes(width));
    let &[_, factor, count, class, size, ..] = parameters else { return Ok(None) };
    let is_as_it_was = class == INTEGER && u64::from(factor) == 8 * u64::from(size);
    if width != Some(0) || is_as_it_was {
        return Ok(None);
    }
    let mut one = parameters.to_vec();
    one[2] = 1;
    let mut element = vec![0; element_size];
    let len = decode(input, &one, &mut element)?;
    let total = u64::from(count).checked_mul(u64::from(size));
    if len != element_size || total != Some(decoded_len as u64) {
        let what = format!("{count} numbers of {size} bytes in a chunk of {decoded_len}");
        return Err(damaged("scaleoffset", what));
    }
    Ok(Some(element))
}

impl Packing {
    /// Applies `value` to each packed number, or takes the fill value, and writes little-endian numbers of `size`
    /// bytes.
    fn unpack(&self, packed: &[u8], out: &mut [u8], size: usize, value: impl Fn(u64) -> u64) -> Result<()> {
        let cut_short = || damaged("scaleoffset", "the bits are cut short");
        // Checked before memory is written.
        if !holds(packed, out.len() / size, self.width) {
            return Err(cut_short());
        }
        let mut bits = BitReader::new(packed);
        let mark = (1 << self.width) - 1;
        let next = || {
            let packed = if self.width == 0 { 0 } else { bits.read(self.width)? };
            Some(match self.fill {
                Some(fill) if packed == mark => fill,
                _ => value(packed),
            })
        };
        write_numbers(out, size, false, next).ok_or_else(cut_short)
    }
}

fn copy(input: &[u8], len: usize, out: &mut [u8]) -> Result<usize> {
    let (Some(from), Some(to)) = (input.get(..len), out.get_mut(..len)) else {
        return Err(damaged("scaleoffset", "the data do not fit the chunk"));
    };
    to.copy_from_slice(from);
    Ok(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_constant_is_what_decoding_gives_again_and_again(
            (class, scale, size) in prop::sample::select(
                vec![(INTEGER, INTEGER_SCALE, 1), (INTEGER, INTEGER_SCALE, 2), (INTEGER, INTEGER_SCALE, 4),
                    (INTEGER, INTEGER_SCALE, 8), (FLOAT, D_SCALE, 4), (FLOAT, D_SCALE, 8)]),
            factor in 0u32..70,
            order in LITTLE_ENDIAN..=BIG_ENDIAN,
            fill in any::<(bool, u32, u32)>(),
            minimum in any::<u64>(),
            (width, count) in (0u32..3, 1u32..50),
        ) {
            let header = [&width.to_le_bytes()[..], &[8], &minimum.to_le_bytes(), &[0; 8]].concat();
            let input = [header, vec![0x5a; 50]].concat();
            let parameters = [scale, factor, count, class, size, 1, order, fill.0.into(), fill.1, fill.2];
            let mut out = vec![0; (count * size) as usize];
            let len = out.len();
            let decoded = decode(&input, &parameters, &mut out);
            match constant(&input, &parameters, size as usize, len) {
                Ok(Some(element)) => {
                    prop_assert_eq!((width, decoded.unwrap()), (0, len));
                    prop_assert_eq!(element.repeat(count as usize), out);
                }
                Ok(None) => prop_assert!(width > 0 || factor == 8 * size),
                Err(_) => prop_assert!(decoded.is_err()),
            }
            prop_assert_eq!(width == 0 && !(class == INTEGER && factor == 8 * size),
                constant(&input, &parameters, size as usize, len).is_ok_and(|found| found.is_some()));
            // If the number of elements is not that of the chunk, the chunk is damaged.
            if width == 0 && !(class == INTEGER && factor == 8 * size) {
                prop_assert!(constant(&input, &parameters, size as usize, len + size as usize).is_err());
            }
        }
    }
}
