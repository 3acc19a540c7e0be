//! Writes netCDF-4 files: HDF5 with dimension scales, written once and never changed.
//!
//! Data are appended as they come, strings to global heaps. The objects that describe them follow when all data are
//! written. The superblock, at the beginning, is written last, so that an unfinished file is not an HDF5 file. Readers
//! of HDF5 1.8 and later know everything that is written.

mod attribute;
mod chunk_tree;
mod chunks;
mod dense;
mod filter;
mod header;
mod heap;
mod message;
mod objects;
mod stored;
mod variable;

use std::collections::HashMap;
use std::fs::File;
use std::sync::Arc;

use attribute::Attribute;
pub(crate) use chunks::default_chunk;
use chunks::Chunks;
use header::{sealed, Message};
use heap::Heap;
use message::UNDEFINED;
use objects::Object;
use variable::Data;
pub(super) use variable::Encoded;

use super::bytes::{encode, Order};
use super::description::{Group, Variable};
use super::new_file::Checkpoint;
use super::sink::Sink;
use crate::container::form::Form;
use crate::error::{Error, Kind, Result};
use crate::value::{Attributes, Values};

/// The number of bytes of the superblock.
const SUPERBLOCK: u64 = 48;

/// A netCDF-4 file that is being written.
#[derive(Debug)]
pub(super) struct Writer {
    sink: Sink,
    heap: Heap,
    groups: Vec<GroupParts>,
    dimensions: Vec<DimensionParts>,
    variables: Vec<VariableParts>,
    /// The variables by path, without leading slash.
    paths: HashMap<String, usize>,
}

#[derive(Debug)]
struct GroupParts {
    attributes: Attributes,
    dimensions: Vec<usize>,
    variables: Vec<usize>,
    groups: Vec<(String, usize)>,
}

#[derive(Debug)]
struct DimensionParts {
    name: String,
    size: u64,
    unlimited: bool,
    /// The variable that is its scale.
    coordinate: Option<usize>,
}

#[derive(Debug)]
struct VariableParts {
    name: String,
    attributes: Attributes,
    dimensions: Vec<usize>,
    /// Whether it has the name of a dimension but is not its scale.
    is_hidden: bool,
    data: Data,
}

/// Encodes blocks of a variable, on any thread.
#[derive(Clone, Debug)]
pub(super) struct Encoder(Option<Arc<Chunks>>);

impl Encoder {
    /// Returns how chunks of the variable are stored, if they are compressed.
    pub(super) fn form(&self) -> Option<Form> {
        self.0.as_ref().and_then(|chunks| chunks.form())
    }

    /// Returns a whole chunk that begins at `start` and is stored as these bytes.
    pub(super) fn whole(&self, start: &[u64], bytes: Vec<u8>) -> Option<Encoded> {
        let number = self.0.as_ref()?.number(start);
        Some(Encoded::Pieces(vec![chunks::StoredBytes::All(number, bytes)]))
    }

    /// Returns the block as it is stored, as far as that can be done beforehand.
    ///
    /// # Errors
    /// `Limit`, `Internal`; those of `check`.
    pub(super) fn encode(
        &self,
        start: &[u64],
        count: &[u64],
        values: Values,
        check: &Checkpoint<'_>,
    ) -> Result<Encoded> {
        match &self.0 {
            Some(chunks) => {
                chunks.cut(start, count, &encode(&values, Order::Little), check).map(Encoded::Pieces)
            }
            None => Ok(Encoded::Block(start.to_vec(), count.to_vec(), values)),
        }
    }
}

impl Writer {
    /// Begins an empty file. The description is consistent.
    ///
    /// # Errors
    /// `Request`, `Io`.
    pub(super) fn create(file: &Group, into: File) -> Result<Writer> {
        let mut parts = Parts::default();
        parts.group(file, "", &[])?;
        let Parts { groups, dimensions, variables, paths } = parts;
        let mut sink = Sink::new(into);
        sink.reserve(SUPERBLOCK)?;
        Ok(Writer { sink, heap: Heap::default(), groups, dimensions, variables, paths })
    }

    /// Returns an encoder for blocks of a variable.
    pub(super) fn encoder(&self, path: &str) -> Encoder {
        Encoder(self.paths.get(path).and_then(|&v| self.variables[v].data.chunks()))
    }

