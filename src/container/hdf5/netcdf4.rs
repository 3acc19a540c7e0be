//! The netCDF-4 interpretation of HDF5: dimension scales are dimensions, datasets are variables.
//!
//! Follows the netCDF-4 file format (appendix "NetCDF-4 Format" of the netCDF user's guide): dimensions are datasets
//! that are dimension scales, with their order in `_Netcdf4Dimid`; `DIMENSION_LIST` has the dimensions of a variable,
//! `_Netcdf4Coordinates` those of a coordinate variable of several dimensions; axes without a scale get dimensions
//! named `phony_dim_N`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::attribute::RawAttributes;
use super::dataset::Dataset;
use super::header::{Header, ObjectKind};
use super::links;
use super::store::{damaged, Store};
use crate::container::allowance::heap;
use crate::container::array::Short;
use crate::container::fill;
use crate::container::tree::{Dimension, DimensionId, Group, GroupId, Tree, Variable, VariableId};
use crate::error::{Error, Kind, Result};
use crate::value::Attributes;

/// Prefix of a variable that has the name of a dimension without being its coordinate variable.
pub(super) const NON_COORDINATE: &str = "_nc4_non_coord_";
/// The maximum depth of nested groups.
const MAX_DEPTH: usize = 256;
/// Memory that a variable takes beside its names, attributes and data, in lists that grow, with what a dataset adds.
const VARIABLE_BYTES: usize = 3 * size_of::<Variable>() / 2 + 64;
/// The same of a group.
const GROUP_BYTES: usize = 3 * size_of::<Group>() / 2 + 4 * heap(1);
/// The same of a dimension, with the tables by which it is found.
const DIMENSION_BYTES: usize = 3 * size_of::<Dimension>() / 2 + 128;
/// Memory that an object that is left out takes beside its path and the reason.
const OMITTED_BYTES: usize = 3 * size_of::<(String, String)>() / 2;
/// Most links of all groups.
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
        lasting: 0,
    };
    walk.enter(None, "", store.root, header)?;
    // Groups wait on a list, not on the stack; the last one added is taken first, so children follow their parent.
    while let Some((group, address, header)) = walk.waiting.pop() {
        walk.group(group, address, header)?;
    }
    walk.finish()?;
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

/// What is known of the dimensions of a variable before all of them are.
struct Found {
    /// Bit by bit, which of its dimensions can grow: there are 32 at most.
    unlimited: u32,
    /// Its place in `Walk::extents`, if its attributes name dimensions.
    extent: Option<u32>,
}

struct Walk<'a> {
    store: &'a Store,
    tree: Tree,
    /// Beside the variables of the tree.
    found: Vec<Found>,
    /// How far variables reach along the dimensions that they name, those that are left out included.
    extents: Vec<(Axes, Vec<u64>)>,
    /// Dimensions by the address of their scale.
    scales: HashMap<u64, DimensionId>,
    /// netCDF's number of each dimension.
    ids: Vec<i128>,
    next_id: i128,
    visited: HashSet<u64>,
    waiting: Vec<(GroupId, u64, Header)>,
    links: usize,
    /// Memory that stays of the current object even if it is left out.
    lasting: usize,
}

