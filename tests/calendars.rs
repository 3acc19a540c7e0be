//! Calendars and reference times against values of python cftime (written by `make_calendar_vectors.py`).

use cfa::internals::canonical::{Calendar, Conversion, Target, TimeUnits};
use cfa::{Attribute, Attributes, DataType, Kind, Result, Values};

const VECTORS: &str = include_str!("data/calendars.tsv");

fn lines(kind: &str) -> impl Iterator<Item = Vec<&'static str>> + '_ {
    let all = VECTORS.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    all.filter(move |fields| fields[0] == kind)
}

fn attributes(units: &str, calendar: &str) -> Attributes {
    let text = |name: &str, text: &str| Attribute {
        name: name.into(),
        value: Values::Char(text.as_bytes().to_vec()),
    };
    Attributes::new(vec![text("units", units), text("calendar", calendar)])
}

fn conversion(from: (&str, &str), to: (&str, &str)) -> Result<Conversion> {
    let target = Target::new(&attributes(to.1, to.0), DataType::F64);
    Conversion::new(&attributes(from.1, from.0), DataType::F64, None, None, &target, false)
}

fn convert(calendar: &str, from: &str, to: &str, value: f64) -> f64 {
    let conversion = conversion((calendar, from), (calendar, to)).unwrap();
    let mut out = [0; 8];
    conversion.apply(&value.to_ne_bytes(), &mut out, None).unwrap();
    f64::from_ne_bytes(out)
}

#[test]
fn day_numbers_are_those_of_cftime() {
    let mut count = 0;
    for fields in lines("date") {
        let calendar = Calendar::named(fields[1]).unwrap();
        let number = |i: usize| fields[i].parse::<i64>().unwrap();
        let origin = calendar.day_number(2000, 1, 1).unwrap();
        let date = (number(3), number(4) as u8, number(5) as u8);
        assert_eq!(calendar.date(origin + number(2)), Some(date), "{fields:?}");
        assert_eq!(calendar.day_number(date.0, date.1, date.2), Some(origin + number(2)), "{fields:?}");
        count += 1;
    }
    assert!(count > 400);
}

#[test]
fn decoded_times_are_those_of_cftime() {
    let mut count = 0;
    for fields in lines("value") {
        let units = TimeUnits::parse(fields[2], Some(fields[1])).unwrap();
        let date = units.decode(fields[3].parse().unwrap()).unwrap();
        assert_eq!(date.to_string(), fields[4], "{fields:?}");
        count += 1;
    }
    assert!(count > 200);
}

#[test]
fn converted_times_are_those_of_cftime() {
    let mut count = 0;
    for fields in lines("shift") {
        let there: f64 = fields[5].parse().unwrap();
        let ours = convert(fields[1], fields[2], fields[4], fields[3].parse().unwrap());
        // cftime counts in microseconds; its own rounding is far below the tolerance of large numbers.
        let tolerance = 1e-9_f64.max(there.abs() * 4.0 * f64::EPSILON);
        assert!((ours - there).abs() <= tolerance, "{fields:?}: {ours}");
        count += 1;
    }
    assert!(count > 200);
}

#[test]
fn utc_and_tai_have_the_days_of_the_standard_calendar_and_a_warning() {
    for calendar in ["utc", "UTC", "tai"] {
        let (from, to) = ("days since 1972-06-30", "seconds since 1972-07-01 00:00:00 UTC");
        assert_eq!(convert(calendar, from, to, 3.0), 172_800.0, "{calendar}");
        assert_eq!(convert(calendar, "days since 1582-10-15", "days since 1582-10-04", 0.0), 1.0);
        let warnings = conversion((calendar, from), (calendar, to)).unwrap().warnings().to_vec();
        assert_eq!(warnings.len(), 1, "{calendar}: {warnings:?}");
        assert!(warnings[0].contains("leap seconds are not counted"), "{warnings:?}");
        // Nothing is converted, so nothing is lost.
        for same in ["days since 1972-06-30", "days since 1972-6-30 00:00"] {
            let same = conversion((calendar, same), (calendar, from)).unwrap();
            assert!(same.is_identity() && same.warnings().is_empty(), "{:?}", same.warnings());
        }
        let units = TimeUnits::parse("hours since 2016-12-31 23:00", Some(calendar)).unwrap();
        assert_eq!(units.decode(1.5).unwrap().to_string(), "2017-01-01 00:30:00");
        assert!(units.warning().unwrap().contains("leap seconds are not counted"));
    }
    assert_eq!(TimeUnits::parse("hours since 2016-12-31", None).unwrap().warning(), None);
    let units = "days since 2000-01-01";
    for (from, to) in [("utc", "tai"), ("utc", "standard"), ("standard", "tai"), ("none", "utc")] {
        let error = conversion((from, units), (to, units)).unwrap_err();
        assert_eq!(error.kind(), Kind::Calendar, "{from} {to}");
    }
}

