//! Finds the indices of the coordinates that a selection names.

use super::cells::Cells;
use super::circle::{self, near};
use super::dates::{self, fields_of, is_date, Period};
use super::parts::{push, Range};
use super::{request, Choice};
use crate::canonical::TimeUnits;
use crate::dataset::coordinates::Coordinates;
use crate::dataset::variable::Variable;
use crate::error::{Error, Result};
use crate::value::Values;

/// Indices, and what to add to their coordinates.
type Found = Vec<(u64, f64)>;

/// A dimension to search.
struct Axis<'a> {
    variable: &'a Variable,
    d: usize,
    coordinates: &'a Coordinates,
    size: u64,
}

/// Returns the ranges of indices that a choice selects.
///
/// # Errors
/// `Request` if it selects nothing, or if a value cannot be compared with the coordinates.
pub(super) fn find(
    variable: &Variable,
    d: usize,
    coordinates: &Coordinates,
    choice: &Choice,
    size: u64,
) -> Result<Vec<Range>> {
    let axis = Axis { variable, d, coordinates, size };
    let found = match (choice, &coordinates.values) {
        (Choice::Between(from, to), None) => {
            let (start, count) = indices(&axis, from.as_deref(), to.as_deref())?;
            return Ok(vec![Range { start, count, step: 1, shift: 0.0 }]);
        }
        (Choice::Between(from, to), Some(_)) => axis.between(from.as_deref(), to.as_deref())?,
        (Choice::Nearest(value), _) => vec![axis.nearest(value)?],
    };
    let mut ranges = Vec::new();
    for (start, shift) in found {
        push(&mut ranges, Range { start, count: 1, step: 1, shift });
    }
    Ok(ranges)
}

/// Returns whether the ends of a choice are labels of a dimension.
pub(super) fn are_labels(coordinates: Option<&Coordinates>, choice: &Choice) -> bool {
    match (coordinates.map(|along| &along.values), choice) {
        (Some(Some(Values::String(words))), Choice::Between(from, to)) => {
            [from, to].into_iter().flatten().all(|end| words.contains(end))
        }
        _ => false,
    }
}

