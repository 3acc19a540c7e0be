//! Snappy blocks (github.com/google/snappy, `format_description.txt`), a codec of Blosc.

use super::run::{take, take_byte, Output};

/// Decompresses to the front of `out`. Returns `None` if the stream is broken or does not fit.
pub fn decompress(mut input: &[u8], out: &mut [u8]) -> Option<usize> {
    let expected = length(&mut input)?;
    let mut out = Output::new(out.get_mut(..expected)?);
    while !input.is_empty() {
        let tag = take_byte(&mut input)?;
        let upper = (tag >> 2) as usize;
        match tag & 3 {
            0 => {
                let len = match upper {
                    0..60 => upper,
                    _ => little_endian(take(&mut input, upper - 59)?),
                };
                out.literal(take(&mut input, len.checked_add(1)?)?)?;
            }
            1 => {
                let low = take_byte(&mut input)? as usize;
                out.repeat((upper >> 3 << 8) + low, (upper & 7) + 4)?;
            }
            2 => out.repeat(little_endian(take(&mut input, 2)?), upper + 1)?,
            _ => out.repeat(little_endian(take(&mut input, 4)?), upper + 1)?,
        }
    }
    (out.len() == expected).then_some(expected)
}

/// Reads the decompressed length: seven bits per byte, least significant first, 32 bits in total.
fn length(input: &mut &[u8]) -> Option<usize> {
    let mut value = 0u64;
    for shift in (0..35).step_by(7) {
        let byte = take_byte(input)?;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return usize::try_from(value).ok();
        }
    }
    None
}

fn little_endian(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | byte as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_all_kinds_of_copies_are_understood() {
        let mut out = [0; 32];
        let stream = [
            &[18, 3 << 2],
            &b"abcd"[..],
            &[1, 4],
            &[(5 - 1) << 2 | 2, 2, 0],
            &[(5 - 1) << 2 | 3, 1, 0, 0, 0],
        ];
        assert_eq!(decompress(&stream.concat(), &mut out), Some(18));
        assert_eq!(&out[..18], b"abcdabcdcdcdcccccc");
    }

    #[test]
    fn a_length_that_does_not_fit_or_match_is_refused() {
        assert_eq!(decompress(&[5, 3 << 2, 1, 2, 3, 4], &mut [0; 8]), None);
        assert_eq!(decompress(&[9, 8 << 2, 1, 2, 3, 4, 5, 6, 7, 8, 9], &mut [0; 8]), None);
        assert_eq!(decompress(&[255; 16], &mut [0; 8]), None);
    }
}
