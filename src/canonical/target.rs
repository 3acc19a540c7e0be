//! The target of a conversion: type, units and missing value of the aggregation variable.

use super::kernel::inexpressible;
use super::measure::Units;
use super::missing::{number_type, Missing};
use super::number::{for_type, sense_of, Number, Scalar};
use super::unpack::Packing;
use crate::{Attributes, DataType, Kind, Result, Values};

/// The variable to which canonical values belong, by its attributes.
#[derive(Clone, Debug)]
pub struct Target {
    data_type: DataType,
    sense: DataType,
    units: Units,
    packed: bool,
    missing: Missing,
    warnings: Vec<String>,
}

impl Target {
    /// Creates the target from the attributes of the aggregation variable (or any variable) and its type.
    pub fn new(attributes: &Attributes, data_type: DataType) -> Target {
        let (missing, warnings) = Missing::of(attributes, data_type);
        Target {
            data_type,
            sense: number_type(sense_of(data_type, attributes)),
            units: Units::of(attributes),
            packed: Packing::is_in(attributes),
            missing,
            warnings,
        }
    }

    /// Returns the same target with a value for missing data, if the variable has none: bytes without `_FillValue` and
    /// `missing_value`. Nothing changes for other variables, or if the type does not include the value.
    pub fn with_missing_bytes(mut self, value: i16) -> Target {
        self.missing.choose(Scalar::Int(value.into()), self.data_type, self.sense);
        self
    }

    /// Returns the variable's type.
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// Returns the variable's units.
    pub fn units(&self) -> Option<&str> {
        self.units.units.as_deref()
    }

    /// Returns the variable's calendar.
    pub fn calendar(&self) -> Option<&str> {
        self.units.calendar.as_deref()
    }

    /// Returns whether the variable has a scale factor or an offset, so that its values are packed numbers.
    pub fn is_packed(&self) -> bool {
        self.packed
    }

    /// Returns warnings about oddities in the attributes that were tolerated.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the value for missing data, as one element of the variable's type, or `None` if there is none.
    pub fn missing_value(&self) -> Option<Values> {
        let mut bytes = vec![0; self.data_type.size()?];
        self.fill(&mut bytes, None).ok()?;
        Values::from_native_bytes(self.data_type, &bytes)
    }

    /// Writes missing data into every element of `out`, and 0 into every element of `mask`.
    ///
    /// # Errors
    /// [`Kind::FragmentType`] without a mask if the type has no value for missing data; [`Kind::Internal`] for strings.
    pub fn fill(&self, out: &mut [u8], mask: Option<&mut [u8]>) -> Result<()> {
        let nothing = mask.is_none() && !out.is_empty();
        if self.expressed().is_none() && nothing {
            return Err(inexpressible(Kind::FragmentType, self.sense));
        }
        if let Some(mask) = mask {
            mask.fill(0);
        }
        for_type!(self.sense, T => {
            let value = self.expressed().and_then(T::of).unwrap_or_default();
            let mut element = [0; 8];
            T::store(&[value], &mut element[..T::SIZE]);
            out.chunks_exact_mut(T::SIZE).for_each(|place| place.copy_from_slice(&element[..T::SIZE]));
            Ok(())
        }, Err(crate::Error::new(Kind::Internal, "strings are not filled as numbers")))
    }

    pub(super) fn is_string(&self) -> bool {
        self.data_type == DataType::String
    }

    /// Returns the type of the numbers that the variable's elements represent: see `_Unsigned`.
    pub(super) fn sense(&self) -> DataType {
        self.sense
    }

    pub(super) fn units_and_calendar(&self) -> &Units {
        &self.units
    }

    pub(super) fn marks(&self) -> &[Scalar] {
        &self.missing.marks
    }

    /// Returns whether the reader chose the value for missing data, so that valid elements must not have it.
    pub(crate) fn is_chosen(&self) -> bool {
        self.missing.chosen
    }

    /// Returns the value written for missing data, or `None` if the variable has none.
    pub(super) fn expressed(&self) -> Option<Scalar> {
        self.missing.expressible.then_some(self.missing.value)
    }
}
