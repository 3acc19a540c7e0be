//! Parts of a dimension that do not follow each other, where that can be told.
//!
//! Bounds tell it: where cells meet within the files, they have to meet between them. Without bounds a regular distance
//! tells it, for times and for latitudes and longitudes; other coordinates may have any distance.

use std::sync::Arc;

use super::axis::{Axis, Share};
use super::listing::listed;
use super::marks::Marks;

/// The gaps between the parts of an axis, with the files on both sides; `None` when there are none.
pub(super) fn all(axis: &Axis, shares: &[Share], descending: bool) -> Option<String> {
    let reference = axis.reference.as_ref().filter(|_| axis.is_split())?;
    let numbers = |marks: &Marks| match marks {
        Marks::Numbers(list) => Some(list.clone()),
        _ => None,
    };
    let points: Vec<Arc<[f64]>> =
        axis.parts.iter().map(|p| numbers(&p.marks).filter(|n| !n.is_empty())).collect::<Option<_>>()?;
    let cells_of = |p: &super::axis::Part| {
        numbers(p.cells.as_ref()?).filter(|b| b.len() as u64 == p.size.saturating_mul(2))
    };
    let cells: Option<Vec<Arc<[f64]>>> = axis.parts.iter().map(cells_of).collect();
    let found: Vec<(usize, f64, f64)> = match cells {
        Some(cells) => between_cells(&cells, descending),
        None if is_regular_kind(reference) => between_points(&points),
        None => Vec::new(),
    };
    let scale = axis.scale();
    let name = |part: usize| &shares[axis.parts[part].member].input.name;
    let told = found.iter().map(|&(at, end, begin)| {
        let (end, begin) = (scale.place(end), scale.place(begin));
        format!("from {end} to {begin} between {} and {}", name(at), name(at + 1))
    });
    match found.len() {
        0 => None,
        1 => Some(format!("'{}' has a gap {}", axis.name, listed(told, 1))),
        n => Some(format!("'{}' has {n} gaps: {}", axis.name, listed(told, n as u128))),
    }
}

/// The parts after which cells that meet elsewhere do not, where they end, and where the next ones begin.
fn between_cells(cells: &[Arc<[f64]>], descending: bool) -> Vec<(usize, f64, f64)> {
    let edge = |pair: &[f64], far: bool| {
        let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
        if far != descending {
            high
        } else {
            low
        }
    };
    let width = |pair: &[f64]| (pair[1] - pair[0]).abs();
    let meet = |a: &[f64], b: &[f64]| {
        let room = 1e-4 * width(a).min(width(b)).max(f64::MIN_POSITIVE);
        (edge(a, true) - edge(b, false)).abs() <= room.max(1e-9 * edge(a, true).abs())
    };
    if !cells.iter().all(|c| c.windows(4).step_by(2).all(|w| meet(&w[..2], &w[2..]))) {
        return Vec::new();
    }
    let beyond = |a: &[f64], b: &[f64]| {
        let (end, begin) = (edge(a, true), edge(b, false));
        !meet(a, b) && if descending { begin < end } else { begin > end }
    };
    // Times of instants have cells without width, and files of single ones may be far apart.
    if !cells.iter().all(|c| c.chunks_exact(2).all(|cell| width(cell) > 0.0)) {
        return Vec::new();
    }
    let pairs = cells.windows(2).enumerate();
    let gap = pairs.filter_map(|(at, w)| match (w[0].last_chunk::<2>(), w[1].first_chunk::<2>()) {
        (Some(a), Some(b)) if beyond(a, b) => Some((at, edge(a, true), edge(b, false))),
        _ => None,
    });
    gap.collect()
}

/// The parts after which the distance is a multiple of what it is within and between the others, with their last point
/// and the first of the next.
fn between_points(numbers: &[Arc<[f64]>]) -> Vec<(usize, f64, f64)> {
    let inner: Vec<f64> = numbers.iter().flat_map(|v| v.windows(2).map(|w| (w[1] - w[0]).abs())).collect();
    let between: Vec<(f64, f64)> = numbers.windows(2).map(|w| (w[0][w[0].len() - 1], w[1][0])).collect();
    let distance = |&(end, begin): &(f64, f64)| (begin - end).abs();
    let mut all: Vec<f64> = inner.iter().copied().chain(between.iter().map(distance)).collect();
    all.sort_by(f64::total_cmp);
    let Some(&step) = all.get(all.len() / 2) else { return Vec::new() };
    let is = |distance: f64, times: f64| (distance - times * step).abs() <= 1e-4 * step;
    let regular = all.len() >= 3 && step > 0.0 && inner.iter().all(|&d| is(d, 1.0));
    let common = all.iter().filter(|&&d| is(d, 1.0)).count();
    if !regular || common * 4 < all.len() * 3 {
        return Vec::new();
    }
    let far = |pair: &(f64, f64)| {
        let steps = (distance(pair) / step).round();
        steps >= 2.0 && is(distance(pair), steps)
    };
    let gaps = between.iter().enumerate().filter(|(_, pair)| far(pair));
    gaps.map(|(at, &(end, begin))| (at, end, begin)).collect()
}

fn is_regular_kind(template: &super::record::Template) -> bool {
    let units = template.units.as_deref().unwrap_or_default();
    let standard = template.text("standard_name").unwrap_or_default();
    units.contains(" since ")
        || matches!(&*standard, "latitude" | "longitude" | "grid_latitude" | "grid_longitude")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_do_not_meet_leave_a_gap() {
        let found = |list: &[&[f64]], descending| {
            between_cells(&list.iter().map(|&c| Arc::from(c)).collect::<Vec<_>>(), descending)
        };
        assert_eq!(found(&[&[0.0, 31.0], &[31.0, 59.0]], false), []);
        assert_eq!(found(&[&[0.0, 31.0], &[59.0, 90.0]], false), [(0, 31.0, 59.0)]);
        assert_eq!(found(&[&[90.0, 59.0], &[59.0, 31.0], &[30.0, 0.0]], true), [(1, 31.0, 30.0)]);
        assert_eq!(
            found(&[&[0.0, 1.0], &[2.0, 3.0], &[3.0, 4.0], &[8.0, 9.0]], false),
            [(0, 1.0, 2.0), (2, 4.0, 8.0)]
        );
    }

    #[test]
    fn a_day_that_is_left_out_is_seen_and_months_of_different_length_are_not_gaps() {
        let found =
            |list: &[f64]| between_points(&list.chunks(1).map(Arc::from).collect::<Vec<Arc<[f64]>>>());
        assert_eq!(found(&[0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0]), [(3, 3.0, 5.0)]);
        assert_eq!(found(&[15.0, 45.0, 74.5, 105.0, 135.5, 166.0]), []);
        assert_eq!(found(&[0.0, 10.0]), []);
    }
}
