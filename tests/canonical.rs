//! The canonical form against a naive oracle: one element at a time, in exact integers or doubles.

use crate::support::NUMBER_TYPES;
use cfa::internals::canonical::{Conversion, Target};
use cfa::{Attribute, Attributes, DataType, Values};
use proptest::prelude::*;

/// A stored or canonical number by value.
#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i128),
    Float(f64),
}
use Number::{Float, Int};

/// How units change: (x * mul + add) / div in integers, or in doubles where only those have it.
#[derive(Clone, Copy, Debug)]
struct Change {
    from: &'static str,
    to: &'static str,
    mul: i128,
    div: i128,
    add: i128,
    double: Option<fn(f64) -> f64>,
}

const fn ratio(from: &'static str, to: &'static str, mul: i128, add: i128, div: i128) -> Change {
    Change { from, to, mul, div, add, double: None }
}

const fn double(from: &'static str, to: &'static str, change: fn(f64) -> f64) -> Change {
    Change { from, to, mul: 1, div: 1, add: 0, double: Some(change) }
}

const CHANGES: [Change; 8] = [
    ratio("K", "kelvin", 1, 0, 1),
    ratio("km", "m", 1000, 0, 1),
    ratio("m", "km", 1, 0, 1000),
    ratio("hours since 2000-01-03", "days since 2000-01-01", 1, 48, 24),
    ratio("days since 2000-03-01", "hours since 2000-02-29 06:00", 24, 18, 1),
    double("degC", "K", |x| x + 273.15),
    double("ft", "m", |x| x * 0.3048),
    double("s", "Hz", |x| 1.0 / x),
];

/// From here on, doubles do not distinguish an integer from its neighbours.
const INTEGERS: f64 = 9_007_199_254_740_992.0;

#[derive(Clone, Debug)]
struct Case {
    from: DataType,
    to: DataType,
    raw: Vec<Number>,
    fill: Option<usize>,
    missing: Option<usize>,
    range: Option<(usize, usize)>,
    scale: Option<f64>,
    offset: Option<f64>,
    change: Option<Change>,
    agg_fill: Option<i8>,
    lossy: bool,
    /// Bytes before the first element, to spoil alignment.
    lead: usize,
}

fn limits(data_type: DataType) -> (i128, i128) {
    match data_type {
        DataType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DataType::U8 => (0, u8::MAX.into()),
        DataType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DataType::U16 => (0, u16::MAX.into()),
        DataType::I32 => (i32::MIN.into(), i32::MAX.into()),
        DataType::U32 => (0, u32::MAX.into()),
        DataType::I64 => (i64::MIN.into(), i64::MAX.into()),
        _ => (0, u64::MAX.into()),
    }
}