#[test]
fn without_a_calendar_times_are_converted_between_equal_moments_only() {
    for calendar in ["none", "None", "of_mars"] {
        let same = |from, to| conversion((calendar, from), (calendar, to));
        assert!(same("days since 2001-02-30", "days since 2001-02-30").unwrap().is_identity());
        assert!(same("days since 2001-02-30", "days since 2001-2-30 00:00:00 Z").unwrap().is_identity());
        assert!(same("days since 1-1-1 6:00", "days since 1-1-1 7:30 +01:30").unwrap().is_identity());
        assert_eq!(convert(calendar, "hours since 2001-02-30", "days since 2001-02-30", 36.0), 1.5);
        for to in ["days since 2001-02-28", "days since 2001-02-30 06:00", "days since 2002-02-30"] {
            let error = same("days since 2001-02-30", to).unwrap_err();
            assert_eq!(error.kind(), Kind::Calendar, "{to}");
            assert!(error.to_string().contains(calendar), "{error}");
        }
        assert_eq!(same("K", "days since 2001-02-28").unwrap_err().kind(), Kind::Units);
        assert_eq!(
            TimeUnits::parse("days since 2000-01-01", Some(calendar)).unwrap_err().kind(),
            Kind::Calendar
        );
    }
}

#[test]
fn years_end_where_no_calendar_counts_them() {
    for year in ["1000000001", "-1000000001", "99999999999999999999"] {
        let error = TimeUnits::parse(&format!("days since {year}-01-01"), None).unwrap_err();
        assert_eq!(error.kind(), Kind::Units, "{year}");
    }
    let units = TimeUnits::parse("days since 900000000-01-01", None).unwrap();
    assert_eq!(units.decode(0.0).unwrap().to_string(), "900000000-01-01 00:00:00");
}

#[test]
fn the_rounding_of_a_double_does_not_show_in_dates() {
    // Every ten minutes of a day, counted in days and hours from far and near, and shifted from another epoch.
    for (unit, length) in [("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0)] {
        for (from, year) in [("0001-01-01", 1), ("1850-01-01", 1850), ("2000-01-01", 2000)] {
            let units =
                TimeUnits::parse(&format!("{unit} since {from}"), Some("proleptic_gregorian")).unwrap();
            let calendar = Calendar::ProlepticGregorian;
            let day = calendar.day_number(2000, 1, 1).unwrap() - calendar.day_number(year, 1, 1).unwrap();
            for ten in 0..144 {
                let exact = (day as f64 * 86_400.0 + f64::from(ten) * 600.0) / length;
                let far = day as f64 * 86_400.0 / length;
                // As other programs compute it: from the fraction of a day, one bit off, or through year 1.
                let sum = far + f64::from(ten) * (600.0 / length);
                let origin = 730_119.0 * 86_400.0 / length;
                let shifted = (origin + f64::from(ten) * 600.0 / length) - origin + far;
                for value in [exact, sum, exact.next_up(), exact.next_down(), shifted] {
                    let date = units.decode(value).unwrap().to_string();
                    let wanted = format!("2000-01-01 {:02}:{:02}:00", ten / 6, ten % 6 * 10);
                    assert_eq!(date, wanted, "{value} {unit} since {from}");
                }
            }
        }
    }
}

#[test]
fn fractions_of_a_second_that_are_meant_stay() {
    for (units, value, wanted) in [
        ("days since 2000-01-01", 0.5 + 0.001 / 86_400.0, "2000-01-01 12:00:00.001"),
        ("seconds since 2000-01-01", 43_199.999_995, "2000-01-01 11:59:59.999995"),
        ("seconds since 2000-01-01", 0.000_003, "2000-01-01 00:00:00.000003"),
        ("milliseconds since 2000-01-01", 999.999, "2000-01-01 00:00:00.999999"),
        ("microseconds since 2000-01-01", 43_199_999_999.0, "2000-01-01 11:59:59.999999"),
        ("seconds since 1970-01-01", 1e9 + 0.999_990, "2001-09-09 01:46:40.99999"),
    ] {
        let date = TimeUnits::parse(units, None).unwrap().decode(value).unwrap();
        assert_eq!(date.to_string(), wanted, "{value} {units}");
    }
}
