//! The calendars of CF section 4.4.1 in integer arithmetic: dates to day numbers and back.
//!
//! `standard` is the mixed calendar: Julian up to 1582-10-04, Gregorian from 1582-10-15, nothing in between.
//! `standard` and `julian` have no year 0 (the year before 1 is -1); the others have one, as in cftime.
//! `utc` and `tai` have the days of `standard`; the leap seconds in which they differ are not counted.
//! Dates that a calendar does not have are refused, and so are years beyond a thousand million.

use std::fmt;

/// A calendar of CF section 4.4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Calendar {
    /// Mixed Julian and Gregorian, the default.
    Standard,
    /// Gregorian rules for all years.
    ProlepticGregorian,
    /// A leap year every four years.
    Julian,
    /// Years of 365 days.
    NoLeap,
    /// Years of 366 days.
    AllLeap,
    /// Twelve months of 30 days.
    Days360,
    /// Coordinated universal time, as if it had no leap seconds.
    Utc,
    /// International atomic time.
    Tai,
}

/// A date with time of day in some calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// The year; negative before year 1 (or 0, in calendars that have one).
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999999.
    pub microsecond: u32,
}

const MONTHS: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const YEAR_LIMIT: i64 = 1_000_000_000;
const DAY_LIMIT: i64 = 360 * YEAR_LIMIT;
/// First Gregorian day of the mixed calendar, 1582-10-15, counted from the Gregorian 0001-01-01.
const REFORM: i64 = 577_735;
/// The Julian 0001-01-01 is the Gregorian 0000-12-30.
const JULIAN_START: i64 = -2;

