//! Converts sizes of fragments to the tables of the dialects: padded sizes, index ranges, positions.

use crate::selection::Odometer;

/// Rows, columns and entries of the table of sizes, padded with `None`; there is at least one dimension.
pub(super) fn sizes(sizes: &[Vec<u64>]) -> (u64, u64, Vec<Option<u64>>) {
    let columns = sizes.iter().map(Vec::len).max().unwrap_or(0);
    let padded = |row: &Vec<u64>| {
        let pad = columns - row.len();
        row.iter().map(|&s| Some(s)).chain(std::iter::repeat_n(None, pad)).collect::<Vec<_>>()
    };
    (sizes.len() as u64, columns as u64, sizes.iter().flat_map(padded).collect())
}

/// Returns the first and last index of each fragment along each dimension.
pub(super) fn ranges(sizes: &[Vec<u64>]) -> Vec<u64> {
    let ends: Vec<Vec<u64>> = sizes
        .iter()
        .map(|row| row.iter().scan(0u64, |at, s| Some(std::mem::replace(at, *at + s) + s)).collect())
        .collect();
    let mut out = Vec::new();
    for_each(sizes, |index| {
        for (d, &i) in index.iter().enumerate() {
            let end = ends[d][i as usize];
            out.extend([end - sizes[d][i as usize], end - 1]);
        }
    });
    out
}

/// Returns the position of each fragment along each dimension.
pub(super) fn positions(sizes: &[Vec<u64>]) -> Vec<u64> {
    let mut out = Vec::new();
    for_each(sizes, |index| out.extend(index));
    out
}

/// Visits the indices of the array of fragments in C order.
pub(super) fn for_each(sizes: &[Vec<u64>], mut visit: impl FnMut(&[u64])) {
    if sizes.iter().any(Vec::is_empty) {
        return;
    }
    let counts: Vec<u64> = sizes.iter().map(|row| row.len() as u64).collect();
    let mut odometer = Odometer::new(&counts);
    loop {
        visit(odometer.index());
        if odometer.advance().is_none() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_padded_and_ranges_are_inclusive() {
        let grid = [vec![17], vec![90, 45]];
        assert_eq!(sizes(&grid), (2, 2, vec![Some(17), None, Some(90), Some(45)]));
        assert_eq!(ranges(&grid), [0, 16, 0, 89, 0, 16, 90, 134]);
        assert_eq!(positions(&grid), [0, 0, 0, 1]);
        assert_eq!(ranges(&[]), [0u64; 0]);
    }
}
