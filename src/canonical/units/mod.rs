//! Units of measure as udunits2 defines them.
//!
//! CF-1.13 section 3.1: udunits2 defines the meaning of a `units` attribute. Names, symbols, prefixes, grammar, factors
//! and the rules of conversion are those of libudunits2 2.2.28; `docs/units.md` lists the few texts that are
//! interpreted differently. Nothing is loaded at run time, any thread may parse, and a hostile text is an error: it may
//! have at most 4096 bytes and 64 nested parentheses. This module does not know calendars: "days since 2001-02-30"
//! parses, and its fields are returned.

mod converter;
mod database;
mod error;
mod form;
mod parse;
mod scan;
mod table;
mod time;

pub use converter::{Converter, Steps};
pub(super) use error::shown;
pub use error::{UnitError, UnitErrorKind};
pub use time::{Epoch, ReferenceTime};

use form::{Form, Product};
use std::sync::Arc;

/// A unit of measure; cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit(Arc<Form>);

impl Unit {
    /// Parses a text. Blanks around it do not matter, and an empty text is the number one.
    ///
    /// # Errors
    /// If the text is not a unit of udunits2, or is too long or too deeply nested.
    pub fn parse(text: &str) -> Result<Unit, UnitError> {
        parse::parse(text, database::Names::ALL).map_err(|error| error.about(text))
    }

    /// Returns the dimensionless unit one.
    pub fn one() -> Unit {
        Unit::of(Form::Product(Product::default()))
    }

    /// Returns the conversion of values in this unit to values in `other`.
    ///
    /// Units that are each other's reciprocal are convertible, as in udunits2: 2 s is 0.5 Hz.
    ///
    /// # Errors
    /// If the units measure different things, or are times since different moments.
    pub fn converter_to(&self, other: &Unit) -> Result<Converter, UnitError> {
        Converter::between(self, other)
    }

    /// Returns the time unit and the moment of a unit such as "days since 2001-01-01", or `None` for other units.
    pub fn reference_time(&self) -> Option<&ReferenceTime> {
        match &*self.0 {
            Form::Since { time, .. } => Some(time),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
