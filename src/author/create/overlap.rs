//! Finds parts of a dimension that overlap.

use std::collections::{BTreeMap, HashMap};

use super::axis::{Axis, Share};
use super::coordinate_values::CoordinateValues;
use super::listing::{listed, short};
use crate::error::{Error, Kind, Result};

/// The maximum number of pairs that are described in a message; the others are counted.
const TOLD: usize = 20;

/// Refuses parts that overlap; times closer than `slack` are the same.
///
/// # Errors
/// `Map`; the message names the files of each pair, and what they have in common.
pub(super) fn none(axis: &Axis, shares: &[Share], descending: bool, slack: f64) -> Result<()> {
    let name = |part: usize| &*shares[axis.parts[part].member].input.name;
    let scale = axis.scale();
    let of_numbers = numbers(axis, descending, slack);
    let ranges = |&(a, b): &(usize, usize)| {
        let range = |part: usize| format!("{} ({})", name(part), scale.range(&axis.parts[part]));
        format!("{} and {}", range(a), range(b))
    };
    let of_labels = labels(axis);
    let words = |(&(a, b), (label, count)): (&(usize, usize), &(&str, u64))| {
        let more = if *count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        format!("{} and {} both have '{}'{more}", name(a), name(b), short(label))
    };
    let total = of_numbers.1 + of_labels.len() as u128;
    if total == 0 {
        return Ok(());
    }
    let list = listed(of_numbers.0.iter().map(ranges).chain(of_labels.iter().map(words)), total);
    let message = format!("'{}' overlaps: {list}; leave out one file of each pair", axis.name);
    Err(Error::new(Kind::Map, message))
}

/// Returns the first pairs of parts whose numbers overlap, and the number of all pairs.
fn numbers(axis: &Axis, descending: bool, slack: f64) -> (Vec<(usize, usize)>, u128) {
    let sign = if descending { -1.0 } else { 1.0 };
    let mut step = f64::INFINITY;
    let mut spans: Vec<(usize, f64, f64)> = Vec::with_capacity(axis.parts.len());
    for (i, part) in axis.parts.iter().enumerate() {
        let CoordinateValues::Numbers(list) = &part.coordinates else { continue };
        step = list.windows(2).map(|w| (w[1] - w[0]).abs()).fold(step, f64::min);
        if let (Some(first), Some(last)) = (list.first(), list.last()) {
            spans.push((i, sign * first, sign * last));
        }
    }
    let slack = slack.min(step / 4.0);
    let mut ends: Vec<f64> = spans.iter().map(|span| span.2 + slack).collect();
    ends.sort_by(f64::total_cmp);
    // Parts are sorted by their beginnings: each overlaps those before it that have not ended.
    let before =
        spans.iter().enumerate().map(|(j, span)| j - ends.partition_point(|end| *end < span.1).min(j));
    let total: u128 = before.map(|n| n as u128).sum();
    let mut pairs = Vec::new();
    let mut open: Vec<(usize, f64)> = Vec::new();
    for &(part, begin, end) in spans.iter().take_while(|_| total > 0) {
        open.retain(|(_, end)| *end + slack >= begin);
        pairs.extend(open.iter().map(|&(other, _)| (other, part)).take(TOLD));
        if pairs.len() >= TOLD {
            break;
        }
        open.push((part, end));
    }
    (pairs, total)
}

/// Returns the pairs of parts that have labels in common: one of the labels, and their number.
fn labels(axis: &Axis) -> BTreeMap<(usize, usize), (&str, u64)> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut pairs = BTreeMap::new();
    for (i, part) in axis.parts.iter().enumerate() {
        let CoordinateValues::Labels(list) = &part.coordinates else { continue };
        for label in list.iter() {
            let first = *seen.entry(label).or_insert(i);
            if first != i {
                pairs.entry((first, i)).or_insert((&**label, 0)).1 += 1;
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::axis::AxisPart;
    use super::*;

    fn pairs(lists: &[&[f64]], descending: bool) -> (Vec<(usize, usize)>, u128) {
        let part = |list: &&[f64]| AxisPart {
            coordinates: CoordinateValues::Numbers((*list).into()),
            ..AxisPart::bare(1, 0)
        };
        let axis = Axis::bare("x", false, lists.iter().map(part).collect(), Vec::new());
        numbers(&axis, descending, 1e-9)
    }

    #[test]
    fn every_pair_is_found() {
        assert_eq!(pairs(&[&[0.0, 1.0], &[2.0, 3.0]], false), (vec![], 0));
        assert_eq!(pairs(&[&[0.0, 9.0], &[2.0, 3.0], &[5.0]], false), (vec![(0, 1), (0, 2)], 2));
        assert_eq!(pairs(&[&[9.0, 3.0], &[3.0, 1.0], &[0.0]], true), (vec![(0, 1)], 1));
        assert_eq!(pairs(&[&[0.0], &[1e-12], &[1.0]], false), (vec![(0, 1)], 1));
        let many = vec![&[0.0, 1.0][..]; 1000];
        let (some, total) = pairs(&many, false);
        assert!(some.len() >= 10);
        assert_eq!(total, 999 * 1000 / 2);
    }
}
