//! The axes of a picture: where each value lies, and which ticks have which labels.

use cfa::{Coordinates, DateTime, Result, Values, Variable};

use crate::circle;
use crate::style::brief;

/// One axis.
pub struct Axis {
    /// The places of the values, ascending or descending.
    pub centres: Vec<f64>,
    /// Ticks and their labels.
    pub ticks: Vec<(f64, String)>,
    /// Its name and units.
    pub title: String,
    /// Whether it goes up rather than across, if there is a choice.
    pub is_upright: bool,
    /// Whether greater values are further down.
    pub is_downward: bool,
    /// Whether it counts degrees of latitude or longitude.
    pub is_degrees: bool,
    /// The unit of lengths on the ground, or `degrees` for latitudes and longitudes, also those of a rotated grid. Two axes
    /// of the same unit are drawn to the same scale.
    pub ground_unit: Option<String>,
    /// The distance of neighbours beyond which there is a gap between them.
    pub gap: f64,
}

/// The maximum number of ticks of an axis.
const MOST_TICKS: usize = 8;

impl Axis {
    /// Returns the axis of dimension `d` of a variable, with these coordinates of `count` values.
    pub fn of(variable: &Variable, coordinates: &Coordinates, d: usize, count: u64) -> Result<Axis> {
        let id = variable.dimensions()?[d];
        let name = variable.dataset().dimension(id).name.clone();
        let described = variable.dataset().variable(&name).ok();
        let text = |a: &str| described.as_ref().and_then(|v| v.attributes().text(a)).unwrap_or_default();
        let units = text("units");
        let unit = units.to_ascii_lowercase();
        let is_lat = unit.starts_with("degree") && unit.ends_with('n')
            || unit.starts_with("degree") && unit.ends_with("north");
        // Plain degrees may be those of a rotated grid, which are neither east nor west of Greenwich.
        let is_plain = !unit.starts_with("degree") || ["degree", "degrees"].contains(&unit.as_str());
        let is_lon = coordinates.are_longitudes() && !is_plain;
        let is_pressure = ["pa", "hpa", "mbar", "millibar", "mb", "bar", "kpa"].contains(&unit.as_str());
        let is_downward = is_pressure || text("positive").eq_ignore_ascii_case("down");
        let mut axis = Axis {
            centres: Vec::new(),
            ticks: Vec::new(),
            title: brief(&name),
            is_upright: is_lat
                || is_downward
                || !text("positive").is_empty()
                || text("axis") == "Z"
                || text("axis") == "Y",
            is_downward,
            is_degrees: is_lat || is_lon,
            ground_unit: None,
            gap: f64::INFINITY,
        };
        let is_horizontal = ["X", "Y"].contains(&text("axis").as_str())
            || text("standard_name").starts_with("projection_")
            || ["grid_latitude", "grid_longitude"].contains(&text("standard_name").as_str());
        let ground_unit = match is_lat || is_lon {
            true => Some("degrees".to_owned()),
            false => is_horizontal.then_some(unit).filter(|unit| !unit.trim().is_empty()),
        };
        let mut numbers: Vec<f64> = (0..count).map(|i| coordinates.number(i).unwrap_or(f64::NAN)).collect();
        if coordinates.are_longitudes() {
            circle::unwind(&mut numbers);
        }
        let rises = numbers.windows(2).all(|w| w[1] > w[0]);
        let falls = numbers.windows(2).all(|w| w[1] < w[0]);
        if !numbers.iter().all(|n| n.is_finite()) || !rises && !falls || numbers.is_empty() {
            axis.centres = (0..count).map(|i| i as f64).collect();
            axis.is_downward = false;
            axis.ticks = match &coordinates.values {
                Some(_) => labelled(coordinates, count),
                // Indices are whole.
                None => round_ticks(0.0, count as f64 - 1.0, false)
                    .into_iter()
                    .filter(|t| t.fract() == 0.0)
                    .map(|t| (t, number_text(t)))
                    .collect(),
            };
            return Ok(axis);
        }
        let (low, high) =
            (numbers[0].min(numbers[numbers.len() - 1]), numbers[0].max(numbers[numbers.len() - 1]));
        axis.centres = numbers;
        axis.ground_unit = ground_unit;
        if coordinates.are_dates() {
            axis.look_for_gaps();
            axis.ticks = date_ticks(coordinates, &axis.centres);
            return Ok(axis);
        }
        let label = |t: f64| match (is_lat, is_lon) {
            (true, _) => degrees(t, 'N', 'S'),
            (_, true) => degrees((t + 180.0).rem_euclid(360.0) - 180.0, 'E', 'W'),
            _ => number_text(t),
        };
        axis.ticks = round_ticks(low, high, axis.is_degrees).into_iter().map(|t| (t, label(t))).collect();
        if !axis.is_degrees && !units.trim().is_empty() && units.trim() != "1" {
            axis.title += &format!(" ({})", brief(&units));
        }
        Ok(axis)
    }

