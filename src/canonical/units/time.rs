//! Parses the moment of "days since 2001-01-01 06:00 +01:00", without a calendar.
//!
//! Some days exist only in some calendars (2001-02-30), and the calendar decides about them. Fields that no calendar
//! has (month 13, day 32, hour 24) are refused: libudunits2 2.2.28 reads such a text as another moment.

use super::error::UnitErrorKind::Refused;
use super::UnitError;

/// A moment as it is written, before any calendar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Year as written; it may be zero or negative.
    pub year: i64,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, less than 61.
    pub second: f64,
    /// Offset of the time zone in minutes, positive east of Greenwich; subtract it to get UTC.
    pub zone_minutes: i32,
}

/// The contents of "length since epoch".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceTime {
    /// Length of the time unit in seconds.
    pub unit_seconds: f64,
    /// The moment that is zero.
    pub epoch: Epoch,
}

/// Year, month and day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Date {
    pub year: i64,
    pub month: u8,
    pub day: u8,
}

/// Hour, minute and second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    pub hour: u8,
    pub minute: u8,
    pub second: f64,
}

fn refused(what: &str) -> UnitError {
    UnitError::new(Refused, format!("invalid {what}; dates are YYYY-MM-DD, times HH:MM:SS, zones +HH:MM"))
}

/// Returns the length of the run of digits at the start.
pub(super) fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Returns the value of a short run of digits; that of an empty run is `default`.
fn number(text: &[u8], default: i64) -> Option<i64> {
    if text.is_empty() {
        return Some(default);
    }
    text.iter().try_fold(0i64, |n, b| n.checked_mul(10)?.checked_add(i64::from(b - b'0')))
}

fn sign_length(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'+' | b'-')))
}

fn date(negative: bool, year: &[u8], month: &[u8], day: &[u8]) -> Result<Date, UnitError> {
    let year = number(year, 0).ok_or_else(|| refused("year"))?;
    let month = number(month, 1).filter(|m| (1..=12).contains(m)).ok_or_else(|| refused("month"))?;
    let day = number(day, 1).filter(|d| (1..=31).contains(d)).ok_or_else(|| refused("day"))?;
    Ok(Date { year: if negative { -year } else { year }, month: month as u8, day: day as u8 })
}

fn clock(hour: &[u8], minute: &[u8], second: &[u8]) -> Result<Clock, UnitError> {
    let hour = number(hour, 0).filter(|h| *h < 24).ok_or_else(|| refused("hour"))?;
    let minute = number(minute, 0).filter(|m| *m < 60).ok_or_else(|| refused("minute"))?;
    let second = match std::str::from_utf8(second) {
        Ok("") => 0.0,
        Ok(text) => text.parse().ok().filter(|s| *s < 61.0).ok_or_else(|| refused("second"))?,
        Err(_) => return Err(refused("second")),
    };
    Ok(Clock { hour: hour as u8, minute: minute as u8, second })
}

/// Parses `YYYY-MM[-DD]` at the start. Returns it and its length, or `None` if it is not there.
///
/// A year of more than four digits needs the day: libudunits2 reads "197012-1" as a month and something else.
pub(super) fn broken_date(text: &[u8]) -> Result<Option<(Date, usize)>, UnitError> {
    let sign = sign_length(text);
    let year_end = sign + digits(&text[sign..]);
    // A hyphen without a digit after it is not part of a date.
    if year_end == sign || text.get(year_end) != Some(&b'-') || digits(&text[year_end + 1..]) == 0 {
        return Ok(None);
    }
    let month_end = year_end + 1 + digits(&text[year_end + 1..]);
    let has_day = text.get(month_end) == Some(&b'-') && digits(&text[month_end + 1..]) > 0;
    let day_start = month_end + usize::from(has_day);
    let end = if has_day { day_start + digits(&text[day_start..]) } else { month_end };
    let long_year = year_end - sign > 4;
    if long_year && !has_day || month_end - year_end > 3 || end - day_start > 2 {
        return Err(refused("date"));
    }
    let negative = text.first() == Some(&b'-');
    Ok(Some((
        date(negative, &text[sign..year_end], &text[year_end + 1..month_end], &text[day_start..end])?,
        end,
    )))
}

