//! Interleaves the byte planes of elements of four bytes, the hot loop of shuffled float data.
//!
//! Compilers do not find the byte-unpack instructions for this by themselves: a plain loop takes longer than inflating
//! the data. SSE2 is part of every x86-64 processor; other processors use the plain loop.

use crate::bytes::{arrays, arrays_mut};

/// Writes `a[i], b[i], c[i], d[i]` for each `i`; `out` is four times as long as each plane.
pub fn four(planes: [&[u8]; 4], out: &mut [u8]) {
    let done = vectors(planes, out);
    plain(planes.map(|plane| &plane[done..]), &mut out[4 * done..]);
}

fn plain([a, b, c, d]: [&[u8]; 4], out: &mut [u8]) {
    for ((((out, &a), &b), &c), &d) in arrays_mut::<4>(out).iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *out = [a, b, c, d];
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn vectors(_: [&[u8]; 4], _: &mut [u8]) -> usize {
    0
}

/// Interleaves as many elements as fill whole vectors, and returns their number.
#[cfg(target_arch = "x86_64")]
fn vectors(planes: [&[u8]; 4], out: &mut [u8]) -> usize {
    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi16, _mm_unpackhi_epi8,
        _mm_unpacklo_epi16, _mm_unpacklo_epi8,
    };
    let [a, b, c, d] = planes;
    let (a, b, c, d) = (arrays::<16>(a), arrays::<16>(b), arrays::<16>(c), arrays::<16>(d));
    let places = arrays_mut::<64>(out);
    let mut done = 0;
    for ((((out, a), b), c), d) in places.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        // SAFETY: SSE2 is part of x86-64; the loads read 16 bytes each from arrays of 16, the stores write 4 times 16
        // bytes to an array of 64, and none of them requires alignment.
        unsafe {
            let a = _mm_loadu_si128(a.as_ptr().cast::<__m128i>());
            let b = _mm_loadu_si128(b.as_ptr().cast::<__m128i>());
            let c = _mm_loadu_si128(c.as_ptr().cast::<__m128i>());
            let d = _mm_loadu_si128(d.as_ptr().cast::<__m128i>());
            let (low_ab, high_ab) = (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b));
            let (low_cd, high_cd) = (_mm_unpacklo_epi8(c, d), _mm_unpackhi_epi8(c, d));
            let to = out.as_mut_ptr().cast::<__m128i>();
            _mm_storeu_si128(to, _mm_unpacklo_epi16(low_ab, low_cd));
            _mm_storeu_si128(to.add(1), _mm_unpackhi_epi16(low_ab, low_cd));
            _mm_storeu_si128(to.add(2), _mm_unpacklo_epi16(high_ab, high_cd));
            _mm_storeu_si128(to.add(3), _mm_unpackhi_epi16(high_ab, high_cd));
        }
        done += 16;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_the_rest_equal_the_plain_loop() {
        for n in [0usize, 1, 15, 16, 17, 100, 1000] {
            let plane = |k: usize| -> Vec<u8> { (0..n).map(|i| (i * 7 + k * 31) as u8).collect() };
            let planes = [plane(0), plane(1), plane(2), plane(3)];
            let planes = [&planes[0][..], &planes[1], &planes[2], &planes[3]];
            let (mut got, mut want) = (vec![0; 4 * n], vec![0; 4 * n]);
            four(planes, &mut got);
            plain(planes, &mut want);
            assert_eq!(got, want);
        }
    }
}
