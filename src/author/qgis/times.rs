//! Determines when QGIS shows each band of a variable that has times.
//!
//! A band is shown from the beginning to the end of its bounds. Without bounds, times at the distance of a year, month or
//! day are shown in the year, month or day that they lie in, and others until the next one. QGIS has the dates of the
//! Gregorian calendar from year 1 to 9999. A band at any other date of a model's calendar is not shown.

use super::variables::coordinates_along;
use crate::canonical::{Calendar, DateTime, TimeUnits};
use crate::dataset::coordinates;
use crate::dataset::variable::Variable;
use crate::dialect::reference;
use crate::error::Result;
use crate::selection::Selection;

/// A moment in milliseconds since the first day of the Gregorian calendar.
type Moment = i64;

/// The begin and the end of a time; `None` if QGIS has no such dates.
type Interval = Option<(Moment, Moment)>;

const SECOND: Moment = 1000;
const DAY: Moment = 86_400 * SECOND;

/// The time of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time {
    /// The number of the band, counted from 1.
    pub(super) band: u64,
    begin: Moment,
    end: Moment,
}

impl Time {
    /// Returns its beginning, as QGIS writes it.
    pub(super) fn begin(&self) -> String {
        text(self.begin)
    }

    /// Returns the moment at which the next one may begin.
    pub(super) fn end(&self) -> String {
        text(self.end)
    }

    /// Returns the last moment that belongs to it.
    pub(super) fn last(&self) -> String {
        text(self.end - 1)
    }
}

/// The times of a variable.
#[derive(Default)]
pub(super) struct Times {
    /// In the order of the bands; empty if no dimension of bands has times.
    pub(super) shown: Vec<Time>,
    /// A note on times that QGIS cannot show.
    pub(super) note: Option<String>,
}

/// Returns the times of a variable. Along other dimensions of bands, such as levels, the first index is shown.
///
/// # Errors
/// Those of reading the coordinates.
pub(super) fn of(variable: &Variable) -> Result<Times> {
    let shape = variable.shape()?;
    for d in 0..shape.len().saturating_sub(2) {
        let Some(axis) = coordinates_along(variable, d)? else { continue };
        let Some(units) = time_units(&axis, None) else { continue };
        let stride = shape[d + 1..shape.len() - 2].iter().product();
        return along(&axis, &units, stride);
    }
    Ok(Times::default())
}

fn time_units(variable: &Variable, or_else: Option<&Variable>) -> Option<TimeUnits> {
    let text = |name: &str| variable.attributes().text(name).or_else(|| or_else?.attributes().text(name));
    TimeUnits::parse(&text("units")?, text("calendar").as_deref()).ok()
}

/// Returns the times of an axis, whose neighbours are `stride` bands apart.
fn along(axis: &Variable, units: &TimeUnits, stride: u64) -> Result<Times> {
    let numbers = coordinates::numbers(axis, &Selection::all(axis.shape()?))?;
    let dates: Vec<Option<DateTime>> = numbers.iter().map(|&number| units.decode(number)).collect();
    let moments: Vec<Option<Moment>> = dates.iter().map(|date| date.and_then(|date| moment(&date))).collect();
    let intervals = match bounds(axis, dates.len())? {
        Some(bounds) if are_apart(&bounds) => bounds,
        _ => around(&moments),
    };
    let of_band = |(i, interval): (usize, &Interval)| {
        interval.map(|(begin, end)| Time { band: 1 + i as u64 * stride, begin, end })
    };
    let shown: Vec<Time> = intervals.iter().enumerate().filter_map(of_band).collect();
    let lost = intervals.iter().filter(|interval| interval.is_none()).count();
    let first = intervals.iter().zip(&dates).find(|(interval, _)| interval.is_none());
    let first =
        first.and_then(|(_, date)| *date).map_or_else(|| "missing".to_owned(), |date| date.to_string());
    let note = (lost > 0).then(|| {
        let all = intervals.len();
        format!("{lost} of {all} times are dates that QGIS does not have (the first: {first}); it never shows them")
    });
    Ok(Times { shown, note })
}

