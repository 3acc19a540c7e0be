//! Coordinates of the dimensions of a variable, as numbers, words or dates.

use crate::canonical::{DateTime, TimeUnits};
use crate::error::Result;
use crate::selection::Selection;
use crate::value::Values;
use crate::variable::Variable;

/// The coordinates of a part of one dimension.
pub struct Coordinates {
    /// The name of the dimension.
    pub dimension: String,
    /// The coordinate values; `None` when there is no coordinate variable, so that indices have to serve.
    pub values: Option<Values>,
    time: Option<TimeUnits>,
    first: u64,
    step: i64,
}

impl Coordinates {
    /// The coordinates of the selected part of dimension `d` of a variable.
    ///
    /// # Errors
    /// Those of reading the coordinate variable.
    pub fn along(variable: &Variable, d: usize, part: &Selection) -> Result<Coordinates> {
        let mut coordinates = Coordinates::indices(variable, d, part)?;
        let id = variable.dimensions()?[d];
        let dataset = variable.dataset();
        let Ok(coordinate) = dataset.variable(&dataset.dimension_path(id)) else { return Ok(coordinates) };
        if coordinate.dimensions()? != [id] {
            return Ok(coordinates);
        }
        let (start, count, step) = (part.start()[d], part.count()[d], part.step()[d]);
        let selection = Selection::new(&[start], &[count], &[step], coordinate.shape()?)?;
        coordinates.values = Some(coordinate.read_values(&selection)?);
        let calendar = coordinate.attributes().text("calendar");
        let units = coordinate.attributes().text("units");
        coordinates.time = units.and_then(|u| TimeUnits::parse(&u, calendar.as_deref()).ok());
        Ok(coordinates)
    }

    /// The bare indices of the selected part of dimension `d`.
    ///
    /// # Errors
    /// What is wrong with the aggregation.
    pub fn indices(variable: &Variable, d: usize, part: &Selection) -> Result<Coordinates> {
        let dimension = variable.dataset().dimension(variable.dimensions()?[d]).name.clone();
        let (first, step) = (part.start()[d], part.step()[d]);
        Ok(Coordinates { dimension, values: None, time: None, first, step })
    }

    /// Whether the coordinates are times that can be written as dates.
    pub fn are_dates(&self) -> bool {
        self.time.is_some()
    }

    /// The date of coordinate `i` of the part.
    pub fn date(&self, i: u64) -> Option<DateTime> {
        let value = self.values.as_ref()?.f64_at(usize::try_from(i).ok()?)?;
        self.time.as_ref()?.decode(value)
    }

    /// How coordinate `i` of the part is written: a date, a number, a word, or its index.
    pub fn label(&self, i: u64) -> String {
        if let Some(date) = self.date(i) {
            return date.to_string();
        }
        let index = self.first.wrapping_add_signed(self.step.wrapping_mul(i as i64)).to_string();
        match &self.values {
            Some(Values::Char(_)) | None => index,
            Some(Values::String(words)) => words.get(i as usize).cloned().unwrap_or(index),
            Some(values) => values.decimal_at(i as usize).unwrap_or(index),
        }
    }
}
