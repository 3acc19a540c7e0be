//! Reads the little-endian fields of HDF5 structures one after the other.

use super::store::damaged;
use crate::error::{Error, Result};

/// A position in bytes that were read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the first byte.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    /// Returns the number of bytes before the position.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Returns the number of bytes that are left.
    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Returns the next `n` bytes.
    ///
    /// # Errors
    /// `Damaged` if there are fewer, as in all functions below.
    #[inline]
    pub(super) fn read_bytes(&mut self, n: usize) -> Result<&'a [u8]> {
        match self.bytes[self.at..].get(..n) {
            Some(bytes) => {
                self.at += n;
                Ok(bytes)
            }
            None => Err(self.short(n)),
        }
    }

    #[cold]
    fn short(&self, n: usize) -> Error {
        damaged(format!("{n} bytes are needed where {} are left", self.remaining()))
    }

    #[inline]
    fn read_array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.bytes[self.at..].first_chunk::<N>() {
            Some(array) => {
                self.at += N;
                Ok(*array)
            }
            None => Err(self.short(N)),
        }
    }

    /// Skips `n` bytes.
    #[inline]
    pub(super) fn skip(&mut self, n: usize) -> Result<()> {
        self.read_bytes(n).map(drop)
    }

    #[inline]
    pub(super) fn read_u8(&mut self) -> Result<u8> {
        self.read_array().map(u8::from_le_bytes)
    }

    #[inline]
    pub(super) fn read_u16_le(&mut self) -> Result<u16> {
        self.read_array().map(u16::from_le_bytes)
    }

    #[inline]
    pub(super) fn read_u32_le(&mut self) -> Result<u32> {
        self.read_array().map(u32::from_le_bytes)
    }

    #[inline]
    pub(super) fn read_i32_le(&mut self) -> Result<i32> {
        self.read_array().map(i32::from_le_bytes)
    }

    #[inline]
    pub(super) fn read_u64_le(&mut self) -> Result<u64> {
        self.read_array().map(u64::from_le_bytes)
    }

    /// Returns an unsigned integer of 1 to 8 bytes.
    #[inline]
    pub(super) fn read_uvar(&mut self, size: usize) -> Result<u64> {
        if !(1..=8).contains(&size) {
            return Err(damaged(format!("an integer of {size} bytes")));
        }
        let mut all = [0; 8];
        all[..size].copy_from_slice(self.read_bytes(size)?);
        Ok(u64::from_le_bytes(all))
    }

    /// Returns an address; the superblock defines its size.
    #[inline]
    pub(super) fn read_offset(&mut self, size: u8) -> Result<u64> {
        self.read_uvar(usize::from(size))
    }

    /// Returns a length; the superblock defines its size.
    #[inline]
    pub(super) fn read_length(&mut self, size: u8) -> Result<u64> {
        self.read_uvar(usize::from(size))
    }

    /// Returns whether an address of this size is undefined: all bits are set.
    pub(super) fn is_undefined_offset(address: u64, size: u8) -> bool {
        (1..=8).contains(&size) && address == u64::MAX >> (64 - 8 * u32::from(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_follow_one_another_and_end_with_the_bytes() {
        let mut cursor = Cursor::new(&[1, 2, 0, 3, 0, 0, 0, 9, 8, 7, 6]);
        assert_eq!(cursor.read_u8().unwrap(), 1);
        assert_eq!(cursor.read_u16_le().unwrap(), 2);
        assert_eq!(cursor.read_u32_le().unwrap(), 3);
        assert_eq!(cursor.read_uvar(3).unwrap(), 0x07_08_09);
        assert_eq!((cursor.position(), cursor.remaining()), (10, 1));
        assert!(cursor.read_u16_le().is_err() && cursor.skip(usize::MAX).is_err());
        assert_eq!(cursor.read_bytes(1).unwrap(), [6]);
        assert!(cursor.read_uvar(0).is_err() && cursor.read_uvar(9).is_err());
    }

    #[test]
    fn an_address_of_set_bits_is_none() {
        assert!(Cursor::is_undefined_offset(0xffff, 2) && !Cursor::is_undefined_offset(0xffff, 4));
        assert!(Cursor::is_undefined_offset(u64::MAX, 8));
    }
}
