//! Ticks of an axis of dates: the begins of years, months, days, hours, minutes or seconds of its calendar.

use crate::canonical::{DateTime, TimeUnits};

/// The maximum number of ticks whose labels are dates, and of those whose labels have a time of day.
const MOST: usize = 7;
const MOST_TIMES: usize = 4;
/// The number of steps between two times beyond which a step is too short.
const MOST_STEPS: i64 = 40;
const DAY: i64 = 86_400;

type Ticks = Vec<(f64, String)>;

/// How far from an end, as a share of the axis, a tick may be beyond it: half a day before the first noon of a year.
const BEYOND: f64 = 0.01;

/// Returns the places and labels of ticks between two times, as many as an axis has room for. The outer ones may lie a
/// hundredth of the axis beyond its ends.
pub(super) fn ticks(units: &TimeUnits, low: f64, high: f64) -> Ticks {
    let (Some(first), Some(last)) = (units.decode(low), units.decode(high)) else { return Vec::new() };
    let seconds = ((high - low) * units.seconds()) as i64;
    let beyond = (high - low) * BEYOND;
    let (least, greatest) = (low - beyond, high + beyond);
    let inside = |mut list: Ticks| {
        list.retain(|(at, _)| (least..=greatest).contains(at));
        list
    };
    for step in [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600] {
        if seconds / step <= MOST_STEPS {
            let found = inside(times_of_day(units, &first, (low, seconds), step));
            if found.len() <= MOST_TIMES {
                return found;
            }
        }
    }
    for step in [1, 2, 5, 10] {
        if seconds / DAY / step <= MOST_STEPS {
            let found = inside(days(units, &first, seconds, step));
            if found.len() <= MOST {
                return found;
            }
        }
    }
    for step in [1, 2, 3, 6] {
        if (last.year - first.year) * 12 / step <= MOST_STEPS {
            let found = inside(months(units, &first, &last, step));
            if found.len() <= MOST {
                return found;
            }
        }
    }
    let steps = (0..10).flat_map(|power| [1, 2, 5].map(|n| n * 10i64.pow(power)));
    for step in steps.filter(|step| (last.year - first.year) / step <= MOST_STEPS) {
        let found = inside(years(units, &first, &last, step));
        if found.len() <= MOST {
            return found;
        }
    }
    Vec::new()
}

fn day(date: &DateTime, month: u8, day: u8) -> DateTime {
    DateTime { month, day, hour: 0, minute: 0, second: 0, microsecond: 0, ..*date }
}

/// Returns the multiples of a step of seconds since midnight.
fn times_of_day(units: &TimeUnits, first: &DateTime, (low, seconds): (f64, i64), step: i64) -> Ticks {
    let Some(midnight) = units.encode(&day(first, first.month, first.day)) else { return Vec::new() };
    let begin = ((low - midnight) * units.seconds()) as i64 / step;
    let at = |n: i64| midnight + (n * step) as f64 / units.seconds();
    let places = (begin..=begin + seconds / step + 1).map(at);
    let label = |at: f64| {
        let text = units.decode(at)?.to_string();
        Some((at, text.strip_suffix(":00").unwrap_or(&text).to_owned()))
    };
    places.filter_map(label).collect()
}

/// Returns every day, or the first of the month and every so many days after it.
fn days(units: &TimeUnits, first: &DateTime, seconds: i64, step: i64) -> Ticks {
    let Some(midnight) = units.encode(&day(first, first.month, first.day)) else { return Vec::new() };
    let places = (0..=seconds / DAY + 1).map(|n| midnight + (n * DAY) as f64 / units.seconds());
    let label = |at: f64| {
        let date = units.decode(at)?;
        let is_tick = step == 1 || (i64::from(date.day) - 1) % step == 0 && date.day < 30;
        is_tick.then(|| (at, date.to_string().split(' ').next().unwrap_or_default().to_owned()))
    };
    places.filter_map(label).collect()
}

fn months(units: &TimeUnits, first: &DateTime, last: &DateTime, step: i64) -> Ticks {
    let number = |date: &DateTime| date.year * 12 + i64::from(date.month) - 1;
    let tick = |n: i64| {
        let (year, month) = ((n * step).div_euclid(12), (n * step).rem_euclid(12) as u8 + 1);
        let date = DateTime { year, ..day(first, month, 1) };
        let text = date.to_string();
        Some((units.encode(&date)?, text.rsplit_once('-')?.0.to_owned()))
    };
    (number(first).div_euclid(step)..=number(last).div_euclid(step)).filter_map(tick).collect()
}

fn years(units: &TimeUnits, first: &DateTime, last: &DateTime, step: i64) -> Ticks {
    let tick = |n: i64| {
        let date = DateTime { year: n * step, ..day(first, 1, 1) };
        let text = date.to_string();
        Some((units.encode(&date)?, text.rsplitn(3, '-').nth(2)?.to_owned()))
    };
    (first.year.div_euclid(step)..=last.year.div_euclid(step)).filter_map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(units: &str, calendar: &str, low: f64, high: f64) -> Vec<String> {
        let units = TimeUnits::parse(units, Some(calendar)).unwrap();
        ticks(&units, low, high).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_dates_of_the_calendar() {
        let days = "days since 2001-01-01";
        assert_eq!(
            labels(days, "noleap", 0.0, 365.0),
            ["2001-01", "2001-03", "2001-05", "2001-07", "2001-09", "2001-11", "2002-01"]
        );
        assert_eq!(labels(days, "360_day", 0.0, 360.0 * 40.0), ["2010", "2020", "2030", "2040"]);
        assert_eq!(labels(days, "standard", 0.5, 3.5), ["2001-01-02", "2001-01-03", "2001-01-04"]);
        assert_eq!(
            labels(days, "standard", 25.0, 65.0),
            ["2001-02-01", "2001-02-11", "2001-02-21", "2001-03-01"]
        );
        assert_eq!(
            labels("hours since 2001-01-01", "standard", 0.0, 12.0),
            ["2001-01-01 00:00", "2001-01-01 06:00", "2001-01-01 12:00"]
        );
        assert_eq!(
            labels("days since 0001-01-01", "standard", -800.0, 800.0),
            ["-0002", "-0001", "0001", "0002", "0003"]
        );
        assert_eq!(labels("days since 1850-01-01", "standard", 0.0, 60_264.0).len(), 4);
    }

    #[test]
    fn ticks_lie_within_and_are_few_whatever_the_length() {
        for calendar in ["standard", "noleap", "360_day", "julian"] {
            let units = TimeUnits::parse("hours since 1999-12-30 13:07", Some(calendar)).unwrap();
            let mut length = 1e-3;
            while length < 8e9 {
                for low in [0.0, -length / 3.0, 17.2] {
                    let found = ticks(&units, low, low + length);
                    assert!(found.len() <= MOST, "{length} {found:?}");
                    assert!(length < 1e-2 || !found.is_empty(), "{calendar} {low} {length}");
                    let nearly = low - length * 0.011..=low + length * 1.011;
                    assert!(found.iter().all(|(at, _)| nearly.contains(at)));
                    assert!(found.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 != w[1].1), "{found:?}");
                }
                length *= 1.3;
            }
        }
    }
}
