//! Filter 2, shuffle: the first bytes of all elements, then the second bytes of all elements, and so on.
//!
//! Bytes after the last whole element stay as they are.

use super::{damaged, interleave};
use crate::bytes::{arrays, arrays_mut};
use crate::error::Result;

/// Elements that are unshuffled at a time, so that the bytes written stay in the nearest cache.
const TILE: usize = 512;

/// Unshuffles the elements to the front of `out`.
pub fn decode(input: &[u8], size: usize, out: &mut [u8]) -> Result<usize> {
    let out =
        out.get_mut(..input.len()).ok_or_else(|| damaged("shuffle", "the data do not fit the chunk"))?;
    unshuffle(input, size, out);
    Ok(input.len())
}

/// Unshuffles some neighbouring elements: those from number `first` on that fill `out`.
///
/// `input` consists of whole elements.
pub fn unshuffle_part(input: &[u8], size: usize, first: usize, out: &mut [u8]) {
    let count = input.len() / size;
    let n = out.len() / size;
    let plane = |i: usize| &input[i * count + first..][..n];
    match size {
        2 => interleave2(plane(0), plane(1), out),
        4 => interleave::four([plane(0), plane(1), plane(2), plane(3)], out),
        // For a few elements, the intermediate buffers do not pay.
        8 if n >= 32 => interleave8([0, 1, 2, 3, 4, 5, 6, 7].map(plane), out),
        _ => {
            for byte in 0..size {
                for (element, &value) in out.chunks_exact_mut(size).zip(plane(byte)) {
                    element[byte] = value;
                }
            }
        }
    }
}

/// Unshuffles elements of `size` bytes; `out` is as long as `input`.
pub fn unshuffle(input: &[u8], size: usize, out: &mut [u8]) {
    let count = input.len().checked_div(size).unwrap_or(0);
    if size <= 1 || count <= 1 {
        return out.copy_from_slice(input);
    }
    let (shuffled, rest) = input.split_at(count * size);
    let (elements, out_rest) = out.split_at_mut(count * size);
    out_rest.copy_from_slice(rest);
    let plane = |i: usize| &shuffled[i * count..(i + 1) * count];
    match size {
        2 => interleave2(plane(0), plane(1), elements),
        4 => interleave::four([0, 1, 2, 3].map(plane), elements),
        8 => interleave8([0, 1, 2, 3, 4, 5, 6, 7].map(plane), elements),
        _ => {
            for (tile, elements) in elements.chunks_mut(TILE * size).enumerate() {
                for byte in 0..size {
                    let plane = &plane(byte)[tile * TILE..];
                    for (element, &value) in elements.chunks_exact_mut(size).zip(plane) {
                        element[byte] = value;
                    }
                }
            }
        }
    }
}

fn interleave2(a: &[u8], b: &[u8], out: &mut [u8]) {
    for ((out, &a), &b) in arrays_mut::<2>(out).iter_mut().zip(a).zip(b) {
        *out = [a, b];
    }
}

/// Interleaves halves first, since compilers vectorise four planes, or two of words, but not eight.
fn interleave8(planes: [&[u8]; 8], out: &mut [u8]) {
    let (mut low, mut high) = ([0; 4 * TILE], [0; 4 * TILE]);
    for (i, out) in out.chunks_mut(8 * TILE).enumerate() {
        let len = out.len() / 8;
        let [a, b, c, d, e, f, g, h] = planes.map(|plane| &plane[i * TILE..][..len]);
        interleave::four([a, b, c, d], &mut low[..4 * len]);
        interleave::four([e, f, g, h], &mut high[..4 * len]);
        let halves = arrays::<4>(&low).iter().zip(arrays::<4>(&high));
        for (out, (low, high)) in arrays_mut::<8>(out).iter_mut().zip(halves) {
            let [a, b, c, d] = *low;
            let [e, f, g, h] = *high;
            *out = [a, b, c, d, e, f, g, h];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_that_part_of_the_whole() {
        for size in [2usize, 3, 4, 8] {
            let input: Vec<u8> = (0..1050 * size).map(|i| (i * 37) as u8).collect();
            let mut whole = vec![0; input.len()];
            unshuffle(&input, size, &mut whole);
            for (first, n) in [(0, 1050), (7, 1), (3, 40), (50, 0), (11, 1000)] {
                let mut part = vec![0; n * size];
                unshuffle_part(&input, size, first, &mut part);
                assert_eq!(part, whole[first * size..][..n * size]);
            }
        }
    }
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unshuffle_undoes_the_definition(
            data in prop::collection::vec(any::<u8>(), 0..5000),
            size in prop_oneof![0usize..20, Just(2), Just(4), Just(8), Just(6000)],
        ) {
            let count = data.len().checked_div(size).unwrap_or(0);
            let mut shuffled = data.clone();
            for i in 0..count {
                for byte in 0..size {
                    shuffled[byte * count + i] = data[i * size + byte];
                }
            }
            let mut out = vec![0; data.len()];
            unshuffle(&shuffled, size, &mut out);
            prop_assert_eq!(out, data);
        }
    }
}
