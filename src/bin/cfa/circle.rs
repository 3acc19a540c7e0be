//! Orders longitudes that pass the end of the circle, such as 350, 355, 0, 5.

use cfa::{CoordinateRange, Coordinates, Order, Selection, Step, Variable};

/// The maximum number of longitudes that are read once more to see where they pass the end.
const MOST: u64 = 1 << 16;

/// Moves the longitudes before the end of the circle by a turn, so that the order goes on: 350, 355, 0 become -10, -5, 0.
pub fn unwind(numbers: &mut [f64]) {
    let jumps = numbers.windows(2).filter(|w| (w[1] - w[0]).abs() > 180.0).count();
    if jumps != 1 {
        return;
    }
    let at = numbers.windows(2).position(|w| (w[1] - w[0]).abs() > 180.0).unwrap_or(0);
    let turn = if numbers[at] > numbers[at + 1] { -360.0 } else { 360.0 };
    numbers[..=at].iter_mut().for_each(|n| *n += turn);
}

/// Sets the order and the step of longitudes that are in order except at the end of the circle.
pub fn ordered(variable: &Variable, mut range: CoordinateRange) -> CoordinateRange {
    let has_numbers = range.is_complete && range.missing == 0 && range.extremes.is_some();
    let shape = match variable.shape() {
        Ok(shape @ [3..=MOST]) if has_numbers && range.order == Order::None => shape,
        _ => return range,
    };
    let longitudes = match Coordinates::of(variable, &Selection::all(shape)) {
        Ok(coordinates) if coordinates.are_longitudes() => coordinates,
        _ => return range,
    };
    let mut numbers: Vec<f64> = (0..shape[0]).map(|i| longitudes.number(i).unwrap_or(f64::NAN)).collect();
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