    /// Returns the shape of the chunks of a variable, if it has chunks.
    pub(super) fn chunk(&self, path: &str) -> Option<Vec<u64>> {
        self.paths.get(path).and_then(|&v| self.variables[v].data.chunk())
    }

    /// Writes a block that lies within the shape of the variable.
    ///
    /// # Errors
    /// `Io`, `Limit`, `MissingVariable`.
    pub(super) fn put(&mut self, path: &str, data: Encoded) -> Result<()> {
        let Some(&v) = self.paths.get(path) else {
            return Err(Error::new(Kind::MissingVariable, format!("no variable '{path}' was described")));
        };
        self.variables[v].data.put(data, &mut self.heap, &mut self.sink)
    }

    /// Writes the objects that describe the data, and closes the file.
    ///
    /// # Errors
    /// `Io`, `Limit`, `Request`.
    pub(super) fn finish(mut self) -> Result<()> {
        let objects = self.objects()?;
        let root = objects::write(objects, &mut self.heap, &mut self.sink)?;
        self.sink.write_at(0, &superblock(self.sink.end(), root))?;
        self.sink.finish()
    }

    /// Returns all objects: groups, then variables, then dimensions. Of dimensions only those without variable are
    /// linked.
    fn objects(&mut self) -> Result<Vec<Option<Object>>> {
        let (first_variable, first_dimension) = (self.groups.len(), self.groups.len() + self.variables.len());
        let mut users: Vec<Vec<(usize, u32)>> = vec![Vec::new(); self.dimensions.len()];
        let scale = |d: usize, dimensions: &[DimensionParts]| match dimensions[d].coordinate {
            Some(v) => first_variable + v,
            None => first_dimension + d,
        };
        let mut variables = Vec::with_capacity(self.variables.len());
        for (v, variable) in self.variables.iter_mut().enumerate() {
            let place = |e: Error| e.in_variable(&*variable.name);
            let messages = variable.data.finish(&mut self.heap, &mut self.sink).map_err(place)?;
            let mut object = Object { messages, ..Object::default() };
            let numbers: Vec<i32> = variable.dimensions.iter().map(|&d| d as i32).collect();
            if !numbers.is_empty() {
                object.attributes.push(Attribute::new("_Netcdf4Coordinates", &Values::I32(numbers)));
            }
            let own = variable.dimensions.first().filter(|&&d| self.dimensions[d].coordinate == Some(v));
            if let Some(&d) = own {
                object.attributes.extend(objects::scale(&variable.name, d));
            }
            object.describe(&variable.attributes);
            // A scale has no scales itself.
            if own.is_none() && !variable.dimensions.is_empty() {
                for (i, &d) in variable.dimensions.iter().enumerate() {
                    users[d].push((first_variable + v, i as u32));
                }
                let scales = variable.dimensions.iter().map(|&d| scale(d, &self.dimensions)).collect();
                object.attributes.push(Attribute::scales(scales));
            }
            variables.push(object);
        }
        let mut dimensions: Vec<Object> =
            self.dimensions.iter().enumerate().map(|(d, dimension)| pure(dimension, d)).collect();
        for (d, users) in users.into_iter().enumerate().filter(|(_, users)| !users.is_empty()) {
            let object = match self.dimensions[d].coordinate {
                Some(v) => &mut variables[v],
                None => &mut dimensions[d],
            };
            object.attributes.push(Attribute::users(users));
        }
        let mut all: Vec<Option<Object>> = Vec::with_capacity(first_dimension + dimensions.len());
        for (g, group) in self.groups.iter().enumerate() {
            let mut object = Object::default();
            if g == 0 {
                let text = concat!("version=2,libcfa=", env!("CARGO_PKG_VERSION"));
                object.attributes.push(Attribute::text("_NCProperties", text.as_bytes()));
            }
            object.describe(&group.attributes);
            let pure = group.dimensions.iter().filter(|&&d| self.dimensions[d].coordinate.is_none());
            let mut links: Vec<(String, usize)> =
                pure.map(|&d| (self.dimensions[d].name.clone(), first_dimension + d)).collect();
            links.extend(group.variables.iter().map(|&v| {
                let variable = &self.variables[v];
                (objects::linked_name(&variable.name, variable.is_hidden), first_variable + v)
            }));
            links.extend(group.groups.iter().cloned());
            object.links = Some(links);
            all.push(Some(object));
        }
        all.extend(variables.into_iter().map(Some));
        // A dimension that has a coordinate variable needs no dataset: nothing would link to it.
        let alone = self.dimensions.iter().map(|d| d.coordinate.is_none());
        all.extend(dimensions.into_iter().zip(alone).map(|(object, alone)| alone.then_some(object)));
        Ok(all)
    }
}

