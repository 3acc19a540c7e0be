//! The ten numeric types as one trait, and attribute numbers of any type by their value.

use crate::bytes::{arrays, arrays_mut};
use crate::{Attributes, DataType, Values};

/// A number of an attribute, by value: exact integer or double.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    Int(i128),
    Float(f64),
}

impl Scalar {
    /// Returns element `i` of an attribute's value, or `None` for text or if `i` is out of range.
    ///
    /// Floating numbers without a fraction are integers here, so that `-999.` means `-999`.
    pub fn at(values: &Values, i: usize) -> Option<Scalar> {
        if let Some(int) = values.int_at(i) {
            return Some(Scalar::Int(int));
        }
        values.f64_at(i).map(Scalar::of)
    }

    /// Converts a double, to an integer if it is one below 2^100.
    pub fn of(float: f64) -> Scalar {
        let negative_zero = float == 0.0 && float.is_sign_negative();
        if float.trunc() == float && float.abs() < 2f64.powi(100) && !negative_zero {
            Scalar::Int(float as i128)
        } else {
            Scalar::Float(float)
        }
    }

    /// Returns all numbers of the attribute of this name; none if it is absent or text.
    pub fn all(attributes: &Attributes, name: &str) -> Vec<Scalar> {
        let Some(values) = attributes.get(name) else { return Vec::new() };
        (0..values.len()).filter_map(|i| Scalar::at(values, i)).collect()
    }

    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Int(int) => int as f64,
            Scalar::Float(float) => float,
        }
    }
}

/// A type of stored or canonical numbers.
pub(super) trait Number:
    Copy + PartialEq + PartialOrd + Default + std::fmt::Debug + Send + Sync + 'static
{
    const TYPE: DataType;
    const SIZE: usize = size_of::<Self>();
    const LOWEST: Self;
    const HIGHEST: Self;

    /// Copies elements from bytes of any alignment; both hold the same number of elements.
    fn load(bytes: &[u8], into: &mut [Self]);
    /// Copies elements into bytes of any alignment; both hold the same number of elements.
    fn store(values: &[Self], into: &mut [u8]);
    fn to_f64(self) -> f64;
    fn is_finite(self) -> bool;
    /// Returns whether all values are finite.
    fn are_finite(values: &[Self]) -> bool;
    /// Returns the exact integer, or `None` for floating types.
    fn to_int(self) -> Option<i128>;
    /// Returns the number of this type that an attribute's number means: exact for integers, nearest for floating
    /// types.
    fn of(scalar: Scalar) -> Option<Self>;
    /// Returns a lower (`up`) or upper bound for values of this type, or `None` if no value of the type is within it.
    fn bound(scalar: Scalar, up: bool) -> Option<Self>;
}

macro_rules! split {
    ($lowest:ident, $highest:ident) => {
        const LOWEST: Self = Self::$lowest;
        const HIGHEST: Self = Self::$highest;

        fn load(bytes: &[u8], into: &mut [Self]) {
            let chunks = arrays::<{ size_of::<Self>() }>(bytes);
            for (place, chunk) in into.iter_mut().zip(chunks) {
                *place = Self::from_ne_bytes(*chunk);
            }
        }

        fn store(values: &[Self], into: &mut [u8]) {
            let chunks = arrays_mut::<{ size_of::<Self>() }>(into);
            for (chunk, value) in chunks.iter_mut().zip(values) {
                *chunk = value.to_ne_bytes();
            }
        }

        fn to_f64(self) -> f64 {
            self as f64
        }
    };
}

macro_rules! integers {
    ($($t:ty => $name:ident),*) => {$(
        impl Number for $t {
            const TYPE: DataType = DataType::$name;
            split!(MIN, MAX);

            fn is_finite(self) -> bool {
                true
            }

            fn are_finite(_: &[Self]) -> bool {
                true
            }

            fn to_int(self) -> Option<i128> {
                Some(self as i128)
            }

            fn of(scalar: Scalar) -> Option<Self> {
                match scalar {
                    Scalar::Int(int) => int.try_into().ok(),
                    Scalar::Float(float) if float == 0.0 => Some(0),
                    Scalar::Float(_) => None,
                }
            }

            fn bound(scalar: Scalar, up: bool) -> Option<Self> {
                let int = match scalar {
                    Scalar::Int(int) => int,
                    // The cast saturates. NaN bounds nothing and never gets here.
                    Scalar::Float(float) if up => float.ceil() as i128,
                    Scalar::Float(float) => float.floor() as i128,
                };
                match (up, int < Self::MIN as i128, int > Self::MAX as i128) {
                    (true, _, true) | (false, true, _) => None,
                    _ => Some(int.clamp(Self::MIN as i128, Self::MAX as i128) as Self),
                }
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty, $bits:ty => $name:ident),*) => {$(
        impl Number for $t {
            const TYPE: DataType = DataType::$name;
            split!(NEG_INFINITY, INFINITY);

            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }

            fn are_finite(values: &[Self]) -> bool {
                // The highest exponent has all its bits set; without a branch, several values are checked at once.
                let exponent = <$t>::INFINITY.to_bits();
                let infinite = |x: &$t| (x.to_bits() & exponent == exponent) as $bits;
                values.iter().fold(0, |any, x| any | infinite(x)) == 0
            }

            fn to_int(self) -> Option<i128> {
                None
            }

            fn of(scalar: Scalar) -> Option<Self> {
                let (nearest, finite) = match scalar {
                    Scalar::Int(int) => (int as $t, true),
                    Scalar::Float(float) => (float as $t, float.is_finite()),
                };
                (nearest.is_finite() || !finite).then_some(nearest)
            }

            fn bound(scalar: Scalar, _: bool) -> Option<Self> {
                // Rounds to the nearest: a bound of 0.1 in double includes 0.1 in float.
                Some(scalar.to_f64() as $t)
            }
        }
    )*};
}

integers!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64);
floats!(f32, u32 => F32, f64, u64 => F64);

