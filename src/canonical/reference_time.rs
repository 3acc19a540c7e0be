//! Times counted in a unit since a moment of a calendar, CF section 4.4: converts them, and decodes them to dates.
//!
//! Only the distance between the two moments needs the calendar. It is counted in whole nanoseconds, so that integers
//! stay exact. A moment that the calendar does not have is refused. Without a known calendar (`none` has no dates), the
//! distance between two moments is unknown, so only equal ones are accepted. In the `360_day` calendar a month has 30
//! days and a year 360, as in cftime; elsewhere they are udunits' mean month and year.

use super::arithmetic::{Measure, Rational};
use super::calendar::{Calendar, DateTime};
use super::units::{shown, Converter, Epoch, ReferenceTime, Unit};
use crate::{Error, Kind, Result};

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;
/// Lengths of udunits' year and month in seconds.
const YEAR_SECONDS: f64 = 31_556_925.974_7;
const MONTH_SECONDS: f64 = YEAR_SECONDS / 12.0;

/// A unit of time since a moment of a calendar.
///
/// ```
/// use cfa::TimeUnits;
///
/// let units = TimeUnits::parse("days since 2001-02-28", Some("noleap"))?;
/// assert_eq!(units.decode(1.5).unwrap().to_string(), "2001-03-01 12:00:00");
/// # Ok::<(), cfa::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeUnits {
    calendar: Calendar,
    seconds: f64,
    /// The unit in nanoseconds, if that is an integer.
    nanoseconds: Option<i128>,
    /// The moment in nanoseconds from the calendar's origin.
    moment: i128,
}

impl TimeUnits {
    /// Parses the texts of a variable's `units` and `calendar` attributes.
    ///
    /// # Errors
    /// [`Kind::Units`] if `units` is not a time since a moment that the calendar has, [`Kind::Calendar`] if the
    /// calendar is not supported.
    pub fn parse(units: &str, calendar: Option<&str>) -> Result<TimeUnits> {
        let unit = Unit::parse(units)?;
        let Some(reference) = unit.reference_time() else {
            return Err(Error::new(Kind::Units, format!("units '{units}' are not a time since a date")));
        };
        let name = calendar.unwrap_or("standard");
        let calendar = Calendar::named(name).ok_or_else(|| no_calendar(name))?;
        TimeUnits::new(reference, calendar).ok_or_else(|| no_such_date(units, calendar))
    }

    pub(super) fn new(reference: &ReferenceTime, calendar: Calendar) -> Option<TimeUnits> {
        let seconds = length(reference.unit_seconds, calendar);
        let epoch = &reference.epoch;
        let day = calendar.day_number(epoch.year, epoch.month, epoch.day)?;
        let moment = i128::from(day) * DAY + time_of_day(epoch);
        Some(TimeUnits { calendar, seconds, nanoseconds: in_nanoseconds(seconds), moment })
    }

    /// Returns how times become times in another unit since the same moment, whatever the calendar, or `None` if the
    /// moments differ.
    pub(super) fn measure_since_same(from: &ReferenceTime, to: &ReferenceTime) -> Option<Measure> {
        let moment = |e: &Epoch| (e.year, e.month, e.day, time_of_day(e));
        if moment(&from.epoch) != moment(&to.epoch) {
            return None;
        }
        let of_length = |seconds: f64| {
            let nanoseconds = in_nanoseconds(seconds);
            TimeUnits { calendar: Calendar::Standard, seconds, nanoseconds, moment: 0 }
        };
        of_length(from.unit_seconds).measure_to(&of_length(to.unit_seconds))
    }

    /// Returns how times in these units become times in others of the same calendar.
    pub(super) fn measure_to(&self, to: &TimeUnits) -> Option<Measure> {
        let distance = self.moment.checked_sub(to.moment)?;
        if let (Some(from), Some(to)) = (self.nanoseconds, to.nanoseconds) {
            let ratio = Rational::new(from, distance, to)?;
            return Some(if ratio.is_identity() { Measure::Same } else { Measure::Ratio(ratio) });
        }
        if distance == 0 && self.seconds == to.seconds {
            return Some(Measure::Same);
        }
        let intercept = distance as f64 / SECOND as f64 / to.seconds;
        Some(Measure::Converter(Converter::Linear { slope: self.seconds / to.seconds, intercept }))
    }

    /// Returns the length of the unit in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns the calendar.
    pub fn calendar(&self) -> Calendar {
        self.calendar
    }

    /// Returns a warning about what is ignored when these times are converted or decoded to dates.
    pub fn warning(&self) -> Option<String> {
        let name = self.calendar.name();
        let warning =
            || format!("calendar '{name}': leap seconds are not counted, every day has 86400 seconds");
        self.calendar.is_of_clocks().then(warning)
    }

