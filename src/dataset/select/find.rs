//! Finds the indices of the coordinates that a selection names.

use std::ops::ControlFlow;

use super::along::Along;
use super::cells::Cells;
use super::circle;
use super::dates::{self, fields_of, is_date, Period};
use super::parts::{push, Range};
use super::{request, Choice};
use crate::canonical::{DateTime, TimeUnits};
use crate::error::{Error, Kind, Result};
use crate::value::Values;

/// The number of coordinates up to which a message names the nearest one.
const MOST_HINTED: u64 = 1 << 20;

/// A dimension to search.
struct Axis<'a> {
    along: &'a Along<'a>,
}

/// Ranges of indices that were found, as many as there is memory for.
struct Found {
    ranges: Vec<Range>,
    most: usize,
}

impl Found {
    /// Adds an index, and what to add to its coordinate.
    ///
    /// # Errors
    /// `Limit` if there are too many ranges for a file of this length.
    fn push(&mut self, start: u64, shift: f64) -> Result<()> {
        push(&mut self.ranges, Range { start, count: 1, step: 1, shift });
        match self.ranges.len() <= self.most {
            true => Ok(()),
            false => Err(too_many()),
        }
    }
}

fn too_many() -> Error {
    Error::new(
        Kind::Limit,
        "the coordinates that were found are in no order, and too many for a file of this length",
    )
}

/// Returns the ranges of indices that a choice selects.
///
/// # Errors
/// `Request` if there are none, or a value cannot be compared with the coordinates; those of reading coordinates.
pub(super) fn find(along: &Along<'_>, choice: &Choice) -> Result<Vec<Range>> {
    let axis = Axis { along };
    match (choice, &along.first.values) {
        (Choice::Between(from, to), None) => {
            let (start, count) = indices(&axis, from.as_deref(), to.as_deref())?;
            Ok(vec![Range { start, count, step: 1, shift: 0.0 }])
        }
        (Choice::Between(from, to), Some(_)) => axis.between(from.as_deref(), to.as_deref()),
        (Choice::Nearest(value), _) => axis.nearest(value).map(one),
    }
}

/// Returns the range of one index, and what to add to its coordinate.
fn one((start, shift): (u64, f64)) -> Vec<Range> {
    vec![Range { start, count: 1, step: 1, shift }]
}