/// Parses `YYYY[MM[DD]]`. With a sign, only a year of up to three digits is unambiguous.
pub(super) fn packed_date(text: &[u8]) -> Result<Date, UnitError> {
    let sign = sign_length(text);
    let run = &text[sign..];
    if run.len() > if sign == 0 { 8 } else { 3 } {
        return Err(refused("date"));
    }
    let (year, rest) = run.split_at(run.len().min(4));
    let (month, day) = rest.split_at(rest.len().min(2));
    date(text.first() == Some(&b'-'), year, month, day)
}

/// Parses `HH:MM[:SS[.S]]` or `HH[MM[SS[.S]]]` at the start. Returns it and its length, or `None` if no digit is there.
pub(super) fn clock_at(text: &[u8]) -> Result<Option<(Clock, usize)>, UnitError> {
    let sign = sign_length(text);
    let run = digits(&text[sign..]);
    if run == 0 {
        return Ok(None);
    }
    if sign > 0 || run > 6 {
        return Err(refused("time of day"));
    }
    let fraction = |from: usize| match text.get(from) {
        Some(b'.') => from + 1 + digits(&text[from + 1..]),
        _ => from,
    };
    let after = |colon: usize| match text.get(colon) {
        Some(b':') => digits(&text[colon + 1..]),
        _ => 0,
    };
    let minutes = after(run);
    let (value, end) = if minutes > 0 {
        let minute_end = run + 1 + minutes;
        let seconds = after(minute_end);
        if run > 2 || minutes > 2 || seconds > 2 {
            return Err(refused("time of day"));
        }
        let (second, end) = match seconds {
            0 => (&text[..0], minute_end),
            _ => {
                let end = fraction(minute_end + 1 + seconds);
                (&text[minute_end + 1..end], end)
            }
        };
        (clock(&text[..run], &text[run + 1..minute_end], second)?, end)
    } else {
        let end = if run > 2 { fraction(run) } else { run };
        if end > run && run < 5 {
            return Err(refused("time of day"));
        }
        (clock(&text[..run.min(2)], &text[run.min(2)..run.min(4)], &text[run.min(4)..end])?, end)
    };
    if text.get(end).is_some_and(u8::is_ascii_digit) {
        return Err(refused("time of day"));
    }
    Ok(Some((value, end)))
}

/// Parses `[+-]H[H]:MM` or `[+-]H[H[MM]]` at the start. Returns the minutes and the length, or `None` if no digit is
/// there.
pub(super) fn zone_at(text: &[u8]) -> Result<Option<(i32, usize)>, UnitError> {
    let sign = sign_length(text);
    let run = digits(&text[sign..]);
    if run == 0 {
        return Ok(None);
    }
    let hour_end = sign + run;
    let minutes = match text.get(hour_end) {
        Some(b':') => digits(&text[hour_end + 1..]),
        _ => 0,
    };
    let (hour, minute, end) = if minutes > 0 {
        (&text[sign..hour_end], &text[hour_end + 1..hour_end + 1 + minutes], hour_end + 1 + minutes)
    } else {
        let split = sign + if run == 3 { 1 } else { run.min(2) };
        (&text[sign..split], &text[split..hour_end], hour_end)
    };
    let hour = number(hour, 0).filter(|h| *h < 24).ok_or_else(|| refused("time zone"))?;
    let minute = number(minute, 0).filter(|m| *m < 60).ok_or_else(|| refused("time zone"))?;
    let total = (hour * 60 + minute) as i32;
    Ok(Some((if text.first() == Some(&b'-') { -total } else { total }, end)))
}
