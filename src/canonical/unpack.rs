//! Unpacks by `scale_factor` and `add_offset`, CF section 8.1, in double precision.
//!
//! Attributes that are not one number are refused: ignoring them would return wrong data.

use super::arithmetic::Rational;
use super::number::Scalar;
use crate::{Attributes, Error, Kind, Result};

/// The packing of a variable: unpacked = packed * scale + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Packing {
    pub scale: f64,
    pub offset: f64,
    exact: Option<Rational>,
}

impl Packing {
    /// Returns the packing that the attributes define, or `None` if there is none or it changes nothing.
    pub fn of(attributes: &Attributes) -> Result<Option<Packing>> {
        let scale = one_number(attributes, "scale_factor")?.unwrap_or(Scalar::Int(1));
        let offset = one_number(attributes, "add_offset")?.unwrap_or(Scalar::Int(0));
        let exact = match (scale, offset) {
            (Scalar::Int(1), Scalar::Int(0)) => return Ok(None),
            (Scalar::Int(mul), Scalar::Int(add)) => Some(Rational { mul, add, div: 1 }),
            _ => None,
        };
        Ok(Some(Packing { scale: scale.to_f64(), offset: offset.to_f64(), exact }))
    }

    /// Returns whether the attributes of a variable say that its numbers are packed.
    pub fn is_in(attributes: &Attributes) -> bool {
        attributes.get("scale_factor").is_some() || attributes.get("add_offset").is_some()
    }

    /// Returns the same packing in integers, if both numbers are integers.
    pub fn exact(self) -> Option<Rational> {
        self.exact
    }
}

fn one_number(attributes: &Attributes, name: &str) -> Result<Option<Scalar>> {
    let Some(values) = attributes.get(name) else { return Ok(None) };
    match Scalar::at(values, 0) {
        Some(scalar) if values.len() == 1 => Ok(Some(scalar)),
        _ => Err(Error::new(Kind::Attribute, format!("its attribute {name} is not one number"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attribute, Values};

    fn packing(list: &[(&str, Values)]) -> Result<Option<Packing>> {
        let list = list.iter().map(|(name, value)| Attribute { name: (*name).into(), value: value.clone() });
        Packing::of(&Attributes::new(list.collect()))
    }

    #[test]
    fn either_attribute_may_be_absent() {
        let scale = packing(&[("scale_factor", Values::F32(vec![0.5]))]).unwrap().unwrap();
        assert_eq!((scale.scale, scale.offset, scale.exact()), (0.5, 0.0, None));
        let offset = packing(&[("add_offset", Values::I32(vec![7]))]).unwrap().unwrap();
        assert_eq!((offset.scale, offset.offset), (1.0, 7.0));
        assert_eq!(offset.exact(), Some(Rational { mul: 1, add: 7, div: 1 }));
    }

    #[test]
    fn scale_one_and_offset_zero_are_no_packing() {
        let list = [("scale_factor", Values::F64(vec![1.0])), ("add_offset", Values::F64(vec![0.0]))];
        assert_eq!(packing(&list).unwrap(), None);
        assert_eq!(packing(&[]).unwrap(), None);
    }

    #[test]
    fn attributes_that_are_not_one_number_are_refused() {
        for value in [Values::Char(b"0.1".to_vec()), Values::F64(vec![]), Values::F64(vec![1.0, 2.0])] {
            assert_eq!(packing(&[("scale_factor", value)]).unwrap_err().kind(), Kind::Attribute);
        }
    }
}