/// Returns whether the ends of a choice are labels of a dimension.
///
/// # Errors
/// Those of reading the labels.
pub(super) fn are_labels(along: &Along<'_>, choice: &Choice) -> Result<bool> {
    let Choice::Between(from, to) = choice else { return Ok(false) };
    let mut missing: Vec<&String> = [from, to].into_iter().flatten().collect();
    along.each_label(|_, label| {
        missing.retain(|end| *end != label);
        Ok(if missing.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(along.are_labels() && missing.is_empty())
}

impl Axis<'_> {
    fn between(&self, from: Option<&str>, to: Option<&str>) -> Result<Vec<Range>> {
        let found = match &self.along.first.time {
            _ if self.along.are_labels() => self.between_labels(from, to)?,
            Some(units) if [from, to].into_iter().flatten().any(is_date) => {
                self.between_dates(units, from, to)?
            }
            _ => self.between_numbers(from, to)?,
        };
        // A value that no coordinate equals may lie in a cell.
        let cell = match (from, to) {
            (Some(value), Some(other)) if found.is_empty() && value == other && !self.along.are_labels() => {
                self.cell(value)?
            }
            _ => None,
        };
        match cell.map_or(found, one) {
            found if found.is_empty() => Err(self.nothing(from, to)),
            found => Ok(found),
        }
    }

    /// Returns an empty list of ranges.
    fn found(&self) -> Found {
        Found { ranges: Vec::new(), most: self.room() / (2 * size_of::<Range>()) }
    }

    /// Returns how many bytes may be kept of what is found.
    fn room(&self) -> usize {
        usize::try_from(self.along.variable.dataset().shared().container.allowance().left())
            .unwrap_or(usize::MAX)
    }

    /// Adds an index that must be the next one after those that were found.
    fn push_next(&self, found: &mut Found, i: u64, (from, to): (Option<&str>, Option<&str>)) -> Result<()> {
        found.push(i, 0.0)?;
        if found.ranges.len() > 1 {
            let (name, wanted) = (&self.along.first.dimension, shown(from, to));
            return Err(request(format!(
                "the coordinates of dimension '{name}' are not in order, so {wanted} is not one range of indices"
            )));
        }
        Ok(())
    }

    fn is_circle(&self) -> bool {
        self.along.first.are_longitudes()
    }

    /// Parses a number.
    fn number(&self, text: &str) -> Result<f64> {
        match text.parse::<f64>() {
            Ok(number) if !number.is_nan() => Ok(number),
            _ if self.along.first.are_dates() => Err(dates::no_date(text, "a number or ")),
            _ => Err(request(format!("'{text}' is not a number"))),
        }
    }

    fn between_numbers(&self, from: Option<&str>, to: Option<&str>) -> Result<Vec<Range>> {
        let number = |text: Option<&str>, end| text.map_or(Ok(end), |text| self.number(text));
        let (a, b) = (number(from, f64::NEG_INFINITY)?, number(to, f64::INFINITY)?);
        if self.is_circle() && a.is_finite() && b.is_finite() {
            return self.on_circle(circle::ends(a, b));
        }
        let (low, high, alike) = (a.min(b), a.max(b), &self.along.alike);
        let inside = |x: f64| (low <= x && x <= high) || alike.near(x, low) || alike.near(x, high);
        let mut found = self.found();
        self.along.each_number(|i, x| match inside(x) {
            true if self.is_circle() => found.push(i, 0.0),
            true => self.push_next(&mut found, i, (from, to)),
            false => Ok(()),
        })?;
        Ok(found.ranges)
    }

    /// Finds the longitudes from west to east.
    fn on_circle(&self, (west, east): (f64, f64)) -> Result<Vec<Range>> {
        // As they are mostly: one range, and nothing to be added.
        let (mut range, mut is_one, mut count) = (Vec::new(), true, 0);
        // Whether more neighbours go up than down.
        let (mut up, mut last) = (0i64, None);
        self.along.each_number(|i, x| {
            up += last.map_or(0, |last| i64::from(x > last) - i64::from(x < last));
            last = Some(x);
            if let Some(shift) = circle::shift_into(x, (west, east), &self.along.alike) {
                count += 1;
                if is_one {
                    push(&mut range, Range { start: i, count: 1, step: 1, shift });
                    is_one = range.len() == 1 && shift == 0.0;
                }
            }
            Ok(())
        })?;
        if is_one {
            return Ok(range);
        }
        if count > self.room() / size_of::<(u64, f64, f64)>() {
            return Err(too_many());
        }
        let mut all = Vec::new();
        all.try_reserve_exact(count).map_err(|_| too_many())?;
        self.along.each_number(|i, x| {
            all.extend(circle::shift_into(x, (west, east), &self.along.alike).map(|shift| (i, x, shift)));
            Ok(())
        })?;
        circle::order(&mut all, up >= 0, &self.along.alike);
        let mut found = self.found();
        all.iter().try_for_each(|&(i, _, shift)| found.push(i, shift))?;
        Ok(found.ranges)
    }

    /// Finds labels: all that are the same one, or those from one to another.
    fn between_labels(&self, from: Option<&str>, to: Option<&str>) -> Result<Vec<Range>> {
        if let (Some(wanted), true) = (from, from == to) {
            // A label may occur several times.
            let mut found = self.found();
            self.along.each_label(|i, label| {
                if label == wanted {
                    found.push(i, 0.0)?;
                }
                Ok(ControlFlow::Continue(()))
            })?;
            return Ok(found.ranges);
        }
        let (mut a, mut b) =
            (from.map_or(Some(0), |_| None), to.map_or(self.along.size.checked_sub(1), |_| None));
        self.along.each_label(|i, label| {
            if from == Some(label) {
                a.get_or_insert(i);
            }
            if to == Some(label) {
                b.get_or_insert(i);
            }
            Ok(if a.is_some() && b.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(match (a, b) {
            (Some(a), Some(b)) if self.along.size > 0 => {
                vec![Range { start: a.min(b), count: a.abs_diff(b) + 1, step: 1, shift: 0.0 }]
            }
            _ => Vec::new(),
        })
    }

    /// Finds the coordinates between two dates, to the precision in which the user wrote them: `2001-03` is the whole of
    /// March.
    fn between_dates(&self, units: &TimeUnits, from: Option<&str>, to: Option<&str>) -> Result<Vec<Range>> {
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
        let inside = |date: &DateTime| {
            let fields = fields_of(date);
            fields[..low.len()] >= low[..] && fields[..high.len()] <= high[..]
        };
        let mut found = self.found();
        self.along.each_number(|i, x| match units.decode(x).is_some_and(|date| inside(&date)) {
            true => self.push_next(&mut found, i, (from, to)),
            false => Ok(()),
        })?;
        Ok(found.ranges)
    }

    /// Returns the cell that contains a number, or the beginning of a date.
    fn cell(&self, value: &str) -> Result<Option<(u64, f64)>> {
        let Some(cells) = Cells::of(self.along, self.is_circle())? else {
            return Ok(None);
        };
        let (number, is_date) = match &self.along.first.time {
            Some(units) if is_date(value) => (Period::parse(value, units)?.begin(units), true),
            _ => (Some(self.number(value)?), false),
        };
        number.map_or(Ok(None), |number| cells.find(self.along, number, is_date))
    }

    /// Returns the nearest coordinate. Of two that are equally near it is the one of the lower index. For a date it is the
    /// one nearest to the middle of its period, and inside the period if there is any.
    fn nearest(&self, value: &str) -> Result<(u64, f64)> {
        let name = &self.along.first.dimension;
        match &self.along.first.values {
            None => {
                return Err(request(format!("dimension '{name}' has no coordinates, so none is nearest")))
            }
            Some(Values::String(_)) => {
                return Err(request(format!("dimension '{name}' has labels, and none of them is nearest")))
            }
            Some(_) => {}
        }
        let period = match &self.along.first.time {
            Some(units) if is_date(value) => Some(Period::parse(value, units)?),
            _ => None,
        };
        let wanted = match (&period, &self.along.first.time) {
            (Some(period), Some(units)) => period.middle(units).ok_or_else(|| dates::no_date(value, ""))?,
            _ => self.number(value)?,
        };
        let shift = |x: f64| if self.is_circle() { circle::shift_towards(x, wanted) } else { 0.0 };
        let distance = |x: f64| (x + shift(x) - wanted).abs();
        let within = |x: f64| match (&period, &self.along.first.time) {
            (Some(period), Some(units)) => units.decode(x).is_some_and(|date| period.contains(&date)),
            _ => false,
        };
        let closer = |a: f64, b: f64| a < b - self.rounding(wanted);
        let mut best: Option<(u64, f64, bool)> = None;
        let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
        self.along.each_number(|i, x| {
            ends = (ends.0.min(x), ends.1.max(x));
            let inside = within(x);
            let is_better = best.is_none_or(|(_, y, was_inside)| {
                (inside && !was_inside) || inside == was_inside && closer(distance(x), distance(y))
            });
            if is_better {
                best = Some((i, x, inside));
            }
            Ok(())
        })?;
        let (i, x, inside) = best.ok_or_else(|| self.nothing_without_hint(Some(value), Some(value)))?;
        if inside || self.reaches((i, x), wanted, distance(x), ends)? {
            return Ok((i, shift(x)));
        }
        Err(request(format!(
            "dimension '{name}' has nothing near {value}: it is outside of the coordinates, {}, by more than half a cell",
            self.ends()
        )))
    }

    /// Returns whether a number is between the least and the greatest coordinate, or outside of them by no more than
    /// half a cell. A single coordinate without bounds is the nearest to every number.
    fn reaches(
        &self,
        (i, x): (u64, f64),
        wanted: f64,
        distance: f64,
        (low, high): (f64, f64),
    ) -> Result<bool> {
        let inside = match self.is_circle() {
            true => circle::shift_into(wanted, (low, high), &self.along.alike).is_some(),
            false => low <= wanted && wanted <= high,
        };
        if inside {
            return Ok(true);
        }
        if let Some(cells) = Cells::of(self.along, self.is_circle())? {
            return Ok(distance <= self.rounding(wanted) || cells.is_in(i, x, wanted)?);
        }
        let mut spacing = 0.0;
        for neighbour in [i.checked_sub(1), i.checked_add(1)].into_iter().flatten() {
            spacing = self.along.number(neighbour)?.map_or(spacing, |y| (y - x).abs().max(spacing));
        }
        Ok(self.along.size == 1 || distance <= spacing / 2.0 + self.rounding(wanted))
    }

    /// Returns by how much rounding may have moved two coordinates around a number.
    fn rounding(&self, number: f64) -> f64 {
        let turn = if self.is_circle() { circle::TURN } else { 0.0 };
        self.along.alike.rounding(number.abs().max(turn))
    }

    /// Returns the first and the last coordinate.
    fn ends(&self) -> String {
        match self.along.size {
            0 => "none".to_owned(),
            n => format!("{} to {}", self.along.label(0), self.along.label(n - 1)),
        }
    }

    fn nothing(&self, from: Option<&str>, to: Option<&str>) -> Error {
        let hint = match (from, to) {
            (Some(value), Some(other)) if value == other => self.hint(value),
            _ => String::new(),
        };
        let error = self.nothing_without_hint(from, to);
        request(format!("{}{hint}", error.message()))
    }

    fn nothing_without_hint(&self, from: Option<&str>, to: Option<&str>) -> Error {
        let (name, size) = (&self.along.first.dimension, self.along.size);
        let ends = match (&self.along.first.values, size) {
            (_, 0) => "it is empty".to_owned(),
            (None, n) => format!("it has no coordinates, and its indices go from 0 to {}", n - 1),
            (Some(Values::String(words)), _) => {
                let some: Vec<&str> = words.iter().map(String::as_str).take(20).collect();
                format!("it has: {}", some.join(", "))
            }
            (Some(_), n) => {
                let first = self.along.label(0);
                format!("its coordinates go from {first} to {}", self.along.label(n - 1))
            }
        };
        request(format!("dimension '{name}' has nothing at {}; {ends}", shown(from, to)))
    }

    /// Returns what to write for the coordinate that is nearest to a value, unless that takes long to find.
    fn hint(&self, value: &str) -> String {
        if self.along.size > MOST_HINTED {
            return String::new();
        }
        let Some((i, _)) = self.nearest(value).ok() else { return String::new() };
        format!("; {}~{value} takes the nearest, {}", self.along.first.dimension, self.along.label(i))
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
            let name = &axis.along.first.dimension;
            request(format!("dimension '{name}' has no coordinates, and '{text}' is not an index"))
        }),
    };
    let last = axis.along.size.saturating_sub(1);
    let (a, b) = (index(from, 0)?, index(to, last)?);
    let (low, high) = (a.min(b), a.max(b).min(last));
    if low >= axis.along.size {
        return Err(axis.nothing(from, to));
    }
    Ok((low, high - low + 1))
}
