//! Builds the description of the new file: groups, dimensions, variables and attributes of what is extracted.

use super::longitudes::RANGES;
use super::{storage, Options};
use crate::author::write::{self, default_chunk, Dimension, File, Group};
use crate::container::tree::{DimensionId, GroupId, Tree};
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::dialect;
use crate::error::{Error, Kind, Result};
use crate::selection::checked_product;
use crate::value::{Attributes, DataType};

/// The sizes in bytes between which the chunk shape of the fragments is used.
const SMALL: u64 = 64 << 10;
const LARGE: u64 = 4 << 20;

/// The description of the new file so far.
pub(super) struct Outline<'a> {
    tree: &'a Tree,
    root: File,
    made: Vec<(DimensionId, u64)>,
}

impl<'a> Outline<'a> {
    pub(super) fn new(dataset: &'a Dataset) -> Self {
        let tree = dataset.shared().tree();
        let mut root = Group::default();
        if let Some(group) = tree.groups.first() {
            root.attributes = global(&group.attributes);
        }
        Outline { tree, root, made: Vec::new() }
    }

    /// Adds a variable and its dimensions.
    pub(super) fn add(
        &mut self,
        variable: &Variable,
        shape: &[u64],
        is_moved: bool,
        options: &Options<'_>,
    ) -> Result<()> {
        let ids = variable.dimensions()?.to_vec();
        for (&id, &size) in ids.iter().zip(shape) {
            self.dimension(id, size).map_err(|e| e.in_variable(variable.path()))?;
        }
        let data_type = variable.data_type();
        let mut new = write::Variable::new(variable.name(), data_type, &[]);
        new.dimensions = ids.iter().map(|id| self.tree.dimensions[id.0].name.clone()).collect();
        for attribute in variable.attributes() {
            let is_wrong = is_moved && RANGES.contains(&attribute.name.as_str());
            if !dialect::defines_aggregation(attribute) && !is_wrong {
                new.attributes.set(&attribute.name, attribute.value.clone());
            }
        }
        // Readers of the new file must know the value that was chosen for missing bytes.
        if let Some(value) = variable.chosen_missing_value() {
            new.attributes.set("_FillValue", value);
        }
        let element = data_type.size().unwrap_or(16);
        let chunk = match options.chunks.as_ref().filter(|c| c.len() == shape.len()) {
            Some(chunk) => chunk.iter().zip(shape).map(|(&c, &n)| c.min(n).max(1)).collect(),
            None => natural_chunk(variable, shape, element),
        };
        new.storage = storage(options, &chunk, data_type == DataType::String);
        let group = self.tree.variables[variable.id().0].group;
        self.group(group).variables.push(new);
        Ok(())
    }

    fn dimension(&mut self, id: DimensionId, size: u64) -> Result<()> {
        if let Some((_, made)) = self.made.iter().find(|(d, _)| *d == id) {
            if *made == size {
                return Ok(());
            }
            let name = &self.tree.dimensions[id.0].name;
            let message = format!("dimension '{name}' has size {size} here and {made} elsewhere");
            return Err(Error::new(Kind::Request, message));
        }
        self.made.push((id, size));
        let dimension = &self.tree.dimensions[id.0];
        // In netCDF only an unlimited dimension can be empty.
        let new = Dimension { name: dimension.name.clone(), size, unlimited: size == 0 };
        self.group(dimension.group).dimensions.push(new);
        Ok(())
    }

    /// Returns the group of the new file that corresponds to this one. Adds it, and the groups above it, if necessary.
    fn group(&mut self, id: GroupId) -> &mut Group {
        let path: Vec<GroupId> = self.tree.upward(id).collect();
        let mut at = &mut self.root;
        // The path goes upward, so the last one is the root.
        for id in path.iter().rev().skip(1) {
            let group = &self.tree.groups[id.0];
            let position = at.groups.iter().position(|g| g.name == group.name).unwrap_or_else(|| {
                let (name, attributes) = (group.name.clone(), group.attributes.clone());
                at.groups.push(Group { name, attributes, ..Group::default() });
                at.groups.len() - 1
            });
            at = &mut at.groups[position];
        }
        at
    }

    pub(super) fn finish(self) -> File {
        self.root
    }
}

/// Returns the chunk shape of the fragments, so that unchanged chunks can be copied; the default shape if theirs is
/// very small or large.
fn natural_chunk(variable: &Variable, shape: &[u64], element: usize) -> Vec<u64> {
    let of_fragments = || {
        let chunk = variable.aggregation().ok().flatten().and_then(|_| variable.block_shape().ok())?;
        let chunk: Vec<u64> = chunk.iter().zip(shape).map(|(&c, &n)| c.min(n)).collect();
        let bytes = checked_product(&chunk)?.checked_mul(element as u64)?;
        (chunk.len() == shape.len() && (SMALL..=LARGE).contains(&bytes)).then_some(chunk)
    };
    of_fragments().unwrap_or_else(|| default_chunk(shape, element))
}

/// Returns the global attributes, without the conventions of aggregation in `Conventions`.
fn global(attributes: &Attributes) -> Attributes {
    let mut out = attributes.clone();
    if let Some(text) = attributes.text("Conventions") {
        let kept: Vec<&str> = text.split_whitespace().filter(|word| !word.starts_with("CFA")).collect();
        out.set_text("Conventions", kept.join(" "));
    }
    out
}
