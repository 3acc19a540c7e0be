//! The values of coordinates as they are compared between files: numbers in common units, or labels.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use super::kept_values::Kept;
use super::record::{bytes_of, Content, Item, Template};
use crate::canonical::Target;
use crate::dataset::coordinates::meant;
use crate::error::{Error, Kind, Result};
use crate::value::{text_of, Attributes, DataType, Values};

/// Coordinates of one part of a dimension.
#[derive(Clone, Debug)]
pub(super) enum CoordinateValues {
    /// No coordinates.
    Nothing,
    /// Numbers in common units; NaN means missing.
    Numbers(Numbers),
    Labels(Arc<[String]>),
}

/// Numbers in order. Most parts of a dimension have one, with two bounds, so these take no memory of their own.
#[derive(Clone, Debug)]
pub(super) enum Numbers {
    One([f64; 1]),
    Two([f64; 2]),
    Many(Arc<[f64]>),
}

impl Deref for Numbers {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Numbers::One(list) => list,
            Numbers::Two(list) => list,
            Numbers::Many(list) => list,
        }
    }
}

impl From<&[f64]> for Numbers {
    fn from(list: &[f64]) -> Self {
        match *list {
            [a] => Numbers::One([a]),
            [a, b] => Numbers::Two([a, b]),
            _ => Numbers::Many(list.into()),
        }
    }
}

impl CoordinateValues {
    /// Returns whether both mean the same places; `slack` is that of the converter that made them.
    pub fn same(&self, other: &CoordinateValues, slack: f64) -> bool {
        match (self, other) {
            (CoordinateValues::Nothing, CoordinateValues::Nothing) => true,
            (CoordinateValues::Numbers(a), CoordinateValues::Numbers(b)) => {
                std::ptr::eq(&**a, &**b) || close(a, b, slack)
            }
            (CoordinateValues::Labels(a), CoordinateValues::Labels(b)) => a == b,
            _ => false,
        }
    }
}

/// Returns whether coordinates differ only by rounding: within single precision of the largest and a small part of their
/// distance, or the error of a change of epoch. Zero has the rounding of the others: an equator is often at 1e-15.
fn close(a: &[f64], b: &[f64], slack: f64) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let step = a.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    let scale = a.iter().chain(b).map(|x| x.abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let room = if step.is_finite() { (1e-4 * step).min(4e-7 * scale) } else { 0.0 };
    let room = room.max((ROUNDING * scale).max(slack).min(step / 4.0));
    a.iter().zip(b).all(|(&x, &y)| x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= room)
}

/// The relative difference up to which numbers count as equal except for rounding.
const ROUNDING: f64 = 1e-12;

/// Converts the values of items to common units. Equal values are converted once.
pub(super) struct Converter {
    target: Target,
    units: Option<String>,
    calendar: Option<String>,
    known: HashMap<(usize, usize), CoordinateValues>,
    slack: f64,
}

impl Converter {
    /// Returns a converter to the units of this variable.
    pub fn to(reference: &Template) -> Converter {
        let mut attributes = Attributes::default();
        for (name, text) in [("units", &reference.units), ("calendar", &reference.calendar)] {
            if let Some(text) = text {
                attributes.set_text(name, text);
            }
        }
        let target = Target::new(&attributes, DataType::F64);
        let (units, calendar) = (reference.units.clone(), reference.calendar.clone());
        Converter { target, units, calendar, known: HashMap::new(), slack: 0.0 }
    }

    /// Returns whether the template has exactly these units.
    pub fn is_in(&self, template: &Template) -> bool {
        template.units == self.units && template.calendar == self.calendar
    }

    /// Returns how far numbers with the same meaning may differ because they were counted from another epoch, where
    /// they are large.
    pub fn slack(&self) -> f64 {
        self.slack
    }

    /// Returns the values of an item, which must be in memory.
    ///
    /// # Errors
    /// `Units` and `Calendar` if they cannot be converted, `Unsupported` for values that were too many to keep.
    pub fn coordinates(&mut self, item: &Item) -> Result<CoordinateValues> {
        let Content::Kept(kept) = &item.content else {
            let message = format!("coordinate '{}' has too many values", item.template.name);
            return Err(Error::new(Kind::Unsupported, message));
        };
        let values = match kept {
            // Few values, and those of one file only, are converted and not remembered: there may be very many.
            Kept::Shared(values) if Arc::strong_count(values) > 1 => values,
            _ => return self.convert(&item.template, &kept.values(), &item.shape),
        };
        // The meaning of the numbers depends on their template, which has the units.
        let key = (Arc::as_ptr(values) as usize, Arc::as_ptr(&item.template) as usize);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let coordinates = self.convert(&item.template, values, &item.shape)?;
        self.known.insert(key, coordinates.clone());
        Ok(coordinates)
    }