    /// Determines which neighbours are so much further apart than others that there is a gap between them.
    pub fn look_for_gaps(&mut self) {
        self.gap = gap(&self.centres);
    }

    /// Returns where each value begins and ends: in the middle between neighbours, unless there is a gap.
    pub fn cells(&self) -> Vec<(f64, f64)> {
        let (edges, half) = (self.edges(), self.gap / 3.0);
        let near = |i: usize, at: f64| match (at - self.centres[i]).abs() * 2.0 > self.gap {
            true => self.centres[i] + half * (at - self.centres[i]).signum(),
            false => at,
        };
        (0..self.centres.len()).map(|i| (near(i, edges[i]), near(i, edges[i + 1]))).collect()
    }

    /// Returns the middles between neighbouring values, and the edges at both ends.
    pub fn edges(&self) -> Vec<f64> {
        let c = &self.centres;
        let n = c.len();
        if n < 2 {
            let at = c.first().copied().unwrap_or(0.0);
            return vec![at - 0.5, at + 0.5];
        }
        let mut edges = vec![c[0] - (c[1] - c[0]) / 2.0];
        edges.extend(c.windows(2).map(|w| w[0] + (w[1] - w[0]) / 2.0));
        edges.push(c[n - 1] + (c[n - 1] - c[n - 2]) / 2.0);
        if self.is_degrees && c.iter().all(|c| c.abs() <= 90.0) && self.is_upright {
            edges.iter_mut().for_each(|e| *e = e.clamp(-90.0, 90.0));
        }
        edges
    }
}

/// Returns the distance beyond which there is a gap: one and a half times the step, if times mostly have one step or are
/// months, whose lengths differ.
fn gap(centres: &[f64]) -> f64 {
    let mut steps: Vec<f64> = centres.windows(2).map(|w| (w[1] - w[0]).abs()).collect();
    steps.sort_by(f64::total_cmp);
    let Some(&step) = steps.get(steps.len() / 2) else { return f64::INFINITY };
    // Nothing is nearer than the step.
    match steps[0] > 0.85 * step {
        true => 1.5 * step,
        false => f64::INFINITY,
    }
}

fn degrees(value: f64, positive: char, negative: char) -> String {
    match value {
        0.0 => "0°".to_owned(),
        v if v.abs() == 180.0 => "180°".to_owned(),
        v if v > 0.0 => format!("{}°{positive}", number_text(v)),
        v => format!("{}°{negative}", number_text(-v)),
    }
}

/// Returns a number in up to six significant digits.
pub fn number_text(number: f64) -> String {
    let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    Values::F64(vec![rounded + 0.0]).decimal_at(0).unwrap_or_default()
}

/// Returns round numbers between two.
pub fn round_ticks(low: f64, high: f64, is_degrees: bool) -> Vec<f64> {
    let span = high - low;
    if !span.is_finite() || span <= 0.0 {
        return vec![low];
    }
    let unit = 10f64.powf((span / MOST_TICKS as f64).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|f| f * unit);
    let degrees = [10.0, 15.0, 30.0, 45.0, 60.0, 90.0];
    let fits = |s: &&f64| span / **s <= MOST_TICKS as f64;
    let wide = degrees.iter().find(fits).filter(|_| is_degrees && span >= 60.0);
    let step = *wide.or_else(|| steps.iter().find(fits)).unwrap_or(&steps[3]);
    let first = (low / step - 1e-9).ceil();
    // Beyond 2^53 whole numbers are not told apart.
    (0..=MOST_TICKS).map(|i| (first + i as f64) * step).filter(|t| *t <= high + step * 1e-9).collect()
}

