//! Tells numbers that mean the same coordinate from those of neighbours.
//!
//! Users do not write coordinates to their last digit, and those that are stored in single precision are rarely equal to the
//! decimal number that was meant. But how far apart two numbers may be follows from the coordinates: seconds since 1970
//! and seconds of arc are close to each other, and are not the same.

use super::circle::TURN;
use crate::dataset::coordinates::Coordinates;
use crate::value::Values;

/// How far apart two numbers may be, relative to their size, if the coordinates are further apart.
const WRITTEN: f64 = 1e-6;
/// The same for longitudes that were moved, which are as precise as the numbers were before.
const MOVED: f64 = 1e-7 * TURN;
/// How far apart they may be, relative to the distance of neighbours.
const OF_SPACING: f64 = 1e-3;

/// How far apart two numbers may be that mean the same coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Likeness {
    /// The error of a number that is rounded to the type of the coordinates, relative to its size.
    rounding: f64,
    /// A small part of the distance of neighbours.
    most: f64,
}

impl Likeness {
    /// Returns that of coordinates like these: the smallest distance of neighbours counts.
    pub fn of(coordinates: &Coordinates) -> Likeness {
        let values = coordinates.values.as_ref();
        let rounding = match values {
            // Half of the distance to the next number, so that no other number is as near.
            Some(Values::F32(_)) => f64::from(f32::EPSILON) / 2.0,
            _ => 4.0 * f64::EPSILON,
        };
        let (mut spacing, mut last) = (f64::INFINITY, None);
        for number in (0..values.map_or(0, Values::len) as u64).filter_map(|i| coordinates.number(i)) {
            let distance = last.map_or(0.0, |last: f64| (number - last).abs());
            if distance > 0.0 {
                spacing = spacing.min(distance);
            }
            last = Some(number);
        }
        Likeness { rounding, most: OF_SPACING * spacing }
    }

    /// Returns whether two numbers are equal.
    pub fn near(&self, x: f64, y: f64) -> bool {
        let size = x.abs().max(y.abs());
        y.is_finite() && (x - y).abs() <= self.within(size, WRITTEN * size)
    }

    /// Returns whether two longitudes are equal, of which at least one was moved.
    pub fn near_on_circle(&self, x: f64, y: f64) -> bool {
        self.near(x, y) || (x - y).abs() <= self.within(TURN, MOVED)
    }

    /// Returns by how much rounding may have moved two coordinates around a number of this size.
    pub fn rounding(&self, size: f64) -> f64 {
        (4.0 * self.rounding * size).min(self.most)
    }

    fn within(&self, size: f64, written: f64) -> f64 {
        (self.rounding * size).max(written.min(self.most))
    }
}
