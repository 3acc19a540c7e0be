//! Compares a written file with its description, before it gets its name.
//!
//! The file is read by the modules that read all files (`container`, `dialect`). Every group, dimension, variable,
//! attribute and value must be as described, and an aggregation variable must have the grid and the fragments from
//! which it was made. So whatever a writer, a table or a format loses is noticed while the old file still exists.

mod fragments;
#[cfg(test)]
mod tests;
mod values;

use std::hash::{DefaultHasher, Hash, Hasher};

use super::description::{Data, File, Format, Group, Variable};
use crate::container::hdf5::is_bookkeeping;
use crate::container::tree::{GroupId, Tree, VariableId};
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::model::slabs::Slabs;
use crate::selection::Selection;
use crate::value::{Attributes, DataType, Values};

/// The number of elements that are read at once.
const SLAB: u64 = 1 << 20;

/// A block of a variable that was put separately, represented by a digest of its values.
pub(super) struct Slab {
    variable: String,
    start: Vec<u64>,
    count: Vec<u64>,
    digest: u64,
}

impl Slab {
    pub fn new(variable: &str, start: &[u64], count: &[u64], values: &Values) -> Slab {
        let (start, count) = (start.to_vec(), count.to_vec());
        Slab { variable: variable.to_owned(), start, count, digest: digest(values) }
    }
}

/// Checks that a file is what was described, and has these blocks.
///
/// # Errors
/// `Internal` for a difference; the errors of reading the file.
pub(super) fn verify(written: &Container, meant: &File, format: Format, blocks: &[Slab]) -> Result<()> {
    let tree = written.tree()?;
    if let Some((path, reason)) = tree.omitted.first() {
        return Err(differs(format!("'{path}' cannot be read: {reason}")));
    }
    let check = Check { written, tree, classic: format != Format::Netcdf4 };
    check.group(meant, GroupId(0), &mut Vec::new())?;
    blocks.iter().try_for_each(|block| check.block(block))
}

/// Returns the error for something that is not as intended.
fn differs(what: String) -> Error {
    Error::new(Kind::Internal, format!("the new file was not written correctly, so it is discarded: {what}"))
}

/// Returns whether an attribute can be in a file: netCDF-4 reserves some names.
fn is_kept(name: &str, classic: bool) -> bool {
    classic || !is_bookkeeping(name)
}

struct Check<'a> {
    written: &'a Container,
    tree: &'a Tree,
    classic: bool,
}

