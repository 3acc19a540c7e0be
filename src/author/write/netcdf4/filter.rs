//! The filters that chunks pass through when they are written: shuffle, then deflate.

use std::cell::RefCell;

use libdeflater::{CompressionLvl, Compressor};

use crate::error::{Error, Kind, Result};

thread_local! {
    /// The last compressor used, and its level.
    static COMPRESSOR: RefCell<Option<(u8, Compressor)>> = const { RefCell::new(None) };
}

/// The number of elements that are split at a time, so that they stay in the nearest cache.
const TILE: usize = 1024;

/// Returns the first bytes of all elements, then the second bytes, and so on. Bytes after the last whole element stay.
pub(super) fn shuffle(input: &[u8], size: usize) -> Vec<u8> {
    let mut out = vec![0; input.len()];
    match size {
        2 => planes::<2>(input, &mut out),
        4 => planes::<4>(input, &mut out),
        8 => planes::<8>(input, &mut out),
        // Elements of a byte, and references to strings, which are never shuffled.
        _ => out.copy_from_slice(input),
    }
    out
}

fn planes<const N: usize>(input: &[u8], out: &mut [u8]) {
    let count = input.len() / N;
    let (planes, rest) = out.split_at_mut(count * N);
    rest.copy_from_slice(&input[count * N..]);
    for first in (0..count).step_by(TILE) {
        let n = TILE.min(count - first);
        let elements = &input[first * N..(first + n) * N];
        for byte in 0..N {
            let plane = &mut planes[byte * count + first..][..n];
            for (place, element) in plane.iter_mut().zip(elements.chunks_exact(N)) {
                *place = element[byte];
            }
        }
    }
}

/// Returns a zlib stream (RFC 1950) of the bytes.
///
/// # Errors
/// `Limit` for an unknown level or if there is no memory.
pub(super) fn deflate(input: &[u8], level: u8) -> Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some((of, compressor)) if *of == level => compressor,
            kept => {
                let known = CompressionLvl::new(i32::from(level))
                    .map_err(|_| Error::new(Kind::Request, format!("unknown compression level {level}")))?;
                &mut kept.insert((level, Compressor::new(known))).1
            }
        };
        let mut out = vec![0; compressor.zlib_compress_bound(input.len())];
        let len = compressor
            .zlib_compress(input, &mut out)
            .map_err(|e| Error::new(Kind::Internal, "a chunk cannot be compressed").because(e))?;
        out.truncate(len);
        Ok(out)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::filter::unshuffle_part;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_shuffled_and_deflated_comes_back(
            data in prop::collection::vec(any::<u8>(), 0..9000),
            size in prop_oneof![Just(1usize), Just(2), Just(4), Just(8)],
            level in 0u8..10,
        ) {
            let shuffled = shuffle(&data, size);
            let whole = data.len() / size * size;
            let mut back = vec![0; data.len()];
            unshuffle_part(&shuffled[..whole], size, 0, &mut back[..whole]);
            prop_assert_eq!(&back[..whole], &data[..whole]);
            prop_assert_eq!(&shuffled[whole..], &data[whole..]);
            let stream = deflate(&shuffled, level).unwrap();
            let len = libdeflater::Decompressor::new().zlib_decompress(&stream, &mut back).unwrap();
            prop_assert_eq!(&back[..len], &shuffled[..]);
        }
    }
}
