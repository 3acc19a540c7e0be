//! One test per rule of the canonical form.

use super::*;
use crate::{Attribute, Values};

fn attributes(list: &[(&str, Values)]) -> Attributes {
    Attributes::new(
        list.iter().map(|(name, value)| Attribute { name: (*name).into(), value: value.clone() }).collect(),
    )
}

fn text(text: &str) -> Values {
    Values::Char(text.as_bytes().to_vec())
}

fn bytes(values: &Values) -> Vec<u8> {
    (0..values.len()).flat_map(|i| values.native_bytes_at(i).unwrap()).collect()
}

struct Case {
    fragment: Vec<(&'static str, Values)>,
    stored: Values,
    aggregation: Vec<(&'static str, Values)>,
    data_type: DataType,
    lossy: bool,
}

fn case(stored: Values, data_type: DataType) -> Case {
    Case { fragment: vec![], stored, aggregation: vec![], data_type, lossy: false }
}

impl Case {
    fn fragment(mut self, name: &'static str, value: Values) -> Case {
        self.fragment.push((name, value));
        self
    }

    fn aggregation(mut self, name: &'static str, value: Values) -> Case {
        self.aggregation.push((name, value));
        self
    }

    fn lossy(mut self) -> Case {
        self.lossy = true;
        self
    }

    fn target(&self) -> Target {
        Target::new(&attributes(&self.aggregation), self.data_type)
    }

    fn conversion(&self) -> Result<Conversion> {
        let own = attributes(&self.fragment);
        Conversion::new(&own, self.stored.data_type(), None, None, &self.target(), self.lossy)
    }

    fn read(&self) -> Result<Values> {
        let mut out = vec![0; self.stored.len() * self.data_type.size().unwrap()];
        self.conversion()?.apply(&bytes(&self.stored), &mut out, None)?;
        Ok(Values::from_native_bytes(self.data_type, &out).unwrap())
    }

    fn mask(&self) -> Vec<u8> {
        let mut out = vec![0; self.stored.len() * self.data_type.size().unwrap()];
        let mut mask = vec![7; self.stored.len()];
        self.conversion().unwrap().apply(&bytes(&self.stored), &mut out, Some(&mut mask)).unwrap();
        mask
    }

    fn error(&self) -> Kind {
        self.read().unwrap_err().kind()
    }

    fn is_identity(&self) -> bool {
        self.conversion().unwrap().is_identity()
    }
}

#[test]
fn missing_data_of_a_fragment_become_those_of_the_aggregation() {
    let read = case(Values::F32(vec![-1.0, 2.0, 9.969_21e36]), DataType::F32)
        .fragment("missing_value", Values::F32(vec![-1.0]))
        .aggregation("_FillValue", Values::F32(vec![-99.0]));
    assert_eq!(read.read().unwrap(), Values::F32(vec![-99.0, 2.0, -99.0]));
    assert_eq!(read.mask(), [0, 1, 0]);
}

#[test]
fn a_canonical_value_that_the_aggregation_calls_missing_is_missing() {
    let read = case(Values::I32(vec![5, 7]), DataType::I32).aggregation("_FillValue", Values::I32(vec![7]));
    assert_eq!(read.read().unwrap(), Values::I32(vec![5, 7]));
    assert_eq!(read.mask(), [1, 0]);
    assert!(read.fragment("_FillValue", Values::I32(vec![7])).is_identity());
    // After unpacking, units and cast.
    let read = case(Values::I16(vec![1, 2, 3]), DataType::F32)
        .fragment("scale_factor", Values::F64(vec![0.1]))
        .fragment("units", text("km"))
        .aggregation("units", text("m"))
        .aggregation("_FillValue", Values::F32(vec![200.0]))
        .aggregation("missing_value", Values::F64(vec![300.0]));
    assert_eq!(read.read().unwrap(), Values::F32(vec![100.0, 200.0, 200.0]));
    assert_eq!(read.mask(), [1, 0, 0]);
    // Characters likewise.
    let read = case(Values::Char(b"abc".to_vec()), DataType::Char).aggregation("_FillValue", text("b"));
    assert_eq!(read.read().unwrap(), Values::Char(b"abc".to_vec()));
    assert_eq!(read.mask(), [1, 0, 1]);
}

#[test]
fn missing_is_decided_on_packed_numbers_and_units_come_after_unpacking() {
    let read = case(Values::I16(vec![-5000, 10]), DataType::F64)
        .fragment("_FillValue", Values::I16(vec![-5000]))
        .fragment("scale_factor", Values::F64(vec![0.5]))
        .fragment("add_offset", Values::F64(vec![10.0]))
        .fragment("units", text("degC"))
        .aggregation("units", text("K"))
        .aggregation("_FillValue", Values::F64(vec![-999.0]));
    assert_eq!(read.read().unwrap(), Values::F64(vec![-999.0, 10.0 * 0.5 + 10.0 + 273.15]));
}

#[test]
fn unsigned_bytes_are_read_as_unsigned_numbers() {
    let read = case(Values::I8(vec![-1, -2, 3]), DataType::F32)
        .fragment("_Unsigned", text("true"))
        .fragment("_FillValue", Values::I8(vec![-1]));
    assert_eq!(read.read().unwrap(), Values::F32(vec![9.969_21e36, 254.0, 3.0]));
    let kept = case(Values::I8(vec![-2]), DataType::I8)
        .fragment("_Unsigned", text("true"))
        .aggregation("_Unsigned", text("true"));
    assert_eq!(kept.read().unwrap(), Values::I8(vec![-2]));
    assert!(kept.is_identity());
}

#[test]
fn a_fragment_without_units_has_those_of_the_aggregation() {
    let read = case(Values::F64(vec![1.0]), DataType::F64).aggregation("units", text("K"));
    assert_eq!(read.read().unwrap(), Values::F64(vec![1.0]));
    assert!(read.is_identity());
}

#[test]
fn an_aggregation_without_units_takes_numbers_as_they_are_with_a_warning() {
    let read = case(Values::F64(vec![1.0]), DataType::F64).fragment("units", text("degC"));
    assert_eq!(read.read().unwrap(), Values::F64(vec![1.0]));
    assert_eq!(read.conversion().unwrap().warnings().len(), 1);
}

#[test]
fn units_that_measure_different_things_are_refused_before_data_are_read() {
    for (from, to) in [("m", "K"), ("nonsense", "K"), ("days", "days since 2000-01-01"), ("K", "nonsense")] {
        let read = case(Values::F64(vec![]), DataType::F64)
            .fragment("units", text(from))
            .aggregation("units", text(to));
        assert_eq!(read.conversion().unwrap_err().kind(), Kind::Units, "{from} {to}");
    }
}

#[test]
fn equal_units_need_not_be_understood() {
    let read = case(Values::F64(vec![2.0]), DataType::F64)
        .fragment("units", text("psu "))
        .aggregation("units", text("psu"));
    assert!(read.is_identity());
}

#[test]
fn units_given_by_the_aggregation_come_before_those_of_the_fragment() {
    let read = case(Values::F64(vec![2.0]), DataType::F64)
        .fragment("units", text("m"))
        .aggregation("units", text("K"));
    let own = attributes(&read.fragment);
    let conversion = Conversion::new(&own, DataType::F64, Some("degC"), None, &read.target(), false).unwrap();
    let mut out = [0; 8];
    conversion.apply(&2f64.to_ne_bytes(), &mut out, None).unwrap();
    assert_eq!(f64::from_ne_bytes(out), 275.15);
}

#[test]
fn calendars_that_differ_are_refused_even_with_the_same_units() {
    let read = case(Values::F64(vec![]), DataType::F64)
        .fragment("units", text("days since 2000-01-01"))
        .fragment("calendar", text("360_day"))
        .aggregation("units", text("days since 2000-01-01"))
        .aggregation("calendar", text("standard"));
    assert_eq!(read.conversion().unwrap_err().kind(), Kind::Calendar);
    let same = case(Values::F64(vec![]), DataType::F64)
        .fragment("units", text("days since 2000-01-01"))
        .aggregation("units", text("days since 2000-01-01"))
        .aggregation("calendar", text("Gregorian"));
    assert!(same.is_identity());
}

#[test]
fn times_of_integer_type_are_shifted_exactly() {
    let big = (1i64 << 53) + 1;
    let read = case(Values::I64(vec![big]), DataType::I64)
        .fragment("units", text("seconds since 2001-02-30"))
        .fragment("calendar", text("360_day"))
        .aggregation("units", text("seconds since 2001-01-01"))
        .aggregation("calendar", text("360_day"));
    assert_eq!(read.read().unwrap(), Values::I64(vec![big + 59 * 86_400]));
    let days = |hours| {
        case(Values::I32(vec![hours]), DataType::I32)
            .fragment("units", text("hours since 2000-01-02"))
            .aggregation("units", text("days since 2000-01-01"))
    };
    assert_eq!(days(48).read().unwrap(), Values::I32(vec![3]));
    assert_eq!(days(12).error(), Kind::FragmentType);
    assert_eq!(days(12).lossy().read().unwrap(), Values::I32(vec![1]));
}

#[test]
fn a_date_that_the_calendar_does_not_have_is_refused() {
    let read = case(Values::F64(vec![]), DataType::F64)
        .fragment("units", text("days since 2001-02-30"))
        .aggregation("units", text("days since 2001-01-01"));
    assert_eq!(read.conversion().unwrap_err().kind(), Kind::Units);
}

#[test]
fn integers_are_cast_exactly_or_refused() {
    let odd = (1u64 << 53) + 1;
    let read = case(Values::U64(vec![odd]), DataType::I64);
    assert_eq!(read.read().unwrap(), Values::I64(vec![odd as i64]));
    assert_eq!(case(Values::I16(vec![5, 300]), DataType::U8).error(), Kind::FragmentType);
}

#[test]
fn lost_values_are_named_and_lossy_casts_truncate() {
    let read = case(Values::F64(vec![100.0, 1.75, -1.75]), DataType::I32);
    assert!(read.read().unwrap_err().message().contains("1.75"));
    assert_eq!(read.lossy().read().unwrap(), Values::I32(vec![100, 1, -1]));
    let out_of_range =
        case(Values::F64(vec![1e6, 2.5]), DataType::I16).aggregation("_FillValue", Values::I16(vec![-1]));
    assert_eq!(out_of_range.lossy().read().unwrap(), Values::I16(vec![-1, 2]));
}

#[test]
fn bytes_without_attribute_cannot_express_missing_except_by_mask() {
    let read = case(Values::I16(vec![-9, 4]), DataType::U8).fragment("_FillValue", Values::I16(vec![-9]));
    assert_eq!(read.error(), Kind::FragmentType);
    assert_eq!(read.mask(), [0, 1]);
    assert_eq!(read.target().fill(&mut [1], None).unwrap_err().kind(), Kind::FragmentType);
    assert_eq!(read.target().missing_value(), None);
    let marked = read.aggregation("missing_value", Values::U8(vec![9]));
    assert_eq!(marked.read().unwrap(), Values::U8(vec![9, 4]));
    assert_eq!(marked.target().missing_value(), Some(Values::U8(vec![9])));
}

#[test]
fn a_packed_aggregation_takes_packed_numbers_in_no_other_units() {
    let packed = |units: Option<&str>| {
        let case = case(Values::I16(vec![10, 20]), DataType::I16)
            .fragment("scale_factor", Values::F64(vec![2.0]))
            .aggregation("scale_factor", Values::F64(vec![0.01]))
            .aggregation("units", text("K"));
        match units {
            Some(units) => case.fragment("units", text(units)),
            None => case,
        }
    };
    assert!(packed(None).target().is_packed());
    assert_eq!(packed(None).read().unwrap(), Values::I16(vec![20, 40]));
    assert_eq!(packed(Some("kelvin")).read().unwrap(), Values::I16(vec![20, 40]));
    assert_eq!(packed(Some("degC")).error(), Kind::Units);
}

#[test]
fn text_and_numbers_do_not_mix() {
    let target = case(Values::F64(vec![]), DataType::F64).target();
    let none = Attributes::default();
    for text in [DataType::Char, DataType::String] {
        let error = Conversion::new(&none, text, None, None, &target, false).unwrap_err();
        assert_eq!(error.kind(), Kind::FragmentType);
        assert_eq!(Conversion::for_unique(text, &target, false).unwrap_err().kind(), Kind::FragmentType);
        assert_eq!(Conversion::for_request(&target, text, false).unwrap_err().kind(), Kind::Type);
    }
    let read = case(Values::Char(b"ab".to_vec()), DataType::Char).fragment("_FillValue", text("b"));
    assert_eq!(read.read().unwrap(), Values::Char(b"a\0".to_vec()));
    assert!(case(Values::Char(vec![]), DataType::Char).is_identity());
}

#[test]
fn stored_bytes_are_copied_where_missing_data_already_hold_the_right_value() {
    assert!(case(Values::F32(vec![]), DataType::F32).is_identity());
    let fill = |value| ("_FillValue", Values::F32(vec![value]));
    let both = |a: f32, b: f32| Case {
        fragment: vec![fill(a)],
        aggregation: vec![fill(b)],
        ..case(Values::F32(vec![]), DataType::F32)
    };
    assert!(both(1e20, 1e20).is_identity());
    assert!(both(f32::NAN, f32::NAN).is_identity());
    assert!(!both(1e20, -1.0).is_identity());
    let range = Values::F32(vec![0.0, 1.0]);
    assert!(!both(1e20, 1e20).fragment("valid_range", range).is_identity());
    assert!(!both(1e20, 1e20).fragment("scale_factor", Values::F32(vec![2.0])).is_identity());
    assert!(!case(Values::F32(vec![]), DataType::F64).is_identity());
}

#[test]
fn unique_values_bear_the_missing_marks_of_the_aggregation() {
    let fill = Values::F32(vec![-1e30]);
    let target = case(Values::F32(vec![]), DataType::F32).aggregation("_FillValue", fill).target();
    let conversion = Conversion::for_unique(DataType::F64, &target, false).unwrap();
    let raw = bytes(&Values::F64(vec![-1e30, 5.0, 9.969_209_968_386_869e36]));
    let (mut out, mut mask) = ([0; 12], [9; 3]);
    conversion.apply(&raw, &mut out, Some(&mut mask)).unwrap();
    assert_eq!(mask, [0, 1, 1]);
    assert_eq!(&out[..4], &(-1e30f32).to_ne_bytes());
    let nan = case(Values::F64(vec![]), DataType::F64).aggregation("_FillValue", Values::F64(vec![f64::NAN]));
    let conversion = Conversion::for_unique(DataType::F64, &nan.target(), false).unwrap();
    let (mut out, mut mask) = ([0; 8], [9]);
    conversion.apply(&f64::NAN.to_ne_bytes(), &mut out, Some(&mut mask)).unwrap();
    assert_eq!(mask, [0]);
}

#[test]
fn a_requested_type_has_the_missing_value_cast_or_needs_a_mask() {
    let target = case(Values::I16(vec![]), DataType::I16)
        .aggregation("_FillValue", Values::I16(vec![-99]))
        .aggregation("missing_value", Values::I16(vec![-98]))
        .target();
    let raw = bytes(&Values::I16(vec![-99, -98, 7]));
    let mut out = [0; 24];
    Conversion::for_request(&target, DataType::F64, false).unwrap().apply(&raw, &mut out, None).unwrap();
    assert_eq!(Values::from_native_bytes(DataType::F64, &out), Some(Values::F64(vec![-99.0, -99.0, 7.0])));

    let to_byte = Conversion::for_request(&target, DataType::U8, false).unwrap();
    assert_eq!(to_byte.apply(&raw, &mut [0; 3], None).unwrap_err().kind(), Kind::Type);
    let (mut out, mut mask) = ([0; 3], [0, 1, 1]);
    to_byte.apply_masked(&raw, &mut out, &mut mask, true).unwrap();
    assert_eq!((out[2], mask), (7, [0, 0, 1]));

    let own = Conversion::for_request(&target, DataType::I16, false).unwrap();
    let (mut out, mut mask) = ([0; 6], [0, 1, 1]);
    own.apply_masked(&raw, &mut out, &mut mask, true).unwrap();
    assert_eq!(mask, [0, 0, 1]);
    assert!(own.is_identity() && out == raw[..]);
}

#[test]
fn buffers_of_different_length_are_refused() {
    let conversion = case(Values::I16(vec![]), DataType::F32).conversion().unwrap();
    assert_eq!(conversion.apply(&[0; 4], &mut [0; 7], None).unwrap_err().kind(), Kind::Internal);
    assert_eq!(conversion.apply(&[0; 3], &mut [0; 4], None).unwrap_err().kind(), Kind::Internal);
    let error = conversion.apply(&[0; 4], &mut [0; 8], Some(&mut [0])).unwrap_err();
    assert_eq!(error.kind(), Kind::Internal);
}
