//! Tests of the units module, beyond the comparison with libudunits2 in `tests/units.rs`.

use super::*;
use proptest::prelude::*;

fn unit(text: &str) -> Unit {
    Unit::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn convert(from: &str, to: &str) -> Converter {
    unit(from).converter_to(&unit(to)).unwrap_or_else(|error| panic!("{from} to {to}: {error}"))
}

fn kind(text: &str) -> UnitErrorKind {
    Unit::parse(text).unwrap_err().kind()
}

fn epoch(text: &str) -> Epoch {
    unit(text).reference_time().unwrap().epoch
}

#[test]
fn units_of_the_same_meaning_convert_exactly() {
    for (from, to) in [
        ("hPa", "mbar"),
        ("49 m", "49 metres"),
        ("degC", "K @ 273.15"),
        ("degF", "fahrenheit"),
        ("m s-1", "m/s"),
        ("kg m-2 s-1", "kg/(m2.s)"),
        ("rad", "1"),
        ("", "1"),
        ("day", "86400 s"),
        ("percent", "%"),
        ("dBZ", "0.1 lg(re (1e-6 m)^3)"),
    ] {
        assert_eq!(convert(from, to), Converter::Identity, "{from} to {to}");
    }
}

#[test]
fn linear_conversions_are_slope_and_intercept() {
    assert_eq!(convert("km", "m"), Converter::Linear { slope: 1000.0, intercept: 0.0 });
    assert_eq!(convert("degC", "K"), Converter::Linear { slope: 1.0, intercept: 273.15 });
    let mut values = [-40.0, 0.0, 100.0, f64::NAN];
    let to_fahrenheit = convert("degC", "degF");
    let one_by_one = values.map(|x| to_fahrenheit.apply(x));
    to_fahrenheit.apply_all(&mut values);
    assert_eq!(values[..3], one_by_one[..3]);
    assert!((values[2] - 212.0).abs() < 1e-12 && values[3].is_nan());
}

#[test]
fn a_negative_zero_stays_negative_under_scaling() {
    let converter = convert("km", "m");
    let mut values = [-0.0];
    converter.apply_all(&mut values);
    assert!(values[0].is_sign_negative() && converter.apply(-0.0).is_sign_negative());
}

#[test]
fn reciprocals_and_logarithms_convert() {
    assert_eq!(convert("s", "Hz").apply(4.0), 0.25);
    assert!((convert("dBm", "W").apply(30.0) - 1.0).abs() < 1e-12);
    let mut values = [10.0, 20.0];
    convert("ms", "Hz").apply_all(&mut values);
    assert_eq!(values, [100.0, 50.0]);
}

#[test]
fn different_dimensions_do_not_convert() {
    for (from, to) in [("m", "s"), ("m2 s", "m-2 s"), ("days since 2001-01-01", "days"), ("K", "1")] {
        let error = unit(from).converter_to(&unit(to)).unwrap_err();
        assert_eq!(error.kind(), UnitErrorKind::NotConvertible, "{from} to {to}");
    }
}

#[test]
fn times_since_one_moment_convert_and_others_need_a_calendar() {
    let hours = convert("days since 2001-02-30", "hours since 2001-2-30 00:00:00");
    assert_eq!(hours, Converter::Linear { slope: 86400.0 * (1.0 / 3600.0), intercept: 0.0 });
    let error = unit("days since 2001-01-01").converter_to(&unit("days since 2001-01-02")).unwrap_err();
    assert_eq!(error.kind(), UnitErrorKind::NeedsCalendar);
}

#[test]
fn moments_are_given_as_written() {
    let midnight = Epoch { year: 2001, month: 1, day: 1, hour: 0, minute: 0, second: 0.0, zone_minutes: 0 };
    for text in [
        "days since 2001-01-01 00:00:00",
        "days since 2001-1-1",
        "days since 2001-01-01T00:00:00Z",
        "days since 20010101T000000",
        "days since 20010101",
        "days since 2001",
        "Days Since 2001-01-01 00:00 UTC",
        "d @ 2001-01-01 0:0",
        "days since 2001-01-01Z",
        "days since 2001-01-01 Z",
        "days since 2001-01-01 UTC",
        "days since 2001-01-01 gmt",
        "days since 2001-01-01UTC",
        "days since 20010101 UTC",
        "days since 20010101T0000Z",
        "days since 2001-01-01 00:00:00 +0000",
        "days since 2001-01-01 00:00UTC",
        "days after 2001-01-01 00:00:00.000",
    ] {
        assert_eq!(epoch(text), midnight, "{text}");
        assert_eq!(unit(text).reference_time().unwrap().unit_seconds, 86400.0);
    }
    assert_eq!(epoch("hours since 1-1-1").year, 1);
    assert_eq!(epoch("hours since 0-1-1").year, 0);
    assert_eq!(epoch("hours since -4712-1-1").year, -4712);
    assert_eq!(epoch("hours since 12345-6-7").year, 12345);
    assert_eq!(epoch("hours since -10000-01-01 06:00 +530").year, -10000);
    assert_eq!(epoch("s since 2001-02-30").day, 30);
    let given = epoch("seconds since 1850-06-07 18:05:59.5 -6");
    assert_eq!((given.hour, given.minute, given.second, given.zone_minutes), (18, 5, 59.5, -360));
    for (zone, minutes) in
        [("+01:00", 60), ("-0330", -210), ("+530", 330), ("6", 360), ("-00:30", -30), ("GMT", 0), ("z", 0)]
    {
        assert_eq!(epoch(&format!("s since 2000-01-01 6:00 {zone}")).zone_minutes, minutes, "{zone}");
    }
    assert_eq!(
        unit("months since 2000-01-01").reference_time().unwrap().unit_seconds,
        3.15569259747e7 / 12.0
    );
}

#[test]
fn moments_that_no_calendar_has_are_refused() {
    for text in [
        "days since 2000-13-01",
        "days since 2000-00-01",
        "days since 2000-01-32",
        "days since 2000-01-01 CET",
        "days since 2000-01-01Zulu",
        "days since 12345-01",
        "days since 99999999999999999999-01-01",
        "days since 2000-01-01 UTC+1",
        "days since 2000-01-01 UTC 06:00",
        "days since 2000-01-01 24:00",
        "days since 2000-01-01 12:345",
        "days since 2000-01-01T630",
        "days since 20001301",
        "days since -20000101",
        "days since 2000-01-01 00:00 +99",
        "days since 2000-01-01 +6:00",
        "Hz since 2000-01-01",
        "(days since 2000-01-01) since 2000-01-01",
        "(days since 2000-01-01) @ 5",
        "lg(re (days since 2000-01-01))",
    ] {
        assert_eq!(kind(text), UnitErrorKind::Refused, "{text}");
    }
}

#[test]
fn superscripts_are_powers() {
    assert_eq!(convert("m s⁻¹", "m/s"), Converter::Identity);
    assert_eq!(convert("W m⁻² K⁻⁴", "W/(m2.K4)"), Converter::Identity);
}

#[test]
fn what_is_no_unit_is_refused_by_kind() {
    assert_eq!(kind("metersx"), UnitErrorKind::Unknown);
    assert_eq!(kind("days since 2000-01-01 00:00 CET"), UnitErrorKind::Unknown);
    assert_eq!(kind("m^"), UnitErrorKind::Syntax);
    assert_eq!(kind("m\0s"), UnitErrorKind::Syntax);
    assert_eq!(kind("lg(re 1 mW)^2"), UnitErrorKind::Meaningless);
    assert_eq!(kind("0 m"), UnitErrorKind::Refused);
    assert_eq!(kind("1e999"), UnitErrorKind::Refused);
    assert_eq!(kind("m99999999999999999999"), UnitErrorKind::Refused);
    assert_eq!(kind("(((m255)255)255)"), UnitErrorKind::Refused);
    assert_eq!(kind(&"m ".repeat(3000)), UnitErrorKind::Limit);
    assert_eq!(kind(&"(".repeat(4000)), UnitErrorKind::Limit);
    assert_eq!(kind(&"lg(re ".repeat(600)), UnitErrorKind::Limit);
}

#[test]
fn a_message_is_one_short_line() {
    let message = Unit::parse(&"q\nw\t".repeat(900)).unwrap_err().to_string();
    assert!(message.len() < 400 && !message.contains('\n'), "{message}");
    assert_eq!(crate::Error::from(Unit::parse("foo").unwrap_err()).kind(), crate::Kind::Units);
}

#[test]
fn units_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Unit>();
    shared::<Converter>();
}

proptest! {
    #[test]
    fn any_text_gives_a_unit_or_an_error(text in ".{0,60}") {
        let _ = Unit::parse(&text);
    }

    #[test]
    fn any_text_of_the_alphabet_of_units_gives_a_unit_or_an_error(text in "[msKd0-9eE()@. ^*/+:TZ²⁻·µ°%'-]{0,40}") {
        if let Ok(unit) = Unit::parse(&text) {
            prop_assert_eq!(unit.converter_to(&unit).unwrap(), Converter::Identity);
        }
    }

    #[test]
    fn slices_convert_like_single_values(x in any::<f64>(), pick in 0usize..5) {
        let (from, to) = [("degC", "degF"), ("km", "mile"), ("s", "Hz"), ("dBm", "W"), ("m", "metre")][pick];
        let converter = convert(from, to);
        let mut values = [x];
        converter.apply_all(&mut values);
        prop_assert_eq!(values[0].to_bits(), converter.apply(x).to_bits());
    }
}
