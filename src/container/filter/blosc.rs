//! Filter 32001, Blosc: chunks of the Blosc 1 format, with any of its codecs and both shuffles.
//!
//! A header of 16 bytes; then, unless the data are stored as they are, the offset of each block. A block is one
//! compressed stream, or one for each byte of the element ("split"). Chunks of Blosc 2 (another filter) are refused.

use super::run::take;
use super::{bitshuffle, blosclz, damaged, deflate, lz4, shuffle, snappy, zstd};
use crate::container::buffer::grown;
use crate::error::{Error, Kind, Result};

/// The format of every release of Blosc 1.
const FORMAT: u8 = 2;
const HEADER: usize = 16;

const SHUFFLED: u8 = 0x01;
const STORED: u8 = 0x02;
const BIT_SHUFFLED: u8 = 0x04;
const NOT_SPLIT: u8 = 0x10;

/// Elements of more bytes than this are never split.
const MOST_SPLITS: usize = 16;
/// Streams of fewer bytes than this are never made by splitting.
const LEAST_STREAM: usize = 128;

/// The header of a chunk.
struct Header {
    flags: u8,
    element_size: usize,
    block_len: usize,
}

/// Decompresses to the front of `out`.
pub fn decode(input: &[u8], out: &mut [u8]) -> Result<usize> {
    let Some((head, _)) = input.split_at_checked(HEADER) else {
        return Err(damaged("blosc", "the header is cut short"));
    };
    if head[0] != FORMAT {
        return Err(Error::new(Kind::Unsupported, format!("blosc: format {}", head[0])));
    }
    let header =
        Header { flags: head[2], element_size: usize::from(head[3]), block_len: little_endian(&head[8..12]) };
    let len = little_endian(&head[4..8]);
    let input = input
        .get(..little_endian(&head[12..16]))
        .filter(|input| input.len() >= HEADER)
        .ok_or_else(|| damaged("blosc", "the chunk is cut short"))?;
    let out =
        out.get_mut(..len).ok_or_else(|| damaged("blosc", format!("{len} bytes do not fit the chunk")))?;

    if header.flags & STORED != 0 {
        let stored = input[HEADER..].get(..len).ok_or_else(|| damaged("blosc", "the chunk is cut short"))?;
        out.copy_from_slice(stored);
        return Ok(len);
    }
    if len == 0 {
        return Ok(0);
    }
    if header.element_size == 0 || header.block_len == 0 || header.block_len > len {
        return Err(damaged("blosc", "the header is broken"));
    }
    let mut scratch = Vec::new();
    if header.flags & (SHUFFLED | BIT_SHUFFLED) != 0 {
        grown(&mut scratch, header.block_len)?;
    }
    let mut starts = &input[HEADER..];
    for block in out.chunks_mut(header.block_len) {
        let start = take(&mut starts, 4).map(little_endian);
        let stored = start
            .and_then(|start| input.get(start..))
            .ok_or_else(|| damaged("blosc", "a block begins past the end"))?;
        header.block(stored, block, &mut scratch)?;
    }
    Ok(len)
}

impl Header {
    /// Decodes the block that `stored` begins with.
    fn block(&self, stored: &[u8], block: &mut [u8], scratch: &mut [u8]) -> Result<()> {
        let size = self.element_size;
        if self.flags & SHUFFLED != 0 && size > 1 {
            let shuffled = &mut scratch[..block.len()];
            self.streams(stored, shuffled)?;
            shuffle::unshuffle(shuffled, size, block);
        } else if self.flags & BIT_SHUFFLED != 0 && block.len() >= size && (block.len() / size) % 8 == 0 {
            let shuffled = &mut scratch[..block.len()];
            self.streams(stored, shuffled)?;
            let whole = block.len() / size * size;
            bitshuffle::untranspose(&shuffled[..whole], size, &mut block[..whole]);
            block[whole..].copy_from_slice(&shuffled[whole..]);
        } else {
            self.streams(stored, block)?;
        }
        Ok(())
    }

    /// Decompresses the streams of a block.
    fn streams(&self, mut stored: &[u8], out: &mut [u8]) -> Result<()> {
        let split = self.flags & NOT_SPLIT == 0
            && out.len() == self.block_len
            && self.element_size <= MOST_SPLITS
            && out.len() / self.element_size >= LEAST_STREAM;
        let streams = if split { self.element_size } else { 1 };
        if out.len() % streams != 0 {
            return Err(damaged("blosc", "the block size is not a multiple of the element size"));
        }
        let stream_len = out.len() / streams;
        for out in out.chunks_mut(stream_len) {
            let stream = take(&mut stored, 4)
                .and_then(|len| take(&mut stored, little_endian(len)))
                .ok_or_else(|| damaged("blosc", "a block is cut short"))?;
            if stream.len() == stream_len {
                out.copy_from_slice(stream);
            } else if self.decompress(stream, out)? != Some(stream_len) {
                return Err(damaged("blosc", "a block is broken"));
            }
        }
        Ok(())
    }

    fn decompress(&self, stream: &[u8], out: &mut [u8]) -> Result<Option<usize>> {
        Ok(match self.flags >> 5 {
            0 => blosclz::decompress(stream, out),
            1 => lz4::decompress(stream, out),
            2 => snappy::decompress(stream, out),
            3 => Some(deflate::decode(stream, out)?),
            4 => Some(zstd::decode(stream, out)?),
            codec => return Err(Error::new(Kind::Unsupported, format!("blosc: codec {codec}"))),
        })
    }
}

/// Reads a little-endian number of at most 4 bytes.
fn little_endian(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | byte as usize)
}
