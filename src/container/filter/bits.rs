//! Numbers of any width up to 64 bits, packed most significant bit first.

/// Reads packed numbers one after the other.
pub struct BitReader<'a> {
    bytes: &'a [u8],
    position: usize,
    end: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, position: 0, end: bytes.len().saturating_mul(8) }
    }

    /// Returns the next number of `width` bits (1 to 64), or `None` at the end of the bytes.
    #[inline]
    pub fn read(&mut self, width: u32) -> Option<u64> {
        let next = self.position.checked_add(width as usize).filter(|&next| next <= self.end)?;
        let tail = &self.bytes[self.position / 8..];
        let shift = self.position % 8;
        let first = match tail.first_chunk() {
            Some(&full) => u64::from_be_bytes(full),
            None => tail.iter().fold(0, |value, &byte| value << 8 | u64::from(byte)) << (64 - 8 * tail.len()),
        };
        let ninth = tail.get(8).map_or(0, |&byte| u64::from(byte));
        let aligned = first << shift | ninth >> (8 - shift);
        self.position = next;
        Some(aligned >> (64 - width))
    }
}

/// Returns whether `bytes` has `count` numbers of `width` bits.
pub fn holds(bytes: &[u8], count: usize, width: u32) -> bool {
    count.checked_mul(width as usize).is_some_and(|bits| bits <= bytes.len().saturating_mul(8))
}

/// Fills `out` with numbers of `size` bytes (at most 8). Returns `None` as soon as `next` does.
pub fn write_numbers(
    out: &mut [u8],
    size: usize,
    big_endian: bool,
    next: impl FnMut() -> Option<u64>,
) -> Option<()> {
    // A size known at compile time saves a call of memcpy for each number.
    match size {
        1 => write_sized(out, 1, big_endian, next),
        2 => write_sized(out, 2, big_endian, next),
        4 => write_sized(out, 4, big_endian, next),
        8 => write_sized(out, 8, big_endian, next),
        _ => write_sized(out, size, big_endian, next),
    }
}

#[inline(always)]
fn write_sized(
    out: &mut [u8],
    size: usize,
    big_endian: bool,
    mut next: impl FnMut() -> Option<u64>,
) -> Option<()> {
    for number in out.chunks_exact_mut(size) {
        let value = next()?;
        if big_endian {
            number.copy_from_slice(&value.to_be_bytes()[8 - size..]);
        } else {
            number.copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_bits(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            widths in prop::collection::vec(1u32..=64, 0..20),
        ) {
            let mut reader = BitReader::new(&bytes);
            let mut bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |i| u64::from(byte >> i & 1)));
            for width in widths {
                let expected: Vec<u64> = bits.by_ref().take(width as usize).collect();
                let read = reader.read(width);
                if expected.len() < width as usize {
                    prop_assert_eq!(read, None);
                    break;
                }
                prop_assert_eq!(read, Some(expected.iter().fold(0, |value, bit| value << 1 | bit)));
            }
        }
    }
}
