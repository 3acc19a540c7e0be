//! Converts numbers to another type without silent loss.
//!
//! A number is always cast to a floating type (whether finite numbers stayed finite is checked afterwards, for all
//! steps at once). An integer is cast to an integer type exactly. A floating number is cast to an integer type, and
//! rounded, if it lies within 1e-6, or 4 units in the last place of its own type, of an integer in range. Everything
//! else fails unless loss is allowed: then the fraction is cut off, and what is out of range becomes missing.

use super::number::Number;

/// A number that can be converted to type `To`.
pub(super) trait Cast<To>: Number {
    /// Returns the value in the other type, and whether nothing is lost.
    fn cast(self) -> (To, bool);
    /// Returns the value in the other type with its fraction cut off, and whether it is in range.
    fn cut(self) -> (To, bool);
}

/// A number that can be converted to every numeric type.
pub(super) trait CastToAll:
    Cast<i8>
    + Cast<u8>
    + Cast<i16>
    + Cast<u16>
    + Cast<i32>
    + Cast<u32>
    + Cast<i64>
    + Cast<u64>
    + Cast<f32>
    + Cast<f64>
{
}

impl<T> CastToAll for T where
    T: Cast<i8>
        + Cast<u8>
        + Cast<i16>
        + Cast<u16>
        + Cast<i32>
        + Cast<u32>
        + Cast<i64>
        + Cast<u64>
        + Cast<f32>
        + Cast<f64>
{
}

/// Casts valid elements. Returns the index of the first that would lose something; with `lossy` these become invalid
/// instead.
pub(super) fn cast_all<T: Cast<U>, U>(
    from: &[T],
    to: &mut [U],
    valid: &mut [u8],
    lossy: bool,
) -> Option<usize> {
    let elements = from.iter().zip(to.iter_mut()).zip(valid.iter_mut());
    if lossy {
        for ((&x, y), v) in elements {
            let (value, good) = x.cut();
            *y = value;
            *v &= u8::from(good);
        }
        return None;
    }
    let mut lost = 0;
    for ((&x, y), v) in elements {
        let (value, good) = x.cast();
        *y = value;
        lost |= *v & u8::from(!good);
    }
    (lost != 0).then(|| from.iter().zip(valid.iter()).position(|(x, &v)| v != 0 && !x.cast().1)).flatten()
}

/// Returns the nearest integer, ties to even, with arithmetic that vectorises on every machine.
fn nearest(x: f64) -> f64 {
    const INTEGERS: f64 = 4_503_599_627_370_496.0; // 2^52: doubles from here on have no fraction
    let magnitude = x.abs();
    let rounded = ((magnitude + INTEGERS) - INTEGERS).copysign(x);
    if magnitude < INTEGERS {
        rounded
    } else {
        x
    }
}

fn tolerance(last_place: f64) -> f64 {
    (4.0 * last_place).max(1e-6)
}

/// Returns the distance between neighbours at this magnitude, from the power of two below it.
fn last_place_f64(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000) * f64::EPSILON
}

fn last_place_f32(x: f32) -> f64 {
    f64::from(f32::from_bits(x.to_bits() & 0x7f80_0000)) * f64::from(f32::EPSILON)
}

macro_rules! to_float {
    ($($from:ty),* => $to:ty) => {$(
        impl Cast<$to> for $from {
            fn cast(self) -> ($to, bool) {
                (self as $to, true)
            }
            fn cut(self) -> ($to, bool) {
                (self as $to, true)
            }
        }
    )*};
}

macro_rules! integer_to_integer {
    ($($from:ty),* => $to:ty) => {$(
        impl Cast<$to> for $from {
            fn cast(self) -> ($to, bool) {
                let value = self as $to;
                // If converting back returns the same bits and the signs are equal, the value is the same.
                (value, value as $from == self && (value < (0 as $to)) == (self < (0 as $from)))
            }
            fn cut(self) -> ($to, bool) {
                Cast::<$to>::cast(self)
            }
        }
    )*};
}

macro_rules! float_to_integer {
    ($from:ty, $last_place:ident => $($to:ty),*) => {$(
        impl Cast<$to> for $from {
            fn cast(self) -> ($to, bool) {
                let x = f64::from(self);
                let rounded = nearest(x);
                let near = (x - rounded).abs() <= tolerance($last_place(self));
                (rounded as $to, near & within::<$to>(rounded))
            }
            fn cut(self) -> ($to, bool) {
                match Cast::<$to>::cast(self) {
                    (value, true) => (value, true),
                    _ => {
                        let cut = f64::from(self).trunc();
                        (cut as $to, within::<$to>(cut))
                    }
                }
            }
        }
    )*};
}

fn within<T: Number>(integer: f64) -> bool {
    // The highest value of a 64-bit type rounds up to the first that is out of range; those of other types are exact.
    let highest = T::HIGHEST.to_f64();
    let below = if T::SIZE == 8 { integer < highest } else { integer <= highest };
    (integer >= T::LOWEST.to_f64()) & below
}

