//! Determines the sizes of an expanded array, so that it has the requested shape. Pure arithmetic.

/// What is known about the size of a dimension before the requested shape is considered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// This size.
    Exactly(u64),
    /// As long as the longest row, or longer: the rest of a shorter row is missing.
    AtLeast(u64),
}

impl Size {
    fn takes(self, size: u64) -> bool {
        match self {
            Size::Exactly(n) => n == size,
            Size::AtLeast(n) => n <= size,
        }
    }

    /// Returns the smallest possible size.
    pub(super) fn least(self) -> u64 {
        match self {
            Size::Exactly(n) | Size::AtLeast(n) => n,
        }
    }
}

/// Returns the sizes with which an array has the shape `wanted`, of which it may omit dimensions of size 1.
///
/// If several choices remain, they differ only in sizes of 1, and the leading dimensions are taken.
pub(super) fn matched(sizes: &[Size], wanted: &[u64]) -> Option<Vec<u64>> {
    // fits[i][j]: the sizes from i on have the shape from j on.
    let mut fits = vec![vec![false; wanted.len() + 1]; sizes.len() + 1];
    fits[sizes.len()][wanted.len()] = true;
    for j in (0..wanted.len()).rev() {
        for i in 0..=sizes.len() {
            let taken = sizes.get(i).is_some_and(|size| size.takes(wanted[j]) && fits[i + 1][j + 1]);
            fits[i][j] = taken || (wanted[j] == 1 && fits[i][j + 1]);
        }
    }
    if !fits[0][0] {
        return None;
    }
    let mut out = Vec::with_capacity(sizes.len());
    for (j, &size) in wanted.iter().enumerate() {
        let i = out.len();
        if sizes.get(i).is_some_and(|s| s.takes(size)) && fits[i + 1][j + 1] {
            out.push(size);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::Size::{AtLeast, Exactly};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_may_be_longer_than_the_longest_and_not_shorter() {
        assert_eq!(matched(&[Exactly(3), AtLeast(4)], &[3, 6]), Some(vec![3, 6]));
        assert_eq!(matched(&[Exactly(3), AtLeast(4)], &[3, 4]), Some(vec![3, 4]));
        assert_eq!(matched(&[Exactly(3), AtLeast(4)], &[3, 3]), None);
        assert_eq!(matched(&[Exactly(3), AtLeast(0)], &[4, 3]), None);
        assert_eq!(matched(&[Exactly(3), AtLeast(0)], &[3, 0]), Some(vec![3, 0]));
    }

    #[test]
    fn dimensions_of_size_one_may_be_left_out_where_the_rows_fit() {
        assert_eq!(matched(&[Exactly(3), AtLeast(4)], &[1, 3, 1, 5, 1]), Some(vec![3, 5]));
        assert_eq!(matched(&[Exactly(1), AtLeast(5), AtLeast(1)], &[1, 1, 5, 1]), Some(vec![1, 5, 1]));
        assert_eq!(matched(&[Exactly(1), AtLeast(1), AtLeast(5)], &[1, 1, 5, 1]), Some(vec![1, 1, 5]));
        assert_eq!(matched(&[], &[1, 1]), Some(vec![]));
    }

    proptest! {
        #[test]
        fn agrees_with_brute_force(
            sizes in prop::collection::vec((0u64..4, any::<bool>()), 0..4),
            wanted in prop::collection::vec(0u64..4, 0..6),
        ) {
            fn fits(sizes: &[Size], wanted: &[u64]) -> bool {
                match (sizes, wanted) {
                    ([], rest) => rest.iter().all(|&n| n == 1),
                    (_, []) => false,
                    ([s, more @ ..], [w, rest @ ..]) => {
                        (s.takes(*w) && fits(more, rest)) || (*w == 1 && fits(sizes, rest))
                    }
                }
            }
            let sizes: Vec<Size> =
                sizes.into_iter().map(|(n, open)| if open { AtLeast(n) } else { Exactly(n) }).collect();
            let answer = matched(&sizes, &wanted);
            prop_assert_eq!(answer.is_some(), fits(&sizes, &wanted));
            if let Some(taken) = answer {
                prop_assert_eq!(taken.len(), sizes.len());
                prop_assert!(sizes.iter().zip(&taken).all(|(s, &n)| s.takes(n)));
                prop_assert!(crate::read::fragment::axes::match_axes(&taken, &wanted).is_ok());
            }
        }
    }
}
