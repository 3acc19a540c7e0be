//! Divides a selection into slabs of bounded size, in C order, so that a large table is never in memory at once.

use crate::error::Result;
use crate::selection::{Odometer, Selection};

/// Iterates over the slabs of a selection; each has at most `cap` elements.
pub struct Slabs<'a> {
    whole: &'a Selection,
    shape: &'a [u64],
    /// The dimension that is divided. A slab has all indices of the dimensions after it, and one of each before it.
    cut: usize,
    rows: u64,
    /// Counts the slabs; none after the last.
    at: Option<Odometer>,
}

impl<'a> Slabs<'a> {
    /// Divides a selection from an array of this shape into slabs of at most `cap` elements (at least 1).
    pub fn new(whole: &'a Selection, shape: &'a [u64], cap: u64) -> Self {
        let count = whole.count();
        let mut inner = 1u64;
        let mut cut = count.len();
        while cut > 0 && inner.saturating_mul(count[cut - 1]) <= cap {
            cut -= 1;
            inner = inner.saturating_mul(count[cut]);
        }
        let rows = match cut {
            0 => 0,
            _ => (cap / inner.max(1)).max(1),
        };
        let mut counts = count[..cut].to_vec();
        if let Some(last) = counts.last_mut() {
            *last = last.div_ceil(rows);
        }
        Slabs { whole, shape, cut, rows, at: (!whole.is_empty()).then(|| Odometer::new(&counts)) }
    }

    fn slab(&self, index: &[u64]) -> Result<Selection> {
        let (mut start, mut count) = (self.whole.start().to_vec(), self.whole.count().to_vec());
        for (d, &at) in index.iter().enumerate() {
            let at = if d + 1 == self.cut { at * self.rows } else { at };
            let first = i128::from(start[d]) + i128::from(at) * i128::from(self.whole.step()[d]);
            start[d] = u64::try_from(first).unwrap_or(u64::MAX);
            count[d] = if d + 1 == self.cut { self.rows.min(count[d] - at) } else { 1 };
        }
        Selection::new(&start, &count, self.whole.step(), self.shape)
    }
}

impl Iterator for Slabs<'_> {
    type Item = Result<Selection>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut at = self.at.take()?;
        let slab = self.slab(at.index());
        self.at = at.advance().map(|_| at);
        Some(slab)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selection::c_strides;
    use proptest::prelude::*;

    fn elements(s: &Selection, shape: &[u64]) -> Vec<u64> {
        let strides = c_strides(shape);
        let mut out = vec![0u64];
        for (d, &stride) in strides.iter().enumerate() {
            let along: Vec<u64> = (0..s.count()[d])
                .map(|i| (s.start()[d] as i64 + i as i64 * s.step()[d]) as u64 * stride)
                .collect();
            out = out.iter().flat_map(|o| along.iter().map(move |a| o + a)).collect();
        }
        out
    }

    proptest! {
        #[test]
        fn slabs_give_the_selection_in_order_and_stay_below_the_cap(
            dims in prop::collection::vec((1u64..5, 1i64..3, any::<bool>()), 0..4), cap in 1u64..20,
        ) {
            let (mut start, mut count, mut step, mut shape) = (vec![], vec![], vec![], vec![]);
            for (n, s, back) in dims {
                let size = (n - 1) * s as u64 + 1;
                start.push(if back { size - 1 } else { 0 });
                step.push(if back { -s } else { s });
                count.push(n);
                shape.push(size);
            }
            let whole = Selection::new(&start, &count, &step, &shape).unwrap();
            let mut seen = Vec::new();
            for slab in Slabs::new(&whole, &shape, cap) {
                let slab = slab.unwrap();
                prop_assert!(slab.len().unwrap() <= cap);
                seen.extend(elements(&slab, &shape));
            }
            prop_assert_eq!(seen, elements(&whole, &shape));
        }
    }

    #[test]
    fn an_empty_selection_has_no_slabs() {
        assert_eq!(Slabs::new(&Selection::all(&[3, 0]), &[3, 0], 4).count(), 0);
    }
}
