//! Changes valid numbers between masking and casting: unpacking, then units, in double precision.
//!
//! If stored and canonical numbers are both integers and every factor is an exact ratio, this is done in integers, so
//! that values beyond 2^53 are exact. If a factor is not, integers from 2^53 on are lost, and so is a finite number
//! that does not stay finite.

use super::number::{Number, Scalar};
use super::units::Converter;
use super::unpack::Packing;

/// `(x * mul + add) / div` in integers; `div` is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rational {
    pub mul: i128,
    pub add: i128,
    pub div: i128,
}

impl Rational {
    /// Returns the ratio in lowest terms, or `None` if the divisor is zero or a number is too large.
    pub fn new(mul: i128, add: i128, div: i128) -> Option<Rational> {
        let common = gcd(gcd(mul, add), div);
        let common = if div < 0 { -common } else { common };
        (div != 0 && div != i128::MIN && common != 0).then(|| Rational {
            mul: mul / common,
            add: add / common,
            div: div / common,
        })
    }

    /// Returns whether it changes nothing.
    pub fn is_identity(self) -> bool {
        self == Rational { mul: 1, add: 0, div: 1 }
    }

    /// Applies `self`, then `next`. Returns `None` if the factors become too large.
    fn then(self, next: Rational) -> Option<Rational> {
        Some(Rational {
            mul: self.mul.checked_mul(next.mul)?,
            add: self.add.checked_mul(next.mul)?.checked_add(next.add.checked_mul(self.div)?)?,
            div: self.div.checked_mul(next.div)?,
        })
    }

    /// Returns the value if it is an integer within a millionth. With `lossy`, returns any other value without its
    /// fraction.
    fn apply(self, x: i128, lossy: bool) -> Option<i128> {
        let top = x.checked_mul(self.mul)?.checked_add(self.add)?;
        if self.div == 1 {
            return Some(top);
        }
        let (whole, rest) = (top.div_euclid(self.div), top.rem_euclid(self.div));
        let near = self.div / 1_000_000;
        if rest <= near {
            Some(whole)
        } else if self.div - rest <= near {
            Some(whole + 1)
        } else if lossy {
            Some(top / self.div)
        } else {
            None
        }
    }
}

/// The change of units.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Measure {
    /// The units mean the same.
    Same,
    /// By the definitions of the units.
    Converter(Converter),
    /// By an exact ratio and shift, as between reference times.
    Ratio(Rational),
}

impl Measure {
    /// Returns the same change as an exact ratio, if the doubles of a converter represent one.
    fn exact(&self) -> Option<Rational> {
        match self {
            Measure::Same => Some(Rational { mul: 1, add: 0, div: 1 }),
            Measure::Ratio(ratio) => Some(*ratio),
            Measure::Converter(Converter::Linear { slope, intercept }) => {
                let (mul, div) = match (integer(*slope), integer(1.0 / slope)) {
                    (Some(mul), _) => (mul, 1),
                    (None, Some(div)) if 1.0 / div as f64 == *slope && div > 0 => (1, div),
                    _ => return None,
                };
                Some(Rational { mul, add: integer(intercept * div as f64)?, div })
            }
            Measure::Converter(_) => None,
        }
    }

    fn apply_all(&self, values: &mut [f64]) {
        match self {
            Measure::Same => {}
            Measure::Converter(converter @ Converter::Other(_)) => {
                values.iter_mut().for_each(|x| *x = converter.apply_finite(*x));
            }
            Measure::Converter(converter) => converter.apply_all(values),
            Measure::Ratio(Rational { mul, add, div }) => {
                let common = gcd(*mul, *div);
                let (up, down) = ((mul / common) as f64, (div / common) as f64);
                let shift = quotient(*add, *div);
                // A whole factor or divisor is rounded only once; a shift of whole units is exact.
                if down == 1.0 {
                    values.iter_mut().for_each(|x| *x = *x * up + shift);
                } else {
                    values.iter_mut().for_each(|x| *x = *x * up / down + shift);
                }
            }
        }
    }
}

/// Unpacking and the change of units.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arithmetic {
    packing: Option<Packing>,
    measure: Measure,
    exact: Option<Rational>,
}

impl Arithmetic {
    pub fn new(packing: Option<Packing>, measure: Measure) -> Arithmetic {
        let unpack = packing.map_or(Some(Rational { mul: 1, add: 0, div: 1 }), Packing::exact);
        let exact = unpack.and_then(|first| first.then(measure.exact()?));
        Arithmetic { packing, measure, exact }
    }

    /// Returns whether numbers stay as they are.
    pub fn is_identity(&self) -> bool {
        self.packing.is_none() && self.measure == Measure::Same
    }

    /// Returns the integer form, for integers on both sides.
    pub fn exact(&self) -> Option<Rational> {
        self.exact
    }

    /// Converts stored numbers to canonical ones in double precision. Numbers that are lost become non-finite.
    pub fn apply<T: Number>(&self, stored: &[T], values: &mut [f64]) {
        match self.packing {
            Some(Packing { scale, offset, .. }) => {
                for (y, x) in values.iter_mut().zip(stored) {
                    *y = x.to_f64() * scale + offset;
                }
            }
            None => {
                for (y, x) in values.iter_mut().zip(stored) {
                    *y = x.to_f64();
                }
            }
        }
        if matches!(self.measure, Measure::Converter(Converter::Other(_))) {
            // Unlike an infinity, NaN stays NaN in all later steps.
            for (y, x) in values.iter_mut().zip(stored) {
                *y = if x.is_finite() && !y.is_finite() { f64::NAN } else { *y };
            }
        }
        self.measure.apply_all(values);
    }
}

