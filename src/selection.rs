//! The part of an array that is to be read: start, count and step per dimension.

use crate::error::{Error, Kind, Result};

/// A hyperslab: element `i` along dimension `d` is `start[d] + i * step[d]`, for `i < count[d]`.
///
/// Steps may be negative but not zero; counts may be zero. A selection that was checked against a shape never reaches
/// outside it.
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
        Ok(Selection { start: start.to_vec(), count: count.to_vec(), step: step.to_vec() })
    }

    /// Selects `start .. start + count` along every dimension, with step 1.
    ///
    /// # Errors
    /// As [`Selection::new`].
    pub fn block(start: &[u64], count: &[u64], shape: &[u64]) -> Result<Self> {
        Selection::new(start, count, &vec![1; start.len()], shape)
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

#[cfg(test)]
mod tests {
    use super::*;

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
