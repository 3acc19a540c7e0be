//! Determines which axis of a stored array is which aggregated dimension, and where its indices lie.
//!
//! CF-1.13 section 2.8.2: a fragment may lack dimensions of size 1; nothing else may differ. CFA-0.4 also allows
//! another order of dimensions, reversed dimensions and the use of a part of the stored array.

use super::axes::match_axes;
use crate::error::{Error, Kind, Result};
use crate::model::fragments::{AxisIndices, View};
use crate::read::plan::Span;
use crate::selection::{c_strides, Selection};

/// How the axes of a stored array correspond to the aggregated dimensions.
#[derive(Debug)]
pub(crate) struct Placement<'a> {
    /// Per stored axis, the aggregated dimension; `None` for an axis of size 1 without one.
    dimensions: Vec<Option<usize>>,
    stored: &'a [u64],
    canonical: &'a [u64],
    view: Option<&'a View>,
}

/// Returns whether a stored array of numbers fits its part of the aggregated data as it is stored, and cannot mean
/// something else in a compressed form.
pub(crate) fn fits_plainly(stored: &[u64], canonical: &[u64]) -> bool {
    let may_be_indexed = stored.len() < canonical.len()
        && (1..canonical.len()).any(|d| canonical[d] == 1 && canonical[d - 1] > 1);
    !may_be_indexed && (stored == canonical || Placement::new(stored, canonical, None).is_ok())
}

/// A part of a fragment that is one selection of the stored array.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The selection to read.
    pub(crate) selection: Selection,
    /// Per stored axis, the aggregated dimension.
    pub(crate) dimensions: Vec<Option<usize>>,
    /// The index of its first element in the result, per aggregated dimension.
    pub(crate) at: Vec<u64>,
    /// Its extent in the result.
    pub(crate) count: Vec<u64>,
    /// Distance between neighbours along each aggregated dimension, in elements of the data read.
    pub(crate) strides: Vec<usize>,
}

impl Piece {
    /// Creates a piece from a selection of the stored array that goes to `at` and extends over `count`.
    pub(crate) fn new(
        selection: Selection,
        dimensions: Vec<Option<usize>>,
        at: Vec<u64>,
        count: Vec<u64>,
    ) -> Self {
        let axis_strides = c_strides(selection.count());
        let mut strides = vec![0usize; at.len()];
        for (axis, dimension) in dimensions.iter().enumerate() {
            if let Some(dimension) = *dimension {
                strides[dimension] = axis_strides[axis] as usize;
            }
        }
        Piece { selection, dimensions, at, count, strides }
    }

    /// Creates a piece from a selection of an array whose axes are the dimensions of the result.
    pub(crate) fn whole(selection: &Selection) -> Self {
        let rank = selection.rank();
        let dimensions = (0..rank).map(Some).collect();
        Piece::new(selection.clone(), dimensions, vec![0; rank], selection.count().to_vec())
    }

    /// Returns the number of elements.
    ///
    /// # Errors
    /// `Limit` if they do not fit into memory.
    pub(crate) fn elements(&self) -> Result<usize> {
        let n = self.selection.len().and_then(|n| usize::try_from(n).ok());
        n.ok_or_else(|| Error::new(Kind::Limit, "a part of the data does not fit into memory"))
    }

    /// Returns whether the data read have the order of the result.
    pub(crate) fn is_c_order(&self) -> bool {
        let mut expected = 1;
        for (&n, &stride) in self.count.iter().zip(&self.strides).rev() {
            if n > 1 && stride != expected {
                return false;
            }
            expected *= n as usize;
        }
        true
    }
}

