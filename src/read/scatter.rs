//! Copies a piece of converted values to its strided place in the caller's buffer, from several threads at once.

use std::marker::PhantomData;

use crate::error::{Error, Kind, Result};
use crate::selection::{self, Odometer};

/// A caller's buffer as a strided array. Several threads may fill different parts of it at once.
pub struct Destination<'a> {
    first: *mut u8,
    /// Distance in bytes between neighbours along each dimension.
    strides: Vec<isize>,
    shape: Vec<u64>,
    element: usize,
    disjoint: bool,
    buffer: PhantomData<&'a mut [u8]>,
}

// SAFETY: all writes go through `copy` and `fill`, whose contract is that concurrent calls name disjoint parts;
// `is_disjoint` returns whether different parts are different memory.
unsafe impl Sync for Destination<'_> {}
// SAFETY: the buffer is exclusively borrowed for the lifetime and plain bytes.
unsafe impl Send for Destination<'_> {}

impl<'a> Destination<'a> {
    /// Creates a destination for a buffer in C order.
    ///
    /// # Errors
    /// `Request` if the buffer is too small.
    pub fn c_order(buffer: &'a mut [u8], shape: &[u64], element: usize) -> Result<Self> {
        let strides: Vec<i64> = crate::selection::c_strides(shape)
            .iter()
            .map(|&s| i64::try_from(s).unwrap_or(i64::MAX))
            .collect();
        Destination::strided(buffer, 0, &strides, shape, element)
    }

    /// Creates a destination for a buffer whose element `[0, 0, ..]` is at `first` and whose neighbours lie `strides`
    /// apart, in elements.
    ///
    /// # Errors
    /// `Request` if an element of `shape` would lie outside the buffer.
    pub fn strided(
        buffer: &'a mut [u8],
        first: usize,
        strides: &[i64],
        shape: &[u64],
        element: usize,
    ) -> Result<Self> {
        if strides.len() != shape.len() {
            return Err(Error::new(
                Kind::Request,
                format!("{} buffer strides for {} dimensions", strides.len(), shape.len()),
            ));
        }
        if !shape.contains(&0) {
            let (mut low, mut high) = (first as i128, first as i128);
            for (&stride, &size) in strides.iter().zip(shape) {
                let reach = i128::from(stride) * i128::from(size - 1);
                low += reach.min(0);
                high += reach.max(0);
            }
            let room = (buffer.len() / element) as i128;
            if low < 0 || high >= room {
                return Err(Error::new(
                    Kind::Request,
                    format!("the buffer holds {room} elements; the request writes elements {low} to {high}"),
                ));
            }
        }
        Ok(Destination {
            first: buffer.as_mut_ptr().wrapping_add(first.saturating_mul(element)),
            strides: strides.iter().map(|&s| (s as isize).wrapping_mul(element as isize)).collect(),
            shape: shape.to_vec(),
            element,
            disjoint: are_disjoint(strides, shape),
            buffer: PhantomData,
        })
    }

    /// Returns whether different elements lie in different memory, so that threads may fill different parts at once.
    pub fn is_disjoint(&self) -> bool {
        self.disjoint
    }