/// Returns ticks at some values, with the texts of the coordinates as labels.
fn labelled(coordinates: &Coordinates, count: u64) -> Vec<(f64, String)> {
    let by = count.div_ceil(MOST_TICKS as u64).max(1);
    (0..count).step_by(by as usize).map(|i| (i as f64, brief(&short(&coordinates.label(i))))).collect()
}

fn short(label: &str) -> String {
    match label.chars().count() {
        0..=16 => label.to_owned(),
        _ => label.chars().take(15).chain(['…']).collect(),
    }
}

/// Returns ticks at the first coordinates of years, months, days or hours, in any calendar.
fn date_ticks(coordinates: &Coordinates, centres: &[f64]) -> Vec<(f64, String)> {
    type Period = fn(&DateTime) -> i64;
    let months: Period = |d| d.year * 12 + i64::from(d.month) - 1;
    let days: Period = |d| (d.year * 12 + i64::from(d.month)) * 31 + i64::from(d.day) - 1;
    // Periods of several days begin anew with each month. The last one may have a day more.
    let several: Period = |d| (d.year * 12 + i64::from(d.month)) * 30 + i64::from(d.day.min(30)) - 1;
    let hours: Period =
        |d| ((d.year * 12 + i64::from(d.month)) * 31 + i64::from(d.day)) * 24 + i64::from(d.hour);
    // For each level: the number of the period, how many periods there are from tick to tick, and the length of the label.
    let levels: [(Period, i64, usize); 16] = [
        (hours, 1, 16),
        (hours, 3, 16),
        (hours, 6, 16),
        (hours, 12, 16),
        (days, 1, 10),
        (several, 2, 10),
        (several, 5, 10),
        (several, 10, 10),
        (months, 1, 7),
        (months, 3, 7),
        (months, 6, 7),
        (months, 12, 4),
        (months, 24, 4),
        (months, 60, 4),
        (months, 120, 4),
        (months, 600, 4),
    ];
    let dates: Vec<Option<DateTime>> = (0..centres.len() as u64).map(|i| coordinates.date(i)).collect();
    let ends = |i: usize| (centres[i], brief(&coordinates.label(i as u64)));
    let forward = centres[0] <= centres[centres.len() - 1];
    let order: Vec<usize> =
        if forward { (0..dates.len()).collect() } else { (0..dates.len()).rev().collect() };
    // The longest period that has four ticks, or one that has as many as possible.
    let enough = centres.len().min(4);
    let mut best: Vec<(f64, String)> = Vec::new();
    for (period, many, length) in levels.into_iter().rev() {
        let mut ticks = Vec::new();
        let mut last = None;
        for &i in &order {
            let Some(date) = &dates[i] else { continue };
            let (now, into) = (period(date).div_euclid(many), period(date).rem_euclid(many));
            // The first coordinate has none before it to compare with: it gets a tick if it lies at the begin of a period.
            let begins = last.map_or(into == 0 && is_begin(date, length), |l| l != now);
            if begins {
                let text = date.to_string();
                let cut = text.find(' ').unwrap_or(text.len());
                // Years have four digits or more, and a sign.
                let length = if length == 16 { cut + 6 } else { cut - (10 - length) };
                ticks.push((centres[i], text.chars().take(length).collect()));
            }
            last = Some(now);
            if ticks.len() > MOST_TICKS {
                break;
            }
        }
        if ticks.len() <= MOST_TICKS && ticks.len() > best.len() && best.len() < enough {
            best = ticks;
        }
    }
    if best.len() > 1 {
        return best;
    }
    match centres.len() {
        1 => vec![ends(0)],
        n => vec![ends(0), ends(n - 1)],
    }
}

/// Returns whether a date is in the first part of its year, month, day or hour, depending on the length of the label.
fn is_begin(date: &DateTime, length: usize) -> bool {
    match length {
        4 => date.month == 1,
        7 => true,
        10 => date.hour <= 12,
        _ => true,
    }
}
