//! The distribution of one variable over the parts of a field: which of its dimensions are divided between files, and
//! which file provides each cell.

use std::collections::hash_map::{Entry, HashMap};
use std::collections::HashSet;
use std::sync::Arc;

use super::bounds;
use super::coordinate_values::Converter;
use super::field::{Field, Member};
use super::record::{Input, Item, Template};
use super::same;
use crate::error::{Error, Kind, Result};
use crate::selection::Odometer;
use crate::value::DataType;

/// A dimension of the variable.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    pub name: String,
    /// The axis of the field, if it is one.
    pub axis: Option<usize>,
    pub size: u64,
}

/// A variable over all members of a field.
pub(super) struct Distribution<'a> {
    pub name: String,
    /// The variable of each member.
    pub items: Vec<&'a Item>,
    /// For each member its bounds, or the variable to which these bounds belong: the two have the same dimensions.
    partners: Vec<Option<&'a Item>>,
    is_bounds: bool,
    is_data: bool,
    /// Its dimensions: first those that were added because it differs between files, then its own.
    pub extents: Vec<Extent>,
    /// The number of added dimensions.
    pub added: usize,
    /// The cells that the files provide.
    pub cells: Vec<Cell>,
}

/// The number of the cell in the array of the parts along all extents, in C order; and the member that provides it.
type Cell = (u128, usize);

