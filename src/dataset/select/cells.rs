//! The cells around coordinates, from their bounds (CF-1.13 section 7.1).

use std::ops::ControlFlow;

use super::along::Along;
use super::circle::{shift_into, TURN};
use super::likeness::Likeness;
use crate::dataset::coordinates::{self, coordinate_of};
use crate::dataset::variable::Variable;
use crate::error::Result;
use crate::selection::Selection;
use crate::value::{DataType, Values};

/// The bounds of the cells along a dimension.
pub(super) struct Cells {
    bounds: Variable,
    is_circle: bool,
    alike: Likeness,
}

impl Cells {
    /// Finds the bounds of a dimension, or returns `None` if there are none that can be compared with coordinates: two
    /// numbers per coordinate, in the same units.
    pub fn of(along: &Along<'_>, is_circle: bool) -> Result<Option<Cells>> {
        let id = along.variable.dimensions()?[along.d];
        let Some(coordinate) = coordinate_of(along.variable, id)? else { return Ok(None) };
        Ok(bounds_of(&coordinate)?.map(|bounds| Cells { bounds, is_circle, alike: along.alike }))
    }

    /// Reads the bounds of some cells.
    fn read(&self, start: u64, count: u64) -> Result<Vec<f64>> {
        let part = Selection::block(&[start, 0], &[count, 2], self.bounds.shape()?)?;
        coordinates::numbers(&self.bounds, &part)
    }

    /// Returns the ends of a cell, the lower first.
    fn ends(&self, bounds: &[f64], coordinate: f64) -> Option<(f64, f64)> {
        let (low, high) = (bounds[0].min(bounds[1]), bounds[0].max(bounds[1]));
        if bounds.iter().any(|end| end.is_nan()) {
            return None;
        }
        // A cell may cross the end of the circle: that around 0 may be written as 359.5 to 0.5.
        let crosses = self.is_circle && shift_into(coordinate, (low, high), &self.alike).is_none();
        Some(if crosses { (high, low + TURN) } else { (low, high) })
    }

    /// Returns what to add to the coordinates of a cell if it contains the number. The upper end of a cell belongs to
    /// the next one if `is_half_open`, as for dates.
    fn contains(&self, bounds: &[f64], coordinate: f64, number: f64, is_half_open: bool) -> Option<f64> {
        let (low, high) = self.ends(bounds, coordinate)?;
        if self.is_circle {
            return shift_into(number, (low, high), &self.alike).map(|shift| 0.0 - shift);
        }
        let inside = low <= number && (number < high || number == high && !is_half_open);
        inside.then_some(0.0)
    }

    /// Returns the first cell that contains the number, and what to add to its coordinates.
    pub fn find(&self, along: &Along<'_>, number: f64, is_half_open: bool) -> Result<Option<(u64, f64)>> {
        let mut found = None;
        along.each_block(|start, block| {
            let count = block.values.as_ref().map_or(0, Values::len) as u64;
            let bounds = self.read(start, count)?;
            let shift = |i: u64, pair| self.contains(pair, block.number(i)?, number, is_half_open);
            found = (0..count)
                .zip(bounds.chunks_exact(2))
                .find_map(|(i, pair)| Some((start + i, shift(i, pair)?)));
            Ok(if found.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    }

    /// Returns whether cell `i` contains the number.
    pub fn is_in(&self, i: u64, coordinate: f64, number: f64) -> Result<bool> {
        Ok(self.contains(&self.read(i, 1)?, coordinate, number, false).is_some())
    }
}

/// Returns the variable with the bounds of a coordinate variable.
pub(crate) fn bounds_of(coordinate: &Variable) -> Result<Option<Variable>> {
    let dataset = coordinate.dataset();
    let tree = dataset.shared().tree();
    let Some(name) = coordinate.attributes().text("bounds") else { return Ok(None) };
    let name = name.trim();
    let found = match name.contains('/') {
        true => {
            tree.variables.iter().position(|one| one.path == name).map(crate::container::tree::VariableId)
        }
        false => tree.upward(tree.variables[coordinate.id().0].group).find_map(|g| tree.variable_in(g, name)),
    };
    let Some(bounds) = found.map(|id| Variable::new(dataset.clone(), id)) else { return Ok(None) };
    let same_units = match (bounds.attributes().text("units"), coordinate.attributes().text("units")) {
        (Some(own), Some(units)) => own == units,
        _ => true,
    };
    let fits = bounds.data_type().is_number()
        && matches!((coordinate.dimensions()?, bounds.dimensions()?), ([own], [one, _]) if own == one)
        && bounds.shape()?.get(1) == Some(&2);
    // The convention does not say whether bounds are packed like their coordinates.
    let is_packed = |one: &Variable| {
        ["scale_factor", "add_offset", "_Unsigned"].iter().any(|name| one.attributes().get(name).is_some())
    };
    let is_float = matches!(bounds.data_type(), DataType::F32 | DataType::F64);
    let is_clear = is_float || is_packed(&bounds) || !is_packed(coordinate);
    Ok((fits && same_units && is_clear).then_some(bounds))
}