fn element(data_type: DataType) -> BoxedStrategy<Number> {
    match data_type {
        DataType::F32 => prop_oneof![
            4 => (-300i32..300).prop_map(|x| Float(x.into())),
            1 => any::<f32>().prop_map(|x| Float(x.into())),
            1 => (-1e6f32..1e6).prop_map(|x| Float(x.into())),
            1 => Just(Float(f64::from(9.969_21e36f32))),
        ]
        .boxed(),
        DataType::F64 => prop_oneof![
            4 => (-300i32..300).prop_map(|x| Float(x.into())),
            1 => any::<f64>().prop_map(Float),
            1 => (-3000i64..3000, -9i32..9).prop_map(|(x, e)| Float(x as f64 + f64::from(e) * 2.5e-7)),
            1 => Just(Float(9.969_209_968_386_869e36)),
        ]
        .boxed(),
        integer => {
            let (low, high) = limits(integer);
            prop_oneof![
                4 => (low.max(-300)..high.min(300)).prop_map(Int),
                1 => (low..=high).prop_map(Int),
                1 => prop_oneof![Just(Int(low)), Just(Int(high)), Just(Int(low + 1)), Just(Int(high - 1))],
            ]
            .boxed()
        }
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let types = (0usize..10, 0usize..10).prop_map(|(a, b)| (NUMBER_TYPES[a], NUMBER_TYPES[b]));
    types.prop_flat_map(|(from, to)| {
        let marks = (
            prop::option::of(0usize..4),
            prop::option::of(0usize..4),
            prop::option::weighted(0.3, (0usize..4, 0usize..4)),
        );
        let packing = (
            prop::option::weighted(0.3, prop::sample::select(vec![2.0, 0.5, 0.1, 1.0, -3.0, 1e300, 1e35])),
            prop::option::weighted(0.3, prop::sample::select(vec![0.0, 10.0, 0.25, -1e5])),
        );
        let change = prop::option::weighted(0.4, prop::sample::select(CHANGES.to_vec()));
        let raw = prop_oneof![
            9 => prop::collection::vec(element(from), 4..40),
            1 => prop::collection::vec(element(from), 1020..2060),
        ];
        let rest = (prop::option::of(any::<i8>().prop_map(|x| x & 0x7f)), any::<bool>(), 0usize..4);
        (raw, marks, packing, change, rest).prop_map(
            move |(raw, (fill, missing, range), (scale, offset), change, (agg_fill, lossy, lead))| Case {
                from,
                to,
                raw,
                fill,
                missing,
                range,
                scale,
                offset,
                change,
                agg_fill,
                lossy,
                lead,
            },
        )
    })
}

fn typed(data_type: DataType, number: Number) -> Values {
    let int = match number {
        Int(int) => int,
        Float(float) => float as i128,
    };
    match data_type {
        DataType::I8 => Values::I8(vec![int as i8]),
        DataType::U8 => Values::U8(vec![int as u8]),
        DataType::I16 => Values::I16(vec![int as i16]),
        DataType::U16 => Values::U16(vec![int as u16]),
        DataType::I32 => Values::I32(vec![int as i32]),
        DataType::U32 => Values::U32(vec![int as u32]),
        DataType::I64 => Values::I64(vec![int as i64]),
        DataType::U64 => Values::U64(vec![int as u64]),
        DataType::F32 => Values::F32(vec![as_float(number) as f32]),
        _ => Values::F64(vec![as_float(number)]),
    }
}

fn as_float(number: Number) -> f64 {
    match number {
        Int(int) => int as f64,
        Float(float) => float,
    }
}

/// What unpacking and units make of a number.
enum Value {
    Number(Number),
    /// An exact fraction: dividend and divisor.
    Fraction(i128, i128),
    /// An integer as doubles have it, which may be another than it ought to be.
    Rounded(f64),
    /// It did not stay finite.
    Lost,
}

/// Equal, with NaN equal to itself.
fn same(a: Number, b: Number) -> bool {
    match (a, b) {
        (Int(a), Int(b)) => a == b,
        (a, b) => as_float(a) == as_float(b) || as_float(a).is_nan() && as_float(b).is_nan(),
    }
}

fn less(a: Number, b: Number) -> bool {
    match (a, b) {
        (Int(a), Int(b)) => a < b,
        (a, b) => as_float(a) < as_float(b),
    }
}

fn default_fill(data_type: DataType) -> Number {
    match data_type {
        DataType::I8 => Int(-127),
        DataType::U8 => Int(255),
        DataType::I16 => Int(-32767),
        DataType::I32 => Int(-2_147_483_647),
        DataType::I64 => Int(-9_223_372_036_854_775_806),
        DataType::U64 => Int(18_446_744_073_709_551_614),
        DataType::F32 | DataType::F64 => Float(9.969_209_968_386_869e36),
        other => Int(limits(other).1),
    }
}

impl Case {
    fn attribute(&self, name: &str, data_type: DataType, index: usize) -> Attribute {
        Attribute { name: name.into(), value: typed(data_type, self.raw[index]) }
    }

    fn fragment(&self) -> Attributes {
        let mut list = Vec::new();
        list.extend(self.fill.map(|i| self.attribute("_FillValue", self.from, i)));
        list.extend(self.missing.map(|i| self.attribute("missing_value", self.from, i)));
        if let Some((low, high)) = self.range {
            list.push(self.attribute("valid_min", self.from, low));
            list.push(self.attribute("valid_max", self.from, high));
        }
        let double = |name: &str, x| Attribute { name: name.into(), value: Values::F64(vec![x]) };
        list.extend(self.scale.map(|x| double("scale_factor", x)));
        list.extend(self.offset.map(|x| double("add_offset", x)));
        list.extend(self.change.map(|c| units(c.from)));
        Attributes::new(list)
    }

    fn aggregation(&self) -> Attributes {
        let mut list: Vec<Attribute> = self.change.map(|c| units(c.to)).into_iter().collect();
        list.extend(
            self.agg_fill
                .map(|x| Attribute { name: "_FillValue".into(), value: typed(self.to, Int(x.into())) }),
        );
        Attributes::new(list)
    }

    fn is_missing(&self, x: Number) -> bool {
        let marked = |i: Option<usize>| i.is_some_and(|i| same(x, self.raw[i]));
        let default = self.fill.is_none() && self.from.size() != Some(1) && same(x, default_fill(self.from));
        let outside = self.range.is_some_and(|(low, high)| less(x, self.raw[low]) || less(self.raw[high], x));
        marked(self.fill) || marked(self.missing) || default || outside
    }

    /// The value in the aggregation's units.
    fn value(&self, x: Number) -> Value {
        let change = self.change.unwrap_or(ratio("", "", 1, 0, 1));
        let (scale, offset) = (self.scale.unwrap_or(1.0), self.offset.unwrap_or(0.0));
        let whole = scale.fract() == 0.0 && offset.fract() == 0.0 && change.double.is_none();
        // Factors of 2^100 and more are not taken for integers.
        if let (Int(x), true, true, true) = (x, whole, self.to.is_integer(), scale < 1e30) {
            let step = |x: i128, by: i128, add: i128| x.checked_mul(by)?.checked_add(add);
            let top = step(x, scale as i128, offset as i128).and_then(|x| step(x, change.mul, change.add));
            return top.map_or(Value::Lost, |top| Value::Fraction(top, change.div));
        }
        let same = change.double.is_none() && (change.mul, change.add, change.div) == (1, 0, 1);
        if scale == 1.0 && offset == 0.0 && same {
            return Value::Number(x);
        }
        let y = as_float(x) * scale + offset;
        let z = match change {
            Change { double: Some(change), .. } => change(y),
            Change { from: "m", .. } => y * 0.001,
            Change { mul, add, div, .. } => y * mul as f64 / div as f64 + add as f64 / div as f64,
        };
        let whole = matches!(x, Int(_)) && self.to.is_integer();
        if as_float(x).is_finite() && !(y.is_finite() && z.is_finite()) {
            return Value::Lost;
        }
        if whole && (as_float(x).abs() >= INTEGERS || z.abs() >= INTEGERS) {
            return Value::Rounded(z);
        }
        Value::Number(Float(z))
    }

    /// The canonical number; `Ok(None)` is missing, `Err` a loss.
    fn cast(&self, value: Value) -> Result<Option<Number>, ()> {
        let lossy = |number: Option<Number>| if self.lossy { Ok(number) } else { Err(()) };
        let value = match value {
            Value::Lost => return lossy(None),
            Value::Rounded(_) if !self.lossy => return Err(()),
            Value::Rounded(x) => Ok(Float(x)),
            Value::Number(x) => Ok(x),
            Value::Fraction(top, div) => Err((top, div)),
        };
        if self.to.is_float() {
            let number = value.map_err(|_| ())?;
            let too_large = self.to == DataType::F32
                && as_float(number).is_finite()
                && !(as_float(number) as f32).is_finite();
            return if too_large { lossy(None) } else { Ok(Some(number)) };
        }
        let (low, high) = limits(self.to);
        let good = |int: i128| (low..=high).contains(&int);
        let (rounded, cut) = match value {
            Ok(Int(int)) => (Some(int), int),
            Err((top, div)) => ((top % div == 0).then_some(top / div), top / div),
            Ok(Float(x)) => {
                let direct = self.scale.is_none_or(|s| s == 1.0)
                    && self.offset.is_none_or(|o| o == 0.0)
                    && self.change.is_none_or(|c| c.from == "K");
                let place = if self.from == DataType::F32 && direct {
                    let x = (x as f32).abs();
                    f64::from(f32::from_bits(x.to_bits() + 1) - x)
                } else {
                    let x = x.abs();
                    f64::from_bits(x.to_bits().wrapping_add(1)) - x
                };
                let near = (x - x.round_ties_even()).abs() <= (4.0 * place).max(1e-6);
                if !x.is_finite() {
                    (None, i128::MAX)
                } else {
                    (near.then(|| x.round_ties_even() as i128), x.trunc() as i128)
                }
            }
        };
        match rounded.filter(|&int| good(int)) {
            Some(int) => Ok(Some(Int(int))),
            None if self.lossy => Ok(Some(Int(cut)).filter(|_| good(cut))),
            None => Err(()),
        }
    }
}

fn units(text: &str) -> Attribute {
    Attribute { name: "units".into(), value: Values::Char(text.as_bytes().to_vec()) }
}

fn bytes(data_type: DataType, number: Number) -> Vec<u8> {
    typed(data_type, number).native_bytes_at(0).unwrap()
}

fn number_in(data_type: DataType, bytes: &[u8]) -> Number {
    let values = Values::from_native_bytes(data_type, bytes).unwrap();
    values.int_at(0).map_or_else(|| Float(values.f64_at(0).unwrap()), Int)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_element_is_what_the_oracle_says(case in cases()) {
        let target = Target::new(&case.aggregation(), case.to);
        let conversion =
            Conversion::new(&case.fragment(), case.from, None, None, &target, case.lossy).unwrap();
        let mut raw = vec![0; case.lead];
        raw.extend(case.raw.iter().flat_map(|&x| bytes(case.from, x)));
        let raw = &raw[case.lead..];
        let size = case.to.size().unwrap();
        let mut padded = vec![0; case.lead + case.raw.len() * size];
        let out = &mut padded[case.lead..];
        let mut mask = vec![0; case.raw.len()];
        let answer = conversion.apply(raw, out, Some(&mut mask));

        let expected: Result<Vec<Option<Number>>, ()> = case
            .raw
            .iter()
            .map(|&x| if case.is_missing(x) { Ok(None) } else { case.cast(case.value(x)) })
            .collect();
        prop_assert_eq!(answer.is_err(), expected.is_err(), "{:?}", answer);
        let Ok(mut expected) = expected else { return Ok(()) };
        let fill = case.agg_fill.map_or(default_fill(case.to), |x| Int(x.into()));
        let expressible = case.agg_fill.is_some() || size > 1;
        // The missing values of the aggregation variable apply, in its own type.
        for number in expected.iter_mut().filter(|_| expressible) {
            let in_type = |x: Number| number_in(case.to, &bytes(case.to, x));
            if number.is_some_and(|number| same(in_type(number), in_type(fill))) {
                *number = None;
            }
        }
        for (i, (number, got)) in expected.iter().zip(out.chunks(size)).enumerate() {
            prop_assert_eq!(mask[i] == 1, number.is_some(), "element {}", i);
            if number.is_some() || expressible {
                let wanted = number.unwrap_or(fill);
                let got = number_in(case.to, got);
                // Rounded to the type that is asked for; the sign of zero does not count.
                let wanted = number_in(case.to, &bytes(case.to, wanted));
                prop_assert!(same(got, wanted), "element {}: {:?} is not {:?}", i, got, wanted);
            }
        }

        let mut unmasked = vec![0; out.len()];
        let answer = conversion.apply(raw, &mut unmasked, None);
        prop_assert_eq!(answer.is_ok(), expressible || expected.iter().all(Option::is_some));
        if answer.is_ok() {
            prop_assert!(unmasked == out || case.to.is_float());
        }
        if conversion.is_identity() {
            prop_assert!(out == raw || case.to.is_float());
        }
    }

    /// From a variable's own type to any other: the same rules without units and packing.
    #[test]
    fn a_requested_type_gives_what_the_oracle_says(mut case in cases()) {
        (case.range, case.scale, case.offset, case.change, case.agg_fill) = (None, None, None, None, None);
        let target = Target::new(&case.fragment(), case.from);
        let conversion = Conversion::for_request(&target, case.to, case.lossy).unwrap();
        let raw: Vec<u8> = case.raw.iter().flat_map(|&x| bytes(case.from, x)).collect();
        let size = case.to.size().unwrap();
        let (mut out, mut mask) = (vec![0; case.raw.len() * size], vec![0; case.raw.len()]);
        let answer = conversion.apply(&raw, &mut out, Some(&mut mask));
        let expected: Result<Vec<Option<Number>>, ()> = case
            .raw
            .iter()
            .map(|&x| if case.is_missing(x) { Ok(None) } else { case.cast(Value::Number(x)) })
            .collect();
        prop_assert_eq!(answer.is_err(), expected.is_err(), "{:?}", answer);
        let Ok(expected) = expected else { return Ok(()) };
        for (i, (number, got)) in expected.iter().zip(out.chunks(size)).enumerate() {
            prop_assert_eq!(mask[i] == 1, number.is_some(), "element {}", i);
            if let Some(wanted) = number {
                let wanted = number_in(case.to, &bytes(case.to, *wanted));
                prop_assert!(same(number_in(case.to, got), wanted), "element {}", i);
            }
        }
    }
}
