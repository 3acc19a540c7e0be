//! Checks whether a stored shape is a fragment's canonical shape, and which stored axis corresponds to each dimension.
//!
//! CF-1.13 section 2.8.2: a fragment may omit dimensions in which it has size 1; it may not have more dimensions than
//! the aggregated data, nor another order. Shapes that only have the same number of elements are refused.

use crate::error::{Error, Kind, Result};

/// Returns, for each dimension of the canonical shape, the corresponding stored axis, or `None` if the fragment omits
/// it.
///
/// # Errors
/// [`Kind::FragmentShape`] unless `stored` is `canonical` with zero or more entries of size 1 omitted.
pub fn match_axes(stored: &[u64], canonical: &[u64]) -> Result<Vec<Option<usize>>> {
    let mut axis = stored.len();
    let mut axes = vec![None; canonical.len()];
    // All ones in a run are equivalent, so taking a stored axis as soon as it fits is as good as any other choice.
    for (place, &size) in axes.iter_mut().zip(canonical).rev() {
        if axis > 0 && stored[axis - 1] == size {
            axis -= 1;
            *place = Some(axis);
        } else if size != 1 {
            return Err(mismatch(stored, canonical));
        }
    }
    if axis > 0 {
        return Err(mismatch(stored, canonical));
    }
    Ok(axes)
}

fn mismatch(stored: &[u64], canonical: &[u64]) -> Error {
    Error::new(
        Kind::FragmentShape,
        format!(
            "its data have shape {stored:?}, but {canonical:?} is needed (dimensions of size 1 may be left out)"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Tries all ways to omit ones, by brute force.
    fn fits(stored: &[u64], canonical: &[u64]) -> bool {
        match (stored, canonical) {
            ([], rest) => rest.iter().all(|&n| n == 1),
            (_, []) => false,
            ([s, stored_rest @ ..], [c, rest @ ..]) => {
                (s == c && fits(stored_rest, rest)) || (*c == 1 && fits(stored, rest))
            }
        }
    }

    #[test]
    fn dimensions_of_size_one_may_be_left_out_anywhere() {
        assert_eq!(match_axes(&[3, 4], &[1, 3, 1, 4]).unwrap(), [None, Some(0), None, Some(1)]);
        assert_eq!(match_axes(&[], &[1, 1]).unwrap(), [None, None]);
        assert_eq!(match_axes(&[3, 1], &[3, 1]).unwrap(), [Some(0), Some(1)]);
        assert_eq!(match_axes(&[], &[]).unwrap(), Vec::<Option<usize>>::new());
    }

    #[test]
    fn order_and_rank_are_kept() {
        for (stored, canonical) in [
            (&[1, 6][..], &[6, 1][..]),
            (&[4, 3], &[3, 4]),
            (&[12], &[3, 4]),
            (&[1, 3, 4], &[3, 4]),
            (&[3], &[3, 4]),
            (&[0], &[1]),
        ] {
            let error = match_axes(stored, canonical).unwrap_err();
            assert_eq!(error.kind(), Kind::FragmentShape, "{stored:?} {canonical:?}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_brute_force(
            stored in prop::collection::vec(0u64..4, 0..5),
            canonical in prop::collection::vec(0u64..4, 0..6),
        ) {
            let answer = match_axes(&stored, &canonical);
            prop_assert_eq!(answer.is_ok(), fits(&stored, &canonical));
            if let Ok(axes) = answer {
                let used: Vec<usize> = axes.iter().flatten().copied().collect();
                prop_assert_eq!(used, (0..stored.len()).collect::<Vec<_>>());
                for (axis, &size) in axes.iter().zip(&canonical) {
                    prop_assert_eq!(axis.map_or(1, |a| stored[a]), size);
                }
            }
        }
    }
}