/// Returns the bounds of an axis, if it has them in the form of CF section 7.1.
fn bounds(axis: &Variable, size: usize) -> Result<Option<Vec<Interval>>> {
    let dataset = axis.dataset();
    let tree = dataset.shared().tree();
    let group = tree.variables[axis.id().0].group;
    let named = axis.attributes().text("bounds").and_then(|name| reference::variable(tree, group, &name));
    let Some(bounds) = named.map(|id| Variable::new(dataset.clone(), id)) else { return Ok(None) };
    let Some(units) = time_units(&bounds, Some(axis)) else { return Ok(None) };
    if bounds.shape()? != [size as u64, 2] || !bounds.data_type().is_number() {
        return Ok(None);
    }
    let numbers = coordinates::numbers(&bounds, &Selection::all(bounds.shape()?))?;
    let at = |number: f64| units.decode(number).and_then(|date| moment_or_next(&date));
    let pair = |pair: &[f64]| {
        let (a, b) = (at(pair[0])?, at(pair[1])?);
        (a != b).then_some((a.min(b), a.max(b)))
    };
    Ok(Some(numbers.chunks_exact(2).map(pair).collect()))
}

/// Returns whether there are intervals and none overlaps another. Those of climatologies overlap.
fn are_apart(intervals: &[Interval]) -> bool {
    let mut sorted: Vec<(Moment, Moment)> = intervals.iter().flatten().copied().collect();
    sorted.sort_unstable();
    !sorted.is_empty() && sorted.windows(2).all(|pair| pair[0].1 <= pair[1].0 + SECOND)
}

/// A period of the calendar.
#[derive(Clone, Copy)]
enum Period {
    Year,
    Month,
    Day,
}

impl Period {
    /// Returns the period that is as long as the distance between times.
    fn of_step(step: Moment) -> Option<Period> {
        match step {
            DAY => Some(Period::Day),
            _ if (28 * DAY - DAY / 2..=31 * DAY + DAY / 2).contains(&step) => Some(Period::Month),
            _ if (359 * DAY..=367 * DAY).contains(&step) => Some(Period::Year),
            _ => None,
        }
    }

    /// Returns the period around a moment.
    fn around(self, moment: Moment) -> Option<(Moment, Moment)> {
        let day = moment.div_euclid(DAY);
        let (year, month, _) = Calendar::ProlepticGregorian.date(day)?;
        let next_month = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        let first_of = |(year, month)| Calendar::ProlepticGregorian.day_number(year, month, 1);
        let (begin, end) = match self {
            Period::Year => (first_of((year, 1))?, first_of((year + 1, 1))?),
            Period::Month => (first_of((year, month))?, first_of(next_month)?),
            Period::Day => (day, day + 1),
        };
        Some((begin * DAY, end * DAY))
    }
}

/// Returns the intervals of times that have no bounds.
fn around(moments: &[Option<Moment>]) -> Vec<Interval> {
    let mut sorted: Vec<Moment> = moments.iter().flatten().copied().collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut steps: Vec<Moment> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    let step = steps.get(steps.len() / 2).copied().unwrap_or(DAY);
    let period = Period::of_step(step).filter(|period| {
        let begins: Vec<_> = sorted.iter().map(|&moment| period.around(moment)).collect();
        begins.windows(2).all(|pair| pair[0] != pair[1])
    });
    let one = |moment: Moment| match period {
        Some(period) => period.around(moment),
        None => {
            let next = sorted.get(sorted.partition_point(|&other| other <= moment));
            Some((moment, next.map_or(moment + step, |&next| next.min(moment + step))))
        }
    };
    moments.iter().map(|moment| moment.and_then(one)).collect()
}

/// Returns the moment of a date that QGIS has.
fn moment(date: &DateTime) -> Option<Moment> {
    let day = Calendar::ProlepticGregorian.day_number(date.year, date.month, date.day)?;
    let seconds = i64::from(date.hour) * 3600 + i64::from(date.minute) * 60 + i64::from(date.second);
    let is_in_reach = (1..=9999).contains(&date.year);
    is_in_reach.then(|| day * DAY + seconds * SECOND + i64::from(date.microsecond / 1000))
}

/// Returns the moment of a date. For a day that only a model's month has, it is the beginning of the next month.
fn moment_or_next(date: &DateTime) -> Option<Moment> {
    let next = || {
        let (year, month) = if date.month == 12 { (date.year + 1, 1) } else { (date.year, date.month + 1) };
        let first = DateTime { year, month, day: 1, hour: 0, minute: 0, second: 0, microsecond: 0 };
        moment(&first)
    };
    moment(date).or_else(next)
}

