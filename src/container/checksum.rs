//! The checksum of HDF5 metadata: lookup3 by Bob Jenkins (`hashlittle` with an initial value of 0).

/// Returns the checksum of some bytes.
pub(crate) fn lookup3(bytes: &[u8]) -> u32 {
    let begin = 0xdead_beef_u32.wrapping_add(bytes.len() as u32);
    let (mut a, mut b, mut c) = (begin, begin, begin);
    let word =
        |block: &[u8; 12], i: usize| u32::from_le_bytes([block[i], block[i + 1], block[i + 2], block[i + 3]]);
    // The last block, whole or not, is mixed differently.
    let whole = bytes.len().saturating_sub(1) / 12;
    for block in &crate::bytes::arrays::<12>(bytes)[..whole] {
        a = a.wrapping_add(word(block, 0));
        b = b.wrapping_add(word(block, 4));
        c = c.wrapping_add(word(block, 8));
        (a, b, c) = mix(a, b, c);
    }
    let rest = &bytes[12 * whole..];
    if rest.is_empty() {
        return c;
    }
    let mut last = [0; 12];
    last[..rest.len()].copy_from_slice(rest);
    a = a.wrapping_add(word(&last, 0));
    b = b.wrapping_add(word(&last, 4));
    c = c.wrapping_add(word(&last, 8));
    finish(a, b, c)
}

#[inline]
fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    (a, b, c)
}

fn finish(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_reference() {
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
        // One checksum for every length of the last block, computed by another implementation.
        let bytes: Vec<u8> = (0..60).collect();
        for len in 0..=bytes.len() {
            assert_eq!(
                lookup3(&bytes[..len]),
                hdf5_reader::checksum::jenkins_lookup3(&bytes[..len]),
                "{len}"
            );
        }
    }
}
