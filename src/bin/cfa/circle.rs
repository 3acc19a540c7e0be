//! Longitudes that pass the end of the circle, such as 350, 355, 0, 5.

use cfa::{CoordinateRange, Coordinates, Order, Selection, Step, Variable};

/// Longitudes that are read once more to see where they pass the end.
const MOST: u64 = 1 << 16;

/// Returns whether units are those of longitudes.
pub fn is_longitude(units: &str) -> bool {
    let unit = units.to_ascii_lowercase();
    unit.starts_with("degree") && (unit.ends_with('e') && unit.len() > 7 || unit.ends_with("east"))
}

/// Makes longitudes that pass the end of the circle go on: 350, 355, 0 become -10, -5, 0.
pub fn unwind(numbers: &mut [f64]) {
    let jumps = numbers.windows(2).filter(|w| (w[1] - w[0]).abs() > 180.0).count();
    if jumps != 1 {
        return;
    }
    let at = numbers.windows(2).position(|w| (w[1] - w[0]).abs() > 180.0).unwrap_or(0);
    let turn = if numbers[at] > numbers[at + 1] { -360.0 } else { 360.0 };
    numbers[..=at].iter_mut().for_each(|n| *n += turn);
}

/// Gives longitudes that are in order but for the end of the circle their order and step.
pub fn ordered(variable: &Variable, mut range: CoordinateRange) -> CoordinateRange {
    let units = variable.attributes().text("units").unwrap_or_default();
    let is_candidate = range.order == Order::None && range.is_complete && range.missing == 0;
    let shape = match variable.shape() {
        Ok(shape @ [3..=MOST]) if is_candidate && is_longitude(&units) => shape,
        _ => return range,
    };
    let Ok(along) = Coordinates::along(variable, 0, &Selection::all(shape)) else { return range };
    let mut numbers: Vec<f64> = (0..shape[0]).map(|i| along.number(i).unwrap_or(f64::NAN)).collect();
    unwind(&mut numbers);
    let steps: Vec<f64> = numbers.windows(2).map(|w| w[1] - w[0]).collect();
    range.order = match (steps.iter().all(|s| *s > 0.0), steps.iter().all(|s| *s < 0.0)) {
        (true, _) => Order::Ascending,
        (_, true) => Order::Descending,
        _ => return range,
    };
    let mean = steps.iter().sum::<f64>() / steps.len() as f64;
    // Turns add the error of single precision at 360.
    let is_even = steps.iter().all(|s| (s - mean).abs() <= 1e-3 * mean.abs() + 1e-4);
    let rounded = format!("{mean:.4e}").parse().unwrap_or(mean);
    range.step = is_even.then_some(Step::Number(rounded));
    range
}