/// Returns a moment as QGIS writes it.
fn text(moment: Moment) -> String {
    let (year, month, day) = Calendar::ProlepticGregorian.date(moment.div_euclid(DAY)).unwrap_or((1, 1, 1));
    let rest = moment.rem_euclid(DAY);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    let fraction = if rest % 1000 == 0 { String::new() } else { format!(".{:03}", rest % 1000) };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(year: i64, month: u8, day: u8, hour: u8) -> Option<Moment> {
        moment(&DateTime { year, month, day, hour, minute: 0, second: 0, microsecond: 0 })
    }

    fn texts(moments: &[Option<Moment>]) -> Vec<String> {
        let show = |interval: &Interval| match interval {
            Some((begin, end)) => format!("{} {}", text(*begin), text(*end)),
            None => "-".to_owned(),
        };
        around(moments).iter().map(show).collect()
    }

    #[test]
    fn days_months_and_years_are_shown_whole() {
        assert_eq!(
            texts(&[at(2024, 2, 28, 12), at(2024, 2, 29, 12), at(2024, 3, 1, 12), at(2024, 3, 9, 12)]),
            [
                "2024-02-28T00:00:00Z 2024-02-29T00:00:00Z",
                "2024-02-29T00:00:00Z 2024-03-01T00:00:00Z",
                "2024-03-01T00:00:00Z 2024-03-02T00:00:00Z",
                "2024-03-09T00:00:00Z 2024-03-10T00:00:00Z",
            ]
        );
        assert_eq!(
            texts(&[at(2001, 12, 16, 12), at(2002, 1, 16, 12), at(2002, 2, 15, 0)]),
            [
                "2001-12-01T00:00:00Z 2002-01-01T00:00:00Z",
                "2002-01-01T00:00:00Z 2002-02-01T00:00:00Z",
                "2002-02-01T00:00:00Z 2002-03-01T00:00:00Z",
            ]
        );
        assert_eq!(
            texts(&[at(1999, 7, 1, 0), at(2000, 7, 1, 0), None]),
            ["1999-01-01T00:00:00Z 2000-01-01T00:00:00Z", "2000-01-01T00:00:00Z 2001-01-01T00:00:00Z", "-"]
        );
    }

    #[test]
    fn other_times_last_until_the_next_one() {
        assert_eq!(
            texts(&[at(2001, 1, 2, 0), at(2001, 1, 1, 18), at(2001, 1, 1, 12), at(2001, 1, 5, 0)]),
            [
                "2001-01-02T00:00:00Z 2001-01-02T06:00:00Z",
                "2001-01-01T18:00:00Z 2001-01-02T00:00:00Z",
                "2001-01-01T12:00:00Z 2001-01-01T18:00:00Z",
                "2001-01-05T00:00:00Z 2001-01-05T06:00:00Z",
            ]
        );
        assert_eq!(texts(&[at(2001, 1, 2, 5)]), ["2001-01-02T00:00:00Z 2001-01-03T00:00:00Z"]);
        assert!(texts(&[]).is_empty());
    }

    #[test]
    fn two_times_of_a_month_are_not_shown_as_months() {
        let moments = [at(2001, 1, 1, 0), at(2001, 1, 31, 0), at(2001, 3, 2, 0)];
        assert_eq!(texts(&moments)[0], "2001-01-01T00:00:00Z 2001-01-31T00:00:00Z");
    }

    #[test]
    fn dates_that_gregorian_months_do_not_have_are_none() {
        let date = DateTime { year: 2001, month: 2, day: 30, hour: 12, minute: 0, second: 0, microsecond: 0 };
        assert_eq!(moment(&date), None);
        assert_eq!(moment_or_next(&date).map(text).as_deref(), Some("2001-03-01T00:00:00Z"));
        assert_eq!(at(0, 1, 1, 0), None);
        assert_eq!(at(10_000, 1, 1, 0), None);
    }

    #[test]
    fn overlapping_bounds_are_not_used() {
        let day = |n: i64| Some((n * DAY, (n + 1) * DAY));
        assert!(are_apart(&[day(2), day(1), None, day(7)]));
        assert!(!are_apart(&[day(1), Some((DAY, 9 * DAY))]));
        assert!(!are_apart(&[None]));
    }
}
