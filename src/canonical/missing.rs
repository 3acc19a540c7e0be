//! How a variable represents missing data: the value that is written for them, and the values that mean them.
//!
//! Missing data are written as `_FillValue`, else as the first `missing_value`, else as the type's default fill value.
//! A byte variable with neither attribute cannot represent missing data: that is an error where missing data occur,
//! unless the caller uses a validity mask or chooses a value for them.

use super::number::{fits, marks_of, reinterpret, sense_of, Scalar};
use crate::{Attributes, DataType};

/// The missing marks of a variable, without its valid range.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Missing {
    /// Every value that means missing data; each fits the type.
    pub marks: Vec<Scalar>,
    /// The value written for missing data.
    pub value: Scalar,
    /// Whether readers of the variable know that `value` means missing data.
    pub expressible: bool,
    /// Whether the reader chose `value`: it marks nothing, and valid elements must not have it.
    pub chosen: bool,
}

impl Missing {
    /// Returns the marks of a variable of this stored type, and warnings about its attributes.
    pub fn of(attributes: &Attributes, stored: DataType) -> (Missing, Vec<String>) {
        let sense = sense_of(stored, attributes);
        let mut odd = Vec::new();
        let mut scalars = |name| {
            let (good, bad): (Vec<_>, Vec<_>) = read(attributes, name, stored, sense)
                .into_iter()
                .partition(|&scalar| fits(scalar, number_type(sense)));
            if !bad.is_empty() {
                odd.push(format!("its {name} is not a number of type {sense} and is not used"));
            }
            good
        };
        let mut marks = scalars("_FillValue");
        marks.truncate(1);
        let filled = !marks.is_empty();
        marks.extend(scalars("missing_value"));
        let default = reinterpret(default_fill(stored).unwrap_or(Scalar::Int(0)), stored, sense);
        let value = marks.first().copied().unwrap_or(default);
        let byte = stored.is_number() && stored.size() == Some(1);
        let expressible = !marks.is_empty() || !byte;
        if !filled && !byte && stored.is_number() {
            marks.push(default);
        }
        (Missing { marks, value, expressible, chosen: false }, odd)
    }

    /// Chooses a value for missing data, if the variable has none and its type includes the value.
    pub fn choose(&mut self, value: Scalar, stored: DataType, sense: DataType) {
        let value = reinterpret(value, stored, sense);
        if !self.expressible && fits(value, sense) {
            (self.value, self.expressible, self.chosen) = (value, true, true);
        }
    }
}

fn read(attributes: &Attributes, name: &str, stored: DataType, sense: DataType) -> Vec<Scalar> {
    if stored == DataType::Char {
        let text = attributes.text(name).unwrap_or_default();
        return text.bytes().take(1).map(|byte| Scalar::Int(byte.into())).collect();
    }
    let mut marks = marks_of(attributes, name, stored, sense);
    if let Some(number) =
        attributes.text(name).filter(|_| stored.is_number()).and_then(|text| number_in(&text))
    {
        marks.push(if fits(number, sense) { number } else { reinterpret(number, stored, sense) });
    }
    marks
}

/// Returns the number that a text is, as some writers store missing values, or `None` for other text.
fn number_in(text: &str) -> Option<Scalar> {
    let text = text.trim();
    let int = text.parse().ok().map(Scalar::Int);
    int.or_else(|| text.parse().ok().map(Scalar::of))
}

/// Returns the type in which elements are processed: characters are bytes.
pub(super) fn number_type(data_type: DataType) -> DataType {
    match data_type {
        DataType::Char => DataType::U8,
        other => other,
    }
}