impl Calendar {
    /// Returns the calendar of this CF name, in any case, or `None` for a name without rules of its own.
    pub fn named(name: &str) -> Option<Calendar> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "" | "standard" | "gregorian" | "default" => Calendar::Standard,
            "proleptic_gregorian" => Calendar::ProlepticGregorian,
            "julian" => Calendar::Julian,
            "noleap" | "no_leap" | "365_day" => Calendar::NoLeap,
            "all_leap" | "allleap" | "366_day" => Calendar::AllLeap,
            "360_day" => Calendar::Days360,
            "utc" => Calendar::Utc,
            "tai" => Calendar::Tai,
            _ => return None,
        })
    }

    /// Returns whether two CF names mean the same calendar. An absent name means `standard`.
    pub fn same(a: Option<&str>, b: Option<&str>) -> bool {
        let (a, b) = (a.unwrap_or("standard"), b.unwrap_or("standard"));
        match (Calendar::named(a), Calendar::named(b)) {
            (None, None) => a.trim().eq_ignore_ascii_case(b.trim()),
            (a, b) => a == b,
        }
    }

    /// Returns the first of its CF names.
    pub fn name(self) -> &'static str {
        match self {
            Calendar::Standard => "standard",
            Calendar::ProlepticGregorian => "proleptic_gregorian",
            Calendar::Julian => "julian",
            Calendar::NoLeap => "noleap",
            Calendar::AllLeap => "all_leap",
            Calendar::Days360 => "360_day",
            Calendar::Utc => "utc",
            Calendar::Tai => "tai",
        }
    }

    /// Returns whether leap seconds, which are not counted here, affect its times.
    pub fn is_of_clocks(self) -> bool {
        matches!(self, Calendar::Utc | Calendar::Tai)
    }

    /// Returns the calendar that has the same days.
    fn of_days(self) -> Calendar {
        if self.is_of_clocks() {
            Calendar::Standard
        } else {
            self
        }
    }

    /// Returns the number of the day, counted from an origin that depends on the calendar, or `None` if it has no such
    /// date.
    pub fn day_number(self, year: i64, month: u8, day: u8) -> Option<i64> {
        if !(-YEAR_LIMIT..=YEAR_LIMIT).contains(&year) || !(1..=12).contains(&month) {
            return None;
        }
        let rules = match self.of_days() {
            Calendar::Standard if (year, month, day) < (1582, 10, 5) => Calendar::Julian,
            Calendar::Standard if (year, month, day) < (1582, 10, 15) => return None,
            Calendar::Standard => Calendar::ProlepticGregorian,
            other => other,
        };
        let counted = match (self.has_year_zero(), year) {
            (false, 0) => return None,
            (false, ..0) => year + 1,
            _ => year,
        };
        if day == 0 || day > rules.month_length(counted, month) {
            return None;
        }
        let before: i64 = (1..month).map(|m| i64::from(rules.month_length(counted, m))).sum();
        Some(rules.days_before(counted) + before + i64::from(day) - 1)
    }

    /// Returns year, month and day of a day number, or `None` beyond the supported years.
    pub fn date(self, number: i64) -> Option<(i64, u8, u8)> {
        if !(-DAY_LIMIT..=DAY_LIMIT).contains(&number) {
            return None;
        }
        let rules = match self.of_days() {
            Calendar::Standard if number < REFORM => Calendar::Julian,
            Calendar::Standard => Calendar::ProlepticGregorian,
            other => other,
        };
        // The mean year leads to the year or a neighbour of it.
        let mut year =
            (i128::from(number) * 400).div_euclid(i128::from(rules.days_in_400_years())) as i64 + 1;
        while rules.days_before(year) > number {
            year -= 1;
        }
        while rules.days_before(year + 1) <= number {
            year += 1;
        }
        let mut rest = number - rules.days_before(year);
        let mut month = 1;
        while rest >= i64::from(rules.month_length(year, month)) {
            rest -= i64::from(rules.month_length(year, month));
            month += 1;
        }
        let shown = if !self.has_year_zero() && year <= 0 { year - 1 } else { year };
        Some((shown, month, rest as u8 + 1))
    }

    fn has_year_zero(self) -> bool {
        !matches!(self.of_days(), Calendar::Standard | Calendar::Julian)
    }

    fn is_leap(self, year: i64) -> bool {
        match self {
            Calendar::Julian => year % 4 == 0,
            Calendar::AllLeap => true,
            Calendar::NoLeap | Calendar::Days360 => false,
            _ => year % 4 == 0 && (year % 100 != 0 || year % 400 == 0),
        }
    }

    fn month_length(self, year: i64, month: u8) -> u8 {
        match self {
            Calendar::Days360 => 30,
            _ if month == 2 && self.is_leap(year) => 29,
            _ => MONTHS[usize::from(month.clamp(1, 12)) - 1],
        }
    }

    fn days_in_400_years(self) -> i64 {
        match self {
            Calendar::Julian => 146_100,
            Calendar::NoLeap => 146_000,
            Calendar::AllLeap => 146_400,
            Calendar::Days360 => 144_000,
            _ => 146_097,
        }
    }

    /// Returns the number of days before the first of January of a year, counted with a year 0.
    fn days_before(self, year: i64) -> i64 {
        let y = year - 1;
        match self {
            Calendar::Julian => 365 * y + y.div_euclid(4) + JULIAN_START,
            Calendar::NoLeap => 365 * y,
            Calendar::AllLeap => 366 * y,
            Calendar::Days360 => 360 * y,
            _ => 365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400),
        }
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.year < 0 { "-" } else { "" };
        write!(f, "{sign}{:04}-{:02}-{:02} ", self.year.unsigned_abs(), self.month, self.day)?;
        write!(f, "{:02}:{:02}:{:02}", self.hour, self.minute, self.second)?;
        if self.microsecond != 0 {
            let digits = format!("{:06}", self.microsecond);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Calendar; 8] = [
        Calendar::Standard,
        Calendar::ProlepticGregorian,
        Calendar::Julian,
        Calendar::NoLeap,
        Calendar::AllLeap,
        Calendar::Days360,
        Calendar::Utc,
        Calendar::Tai,
    ];

    #[test]
    fn names_are_equivalent_in_any_case_and_absent_means_standard() {
        assert!(Calendar::same(Some("Gregorian"), None));
        assert!(Calendar::same(Some("NOLEAP"), Some("365_day")));
        assert!(Calendar::same(Some("all_leap"), Some("366_Day")));
        assert!(!Calendar::same(Some("standard"), Some("proleptic_gregorian")));
        assert!(Calendar::same(Some("none"), Some("None")));
        assert!(!Calendar::same(Some("none"), None));
        assert!(!Calendar::same(Some("utc"), Some("tai")) && !Calendar::same(Some("utc"), None));
    }

    #[test]
    fn mixed_calendar_goes_from_the_fourth_to_the_fifteenth_of_october_1582() {
        let last = Calendar::Standard.day_number(1582, 10, 4).unwrap();
        assert_eq!(Calendar::Standard.day_number(1582, 10, 15), Some(last + 1));
        assert_eq!(last + 1, REFORM);
        assert_eq!(Calendar::Standard.day_number(1582, 10, 10), None);
        assert_eq!(Calendar::Standard.date(last + 1), Some((1582, 10, 15)));
    }

    #[test]
    fn year_zero_exists_only_where_cftime_has_it() {
        for calendar in ALL {
            let new_year = calendar.day_number(1, 1, 1).unwrap();
            let eve = calendar.date(new_year - 1).unwrap();
            let has =
                !matches!(calendar, Calendar::Standard | Calendar::Julian | Calendar::Utc | Calendar::Tai);
            assert_eq!(eve.0, if has { 0 } else { -1 }, "{}", calendar.name());
            assert_eq!(calendar.day_number(0, 1, 1).is_some(), has, "{}", calendar.name());
        }
    }

    #[test]
    fn dates_a_calendar_does_not_have_are_refused() {
        assert_eq!(Calendar::NoLeap.day_number(2000, 2, 29), None);
        assert_eq!(Calendar::Days360.day_number(2000, 1, 31), None);
        assert_eq!(Calendar::ProlepticGregorian.day_number(1900, 2, 29), None);
        assert!(Calendar::Standard.day_number(1500, 2, 29).is_some());
        assert_eq!(Calendar::Standard.day_number(2000, 13, 1), None);
        assert_eq!(Calendar::Standard.day_number(i64::MIN, 1, 1), None);
        assert_eq!(Calendar::Standard.date(i64::MAX), None);
    }

    #[test]
    fn date_time_is_shown_with_its_fraction_only_if_there_is_one() {
        let mut time = DateTime { year: -1, month: 2, day: 3, hour: 4, minute: 5, second: 6, microsecond: 0 };
        assert_eq!(time.to_string(), "-0001-02-03 04:05:06");
        time.microsecond = 250_000;
        assert_eq!(time.to_string(), "-0001-02-03 04:05:06.25");
    }

    proptest! {
        #[test]
        fn day_numbers_round_trip(number in -4_000_000i64..4_000_000, which in 0usize..8) {
            let calendar = ALL[which];
            let (year, month, day) = calendar.date(number).unwrap();
            prop_assert_eq!(calendar.day_number(year, month, day), Some(number));
        }

        #[test]
        fn any_number_and_any_date_are_answered(number: i64, year: i64, month: u8, day: u8, which in 0usize..8) {
            let calendar = ALL[which];
            if let Some((y, m, d)) = calendar.date(number) {
                prop_assert_eq!(calendar.day_number(y, m, d), Some(number));
            }
            calendar.day_number(year, month, day);
        }
    }
}
