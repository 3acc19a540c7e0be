//! Converts stored numbers to canonical values: mask, unpack, units, cast, missing value, in this order.
//!
//! CF-1.13 section 2.8.2. Each step has a file of its own; this one defines their order. What can be checked without
//! data (types, units, calendars, packing attributes) is checked when a [`Conversion`] is created. Text is refused as a
//! source or target of numbers; strings are not converted here.

mod arithmetic;
mod calendar;
mod cast;
mod kernel;
mod mask;
mod measure;
mod missing;
mod number;
mod reference_time;
mod target;
pub mod units;
mod unpack;

pub use calendar::{Calendar, DateTime};
pub use reference_time::TimeUnits;
pub use target::Target;

use crate::{Attributes, DataType, Error, Kind, Result};
use arithmetic::{Arithmetic, Measure};
use kernel::{Convert, Kernel, Steps, Use};
use mask::Mask;
use measure::Units;
use missing::{number_type, Missing};
use number::{for_type, sense_of};
use std::fmt;
use unpack::Packing;

/// How stored elements become elements of another variable or type.
pub struct Conversion {
    /// The loop; `None` for strings, which are not converted here.
    kernel: Option<Box<dyn Convert>>,
    /// Whether bytes are always copied, and only the mask is computed.
    verbatim: bool,
    warnings: Vec<String>,
}

impl Conversion {
    /// Creates the conversion from a fragment's stored elements to those of the aggregation variable.
    ///
    /// A canonical value that means missing data for the aggregation variable is missing, as in the equivalent plain
    /// variable.
    ///
    /// `view_units` and `view_calendar` are what the aggregation says about the fragment's units; they take precedence
    /// over the fragment's own. With `lossy`, values that do not fit are truncated or become missing instead of being
    /// errors.
    ///
    /// # Errors
    /// [`Kind::FragmentType`] for text on one side and numbers on the other, [`Kind::Units`] and [`Kind::Calendar`] for
    /// units that cannot be converted, [`Kind::Attribute`] for packing attributes that are not numbers.
    pub fn new(
        attributes: &Attributes,
        data_type: DataType,
        view_units: Option<&str>,
        view_calendar: Option<&str>,
        target: &Target,
        lossy: bool,
    ) -> Result<Conversion> {
        if !convertible(data_type, target.data_type()) {
            return Err(mixed(Kind::FragmentType, data_type, target.data_type()));
        }
        if !data_type.is_number() {
            return Ok(Conversion::of_text(attributes, data_type, target));
        }
        let mut own = Units::of(attributes);
        if let Some(units) = view_units {
            own = Units::new(Some(units.into()), view_calendar.map(Into::into).or(own.calendar));
        } else if let Some(calendar) = view_calendar {
            own.calendar = Some(calendar.into());
        }
        let (measure, odd) = measure::plan(&own, target.units_and_calendar(), target.is_packed())?;
        let plan = Steps {
            arithmetic: Arithmetic::new(Packing::of(attributes)?, measure),
            canonical: target.marks(),
            missing: target.expressed(),
            chosen: target.is_chosen(),
            lossy,
            kind: Kind::FragmentType,
        };
        let sense = sense_of(data_type, attributes);
        let kernel =
            for_type!(sense, T => build(Mask::<T>::of(attributes, data_type), target.sense(), plan), None);
        Ok(Conversion { kernel, verbatim: false, warnings: odd.into_iter().collect() })
    }

    /// Creates the conversion from unique values to those of the aggregation variable. The values have its missing
    /// marks, and their units are ignored.
    ///
    /// # Errors
    /// [`Kind::FragmentType`] for text on one side and numbers on the other.
    pub fn for_unique(data_type: DataType, target: &Target, lossy: bool) -> Result<Conversion> {
        if !convertible(data_type, target.data_type()) {
            return Err(mixed(Kind::FragmentType, data_type, target.data_type()));
        }
        let plan = Steps {
            arithmetic: Arithmetic::new(None, Measure::Same),
            canonical: target.marks(),
            missing: target.expressed(),
            chosen: target.is_chosen(),
            lossy,
            kind: Kind::FragmentType,
        };
        let kernel =
            for_type!(number_type(data_type), T => build(Mask::<T>::among(&[]), target.sense(), plan), None);
        Ok(Conversion { kernel, verbatim: false, warnings: Vec::new() })
    }

