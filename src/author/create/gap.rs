//! Finds the gaps between the parts of a dimension that coordinates can show.
//!
//! Bounds show gaps: if cells meet within the files, they must meet between them. Without bounds a regular distance
//! shows gaps, for times (also in months and years, whatever their length) and for latitudes and longitudes; other
//! coordinates may have any distance.

use super::axis::{Axis, Share};
use super::coordinate_values::{CoordinateValues, Numbers};
use super::listing::listed;
use crate::canonical::{DateTime, TimeUnits};

/// Returns the gaps between the parts of an axis, with the files on both sides; `None` if there are none.
pub(super) fn all(axis: &Axis, shares: &[Share], descending: bool) -> Option<String> {
    let reference = axis.reference.as_ref().filter(|_| axis.is_split())?;
    let numbers = |coordinates: &CoordinateValues| match coordinates {
        CoordinateValues::Numbers(list) => Some(list.clone()),
        _ => None,
    };
    let points: Vec<Numbers> = axis
        .parts
        .iter()
        .map(|p| numbers(&p.coordinates).filter(|n| !n.is_empty()))
        .collect::<Option<_>>()?;
    let cells_of = |p: &super::axis::AxisPart| {
        numbers(p.cells.as_ref()?).filter(|b| b.len() as u64 == p.size.saturating_mul(2))
    };
    let cells: Option<Vec<Numbers>> = axis.parts.iter().map(cells_of).collect();
    let scale = axis.scale();
    let found: Vec<(usize, f64, f64)> = match cells {
        Some(cells) => between_cells(&cells, descending),
        None if is_regular_kind(reference) => between_points(&points, scale.time()),
        None => Vec::new(),
    };
    let name = |part: usize| &shares[axis.parts[part].member].input.name;
    let texts = found.iter().map(|&(at, end, begin)| {
        let (end, begin) = (scale.place(end), scale.place(begin));
        format!("from {end} to {begin} between {} and {}", name(at), name(at + 1))
    });
    match found.len() {
        0 => None,
        1 => Some(format!("'{}' has a gap {}", axis.name, listed(texts, 1))),
        n => Some(format!("'{}' has {n} gaps: {}", axis.name, listed(texts, n as u128))),
    }
}

