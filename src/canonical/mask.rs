//! Determines which stored numbers are missing data by a variable's own attributes.
//!
//! CF section 2.5.1, on stored (packed) numbers in their own type: `_FillValue`, every `missing_value`, the range of
//! `valid_min`, `valid_max` or `valid_range`, and without `_FillValue` the type's default fill value, which byte types
//! do not have. NaN is missing only if an attribute says so. Attributes of another numeric type count by their value.

use super::missing::Missing;
use super::number::{marks_of, sense_of, Number, Scalar};
use crate::{Attributes, DataType};
use std::cmp::Ordering;

/// If there are more marks than this, they are searched instead of compared one by one.
const FEW: usize = 8;

/// The missing marks of stored numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mask<T> {
    /// In ascending order, each once, without NaN.
    marks: Vec<T>,
    nan: bool,
    range: Option<(T, T)>,
}

impl<T: Number> Mask<T> {
    /// Returns the marks that the attributes define for a variable of this stored type.
    pub fn of(attributes: &Attributes, stored: DataType) -> Mask<T> {
        let mut mask = Mask::among(&Missing::of(attributes, stored).0.marks);
        let sense = sense_of(stored, attributes);
        let scalars = |name| marks_of(attributes, name, stored, sense);
        let mut lowest: Vec<Scalar> = scalars("valid_min").into_iter().take(1).collect();
        let mut highest: Vec<Scalar> = scalars("valid_max").into_iter().take(1).collect();
        if let [low, high] = scalars("valid_range")[..] {
            lowest.push(low);
            highest.push(high);
        }
        for (bounds, up) in [(lowest, true), (highest, false)] {
            for bound in bounds.into_iter().filter(|bound| !bound.to_f64().is_nan()) {
                mask.restrict(T::bound(bound, up), up);
            }
        }
        mask
    }

    /// Creates a mask with these marks and no range. Numbers that the type cannot hold mark nothing.
    pub fn among(scalars: &[Scalar]) -> Mask<T> {
        let mut mask = Mask { marks: Vec::new(), nan: false, range: None };
        mask.add(scalars);
        mask
    }

    /// Adds marks.
    pub fn add(&mut self, scalars: &[Scalar]) {
        self.nan |= T::TYPE.is_float() && scalars.iter().any(|s| s.to_f64().is_nan());
        self.marks.extend(scalars.iter().filter_map(|&s| T::of(s)).filter(is_number));
        self.marks.sort_by(order);
        self.marks.dedup();
    }

    /// Narrows the range by a lower (`up`) or upper bound. `None` leaves no valid value.
    fn restrict(&mut self, bound: Option<T>, up: bool) {
        let (low, high) = self.range.unwrap_or((T::LOWEST, T::HIGHEST));
        self.range = Some(match bound {
            None => (T::HIGHEST, T::LOWEST),
            Some(bound) if up && bound > low => (bound, high),
            Some(bound) if !up && bound < high => (low, bound),
            Some(_) => (low, high),
        });
    }

    /// Returns whether nothing is ever missing.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty() && !self.nan && self.range.is_none()
    }

    /// Returns whether missing elements can only be ones that already have the value `value`.
    pub fn only(&self, value: T) -> bool {
        let same_nan = !self.nan || !is_number(&value);
        self.range.is_none() && same_nan && self.marks.iter().all(|&mark| mark == value)
    }

    /// Clears `valid` where an element is missing.
    pub fn apply(&self, stored: &[T], valid: &mut [u8]) {
        if self.marks.len() > FEW {
            clear_unless(stored, valid, |x| self.marks.binary_search_by(|mark| order(mark, &x)).is_err());
        } else {
            for &mark in &self.marks {
                clear_unless(stored, valid, |x| x != mark);
            }
        }
        if self.nan {
            clear_unless(stored, valid, |x| is_number(&x));
        }
        if let Some((low, high)) = self.range {
            clear_unless(stored, valid, |x| (x >= low) & (x <= high) | !is_number(&x));
        }
    }
}

fn clear_unless<T: Number>(stored: &[T], valid: &mut [u8], good: impl Fn(T) -> bool) {
    for (v, &x) in valid.iter_mut().zip(stored) {
        *v &= u8::from(good(x));
    }
}

/// Returns whether a value is not NaN.
#[allow(clippy::eq_op)]
fn is_number<T: Number>(x: &T) -> bool {
    x == x
}

