//! Integers that use only some of the bits of their bytes (HDF5 file format IV.A.2.d, "bit offset" and "bit
//! precision").
//!
//! Files use such types so that the N-bit filter drops the other bits, but a type of this kind may be stored in any
//! way. The other bits have no meaning.

use crate::value::DataType;

/// How such an integer is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrow {
    /// Its size in bytes, 1 to 8.
    pub size: usize,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// The lowest bit that it uses; `offset + precision` does not exceed the bits of `size` bytes.
    pub offset: u32,
    /// How many bits it uses, at least 1.
    pub precision: u32,
    /// Whether the highest of them is a sign.
    pub signed: bool,
}

impl Narrow {
    /// Returns the smallest type that holds its numbers, which is the one that the netCDF library chooses.
    pub fn data_type(&self) -> DataType {
        match (self.precision, self.signed) {
            (..=8, true) => DataType::I8,
            (..=8, false) => DataType::U8,
            (..=16, true) => DataType::I16,
            (..=16, false) => DataType::U16,
            (..=32, true) => DataType::I32,
            (..=32, false) => DataType::U32,
            (_, true) => DataType::I64,
            (_, false) => DataType::U64,
        }
    }

    /// Converts stored integers to native ones of [`Narrow::data_type`]; both slices hold the same number of them.
    pub fn widen(&self, stored: &[u8], out: &mut [u8]) {
        let Some(size) = self.data_type().size() else { return };
        for (from, to) in stored.chunks_exact(self.size).zip(out.chunks_exact_mut(size)) {
            let number = self.number(from);
            if cfg!(target_endian = "big") {
                to.copy_from_slice(&number.to_be_bytes()[8 - size..]);
            } else {
                to.copy_from_slice(&number.to_le_bytes()[..size]);
            }
        }
    }

    /// Returns the number in the low bits of the result, with its sign in all others.
    fn number(&self, stored: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        bytes[..stored.len()].copy_from_slice(stored);
        if self.big_endian {
            bytes[..stored.len()].reverse();
        }
        // Shifting to the top drops the bits above; shifting back extends the sign.
        let top = u64::from_le_bytes(bytes) << (64 - self.offset - self.precision);
        let down = 64 - self.precision;
        if self.signed {
            (top as i64 >> down) as u64
        } else {
            top >> down
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_beside_the_number_mean_nothing() {
        let narrow = Narrow { size: 2, big_endian: true, offset: 3, precision: 5, signed: true };
        let mut out = [0; 3];
        narrow.widen(&[0xff, 0x07, 0x00, 0x78, 0xaa, 0x80], &mut out);
        assert_eq!(out.map(|b| b as i8), [0, 15, -16]);
    }
}
