//! Elements at regular distances, with their origins and destinations. Pure arithmetic, in bytes.

use super::truncated;
use crate::error::Result;
use crate::selection::{c_strides, Selection};

/// One axis of a [`Lattice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The number of places along it.
    pub count: usize,
    /// The distance between origins.
    pub from: i64,
    /// The distance between destinations.
    pub to: usize,
}

impl Axis {
    /// Returns the distance (0 or less) from the first origin to the lowest one.
    pub fn lowest(&self) -> i64 {
        (self.count as i64 - 1) * self.from.min(0)
    }

    /// Returns the distance between the lowest and the highest origin.
    pub fn reach(&self) -> u64 {
        (self.count as u64 - 1) * self.from.unsigned_abs()
    }
}

/// Runs of bytes on a regular grid, in C order.
///
/// All axes have at least two places, and no two neighbours can be joined; that makes inner loops long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// The origin of the first run.
    pub from: u64,
    /// The destination of the first run.
    pub to: usize,
    /// The bytes of one run: one element, or several that are contiguous at both ends.
    pub run: usize,
    /// The axes, outermost first.
    pub axes: Vec<Axis>,
}

impl Lattice {
    /// Joins axes where possible and drops those with one place. No axis may have zero places.
    pub fn new(from: u64, to: usize, element: usize, axes: impl IntoIterator<Item = Axis>) -> Self {
        let mut joined: Vec<Axis> = Vec::new();
        for axis in axes {
            match joined.last_mut() {
                _ if axis.count == 1 => {}
                Some(outer) if outer.follows(&axis) => {
                    *outer = Axis { count: outer.count * axis.count, ..axis };
                }
                _ => joined.push(axis),
            }
        }
        let mut run = element;
        if let Some(inner) = joined.last().filter(|a| a.from == element as i64 && a.to == element) {
            run *= inner.count;
            joined.pop();
        }
        Lattice { from, to, run, axes: joined }
    }

    /// Selects elements of an array with these distances between indices; they go into a buffer in C order.
    ///
    /// The selection must not be empty and must have been checked against the shape.
    ///
    /// # Errors
    /// `Damaged` if an element does not lie within the first `len` bytes.
    pub fn select(
        selection: &Selection,
        origin: u64,
        strides: &[u64],
        element: usize,
        len: u64,
    ) -> Result<Self> {
        let places = Places::of(selection, origin, strides).ok_or_else(|| truncated(None, len))?;
        let end = u64::try_from(places.highest).ok().and_then(|n| n.checked_add(element as u64));
        // Distances are signed: no file exceeds their range.
        if end.is_none_or(|end| end > len.min(i64::MAX as u64)) {
            return Err(truncated(end, len));
        }
        let to = c_strides(selection.count());
        let axes = (0..selection.rank()).map(|d| Axis {
            count: selection.count()[d] as usize,
            from: places.steps[d],
            to: to[d] as usize * element,
        });
        Ok(Lattice::new(places.first, 0, element, axes))
    }
}

impl Axis {
    /// Returns whether a step along this axis continues the places of the next inner axis.
    fn follows(&self, inner: &Axis) -> bool {
        inner.from.checked_mul(inner.count as i64) == Some(self.from) && self.to == inner.to * inner.count
    }
}

/// Where the elements of a selection start.
struct Places {
    first: u64,
    highest: u128,
    /// The distances along each dimension; 0 if it has one index.
    steps: Vec<i64>,
}

impl Places {
    /// Returns `None` if a place cannot be expressed, and so lies beyond any file.
    fn of(selection: &Selection, origin: u64, strides: &[u64]) -> Option<Places> {
        let (mut first, mut highest) = (u128::from(origin), u128::from(origin));
        let mut steps = Vec::with_capacity(strides.len());
        for (d, &stride) in strides.iter().enumerate() {
            let (start, step) = (selection.start()[d], selection.step()[d]);
            // The selection lies within the shape, so the reach of all steps is a valid index.
            let reach = step.unsigned_abs().checked_mul(selection.count()[d] - 1)?;
            let last = if step > 0 { start.checked_add(reach)? } else { start };
            first = first.checked_add(u128::from(start).checked_mul(stride.into())?)?;
            highest = highest.checked_add(u128::from(last).checked_mul(stride.into())?)?;
            steps.push(if reach == 0 { 0 } else { step.checked_mul(i64::try_from(stride).ok()?)? });
        }
        Some(Places { first: u64::try_from(first).ok()?, highest, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn a_whole_array_is_one_run() {
        let all = Selection::all(&[2, 3, 4]);
        let lattice = Lattice::select(&all, 100, &[48, 16, 4], 4, 196).unwrap();
        assert_eq!(lattice, Lattice { from: 100, to: 0, run: 96, axes: vec![] });
        assert_eq!(Lattice::select(&all, 100, &[48, 16, 4], 4, 195).unwrap_err().kind(), Kind::Damaged);
    }

    #[test]
    fn a_reversed_array_is_one_axis() {
        let back = Selection::new(&[1, 2], &[2, 3], &[-1, -1], &[2, 3]).unwrap();
        let lattice = Lattice::select(&back, 0, &[6, 2], 2, 12).unwrap();
        assert_eq!(lattice.axes, [Axis { count: 6, from: -2, to: 2 }]);
        assert_eq!((lattice.from, lattice.run), (10, 2));
    }

    #[test]
    fn sizes_beyond_any_file_are_outside() {
        let far = Selection::new(&[u64::MAX - 1, 1], &[1, 2], &[1, 1], &[u64::MAX, u64::MAX]).unwrap();
        assert!(Lattice::select(&far, 8, &[u64::MAX, 8], 8, u64::MAX).is_err());
        let near = Selection::new(&[0, 0], &[1, 2], &[1, 1], &[u64::MAX, u64::MAX]).unwrap();
        assert!(Lattice::select(&near, 8, &[u64::MAX, 8], 8, 24).is_ok());
    }
}
