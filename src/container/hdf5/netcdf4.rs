//! The netCDF-4 interpretation of HDF5: dimension scales are dimensions, datasets are variables.
//!
//! Follows the netCDF-4 file format (appendix "NetCDF-4 Format" of the netCDF user's guide): dimensions are datasets
//! that are dimension scales, with their order in `_Netcdf4Dimid`; `DIMENSION_LIST` has the dimensions of a variable,
//! `_Netcdf4Coordinates` those of a coordinate variable of several dimensions; axes without a scale get dimensions
//! named `phony_dim_N`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::dataset::Dataset;
use super::header::{Header, ObjectKind};
use super::links;
use super::store::{damaged, Store};
use crate::container::array::{Array, Short};
use crate::container::fill;
use crate::container::tree::{Dimension, DimensionId, Group, GroupId, Tree, Variable, VariableId};
use crate::error::{Error, Kind, Result};
use crate::value::Attributes;

/// Prefix of a variable that has the name of a dimension without being its coordinate variable.
pub(super) const NON_COORDINATE: &str = "_nc4_non_coord_";
/// The maximum depth of nested groups.
const MAX_DEPTH: usize = 256;
/// Approximate memory that a group or variable takes in addition to its names and attributes.
const OBJECT_BYTES: usize = 768;
/// Memory that an omitted object takes in addition to its path and the reason.
const OMITTED_BYTES: usize = 64;
/// The longest path; names in netCDF files have at most 256 bytes.
const MAX_PATH: usize = 64 << 10;
/// The maximum number of links of all groups.
pub(super) const MAX_LINKS: usize = 1 << 20;

/// Reads the whole tree.
pub(super) fn tree(store: &Store) -> Result<Tree> {
    let header = Header::read(store, store.root)?;
    if header.kind() != ObjectKind::Group {
        return Err(damaged("the root is not a group"));
    }
    let mut walk = Walk {
        store,
        tree: Tree::default(),
        found: Vec::new(),
        extents: Vec::new(),
        scales: HashMap::new(),
        ids: Vec::new(),
        next_id: 0,
        visited: HashSet::from([store.root]),
        waiting: Vec::new(),
        links: 0,
    };
    walk.enter(None, "", store.root, header)?;
    // Groups wait on a list, not on the stack; the last one added is taken first, so children follow their parent.
    while let Some((group, address, header)) = walk.waiting.pop() {
        walk.group(group, address, &header)?;
    }
    walk.finish();
    Ok(walk.tree)
}

/// The dimensions of a variable, as its attributes name them.
enum Axes {
    /// Addresses of scales.
    Scales(Vec<Option<u64>>),
    /// Numbers of dimensions (`_Netcdf4Dimid`).
    Numbers(Vec<i128>),
    Unknown,
}

/// A variable before its dimensions are known.
struct Found {
    group: GroupId,
    name: String,
    path: String,
    maximum: Vec<Option<u64>>,
    /// Its index in `Walk::extents`.
    extent: usize,
    attributes: Attributes,
    array: Array,
}

struct Walk<'a> {
    store: &'a Store,
    tree: Tree,
    found: Vec<Found>,
    /// How far each variable, including omitted ones, reaches along which dimensions.
    extents: Vec<(Axes, Vec<u64>)>,
    /// Dimensions by the address of their scale.
    scales: HashMap<u64, DimensionId>,
    /// netCDF's number of each dimension.
    ids: Vec<i128>,
    next_id: i128,
    visited: HashSet<u64>,
    waiting: Vec<(GroupId, u64, Header)>,
    links: usize,
}

