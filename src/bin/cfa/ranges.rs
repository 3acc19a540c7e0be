//! Describes a variable on its line in `cfa info`: the range of coordinates, or units, meaning and size of other data.

use std::collections::{HashMap, HashSet};

use cfa::{CoordinateRange, DataType, DateTime, Error, Gap, Order, Point, Result, Step, Values, Variable};
use serde_json::{json, Value};

use crate::style::brief;
use crate::{circle, json};

/// The number of coordinate values that are read for one output. When they are used up, only ends are shown.
const MOST_VALUES: u64 = 1 << 23;

/// Which variables of a file are coordinates or bounds, and how many values may still be read.
pub struct Axes {
    auxiliary: HashSet<String>,
    bounds: HashMap<String, String>,
    left: u64,
}

impl Axes {
    /// Looks at the attributes of all variables of a file.
    pub fn new(all: &[Variable]) -> Self {
        let (mut auxiliary, mut bounds) = (HashSet::new(), HashMap::new());
        for variable in all {
            let text = |name| variable.attributes().text(name).unwrap_or_default();
            auxiliary.extend(text("coordinates").split_whitespace().map(last_name));
            for of in ["bounds", "climatology"].iter().map(|name| text(name)).filter(|t| !t.is_empty()) {
                bounds.insert(last_name(&of), variable.name().to_owned());
            }
        }
        Axes { auxiliary, bounds, left: MOST_VALUES }
    }

    /// Returns the range of a coordinate variable, or `None` for other variables.
    pub fn range(&mut self, variable: &Variable) -> Option<Result<CoordinateRange>> {
        if !self.is_coordinate(variable) {
            return None;
        }
        let range = variable.range(self.left);
        if let Ok(CoordinateRange { is_complete: true, .. }) = range {
            let read = variable
                .shape()
                .map_or(0, |shape| shape.iter().fold(1, |n: u64, size| n.saturating_mul(*size)));
            self.left -= self.left.min(read);
        }
        Some(range.map(|range| circle::ordered(variable, range)))
    }

    fn is_coordinate(&self, variable: &Variable) -> bool {
        let Ok(dimensions) = variable.dimensions() else { return false };
        let rank =
            dimensions.len() - usize::from(variable.data_type() == DataType::Char && !dimensions.is_empty());
        let named_so = |d: &cfa::DimensionId| variable.dataset().dimension(*d).name == variable.name();
        self.auxiliary.contains(variable.name()) || rank == 1 && dimensions.first().is_some_and(named_so)
    }

