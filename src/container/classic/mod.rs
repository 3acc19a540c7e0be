//! netCDF classic files: CDF-1, CDF-2 (64-bit offset) and CDF-5 (64-bit data).
//!
//! Written from "netCDF Classic Format Specification". The header is parsed once, on opening; [`super::read`] reads
//! data, and refuses to read beyond the end of a truncated file.

mod arrays;
mod cursor;
mod header;

use std::sync::Arc;

use self::arrays::Records;
use self::header::Header;
use super::tree::{Dimension, DimensionId, Group, GroupId, Tree, Variable, VariableId};
use super::Stored;
use crate::error::{Error, Kind, Result};
use crate::io::source::Source;

const ROOT: GroupId = GroupId(0);

/// An open classic file.
pub struct File {
    tree: Tree,
}

impl File {
    /// Parses the header.
    ///
    /// # Errors
    /// `NotNetcdf` for an unknown version, `Damaged` for a header that violates the grammar, `Io`.
    pub fn open(source: &Arc<dyn Source>) -> Result<Self> {
        Header::parse(&**source)
            .and_then(|header| tree(header, source.len()))
            .map(|tree| File { tree })
            .map_err(|e| e.in_file(source.name()))
    }

    /// Returns whether a variable has an attribute with one of these names, without parsing the rest of the structure.
    ///
    /// # Errors
    /// As [`File::open`], for the header up to the first such name.
    pub fn has_attribute(source: &dyn Source, names: &[&str]) -> Result<bool> {
        header::has_attribute(source, names).map_err(|e| e.in_file(source.name()))
    }

    /// Returns all dimensions and variables.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns one variable by name.
    ///
    /// # Errors
    /// None; the signature matches that of the other format.
    pub fn variable(&self, name: &str) -> Result<Option<Stored>> {
        Ok(self.tree.variable_in(ROOT, name).map(|id| {
            let variable = &self.tree.variables[id.0];
            Stored { attributes: variable.attributes.clone(), array: Arc::clone(&variable.array) }
        }))
    }
}

fn damaged(message: impl Into<String>) -> Error {
    Error::new(Kind::Damaged, message)
}

fn tree(header: Header, file_len: u64) -> Result<Tree> {
    let records = Records::new(&header, file_len)?;
    let sizes: Vec<u64> =
        header.dimensions.iter().map(|&(_, size)| if size == 0 { records.count } else { size }).collect();
    let mut arrays = Vec::new();
    for variable in &header.variables {
        arrays.push(Arc::new(arrays::array(variable, &header, &sizes, &records)?));
    }
    let mut tree = Tree::default();
    for (variable, array) in header.variables.into_iter().zip(arrays) {
        let path = format!("/{}", variable.name);
        if variable.name.contains('/') {
            tree.omitted.push((path, "its name has a slash".into()));
            continue;
        }
        tree.variables.push(Variable {
            name: variable.name,
            path,
            group: ROOT,
            dimensions: variable.dimensions.into_iter().map(DimensionId).collect(),
            attributes: variable.attributes,
            array,
        });
    }
    tree.dimensions = header
        .dimensions
        .into_iter()
        .zip(sizes)
        .map(|((name, stated), size)| Dimension { name, group: ROOT, size, unlimited: stated == 0 })
        .collect();
    tree.groups.push(Group {
        name: String::new(),
        path: "/".into(),
        parent: None,
        groups: Vec::new(),
        dimensions: (0..tree.dimensions.len()).map(DimensionId).collect(),
        variables: (0..tree.variables.len()).map(VariableId).collect(),
        attributes: header.attributes,
    });
    Ok(tree)
}

#[cfg(test)]
mod tests;
