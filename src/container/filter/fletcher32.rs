//! Filter 3, Fletcher-32: a checksum after the data, of 16-bit big-endian words, stored little-endian.
//!
//! libhdf5 before 1.6.3 wrote the bytes of each half in the other order on little-endian machines; both are accepted.

use super::damaged;
use crate::error::Result;

/// Words that are summed at a time, so that the compiler can use vector instructions.
const LANES: usize = 32;
/// After this many groups of words the sums are reduced, long before 64 bits overflow.
const GROUPS: usize = 256;

/// Returns the length of the data in `input` without its checksum.
///
/// # Errors
/// `Damaged` if the checksum does not match the data.
pub fn verified_len(input: &[u8]) -> Result<usize> {
    let (data, stored) = input.split_last_chunk().ok_or_else(|| damaged("fletcher32", "no checksum"))?;
    let stored = u32::from_le_bytes(*stored);
    let sum = checksum(data);
    let swapped = (sum & 0x00ff_00ff) << 8 | (sum >> 8) & 0x00ff_00ff;
    if stored != sum && stored != swapped {
        let what = format!("the checksum of the data is {sum:08x}, the stored one {stored:08x}");
        return Err(damaged("fletcher32", what));
    }
    Ok(data.len())
}

/// Returns the checksum as libhdf5 computes it.
pub fn checksum(data: &[u8]) -> u32 {
    let (mut sum, mut sums) = (0u64, 0u64);
    for part in data.chunks(2 * LANES * GROUPS) {
        let mut groups = part.chunks_exact(2 * LANES);
        for group in &mut groups {
            let (mut plain, mut weighted) = (0u32, 0u32);
            for (i, word) in group.chunks_exact(2).enumerate() {
                let word = u32::from(u16::from_be_bytes([word[0], word[1]]));
                plain += word;
                weighted += (LANES - i) as u32 * word;
            }
            sums += LANES as u64 * sum + u64::from(weighted);
            sum += u64::from(plain);
        }
        for word in groups.remainder().chunks(2) {
            sum += u64::from(word[0]) << 8 | word.get(1).map_or(0, |&low| u64::from(low));
            sums += sum;
        }
        (sum, sums) = (fold(sum), fold(sums));
    }
    (sums << 16 | sum) as u32
}

/// Reduces modulo 65535 by end-around carry, which never turns a positive sum into 0.
fn fold(mut sum: u64) -> u64 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(data: &[u8]) -> u32 {
        let (mut sum, mut sums) = (0u32, 0u32);
        for word in data.chunks(2) {
            sum = fold(u64::from(sum + (u32::from(word[0]) << 8 | u32::from(*word.get(1).unwrap_or(&0)))))
                as u32;
            sums = fold(u64::from(sums + sum)) as u32;
        }
        sums << 16 | sum
    }

    #[test]
    fn both_orders_of_the_checksum_are_accepted_and_others_not() {
        let data = b"some data";
        let sum = checksum(data).to_le_bytes();
        let old = [sum[1], sum[0], sum[3], sum[2]];
        assert_eq!(verified_len(&[&data[..], &sum].concat()).unwrap(), 9);
        assert_eq!(verified_len(&[&data[..], &old].concat()).unwrap(), 9);
        assert!(verified_len(&[&data[..], &[sum[3], sum[2], sum[1], sum[0]]].concat()).is_err());
        assert!(verified_len(&sum[..3]).is_err());
    }

    #[test]
    fn long_runs_of_the_largest_word_do_not_overflow() {
        let data = vec![0xff; 300_001];
        assert_eq!(checksum(&data), naive(&data));
    }

    proptest! {
        #[test]
        fn checksum_is_that_of_the_definition(data in prop::collection::vec(any::<u8>(), 0..2000)) {
            prop_assert_eq!(checksum(&data), naive(&data));
        }
    }
}
