//! The part of an array that is to be read: start, count and step per dimension.

use crate::error::{Error, Kind, Result};

/// A hyperslab: element `i` along dimension `d` is `start[d] + i * step[d]`, for `i < count[d]`.
///
/// Steps may be negative but not zero; counts may be zero. A selection that was checked against a shape never reaches
/// outside it.
///
/// ```
/// use cfa::Selection;
///
/// // Every second row of a 10 x 20 array, and the last three columns backwards.
/// let part = Selection::new(&[0, 19], &[5, 3], &[2, -1], &[10, 20])?;
/// assert_eq!(part.len(), Some(15));
/// assert_eq!(part.index(1), [0, 18]);
/// assert!(Selection::block(&[0, 0], &[11, 1], &[10, 20]).is_err());
/// # Ok::<(), cfa::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    start: Vec<u64>,
    count: Vec<u64>,
    step: Vec<i64>,
}

impl Selection {
    /// Selects the whole of an array of this shape.
    pub fn all(shape: &[u64]) -> Self {
        Selection { start: vec![0; shape.len()], count: shape.to_vec(), step: vec![1; shape.len()] }
    }

    /// Creates a selection and checks it against the shape of the array.
    ///
    /// # Errors
    /// `Request` if the ranks differ, a step is zero, or an element lies outside the array.
    pub fn new(start: &[u64], count: &[u64], step: &[i64], shape: &[u64]) -> Result<Self> {
        check(start, count, step, shape)?;
        Ok(Selection { start: start.to_vec(), count: count.to_vec(), step: step.to_vec() })
    }

    /// Does the same as [`Selection::new`] with numbers that it takes.
    pub(crate) fn of(start: Vec<u64>, count: Vec<u64>, step: Vec<i64>, shape: &[u64]) -> Result<Self> {
        check(&start, &count, &step, shape)?;
        Ok(Selection { start, count, step })
    }

    /// Checks that no element lies outside an array of this shape.
    ///
    /// # Errors
    /// As [`Selection::new`].
    pub(crate) fn check(&self, shape: &[u64]) -> Result<()> {
        check(&self.start, &self.count, &self.step, shape)
    }

    /// Selects `start .. start + count` along every dimension, with step 1.
    ///
    /// # Errors
    /// As [`Selection::new`].
    pub fn block(start: &[u64], count: &[u64], shape: &[u64]) -> Result<Self> {
        Selection::of(start.to_vec(), count.to_vec(), vec![1; start.len()], shape)
    }

    /// Returns the first index along each dimension.
    pub fn start(&self) -> &[u64] {
        &self.start
    }

    /// Returns the number of indices along each dimension, which is the shape of the result.
    pub fn count(&self) -> &[u64] {
        &self.count
    }

    /// Returns the distance between indices along each dimension.
    pub fn step(&self) -> &[i64] {
        &self.step
    }

    /// Returns the number of dimensions.
    pub fn rank(&self) -> usize {
        self.count.len()
    }

    /// Returns the number of elements, or `None` if it overflows.
    pub fn len(&self) -> Option<u64> {
        checked_product(&self.count)
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.count.contains(&0)
    }

    /// The index in the array of element `i`, counted in C order.
    pub fn index(&self, i: u64) -> Vec<u64> {
        let mut index = index_at(&self.count, i);
        for (d, at) in index.iter_mut().enumerate() {
            let place = i128::from(self.start[d]) + i128::from(*at) * i128::from(self.step[d]);
            *at = u64::try_from(place).unwrap_or(0);
        }
        index
    }
}

fn check(start: &[u64], count: &[u64], step: &[i64], shape: &[u64]) -> Result<()> {
    let rank = shape.len();
    for (what, len) in [("start", start.len()), ("count", count.len()), ("step", step.len())] {
        if len != rank {
            return Err(Error::new(
                Kind::Request,
                format!("{what} has {len} numbers; the variable has {rank} dimensions"),
            ));
        }
    }
    for d in 0..rank {
        if step[d] == 0 {
            return Err(Error::new(Kind::Request, format!("step of dimension {d} is 0")));
        }
        if count[d] == 0 {
            continue;
        }
        let last = i128::from(start[d]) + i128::from(count[d] - 1) * i128::from(step[d]);
        let size = i128::from(shape[d]);
        if i128::from(start[d]) >= size || !(0..size).contains(&last) {
            return Err(Error::new(
                Kind::Request,
                format!(
                    "start {} count {} step {} reaches outside dimension {d} of size {}",
                    start[d], count[d], step[d], shape[d]
                ),
            ));
        }
    }
    Ok(())
}

/// Returns the product of sizes, or `None` on overflow. If any size is zero, the product is zero.
pub fn checked_product(sizes: &[u64]) -> Option<u64> {
    if sizes.contains(&0) {
        return Some(0);
    }
    sizes.iter().try_fold(1u64, |n, &s| n.checked_mul(s))
}

/// Returns the C-order strides, in elements, of an array of this shape. They saturate on overflow.
pub fn c_strides(shape: &[u64]) -> Vec<u64> {
    let mut strides = vec![1u64; shape.len()];
    for d in (1..shape.len()).rev() {
        strides[d - 1] = strides[d].saturating_mul(shape[d]);
    }
    strides
}

