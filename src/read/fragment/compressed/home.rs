//! The file in which a fragment's variable is stored, searched for the variables that define how to expand it.

use std::sync::Arc;

use crate::container::tree::{self, DimensionId, Tree, VariableId};
use crate::container::{Container, Stored};
use crate::dialect::{self, reference};
use crate::error::Result;
use crate::read::fragment::{open, Host, Raw};

/// A variable and its file.
pub(super) struct Home<'a> {
    pub(super) tree: &'a Tree,
    /// The variable.
    pub(super) id: VariableId,
    pub(super) raw: &'a Raw,
    /// The aggregation file that has the fragment.
    pub(super) host: &'a Arc<dyn Host>,
}

impl<'a> Home<'a> {
    /// Returns a variable of a netCDF file with its file, or `None` for other arrays.
    ///
    /// # Errors
    /// Those of the container.
    pub(super) fn of(host: &'a Arc<dyn Host>, raw: &'a Raw) -> Result<Option<Self>> {
        let (tree, id) = match raw {
            Raw::Stored { container, path, .. } => {
                let tree = container.tree()?;
                (tree, tree.variable_at(path))
            }
            Raw::Nested { host, variable, .. } => (host.tree(), Some(*variable)),
            _ => return Ok(None),
        };
        let Some(home) = id.map(|id| Home { tree, id, raw, host }) else { return Ok(None) };
        // In a damaged file, names may occur twice.
        Ok((home.dimensions(home.id)?.len() == raw.shape().len()).then_some(home))
    }

    /// Returns the dimensions of a variable: those of its aggregated data if it has any.
    pub(super) fn dimensions(&self, id: VariableId) -> Result<&'a [DimensionId]> {
        if let Raw::Nested { host, .. } = self.raw {
            if let Some(aggregation) = host.aggregation(id)? {
                return Ok(&aggregation.dimensions);
            }
        }
        Ok(&self.tree.variables[id.0].dimensions)
    }

    /// Returns the size of a dimension.
    pub(super) fn size(&self, id: DimensionId) -> u64 {
        match self.raw {
            Raw::Nested { host, .. } => host.dimension_size(id),
            _ => self.tree.dimensions[id.0].size,
        }
    }

    /// Returns the variables that have this attribute.
    pub(super) fn variables_with(&self, attribute: &'a str) -> impl Iterator<Item = VariableId> + 'a {
        let has = move |v: &tree::Variable| v.attributes.get(attribute).is_some();
        let variables = self.tree.variables.iter().enumerate();
        variables.filter(move |(_, variable)| has(variable)).map(|(id, _)| VariableId(id))
    }

    /// Returns the dimension that an attribute of a variable names. With `wanted`, returns that one or none.
    pub(super) fn named(
        &self,
        id: VariableId,
        attribute: &str,
        wanted: Option<DimensionId>,
    ) -> Option<DimensionId> {
        let variable = &self.tree.variables[id.0];
        let name = variable.attributes.text(attribute)?;
        self.dimension(variable, name.trim(), wanted)
    }

    /// Returns the dimension that a variable means by a name. With `wanted`, returns that one or none.
    pub(super) fn dimension(
        &self,
        variable: &tree::Variable,
        name: &str,
        wanted: Option<DimensionId>,
    ) -> Option<DimensionId> {
        // A search costs more than comparing the name.
        let last = name.rsplit('/').next()?;
        if wanted.is_some_and(|wanted| self.tree.dimensions[wanted.0].name != last) {
            return None;
        }
        let found = reference::dimension(self.tree, variable.group, name)?;
        wanted.is_none_or(|wanted| wanted == found).then_some(found)
    }

    /// Returns the path of a variable.
    pub(super) fn path(&self, id: VariableId) -> &'a str {
        &self.tree.variables[id.0].path
    }

    /// Opens another variable of the file.
    ///
    /// # Errors
    /// The errors of decoding it, if it is an aggregation variable.
    pub(super) fn open(&self, id: VariableId) -> Result<Raw> {
        let variable = &self.tree.variables[id.0];
        let is_aggregation = dialect::is_aggregation(&variable.attributes);
        match self.raw {
            Raw::Nested { host, .. } if is_aggregation => open::nested(host, id),
            Raw::Nested { host, .. } => Ok(open::stored(&**host, id)),
            Raw::Stored { file, .. } if is_aggregation => match file {
                Some(file) => open::nested(file.nested(&**self.host)?, id),
                None => open::nested(self.host, id),
            },
            Raw::Stored { container, file, .. } => Ok(Raw::Stored {
                container: Arc::clone(container),
                variable: Stored {
                    attributes: variable.attributes.clone(),
                    array: Arc::clone(&variable.array),
                },
                path: variable.path.trim_start_matches('/').to_owned(),
                file: file.clone(),
            }),
            _ => Ok(open::stored(&**self.host, id)),
        }
    }

    /// Returns the file, if it contains all data of these variables.
    pub(super) fn file_of(&self, variables: &[VariableId]) -> Option<&'a Arc<Container>> {
        let Raw::Stored { container, .. } = self.raw else { return None };
        let stored = |id: &VariableId| !dialect::is_aggregation(&self.tree.variables[id.0].attributes);
        variables.iter().all(stored).then_some(container)
    }

    /// Returns the size of the file in bytes.
    pub(super) fn file_size(&self) -> u64 {
        match self.raw {
            Raw::Stored { container, .. } => container.source().len(),
            Raw::Nested { host, .. } => host.container().source().len(),
            _ => 0,
        }
    }
}