/// Returns the parts after which cells do not meet although they meet elsewhere, with the end of each part and the
/// beginning of the next.
fn between_cells(cells: &[Numbers], descending: bool) -> Vec<(usize, f64, f64)> {
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
    // Instants have cells without width, and files of single instants may be far apart.
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

/// Returns the parts after which steps of a regular distance, in units or in months, are missing, with the last point
/// of each part and the first of the next.
fn between_points(numbers: &[Numbers], time: Option<&TimeUnits>) -> Vec<(usize, f64, f64)> {
    let found = left_out(numbers, time.is_some()).filter(|found| !found.is_empty());
    let found = found.or_else(|| left_out(&months(numbers, time?)?, true));
    let ends = |at: usize| Some((at, *numbers[at].last()?, *numbers[at + 1].first()?));
    found.unwrap_or_default().into_iter().filter_map(ends).collect()
}

/// Returns the parts after which the distance is a multiple of the regular one; `None` if there is no regular distance.
///
/// A distance is regular if all distances within parts equal it, and three quarters of all distances do. For times,
/// half of all distances suffice if the others are multiples of it: missing steps leave only multiples.
fn left_out(numbers: &[Numbers], times: bool) -> Option<Vec<usize>> {
    let distance = |w: &[f64]| (w[1] - w[0]).abs();
    let inner: Vec<f64> = numbers.iter().flat_map(|v| v.windows(2).map(distance)).collect();
    let between = |w: &[Numbers]| Some((w[1].first()? - w[0].last()?).abs());
    let between: Vec<f64> = numbers.windows(2).map(between).collect::<Option<_>>()?;
    let mut all = [&inner[..], &between].concat();
    all.sort_by(f64::total_cmp);
    let steps = |distance: f64, step: f64| {
        let steps = (distance / step).round();
        (steps >= 1.0 && (distance - steps * step).abs() <= 1e-4 * step).then_some(steps)
    };
    let is_regular = |&step: &f64| {
        let common = all.iter().filter(|&&d| steps(d, step) == Some(1.0)).count();
        let most = all.len() >= 3 && common * 4 >= all.len() * 3;
        let half = all.len() >= 2 && common * 2 >= all.len();
        step > 0.0
            && inner.iter().all(|&d| steps(d, step) == Some(1.0))
            && (most || times && half && all.iter().all(|&d| steps(d, step).is_some()))
    };
    let step = [*all.get(all.len() / 2)?, *all.first()?].into_iter().find(is_regular)?;
    let far = |&(_, &d): &(usize, &f64)| steps(d, step).is_some_and(|n| n >= 2.0);
    Some(between.iter().enumerate().filter(far).map(|(at, _)| at).collect())
}

/// Returns the numbers of the months of times that are all at the same moment of a month, in its middle or at its end;
/// `None` for other times. Months have no regular distance in days.
fn months(numbers: &[Numbers], time: &TimeUnits) -> Option<Vec<Numbers>> {
    let first = time.decode(*numbers.first()?.first()?)?;
    let moment = |date: &DateTime| (date.day, date.hour, date.minute, date.second, date.microsecond);
    let (mut same, mut middle, mut end) = (true, true, true);
    let mut month = |&x: &f64| {
        // Some calendars have no year 0.
        let date = time.decode(x).filter(|date| date.year > 0)?;
        same &= moment(&date) == moment(&first);
        middle &= (14..=17).contains(&date.day);
        end &= date.day >= 28;
        (same || middle || end).then_some((date.year * 12 + i64::from(date.month)) as f64)
    };
    let part = |part: &Numbers| {
        let list: Option<Vec<f64>> = part.iter().map(&mut month).collect();
        list.map(|list| Numbers::from(list.as_slice()))
    };
    numbers.iter().map(part).collect()
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
            between_cells(&list.iter().map(|&c| Numbers::from(c)).collect::<Vec<_>>(), descending)
        };
        assert_eq!(found(&[&[0.0, 31.0], &[31.0, 59.0]], false), []);
        assert_eq!(found(&[&[0.0, 31.0], &[59.0, 90.0]], false), [(0, 31.0, 59.0)]);
        assert_eq!(found(&[&[90.0, 59.0], &[59.0, 31.0], &[30.0, 0.0]], true), [(1, 31.0, 30.0)]);
        assert_eq!(
            found(&[&[0.0, 1.0], &[2.0, 3.0], &[3.0, 4.0], &[8.0, 9.0]], false),
            [(0, 1.0, 2.0), (2, 4.0, 8.0)]
        );
    }

    const NONE: [usize; 0] = [];

    /// Returns the gaps of files with these points, in days of the calendar since 2001-01-01.
    fn found(files: &[&[f64]], calendar: &str) -> Vec<usize> {
        let units = TimeUnits::parse("days since 2001-01-01", Some(calendar)).unwrap();
        let numbers: Vec<Numbers> = files.iter().map(|&f| f.into()).collect();
        between_points(&numbers, Some(&units)).into_iter().map(|(at, ..)| at).collect()
    }

    /// Returns the gaps of files with one of these points each.
    fn single(points: &[f64], calendar: &str) -> Vec<usize> {
        found(&points.chunks(1).collect::<Vec<_>>(), calendar)
    }

    #[test]
    fn a_day_that_is_left_out_is_seen() {
        assert_eq!(single(&[0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0], "standard"), [3]);
        assert_eq!(single(&[1.0, 2.0, 9.0], "standard"), [1]);
        assert_eq!(single(&[9.0, 2.0, 1.0], "standard"), [0]);
        assert_eq!(single(&[0.0, 0.25, 0.75], "standard"), [1]);
        assert_eq!(found(&[&[0.0, 1.0], &[8.0, 9.0]], "standard"), [0]);
        assert_eq!(found(&[&[0.0, 1.0, 2.0], &[3.0], &[5.0]], "standard"), [1]);
    }

    #[test]
    fn times_without_a_regular_distance_have_no_gaps() {
        assert_eq!(single(&[0.0, 10.0], "standard"), NONE);
        // Like a station that is read whenever somebody comes by.
        assert_eq!(single(&[0.0, 1.0, 2.7], "standard"), NONE);
        assert_eq!(single(&[0.0, 1.3, 2.1, 9.7, 10.0], "standard"), NONE);
        assert_eq!(single(&[0.0, 1.0, 8.0, 13.0, 29.0], "standard"), NONE);
        assert_eq!(found(&[&[0.0, 0.3, 0.7], &[9.0, 9.1]], "standard"), NONE);
    }

    #[test]
    fn months_and_years_of_different_length_follow_each_other() {
        let lengths = [31.0, 28.0, 31.0, 30.0, 31.0, 30.0, 31.0, 31.0, 30.0, 31.0, 30.0, 31.0];
        let starts: Vec<f64> = (0..12).map(|m| lengths[..m].iter().sum()).collect();
        let middles: Vec<f64> = (0..12).map(|m| starts[m] + lengths[m] / 2.0).collect();
        let ends: Vec<f64> = (0..12).map(|m| starts[m] + lengths[m] - 1.0).collect();
        for list in [&starts, &middles, &ends] {
            for first in 0..10 {
                for last in first + 2..12 {
                    assert_eq!(single(&list[first..=last], "noleap"), NONE, "{first} to {last}");
                    let mut gap = list[first..=last].to_vec();
                    gap.remove(1);
                    let texts: &[usize] = if gap.len() > 2 { &[0] } else { &NONE };
                    assert_eq!(single(&gap, "noleap"), texts, "{gap:?}");
                }
            }
        }
        assert_eq!(single(&[0.0, 365.0, 730.0, 1095.0, 1461.0, 1826.0], "standard"), NONE);
        assert_eq!(single(&[0.0, 365.0, 1095.0, 1461.0, 1826.0], "standard"), [1]);
        assert_eq!(single(&[15.0, 45.0, 75.0, 135.0, 165.0], "360_day"), [2]);
        assert_eq!(single(&[15.0, 45.0, 75.0, 105.0], "360_day"), NONE);
    }

    #[test]
    fn single_rows_of_a_map_need_more_to_tell_a_gap() {
        let rows = |list: &[f64]| {
            let numbers: Vec<Numbers> = list.chunks(1).map(Numbers::from).collect();
            between_points(&numbers, None).len()
        };
        assert_eq!(rows(&[10.0, 20.0, 50.0]), 0);
        assert_eq!(rows(&[0.0, 10.0, 20.0, 30.0, 50.0]), 1);
    }
}
