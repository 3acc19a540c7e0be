//! Calendars and reference times against values of python cftime (written by `make_calendar_vectors.py`).

use cfa::canonical::{Calendar, Conversion, Target, TimeUnits};
use cfa::{Attribute, Attributes, DataType, Values};

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

fn convert(calendar: &str, from: &str, to: &str, value: f64) -> f64 {
    let target = Target::new(&attributes(to, calendar), DataType::F64);
    let own = attributes(from, calendar);
    let conversion = Conversion::new(&own, DataType::F64, None, None, &target, false).unwrap();
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
