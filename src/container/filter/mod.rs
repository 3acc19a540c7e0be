//! Undoes HDF5 filters: from the bytes of a stored chunk to its elements.
//!
//! HDF5 File Format Specification, IV.A.2.l "Data Storage - Filter Pipeline": a chunk passed through the filters in the
//! order of the message; if bit `i` of its mask is set, filter `i` was not applied. This module defines the order of
//! undoing; each filter has a file. The output of a filter is bounded by the size of the chunk, whatever the bytes
//! claim. Lossy quantisers (BitGroom, Granular BitRound) leave plain numbers, so there is nothing to undo. Other
//! filters are refused.

mod bits;
mod bitshuffle;
mod blosc;
mod blosclz;
mod bzip2;
mod deflate;
mod expansion;
mod fletcher32;
mod interleave;
mod lz4;
mod lzf;
mod nbit;
mod run;
mod scaleoffset;
mod shuffle;
mod snappy;
mod szip;
mod zstd;

use super::buffer::{grown, WorkBuffer};
use crate::error::{Error, Kind, Result};
use expansion::expanded;
pub use expansion::most_decoded;
pub use shuffle::unshuffle_part;

pub(crate) const DEFLATE: u16 = 1;
pub(crate) const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;
const SZIP: u16 = 4;
const NBIT: u16 = 5;
const SCALE_OFFSET: u16 = 6;
const BZIP2: u16 = 307;
const LZF: u16 = 32000;
const BLOSC: u16 = 32001;
const LZ4: u16 = 32004;
const BITSHUFFLE: u16 = 32008;
const ZSTD: u16 = 32015;
const BIT_GROOM: u16 = 32022;
const GRANULAR_BIT_ROUND: u16 = 32023;

/// The mask of a chunk has this many bits, and libhdf5 allows no more filters.
const MOST_FILTERS: usize = 32;
/// The largest stored chunk that is checked for a constant, in bytes: the header of scale-offset takes 21, and further
/// filters add little.
const LONGEST_CONSTANT: u64 = 1 << 10;

/// One filter of a pipeline, as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Its registered number.
    pub id: u16,
    /// Its parameters ("client data").
    pub parameters: Vec<u32>,
}

/// Buffers between two filters, which are reused from chunk to chunk.
#[derive(Debug, Default)]
pub struct Scratch {
    from: WorkBuffer,
    to: WorkBuffer,
}

/// Undoes the filters of a chunk, the last one first. If bit `i` of `mask` is set, filter `i` was not applied.
///
/// The result has exactly `decoded_len` bytes.
///
/// # Errors
/// `Damaged` if the filters cannot have written the bytes, `Unsupported` for an unknown filter.
pub fn decode(
    filters: &[Filter],
    mask: u32,
    chunk: Vec<u8>,
    decoded_len: usize,
    element_size: usize,
) -> Result<Vec<u8>> {
    if active(filters, mask)?.is_empty() && chunk.len() == decoded_len {
        return Ok(chunk);
    }
    let mut out = Vec::new();
    grown(&mut out, decoded_len)?;
    decode_into(filters, mask, &chunk, element_size, &mut Scratch::default(), &mut out)?;
    Ok(out)
}

/// Returns whether the last step of decoding unshuffles the elements, so that a part of them can be unshuffled alone
/// ([`unshuffle_part`]) from the output of the other filters.
pub fn is_shuffled(filters: &[Filter], mask: u32, element_size: usize, decoded_len: usize) -> bool {
    let first = filters.first().filter(|f| f.id == SHUFFLE && mask & 1 == 0);
    let size = |f: &Filter| f.parameters.first().map_or(element_size, |&size| size as usize);
    element_size > 1 && first.is_some_and(|f| size(f) == element_size) && decoded_len % element_size == 0
}

/// Like [`decode`], but writes into `out`, which has the size of the decoded chunk.
///
/// # Errors
/// Those of [`decode`]; `out` then holds no meaningful bytes.
pub fn decode_into(
    filters: &[Filter],
    mask: u32,
    chunk: &[u8],
    element_size: usize,
    scratch: &mut Scratch,
    out: &mut [u8],
) -> Result<()> {
    let active = active(filters, mask)?;
    let data = undo_later(&active, chunk, element_size, scratch, out.len())?;
    let input = data.bytes(chunk, &scratch.from);
    let plain = match active.first() {
        None => input,
        Some(first) => match first.id {
            FLETCHER32 => &input[..fletcher32::verified_len(input)?],
            BIT_GROOM | GRANULAR_BIT_ROUND => input,
            _ => {
                let len = undo(first, input, element_size, out)?;
                return check_len(len, out.len());
            }
        },
    };
    check_len(plain.len(), out.len())?;
    out.copy_from_slice(plain);
    Ok(())
}

