//! How one variable lies over the parts of a field: which of its dimensions are divided between files, and which file
//! gives each piece.

use std::collections::HashMap;

use super::field::Field;
use super::marks::{labels, Converter};
use super::record::{Content, Input, Item, Template};
use crate::error::{Error, Kind, Result};
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
pub(super) struct Spread<'a> {
    pub name: String,
    /// The variable in each member.
    pub items: Vec<&'a Item>,
    /// The variable to which bounds belong, in each member.
    pub parents: Vec<Option<&'a Template>>,
    /// Its dimensions: first those it has for being different from file to file, then its own.
    pub extents: Vec<Extent>,
    /// How many of the first kind there are.
    pub added: usize,
    /// The files' shares in it.
    pub pieces: Vec<Piece>,
}

/// Position along each extent, and the member that gives it.
type Piece = (Vec<usize>, usize);

impl<'a> Spread<'a> {
    /// The data variable itself.
    pub fn of_field(inputs: &'a [Input], field: &Field) -> Spread<'a> {
        let items: Vec<&Item> = (0..field.members.len()).map(|m| field.item(inputs, m)).collect();
        let extent = |(axis, a): (usize, &super::axis::Axis)| Extent {
            name: a.name.clone(),
            axis: Some(axis),
            size: a.size(),
        };
        let extents: Vec<Extent> = field.axes.iter().enumerate().map(extent).collect();
        let counts: Vec<usize> = field.axes.iter().map(|a| a.parts.len()).collect();
        let pieces = field.cells.iter().enumerate().map(|(i, &m)| (unravel(i, &counts), m)).collect();
        let parents = vec![None; items.len()];
        Spread { name: field.name.clone(), items, parents, extents, added: 0, pieces }
    }

    /// A variable that describes the field; `None` when not every file has it.
    ///
    /// # Errors
    /// `Map` when it differs between files along nothing that the field has.
    pub fn of_companion(
        inputs: &'a [Input],
        field: &Field,
        name: &str,
        parent: Option<&str>,
    ) -> Result<Option<Spread<'a>>> {
        let file = |m: usize| field.input(inputs, m);
        let found: Option<Vec<&Item>> = (0..field.members.len()).map(|m| file(m).item(name)).collect();
        let Some(items) = found else { return Ok(None) };
        let parents: Vec<Option<&Template>> =
            (0..items.len()).map(|m| parent.and_then(|p| file(m).item(p)).map(|i| &*i.template)).collect();
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
        // A scalar coordinate that became a dimension.
        if let Some(axis) = field.axes.iter().position(|a| a.new && a.name == name) {
            extents
                .insert(0, Extent { name: name.to_owned(), axis: Some(axis), size: field.axes[axis].size() });
        }
        let mut spread =
            Spread { name: name.to_owned(), items, parents, extents, added: 0, pieces: Vec::new() };
        spread.settle(inputs, field)?;
        Ok(Some(spread))
    }

    /// Finds the axes along which it differs from file to file, and the pieces.
    fn settle(&mut self, inputs: &[Input], field: &Field) -> Result<()> {
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
            match self.cut(field) {
                Ok(pieces) => {
                    self.pieces = pieces;
                    self.added = attempt.len();
                    // A scalar holds for all of its file; an array is not one along a dimension that it has not.
                    let stretched = attempt.iter().any(|&a| !field.axes[a].new);
                    if stretched && self.items.iter().any(|i| i.template.rank() > 0) {
                        conflict = conflict.or(Some((self.pieces[0].1, self.pieces[1].1)));
                        break;
                    }
                    return Ok(());
                }
                Err(pair) => conflict = conflict.or(Some(pair)),
            }
        }
        let (a, b) = conflict.unwrap_or((0, 0));
        let message = format!(
            "'{}' differs between {} and {}",
            self.name,
            field.input(inputs, a).name,
            field.input(inputs, b).name
        );
        Err(Error::new(Kind::Map, message))
    }

    /// The pieces with the present extents, or two members that should be the same and are not.
    fn cut(&self, field: &Field) -> Result<Vec<Piece>, (usize, usize)> {
        let reference = self.items[field.cells[0]];
        let mut converter = Converter::to(&reference.template, self.parents[field.cells[0]]);
        let counts: Vec<usize> = field.axes.iter().map(|a| a.parts.len()).collect();
        let mut places: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut pieces: Vec<Piece> = Vec::new();
        for (i, &m) in field.cells.iter().enumerate() {
            let cell = unravel(i, &counts);
            let place: Vec<usize> = self.extents.iter().map(|e| e.axis.map_or(0, |a| cell[a])).collect();
            match places.get(&place) {
                Some(&other) if !self.same(other, m, &mut converter) => return Err((other, m)),
                Some(_) => {}
                None => {
                    places.insert(place.clone(), m);
                    pieces.push((place, m));
                }
            }
        }
        pieces.sort();
        Ok(pieces)
    }

    fn same(&self, a: usize, b: usize, converter: &mut Converter) -> bool {
        let (x, y) = (self.items[a], self.items[b]);
        match (&x.content, &y.content) {
            (Content::Kept(v), Content::Kept(w)) => {
                let alike = std::sync::Arc::ptr_eq(v, w) || v == w;
                if alike
                    && (std::sync::Arc::ptr_eq(&x.template, &y.template) || !x.template.data_type.is_number())
                {
                    return true;
                }
                if let (Some(l), Some(k)) = (labels(v, &x.shape), labels(w, &y.shape)) {
                    return l == k;
                }
                match (converter.marks(x, self.parents[a]), converter.marks(y, self.parents[b])) {
                    (Ok(p), Ok(q)) => p.same(&q),
                    _ => false,
                }
            }
            (Content::Hashed(v), Content::Hashed(w)) => v == w,
            // Too large to be compared, or part of an aggregation already.
            (Content::Unread, _) | (_, Content::Unread) => true,
            _ => false,
        }
    }

    /// The different descriptions, that of the first piece first, each with the name of a file that has it.
    pub fn templates(&self, inputs: &'a [Input], field: &Field) -> Vec<(&'a Template, &'a str)> {
        let mut out: Vec<(&Template, &str)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        let order = self.pieces.iter().map(|(_, m)| *m).chain(0..self.items.len());
        for m in order {
            if seen.insert(std::sync::Arc::as_ptr(&self.items[m].template)) {
                out.push((&self.items[m].template, &field.input(inputs, m).name));
            }
        }
        out
    }

    /// Whether several files give pieces of it.
    pub fn is_split(&self) -> bool {
        self.pieces.len() > 1
    }

    /// Along how many dimensions it is divided.
    pub fn split_rank(&self, field: &Field) -> usize {
        self.extents.iter().filter(|e| e.axis.is_some_and(|a| field.axes[a].is_split())).count()
    }
}

/// The position of element `i` of an array of this shape.
pub(super) fn unravel(mut i: usize, shape: &[usize]) -> Vec<usize> {
    let mut out = vec![0; shape.len()];
    for d in (0..shape.len()).rev() {
        out[d] = i % shape[d].max(1);
        i /= shape[d].max(1);
    }
    out
}
