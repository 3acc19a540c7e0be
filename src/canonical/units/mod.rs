//! Units of measure with the meaning that udunits2 gives them.
//!
//! CF-1.13 section 3.1: a `units` attribute is what udunits2 reads. Names, symbols, prefixes, grammar, factors and the
//! rules of conversion are those of libudunits2 2.2.28; the few texts that are read otherwise are in `docs/units.md`.
//! Nothing is read at run time, any thread may parse, and a hostile text gives an error: it may have 4096 bytes and 64
//! nested parentheses at most. Calendars are not known here: "days since 2001-02-30" parses, and its fields are given.

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
    /// The unit that a text means; blanks around it do not matter, and an empty text is the number one.
    ///
    /// # Errors
    /// The text is not a unit of udunits2, or too long or deep.
    pub fn parse(text: &str) -> Result<Unit, UnitError> {
        parse::parse(text, database::Database::get()).map_err(|error| error.about(text))
    }

    /// The dimensionless unit one.
    pub fn one() -> Unit {
        Unit::of(Form::Product(Product::default()))
    }

    /// How values in this unit become values in `other`.
    ///
    /// Units that are each other's reciprocal are convertible, as in udunits2: 2 s is 0.5 Hz.
    ///
    /// # Errors
    /// The units measure different things, or are times since different moments.
    pub fn converter_to(&self, other: &Unit) -> Result<Converter, UnitError> {
        Converter::between(self, other)
    }

    /// What a unit such as "days since 2001-01-01" says; `None` for other units.
    pub fn reference_time(&self) -> Option<&ReferenceTime> {
        match &*self.0 {
            Form::Since { time, .. } => Some(time),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
