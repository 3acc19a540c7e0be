//! Reports what was made, or would be, for people and programs.

use std::collections::HashMap;
use std::sync::Arc;

use super::axis::{Axis, AxisPart, Ends, Scale};
use super::cells;
use super::field::Field;
use super::record::Input;
use crate::error::Error;

/// What was made.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The data variables.
    pub variables: Vec<PlannedVariable>,
    /// Notes on what was left out or is odd.
    pub notes: Vec<String>,
    /// The number of files, or of fragments of an earlier aggregation.
    pub files: u64,
    /// The files that an update added.
    pub added: Vec<String>,
    /// The files of the aggregation that an update found changed.
    pub changed: Vec<String>,
    /// The files that an update removed, because they are gone.
    pub removed: Vec<String>,
    /// What prevents the aggregation; only [`super::survey`] reports this, other functions return the first as an error.
    pub faults: Vec<Error>,
}

/// A data variable that was made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedVariable {
    /// Its name.
    pub name: String,
    /// Its dimensions.
    pub dimensions: Vec<PlannedDimension>,
    /// The number of its fragments.
    pub fragments: u64,
    /// Whether it is the same in all files and stored by value.
    pub is_static: bool,
    /// The places that files fill, as positions in the array of the parts of all dimensions in C order; empty if files
    /// fill all places.
    pub places: Vec<u64>,
}

/// A dimension of a data variable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlannedDimension {
    /// Its name in the files.
    pub name: String,
    /// Its size.
    pub size: u64,
    /// Whether the files do not have it.
    pub is_new: bool,
    /// The parts along it.
    pub parts: Parts,
}

/// The parts of a dimension, in order. Variables share them, and their texts are made when they are needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    list: Arc<Vec<Part>>,
    scale: Scale,
}

#[derive(Debug, PartialEq)]
struct Part {
    size: u64,
    ends: Ends,
    file: Arc<str>,
}

impl Parts {
    /// Returns their number.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns for each part its size, its coordinates as text (times also as dates), and one of its files.
    pub fn iter(&self) -> impl Iterator<Item = (u64, String, String)> + '_ {
        self.list.iter().map(|part| self.shown(part))
    }

    /// Returns the same for the part at an index.
    pub fn get(&self, index: usize) -> Option<(u64, String, String)> {
        self.list.get(index).map(|part| self.shown(part))
    }

    fn shown(&self, part: &Part) -> (u64, String, String) {
        (part.size, self.scale.full(part.size, &part.ends), part.file.to_string())
    }
}

/// Describes fields.
#[derive(Default)]
pub(super) struct Describer {
    /// The parts of the latest dimension of each name.
    known: HashMap<String, Parts>,
}

impl Describer {
    pub fn describe(&mut self, inputs: &[Input], field: &Field) -> PlannedVariable {
        let mut dimension = |axis: &Axis| {
            let part = |p: &AxisPart| Part {
                size: p.size,
                ends: Ends::of(p),
                file: field.input(inputs, p.member).name.clone(),
            };
            let list = Arc::new(axis.parts.iter().map(part).collect());
            let made = Parts { list, scale: axis.scale() };
            let parts = match self.known.get(&axis.name) {
                Some(known) if *known == made => known.clone(),
                _ => {
                    self.known.insert(axis.name.clone(), made.clone());
                    made
                }
            };
            PlannedDimension { name: axis.name.clone(), size: axis.size(), is_new: axis.new, parts }
        };
        let is_filled = !field.cells.is_empty();
        PlannedVariable {
            name: field.name.clone(),
            dimensions: field.axes.iter().map(&mut dimension).collect(),
            fragments: if is_filled { field.cells.len() } else { field.members.len() } as u64,
            is_static: field.is_static,
            places: if is_filled { Vec::new() } else { cells::places(field) },
        }
    }
}