/// The index of element `i`, counted in C order, of an array of this shape.
pub(crate) fn index_at(shape: &[u64], mut i: u64) -> Vec<u64> {
    let mut index = vec![0; shape.len()];
    for (at, &size) in index.iter_mut().zip(shape).rev() {
        let size = size.max(1);
        *at = i % size;
        i /= size;
    }
    index
}

/// Counts through the indices of an array in C order.
#[derive(Debug)]
pub(crate) struct Odometer {
    shape: Vec<u64>,
    index: Vec<u64>,
}

impl Odometer {
    /// Begins at the first index of an array of this shape.
    pub(crate) fn new(shape: &[u64]) -> Self {
        Odometer { shape: shape.to_vec(), index: vec![0; shape.len()] }
    }

    /// Returns the index that was reached.
    pub(crate) fn index(&self) -> &[u64] {
        &self.index
    }

    /// Moves to the next index and returns the dimension that moved on; those after it begin anew. After the last index
    /// comes the first one, and `None` is returned.
    pub(crate) fn advance(&mut self) -> Option<usize> {
        for (d, (at, &size)) in self.index.iter_mut().zip(&self.shape).enumerate().rev() {
            *at += 1;
            if *at < size {
                return Some(d);
            }
            *at = 0;
        }
        None
    }
}

/// The indices of an array of this shape, in C order.
pub(crate) fn indices(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let mut odometer = (!shape.contains(&0)).then(|| Odometer::new(shape));
    std::iter::from_fn(move || {
        let index = odometer.as_ref()?.index().to_vec();
        if odometer.as_mut()?.advance().is_none() {
            odometer = None;
        }
        Some(index)
    })
}

/// For each dimension of an array of this shape, whose neighbours lie `strides` apart, how far it is from the last element
/// along the dimensions after it to the next one along it: what to add when an [`Odometer`] moves on.
pub(crate) fn jumps(shape: &[u64], strides: &[i64]) -> Vec<i64> {
    let mut jumps = strides.to_vec();
    let mut back = 0i64;
    for d in (0..shape.len()).rev() {
        jumps[d] = strides[d].wrapping_sub(back);
        back = back.wrapping_add(strides[d].wrapping_mul(shape[d].wrapping_sub(1) as i64));
    }
    jumps
}

/// How far each element of an array of this shape lies from the first, in C order, if neighbours lie `strides` apart.
pub fn offsets(shape: &[u64], strides: &[i64]) -> impl Iterator<Item = i64> {
    let jumps = jumps(shape, strides);
    let mut odometer = Odometer::new(shape);
    let mut next = (!shape.contains(&0)).then_some(0i64);
    std::iter::from_fn(move || {
        let now = next?;
        next = odometer.advance().map(|d| now.wrapping_add(jumps[d]));
        Some(now)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_way_to_count_gives_the_same_indices(
            axes in proptest::collection::vec((0u64..4, -9i64..9), 0..5),
        ) {
            let (shape, strides): (Vec<u64>, Vec<i64>) = axes.into_iter().unzip();
            let total = checked_product(&shape).unwrap();
            let all: Vec<Vec<u64>> = indices(&shape).collect();
            prop_assert_eq!(&all, &(0..total).map(|i| index_at(&shape, i)).collect::<Vec<_>>());
            let dot = |index: &Vec<u64>| index.iter().zip(&strides).map(|(&i, s)| i as i64 * s).sum::<i64>();
            let expected: Vec<i64> = all.iter().map(dot).collect();
            prop_assert_eq!(offsets(&shape, &strides).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn the_elements_of_a_selection_are_counted_in_c_order() {
        let part = Selection::new(&[4, 1], &[3, 2], &[-2, 3], &[5, 6]).unwrap();
        let found: Vec<Vec<u64>> = (0..6).map(|i| part.index(i)).collect();
        assert_eq!(found, [[4, 1], [4, 4], [2, 1], [2, 4], [0, 1], [0, 4]]);
        assert_eq!(Selection::all(&[]).index(0), [0u64; 0]);
    }

    #[test]
    fn a_selection_never_reaches_outside_its_shape() {
        assert!(Selection::new(&[4], &[3], &[-2], &[5]).is_ok());
        assert!(Selection::new(&[4], &[4], &[-2], &[5]).is_err());
        assert!(Selection::new(&[0], &[3], &[2], &[5]).is_ok());
        assert!(Selection::new(&[5], &[1], &[1], &[5]).is_err());
        assert!(Selection::new(&[0], &[2], &[i64::MIN], &[5]).is_err());
        assert!(Selection::new(&[9], &[0], &[1], &[5]).is_ok());
        assert!(Selection::new(&[0], &[1], &[0], &[5]).is_err());
        assert!(Selection::new(&[0], &[1], &[1], &[5, 5]).is_err());
    }

    #[test]
    fn products_do_not_overflow() {
        assert_eq!(checked_product(&[u64::MAX, 2]), None);
        assert_eq!(checked_product(&[u64::MAX, 2, 0]), Some(0));
        assert_eq!(checked_product(&[]), Some(1));
        assert_eq!(c_strides(&[2, 3, 4]), [12, 4, 1]);
    }
}
