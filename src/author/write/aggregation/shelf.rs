//! The dimensions and variables that define fragments. They are made once and reused by variables that need the same.

use super::super::catalogue::Catalogue;
use super::super::description::{Data, Dimension, Group, Variable};
use super::{integers, tables};
use crate::value::Values;

/// The group that receives the tables of one aggregation variable.
pub(super) struct Shelf<'a> {
    group: &'a mut Group,
    catalogue: &'a mut Catalogue,
    sizes: &'a [Vec<u64>],
    /// The dimensions of the array of fragments.
    fragments: Vec<String>,
}

impl<'a> Shelf<'a> {
    /// Adds the dimensions of the array of fragments.
    pub fn new(
        group: &'a mut Group,
        catalogue: &'a mut Catalogue,
        dimensions: &[String],
        sizes: &'a [Vec<u64>],
    ) -> Self {
        let mut shelf = Shelf { group, catalogue, sizes, fragments: Vec::with_capacity(dimensions.len()) };
        for (name, row) in dimensions.iter().zip(sizes) {
            let short = name.rsplit('/').next().unwrap_or(name);
            let name = shelf.dimension(&format!("f_{short}"), row.len() as u64);
            shelf.fragments.push(name);
        }
        shelf
    }

    /// Adds a table of sizes, one row per dimension. Returns its name.
    pub fn sizes(&mut self, name: &str, one_element: bool) -> String {
        if self.sizes.is_empty() {
            let dimensions =
                if one_element { vec![self.dimension(&format!("{name}_i"), 1)] } else { Vec::new() };
            return self.table(name, dimensions, Values::I32(vec![1]), None);
        }
        let (rows, columns, list) = tables::sizes(self.sizes);
        let (values, missing) = integers(list);
        let dimensions =
            vec![self.dimension(&format!("{name}_j"), rows), self.dimension(&format!("{name}_i"), columns)];
        self.table(name, dimensions, values, Some(missing))
    }

    /// Adds a table of the first and last index of each fragment. Returns its name.
    pub fn ranges(&mut self, name: &str) -> String {
        let (values, _) = integers(tables::ranges(self.sizes).into_iter().map(Some).collect());
        let mut dimensions = self.fragments.clone();
        dimensions.push(self.rank_dimension(name));
        dimensions.push(self.dimension(&format!("{name}_two"), 2));
        self.table(name, dimensions, values, None)
    }

    /// Adds a table of the position of each fragment. Returns its name.
    pub fn positions(&mut self, name: &str) -> String {
        let (values, _) = integers(tables::positions(self.sizes).into_iter().map(Some).collect());
        let mut dimensions = self.fragments.clone();
        dimensions.push(self.rank_dimension(name));
        self.table(name, dimensions, values, None)
    }

    /// Adds a table of one value per fragment. Returns its name.
    pub fn fragments(&mut self, name: &str, values: Values) -> String {
        self.table(name, self.fragments.clone(), values, None)
    }

    /// Adds a table of one text per fragment and version. Returns its name.
    pub fn versioned(&mut self, name: &str, texts: &[&str], versions: usize) -> String {
        let mut dimensions = self.fragments.clone();
        if versions > 1 {
            // The texts of the dialects require that the tables of one aggregation have the same dimensions.
            dimensions.push(self.dimension("f_version", versions as u64));
        }
        self.table(name, dimensions, Values::String(owned(texts)), None)
    }

    /// Adds one text for all if they are equal, else a table as [`Shelf::versioned`].
    pub fn shared_or_versioned(&mut self, name: &str, texts: &[&str], versions: usize) -> String {
        match texts.first() {
            Some(first) if !first.is_empty() && texts.iter().all(|t| t == first) => {
                self.table(name, Vec::new(), Values::String(owned(&[*first])), None)
            }
            _ => self.versioned(name, texts, versions),
        }
    }

    /// Returns the name of a dimension of this size: an existing one whose name begins with `name`, or a new one.
    fn dimension(&mut self, name: &str, size: u64) -> String {
        if let Some(found) = self.catalogue.numbered(self.group, name, size) {
            return found.name.clone();
        }
        let free = self.catalogue.free_name(self.group, name);
        self.group.add_dimension(&free, size);
        free
    }

    fn rank_dimension(&mut self, name: &str) -> String {
        let rank = self.sizes.len() as u64;
        if rank > 0 {
            return self.dimension(&format!("{name}_n"), rank);
        }
        // Only an unlimited dimension can be empty, and a classic file has at most one.
        let empty = |d: &&Dimension| d.unlimited && d.size == 0 && d.name.ends_with("_n");
        if let Some(known) = self.group.dimensions.iter().find(empty) {
            return known.name.clone();
        }
        let name = self.catalogue.free_name(self.group, &format!("{name}_n"));
        self.group.dimensions.push(Dimension { name: name.clone(), size: 0, unlimited: true });
        name
    }

    /// Returns the name of a variable with this content, which is added if there is none.
    fn table(
        &mut self,
        name: &str,
        dimensions: Vec<String>,
        values: Values,
        missing: Option<Values>,
    ) -> String {
        let mut table = Variable::new(name, values.data_type(), &[]);
        table.dimensions = dimensions;
        if let Some(missing) = missing {
            table.attributes.set("_FillValue", missing);
        }
        let same = |v: &Variable| {
            v.name.starts_with(name) && v.dimensions == table.dimensions && v.attributes == table.attributes
        };
        if let Some(found) = self.catalogue.table(self.group, &values, same) {
            return found.name.clone();
        }
        table.data = Data::Values(values);
        table.name = self.catalogue.free_name(self.group, name);
        let made = table.name.clone();
        self.group.variables.push(table);
        made
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&t| t.to_owned()).collect()
}