fn order<T: Number>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or(Ordering::Less)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attribute, Values};

    fn attributes(list: &[(&str, Values)]) -> Attributes {
        Attributes::new(
            list.iter()
                .map(|(name, value)| Attribute { name: (*name).into(), value: value.clone() })
                .collect(),
        )
    }

    fn valid<T: Number>(list: &[(&str, Values)], stored: DataType, values: &[T]) -> Vec<u8> {
        let mut valid = vec![1; values.len()];
        Mask::<T>::of(&attributes(list), stored).apply(values, &mut valid);
        valid
    }

    #[test]
    fn fill_value_and_each_missing_value_mark_missing_data() {
        let list = [("_FillValue", Values::I16(vec![-9])), ("missing_value", Values::I16(vec![7, 8]))];
        assert_eq!(valid(&list, DataType::I16, &[-9i16, 7, 8, 9]), [0, 0, 0, 1]);
    }

    #[test]
    fn default_fill_marks_missing_data_unless_there_is_a_fill_value_or_the_type_is_byte() {
        assert_eq!(valid(&[], DataType::I16, &[-32767i16, 0]), [0, 1]);
        assert_eq!(valid(&[], DataType::I8, &[-127i8, 0]), [1, 1]);
        assert_eq!(valid(&[], DataType::U8, &[255u8, 0]), [1, 1]);
        let list = [("_FillValue", Values::I16(vec![-1]))];
        assert_eq!(valid(&list, DataType::I16, &[-32767i16, -1]), [1, 0]);
        let list = [("missing_value", Values::I16(vec![-1]))];
        assert_eq!(valid(&list, DataType::I16, &[-32767i16, -1]), [0, 0]);
        assert_eq!(valid(&[], DataType::F32, &[9.969_21e36f32, 0.0]), [0, 1]);
    }

    #[test]
    fn values_outside_the_valid_range_are_missing() {
        let range = [("valid_range", Values::F32(vec![-50.0, 50.0]))];
        assert_eq!(valid(&range, DataType::F32, &[-60f32, -50.0, 50.0, 60.0]), [0, 1, 1, 0]);
        let min = [("valid_min", Values::F32(vec![-50.0]))];
        assert_eq!(valid(&min, DataType::F32, &[-60f32, 60.0, f32::INFINITY]), [0, 1, 1]);
        let max = [("valid_max", Values::F32(vec![50.0]))];
        assert_eq!(valid(&max, DataType::F32, &[-60f32, 60.0]), [1, 0]);
        let none = [("valid_max", Values::I32(vec![-1]))];
        assert_eq!(valid(&none, DataType::U8, &[0u8, 255]), [0, 0]);
    }

    #[test]
    fn a_fill_value_that_the_type_cannot_hold_leaves_the_default_one() {
        let list = [("_FillValue", Values::F64(vec![1e20]))];
        assert_eq!(valid(&list, DataType::I16, &[-32767i16, 0]), [0, 1]);
        assert_eq!(valid(&list, DataType::I8, &[-127i8, 0]), [1, 1]);
    }

    #[test]
    fn nan_is_missing_only_where_a_mark_is_nan() {
        let fill = [("_FillValue", Values::F64(vec![f64::NAN]))];
        assert_eq!(valid(&fill, DataType::F64, &[f64::NAN, 1.0]), [0, 1]);
        let range = [("valid_range", Values::F64(vec![0.0, 5.0]))];
        assert_eq!(valid(&range, DataType::F64, &[f64::NAN, 9.0]), [1, 0]);
        assert_eq!(valid(&fill, DataType::I32, &[0i32]), [1]);
    }

    #[test]
    fn marks_of_another_type_count_by_value() {
        let list = [("missing_value", Values::F64(vec![-999.0, 0.5, 1e20]))];
        assert_eq!(valid(&list, DataType::I16, &[-999i16, 0, 1]), [0, 1, 1]);
        assert_eq!(valid(&list, DataType::F32, &[-999f32, 0.5, 1e20, 2.0]), [0, 0, 0, 1]);
        let list = [("valid_max", Values::F64(vec![2.5]))];
        assert_eq!(valid(&list, DataType::I16, &[2i16, 3]), [1, 0]);
    }

    #[test]
    fn unsigned_bytes_have_unsigned_marks_and_ranges() {
        let unsigned = ("_Unsigned", Values::Char(b"true".to_vec()));
        let list = [unsigned.clone(), ("_FillValue", Values::I8(vec![-1]))];
        assert_eq!(valid(&list, DataType::I8, &[255u8, 127]), [0, 1]);
        let list = [unsigned.clone(), ("valid_range", Values::I8(vec![0, -6]))];
        assert_eq!(valid(&list, DataType::I8, &[250u8, 251]), [1, 0]);
        assert_eq!(valid(&[unsigned], DataType::I16, &[32769u16, 0]), [0, 1]);
    }

    #[test]
    fn many_marks_are_found_as_few_are() {
        let list = [("missing_value", Values::I32((0..100).rev().collect()))];
        assert_eq!(valid(&list, DataType::I32, &[0i32, 99, 100, -1]), [0, 0, 1, 1]);
        let floats = (0..100).map(f64::from).chain([f64::NAN]).collect();
        let list = [("missing_value", Values::F64(floats))];
        assert_eq!(valid(&list, DataType::F64, &[5.0, 5.5, f64::NAN]), [0, 1, 0]);
    }

    #[test]
    fn only_tells_whether_missing_data_hold_one_value() {
        let mask =
            Mask::<f32>::of(&attributes(&[("_FillValue", Values::F32(vec![f32::NAN]))]), DataType::F32);
        assert!(mask.only(f32::NAN));
        assert!(!mask.only(1.0));
        let mask = Mask::<i8>::of(&Attributes::default(), DataType::I8);
        assert!(mask.only(3) && mask.is_empty());
    }
}
