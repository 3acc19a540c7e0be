//! Estimates the range of the values of a variable from a sample: a few bands, and some windows of a large band.

use crate::dataset::coordinates;
use crate::dataset::variable::Variable;
use crate::error::Result;
use crate::selection::Selection;

/// The number of bands that are read.
const BANDS: usize = 12;

/// The largest size of a dimension that is read as a whole. Of a larger one, this many values are read, in `WINDOWS`
/// parts.
const WHOLE: u64 = 512;
const WINDOWS: u64 = 4;

/// The fraction of the values that may lie outside the range, at each end.
const OUTSIDE: f64 = 0.01;

/// The range of the sampled values.
pub(super) struct Sample {
    pub(super) low: f64,
    pub(super) high: f64,
    /// A note on samples that could not be read.
    pub(super) note: Option<String>,
}

/// Reads the sample from some of these bands, whose numbers begin with 1.
///
/// # Errors
/// Those of reading, if nothing at all can be read.
pub(super) fn read(variable: &Variable, bands: &[u64]) -> Result<Sample> {
    let shape = variable.shape()?;
    let (of_bands, plane) = shape.split_at(shape.len() - 2);
    let mut values = Vec::new();
    let (mut done, mut failed) = (0, Vec::new());
    for &band in spread(bands) {
        let index = index_of(band - 1, of_bands);
        for &(y, height) in &windows(plane[0]) {
            for &(x, width) in &windows(plane[1]) {
                let start = [&index[..], &[y, x]].concat();
                let count = [&vec![1; index.len()][..], &[height, width]].concat();
                match coordinates::numbers(variable, &Selection::block(&start, &count, shape)?) {
                    Ok(numbers) => {
                        done += 1;
                        values.extend(numbers.into_iter().filter(|value| value.is_finite()));
                    }
                    Err(error) => failed.push(error),
                }
            }
        }
    }
    let lost = failed.len();
    let mut note = match failed.pop() {
        Some(error) if done == 0 => return Err(error),
        Some(error) => {
            Some(format!("{lost} of {} samples of the data cannot be read ({error})", done + lost))
        }
        None => None,
    };
    let Some((low, high)) = robust_range(&mut values) else {
        note.get_or_insert_with(|| {
            "all sampled data are missing, so the range of colours is made up".to_owned()
        });
        return Ok(Sample { low: 0.0, high: 1.0, note });
    };
    Ok(Sample { low, high, note })
}

/// Returns the range of the values without the lowest and the highest hundredth; `None` if there are no values.
pub fn robust_range(values: &mut [f64]) -> Option<(f64, f64)> {
    let last = values.len().checked_sub(1)?;
    let few = (last as f64 * OUTSIDE) as usize;
    let mut at = |i: usize| *values.select_nth_unstable_by(i, f64::total_cmp).1;
    Some((at(few), at(last - few)))
}

/// Returns evenly spaced elements of a list, from the first to the last.
fn spread(list: &[u64]) -> impl Iterator<Item = &u64> {
    let count = list.len().min(BANDS);
    (0..count).map(move |i| &list[i * (list.len() - 1) / (count - 1).max(1)])
}

/// Returns the parts of a dimension that are read: where they begin, and their sizes.
fn windows(size: u64) -> Vec<(u64, u64)> {
    if size <= WHOLE {
        return vec![(0, size)];
    }
    let width = WHOLE / WINDOWS;
    (0..WINDOWS)
        .map(|i| (((u128::from(size - width)) * u128::from(i) / u128::from(WINDOWS - 1)) as u64, width))
        .collect()
}

/// Returns the index of an element in C order.
fn index_of(mut i: u64, shape: &[u64]) -> Vec<u64> {
    let mut index: Vec<u64> = shape
        .iter()
        .rev()
        .map(|&size| {
            let along = i % size.max(1);
            i /= size.max(1);
            along
        })
        .collect();
    index.reverse();
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_and_windows_reach_from_end_to_end() {
        let list: Vec<u64> = (1..=366).collect();
        let some: Vec<u64> = spread(&list).copied().collect();
        assert_eq!((some.len(), some[0], some[11]), (BANDS, 1, 366));
        assert_eq!(spread(&list[..3]).copied().collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(spread(&list[..1]).count(), 1);
        assert_eq!(windows(512), [(0, 512)]);
        assert_eq!(windows(1000), [(0, 128), (290, 128), (581, 128), (872, 128)]);
        assert_eq!(windows(u64::MAX)[3], (u64::MAX - 128, 128));
        assert_eq!(index_of(17, &[3, 2, 4]), [2, 0, 1]);
        assert_eq!(index_of(0, &[]), [] as [u64; 0]);
    }

    #[test]
    fn outliers_are_outside_of_the_range() {
        let mut values: Vec<f64> = (0..=1000).map(f64::from).chain([1e30]).collect();
        assert_eq!(robust_range(&mut values), Some((10.0, 991.0)));
        assert_eq!(robust_range(&mut [7.0]), Some((7.0, 7.0)));
        assert_eq!(robust_range(&mut []), None);
    }
}