/// Returns the index of the first valid integer that double precision cannot distinguish from its neighbours, before or
/// after.
pub(super) fn rounded<T: Number>(stored: &[T], values: &[f64], valid: &[u8]) -> Option<usize> {
    /// From here on a double may represent several integers.
    const INTEGERS: f64 = 9_007_199_254_740_992.0;
    let is = |x: T, y: f64| (x.to_f64().abs() >= INTEGERS) | (y.abs() >= INTEGERS);
    (0..values.len()).find(|&i| valid[i] != 0 && is(stored[i], values[i]))
}

/// Returns the index of the first valid number that was finite and no longer is. With `lossy` these become invalid
/// instead.
pub(super) fn infinite<T: Number, U: Number>(
    stored: &[T],
    values: &[U],
    valid: &mut [u8],
    lossy: bool,
) -> Option<usize> {
    if U::are_finite(values) {
        return None;
    }
    let is = |i: usize, valid: &[u8]| valid[i] != 0 && stored[i].is_finite() && !values[i].is_finite();
    if !lossy {
        return (0..values.len()).find(|&i| is(i, valid));
    }
    for i in 0..values.len() {
        valid[i] &= u8::from(!is(i, valid));
    }
    None
}

/// Like [`super::cast::cast_all`], for integers through an exact ratio.
pub(super) fn cast_exactly<T: Number, U: Number>(
    ratio: Rational,
    from: &[T],
    to: &mut [U],
    valid: &mut [u8],
    lossy: bool,
) -> Option<usize> {
    for (i, ((x, y), v)) in from.iter().zip(to).zip(valid).enumerate() {
        if *v == 0 {
            continue;
        }
        match x.to_int().and_then(|x| ratio.apply(x, lossy)).and_then(|value| U::of(Scalar::Int(value))) {
            Some(value) => *y = value,
            None if lossy => *v = 0,
            None => return Some(i),
        }
    }
    None
}

/// Returns a double as an integer if it is one exactly.
fn integer(x: f64) -> Option<i128> {
    match Scalar::of(x) {
        Scalar::Int(int) => Some(int),
        Scalar::Float(float) => (float == 0.0).then_some(0),
    }
}

fn quotient(a: i128, b: i128) -> f64 {
    (a / b) as f64 + (a % b) as f64 / b as f64
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // The divisor does not fit only if both arguments are the lowest number.
    i128::try_from(a).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(slope: f64, intercept: f64) -> Measure {
        Measure::Converter(Converter::Linear { slope, intercept })
    }

    #[test]
    fn whole_factors_and_divisors_are_exact_ratios() {
        assert_eq!(linear(1000.0, 0.0).exact(), Rational::new(1000, 0, 1));
        assert_eq!(linear(0.001, 0.0).exact(), Rational::new(1, 0, 1000));
        assert_eq!(linear(1.0, 273.15).exact(), None);
        assert_eq!(linear(1.8, 32.0).exact(), None);
    }

    #[test]
    fn integers_beyond_doubles_survive_a_shift() {
        let shift = Arithmetic::new(None, Measure::Ratio(Rational::new(1, 86_400, 1).unwrap()));
        let stored = [(1i64 << 53) + 1];
        let mut out = [0i64];
        assert_eq!(cast_exactly(shift.exact().unwrap(), &stored, &mut out, &mut [1], false), None);
        assert_eq!(out[0], (1 << 53) + 86_401);
    }

    #[test]
    fn a_ratio_that_leaves_a_fraction_is_lost_or_cut() {
        let hours_to_days = Rational::new(1, -24, 24).unwrap();
        let mut out = [0i32; 3];
        let stored = [48i32, 12, 36];
        assert_eq!(cast_exactly(hours_to_days, &stored, &mut out, &mut [1, 1, 1], false), Some(1));
        assert_eq!(cast_exactly(hours_to_days, &stored, &mut out, &mut [1, 1, 1], true), None);
        assert_eq!(out, [1, 0, 0]);
        assert_eq!(cast_exactly(hours_to_days, &stored, &mut out, &mut [1, 0, 0], false), None);
    }

    #[test]
    fn ratios_compose_in_order() {
        let unpack = Rational::new(10, 5, 1).unwrap();
        let both = unpack.then(Rational::new(1, 1, 3).unwrap()).unwrap();
        assert_eq!(both.apply(3, false), Some(12));
        assert_eq!(both.apply(4, false), None);
        assert_eq!(both.apply(i128::MAX, true), None);
    }

    #[test]
    fn unpacking_comes_before_units() {
        let attributes = crate::Attributes::new(vec![crate::Attribute {
            name: "scale_factor".into(),
            value: crate::Values::F64(vec![0.5]),
        }]);
        let steps = Arithmetic::new(Packing::of(&attributes).unwrap(), linear(1.0, 273.15));
        let mut values = [0.0; 2];
        steps.apply(&[2i16, -4], &mut values);
        assert_eq!(values, [274.15, 271.15]);
    }
}