impl Check<'_> {
    fn group<'b>(&self, meant: &'b Group, id: GroupId, scope: &mut Vec<(&'b Group, GroupId)>) -> Result<()> {
        let read = &self.tree.groups[id.0];
        scope.push((meant, id));
        self.attributes(&meant.attributes, &read.attributes, false)?;
        self.dimensions(meant, id)?;
        for variable in &meant.variables {
            let Some(there) = self.tree.variable_in(id, &variable.name) else {
                return Err(differs("it is missing".into()).in_variable(&*variable.name));
            };
            let path = &self.tree.variables[there.0].path;
            self.variable(variable, there, scope).map_err(|e| e.in_variable(path))?;
        }
        let counts = (read.dimensions.len(), read.variables.len(), read.groups.len());
        // In a classic file the lengths of strings are dimensions.
        let lengths = if self.classic { self.lengths(id, meant) } else { 0 };
        if counts != (meant.dimensions.len() + lengths, meant.variables.len(), meant.groups.len()) {
            let path = &read.path;
            return Err(differs(format!("group '{path}' has more members than it should")));
        }
        for child in &meant.groups {
            let there = self.tree.group_in(id, &child.name);
            let there = there.ok_or_else(|| differs(format!("group '{}' is missing", child.name)))?;
            self.group(child, there, scope)?;
        }
        scope.pop();
        Ok(())
    }

    fn lengths(&self, id: GroupId, meant: &Group) -> usize {
        let all = self.tree.groups[id.0].dimensions.iter();
        let more =
            all.map(|d| &self.tree.dimensions[d.0].name).filter(|name| meant.dimension(name).is_none());
        more.filter(|name| name.starts_with("strlen")).count()
    }

    fn dimensions(&self, meant: &Group, id: GroupId) -> Result<()> {
        for dimension in &meant.dimensions {
            let there = self.tree.dimension_in(id, &dimension.name).map(|d| &self.tree.dimensions[d.0]);
            let same = there.is_some_and(|there| match there.unlimited {
                // It grows with the data, and may still be empty.
                true => dimension.unlimited && there.size <= dimension.size,
                // A classic file has at most one unlimited dimension.
                false => (self.classic || !dimension.unlimited) && there.size == dimension.size,
            });
            if !same {
                let (name, size) = (&dimension.name, dimension.size);
                return Err(differs(format!("dimension '{name}' of size {size} is missing or differs")));
            }
        }
        Ok(())
    }

    fn attributes(&self, meant: &Attributes, read: &Attributes, spare_fill: bool) -> Result<()> {
        let own = || meant.iter().filter(|a| is_kept(&a.name, self.classic));
        for attribute in own().filter(|a| !spare_fill || a.name != "_FillValue") {
            let there = read.get(&attribute.name);
            if !there.is_some_and(|there| values::same_attribute(&attribute.value, there, self.classic)) {
                return Err(differs(format!("attribute '{}' differs", attribute.name)));
            }
        }
        match read.iter().find(|a| meant.get(&a.name).is_none()) {
            Some(more) => Err(differs(format!("attribute '{}' should not exist", more.name))),
            None => Ok(()),
        }
    }

    fn variable(&self, meant: &Variable, id: VariableId, scope: &[(&Group, GroupId)]) -> Result<()> {
        let read = &self.tree.variables[id.0];
        // In a classic file strings are rows of characters, which have no missing value.
        let rows = self.classic && meant.data_type == DataType::String;
        self.attributes(&meant.attributes, &read.attributes, rows)?;
        let group =
            |name: &String| scope.iter().rev().find(|(g, _)| g.dimension(name).is_some()).map(|s| s.1);
        let named = meant.dimensions.iter().map(|name| (group(name), name));
        let there = read.dimensions.iter().map(|d| &self.tree.dimensions[d.0]);
        let there = there.take(read.dimensions.len() - usize::from(rows && !read.dimensions.is_empty()));
        if !named.eq(there.map(|d| (Some(d.group), &d.name))) {
            return Err(differs(format!("its dimensions are not {}", meant.dimensions.join(", "))));
        }
        let data_type = read.array.data_type;
        let narrowed = self.classic && meant.data_type.is_integer() && data_type == DataType::I32;
        if data_type != meant.data_type && !narrowed && !(rows && data_type == DataType::Char) {
            return Err(differs(format!("its type is {data_type} instead of {}", meant.data_type)));
        }
        match &meant.data {
            Data::Later => Ok(()),
            Data::Values(values) => self.values(values, id),
            Data::Fragments(meaning) => fragments::check(self.written, id, meaning, self.classic).map(|_| ()),
        }
    }

    fn values(&self, meant: &Values, id: VariableId) -> Result<()> {
        let array = &self.tree.variables[id.0].array;
        let mut at = 0;
        for slab in Slabs::new(&Selection::all(&array.shape), &array.shape, SLAB) {
            let read = self.written.read_values(array, &slab?)?;
            let (difference, count) = match (meant, &read) {
                (Values::String(list), Values::Char(rows)) => {
                    let width = array.shape.last().map_or(1, |&n| n as usize);
                    (values::first_other_row(list, at, rows, width), rows.len() / width.max(1))
                }
                _ => (values::first_difference(meant, at, &read, self.classic), read.len()),
            };
            if let Some(i) = difference {
                return Err(differs(format!("value {} differs", at + i)));
            }
            at += count;
        }
        match at == meant.len() {
            true => Ok(()),
            false => Err(differs(format!("it has {at} values instead of {}", meant.len()))),
        }
    }

    fn block(&self, block: &Slab) -> Result<()> {
        let name = &*block.variable;
        let id =
            self.tree.variable_at(name).ok_or_else(|| differs("it is missing".into()).in_variable(name))?;
        let array = &self.tree.variables[id.0].array;
        let place =
            Selection::block(&block.start, &block.count, &array.shape).map_err(|e| e.in_variable(name))?;
        match digest(&self.written.read_values(array, &place)?) == block.digest {
            true => Ok(()),
            false => Err(differs(format!("the values at {:?} differ", block.start)).in_variable(name)),
        }
    }
}

/// Returns a digest of the bits of the values.
fn digest(values: &Values) -> u64 {
    let mut hasher = DefaultHasher::new();
    match values {
        Values::Char(bytes) => bytes.hash(&mut hasher),
        Values::String(list) => list.iter().for_each(|text| values::ended(text).hash(&mut hasher)),
        numbers => {
            crate::for_numbers!(numbers, v => v.iter().for_each(|x| hasher.write(&x.to_ne_bytes())), ())
        }
    }
    hasher.finish()
}