macro_rules! all_to {
    ($macro:ident => $($to:ty),*) => {
        $($macro!(i8, u8, i16, u16, i32, u32, i64, u64 => $to);)*
    };
}

all_to!(integer_to_integer => i8, u8, i16, u16, i32, u32, i64, u64);
all_to!(to_float => f32, f64);
to_float!(f32, f64 => f32);
to_float!(f32, f64 => f64);
float_to_integer!(f32, last_place_f32 => i8, u8, i16, u16, i32, u32, i64, u64);
float_to_integer!(f64, last_place_f64 => i8, u8, i16, u16, i32, u32, i64, u64);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn integers_beyond_doubles_survive() {
        let odd = (1i64 << 53) + 1;
        assert_eq!(Cast::<u64>::cast(odd), (odd as u64, true));
        assert!(!Cast::<i64>::cast(u64::MAX - 1).1);
        assert!(!Cast::<u64>::cast(-1i64).1);
        assert!(!Cast::<u8>::cast(-1i8).1);
        assert!(!Cast::<i8>::cast(255u8).1);
        assert_eq!(Cast::<i8>::cast(-128i32), (-128, true));
    }

    #[test]
    fn floating_numbers_within_a_millionth_of_an_integer_are_rounded_to_it() {
        assert_eq!(Cast::<i32>::cast(2.999_999_5f64), (3, true));
        assert_eq!(Cast::<i32>::cast(-3.000_000_5f64), (-3, true));
        assert!(!Cast::<i32>::cast(2.999_99f64).1);
        assert!(!Cast::<i32>::cast(2.5f64).1);
        assert!(!Cast::<i32>::cast(f64::NAN).1);
        assert!(!Cast::<i32>::cast(f64::INFINITY).1);
    }

    #[test]
    fn large_floating_numbers_may_be_four_last_places_off() {
        let step = 2f64.powi(-12); // neighbours of 2^40
        assert_eq!(Cast::<i64>::cast(2f64.powi(40) + 4.0 * step), (1 << 40, true));
        assert!(!Cast::<i64>::cast(2f64.powi(40) + 5.0 * step).1);
        assert_eq!(Cast::<i32>::cast(1_000.000_06_f32), (1000, true));
        assert!(!Cast::<i32>::cast(1000.001f32).1);
    }

    #[test]
    fn range_ends_are_exact() {
        assert_eq!(Cast::<i64>::cast(-(2f64.powi(63))), (i64::MIN, true));
        assert!(!Cast::<i64>::cast(2f64.powi(63)).1);
        assert!(!Cast::<u64>::cast(2f64.powi(64)).1);
        assert_eq!(Cast::<u8>::cast(255.0f32), (255, true));
        assert!(!Cast::<u8>::cast(256.0f32).1);
        assert_eq!(Cast::<u8>::cast(-0.0f64), (0, true));
        assert_eq!(Cast::<i32>::cast(2_147_483_647.0f64), (i32::MAX, true));
    }

    #[test]
    fn lossy_casts_cut_toward_zero_and_mark_what_is_out_of_range() {
        assert_eq!(Cast::<i32>::cut(-1.75f64), (-1, true));
        assert_eq!(Cast::<u8>::cut(-0.5f64), (0, true));
        assert_eq!(Cast::<u8>::cut(255.999_999_9f64), (255, true));
        assert_eq!(Cast::<i32>::cut(2.999_999_9f64), (3, true));
        assert!(!Cast::<u8>::cut(300.5f64).1);
        assert!(!Cast::<u8>::cut(f64::NAN).1);
        assert!(!Cast::<u8>::cut(-1i16).1);
    }

    #[test]
    fn the_first_lost_value_is_named_and_missing_ones_do_not_count() {
        let mut valid = [1, 0, 1, 1];
        let mut out = [0i32; 4];
        assert_eq!(cast_all(&[1.0, 0.5, 2.5, 3.5], &mut out, &mut valid, false), Some(2));
        assert_eq!(cast_all(&[1.0, 0.5, 2.0, 3.0], &mut out, &mut valid, false), None);
        assert_eq!(out, [1, 0, 2, 3]);
        assert_eq!(cast_all(&[1.5, 0.5, 1e10, 3.0], &mut out, &mut valid, true), None);
        assert_eq!(valid, [1, 0, 0, 1]);
    }

    proptest! {
        #[test]
        fn nearest_is_round_ties_even(x: f64) {
            prop_assert!(nearest(x) == x.round_ties_even() || x.is_nan());
        }

        #[test]
        fn integer_casts_keep_the_value_or_say_no(x: i64) {
            let (value, good) = Cast::<u32>::cast(x);
            prop_assert_eq!(good, u32::try_from(x) == Ok(value));
            let (value, good) = Cast::<i16>::cast(x >> (x & 63));
            prop_assert_eq!(good, i16::try_from(x >> (x & 63)) == Ok(value));
        }
    }
}
