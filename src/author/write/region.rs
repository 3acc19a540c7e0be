//! Divides blocks of an array into runs of neighbouring elements, and keeps track of which elements were written.

use std::collections::BTreeMap;

use crate::selection::{c_strides, offsets};

/// Returns the runs of a block, in C order: the first element of each in the array, and their number.
///
/// The block lies within the shape, whose number of elements fits the type.
pub(super) fn runs(shape: &[u64], start: &[u64], count: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    let strides = c_strides(shape);
    // Whole trailing dimensions belong to the same run as the dimension before them.
    let mut inner = shape.len();
    let mut run = 1;
    while inner > 0 {
        inner -= 1;
        run *= count[inner];
        if count[inner] != shape[inner] {
            break;
        }
    }
    let first: u64 = start.iter().zip(&strides).map(|(s, stride)| s * stride).sum();
    let outer: Vec<i64> = strides[..inner].iter().map(|&stride| stride as i64).collect();
    let most = if run == 0 { 0 } else { usize::MAX };
    offsets(&count[..inner], &outer).take(most).map(move |at| (first.wrapping_add_signed(at), run))
}

/// A box of elements that is copied from one array to another.
pub(super) struct Copy<'a> {
    /// The shape of the array that is read, and where the box begins in it.
    pub from: (&'a [u64], &'a [u64]),
    /// The shape of the array that is written, and where the box begins in it.
    pub to: (&'a [u64], &'a [u64]),
    /// The shape of the box.
    pub count: &'a [u64],
    /// The size of an element in bytes.
    pub element: usize,
}

impl Copy<'_> {
    /// Copies the bytes; both arrays contain the box.
    pub(super) fn run(&self, from: &[u8], to: &mut [u8]) {
        let (mut a, mut b) =
            (runs(self.from.0, self.from.1, self.count), runs(self.to.0, self.to.1, self.count));
        let (mut here, mut there) = (a.next(), b.next());
        // If the runs of the two differ in length, the shorter ones are parts of the longer ones.
        while let (Some((x, n)), Some((y, m))) = (here, there) {
            let step = n.min(m);
            let len = step as usize * self.element;
            let (x_at, y_at) = (x as usize * self.element, y as usize * self.element);
            to[y_at..y_at + len].copy_from_slice(&from[x_at..x_at + len]);
            here = if n > step { Some((x + step, n - step)) } else { a.next() };
            there = if m > step { Some((y + step, m - step)) } else { b.next() };
        }
    }
}

/// The elements of an array that were written.
#[derive(Debug, Default)]
pub(super) struct Coverage(BTreeMap<u64, u64>);

impl Coverage {
    /// Adds `count` elements, beginning at `start`.
    pub(super) fn add(&mut self, start: u64, count: u64) {
        if count == 0 {
            return;
        }
        let (mut from, mut to) = (start, start.saturating_add(count));
        while let Some((&first, &end)) = self.0.range(..=to).next_back() {
            if end < from {
                break;
            }
            (from, to) = (from.min(first), to.max(end));
            self.0.remove(&first);
        }
        self.0.insert(from, to);
    }

    /// Returns the elements of `total` that were not written: the first of each gap, and their number.
    pub(super) fn gaps(&self, total: u64) -> Vec<(u64, u64)> {
        let mut gaps = Vec::new();
        let mut at = 0;
        for (&from, &to) in &self.0 {
            if from > at {
                gaps.push((at, from - at));
            }
            at = to;
        }
        if at < total {
            gaps.push((at, total - at));
        }
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the elements of a block one by one.
    fn elements(shape: &[u64], start: &[u64], count: &[u64]) -> Vec<u64> {
        let mut list = Vec::new();
        for mut i in 0..count.iter().product::<u64>() {
            let mut at = 0;
            let mut stride = 1;
            for d in (0..shape.len()).rev() {
                at += (start[d] + i % count[d]) * stride;
                i /= count[d];
                stride *= shape[d];
            }
            list.push(at);
        }
        list
    }

    proptest! {
        #[test]
        fn runs_are_the_elements_of_the_block(dims in prop::collection::vec((0u64..5, 0u64..4, 0u64..4), 0..4)) {
            let start: Vec<u64> = dims.iter().map(|d| d.0).collect();
            let count: Vec<u64> = dims.iter().map(|d| d.1).collect();
            let shape: Vec<u64> = dims.iter().map(|d| d.0 + d.1 + d.2).collect();
            let listed: Vec<u64> = runs(&shape, &start, &count).flat_map(|(at, n)| at..at + n).collect();
            prop_assert_eq!(listed, elements(&shape, &start, &count));
        }

        #[test]
        fn a_box_is_copied_element_by_element(
            dims in prop::collection::vec((0usize..3, 0usize..3, 0usize..4, 0usize..3, 0usize..3), 0..4),
            element in 1usize..4,
        ) {
            let pick = |f: fn(&(usize, usize, usize, usize, usize)) -> usize| -> Vec<u64> {
                dims.iter().map(|d| f(d) as u64).collect()
            };
            let (from_start, to_start, count) = (pick(|d| d.0), pick(|d| d.1), pick(|d| d.2));
            let (from_shape, to_shape) = (pick(|d| d.0 + d.2 + d.3), pick(|d| d.1 + d.2 + d.4));
            let from: Vec<u8> = (0..from_shape.iter().product::<u64>() as usize * element).map(|i| i as u8 | 1).collect();
            let mut to = vec![0; to_shape.iter().product::<u64>() as usize * element];
            let mut expected = to.clone();
            let pairs = elements(&from_shape, &from_start, &count).into_iter();
            for (x, y) in pairs.zip(elements(&to_shape, &to_start, &count)) {
                let (x, y) = (x as usize * element, y as usize * element);
                expected[y..y + element].copy_from_slice(&from[x..x + element]);
            }
            let (a, b) = ((&from_shape[..], &from_start[..]), (&to_shape[..], &to_start[..]));
            Copy { from: a, to: b, count: &count, element }.run(&from, &mut to);
            prop_assert_eq!(to, expected);
        }

        #[test]
        fn gaps_are_what_was_not_covered(parts in prop::collection::vec((0u64..40, 0u64..9), 0..12)) {
            let mut coverage = Coverage::default();
            let mut seen = [false; 60];
            for (start, count) in parts {
                coverage.add(start, count);
                (start..start + count).for_each(|i| seen[i as usize] = true);
            }
            let mut expected = seen;
            for (start, count) in coverage.gaps(60) {
                (start..start + count).for_each(|i| expected[i as usize] = !expected[i as usize]);
            }
            prop_assert!(expected.iter().all(|&covered| covered));
        }
    }
}
