//! The values of coordinates as they are compared between files: numbers in common units, or labels.

use std::collections::HashMap;
use std::sync::Arc;

use super::record::{bytes_of, Content, Item, Template};
use crate::canonical::{Conversion, Target};
use crate::error::{Error, Kind, Result};
use crate::value::{text_of, Attributes, DataType, Values};

/// Coordinates of one part of a dimension.
#[derive(Clone, Debug)]
pub(super) enum Marks {
    /// There are none.
    Nothing,
    Numbers(Arc<[f64]>),
    Labels(Arc<[String]>),
}

impl Marks {
    /// Whether they mean the same places.
    pub fn same(&self, other: &Marks) -> bool {
        match (self, other) {
            (Marks::Nothing, Marks::Nothing) => true,
            (Marks::Numbers(a), Marks::Numbers(b)) => Arc::ptr_eq(a, b) || close(a, b),
            (Marks::Labels(a), Marks::Labels(b)) => a == b,
            _ => false,
        }
    }
}

/// Whether coordinates differ by no more than their rounding: single precision, or a small part of their distance.
pub(super) fn close(a: &[f64], b: &[f64]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let step = a.windows(2).map(|w| (w[1] - w[0]).abs()).filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    a.iter().zip(b).all(|(&x, &y)| {
        let room = if step.is_finite() { 1e-4 * step } else { 0.0 };
        x == y
            || (x.is_nan() && y.is_nan())
            || (x - y).abs() <= room.min(4e-7 * x.abs().max(y.abs())).max(1e-12 * x.abs())
    })
}

/// Converts the values of items to common units; equal ones once.
pub(super) struct Converter {
    target: Target,
    units: Option<String>,
    calendar: Option<String>,
    known: HashMap<(usize, usize), Marks>,
}

impl Converter {
    /// To the units of this variable, or of the one it belongs to.
    pub fn to(reference: &Template, parent: Option<&Template>) -> Converter {
        let attributes = units_of(reference, parent);
        let target = Target::new(&attributes, DataType::F64);
        let text = |name: &str| attributes.text(name);
        Converter { units: text("units"), calendar: text("calendar"), target, known: HashMap::new() }
    }

    /// Whether the template has these very units.
    pub fn is_in(&self, template: &Template, parent: Option<&Template>) -> bool {
        let own = units_of(template, parent);
        own.text("units") == self.units && own.text("calendar") == self.calendar
    }

    /// The values of an item, which must have been kept.
    ///
    /// # Errors
    /// `Units` and `Calendar` when they cannot be converted, `Unsupported` for values that were too many to keep.
    pub fn marks(&mut self, item: &Item, parent: Option<&Template>) -> Result<Marks> {
        let Content::Kept(values) = &item.content else {
            let message = format!("coordinate '{}' has too many values", item.template.name);
            return Err(Error::new(Kind::Unsupported, message));
        };
        let key = (Arc::as_ptr(values) as usize, Arc::as_ptr(&item.template) as usize);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let marks = match labels(values, &item.shape) {
            Some(labels) => Marks::Labels(labels.into()),
            None => Marks::Numbers(self.numbers(&item.template, values, parent)?.into()),
        };
        self.known.insert(key, marks.clone());
        Ok(marks)
    }

    fn numbers(&self, template: &Template, values: &Values, parent: Option<&Template>) -> Result<Vec<f64>> {
        let view = units_of(template, parent);
        let (units, calendar) = (view.text("units"), view.text("calendar"));
        let conversion = Conversion::new(
            &template.attributes,
            template.data_type,
            units.as_deref(),
            calendar.as_deref(),
            &self.target,
            false,
        )?;
        let mut out = vec![0u8; values.len() * 8];
        conversion.apply(&bytes_of(values), &mut out, None)?;
        match Values::from_native_bytes(DataType::F64, &out) {
            Some(Values::F64(list)) => Ok(list),
            _ => Err(Error::new(Kind::Internal, "converted coordinates are not doubles")),
        }
    }
}

/// Units and calendar of a variable: its own or, of bounds without any, those of the variable they belong to.
pub(super) fn units_of(template: &Template, parent: Option<&Template>) -> Attributes {
    let source = if template.attributes.get("units").is_some() { Some(template) } else { parent };
    let mut out = Attributes::default();
    for name in ["units", "calendar"] {
        if let Some(value) = source.unwrap_or(template).attributes.get(name) {
            out.set(name, value.clone());
        }
    }
    out
}

/// Texts of strings or of rows of characters; `None` for numbers.
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
        assert!(close(&[0.1, 0.2], &[f64::from(0.1f32), f64::from(0.2f32)]));
        assert!(!close(&[0.1, 0.2], &[0.1, 0.201]));
        assert!(!close(&[730000.0], &[730000.5]));
        assert!(close(&[0.0], &[0.0]));
    }

    #[test]
    fn rows_of_characters_are_labels() {
        let values = Values::Char(b"ab\0xyz".to_vec());
        assert_eq!(labels(&values, &[2, 3]).unwrap(), ["ab", "xyz"]);
        assert_eq!(labels(&Values::I8(vec![1]), &[1]), None);
    }
}