impl<'a> Distribution<'a> {
    /// Returns the distribution of the data variable itself.
    pub fn of_field(inputs: &'a [Input], field: &Field) -> Distribution<'a> {
        let items: Vec<&Item> = (0..field.members.len()).map(|m| field.item(inputs, m)).collect();
        let extent = |(axis, a): (usize, &super::axis::Axis)| Extent {
            name: a.name.clone(),
            axis: Some(axis),
            size: a.size(),
        };
        let extents: Vec<Extent> = field.axes.iter().enumerate().map(extent).collect();
        let cells = field.cells.iter().enumerate().map(|(i, &m)| (i as u128, m)).collect();
        let partners = vec![None; items.len()];
        Distribution {
            name: field.name.clone(),
            items,
            partners,
            is_bounds: false,
            is_data: true,
            extents,
            added: 0,
            cells,
        }
    }

    /// Returns the distribution of a variable that describes the field; `None` if a file does not have it.
    ///
    /// # Errors
    /// `Map` if it differs between files but along no dimension of the field.
    pub fn of_companion(inputs: &'a [Input], field: &Field, name: &str) -> Result<Option<Distribution<'a>>> {
        let file = |m: usize| field.input(inputs, m);
        let found: Option<Vec<&Item>> = (0..field.members.len()).map(|m| file(m).item(name)).collect();
        let Some(items) = found else { return Ok(None) };
        let parent = bounds::parent(file(field.cells[0]), name).map(|p| p.template.name.clone());
        let partner = |m: usize| match &parent {
            Some(parent) => file(m).item(parent),
            None => bounds::of(file(m), &items[m].template),
        };
        let partners: Vec<Option<&Item>> = (0..items.len()).map(partner).collect();
        let whole = field
            .cells
            .iter()
            .copied()
            .max_by_key(|&m| (items[m].template.dimensions.len(), std::cmp::Reverse(m)))
            .unwrap_or(0);
        let reference = items[whole];
        let mut extents = Vec::new();
        for (d, dimension) in reference.template.dimensions.iter().enumerate() {
            let axis = field.axes.iter().position(|a| a.name == *dimension && !a.new);
            let mut size = axis.map_or(reference.shape[d], |a| field.axes[a].size());
            let is_text = reference.template.data_type == DataType::Char
                && d + 1 == reference.template.dimensions.len();
            if axis.is_none() {
                for (m, item) in items.iter().enumerate() {
                    let position = item.template.dimensions.iter().position(|n| n == dimension);
                    match position.map(|p| item.shape[p]) {
                        Some(other) if other != size && is_text => size = size.max(other),
                        Some(other) if other != size => {
                            let message = format!(
                                "dimension '{dimension}' of '{name}' has size {size} in {} and {other} in {}",
                                file(whole).name,
                                file(m).name
                            );
                            return Err(Error::new(Kind::Map, message));
                        }
                        _ => {}
                    }
                }
            }
            extents.push(Extent { name: dimension.clone(), axis, size });
        }
        // A scalar coordinate that became a dimension, or its bounds.
        let scalar = parent.as_deref().unwrap_or(name);
        if let Some(axis) = field.axes.iter().position(|a| a.new && a.name == scalar) {
            let size = field.axes[axis].size();
            extents.insert(0, Extent { name: scalar.to_owned(), axis: Some(axis), size });
        }
        let (name, is_bounds, cells) = (name.to_owned(), parent.is_some(), Vec::new());
        let mut distribution =
            Distribution { name, items, partners, is_bounds, is_data: false, extents, added: 0, cells };
        distribution.divide_spare_axes(inputs, field)?;
        Ok(Some(distribution))
    }

    /// Finds the axes along which it differs between files, and the cells.
    fn divide_spare_axes(&mut self, inputs: &[Input], field: &Field) -> Result<()> {
        let mut spare: Vec<usize> = (0..field.axes.len())
            .filter(|&a| field.axes[a].is_split() && !self.extents.iter().any(|e| e.axis == Some(a)))
            .collect();
        spare.sort_by_key(|&a| !field.axes[a].new);
        let own = self.extents.clone();
        let mut attempts: Vec<Vec<usize>> = vec![Vec::new()];
        attempts.extend(spare.iter().map(|&a| vec![a]));
        attempts.push(spare.clone());
        let mut conflict = None;
        for attempt in attempts {
            let more = attempt.iter().map(|&a| Extent {
                name: field.axes[a].name.clone(),
                axis: Some(a),
                size: field.axes[a].size(),
            });
            self.extents = more.chain(own.iter().cloned()).collect();
            match self.cells_by_file(inputs, field) {
                Ok(cells) => {
                    self.cells = cells;
                    self.added = attempt.len();
                    // A scalar is valid for the whole of its file. An array is not repeated along a dimension that it
                    // does not have.
                    let stretched = attempt.iter().any(|&a| !field.axes[a].new);
                    if stretched && self.items.iter().any(|i| i.template.rank() > usize::from(self.is_bounds))
                    {
                        conflict = conflict.or(Some((self.cells[0].1, self.cells[1].1)));
                        break;
                    }
                    return Ok(());
                }
                Err(pair) => conflict = conflict.or(Some(pair)),
            }
        }
        let (a, b) = conflict.unwrap_or((0, 0));
        let mut converter = Converter::to(&self.items[field.cells[0]].template);
        let files = [field.input(inputs, a), field.input(inputs, b)];
        let partner = self.partners[a]
            .filter(|_| same::values([files[0], files[1]], [self.items[a], self.items[b]], &mut converter));
        let name = partner.map_or(&self.name, |partner| &partner.template.name);
        let message = format!("'{name}' differs between {} and {}", files[0].name, files[1].name);
        Err(Error::new(Kind::Map, message))
    }

    /// Returns the description of the variable to which these bounds belong, at the first cell.
    pub fn parent(&self) -> Option<&'a Template> {
        let first = self.cells.first().map_or(0, |p| p.1);
        self.partners[first].filter(|_| self.is_bounds).map(|parent| &*parent.template)
    }

    /// Returns the cells with the present extents, or two members that should be equal and are not.
    fn cells_by_file(&self, inputs: &[Input], field: &Field) -> Result<Vec<Cell>, (usize, usize)> {
        let mut converter = Converter::to(&self.items[field.cells[0]].template);
        let mut partners = self.partners[field.cells[0]].map(|p| Converter::to(&p.template));
        let mut same = |a: usize, b: usize| {
            let files = [field.input(inputs, a), field.input(inputs, b)];
            let both = same::values(files, [self.items[a], self.items[b]], &mut converter);
            both && match (&mut partners, self.partners[a], self.partners[b]) {
                (Some(converter), Some(x), Some(y)) => same::values(files, [x, y], converter),
                _ => true,
            }
        };
        // The distance of the cells of neighbours along each axis.
        let mut weights = vec![0u128; field.axes.len()];
        let mut stride = 1u128;
        for axis in self.extents.iter().rev().filter_map(|e| e.axis) {
            weights[axis] = weights[axis].saturating_add(stride);
            stride = stride.saturating_mul(field.axes[axis].parts.len() as u128);
        }
        let counts: Vec<u64> = field.axes.iter().map(|a| a.parts.len() as u64).collect();
        let mut odometer = Odometer::new(&counts);
        let mut places: HashMap<u128, usize> = HashMap::new();
        let mut cells: Vec<Cell> = Vec::new();
        for &m in &field.cells {
            let along =
                odometer.index().iter().zip(&weights).map(|(&i, weight)| weight.saturating_mul(i.into()));
            let place = along.fold(0, u128::saturating_add);
            match places.entry(place) {
                Entry::Occupied(other) if !same(*other.get(), m) => return Err((*other.get(), m)),
                Entry::Occupied(_) => {}
                Entry::Vacant(free) => {
                    free.insert(m);
                    cells.push((place, m));
                }
            }
            odometer.advance();
        }
        cells.sort_unstable();
        Ok(cells)
    }

    /// Returns the position of a cell along each extent.
    pub fn place(&self, field: &Field, cell: &Cell) -> Vec<usize> {
        let mut rest = cell.0;
        let mut place = vec![0; self.extents.len()];
        for (at, extent) in place.iter_mut().zip(&self.extents).rev() {
            let count = extent.axis.map_or(1, |a| field.axes[a].parts.len().max(1)) as u128;
            *at = (rest % count) as usize;
            rest /= count;
        }
        place
    }

    /// Returns the distinct descriptions, that of the first cell first, each with the name of a file that has it.
    pub fn templates(&self, inputs: &'a [Input], field: &Field) -> Vec<(&'a Template, &'a str)> {
        let mut out: Vec<(&Template, &str)> = Vec::new();
        let mut seen = HashSet::new();
        let order = self.cells.iter().map(|(_, m)| *m).chain(0..self.items.len());
        for m in order {
            if seen.insert(Arc::as_ptr(&self.items[m].template)) {
                out.push((&self.items[m].template, &field.input(inputs, m).name));
            }
        }
        if self.is_data {
            let other = |m: &Member| (&*inputs[m.input].items[m.item].template, &*inputs[m.input].name);
            out.extend(field.others.iter().map(other));
        }
        out
    }

    /// Returns whether several files provide cells of it.
    pub fn is_split(&self) -> bool {
        self.cells.len() > 1
    }

    /// Returns the number of dimensions along which it is divided.
    pub fn split_rank(&self, field: &Field) -> usize {
        self.extents.iter().filter(|e| e.axis.is_some_and(|a| field.axes[a].is_split())).count()
    }
}
