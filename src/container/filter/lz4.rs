//! Filter 32004, LZ4 in the framing of its HDF5 plugin.
//!
//! The size of the data (8 bytes) and of a block (4 bytes), big-endian; then each block as its stored size (4 bytes,
//! big-endian) and bytes. A block that did not shrink is stored as it is.

use super::damaged;
use super::run::take;
use crate::error::Result;

/// Decompresses to the front of `out`.
pub fn decode(mut input: &[u8], out: &mut [u8]) -> Result<usize> {
    let (len, block_size) = header(&mut input).ok_or_else(|| damaged("lz4", "the header is cut short"))?;
    let out = usize::try_from(len)
        .ok()
        .and_then(|len| out.get_mut(..len))
        .ok_or_else(|| damaged("lz4", format!("{len} bytes do not fit the chunk")))?;
    let len = out.len();
    if block_size == 0 && len > 0 {
        return Err(damaged("lz4", "the block size is 0"));
    }
    for block in out.chunks_mut(block_size.max(1)) {
        let stored = take(&mut input, 4)
            .and_then(|size| take(&mut input, big_endian(size)))
            .ok_or_else(|| damaged("lz4", "a block is cut short"))?;
        if stored.len() == block.len() {
            block.copy_from_slice(stored);
        } else if decompress(stored, block) != Some(block.len()) {
            return Err(damaged("lz4", "a block is broken"));
        }
    }
    Ok(len)
}

/// Reads the two numbers that LZ4 and Bitshuffle begin with: size of the data, size of a block.
pub fn header(input: &mut &[u8]) -> Option<(u64, usize)> {
    let len = take(input, 8)?.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
    Some((len, big_endian(take(input, 4)?)))
}

/// Decompresses an LZ4 block. Returns `None` if it is broken or does not fit.
pub fn decompress(input: &[u8], out: &mut [u8]) -> Option<usize> {
    lz4_flex::block::decompress_into(input, out).ok()
}

/// Reads a big-endian number of at most 4 bytes.
pub fn big_endian(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |value, &byte| value << 8 | byte as usize)
}