    /// Converts the values of a variable.
    ///
    /// # Errors
    /// `Units` and `Calendar` if they cannot be converted.
    pub fn convert(
        &mut self,
        template: &Template,
        values: &Values,
        shape: &[u64],
    ) -> Result<CoordinateValues> {
        Ok(match labels(values, shape) {
            Some(labels) => CoordinateValues::Labels(labels.into()),
            None => {
                let (bytes, data_type) = (bytes_of(values), template.data_type);
                let numbers = self.numbers(template, &template.attributes, &bytes, data_type)?;
                CoordinateValues::Numbers(numbers.as_slice().into())
            }
        })
    }

    /// Converts coordinates to the units of another variable.
    ///
    /// # Errors
    /// `Units` and `Calendar` if they cannot be converted.
    pub fn bring(&mut self, template: &Template, coordinates: &CoordinateValues) -> Result<CoordinateValues> {
        match coordinates {
            CoordinateValues::Numbers(list) if !self.is_in(template) => {
                let bytes: Vec<u8> = list.iter().flat_map(|x| x.to_ne_bytes()).collect();
                let numbers = self.numbers(template, &Attributes::default(), &bytes, DataType::F64)?;
                Ok(CoordinateValues::Numbers(numbers.as_slice().into()))
            }
            other => Ok(other.clone()),
        }
    }

    fn numbers(
        &mut self,
        template: &Template,
        attributes: &Attributes,
        bytes: &[u8],
        data_type: DataType,
    ) -> Result<Vec<f64>> {
        let units = (template.units.as_deref(), template.calendar.as_deref());
        let convert = |bytes: &[u8], attributes, data_type| {
            meant(bytes, None, attributes, data_type, units, &self.target).map(|found| found.numbers())
        };
        let numbers = convert(bytes, attributes, data_type)?;
        if !self.is_in(template) {
            let shift = convert(&0f64.to_ne_bytes(), &Attributes::default(), DataType::F64)?;
            self.slack = shift.first().map_or(0.0, |x| x.abs() * ROUNDING).max(self.slack);
        }
        Ok(numbers)
    }
}

/// Returns the texts of strings or of rows of characters; `None` for numbers.
pub(super) fn labels(values: &Values, shape: &[u64]) -> Option<Vec<String>> {
    match values {
        Values::String(list) => Some(list.clone()),
        Values::Char(bytes) => {
            let length = shape.last().map_or(1, |&n| n as usize).max(1);
            Some(bytes.chunks(length).map(|row| text_of(row).trim_end().to_owned()).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_is_close_and_a_neighbour_is_not() {
        assert!(close(&[0.1, 0.2], &[f64::from(0.1f32), f64::from(0.2f32)], 0.0));
        assert!(!close(&[0.1, 0.2], &[0.1, 0.201], 0.0));
        assert!(!close(&[730000.0], &[730000.5], 0.0));
        assert!(close(&[0.0], &[0.0], 0.0));
        // An equator that was computed.
        for noise in [1e-15, -1e-9] {
            assert!(close(&[-10.0, 0.0, 10.0], &[-10.0, noise, 10.0], 0.0));
        }
        assert!(!close(&[-10.0, 0.0, 10.0], &[-10.0, 0.01, 10.0], 0.0));
        assert!(close(&[0.0], &[1e-11], 1e-10) && !close(&[0.0], &[1e-11], 0.0));
        assert!(!close(&[0.0, 1e-11], &[1e-11, 2e-11], 1e-10), "neighbours are not the same");
    }

    #[test]
    fn rows_of_characters_are_labels() {
        let values = Values::Char(b"ab\0xyz".to_vec());
        assert_eq!(labels(&values, &[2, 3]).unwrap(), ["ab", "xyz"]);
        assert_eq!(labels(&Values::I8(vec![1]), &[1]), None);
    }
}