/// Evaluates `$body` with `$T` as the Rust type of a numeric [`DataType`], or `$other` for text.
macro_rules! for_type {
    ($data_type:expr, $T:ident => $body:expr, $other:expr) => {
        match $data_type {
            $crate::DataType::I8 => for_type!(@ i8, $T, $body),
            $crate::DataType::U8 => for_type!(@ u8, $T, $body),
            $crate::DataType::I16 => for_type!(@ i16, $T, $body),
            $crate::DataType::U16 => for_type!(@ u16, $T, $body),
            $crate::DataType::I32 => for_type!(@ i32, $T, $body),
            $crate::DataType::U32 => for_type!(@ u32, $T, $body),
            $crate::DataType::I64 => for_type!(@ i64, $T, $body),
            $crate::DataType::U64 => for_type!(@ u64, $T, $body),
            $crate::DataType::F32 => for_type!(@ f32, $T, $body),
            $crate::DataType::F64 => for_type!(@ f64, $T, $body),
            _ => $other,
        }
    };
    (@ $t:ty, $T:ident, $body:expr) => {{
        type $T = $t;
        $body
    }};
}
pub(super) use for_type;

/// Returns the type of the numbers that the stored bytes represent: `_Unsigned` selects the type of the same size with
/// the other signedness.
pub(super) fn sense_of(data_type: DataType, attributes: &Attributes) -> DataType {
    let unsigned = match attributes.text("_Unsigned") {
        Some(text) if text.trim().eq_ignore_ascii_case("true") => true,
        Some(text) if text.trim().eq_ignore_ascii_case("false") => false,
        _ => return data_type,
    };
    match (data_type, unsigned) {
        (DataType::I8, true) => DataType::U8,
        (DataType::I16, true) => DataType::U16,
        (DataType::I32, true) => DataType::U32,
        (DataType::I64, true) => DataType::U64,
        (DataType::U8, false) => DataType::I8,
        (DataType::U16, false) => DataType::I16,
        (DataType::U32, false) => DataType::I32,
        (DataType::U64, false) => DataType::I64,
        _ => data_type,
    }
}

/// Returns the numbers of an attribute about stored values, in the type that [`sense_of`] returns for those.
///
/// An attribute of the stored type is reinterpreted bit by bit; one of another type only if nothing else makes it fit.
pub(super) fn marks_of(
    attributes: &Attributes,
    name: &str,
    stored: DataType,
    sense: DataType,
) -> Vec<Scalar> {
    let same_bits = attributes.get(name).is_some_and(|values| values.data_type() == stored);
    let mut list = Scalar::all(attributes, name);
    if stored != sense {
        for scalar in &mut list {
            if same_bits || !fits(*scalar, sense) {
                *scalar = reinterpret(*scalar, stored, sense);
            }
        }
    }
    list
}

/// Returns the same bits in a type of the other signedness; unchanged if the number does not fit the stored type.
pub(super) fn reinterpret(scalar: Scalar, stored: DataType, sense: DataType) -> Scalar {
    match scalar {
        Scalar::Int(int) if fits(scalar, stored) && !fits(scalar, sense) => {
            let modulus = 1i128 << (8 * stored.size().unwrap_or(8));
            Scalar::Int(if int < 0 { int + modulus } else { int - modulus })
        }
        other => other,
    }
}

/// Returns whether an attribute's number can be a value of this type.
pub(super) fn fits(scalar: Scalar, data_type: DataType) -> bool {
    for_type!(data_type, T => T::of(scalar).is_some(), false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attribute;

    #[test]
    fn a_number_of_another_type_counts_by_its_value() {
        assert_eq!(i16::of(Scalar::of(-999.0)), Some(-999));
        assert_eq!(i16::of(Scalar::of(-999.5)), None);
        assert_eq!(u8::of(Scalar::Int(-1)), None);
        assert_eq!(f32::of(Scalar::Float(1e300)), None);
        assert_eq!(f32::of(Scalar::of(1e20)), Some(1e20));
        assert_eq!(u64::of(Scalar::Int(u64::MAX.into())), Some(u64::MAX));
    }

    #[test]
    fn bounds_of_another_type_are_narrowed_to_values_that_exist() {
        assert_eq!(i16::bound(Scalar::Float(-1.5), true), Some(-1));
        assert_eq!(i16::bound(Scalar::Float(-1.5), false), Some(-2));
        assert_eq!(u8::bound(Scalar::Int(-5), true), Some(0));
        assert_eq!(u8::bound(Scalar::Int(-5), false), None);
        assert_eq!(i8::bound(Scalar::Float(f64::INFINITY), false), Some(127));
    }

    #[test]
    fn unsigned_attribute_reinterprets_marks_of_the_stored_type() {
        let attributes = Attributes::new(vec![
            Attribute { name: "_Unsigned".into(), value: Values::Char(b"true".to_vec()) },
            Attribute { name: "_FillValue".into(), value: Values::I8(vec![-1]) },
            Attribute { name: "missing_value".into(), value: Values::I32(vec![254, -3]) },
        ]);
        let sense = sense_of(DataType::I8, &attributes);
        assert_eq!(sense, DataType::U8);
        assert_eq!(marks_of(&attributes, "_FillValue", DataType::I8, sense), [Scalar::Int(255)]);
        let several = marks_of(&attributes, "missing_value", DataType::I8, sense);
        assert_eq!(several, [Scalar::Int(254), Scalar::Int(253)]);
        assert_eq!(sense_of(DataType::F32, &attributes), DataType::F32);
    }
}