impl Walk<'_> {
    fn omit(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        let (path, reason) = (path.into(), reason.into());
        // Once too much was kept, which ends the walk, no more is.
        if self.store.budget.keep(OMITTED_BYTES + heap(path.len()) + heap(reason.len())).is_ok() {
            self.tree.omitted.push((path, reason));
        }
    }

    /// Counts the memory that an object takes beside its attributes and data.
    fn keep(&self, bytes: usize, path: &str, name: &str) -> Result<()> {
        if path.len() > links::MAX_PATH {
            return Err(Error::new(Kind::Limit, format!("its path has {} bytes", path.len())));
        }
        self.store.budget.keep(bytes + heap(path.len()) + heap(name.len()))
    }

    fn path_of(&self, group: GroupId, name: &str) -> String {
        let path = &self.tree.groups[group.0].path;
        [path.trim_end_matches('/'), "/", name].concat()
    }

    /// Adds a group, to be walked later.
    fn enter(&mut self, parent: Option<GroupId>, name: &str, address: u64, header: Header) -> Result<()> {
        let path = parent.map_or_else(|| "/".to_owned(), |parent| self.path_of(parent, name));
        self.keep(GROUP_BYTES, &path, name)?;
        let raw = RawAttributes::of(self.store, &header)?;
        let attributes = self.decode(raw, &path);
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

    fn decode(&mut self, raw: RawAttributes, path: &str) -> Attributes {
        raw.decoded(self.store, |name, reason| self.omit(format!("{path}:{name}"), reason))
    }

    fn group(&mut self, group: GroupId, address: u64, header: Header) -> Result<()> {
        let links = match links::list(self.store, &header) {
            Ok(links) => links,
            Err(error) if group.0 == 0 || error.kind() == Kind::Io => return Err(error),
            Err(error) => {
                let path = self.tree.groups[group.0].path.clone();
                self.omit(path, error.to_string());
                return self.store.budget.check();
            }
        };
        header.release(self.store);
        self.links += links.len();
        if self.links > MAX_LINKS {
            return Err(Error::new(Kind::Limit, "the file has too many objects"));
        }
        let depth = self.tree.upward(group).count();
        for link in links {
            let left = self.store.budget.left();
            self.lasting = 0;
            let step = links::resolve(self.store, address, &link)
                .and_then(|address| Ok((address, Header::read(self.store, address)?)))
                .and_then(|(address, header)| self.object(group, &link.name, address, header, depth));
            match step {
                Ok(()) => {}
                Err(error) if error.kind() == Kind::Io => return Err(error),
                Err(error) => {
                    self.forget(left);
                    self.omit(self.path_of(group, &link.name), error.to_string());
                }
            }
            link.release(self.store);
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
        let left = self.store.budget.left();
        let dataset = Dataset::read(self.store, header)?;
        if dataset.is_scale {
            self.dimension(group, name, address, &dataset)?;
        }
        if !dataset.is_variable {
            self.forget(left);
            return Ok(());
        }
        let name = name.strip_prefix(NON_COORDINATE).unwrap_or(name).to_owned();
        let path = self.path_of(group, &name);
        self.keep(VARIABLE_BYTES, &path, &name)?;
        let extent = self.extent(address, &dataset)?;
        let array = dataset.array(self.store)?;
        let Dataset { header, dataspace, attributes, .. } = dataset;
        let attributes = self.decode(attributes, &path);
        header.release(self.store);
        let grows = |axis: usize, maximum: &Option<u64>| u32::from(maximum.is_none()) << axis;
        let unlimited = dataspace.maximum.iter().enumerate().map(|(axis, most)| grows(axis, most)).sum();
        self.found.push(Found { unlimited, extent });
        let (dimensions, array) = (Vec::new(), Arc::new(array));
        self.tree.variables.push(Variable { name, path, group, dimensions, attributes, array });
        Ok(())
    }

    /// Gives back the memory of an object, except the part that lasts.
    fn forget(&self, left: u64) {
        self.store.budget.restore(left);
        // That it is too much is seen after each object.
        let _ = self.store.budget.keep(self.lasting);
    }

    /// Counts memory that stays even if the object is left out.
    fn keep_on(&mut self, bytes: usize) -> Result<()> {
        self.lasting += bytes;
        self.store.budget.keep(bytes)
    }

    fn dimension(&mut self, group: GroupId, name: &str, address: u64, dataset: &Dataset) -> Result<()> {
        let number = dataset.attributes.integers(self.store, "_Netcdf4Dimid").first().copied();
        let id = number.filter(|&number| number >= 0).unwrap_or(self.next_id);
        self.next_id = self.next_id.max(id + 1);
        let (size, unlimited) = (dataset.dataspace.shape[0], dataset.dataspace.maximum[0].is_none());
        let dimension = Dimension { name: name.to_owned(), group, size, unlimited };
        let dimension = self.add(dimension, id)?;
        self.scales.entry(address).or_insert(dimension);
        Ok(())
    }

    fn add(&mut self, dimension: Dimension, id: i128) -> Result<DimensionId> {
        self.keep_on(DIMENSION_BYTES + heap(dimension.name.len()))?;
        let index = DimensionId(self.tree.dimensions.len());
        self.tree.groups[dimension.group.0].dimensions.push(index);
        self.tree.dimensions.push(dimension);
        self.ids.push(id);
        Ok(index)
    }

    /// Notes how far a variable reaches along the dimensions that it names, if it does; returns its place.
    fn extent(&mut self, address: u64, dataset: &Dataset) -> Result<Option<u32>> {
        let axes = self.store.budget.passing(|| self.axes(address, dataset));
        if matches!(axes, Axes::Unknown) {
            return Ok(None);
        }
        let shape = dataset.dataspace.shape.clone();
        self.keep_on(3 * size_of::<(Axes, Vec<u64>)>() / 2 + heap(16 * shape.len()) + heap(8 * shape.len()))?;
        let place = u32::try_from(self.extents.len()).ok();
        self.extents.push((axes, shape));
        Ok(place)
    }

    fn axes(&self, address: u64, dataset: &Dataset) -> Axes {
        let references = dataset.attributes.get("DIMENSION_LIST").map(|list| list.references(self.store));
        if let Some(Ok(mut references)) = references {
            // There may be more than dimensions.
            references.truncate(dataset.dataspace.shape.len());
            references.shrink_to_fit();
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

    /// Sets the dimensions of all variables.
    fn finish(&mut self) -> Result<()> {
        let by_number: HashMap<i128, DimensionId> =
            self.ids.iter().enumerate().rev().map(|(index, id)| (*id, DimensionId(index))).collect();
        let (found, extents) = (std::mem::take(&mut self.found), std::mem::take(&mut self.extents));
        // An unlimited dimension is as long as the longest variable has it.
        for (axes, extent) in &extents {
            for (&size, dimension) in extent.iter().zip(self.named(axes, extent.len(), &by_number)) {
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
        order.sort_by_key(|&i| rank[self.tree.variables[i].group.0]);
        for i in order {
            let axes = found[i].extent.map_or(&Axes::Unknown, |place| &extents[place as usize].0);
            let named = self.named(axes, self.tree.variables[i].array.shape.len(), &by_number);
            self.tree.variables[i].dimensions = self.complete(i, found[i].unlimited, &named, &mut phony)?;
        }
        let (budget, Tree { variables, groups, dimensions, .. }) = (&self.store.budget, &mut self.tree);
        for (id, variable) in variables.iter_mut().enumerate() {
            groups[variable.group.0].variables.push(VariableId(id));
            // The one rule of shapes: a variable has the sizes of its dimensions, whatever was written of it.
            let sizes = variable.dimensions.iter().map(|dimension| dimensions[dimension.0].size);
            if sizes.clone().eq(variable.array.shape.iter().copied()) {
                continue;
            }
            let shape: Vec<u64> = sizes.collect();
            let memory = [size_of::<Short>(), 8 * shape.len(), variable.array.fill.len()].map(heap);
            budget.keep(memory.iter().sum())?;
            // Nobody else has it yet.
            let Some(array) = Arc::get_mut(&mut variable.array) else { continue };
            let own = fill::own(array.data_type, array.element, &variable.attributes);
            let fill = own.unwrap_or_else(|| fill::default(array.data_type, array.element));
            let extent = std::mem::replace(&mut array.shape, shape);
            array.short = Some(Box::new(Short { extent, fill }));
        }
        Ok(())
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

    /// The dimensions of all axes of a variable; those without a fitting named one are phony.
    fn complete(
        &mut self,
        variable: usize,
        unlimited: u32,
        named: &[Option<DimensionId>],
        phony: &mut Phony,
    ) -> Result<Vec<DimensionId>> {
        let mut dimensions = Vec::with_capacity(named.len());
        for (axis, named) in named.iter().enumerate() {
            let Variable { group, array, .. } = &self.tree.variables[variable];
            let (group, size, unlimited) = (*group, array.shape[axis], unlimited >> axis & 1 == 1);
            // Any scale can be attached to any axis in HDF5; one of another size is no dimension of this axis.
            let fits = |id: &DimensionId| {
                let dimension = &self.tree.dimensions[id.0];
                let is_longer = dimension.unlimited && dimension.size > size;
                dimension.size == size || is_longer && unlimited && array.can_be_short()
            };
            dimensions.push(match named.filter(|id| fits(id)) {
                Some(id) => id,
                None => {
                    let key = (group, size, unlimited);
                    match phony.0.get(&key) {
                        Some(id) => *id,
                        None => {
                            let name = format!("phony_dim_{}", self.next_id);
                            let id = self.add(Dimension { name, group, size, unlimited }, self.next_id)?;
                            self.next_id += 1;
                            phony.0.insert(key, id);
                            id
                        }
                    }
                }
            });
        }
        Ok(dimensions)
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
