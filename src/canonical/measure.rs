//! Determines which change of units a fragment needs, before any of its data are read.
//!
//! CF-1.13 section 2.8.2: units of a fragment must be convertible to those of the aggregation variable, and for
//! reference times the calendars must be equivalent. A fragment without units has those of the aggregation variable. If
//! the aggregation variable has no units, there is nothing to convert to, and the numbers stay as they are. A packed
//! aggregation variable holds numbers that are not in its units, so nothing can be converted into them.

use super::arithmetic::Measure;
use super::calendar::Calendar;
use super::reference_time::{no_calendar, no_such_date, TimeUnits};
use super::units::{shown, Converter, Unit, UnitError};
use crate::{Attributes, Error, Kind, Result, Values};
use once_cell::sync::OnceCell;

/// The units of a variable's numbers, from its attributes.
#[derive(Clone, Debug, Default)]
pub(super) struct Units {
    pub units: Option<String>,
    pub calendar: Option<String>,
    /// The units, parsed: once for an aggregation variable, however many fragments have others.
    parsed: OnceCell<Unit>,
}

impl Units {
    pub fn of(attributes: &Attributes) -> Units {
        Units::new(attributes.get("units").and_then(text), attributes.text("calendar"))
    }

    pub fn new(units: Option<String>, calendar: Option<String>) -> Units {
        Units { units, calendar, parsed: OnceCell::new() }
    }

    fn parsed(&self, text: &str) -> std::result::Result<Unit, UnitError> {
        self.parsed.get_or_try_init(|| Unit::parse(text)).cloned()
    }
}

/// Returns text, or the text of an attribute that is a number, such as `1`.
fn text(values: &Values) -> Option<String> {
    values.as_text().or_else(|| values.f64_at(0).filter(|_| values.len() == 1).map(|x| x.to_string()))
}

/// Returns the change from a fragment's units to those of the aggregation variable, and a warning if something is
/// unusual.
///
/// # Errors
/// [`Kind::Units`] if the units cannot be converted, [`Kind::Calendar`] if the calendars differ.
pub(super) fn plan(from: &Units, to: &Units, packed: bool) -> Result<(Measure, Option<String>)> {
    let (Some(from_text), Some(to_text)) = (&from.units, &to.units) else {
        let odd = from.units.as_ref().filter(|_| to.units.is_none()).map(|units| {
            format!(
                "the aggregation variable has no units; a fragment in '{}' is not converted",
                shown(units)
            )
        });
        return Ok((Measure::Same, odd));
    };
    let (measure, odd) = convert((from, from_text), (to, to_text))?;
    if packed && measure != Measure::Same {
        return Err(Error::new(
            Kind::Units,
            format!(
                "it is in '{}', but the aggregation variable is packed, in '{}', and packed numbers have no units",
                shown(from_text),
                shown(to_text)
            ),
        ));
    }
    Ok((measure, odd))
}

/// Returns the change between units, each with its text.
fn convert(
    (from_units, from): (&Units, &str),
    (to_units, to): (&Units, &str),
) -> Result<(Measure, Option<String>)> {
    let (from_calendar, to_calendar) = (from_units.calendar.as_deref(), to_units.calendar.as_deref());
    let same_calendar = Calendar::same(from_calendar, to_calendar);
    let same_text = from.trim() == to.trim();
    if same_text && same_calendar {
        return Ok((Measure::Same, None));
    }
    let (from_unit, to_unit) = match (from_units.parsed(from), to_units.parsed(to)) {
        // Equal texts need not be parsed.
        _ if same_text && !to.contains("since") => return Ok((Measure::Same, None)),
        (from_unit, to_unit) => (from_unit?, to_unit?),
    };
    match (from_unit.reference_time(), to_unit.reference_time()) {
        (Some(from_time), Some(to_time)) => {
            if !same_calendar {
                return Err(Error::new(
                    Kind::Calendar,
                    format!(
                        "its calendar is {}, that of the aggregation variable is {}",
                        shown(from_calendar.unwrap_or("standard")),
                        shown(to_calendar.unwrap_or("standard"))
                    ),
                ));
            }
            let name = to_calendar.unwrap_or("standard");
            let Some(calendar) = Calendar::named(name) else {
                let measure = TimeUnits::measure_since_same(from_time, to_time);
                return measure.map(|measure| (measure, None)).ok_or_else(|| no_calendar(name));
            };
            let from_time =
                TimeUnits::new(from_time, calendar).ok_or_else(|| no_such_date(from, calendar))?;
            let to_time = TimeUnits::new(to_time, calendar).ok_or_else(|| no_such_date(to, calendar))?;
            let measure = from_time.measure_to(&to_time).ok_or_else(|| inconvertible(from, to))?;
            let warning = to_time.warning().filter(|_| measure != Measure::Same);
            Ok((measure, warning))
        }
        (None, None) => match from_unit.converter_to(&to_unit) {
            Ok(Converter::Identity) => Ok((Measure::Same, None)),
            Ok(converter) => Ok((Measure::Converter(converter), None)),
            Err(error) => Err(inconvertible(from, to).because(error)),
        },
        _ => Err(inconvertible(from, to)),
    }
}

fn inconvertible(from: &str, to: &str) -> Error {
    Error::new(
        Kind::Units,
        format!("units '{}' cannot be converted to '{}' of the aggregation variable", shown(from), shown(to)),
    )
}
