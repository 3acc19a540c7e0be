//! Filter 32008, Bitshuffle: the first bits of all elements of a block, then the second bits, and so on.
//!
//! Blocks may be compressed with LZ4 or Zstandard, in the framing of [`super::lz4`] but without a mark for blocks that
//! did not shrink. Elements after the last multiple of 8 are neither shuffled nor compressed.

use super::run::take;
use super::{damaged, lz4, zstd};
use crate::container::buffer::grown;
use crate::error::{Error, Kind, Result};

const NO_COMPRESSION: u32 = 0;
const LZ4: u32 = 2;
const ZSTD: u32 = 3;
/// Blocks consist of whole groups of this many elements.
const GROUP: usize = 8;
/// The default size of a block in bytes that writers aim at, and its minimum number of elements.
const TARGET_BLOCK: usize = 8192;
const LEAST_BLOCK: usize = 128;

/// Unshuffles the elements to the front of `out`.
pub fn decode(mut input: &[u8], parameters: &[u32], element_size: usize, out: &mut [u8]) -> Result<usize> {
    let size = parameters.get(2).map_or(element_size, |&size| size as usize);
    let codec = parameters.get(4).copied().unwrap_or(NO_COMPRESSION);
    if size == 0 {
        return Err(damaged("bitshuffle", "the element size is 0"));
    }
    let (len, block_len) = match codec {
        NO_COMPRESSION => {
            let elements = match parameters.get(3) {
                None | Some(0) => (TARGET_BLOCK / size / GROUP * GROUP).max(LEAST_BLOCK),
                Some(&elements) => elements as usize,
            };
            (input.len() as u64, elements.saturating_mul(size))
        }
        LZ4 | ZSTD => {
            lz4::header(&mut input).ok_or_else(|| damaged("bitshuffle", "the header is cut short"))?
        }
        _ => return Err(Error::new(Kind::Unsupported, format!("bitshuffle: compression {codec}"))),
    };
    let out = usize::try_from(len)
        .ok()
        .and_then(|len| out.get_mut(..len))
        .ok_or_else(|| damaged("bitshuffle", format!("{len} bytes do not fit the chunk")))?;
    if block_len == 0 || block_len % size.saturating_mul(GROUP) != 0 {
        return Err(damaged("bitshuffle", format!("blocks of {block_len} bytes, elements of {size}")));
    }

    let len = out.len();
    let (shuffled, rest) = out.split_at_mut(len / size / GROUP * GROUP * size);
    let mut scratch = Vec::new();
    grown(&mut scratch, block_len.min(shuffled.len()))?;
    for block in shuffled.chunks_mut(block_len) {
        let cut_short = || damaged("bitshuffle", "a block is cut short");
        if codec == NO_COMPRESSION {
            untranspose(take(&mut input, block.len()).ok_or_else(cut_short)?, size, block);
            continue;
        }
        let stored = take(&mut input, 4)
            .and_then(|len| take(&mut input, lz4::big_endian(len)))
            .ok_or_else(cut_short)?;
        let bits = &mut scratch[..block.len()];
        let written =
            if codec == LZ4 { lz4::decompress(stored, bits) } else { zstd::decode(stored, bits).ok() };
        if written != Some(block.len()) {
            return Err(damaged("bitshuffle", "a block is broken"));
        }
        untranspose(bits, size, block);
    }
    rest.copy_from_slice(
        take(&mut input, rest.len()).ok_or_else(|| damaged("bitshuffle", "the end is cut short"))?,
    );
    Ok(len)
}

/// Unshuffles the bits of a multiple of 8 elements of `size` bytes; `out` is as long as `bits`.
pub fn untranspose(bits: &[u8], size: usize, out: &mut [u8]) {
    let row = bits.len() / size / GROUP;
    for byte in 0..size {
        let rows: [&[u8]; 8] = std::array::from_fn(|bit| &bits[(byte * 8 + bit) * row..][..row]);
        for (i, group) in out.chunks_exact_mut(GROUP * size).enumerate() {
            let bytes = transpose(u64::from_le_bytes(rows.map(|row| row[i]))).to_le_bytes();
            for (element, value) in group.chunks_exact_mut(size).zip(bytes) {
                element[byte] = value;
            }
        }
    }
}

/// Transposes 8 by 8 bits: bit `i` of byte `j` becomes bit `j` of byte `i`.
fn transpose(mut bits: u64) -> u64 {
    for (distance, mask) in
        [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let swap = (bits ^ bits >> distance) & mask;
        bits ^= swap ^ swap << distance;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn transpose_moves_bit_i_of_byte_j_to_bit_j_of_byte_i(bits: u64, i in 0..8, j in 0..8) {
            let bit = |bits: u64, place: i32| bits >> place & 1;
            prop_assert_eq!(bit(transpose(bits), 8 * i + j), bit(bits, 8 * j + i));
        }
    }
}
