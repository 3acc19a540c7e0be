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
use super::allowance::Allowance;
use super::tree::{DimensionId, Group, GroupId, Tree, Variable, VariableId};
use super::Stored;
use crate::error::{Error, Kind, Result};
use crate::io::source::Source;

const ROOT: GroupId = GroupId(0);

/// An open classic file.
pub struct File {
    tree: Tree,
    allowance: Arc<Allowance>,
}

impl File {
    /// Parses the header.
    ///
    /// # Errors
    /// `NotNetcdf` for an unknown version, `Damaged` for a header that violates the grammar, `Io`.
    pub fn open(source: &Arc<dyn Source>) -> Result<Self> {
        let allowance = Arc::new(Allowance::of(&**source));
        let parsed = || {
            let header = Header::parse(&**source, allowance.most())?;
            allowance.note(allowance.most() - header.left);
            tree(header, source.len())
        };
        let tree = parsed().map_err(|e| e.in_file(source.name()))?;
        Ok(File { tree, allowance })
    }

    /// Returns what may be kept of the file.
    pub(super) fn allowance(&self) -> &Arc<Allowance> {
        &self.allowance
    }

    /// Whether a variable has an attribute with one of these names; the rest of the structure is not worked out.
    ///
    /// # Errors
    /// As [`File::open`], for the header up to the first such name.
    pub fn has_attribute(source: &dyn Source, names: &[&str]) -> Result<bool> {
        header::has_attribute(source, Allowance::of(source).most(), names)
            .map_err(|e| e.in_file(source.name()))
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
    let sizes: Vec<u64> = header
        .dimensions
        .iter()
        .map(|dimension| if dimension.unlimited { records.count } else { dimension.size })
        .collect();
    let mut arrays = Vec::with_capacity(header.variables.len());
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
    tree.dimensions = header.dimensions;
    tree.dimensions.iter_mut().zip(sizes).for_each(|(dimension, size)| dimension.size = size);
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