/// Returns the value that netCDF returns for elements that were never written, or `None` for strings.
pub fn default_fill(data_type: DataType) -> Option<Scalar> {
    Some(match data_type {
        DataType::Char => Scalar::Int(0),
        DataType::I8 => Scalar::Int(-127),
        DataType::U8 => Scalar::Int(255),
        DataType::I16 => Scalar::Int(-32767),
        DataType::U16 => Scalar::Int(65535),
        DataType::I32 => Scalar::Int(-2_147_483_647),
        DataType::U32 => Scalar::Int(4_294_967_295),
        DataType::I64 => Scalar::Int(-9_223_372_036_854_775_806),
        DataType::U64 => Scalar::Int(18_446_744_073_709_551_614),
        // 2^123 - 2^103 + ..: the same number in both types.
        DataType::F32 | DataType::F64 => Scalar::Float(9.969_209_968_386_869e36),
        DataType::String => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attribute, Values};

    fn missing(list: &[(&str, Values)], stored: DataType) -> (Missing, Vec<String>) {
        let list = list.iter().map(|(name, value)| Attribute { name: (*name).into(), value: value.clone() });
        Missing::of(&Attributes::new(list.collect()), stored)
    }

    #[test]
    fn a_number_that_is_stored_as_text_counts() {
        let of = |text: &str, stored| missing(&[("missing_value", Values::Char(text.into()))], stored).0;
        assert_eq!(of("12", DataType::I16).value, Scalar::Int(12));
        assert_eq!(of(" -999.0\n", DataType::F32).marks[0], Scalar::Int(-999));
        assert_eq!(of("1e20", DataType::F64).value, Scalar::of(1e20));
        assert!(of("7", DataType::I8).expressible);
        for text in ["", "none", "12 and more", "1, 2"] {
            assert_eq!(of(text, DataType::I16).value, Scalar::Int(-32767), "{text}");
        }
        let (unfit, odd) = missing(&[("missing_value", Values::Char("70000".into()))], DataType::I16);
        assert_eq!((unfit.value, odd.len()), (Scalar::Int(-32767), 1));
        let text = Values::Char("12".into());
        assert!(missing(&[("missing_value", text)], DataType::String).1.is_empty());
    }

    #[test]
    fn fill_value_comes_before_missing_value_and_default() {
        let both = [("missing_value", Values::I16(vec![5, 6])), ("_FillValue", Values::I16(vec![4]))];
        let (all, _) = missing(&both, DataType::I16);
        assert_eq!(all.value, Scalar::Int(4));
        assert_eq!(all.marks, [Scalar::Int(4), Scalar::Int(5), Scalar::Int(6)]);
        let (first, _) = missing(&both[..1], DataType::I16);
        assert_eq!(first.value, Scalar::Int(5));
        assert_eq!(first.marks.last(), Some(&Scalar::Int(-32767)));
        assert_eq!(missing(&[], DataType::I16).0.value, Scalar::Int(-32767));
    }

    #[test]
    fn byte_types_express_missing_only_by_attribute() {
        assert!(!missing(&[], DataType::I8).0.expressible);
        assert!(missing(&[], DataType::I8).0.marks.is_empty());
        assert!(missing(&[("missing_value", Values::I8(vec![1]))], DataType::I8).0.expressible);
        assert!(missing(&[], DataType::F32).0.expressible);
    }

    #[test]
    fn a_value_is_chosen_where_the_variable_has_none_and_the_type_has_it() {
        let chosen = |list: &[(&str, Values)], stored: DataType, sense: DataType, value: i128| {
            let (mut found, _) = missing(list, stored);
            found.choose(Scalar::Int(value), stored, sense);
            found.chosen.then_some(found.value)
        };
        assert_eq!(chosen(&[], DataType::U8, DataType::U8, 200), Some(Scalar::Int(200)));
        assert_eq!(chosen(&[], DataType::I8, DataType::I8, 200), None);
        assert_eq!(chosen(&[], DataType::I8, DataType::U8, -1), Some(Scalar::Int(255)));
        assert_eq!(chosen(&[], DataType::I16, DataType::I16, 5), None);
        let own = [("_FillValue", Values::U8(vec![1]))];
        assert_eq!(chosen(&own, DataType::U8, DataType::U8, 5), None);
    }

    #[test]
    fn missing_value_of_another_type_is_used_if_it_fits() {
        let (fit, odd) = missing(&[("missing_value", Values::F64(vec![-99.0]))], DataType::I8);
        assert_eq!((fit.value, odd.len()), (Scalar::Int(-99), 0));
        let list = [("missing_value", Values::F64(vec![1e20, -5.0]))];
        let (next, odd) = missing(&list, DataType::I16);
        assert_eq!((next.value, odd.len()), (Scalar::Int(-5), 1));
    }

    #[test]
    fn unsigned_variables_write_the_bits_of_their_fill_value() {
        let list = [("_Unsigned", Values::Char(b"true".to_vec())), ("_FillValue", Values::I8(vec![-1]))];
        assert_eq!(missing(&list, DataType::I8).0.value, Scalar::Int(255));
        assert_eq!(missing(&list[..1], DataType::I16).0.value, Scalar::Int(32769));
    }

    #[test]
    fn characters_are_filled_with_their_own_mark_or_nul() {
        assert_eq!(missing(&[], DataType::Char).0.value, Scalar::Int(0));
        let list = [("_FillValue", Values::Char(b"x".to_vec()))];
        assert_eq!(missing(&list, DataType::Char).0.value, Scalar::Int(120));
    }
}
