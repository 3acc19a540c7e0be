//! Dates of any precision: a year, a month, a day, an hour, a minute, a second or a fraction of one.

use super::request;
use crate::canonical::{DateTime, TimeUnits};
use crate::error::{Error, Result};

/// Returns whether a text is a date: a year of four digits, or more than that.
pub(super) fn is_date(text: &str) -> bool {
    let year = text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit());
    year || text.parse::<f64>().is_err() && text.get(1..).is_some_and(|rest| rest.contains('-'))
}

/// A date as the user wrote it: the period of its last field.
pub(super) struct Period {
    /// Year, month, day, hour, minute, second and microsecond, as many as are written.
    pub fields: Vec<i64>,
}

impl Period {
    /// Parses a date, which the calendar of these units must have.
    pub fn parse(text: &str, units: &TimeUnits) -> Result<Period> {
        let period = Period { fields: date_fields(text)? };
        let calendar = units.calendar().name();
        let lacks = || request(format!("'{text}' is not a date: the calendar '{calendar}' does not have it"));
        period.begin(units).map(|_| period).ok_or_else(lacks)
    }

    /// Returns whether a date lies in the period.
    pub fn contains(&self, date: &DateTime) -> bool {
        fields_of(date)[..self.fields.len()] == self.fields[..]
    }

    /// Returns the beginning as a number of these units.
    pub fn begin(&self, units: &TimeUnits) -> Option<f64> {
        number(&self.fields, units)
    }

    /// Returns the middle.
    pub fn middle(&self, units: &TimeUnits) -> Option<f64> {
        let fields = &self.fields;
        let next = match fields[..] {
            [year] => number(&[year + 1], units).or_else(|| number(&[year + 2], units)),
            [year, 12] => return Period { fields: vec![year, 12, 16] }.begin(units),
            [year, month] => number(&[year, month + 1], units),
            [_, _, _] => return number(&[fields, &[12][..]].concat(), units),
            [_, _, _, _] | [_, _, _, _, _] => return number(&[fields, &[30][..]].concat(), units),
            _ => return self.begin(units),
        };
        Some((self.begin(units)? + next?) / 2.0)
    }
}

/// Returns the seven fields of a date.
pub(super) fn fields_of(date: &DateTime) -> [i64; 7] {
    let (month, day, hour) = (date.month.into(), date.day.into(), date.hour.into());
    let (minute, second, fraction) = (date.minute.into(), date.second.into(), date.microsecond.into());
    [date.year, month, day, hour, minute, second, fraction]
}

/// Returns the beginning of the period of these fields, or `None` if there is no such date.
fn number(fields: &[i64], units: &TimeUnits) -> Option<f64> {
    let field = |i: usize, least: i64| fields.get(i).copied().unwrap_or(least);
    let small = |i: usize, least: i64| u8::try_from(field(i, least)).ok();
    let date = DateTime {
        year: field(0, 1),
        month: small(1, 1)?,
        day: small(2, 1)?,
        hour: small(3, 0)?,
        minute: small(4, 0)?,
        second: small(5, 0)?,
        microsecond: u32::try_from(field(6, 0)).ok()?,
    };
    units.encode(&date)
}

/// Returns the error for a text that is no date.
pub(super) fn no_date(text: &str, also: &str) -> Error {
    let forms = "YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss";
    request(format!("'{text}' is not {also}a date in UTC; write {forms}"))
}

/// Returns year, month, day, hour, minute, second and microsecond, as many as are given.
fn date_fields(text: &str) -> Result<Vec<i64>> {
    let odd = || no_date(text, "");
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let digits = digits.trim_end_matches(['Z', 'z']);
    let (date, time) = match digits.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (digits, None),
    };
    let whole = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let fields: Option<Vec<i64>> = date.split('-').map(whole).collect();
    let mut fields = fields.filter(|f| f.len() <= 3).ok_or_else(odd)?;
    fields[0] *= sign;
    let Some(time) = time else { return Ok(fields) };
    let parts: Vec<&str> = time.split(':').collect();
    if fields.len() != 3 || parts.len() > 3 {
        return Err(odd());
    }
    for (i, part) in parts.iter().enumerate() {
        let (part, fraction) = match part.split_once('.') {
            Some((part, fraction)) if i == 2 => (part, Some(fraction)),
            _ => (*part, None),
        };
        fields.push(whole(part).ok_or_else(odd)?);
        if let Some(fraction) = fraction {
            // Further digits are beyond the precision of dates.
            whole(fraction).ok_or_else(odd)?;
            fields.push(whole(&format!("{fraction:0<6.6}")).ok_or_else(odd)?);
        }
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_numbers() {
        for date in ["2001", "2001-03", "-0044-03-15", "2001-03-04T12:00"] {
            assert!(is_date(date), "{date}");
        }
        for number in ["12", "-5", "20.5", "1e-5", "-1e-5", "20010", ""] {
            assert!(!is_date(number), "{number}");
        }
    }

    #[test]
    fn date_fields_are_as_many_as_are_written() {
        assert_eq!(date_fields("2001-03").unwrap(), [2001, 3]);
        assert_eq!(date_fields("-0044-03-15").unwrap(), [-44, 3, 15]);
        assert_eq!(date_fields("2001-03-04T12:30:01.5Z").unwrap(), [2001, 3, 4, 12, 30, 1, 500_000]);
        assert_eq!(date_fields("2001-03-04T12:30:59.123456789").unwrap()[5..], [59, 123_456]);
        assert_eq!(date_fields("2001-03-04 12").unwrap(), [2001, 3, 4, 12]);
        for odd in ["2001-xx", "2001-", "2001--03", "2001-03-04-05-06-07-08", "March", "", "2001-03T12"] {
            assert!(date_fields(odd).is_err(), "{odd}");
        }
        // A shift from UTC would otherwise be taken for minutes or seconds.
        for zone in ["2001-03-04T12-05", "2001-03-04T12:00-05", "2001-03-04T12:00:00+02:00"] {
            assert!(date_fields(zone).is_err(), "{zone}");
        }
    }
}
