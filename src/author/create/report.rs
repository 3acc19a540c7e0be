//! Reports what was made, or would be, for people and programs.

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
    /// The parts along it, in order: size, coordinates as text (times also as dates), and one of the files.
    pub parts: Vec<(u64, String, String)>,
}

pub(super) fn describe(inputs: &[Input], field: &Field) -> PlannedVariable {
    let dimension = |axis: &super::axis::Axis| {
        let scale = axis.scale();
        let part = |p: &super::axis::AxisPart| {
            (p.size, scale.full_range(p), field.input(inputs, p.member).name.to_string())
        };
        PlannedDimension {
            name: axis.name.clone(),
            size: axis.size(),
            is_new: axis.new,
            parts: axis.parts.iter().map(part).collect(),
        }
    };
    let is_filled = !field.cells.is_empty();
    PlannedVariable {
        name: field.name.clone(),
        dimensions: field.axes.iter().map(dimension).collect(),
        fragments: if is_filled { field.cells.len() } else { field.members.len() } as u64,
        is_static: field.is_static,
        places: if is_filled { Vec::new() } else { cells::places(field) },
    }
}