impl Walk<'_> {
    fn omit(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        let (path, reason) = (path.into(), reason.into());
        // Once the budget is exceeded, which ends the walk, nothing more is kept.
        if self.store.budget.keep(OMITTED_BYTES + path.len() + reason.len()).is_ok() {
            self.tree.omitted.push((path, reason));
        }
    }

    /// Counts the memory that an object takes in addition to its attributes.
    fn keep(&self, path: &str, name: &str) -> Result<()> {
        if path.len() > MAX_PATH {
            return Err(Error::new(Kind::Limit, format!("its path has {} bytes", path.len())));
        }
        self.store.budget.keep(OBJECT_BYTES + path.len() + name.len())
    }

    fn path_of(&self, group: GroupId, name: &str) -> String {
        let path = &self.tree.groups[group.0].path;
        [path.trim_end_matches('/'), "/", name].concat()
    }

    /// Adds a group, to be walked later.
    fn enter(&mut self, parent: Option<GroupId>, name: &str, address: u64, header: Header) -> Result<()> {
        let path = parent.map_or_else(|| "/".to_owned(), |parent| self.path_of(parent, name));
        self.keep(&path, name)?;
        let raw = super::attribute::RawAttributes::of(self.store, &header)?;
        let attributes = self.decode(&raw, &path);
        let id = GroupId(self.tree.groups.len());
        self.tree.groups.push(Group {
            name: name.to_owned(),
            path,
            parent,
            groups: Vec::new(),
            dimensions: Vec::new(),
            variables: Vec::new(),
            attributes,
        });
        if let Some(parent) = parent {
            self.tree.groups[parent.0].groups.push(id);
        }
        self.waiting.push((id, address, header));
        Ok(())
    }

    fn decode(&mut self, raw: &super::attribute::RawAttributes, path: &str) -> Attributes {
        let mut omitted = Vec::new();
        let attributes = raw.decoded(self.store, &mut omitted);
        for (name, reason) in omitted {
            self.omit(format!("{path}:{name}"), reason);
        }
        attributes
    }

    fn group(&mut self, group: GroupId, address: u64, header: &Header) -> Result<()> {
        let links = match links::list(self.store, header) {
            Ok(links) => links,
            Err(error) if group.0 == 0 || error.kind() == Kind::Io => return Err(error),
            Err(error) => {
                let path = self.tree.groups[group.0].path.clone();
                self.omit(path, error.to_string());
                return self.store.budget.check();
            }
        };
        self.links += links.len();
        if self.links > MAX_LINKS {
            return Err(Error::new(Kind::Limit, "the file has too many objects"));
        }
        let depth = self.tree.upward(group).count();
        for link in links {
            let path = self.path_of(group, &link.name);
            let step = links::resolve(self.store, address, &link)
                .and_then(|address| Ok((address, Header::read(self.store, address)?)))
                .and_then(|(address, header)| self.object(group, &link.name, address, header, depth));
            match step {
                Ok(()) => {}
                Err(error) if error.kind() == Kind::Io => return Err(error),
                Err(error) => self.omit(path, error.to_string()),
            }
            self.store.budget.check()?;
        }
        Ok(())
    }

    fn object(
        &mut self,
        group: GroupId,
        name: &str,
        address: u64,
        header: Header,
        depth: usize,
    ) -> Result<()> {
        match header.kind() {
            ObjectKind::Group if !self.visited.insert(address) => {
                self.omit(self.path_of(group, name), "this group is at another path, too");
                Ok(())
            }
            ObjectKind::Group if depth >= MAX_DEPTH => {
                Err(Error::new(Kind::Limit, "too many groups inside one another"))
            }
            ObjectKind::Group => self.enter(Some(group), name, address, header),
            ObjectKind::Dataset => self.dataset(group, name, address, header),
            ObjectKind::Datatype => {
                self.omit(self.path_of(group, name), "a user-defined type");
                Ok(())
            }
            ObjectKind::Unknown => Err(damaged("neither a group nor a dataset")),
        }
    }

    fn dataset(&mut self, group: GroupId, name: &str, address: u64, header: Header) -> Result<()> {
        let dataset = Dataset::read(self.store, header)?;
        if dataset.is_scale {
            self.dimension(group, name, address, &dataset);
        }
        if !dataset.is_variable {
            return Ok(());
        }
        let name = name.strip_prefix(NON_COORDINATE).unwrap_or(name).to_owned();
        let path = self.path_of(group, &name);
        self.keep(&path, &name)?;
        let extent = self.extents.len();
        self.extents.push((self.axes(address, &dataset), dataset.dataspace.shape.clone()));
        let array = dataset.array(self.store)?;
        let attributes = self.decode(&dataset.attributes, &path);
        dataset.header.release(self.store);
        let maximum = dataset.dataspace.maximum;
        self.found.push(Found { group, name, path, maximum, extent, attributes, array });
        Ok(())
    }

    fn dimension(&mut self, group: GroupId, name: &str, address: u64, dataset: &Dataset) {
        let number = dataset.attributes.integers(self.store, "_Netcdf4Dimid").first().copied();
        let id = number.filter(|&number| number >= 0).unwrap_or(self.next_id);
        self.next_id = self.next_id.max(id + 1);
        let (size, unlimited) = (dataset.dataspace.shape[0], dataset.dataspace.maximum[0].is_none());
        let dimension = Dimension { name: name.to_owned(), group, size, unlimited };
        let dimension = self.add(dimension, id);
        self.scales.entry(address).or_insert(dimension);
    }

    fn add(&mut self, dimension: Dimension, id: i128) -> DimensionId {
        let index = DimensionId(self.tree.dimensions.len());
        self.tree.groups[dimension.group.0].dimensions.push(index);
        self.tree.dimensions.push(dimension);
        self.ids.push(id);
        index
    }

    fn axes(&self, address: u64, dataset: &Dataset) -> Axes {
        let references = dataset.attributes.get("DIMENSION_LIST").map(|list| list.references(self.store));
        if let Some(Ok(references)) = references {
            return Axes::Scales(references);
        }
        let numbers = dataset.attributes.integers(self.store, "_Netcdf4Coordinates");
        if !numbers.is_empty() && numbers.len() == dataset.dataspace.shape.len() {
            return Axes::Numbers(numbers);
        }
        if dataset.is_scale {
            return Axes::Scales(vec![Some(address)]);
        }
        Axes::Unknown
    }

    /// Assigns their dimensions to all variables.
    fn finish(&mut self) {
        let by_number: HashMap<i128, DimensionId> =
            self.ids.iter().enumerate().rev().map(|(index, id)| (*id, DimensionId(index))).collect();
        let (found, extents) = (std::mem::take(&mut self.found), std::mem::take(&mut self.extents));
        let named: Vec<Vec<Option<DimensionId>>> =
            extents.iter().map(|(axes, extent)| self.named(axes, extent.len(), &by_number)).collect();
        // An unlimited dimension is as long as in its longest variable.
        for ((_, extent), dimensions) in extents.iter().zip(&named) {
            for (&size, dimension) in extent.iter().zip(dimensions) {
                if let Some(dimension) = dimension.map(|id| &mut self.tree.dimensions[id.0]) {
                    if dimension.unlimited {
                        dimension.size = dimension.size.max(size);
                    }
                }
            }
        }
        self.order_dimensions();
        let mut phony = Phony::default();
        for id in 0..self.tree.dimensions.len() {
            phony.offer(&self.tree.dimensions[id], DimensionId(id));
        }
        // netCDF-C numbers the phony dimensions of inner groups before those of the group that contains them.
        let rank = self.postorder();
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|&i| rank[found[i].group.0]);
        let mut dimensions: Vec<Vec<DimensionId>> = vec![Vec::new(); found.len()];
        for i in order {
            dimensions[i] = self.complete(&found[i], &named[found[i].extent], &mut phony);
        }
        for (found, dimensions) in found.into_iter().zip(dimensions) {
            let Found { group, name, path, attributes, mut array, .. } = found;
            // The one rule of shapes: a variable has the sizes of its dimensions, however much of it was written.
            let shape = dimensions.iter().map(|dimension| self.tree.dimensions[dimension.0].size).collect();
            let extent = std::mem::replace(&mut array.shape, shape);
            if extent != array.shape {
                let own = fill::own(array.data_type, array.element, &attributes);
                let fill = own.unwrap_or_else(|| fill::default(array.data_type, array.element));
                array.short = Some(Short { extent, fill });
            }
            let id = VariableId(self.tree.variables.len());
            self.tree.groups[group.0].variables.push(id);
            let array = Arc::new(array);
            self.tree.variables.push(Variable { name, path, group, dimensions, attributes, array });
        }
    }

    /// Returns the dimensions that the file names, one per axis.
    fn named(
        &self,
        axes: &Axes,
        rank: usize,
        by_number: &HashMap<i128, DimensionId>,
    ) -> Vec<Option<DimensionId>> {
        let mut named: Vec<Option<DimensionId>> = match axes {
            Axes::Scales(scales) => {
                scales.iter().map(|scale| self.scales.get(scale.as_ref()?).copied()).collect()
            }
            Axes::Numbers(numbers) => numbers.iter().map(|id| by_number.get(id).copied()).collect(),
            Axes::Unknown => Vec::new(),
        };
        named.resize(rank, None);
        named
    }

    /// Returns the dimensions of all axes. Axes without a named dimension that fits get phony ones.
    fn complete(
        &mut self,
        variable: &Found,
        named: &[Option<DimensionId>],
        phony: &mut Phony,
    ) -> Vec<DimensionId> {
        let mut dimensions = Vec::with_capacity(named.len());
        for (axis, named) in named.iter().enumerate() {
            let size = variable.array.shape[axis];
            // In HDF5 any scale can be attached to any axis; one of another size is not a dimension of this axis.
            let fits = |id: &DimensionId| {
                let dimension = &self.tree.dimensions[id.0];
                let is_longer = dimension.unlimited && dimension.size > size;
                let can_grow = variable.maximum[axis].is_none() && variable.array.can_be_short();
                dimension.size == size || is_longer && can_grow
            };
            dimensions.push(match named.filter(|id| fits(id)) {
                Some(id) => id,
                None => {
                    let unlimited = variable.maximum[axis].is_none();
                    let key = (variable.group, size, unlimited);
                    match phony.0.get(&key) {
                        Some(id) => *id,
                        None => {
                            let name = format!("phony_dim_{}", self.next_id);
                            let dimension = Dimension { name, group: variable.group, size, unlimited };
                            let id = self.add(dimension, self.next_id);
                            self.next_id += 1;
                            phony.0.insert(key, id);
                            id
                        }
                    }
                }
            });
        }
        dimensions
    }

    /// Sorts the dimensions of each group by their numbers.
    fn order_dimensions(&mut self) {
        for group in &mut self.tree.groups {
            group.dimensions.sort_by_key(|dimension| self.ids[dimension.0]);
        }
    }

    /// Returns the position of each group if groups come before the one that contains them.
    fn postorder(&self) -> Vec<usize> {
        let mut rank = vec![0; self.tree.groups.len()];
        let mut next = self.tree.groups.len();
        let mut stack = vec![GroupId(0)];
        while let Some(group) = stack.pop() {
            next -= 1;
            rank[group.0] = next;
            stack.extend(&self.tree.groups[group.0].groups);
        }
        rank
    }
}

/// Dimensions for axes without a scale: by group, size and whether unlimited.
#[derive(Default)]
struct Phony(HashMap<(GroupId, u64, bool), DimensionId>);

impl Phony {
    fn offer(&mut self, dimension: &Dimension, id: DimensionId) {
        self.0.entry((dimension.group, dimension.size, dimension.unlimited)).or_insert(id);
    }
}