    /// Returns the part at `at` of shape `count` as one slice, if it is contiguous and in C order.
    ///
    /// # Safety
    /// No other thread may access that part during the lifetime of the slice.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn contiguous(&self, at: &[u64], count: &[u64]) -> Option<&mut [u8]> {
        self.check(at, count);
        let mut expected = self.element as isize;
        for d in (0..count.len()).rev() {
            if count[d] > 1 && self.strides[d] != expected {
                return None;
            }
            expected = expected.checked_mul(isize::try_from(count[d]).ok()?)?;
        }
        // SAFETY: `check` keeps the part inside the buffer; the caller guarantees exclusive use.
        Some(unsafe { std::slice::from_raw_parts_mut(self.place(at), expected as usize) })
    }

    /// Copies `source`, whose neighbours lie `source_strides` elements apart, to the part at `at` of shape `count`.
    ///
    /// # Safety
    /// Concurrent calls must name disjoint parts of a disjoint destination.
    pub unsafe fn copy(&self, at: &[u64], count: &[u64], source: &[u8], source_strides: &[usize]) {
        self.check(at, count);
        if count.contains(&0) {
            return;
        }
        let last = count.iter().zip(source_strides).map(|(&n, &s)| (n as usize - 1) * s).sum::<usize>();
        assert!((last + 1) * self.element <= source.len(), "source is smaller than the part");
        let from: Vec<isize> = source_strides.iter().map(|&s| (s * self.element) as isize).collect();
        // SAFETY: both sides were checked above: `check` for the destination, the assertion for the source. The caller
        // guarantees that no other call writes there at the same time.
        unsafe { copy_strided(self.place(at), &self.strides, source.as_ptr(), &from, count, self.element) }
    }

    /// Fills the part at `at` of shape `count` with one element.
    ///
    /// # Safety
    /// Concurrent calls must name disjoint parts of a disjoint destination.
    pub unsafe fn fill(&self, at: &[u64], count: &[u64], element: &[u8]) {
        self.check(at, count);
        assert_eq!(element.len(), self.element, "one element of the destination's size");
        if count.contains(&0) {
            return;
        }
        let still = vec![0isize; count.len()];
        // SAFETY: `check` bounds the destination; with zero strides the source is read within its one element. The
        // caller guarantees that no other call writes there at the same time.
        unsafe { copy_strided(self.place(at), &self.strides, element.as_ptr(), &still, count, self.element) }
    }

    fn check(&self, at: &[u64], count: &[u64]) {
        assert!(at.len() == self.shape.len() && count.len() == self.shape.len(), "rank of the part");
        for d in 0..at.len() {
            assert!(
                at[d].checked_add(count[d]).is_some_and(|end| end <= self.shape[d]),
                "part reaches outside the destination"
            );
        }
    }

    fn place(&self, at: &[u64]) -> *mut u8 {
        let offset = at.iter().zip(&self.strides).map(|(&i, &s)| i as isize * s).sum::<isize>();
        self.first.wrapping_offset(offset)
    }
}

/// Returns whether no two elements share memory. The test is sufficient, not necessary.
fn are_disjoint(strides: &[i64], shape: &[u64]) -> bool {
    let mut steps: Vec<(u64, u64)> =
        strides.iter().zip(shape).filter(|(_, &n)| n > 1).map(|(&s, &n)| (s.unsigned_abs(), n)).collect();
    steps.sort_unstable();
    let mut reach = 0u64;
    for (stride, n) in steps {
        if stride <= reach {
            return false;
        }
        reach = reach.saturating_add(stride.saturating_mul(n - 1));
    }
    true
}

/// Copies an n-dimensional part; strides in bytes.
///
/// # Safety
/// Every element reached from `to` must be writable and from `from` readable, and the two must not overlap.
unsafe fn copy_strided(
    to: *mut u8,
    to_strides: &[isize],
    from: *const u8,
    from_strides: &[isize],
    count: &[u64],
    element: usize,
) {
    let Some((&n, outer)) = count.split_last() else {
        // SAFETY: rank 0 is one element.
        unsafe { std::ptr::copy_nonoverlapping(from, to, element) };
        return;
    };
    if outer.contains(&0) {
        return;
    }
    let (ts, fs) = (to_strides[outer.len()], from_strides[outer.len()]);
    let jumps = |strides: &[isize]| {
        let strides: Vec<i64> = strides[..outer.len()].iter().map(|&stride| stride as i64).collect();
        selection::jumps(outer, &strides)
    };
    let (to_jumps, from_jumps) = (jumps(to_strides), jumps(from_strides));
    let mut odometer = Odometer::new(outer);
    let (mut row_to, mut row_from) = (to, from);
    loop {
        // SAFETY: the caller's promise covers every row.
        unsafe { copy_row(row_to, ts, row_from, fs, n as usize, element) };
        let Some(d) = odometer.advance() else { return };
        row_to = row_to.wrapping_offset(to_jumps[d] as isize);
        row_from = row_from.wrapping_offset(from_jumps[d] as isize);
    }
}

