//! Bytes as arrays of a fixed length, which compilers turn into whole loads and stores.
//!
//! `slice::as_chunks` does the same from Rust 1.88 on; the products build with 1.85.

/// Returns the bytes as arrays of `N` bytes, one after the other, without the remainder.
#[inline]
pub(crate) fn arrays<const N: usize>(bytes: &[u8]) -> &[[u8; N]] {
    const { assert!(N > 0) };
    // SAFETY: an array of bytes has the alignment of a byte and no padding, and this many lie within the slice.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / N) }
}

/// Like [`arrays`], but mutable.
#[inline]
pub(crate) fn arrays_mut<const N: usize>(bytes: &mut [u8]) -> &mut [[u8; N]] {
    const { assert!(N > 0) };
    // SAFETY: as above; the slice is borrowed for as long as the arrays are.
    unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len() / N) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_is_left_out() {
        let mut bytes = [1, 2, 3, 4, 5];
        assert_eq!(arrays::<2>(&bytes), [[1, 2], [3, 4]]);
        assert_eq!(arrays::<2>(&[]), [[0; 2]; 0]);
        arrays_mut::<2>(&mut bytes)[1] = [8, 9];
        assert_eq!(bytes, [1, 2, 8, 9, 5]);
    }
}