    /// Returns units, meaning and size of a variable that is no coordinate.
    pub fn glance(&self, variable: &Variable) -> String {
        let text = |name: &str| variable.attributes().text(name).filter(|t| !t.trim().is_empty());
        let meaning = match self.bounds.get(variable.name()) {
            Some(of) => Some(format!("bounds of {}", brief(of))),
            None => text("long_name").or_else(|| text("standard_name")).map(|t| brief(&t)),
        };
        let size = bytes(variable).filter(|_| variable.shape().is_ok_and(|s| !s.is_empty()));
        let parts = [units(variable), meaning, size.map(bytes_text)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Returns the name at the end of a path.
fn last_name(path: &str) -> String {
    path.trim().rsplit('/').next().unwrap_or_default().to_owned()
}

/// Returns the size of a variable's data in bytes, if its values all have one size.
pub fn bytes(variable: &Variable) -> Option<u64> {
    let values = variable.shape().ok()?.iter().try_fold(1u64, |n, &size| n.checked_mul(size))?;
    values.checked_mul(variable.data_type().size()? as u64)
}

/// Returns a number of bytes in three digits.
fn bytes_text(bytes: u64) -> String {
    let (mut size, mut unit) = (bytes as f64, "bytes");
    for larger in ["kB", "MB", "GB", "TB", "PB", "EB"] {
        // A number that would be rounded to 1000 belongs to the next unit.
        if size < 999.5 {
            break;
        }
        (size, unit) = (size / 1000.0, larger);
    }
    let digits = if unit == "bytes" || size >= 99.95 { 0 } else { 1 };
    format!("{size:.digits$} {unit}")
}

/// Returns the units of a variable, unless they are 1, which beside numbers would be taken for one of them.
fn units(variable: &Variable) -> Option<String> {
    let units = variable.attributes().text("units")?;
    Some(brief(&units)).filter(|_| !["", "1"].contains(&units.trim()))
}

/// Returns the text in place of a range that cannot be read.
pub fn unread(error: &Error) -> String {
    format!("not readable: {error}")
}

/// Returns the range for people: `2001-01-01 .. 2001-12-31, every 1 day, noleap`.
pub fn text(variable: &Variable, range: &CoordinateRange) -> String {
    let units =
        units(variable).filter(|_| range.calendar.is_none()).map_or_else(String::new, |u| format!(" {u}"));
    let missing = match range.missing {
        0 => String::new(),
        n => format!(", {n} missing"),
    };
    let (Some(first), Some(last)) = (&range.first, &range.last) else {
        let what = if range.count == 0 { "no values" } else { "all missing" };
        return what.to_owned();
    };
    if !range.words.is_empty() {
        return format!("{}{missing}", words(range));
    }
    let is_day =
        |p: &Point| p.date.is_none_or(|d| (d.hour, d.minute, d.second, d.microsecond) == (0, 0, 0, 0));
    let (low, high) = match (&range.extremes, range.order) {
        (Some((low, high)), Order::None) => (low, high),
        _ => (first, last),
    };
    let days = is_day(low) && is_day(high);
    let shown = |p: &Point| short(p, days);
    let ends = if low.text == high.text { shown(low) } else { format!("{} .. {}", shown(low), shown(high)) };
    let mut line = format!("{ends}{units}");
    if !range.is_complete {
        line += ", only the ends were read";
    } else if range.count > 1 && is_line(variable) {
        line += &match (range.order, range.step) {
            (Order::None, _) => ", not in order".to_owned(),
            (_, Some(step)) => format!(", every {}", step_text(step)),
            (_, None) => ", uneven".to_owned(),
        };
    }
    match (variable.attributes().text("calendar"), range.calendar) {
        (Some(_), Some(calendar)) => line += &format!(", {}", calendar.name()),
        (Some(name), None) => line += &format!(", no dates in calendar '{}'", brief(&name)),
        (None, _) => {}
    }
    line + &gaps_text(range, days) + &missing
}

fn is_line(variable: &Variable) -> bool {
    variable.shape().is_ok_and(|shape| shape.len() == 1)
}

fn words(range: &CoordinateRange) -> String {
    let left = range.count - range.missing - range.words.len() as u64;
    let shown: Vec<String> = range.words.iter().map(|w| brief(w)).collect();
    match (left, range.last.as_ref()) {
        (0, _) | (_, None) => shown.join(", "),
        (_, Some(last)) => format!("{}, ... {}", shown[..3.min(shown.len())].join(", "), brief(&last.text)),
    }
}

/// Returns `, 2 gaps: after 2001-02-03 until 2001-02-07, ...`.
fn gaps_text(range: &CoordinateRange, days: bool) -> String {
    let one = |gap: &Gap| format!("{} to {}", short(&gap.after, days), short(&gap.before, days));
    let shown: Vec<String> = range.gaps.iter().take(3).map(one).collect();
    let more = if range.gap_count > shown.len() as u64 { ", ..." } else { "" };
    match range.gap_count {
        0 => String::new(),
        1 => format!(", gap from {}", shown[0]),
        n => format!(", {n} gaps: {}{more}", shown.join(", ")),
    }
}

/// Returns the shortest text of a value: with `days`, dates without a time of day; times without seconds that are zero.
fn short(point: &Point, days: bool) -> String {
    match (&point.date, point.number) {
        (Some(date), _) if days => day(date),
        (Some(DateTime { second: 0, microsecond: 0, .. }), _) => {
            brief(point.text.strip_suffix(":00").unwrap_or(&point.text))
        }
        (None, Some(number)) if point.text.len() > 10 => number_text(number),
        _ => brief(&point.text),
    }
}

fn day(date: &DateTime) -> String {
    date.to_string().split(' ').next().unwrap_or_default().to_owned()
}

/// Returns a number in up to seven significant digits.
fn number_text(number: f64) -> String {
    let rounded: f64 = format!("{number:.6e}").parse().unwrap_or(number);
    Values::F64(vec![rounded]).decimal_at(0).unwrap_or_default()
}

fn step_text(step: Step) -> String {
    let counted = |n: f64, unit: &str| {
        let plural = if n == 1.0 { "" } else { "s" };
        format!("{} {unit}{plural}", number_text(n))
    };
    match step {
        Step::Number(number) => number_text(number.abs()),
        Step::Months(months) if months % 12 == 0 => counted((months / 12).abs() as f64, "year"),
        Step::Months(months) => counted(months.abs() as f64, "month"),
        Step::Seconds(seconds) => {
            let seconds = seconds.abs();
            let units = [(86_400.0, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second")];
            let whole = |(length, _): &&(f64, &str)| {
                let n = seconds / length;
                n > 0.999 && (n - n.round()).abs() < (1e-5 * n).min(0.01)
            };
            let longest = || units.iter().find(|(length, _)| seconds >= *length).unwrap_or(&units[3]);
            let (length, unit) = units.iter().find(whole).unwrap_or_else(longest);
            let n = seconds / length;
            counted(if (n - n.round()).abs() < 1e-5 * n { n.round() } else { n }, unit)
        }
    }
}

/// Returns the range for programs.
pub fn json(variable: &Variable, range: &CoordinateRange) -> Value {
    let value = |point: &Point| match (&point.date, point.number) {
        (Some(date), _) => json!(date.to_string()),
        (None, Some(number)) => json::float(number),
        (None, None) => json!(point.text),
    };
    let end = |point: &Option<Point>| point.as_ref().map_or(Value::Null, value);
    let order = match range.order {
        Order::Ascending => json!("ascending"),
        Order::Descending => json!("descending"),
        Order::None => Value::Null,
    };
    let step = range.step.map_or(Value::Null, |step| match step {
        Step::Number(number) => {
            json!({"value": json::float(number), "unit": variable.attributes().text("units")})
        }
        Step::Seconds(seconds) => json!({"value": json::float(seconds), "unit": "seconds"}),
        Step::Months(months) => json!({"value": months, "unit": "months"}),
    });
    let gaps: Vec<Value> = range
        .gaps
        .iter()
        .map(|gap| json!({"index": gap.index, "after": value(&gap.after), "before": value(&gap.before)}))
        .collect();
    let (low, high) = range.extremes.clone().unzip();
    json!({
        "count": range.count, "missing": range.missing, "first": end(&range.first), "last": end(&range.last),
        "min": end(&low), "max": end(&high), "order": order, "step": step, "gap_count": range.gap_count,
        "gaps": gaps, "words": range.words, "units": variable.attributes().text("units"),
        "calendar": range.calendar.map(|c| c.name()), "complete": range.is_complete,
    })
}