/// Returns whether a chunk of `stored` bytes may be a constant, whose element [`constant`] returns.
pub fn may_be_constant(filters: &[Filter], mask: u32, stored: u64) -> bool {
    let first = active(filters, mask).ok().and_then(|active| active.first().map(|first| first.id));
    first == Some(SCALE_OFFSET) && stored <= LONGEST_CONSTANT
}

/// Returns the one element that all of a chunk of `decoded_len` bytes consists of, so that nothing must be decoded, or
/// `None` if that is unknown.
///
/// # Errors
/// As [`decode`].
pub fn constant(
    filters: &[Filter],
    mask: u32,
    chunk: &[u8],
    element_size: usize,
    scratch: &mut Scratch,
    decoded_len: usize,
) -> Result<Option<Vec<u8>>> {
    let active = active(filters, mask)?;
    match active.first() {
        Some(first) if first.id == SCALE_OFFSET => {
            let data = undo_later(&active, chunk, element_size, scratch, decoded_len)?;
            scaleoffset::constant(
                data.bytes(chunk, &scratch.from),
                &first.parameters,
                element_size,
                decoded_len,
            )
        }
        _ => Ok(None),
    }
}

/// Undoes all filters but the first. Their output lies in the chunk or in `scratch.from`.
fn undo_later(
    active: &[&Filter],
    chunk: &[u8],
    element_size: usize,
    scratch: &mut Scratch,
    decoded_len: usize,
) -> Result<Data> {
    let Scratch { from, to } = scratch;
    let mut data = Data { in_chunk: true, len: chunk.len() };
    for (position, filter) in active.iter().enumerate().skip(1).rev() {
        let input = data.bytes(chunk, from);
        match filter.id {
            FLETCHER32 => data.len = fletcher32::verified_len(input)?,
            BIT_GROOM | GRANULAR_BIT_ROUND => {}
            id => {
                let most = encoded_bound(&active[..position], decoded_len) as u64;
                let most = most.min(expanded(id, input.len() as u64)) as usize;
                let len = undo(filter, input, element_size, to.grown(most)?)?;
                std::mem::swap(from, to);
                data = Data { in_chunk: false, len };
            }
        }
    }
    Ok(data)
}

/// Where the data are between two filters.
struct Data {
    in_chunk: bool,
    len: usize,
}

impl Data {
    fn bytes<'a>(&self, chunk: &'a [u8], scratch: &'a [u8]) -> &'a [u8] {
        &(if self.in_chunk { chunk } else { scratch })[..self.len]
    }
}

fn active(filters: &[Filter], mask: u32) -> Result<Vec<&Filter>> {
    if filters.len() > MOST_FILTERS {
        return Err(damaged("filter pipeline", format!("it has {} filters", filters.len())));
    }
    Ok(filters.iter().enumerate().filter(|(i, _)| mask & (1 << i) == 0).map(|(_, filter)| filter).collect())
}

/// Returns the maximum number of bytes that `filters` can have made of a chunk of `decoded_len` bytes.
fn encoded_bound(filters: &[&Filter], decoded_len: usize) -> usize {
    let compressed_bound = decoded_len.saturating_mul(2).saturating_add(4096);
    filters.iter().fold(decoded_len, |len, filter| match filter.id {
        SHUFFLE | BIT_GROOM | GRANULAR_BIT_ROUND => len,
        FLETCHER32 => len.saturating_add(4),
        _ => compressed_bound.max(len),
    })
}