    /// Creates the conversion from a variable's elements to a requested type. Missing data become the variable's
    /// missing value in that type.
    ///
    /// In the variable's own type elements stay as they are, and only the mask is useful.
    ///
    /// # Errors
    /// [`Kind::Type`] for text on one side and numbers on the other.
    pub fn for_request(target: &Target, requested: DataType, lossy: bool) -> Result<Conversion> {
        if !convertible(target.data_type(), requested)
            || (requested == DataType::String) != target.is_string()
        {
            return Err(mixed(Kind::Type, target.data_type(), requested));
        }
        // If the type stays the same, the bytes do too, whatever their sense.
        let sense = if requested == target.data_type() { target.sense() } else { number_type(requested) };
        let plan = Steps {
            arithmetic: Arithmetic::new(None, Measure::Same),
            canonical: &[],
            missing: target.expressed(),
            // The caller that made the elements has checked that.
            chosen: false,
            lossy,
            kind: Kind::Type,
        };
        let kernel =
            for_type!(target.sense(), T => build(Mask::<T>::among(target.marks()), sense, plan), None);
        Ok(Conversion { kernel, verbatim: requested == target.data_type(), warnings: Vec::new() })
    }

    fn of_text(attributes: &Attributes, data_type: DataType, target: &Target) -> Conversion {
        let both_characters = data_type == DataType::Char && target.data_type() == DataType::Char;
        let kernel = both_characters.then(|| {
            let (own, _) = Missing::of(attributes, data_type);
            let plan = Steps {
                arithmetic: Arithmetic::new(None, Measure::Same),
                canonical: target.marks(),
                missing: target.expressed(),
                chosen: false,
                lossy: false,
                kind: Kind::FragmentType,
            };
            Box::new(Kernel::<u8, u8>::new(Mask::among(&own.marks), plan)) as Box<dyn Convert>
        });
        Conversion { kernel, verbatim: false, warnings: Vec::new() }
    }

    /// Returns whether stored bytes can be copied as they are, if no validity mask is needed.
    pub fn is_identity(&self) -> bool {
        self.verbatim || self.kernel.as_ref().is_none_or(|kernel| kernel.is_identity())
    }

    /// Returns warnings about oddities that were tolerated.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Converts native-endian elements of any alignment, and writes to `mask` which are valid (1) or missing (0).
    ///
    /// # Errors
    /// [`Kind::FragmentType`] (or [`Kind::Type`] for a requested type) at the first valid value that does not fit, and
    /// for missing data without a mask if the type has no value for them. `out` is then partly written.
    pub fn apply(&self, raw: &[u8], out: &mut [u8], mask: Option<&mut [u8]>) -> Result<()> {
        let passed_on = mask.is_some();
        self.run(raw, out, mask, Use { given: false, passed_on })
    }

    /// Like [`Conversion::apply`], for elements of which `mask` already marks some as missing; these stay missing. If
    /// `passed_on` is false, the caller passes on the elements without the mask, so the elements alone must show what is
    /// missing.
    ///
    /// # Errors
    /// Those of [`Conversion::apply`].
    pub fn apply_masked(&self, raw: &[u8], out: &mut [u8], mask: &mut [u8], passed_on: bool) -> Result<()> {
        self.run(raw, out, Some(mask), Use { given: true, passed_on })
    }

    fn run(&self, raw: &[u8], out: &mut [u8], mask: Option<&mut [u8]>, how: Use) -> Result<()> {
        let Some(kernel) = &self.kernel else {
            return Err(Error::new(Kind::Internal, "strings are not converted as numbers"));
        };
        let copy = self.verbatim && raw.len() == out.len();
        if !copy || mask.is_some() {
            kernel.convert(raw, out, mask, how)?;
        }
        if copy {
            out.copy_from_slice(raw);
        }
        Ok(())
    }
}

impl fmt::Debug for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversion")
            .field("identity", &self.is_identity())
            .field("warnings", &self.warnings)
            .finish()
    }
}

fn build<T>(stored: Mask<T>, to: DataType, plan: Steps) -> Option<Box<dyn Convert>>
where
    T: cast::CastToAll,
{
    for_type!(to, U => Some(Box::new(Kernel::<T, U>::new(stored, plan)) as Box<dyn Convert>), None)
}

/// Returns whether both are numbers or both are text.
fn convertible(from: DataType, to: DataType) -> bool {
    from.is_number() == to.is_number()
}

fn mixed(kind: Kind, from: DataType, to: DataType) -> Error {
    Error::new(kind, format!("data of type {from} cannot be converted to {to}"))
}

#[cfg(test)]
mod tests;
