//! The coordinates along a dimension, which are searched in blocks: a dimension may have any number of them.

use std::ops::ControlFlow;

use crate::container::allowance::Measure;
use crate::dataset::coordinate_blocks::{self, BLOCK};
use crate::dataset::coordinates::{coordinate_of, Coordinates};
use crate::dataset::select::cells::bounds_of;
use crate::dataset::select::likeness::Likeness;
use crate::dataset::variable::Variable;
use crate::error::{Error, Kind, Result};
use crate::selection::Selection;
use crate::value::{DataType, Values};

/// How many coordinates are searched. Deflate makes at most 129 numbers of 8 bytes of one byte.
const SEARCHED: Measure = Measure { floor: 1 << 26, length: 129, stored: 512, ceiling: 1 << 40 };

/// Characters that are read at a time.
const CHARACTERS: u64 = 1 << 20;

/// The coordinates along a dimension of a variable.
pub(super) struct Along<'a> {
    pub variable: &'a Variable,
    pub d: usize,
    /// How many there are.
    pub size: u64,
    block: u64,
    /// Those of the first block, which tell what all of them are.
    pub first: Coordinates,
    /// Which numbers mean the same coordinate.
    pub alike: Likeness,
}

impl<'a> Along<'a> {
    /// Reads the first coordinates along a dimension.
    ///
    /// # Errors
    /// Those of reading them; `Limit` if they are too many to be searched.
    pub fn new(variable: &'a Variable, d: usize) -> Result<Along<'a>> {
        let size = variable.shape()?[d];
        let coordinate = coordinate_of(variable, variable.dimensions()?[d])?;
        let block = coordinate.as_ref().map_or(Ok(BLOCK), |coordinate| block_of(coordinate, size))?;
        let first = read(variable, d, 0, block.min(size))?;
        let alike = Likeness::of(&first);
        Ok(Along { variable, d, size, block, first, alike })
    }

    /// Visits the coordinates in blocks, each with the index of its first one, until there are no more or enough.
    ///
    /// # Errors
    /// Those of reading them, and of `visit`.
    pub fn each_block(
        &self,
        mut visit: impl FnMut(u64, &Coordinates) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut start = 0;
        while start < self.size {
            let next = match start {
                0 => visit(0, &self.first)?,
                _ => {
                    let count = self.block.min(self.size - start);
                    visit(start, &read(self.variable, self.d, start, count)?)?
                }
            };
            if next.is_break() {
                break;
            }
            start += self.block;
        }
        Ok(())
    }

    /// Visits the indices with coordinates that are numbers, and these.
    ///
    /// # Errors
    /// As [`Along::each_block`].
    pub fn each_number(&self, mut visit: impl FnMut(u64, f64) -> Result<()>) -> Result<()> {
        self.each_block(|start, block| {
            for i in 0..block.values.as_ref().map_or(0, Values::len) as u64 {
                if let Some(x) = block.number(i) {
                    visit(start + i, x)?;
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Visits the indices with labels, and these, until there are no more or enough.
    ///
    /// # Errors
    /// As [`Along::each_block`].
    pub fn each_label(&self, mut visit: impl FnMut(u64, &str) -> Result<ControlFlow<()>>) -> Result<()> {
        self.each_block(|start, block| {
            let Some(Values::String(labels)) = &block.values else { return Ok(ControlFlow::Break(())) };
            for (i, label) in (start..).zip(labels) {
                if visit(i, label)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Returns whether they are labels.
    pub fn are_labels(&self) -> bool {
        matches!(self.first.values, Some(Values::String(_)))
    }

    /// Returns a coordinate as a number, or `None` if it is a label or missing, or does not exist.
    ///
    /// # Errors
    /// Those of reading it.
    pub fn number(&self, i: u64) -> Result<Option<f64>> {
        match i {
            i if i < self.block => Ok(self.first.number(i)),
            i if i < self.size => Ok(read(self.variable, self.d, i, 1)?.number(0)),
            _ => Ok(None),
        }
    }

    /// Returns the text of a coordinate for a message: its index if it cannot be read.
    pub fn label(&self, i: u64) -> String {
        match i < self.block {
            true => self.first.label(i),
            false => read(self.variable, self.d, i, 1).map_or_else(|_| i.to_string(), |one| one.label(0)),
        }
    }
}

/// Returns how many coordinates are read at a time.
///
/// # Errors
/// `Limit` if they are too many for a file of this length.
fn block_of(coordinate: &Variable, size: u64) -> Result<u64> {
    let source = coordinate.dataset().shared().container.source();
    if size > SEARCHED.of(source.len(), source.stored()) {
        let message = format!(
            "it has {size} coordinates, too many to be searched for a file of {} bytes; select by index",
            source.len()
        );
        return Err(Error::new(Kind::Limit, message)
            .in_variable(coordinate.path())
            .in_file(coordinate.dataset().name()));
    }
    if size <= BLOCK {
        return Ok(BLOCK);
    }
    if let (DataType::Char, [_, length]) = (coordinate.data_type(), coordinate.shape()?) {
        return Ok((CHARACTERS / length.max(&1)).clamp(1, BLOCK));
    }
    let bounds = bounds_of(coordinate)?.map_or(Ok(0), |bounds| coordinate_blocks::length(&bounds))?;
    Ok(coordinate_blocks::length(coordinate)?.max(bounds / 2))
}

/// Reads coordinates.
fn read(variable: &Variable, d: usize, start: u64, count: u64) -> Result<Coordinates> {
    let shape = variable.shape()?;
    let (mut from, mut counts) = (vec![0; shape.len()], vec![0; shape.len()]);
    (from[d], counts[d]) = (start, count);
    Coordinates::along(variable, d, &Selection::block(&from, &counts, shape)?)
}
