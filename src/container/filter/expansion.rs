//! How much longer filters can have made a chunk shorter: no buffer is made for one that its bytes cannot fill.

use super::{
    active, Filter, BITSHUFFLE, BIT_GROOM, BLOSC, BZIP2, DEFLATE, FLETCHER32, GRANULAR_BIT_ROUND, LZ4, LZF,
    NBIT, SHUFFLE, SZIP, ZSTD,
};

/// What any chunk may have.
const FLOOR: u64 = 64 << 10;

/// The most bytes that `stored` bytes can decode to; bit `i` of `mask` says that filter `i` was left out.
pub fn most_decoded(filters: &[Filter], mask: u32, stored: u64) -> u64 {
    let active = active(filters, mask).unwrap_or_default();
    active
        .iter()
        .fold(stored.max(1), |len, filter| len.saturating_mul(ratio(filter.id)))
        .saturating_add(FLOOR)
}

/// Bytes for each stored byte, at most; generous where the format gives no exact bound.
fn ratio(id: u16) -> u64 {
    match id {
        SHUFFLE | FLETCHER32 | BIT_GROOM | GRANULAR_BIT_ROUND => 1,
        // One bit of 64.
        NBIT => 64,
        LZF => 128,
        LZ4 => 256,
        // A match of 258 bytes takes two bits.
        DEFLATE => 1032,
        // A block of 128 KiB takes four bytes.
        ZSTD | BLOSC | BITSHUFFLE | SZIP => 1 << 16,
        BZIP2 => 1 << 21,
        // Scale-offset stores a constant without any bits.
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(id: u16) -> Filter {
        Filter { id, parameters: Vec::new() }
    }

    #[test]
    fn filters_multiply_and_those_left_out_do_not() {
        let both = [filter(SHUFFLE), filter(DEFLATE)];
        assert_eq!(most_decoded(&both, 0, 100), 103_200 + FLOOR);
        assert_eq!(most_decoded(&both, 2, 100), 100 + FLOOR);
        assert_eq!(most_decoded(&[filter(DEFLATE), filter(DEFLATE)], 0, 1), 1032 * 1032 + FLOOR);
        assert_eq!(most_decoded(&[filter(6)], 0, 21), u64::MAX);
    }

    #[test]
    fn zeros_deflated_as_well_as_can_be_are_within_the_bound() {
        let zeros = vec![0; 100 << 20];
        let mut out = vec![0; 1 << 20];
        let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::best());
        let len = compressor.zlib_compress(&zeros, &mut out).unwrap();
        assert!(zeros.len() as u64 <= most_decoded(&[filter(DEFLATE)], 0, len as u64));
    }
}
