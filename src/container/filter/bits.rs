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

    /// The next number of `width` bits (1 to 64); `None` at the end of the bytes.
    pub fn read(&mut self, width: u32) -> Option<u64> {
        let next = self.position.checked_add(width as usize).filter(|&next| next <= self.end)?;
        let tail = &self.bytes[self.position / 8..];
        let shift = self.position % 8;
        let mut window = [0; 9];
        match tail.first_chunk() {
            Some(full) => window = *full,
            None => window[..tail.len()].copy_from_slice(tail),
        }
        let [first @ .., last] = window;
        let aligned = u64::from_be_bytes(first) << shift | u64::from(last) >> (8 - shift);
        self.position = next;
        Some(aligned >> (64 - width))
    }
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
