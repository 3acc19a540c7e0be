//! Coordinates of the dimensions of a variable, as numbers, words or dates.

use cfa::canonical::{DateTime, TimeUnits};
use cfa::container::tree::DimensionId;
use cfa::{Result, Selection, Values, Variable};

/// The coordinates along one dimension.
pub struct Coordinates {
    /// The name of the dimension.
    pub dimension: String,
    /// The coordinate values; `None` when there is no coordinate variable, so that indices have to serve.
    pub values: Option<Values>,
    /// Their units.
    pub units: Option<String>,
    time: Option<TimeUnits>,
}

impl Coordinates {
    /// The coordinates of each dimension of a variable.
    ///
    /// # Errors
    /// Those of reading the coordinate variables.
    pub fn of(variable: &Variable) -> Result<Vec<Coordinates>> {
        variable.dimensions()?.iter().map(|&d| Coordinates::along(variable, d)).collect()
    }

    fn along(variable: &Variable, id: DimensionId) -> Result<Coordinates> {
        let dataset = variable.dataset();
        let dimension = dataset.dimension(id).name.clone();
        let none = Coordinates { dimension, values: None, units: None, time: None };
        let Ok(coordinate) = dataset.variable(&dataset.dimension_path(id)) else { return Ok(none) };
        if coordinate.dimensions()? != [id] {
            return Ok(none);
        }
        let values = coordinate.read_values(&Selection::all(coordinate.shape()?))?;
        let units = coordinate.attributes().text("units");
        let calendar = coordinate.attributes().text("calendar");
        let time = units.as_deref().and_then(|u| TimeUnits::parse(u, calendar.as_deref()).ok());
        Ok(Coordinates { values: Some(values), units, time, ..none })
    }

    /// Whether the coordinates are times that can be written as dates.
    pub fn are_dates(&self) -> bool {
        self.time.is_some()
    }

    /// The date of a coordinate.
    pub fn date(&self, i: u64) -> Option<DateTime> {
        let value = self.values.as_ref()?.f64_at(usize::try_from(i).ok()?)?;
        self.time.as_ref()?.decode(value)
    }

    /// How a coordinate is written: a date, a number, a word, or its index.
    pub fn label(&self, i: u64) -> String {
        if let Some(date) = self.date(i) {
            return date.to_string();
        }
        match &self.values {
            Some(Values::String(words)) => words[i as usize].clone(),
            Some(Values::F32(numbers)) => numbers[i as usize].to_string(),
            Some(values) => match (values.int_at(i as usize), values.f64_at(i as usize)) {
                (Some(whole), _) => whole.to_string(),
                (None, Some(number)) => number.to_string(),
                (None, None) => i.to_string(),
            },
            None => i.to_string(),
        }
    }
}