/// Returns a dimension without variable: a scale of its size, without data.
fn pure(dimension: &DimensionParts, number: usize) -> Object {
    let shape = [dimension.size];
    let layout = match dimension.unlimited {
        true => message::chunked(UNDEFINED, &[1], 4),
        false => message::contiguous(UNDEFINED, dimension.size.saturating_mul(4)),
    };
    let messages = vec![
        Message::new(message::DATASPACE, 0, message::simple(&shape, &[dimension.unlimited])),
        Message::new(message::DATATYPE, message::CONSTANT, message::big_endian_float()),
        Message::new(message::FILL_VALUE, message::CONSTANT, message::fill_value(None, dimension.unlimited)),
        Message::new(message::LAYOUT, 0, layout),
    ];
    let attributes = objects::scale(&objects::name_without_variable(dimension.size), number).into();
    Object { messages, attributes, links: None }
}

fn superblock(end: u64, root: u64) -> Vec<u8> {
    let mut out = b"\x89HDF\r\n\x1a\n".to_vec();
    // Version 2; addresses and lengths of 8 bytes; no process has it open.
    out.extend([2, 8, 8, 0]);
    out.extend([0, UNDEFINED, end, root].into_iter().flat_map(u64::to_le_bytes));
    sealed(out)
}

/// A description in its parts.
#[derive(Default)]
struct Parts {
    groups: Vec<GroupParts>,
    dimensions: Vec<DimensionParts>,
    variables: Vec<VariableParts>,
    paths: HashMap<String, usize>,
}

impl Parts {
    /// Collects the parts of a group; `scope` has the dimensions of the groups above it, the nearest last.
    fn group(&mut self, group: &Group, path: &str, scope: &[usize]) -> Result<usize> {
        let at = self.groups.len();
        let attributes = group.attributes.clone();
        let first = self.dimensions.len();
        for dimension in &group.dimensions {
            let (name, size, unlimited) = (dimension.name.clone(), dimension.size, dimension.unlimited);
            self.dimensions.push(DimensionParts { name, size, unlimited, coordinate: None });
        }
        let dimensions: Vec<usize> = (first..self.dimensions.len()).collect();
        let scope = [scope, &dimensions].concat();
        self.groups.push(GroupParts { attributes, dimensions, variables: Vec::new(), groups: Vec::new() });
        for variable in &group.variables {
            let name = format!("{path}{}", variable.name);
            let v = self.variable(variable, at, &scope).map_err(|e| e.in_variable(&*name))?;
            self.groups[at].variables.push(v);
            self.paths.insert(name, v);
        }
        for child in &group.groups {
            let below = self.group(child, &format!("{path}{}/", child.name), &scope)?;
            self.groups[at].groups.push((child.name.clone(), below));
        }
        Ok(at)
    }

    fn variable(&mut self, variable: &Variable, group: usize, scope: &[usize]) -> Result<usize> {
        let v = self.variables.len();
        let mut dimensions = Vec::with_capacity(variable.dimensions.len());
        for name in &variable.dimensions {
            let found = scope.iter().rev().find(|&&d| self.dimensions[d].name == *name);
            dimensions.push(*found.ok_or_else(|| {
                Error::new(Kind::MissingDimension, format!("dimension '{name}' is not described"))
            })?);
        }
        let same = self.groups[group].dimensions.iter().find(|&&d| self.dimensions[d].name == variable.name);
        let is_coordinate = same.is_some() && dimensions.first() == same;
        if let (Some(&d), true) = (same, is_coordinate) {
            self.dimensions[d].coordinate = Some(v);
        }
        let shape = dimensions.iter().map(|&d| self.dimensions[d].size).collect();
        let unlimited = dimensions.iter().map(|&d| self.dimensions[d].unlimited).collect();
        self.variables.push(VariableParts {
            name: variable.name.clone(),
            attributes: variable.attributes.clone(),
            dimensions,
            is_hidden: same.is_some() && !is_coordinate,
            data: Data::new(variable, shape, unlimited)?,
        });
        Ok(v)
    }
}
