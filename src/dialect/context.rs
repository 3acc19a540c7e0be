//! What every dialect needs while it decodes one aggregation variable.

use std::sync::Arc;

use super::grids::Grids;
use super::reference;
use super::terms::Terms;
use crate::container::allowance::Held;
use crate::container::tree::{DimensionId, GroupId, Tree, VariableId};
use crate::error::{Error, Kind, Result};
use crate::model::feature::{Feature, Leeway};
use crate::model::features::Features;
use crate::model::grid::{Grid, Row};
use crate::selection::checked_product;

/// The maximum number of dimensions that netCDF allows.
const MAX_RANK: usize = 1024;

/// The variable that is being decoded and what is known about it so far.
pub struct Context<'a> {
    pub features: &'a dyn Features,
    pub tree: &'a Tree,
    /// The group of the aggregation variable.
    pub group: GroupId,
    pub dimensions: Vec<DimensionId>,
    pub max_fragments: u64,
    grids: &'a Grids,
    /// The variables that define the fragments.
    pub definition: Vec<VariableId>,
    pub warnings: Vec<String>,
}

impl<'a> Context<'a> {
    /// Looks up the aggregated dimensions by name.
    pub fn new(
        features: &'a dyn Features,
        tree: &'a Tree,
        variable: VariableId,
        names: &str,
        (max_fragments, grids): (u64, &'a Grids),
    ) -> Result<Self> {
        let group = tree.variables[variable.0].group;
        let mut dimensions = Vec::new();
        for name in names.split_whitespace() {
            if dimensions.len() == MAX_RANK {
                return Err(Error::new(Kind::Rank, format!("more than {MAX_RANK} aggregated dimensions")));
            }
            let found = reference::dimension(tree, group, name);
            dimensions.push(found.ok_or_else(|| {
                Error::new(Kind::MissingDimension, format!("aggregated dimension '{name}' does not exist"))
            })?);
        }
        Ok(Context {
            features,
            tree,
            group,
            dimensions,
            max_fragments,
            grids,
            definition: Vec::new(),
            warnings: Vec::new(),
        })
    }

    /// Returns the number of aggregated dimensions.
    pub fn rank(&self) -> usize {
        self.dimensions.len()
    }

    /// Returns the name of an aggregated dimension.
    pub fn name(&self, d: usize) -> &'a str {
        &self.tree.dimensions[self.dimensions[d].0].name
    }

    /// Returns the size that an aggregated dimension must have, or `None` if the fragments determine it: writers leave
    /// an unlimited dimension empty when only aggregations use it.
    pub fn size(&self, d: usize) -> Option<u64> {
        let dimension = &self.tree.dimensions[self.dimensions[d].0];
        (!dimension.unlimited || dimension.size > 0).then_some(dimension.size)
    }

    /// Returns the definition variable that a keyword names.
    pub fn resolve(&mut self, keyword: &str, name: &str) -> Result<VariableId> {
        let found = reference::variable(self.tree, self.group, name).ok_or_else(|| {
            Error::new(
                Kind::MissingVariable,
                format!("variable '{name}' of keyword '{keyword}' does not exist"),
            )
        })?;
        if !self.definition.contains(&found) {
            self.definition.push(found);
        }
        Ok(found)
    }

    /// Returns the definition variable of a mandatory keyword.
    pub fn need(&mut self, terms: &Terms, keyword: &str) -> Result<VariableId> {
        self.resolve(keyword, terms.need(keyword)?)
    }

    /// Returns the definition variable of a keyword, if there is one.
    pub fn find(&mut self, terms: &Terms, keyword: &str) -> Result<Option<VariableId>> {
        terms.get(keyword).map(|name| self.resolve(keyword, name)).transpose()
    }

    /// Refuses an array with more fragments than the limit, before anything of that size is allocated.
    pub fn check_count(&self, fragments: &[u64]) -> Result<()> {
        match checked_product(fragments) {
            Some(0) => Err(Error::new(Kind::Map, format!("the array of fragments {fragments:?} is empty"))),
            Some(n) if n <= self.max_fragments => Ok(()),
            _ => {
                let message = format!(
                    "{fragments:?} fragments are more than MAX_FRAGMENTS allows ({})",
                    self.max_fragments
                );
                Err(Error::new(Kind::Limit, message))
            }
        }
    }

    /// Returns a feature variable after checking that it fits the array of fragments.
    pub fn fit(&mut self, variable: VariableId, grid: &Grid, leeway: Leeway) -> Result<Feature> {
        let feature = Feature::fit(self.tree, variable, grid.fragments(), leeway, &mut self.warnings)?;
        let mut all = grid.fragments().to_vec();
        all.push(feature.versions());
        self.check_count(&all)?;
        Ok(feature)
    }

    /// Counts memory that is about to be taken for what the file says.
    pub fn hold(&self, bytes: usize) -> Result<Held> {
        self.features.hold(bytes)
    }

    /// Returns the grid of these fragments per dimension, which must fill the aggregated dimensions.
    pub fn grid(&self, rows: Vec<Row>) -> Result<Grid> {
        let mut shape = Vec::with_capacity(rows.len());
        for (d, row) in rows.iter().enumerate() {
            let sum = u64::try_from(row.sum()).ok().filter(|&n| i64::try_from(n).is_ok());
            let sum = sum.ok_or_else(|| self.overflow(d))?;
            if let Some(size) = self.size(d).filter(|&size| size != sum) {
                let name = self.name(d);
                let message =
                    format!("fragment sizes along dimension '{name}' add up to {sum}; its size is {size}");
                return Err(Error::new(Kind::Map, message));
            }
            shape.push(sum);
        }
        Grid::from_rows(rows, &shape, &|bytes| self.hold(bytes))
    }

    /// Returns the grid of a table, which `read` reads unless another variable did.
    pub fn shared(
        &self,
        table: VariableId,
        ranges: bool,
        read: impl FnOnce() -> Result<Grid>,
    ) -> Result<Arc<Grid>> {
        self.grids.get((table, ranges, self.dimensions.clone()), read)
    }

    fn overflow(&self, d: usize) -> Error {
        Error::new(Kind::Map, format!("fragment sizes along dimension '{}' overflow", self.name(d)))
    }
}
