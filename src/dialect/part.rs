//! The text of `part` in CFA-0.4: which indices of a stored array are used.
//!
//! `[[2, 5, 1], (1, 3, 4)]` has for each stored axis start, stop (inclusive) and step in square brackets, or a sequence
//! of indices in round ones; `[]` means all.

use crate::model::fragments::AxisIndices;

/// The indices along one axis as they are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// Start, stop and step.
    Slice(i64, i64, i64),
    /// A sequence of indices.
    Indices(Vec<u64>),
}

impl Written {
    /// Returns the indices, which must number `size`. Stop is inclusive, or exclusive if only that yields `size`
    /// indices.
    pub fn resolve(self, size: u64) -> Option<AxisIndices> {
        match self {
            Written::Indices(list) => (list.len() as u64 == size).then_some(AxisIndices::Indices(list)),
            Written::Slice(start, stop, step) => {
                let first = u64::try_from(start).ok()?;
                let span = (i128::from(stop) - i128::from(start)) * i128::from(step.signum());
                let step_size = i128::from(step.unsigned_abs());
                if step == 0 {
                    return None;
                }
                let inclusive = if span < 0 { 0 } else { span / step_size + 1 };
                let exclusive = if span <= 0 { 0 } else { (span - 1) / step_size + 1 };
                let fits = inclusive == i128::from(size) || exclusive == i128::from(size);
                let last = i128::from(start) + i128::from(size.checked_sub(1)?) * i128::from(step);
                (fits && last >= 0).then_some(AxisIndices::Slice { start: first, count: size, step })
            }
        }
    }
}

/// Parses the text; `None` if it does not have this form. An empty list means all indices of every axis.
pub fn parse(text: &str) -> Option<Vec<Written>> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut rest = text.strip_prefix('[')?.strip_suffix(']')?;
    let mut axes = Vec::new();
    while !rest.is_empty() {
        let close = match rest.chars().next()? {
            '[' => ']',
            '(' => ')',
            _ => return None,
        };
        let end = rest.find(close)?;
        let numbers = rest[1..end].split(',').filter(|n| !n.is_empty()).map(|n| n.parse::<i64>().ok());
        let numbers: Vec<i64> = numbers.collect::<Option<_>>()?;
        axes.push(match (close, numbers.as_slice()) {
            (']', &[start, stop, step]) => Written::Slice(start, stop, step),
            (')', list) => {
                Written::Indices(list.iter().map(|&i| u64::try_from(i).ok()).collect::<Option<_>>()?)
            }
            _ => return None,
        });
        rest = &rest[end + 1..];
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    Some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_brackets_are_slices_and_round_ones_sequences() {
        let axes = parse("[[2, 5, 1], (1, 3, 4, 7), [10, 4, -2], (3,)]").unwrap();
        assert_eq!(axes[1], Written::Indices(vec![1, 3, 4, 7]));
        assert_eq!(axes[3], Written::Indices(vec![3]));
        assert_eq!(axes[0].clone().resolve(4), Some(AxisIndices::Slice { start: 2, count: 4, step: 1 }));
        assert_eq!(axes[2].clone().resolve(4), Some(AxisIndices::Slice { start: 10, count: 4, step: -2 }));
        assert_eq!(parse("[]"), Some(vec![]));
    }

    #[test]
    fn stop_is_inclusive_unless_only_the_other_reading_fits() {
        assert_eq!(
            Written::Slice(1, 3, 2).resolve(2),
            Some(AxisIndices::Slice { start: 1, count: 2, step: 2 })
        );
        assert_eq!(
            Written::Slice(1, 1, 2).resolve(1),
            Some(AxisIndices::Slice { start: 1, count: 1, step: 2 })
        );
        assert_eq!(
            Written::Slice(0, 4, 1).resolve(4),
            Some(AxisIndices::Slice { start: 0, count: 4, step: 1 })
        );
        assert_eq!(Written::Slice(0, 9, 1).resolve(4), None);
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in ["", "[", "[[1, 2]]", "[1, 2, 3]", "[(1, -2)]", "[[a, b, c]]", "[[1,2,3)]"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        assert_eq!(Written::Slice(0, 4, 0).resolve(4), None);
        assert_eq!(Written::Slice(i64::MIN, i64::MAX, 1).resolve(4), None);
        assert_eq!(Written::Slice(1, i64::MIN, -1).resolve(0), None);
        assert_eq!(Written::Slice(i64::MAX, i64::MIN, i64::MIN).resolve(2), None);
    }
}