/// Undoes one filter. Returns the number of bytes that it wrote to the front of `out`.
fn undo(filter: &Filter, input: &[u8], element_size: usize, out: &mut [u8]) -> Result<usize> {
    let parameters = &filter.parameters;
    match filter.id {
        DEFLATE => deflate::decode(input, out),
        SHUFFLE => {
            let size = parameters.first().map_or(element_size, |&size| size as usize);
            shuffle::decode(input, size, out)
        }
        SZIP => szip::decode(input, parameters, out),
        NBIT => nbit::decode(input, parameters, out),
        SCALE_OFFSET => scaleoffset::decode(input, parameters, out),
        BZIP2 => bzip2::decode(input, out),
        LZF => lzf::decode(input, out),
        BLOSC => blosc::decode(input, out),
        LZ4 => lz4::decode(input, out),
        BITSHUFFLE => bitshuffle::decode(input, parameters, element_size, out),
        ZSTD => zstd::decode(input, out),
        id => Err(Error::new(Kind::Unsupported, format!("filter {id} ({}) cannot be undone", name(id)))),
    }
}

/// Returns the registered name of a filter that is refused.
fn name(id: u16) -> &'static str {
    match id {
        305 => "LZO",
        32002 => "MAFISC",
        32003 => "Snappy",
        32005 => "APAX",
        32006 => "CBF",
        32007 => "JPEG-XR",
        32009 => "SPDP",
        32010 => "LPC-Rice",
        32011 => "CCSDS-123",
        32012 => "JPEG-LS",
        32013 => "ZFP",
        32014 => "FPZIP",
        32016 => "B3D",
        32017 => "SZ",
        32018 => "FCIDECOMP",
        32019 => "JPEG",
        32020 => "VBZ",
        32021 => "FAPEC",
        32024 => "SZ3",
        32025 => "Delta-Rice",
        32026 => "Blosc2",
        32027 => "FLAC",
        32028 => "SPERR",
        _ => "unknown",
    }
}

fn check_len(len: usize, expected: usize) -> Result<()> {
    if len == expected {
        return Ok(());
    }
    Err(damaged("chunk", format!("it decodes to {len} bytes, not {expected}")))
}

/// Returns the error for bytes that this filter cannot have written.
fn damaged(filter: &str, what: impl std::fmt::Display) -> Error {
    Error::new(Kind::Damaged, format!("{filter}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(id: u16) -> Filter {
        Filter { id, parameters: Vec::new() }
    }

    #[test]
    fn unknown_filters_are_refused_by_number_and_name() {
        let error = decode(&[filter(32013)], 0, vec![0; 8], 8, 4).unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported);
        assert_eq!(error.message(), "filter 32013 (ZFP) cannot be undone");
        assert!(decode(&[filter(777)], 0, vec![0; 8], 8, 4).unwrap_err().message().contains("777 (unknown)"));
    }

    #[test]
    fn masked_filters_are_left_out() {
        assert_eq!(decode(&[filter(777)], 1, vec![7; 8], 8, 4).unwrap(), [7; 8]);
        assert_eq!(decode(&[filter(777)], 1, vec![7; 8], 9, 4).unwrap_err().kind(), Kind::Damaged);
    }

    #[test]
    fn more_filters_than_mask_bits_are_damage() {
        let many = vec![filter(SHUFFLE); 33];
        assert_eq!(decode(&many, 0, vec![7; 8], 8, 4).unwrap_err().kind(), Kind::Damaged);
    }

    #[test]
    fn deflate_may_be_applied_twice_and_around_a_checksum() {
        let raw: Vec<u8> = (0..8).collect();
        let zlib = |bytes: &[u8]| {
            let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
            let mut out = vec![0; compressor.zlib_compress_bound(bytes.len())];
            let len = compressor.zlib_compress(bytes, &mut out).unwrap();
            out.truncate(len);
            out
        };
        let once = zlib(&raw);
        assert!(once.len() > raw.len());
        let twice = [filter(DEFLATE), filter(DEFLATE)];
        assert_eq!(decode(&twice, 0, zlib(&once), 8, 4).unwrap(), raw);
        assert_eq!(decode(&twice, 0b10, once.clone(), 8, 4).unwrap(), raw);

        let summed = [&raw[..], &fletcher32::checksum(&raw).to_le_bytes()].concat();
        let around = [filter(FLETCHER32), filter(DEFLATE)];
        assert_eq!(decode(&around, 0, zlib(&summed), 8, 4).unwrap(), raw);
    }

    #[test]
    fn quantisers_leave_nothing_to_undo() {
        let quantised = [filter(BIT_GROOM), filter(SHUFFLE), filter(GRANULAR_BIT_ROUND)];
        assert_eq!(decode(&quantised, 0, vec![1, 3, 2, 4], 4, 2).unwrap(), [1, 2, 3, 4]);
    }
}
