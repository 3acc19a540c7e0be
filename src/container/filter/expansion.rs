//! Limits how much a chunk can expand when its filters are undone: no buffer is allocated for a chunk that its bytes
//! cannot fill.

use super::{
    active, Filter, BITSHUFFLE, BIT_GROOM, BLOSC, BZIP2, DEFLATE, FLETCHER32, GRANULAR_BIT_ROUND, LZ4, LZF,
    NBIT, SCALE_OFFSET, SHUFFLE, SZIP, ZSTD,
};

/// The number of bytes that any filter may produce.
const FLOOR: u64 = 64 << 10;
/// The largest constant that scale-offset, which stores constants without any bits, may produce before other filters
/// are undone. If scale-offset is the only filter or the last step, a constant takes no memory ([`super::constant`]).
const CONSTANT: u64 = 32 << 20;

/// Returns the maximum number of bytes that `stored` bytes can decode to. If bit `i` of `mask` is set, filter `i` was
/// not applied.
pub fn most_decoded(filters: &[Filter], mask: u32, stored: u64) -> u64 {
    // Decoding reports an impossible pipeline.
    let Ok(active) = active(filters, mask) else { return u64::MAX };
    active.iter().rev().fold(stored, |len, filter| expanded(filter.id, len))
}

/// Returns the maximum number of bytes that one filter produces from `len` bytes; generous where the format has no
/// exact bound.
pub fn expanded(id: u16, len: u64) -> u64 {
    let times = |ratio: u64| len.saturating_mul(ratio).saturating_add(FLOOR);
    match id {
        SHUFFLE | FLETCHER32 | BIT_GROOM | GRANULAR_BIT_ROUND => len,
        // One bit of 64.
        NBIT => times(64),
        SCALE_OFFSET => times(64).max(CONSTANT),
        LZF => times(128),
        LZ4 => times(256),
        // A match of 258 bytes takes two bits.
        DEFLATE => times(1032),
        // A block of 128 KiB takes four bytes.
        ZSTD | BLOSC | BITSHUFFLE | SZIP => times(1 << 16),
        BZIP2 => times(1 << 21),
        // Decoding reports an unknown filter.
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
        assert_eq!(most_decoded(&both, 2, 100), 100);
        let twice = [filter(DEFLATE), filter(DEFLATE)];
        assert_eq!(most_decoded(&twice, 0, 1), (1032 + FLOOR) * 1032 + FLOOR);
        assert_eq!(most_decoded(&[filter(6)], 0, 21), CONSTANT);
        assert_eq!(most_decoded(&[filter(0)], 0, 21), u64::MAX);
    }

    #[test]
    fn every_filter_that_can_be_undone_has_a_limit() {
        let mut known = 0;
        for id in 0..=u16::MAX {
            let undone = crate::container::filter::undo(&filter(id), &[], 4, &mut []);
            if !undone.is_err_and(|error| error.message().contains("cannot be undone")) {
                assert_ne!(expanded(id, 1), u64::MAX, "filter {id}");
                known += 1;
            }
        }
        assert!(known > 8, "{known} filters");
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