/// Copies one row.
///
/// # Safety
/// As [`copy_strided`].
unsafe fn copy_row(to: *mut u8, ts: isize, from: *const u8, fs: isize, n: usize, element: usize) {
    // SAFETY (all arms): the caller guarantees that every element of both rows is valid; unaligned access is used.
    unsafe fn by<T: Copy>(to: *mut u8, ts: isize, from: *const u8, fs: isize, n: usize) {
        for i in 0..n as isize {
            // SAFETY: see above.
            unsafe {
                let value = from.wrapping_offset(i * fs).cast::<T>().read_unaligned();
                to.wrapping_offset(i * ts).cast::<T>().write_unaligned(value);
            }
        }
    }
    let size = element as isize;
    // SAFETY: see above.
    unsafe {
        match element {
            _ if ts == size && fs == size => std::ptr::copy_nonoverlapping(from, to, n * element),
            1 => by::<u8>(to, ts, from, fs, n),
            2 => by::<u16>(to, ts, from, fs, n),
            4 => by::<u32>(to, ts, from, fs, n),
            8 => by::<u64>(to, ts, from, fs, n),
            _ => {
                for i in 0..n as isize {
                    let source = from.wrapping_offset(i * fs);
                    std::ptr::copy_nonoverlapping(source, to.wrapping_offset(i * ts), element);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_buffer_that_is_too_small_is_refused() {
        let mut buffer = [0u8; 23];
        assert!(Destination::c_order(&mut buffer, &[3, 2], 4).is_err());
        assert!(Destination::strided(&mut buffer, 0, &[-1], &[2], 4).is_err());
        assert!(Destination::strided(&mut buffer, 1, &[-1], &[2], 4).is_ok());
        assert!(Destination::strided(&mut buffer, 0, &[i64::MAX], &[u64::MAX], 4).is_err());
    }

    #[test]
    fn overlapping_strides_are_told_apart_from_disjoint_ones() {
        assert!(are_disjoint(&[12, 4, 1], &[2, 3, 4]));
        assert!(are_disjoint(&[1, 2, 6], &[2, 3, 4]));
        assert!(!are_disjoint(&[0], &[2]));
        assert!(!are_disjoint(&[3, 1], &[2, 4]));
        assert!(are_disjoint(&[0, -1], &[1, 4]));
    }

    proptest! {
        #[test]
        fn copy_equals_an_element_by_element_loop(
            shape in proptest::collection::vec(1u64..5, 0..4),
            element in prop_oneof![Just(1usize), Just(2), Just(4), Just(8), Just(3)],
            flips in proptest::collection::vec(any::<bool>(), 4),
            rotate in 0usize..4,
        ) {
            let total: usize = shape.iter().product::<u64>() as usize;
            // Destination strides: C order of a permuted shape, some reversed.
            let rank = shape.len();
            let order: Vec<usize> = (0..rank).map(|d| (d + rotate) % rank.max(1)).collect();
            let mut strides = vec![0i64; rank];
            let mut step = 1i64;
            let mut first = 0i64;
            for &d in order.iter().rev() {
                strides[d] = if flips[d] { -step } else { step };
                if flips[d] { first += step * (shape[d] as i64 - 1); }
                step *= shape[d] as i64;
            }
            let source: Vec<u8> = (0..total * element).map(|i| i as u8).collect();
            let mut got = vec![0u8; total * element];
            let c: Vec<usize> = crate::selection::c_strides(&shape).iter().map(|&s| s as usize).collect();
            let destination = Destination::strided(&mut got, first as usize, &strides, &shape, element).unwrap();
            prop_assert!(destination.is_disjoint());
            // SAFETY: nothing else writes to the buffer.
            unsafe { destination.copy(&vec![0; rank], &shape, &source, &c) };
            let mut want = vec![0u8; total * element];
            for n in 0..total {
                let (mut rest, mut to) = (n, first);
                for d in (0..rank).rev() {
                    to += strides[d] * (rest % shape[d] as usize) as i64;
                    rest /= shape[d] as usize;
                }
                let to = to as usize * element;
                want[to..to + element].copy_from_slice(&source[n * element..(n + 1) * element]);
            }
            prop_assert_eq!(got, want);
        }
    }
}