    /// Returns a date and time as a number in these units, or `None` if the calendar does not have it.
    pub fn encode(&self, date: &DateTime) -> Option<f64> {
        let day = self.calendar.day_number(date.year, date.month, date.day)?;
        if date.hour > 23 || date.minute > 59 || date.second > 59 || date.microsecond > 999_999 {
            return None;
        }
        let minutes = i128::from(date.hour) * 60 + i128::from(date.minute);
        let micros = (minutes * 60 + i128::from(date.second)) * 1_000_000 + i128::from(date.microsecond);
        let since = i128::from(day) * DAY + micros * 1000 - self.moment;
        Some(match self.nanoseconds {
            // Whole units are exact.
            Some(unit) => since.div_euclid(unit) as f64 + since.rem_euclid(unit) as f64 / unit as f64,
            None => since as f64 / SECOND as f64 / self.seconds,
        })
    }

    /// Returns the date and time of a number in these units, to the microsecond, or `None` if it is not a time or is
    /// beyond the supported years. A fraction that misses a whole second by no more than its rounding error is that
    /// second.
    pub fn decode(&self, value: f64) -> Option<DateTime> {
        if !value.is_finite() {
            return None;
        }
        // Whole units are exact; the fraction of one is small enough for a double.
        let since = match self.nanoseconds {
            Some(unit) if value.abs() < 1e18 => {
                let fraction = (value.fract() * unit as f64).round() as i128;
                (value.trunc() as i128).checked_mul(unit)?.checked_add(fraction)?
            }
            _ => (value * self.seconds * SECOND as f64).round() as i128,
        };
        let time = self.moment.checked_add(since)?;
        let second = time.checked_add(SECOND / 2)?.div_euclid(SECOND) * SECOND;
        let is_rounded = self.nanoseconds.is_none() || value.fract() != 0.0;
        let time = if is_rounded && (time - second).abs() <= self.rounding(value) { second } else { time };
        let micros = time.checked_add(500)?.div_euclid(1000);
        let (year, month, day) = self.calendar.date(micros.div_euclid(DAY / 1000).try_into().ok()?)?;
        let rest = micros.rem_euclid(DAY / 1000) as u64;
        let seconds = rest / 1_000_000;
        Some(DateTime {
            year,
            month,
            day,
            hour: (seconds / 3600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            microsecond: (rest % 1_000_000) as u32,
        })
    }
}

impl TimeUnits {
    /// Returns how far, in nanoseconds, a number with a fraction may be from the time that was meant: the last bits of
    /// a double. In units longer than a second, the number may have been converted from a count since the year 1, and
    /// then these are the last bits of that count.
    fn rounding(&self, value: f64) -> i128 {
        let bits = 4.0 * f64::EPSILON * value.abs() * self.seconds * SECOND as f64;
        let least = if self.seconds > 1.0 { 20_000.0 } else { 0.0 };
        bits.clamp(least, SECOND as f64 / 4.0) as i128
    }
}

/// Returns the time of day of a moment in nanoseconds, in UTC.
fn time_of_day(epoch: &Epoch) -> i128 {
    let minutes = i128::from(epoch.hour) * 60 + i128::from(epoch.minute) - i128::from(epoch.zone_minutes);
    minutes * 60 * SECOND + (epoch.second * SECOND as f64).round() as i128
}

pub(super) fn no_calendar(name: &str) -> Error {
    let shown = shown(name);
    let what = match name.trim().eq_ignore_ascii_case("none") {
        true => "has no dates",
        false => "is not known",
    };
    Error::new(
        Kind::Calendar,
        format!("calendar '{shown}' {what}, so only times since the same date can be converted"),
    )
}

pub(super) fn no_such_date(units: &str, calendar: Calendar) -> Error {
    let shown = shown(units);
    Error::new(
        Kind::Units,
        format!("units '{shown}': the {} calendar does not have that date", calendar.name()),
    )
}

fn length(seconds: f64, calendar: Calendar) -> f64 {
    let is = |length: f64| (seconds / length - 1.0).abs() < 1e-12;
    match calendar {
        Calendar::Days360 if is(MONTH_SECONDS) => 30.0 * 86_400.0,
        Calendar::Days360 if is(YEAR_SECONDS) => 360.0 * 86_400.0,
        _ => seconds,
    }
}

/// Returns the length in nanoseconds if that is an integer, apart from the rounding of a factor such as 0.001.
fn in_nanoseconds(seconds: f64) -> Option<i128> {
    let nanoseconds = seconds * SECOND as f64;
    let whole = nanoseconds.round();
    let exact = (nanoseconds - whole).abs() <= 1e-15 * whole && (1.0..1e27).contains(&whole);
    exact.then_some(whole as i128)
}