impl<'a> Placement<'a> {
    /// Matches the shape of a stored array with the canonical shape of the fragment.
    ///
    /// # Errors
    /// `FragmentShape` if it does not fit.
    pub(crate) fn new(stored: &'a [u64], canonical: &'a [u64], view: Option<&'a View>) -> Result<Self> {
        if view.is_none() && stored == canonical {
            let dimensions = (0..stored.len()).map(Some).collect();
            return Ok(Placement { dimensions, stored, canonical, view });
        }
        let used = used_shape(stored, view)?;
        let order: Vec<usize> = match view.and_then(|v| v.axes.clone()) {
            Some(axes) => axes,
            None => (0..canonical.len()).collect(),
        };
        let misfit = || {
            Error::new(
                Kind::FragmentShape,
                format!(
                    "shape {used:?} does not fit {canonical:?}, the fragment's part of the aggregated data"
                ),
            )
        };
        let absent_is_one = (0..canonical.len()).all(|d| order.contains(&d) || canonical[d] == 1);
        if !absent_is_one || order.iter().any(|&d| d >= canonical.len()) {
            return Err(misfit());
        }
        let ordered: Vec<u64> = order.iter().map(|&d| canonical[d]).collect();
        let mut dimensions = vec![None; stored.len()];
        if let Ok(axes) = match_axes(&used, &ordered) {
            for (position, axis) in axes.into_iter().enumerate() {
                if let Some(axis) = axis {
                    dimensions[axis] = Some(order[position]);
                }
            }
        } else if view.is_some() {
            // Only the JSON dialect names dimensions, and its writers may omit or keep those of size 1.
            let long =
                |sizes: &[u64]| -> Vec<usize> { (0..sizes.len()).filter(|&i| sizes[i] != 1).collect() };
            let (axes, positions) = (long(&used), long(&ordered));
            if axes.len() != positions.len()
                || axes.iter().zip(&positions).any(|(&a, &p)| used[a] != ordered[p])
            {
                return Err(misfit());
            }
            for (axis, position) in axes.into_iter().zip(positions) {
                dimensions[axis] = Some(order[position]);
            }
        } else {
            return Err(misfit());
        }
        Ok(Placement { dimensions, stored, canonical, view })
    }

    /// Returns the selection of the stored array for the spans.
    ///
    /// # Errors
    /// `FragmentShape` if the view extends beyond the stored array.
    pub(crate) fn piece(&self, spans: &[Span]) -> Result<Piece> {
        let rank = self.stored.len();
        let (mut start, mut count, mut step) = (vec![0u64; rank], vec![1u64; rank], vec![1i64; rank]);
        for axis in 0..rank {
            let (first, n, by) = match self.dimensions[axis] {
                Some(dimension) => {
                    let span = spans[dimension];
                    let first = self.turned(dimension, span.start);
                    let turned =
                        first != span.start || self.view.is_some_and(|v| v.reversed.contains(&dimension));
                    (first, span.count, if turned { -span.step } else { span.step })
                }
                None => (0, 1, 1),
            };
            (start[axis], step[axis]) = match self.part(axis) {
                Some(AxisIndices::Slice { start, step, .. }) => {
                    let outside = || Error::new(Kind::FragmentShape, "part reaches outside the stored array");
                    let offset = i64::try_from(first).ok().and_then(|f| f.checked_mul(*step));
                    let at = offset.and_then(|o| start.checked_add_signed(o)).ok_or_else(outside)?;
                    (at, by.checked_mul(*step).ok_or_else(outside)?)
                }
                // The array at this point has the listed indices and no others.
                Some(AxisIndices::Indices(_)) | None => (first, by),
            };
            count[axis] = n;
        }
        let selection =
            Selection::of(start, count, step, self.stored).map_err(|e| e.with_kind(Kind::FragmentShape))?;
        let at = spans.iter().map(|s| s.at).collect();
        let extent = spans.iter().map(|s| s.count).collect();
        Ok(Piece::new(selection, self.dimensions.clone(), at, extent))
    }

    fn part(&self, axis: usize) -> Option<&AxisIndices> {
        self.view?.part.as_ref()?.get(axis)
    }

    /// Returns the index counted from the other end, if the dimension is stored in reverse order.
    fn turned(&self, dimension: usize, index: u64) -> u64 {
        if self.view.is_some_and(|v| v.reversed.contains(&dimension)) {
            self.canonical[dimension] - 1 - index
        } else {
            index
        }
    }
}

/// Returns the shape of the part of the stored array that is used.
fn used_shape(stored: &[u64], view: Option<&View>) -> Result<Vec<u64>> {
    let Some(parts) = view.and_then(|v| v.part.as_ref()) else {
        return Ok(stored.to_vec());
    };
    if parts.len() != stored.len() {
        return Err(Error::new(
            Kind::FragmentShape,
            format!("part of {} dimensions of an array of {}", parts.len(), stored.len()),
        ));
    }
    Ok(parts
        .iter()
        .map(|part| match part {
            AxisIndices::Slice { count, .. } => *count,
            AxisIndices::Indices(indices) => indices.len() as u64,
        })
        .collect())
}
