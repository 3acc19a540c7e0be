//! Parts of a dimension that do not follow each other, where that can be told.
//!
//! Bounds tell it: where cells meet within the files, they have to meet between them. Without bounds a regular distance
//! tells it, for times and for latitudes and longitudes; other coordinates may have any distance.

use super::axis::{show, Axis, Share};
use super::marks::{Converter, Marks};
use crate::error::{Error, Kind, Result};

/// Refuses gaps between the parts of an axis.
///
/// # Errors
/// `Map` naming the files on both sides.
pub(super) fn none(axis: &Axis, shares: &[Share], descending: bool) -> Result<()> {
    let Some(reference) = axis.reference.as_ref().filter(|_| axis.is_split()) else { return Ok(()) };
    let numbers: Option<Vec<&[f64]>> = axis
        .parts
        .iter()
        .map(|p| match &p.marks {
            Marks::Numbers(v) if !v.is_empty() => Some(&**v),
            _ => None,
        })
        .collect();
    let Some(numbers) = numbers else { return Ok(()) };
    let mut converter = Converter::to(reference, None);
    let mut cells = Vec::with_capacity(numbers.len());
    for part in &axis.parts {
        let share = &shares[part.member];
        let parent = share.coordinate.map(|c| &*c.template);
        let bounds = share.bounds.and_then(|b| converter.marks(b, parent).ok());
        match bounds {
            Some(Marks::Numbers(b)) if b.len() as u64 == part.size * 2 => cells.push(b),
            _ => break,
        }
    }
    let found = if cells.len() == numbers.len() {
        between_cells(&cells, descending)
    } else if is_regular_kind(reference) {
        between_points(&numbers)
    } else {
        None
    };
    let Some(at) = found else { return Ok(()) };
    let names = [at, at + 1].map(|i| &shares[axis.parts[i].member].input.name);
    let (before, after) = (numbers[at][numbers[at].len() - 1], numbers[at + 1][0]);
    let message = format!(
        "there is a gap in '{}' between {} (to {}) and {} (from {}); --allow-gaps accepts it",
        axis.name,
        names[0],
        show(before),
        names[1],
        show(after)
    );
    Err(Error::new(Kind::Map, message))
}

/// The part after which cells that meet elsewhere do not.
fn between_cells(cells: &[std::sync::Arc<[f64]>], descending: bool) -> Option<usize> {
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
        return None;
    }
    let beyond = |a: &[f64], b: &[f64]| {
        let (end, begin) = (edge(a, true), edge(b, false));
        !meet(a, b) && if descending { begin < end } else { begin > end }
    };
    // Times of instants have cells without width, and files of single ones may be far apart.
    if !cells.iter().all(|c| c.chunks_exact(2).all(|cell| width(cell) > 0.0)) {
        return None;
    }
    cells.windows(2).position(|w| match (w[0].last_chunk::<2>(), w[1].first_chunk::<2>()) {
        (Some(a), Some(b)) => beyond(a, b),
        _ => false,
    })
}

/// The part after which the distance is a multiple of what it is within and between the others.
fn between_points(numbers: &[&[f64]]) -> Option<usize> {
    let inner: Vec<f64> = numbers.iter().flat_map(|v| v.windows(2).map(|w| (w[1] - w[0]).abs())).collect();
    let between: Vec<f64> = numbers.windows(2).map(|w| (w[1][0] - w[0][w[0].len() - 1]).abs()).collect();
    let mut all: Vec<f64> = inner.iter().chain(&between).copied().collect();
    all.sort_by(f64::total_cmp);
    let step = *all.get(all.len() / 2)?;
    let is = |distance: f64, times: f64| (distance - times * step).abs() <= 1e-4 * step;
    let regular = all.len() >= 3 && step > 0.0 && inner.iter().all(|&d| is(d, 1.0));
    let common = all.iter().filter(|&&d| is(d, 1.0)).count();
    if !regular || common * 4 < all.len() * 3 {
        return None;
    }
    between.iter().position(|&d| (d / step).round() >= 2.0 && is(d, (d / step).round()))
}

fn is_regular_kind(template: &super::record::Template) -> bool {
    let units = template.text("units").unwrap_or_default();
    let standard = template.text("standard_name").unwrap_or_default();
    units.contains(" since ")
        || matches!(&*standard, "latitude" | "longitude" | "grid_latitude" | "grid_longitude")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn cells_that_do_not_meet_leave_a_gap() {
        let cells = |list: &[&[f64]]| list.iter().map(|&c| Arc::from(c)).collect::<Vec<Arc<[f64]>>>();
        assert_eq!(between_cells(&cells(&[&[0.0, 31.0], &[31.0, 59.0]]), false), None);
        assert_eq!(between_cells(&cells(&[&[0.0, 31.0], &[59.0, 90.0]]), false), Some(0));
        assert_eq!(between_cells(&cells(&[&[90.0, 59.0], &[59.0, 31.0], &[30.0, 0.0]]), true), Some(1));
    }

    #[test]
    fn a_day_that_is_left_out_is_seen_and_months_of_different_length_are_not_gaps() {
        let found = |list: &[f64]| between_points(&list.chunks(1).collect::<Vec<_>>());
        assert_eq!(found(&[0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0]), Some(3));
        assert_eq!(found(&[15.0, 45.0, 74.5, 105.0, 135.5, 166.0]), None);
        assert_eq!(found(&[0.0, 10.0]), None);
    }
}