impl Axis<'_> {
    fn between(&self, from: Option<&str>, to: Option<&str>) -> Result<Found> {
        if let Some(Values::String(words)) = &self.coordinates.values {
            let found = between_words(words, from, to);
            return self.unless_empty(found.into_iter().map(|i| (i, 0.0)).collect(), from, to);
        }
        let found = match &self.coordinates.time {
            Some(units) if [from, to].into_iter().flatten().any(is_date) => {
                self.between_dates(units, from, to)?
            }
            _ => self.between_numbers(from, to)?,
        };
        if !self.is_circle() && found.windows(2).any(|pair| pair[1].0 != pair[0].0 + 1) {
            let (name, wanted) = (&self.coordinates.dimension, shown(from, to));
            return Err(request(format!(
                "the coordinates of dimension '{name}' are not in order, so {wanted} is not one range of indices"
            )));
        }
        // A value that no coordinate equals may lie in a cell.
        let cell = match (from, to) {
            (Some(value), Some(other)) if found.is_empty() && value == other => self.cell(value)?,
            _ => None,
        };
        self.unless_empty(cell.map_or(found, |cell| vec![cell]), from, to)
    }

    fn unless_empty(&self, found: Found, from: Option<&str>, to: Option<&str>) -> Result<Found> {
        match found.is_empty() {
            true => Err(self.nothing(from, to)),
            false => Ok(found),
        }
    }

    fn is_circle(&self) -> bool {
        self.coordinates.are_longitudes()
    }

    /// Parses a number.
    fn number(&self, text: &str) -> Result<f64> {
        match text.parse::<f64>() {
            Ok(number) if !number.is_nan() => Ok(number),
            _ if self.coordinates.are_dates() => Err(dates::no_date(text, "a number or ")),
            _ => Err(request(format!("'{text}' is not a number"))),
        }
    }

    /// Returns the indices that have coordinates, with these coordinates.
    fn numbers(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        (0..self.size).filter_map(|i| Some((i, self.coordinates.number(i)?)))
    }

    fn between_numbers(&self, from: Option<&str>, to: Option<&str>) -> Result<Found> {
        let number = |text: Option<&str>, end| text.map_or(Ok(end), |text| self.number(text));
        let (a, b) = (number(from, f64::NEG_INFINITY)?, number(to, f64::INFINITY)?);
        if self.is_circle() && a.is_finite() && b.is_finite() {
            let (west, east) = circle::ends(a, b);
            let shifted = |(i, x)| Some((i, x, circle::shift_into(x, west, east)?));
            return Ok(circle::in_order(self.numbers().filter_map(shifted).collect(), self.ascends()));
        }
        let (low, high) = (a.min(b), a.max(b));
        let inside = |x: f64| (low <= x && x <= high) || near(x, low) || near(x, high);
        Ok(self.numbers().filter(|&(_, x)| inside(x)).map(|(i, _)| (i, 0.0)).collect())
    }

    /// Returns whether more neighbours go up than down.
    fn ascends(&self) -> bool {
        let (mut up, mut last) = (0i64, None);
        for (_, x) in self.numbers() {
            up += last.map_or(0, |last| i64::from(x > last) - i64::from(x < last));
            last = Some(x);
        }
        up >= 0
    }

    /// Finds the coordinates between two dates, to the precision in which the user wrote them: `2001-03` is the whole of
    /// March.
    fn between_dates(&self, units: &TimeUnits, from: Option<&str>, to: Option<&str>) -> Result<Found> {
        let fields = |end: Option<&str>| match end {
            None => Ok(Vec::new()),
            Some(text) if is_date(text) => Period::parse(text, units).map(|period| period.fields),
            Some(text) => Err(dates::no_date(text, "")),
        };
        let (mut low, mut high) = (fields(from)?, fields(to)?);
        let common = low.len().min(high.len());
        if low[..common] > high[..common] {
            std::mem::swap(&mut low, &mut high);
        }
        let inside = |i: &u64| {
            let Some(date) = self.coordinates.date(*i) else { return false };
            let fields = fields_of(&date);
            fields[..low.len()] >= low[..] && fields[..high.len()] <= high[..]
        };
        Ok((0..self.size).filter(inside).map(|i| (i, 0.0)).collect())
    }

    /// Returns the cell that contains a number, or the beginning of a date.
    fn cell(&self, value: &str) -> Result<Option<(u64, f64)>> {
        let Some(cells) = Cells::read(self.variable, self.d, self.is_circle())? else { return Ok(None) };
        let (number, is_date) = match &self.coordinates.time {
            Some(units) if is_date(value) => (Period::parse(value, units)?.begin(units), true),
            _ => (Some(self.number(value)?), false),
        };
        Ok(number.and_then(|number| cells.find(self.coordinates, self.size, number, is_date)))
    }

    /// Returns the nearest coordinate. Of two that are equally near it is the one of the lower index. For a date it is the
    /// one nearest to the middle of its period, and inside the period if there is any.
    fn nearest(&self, value: &str) -> Result<(u64, f64)> {
        let name = &self.coordinates.dimension;
        match &self.coordinates.values {
            None => {
                return Err(request(format!("dimension '{name}' has no coordinates, so none is nearest")))
            }
            Some(Values::String(_)) => {
                return Err(request(format!("dimension '{name}' has labels, and none of them is nearest")))
            }
            Some(_) => {}
        }
        let period = match &self.coordinates.time {
            Some(units) if is_date(value) => Some(Period::parse(value, units)?),
            _ => None,
        };
        let wanted = match (&period, &self.coordinates.time) {
            (Some(period), Some(units)) => period.middle(units).ok_or_else(|| dates::no_date(value, ""))?,
            _ => self.number(value)?,
        };
        let shift = |x: f64| if self.is_circle() { circle::shift_towards(x, wanted) } else { 0.0 };
        let distance = |x: f64| (x + shift(x) - wanted).abs();
        let within = |i: u64| {
            period.as_ref().is_some_and(|p| self.coordinates.date(i).is_some_and(|date| p.contains(&date)))
        };
        let closer = |a: f64, b: f64| a < b - self.rounding(wanted);
        let mut best: Option<(u64, f64, bool)> = None;
        for (i, x) in self.numbers() {
            let inside = within(i);
            let is_better = best.is_none_or(|(_, y, was_inside)| {
                (inside && !was_inside) || inside == was_inside && closer(distance(x), distance(y))
            });
            if is_better {
                best = Some((i, x, inside));
            }
        }
        let (i, x, inside) = best.ok_or_else(|| self.nothing(Some(value), Some(value)))?;
        if inside || self.reaches(i, x, wanted, distance(x))? {
            return Ok((i, shift(x)));
        }
        Err(request(format!(
            "dimension '{name}' has nothing near {value}: it is outside of the coordinates, {}, by more than half a cell",
            self.ends()
        )))
    }

    /// Returns whether a number is inside of the coordinates, or outside of them by no more than half a cell. A single
    /// coordinate without bounds is the nearest to every number.
    fn reaches(&self, i: u64, x: f64, wanted: f64, distance: f64) -> Result<bool> {
        let (low, high) = self
            .numbers()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, x)| (low.min(x), high.max(x)));
        let inside = match self.is_circle() {
            true => circle::shift_into(wanted, low, high).is_some(),
            false => low <= wanted && wanted <= high,
        };
        let cells = || Cells::read(self.variable, self.d, self.is_circle());
        if inside {
            return Ok(true);
        }
        if let Some(cells) = cells()? {
            return Ok(distance <= self.rounding(wanted) || cells.is_in(i, x, wanted));
        }
        let neighbours = [i.checked_sub(1), i.checked_add(1)].into_iter().flatten();
        let spacing =
            neighbours.filter_map(|n| self.coordinates.number(n)).map(|y| (y - x).abs()).fold(0.0, f64::max);
        Ok(self.size == 1 || distance <= spacing / 2.0 + self.rounding(wanted))
    }

    /// Returns by how much rounding may have moved two coordinates around a number.
    fn rounding(&self, number: f64) -> f64 {
        let epsilon = match self.coordinates.values {
            Some(Values::F32(_)) => f64::from(f32::EPSILON),
            _ => f64::EPSILON,
        };
        let turn = if self.is_circle() { circle::TURN } else { 0.0 };
        2.0 * epsilon * number.abs().max(turn)
    }

    /// Returns the first and the last coordinate.
    fn ends(&self) -> String {
        match self.size {
            0 => "none".to_owned(),
            n => format!("{} to {}", self.coordinates.label(0), self.coordinates.label(n - 1)),
        }
    }

    fn nothing(&self, from: Option<&str>, to: Option<&str>) -> Error {
        let (name, size) = (&self.coordinates.dimension, self.size);
        let ends = match (&self.coordinates.values, size) {
            (_, 0) => "it is empty".to_owned(),
            (None, n) => format!("it has no coordinates, and its indices go from 0 to {}", n - 1),
            (Some(Values::String(words)), _) => {
                let some: Vec<&str> = words.iter().map(String::as_str).take(20).collect();
                format!("it has: {}", some.join(", "))
            }
            (Some(_), n) => {
                let first = self.coordinates.label(0);
                format!("its coordinates go from {first} to {}", self.coordinates.label(n - 1))
            }
        };
        let hint = match (from, to) {
            (Some(value), Some(other)) if value == other => self.hint(value),
            _ => String::new(),
        };
        request(format!("dimension '{name}' has nothing at {}; {ends}{hint}", shown(from, to)))
    }

    /// Returns what to write for the coordinate that is nearest to a value.
    fn hint(&self, value: &str) -> String {
        let is_there = self.numbers().next().is_some();
        let Some((i, _)) = is_there.then(|| self.nearest(value).ok()).flatten() else { return String::new() };
        format!("; {}~{value} takes the nearest, {}", self.coordinates.dimension, self.coordinates.label(i))
    }
}

