//! Compares longitudes: the same place has many numbers, 360 apart.

use super::likeness::Likeness;
use crate::value::Attributes;

/// The turn of the circle, in degrees.
pub(super) const TURN: f64 = 360.0;

/// Returns whether a coordinate variable with these attributes is a longitude, by its units or its standard name, or an
/// X axis in degrees.
pub(in crate::dataset) fn is_longitude(attributes: &Attributes) -> bool {
    let is = |name: &str, words: &[&str]| {
        attributes.text(name).is_some_and(|text| words.contains(&text.trim().to_ascii_lowercase().as_str()))
    };
    let degrees = is("units", &["degree", "degrees"]);
    is("units", &["degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese"])
        || is("standard_name", &["longitude", "grid_longitude"])
            && (degrees || attributes.get("units").is_none())
        || is("axis", &["x"]) && degrees
}

/// Returns what to add to a longitude so that it lies between both ends: 0 if it does already.
pub(super) fn shift_into(x: f64, (from, to): (f64, f64), alike: &Likeness) -> Option<f64> {
    let is_near = |x: f64| alike.near_on_circle(x, from) || alike.near_on_circle(x, to);
    let inside = |x: f64| (from <= x && x <= to) || is_near(x);
    if (from <= x && x <= to) || alike.near(x, from) || alike.near(x, to) {
        return Some(0.0);
    }
    if !(from.is_finite() && to.is_finite() && x.is_finite()) {
        return None;
    }
    let turns = ((from - x) / TURN).ceil();
    [turns - 1.0, turns].into_iter().map(|n| n * TURN).find(|shift| inside(x + shift))
}

/// Returns what to add to a longitude to come as near as possible to another.
pub(super) fn shift_towards(x: f64, to: f64) -> f64 {
    let turns = ((to - x) / TURN).round();
    if turns.is_finite() {
        turns * TURN
    } else {
        0.0
    }
}

/// Returns the ends of a range of longitudes, the western one first. Of the two arcs between them the shorter one is
/// meant if they are written from the larger to the smaller number: `170..-170` crosses the date line, `20..-20` the
/// meridian.
pub(super) fn ends(from: f64, to: f64) -> (f64, f64) {
    match from - to {
        width if width > TURN / 2.0 && width < TURN => (from, to + TURN),
        width if width > 0.0 => (to, from),
        _ => (from, to),
    }
}

/// Orders longitudes that were found (index, number, shift) as along the axis, and leaves out those that are the same
/// place as another: 0 and 360. Takes no memory.
pub(super) fn order(found: &mut Vec<(u64, f64, f64)>, ascends: bool, alike: &Likeness) {
    found.sort_unstable_by(|a, b| {
        let order = (a.1 + a.2).total_cmp(&(b.1 + b.2));
        (if ascends { order } else { order.reverse() }).then(a.0.cmp(&b.0))
    });
    // Of two that are the same place, the one that is not shifted stays.
    found.dedup_by(|one, last| {
        let are_same = last.2 != one.2 && alike.near_on_circle(last.1 + last.2, one.1 + one.2);
        if are_same && one.2 == 0.0 {
            *last = *one;
        }
        are_same
    });
}