/// Returns a range as users write it.
fn shown(from: Option<&str>, to: Option<&str>) -> String {
    match from == to {
        true => from.unwrap_or("..").to_owned(),
        false => format!("{}..{}", from.unwrap_or_default(), to.unwrap_or_default()),
    }
}

/// Returns the indices themselves, for a dimension without coordinates. Does not walk over them, since a dimension can
/// be of any size.
fn indices(axis: &Axis<'_>, from: Option<&str>, to: Option<&str>) -> Result<(u64, u64)> {
    let index = |text: Option<&str>, end: u64| match text {
        None => Ok(end),
        Some(text) => text.parse::<u64>().map_err(|_| {
            let name = &axis.coordinates.dimension;
            request(format!("dimension '{name}' has no coordinates, and '{text}' is not an index"))
        }),
    };
    let last = axis.size.saturating_sub(1);
    let (a, b) = (index(from, 0)?, index(to, last)?);
    let (low, high) = (a.min(b), a.max(b).min(last));
    if low >= axis.size {
        return Err(axis.nothing(from, to));
    }
    Ok((low, high - low + 1))
}

fn between_words(words: &[String], from: Option<&str>, to: Option<&str>) -> Vec<u64> {
    if let (Some(word), true) = (from, from == to) {
        // A label may occur several times.
        return (0u64..).zip(words).filter(|(_, other)| *other == word).map(|(i, _)| i).collect();
    }
    let at = |word: Option<&str>, end| match word {
        None => end,
        Some(word) => words.iter().position(|w| w == word),
    };
    match (at(from, Some(0)), at(to, words.len().checked_sub(1))) {
        (Some(a), Some(b)) if a.max(b) < words.len() => (a.min(b) as u64..=a.max(b) as u64).collect(),
        _ => Vec::new(),
    }
}
