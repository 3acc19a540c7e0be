//! The contents of a container: groups, dimensions, variables and attributes, by index.

use std::sync::Arc;

use super::array::Array;
use super::order::Order;
use crate::value::Attributes;

/// Index of a group in [`Tree::groups`]; 0 is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupId(pub usize);

/// Index of a dimension in [`Tree::dimensions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimensionId(pub usize);

/// Index of a variable in [`Tree::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub usize);

/// A group.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its own name; empty for the root.
    pub name: String,
    /// Its absolute path: `/` or `/a/b`.
    pub path: String,
    /// The group that contains it.
    pub parent: Option<GroupId>,
    /// The groups in it.
    pub groups: Vec<GroupId>,
    /// The dimensions defined in it.
    pub dimensions: Vec<DimensionId>,
    /// The variables in it.
    pub variables: Vec<VariableId>,
    /// Its attributes (the root's are the global attributes).
    pub attributes: Attributes,
}

/// A dimension.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// Its name, without path.
    pub name: String,
    /// The group that defines it.
    pub group: GroupId,
    /// Its current size.
    pub size: u64,
    /// Whether it can grow.
    pub unlimited: bool,
}

/// A variable as it is stored.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name, without path.
    pub name: String,
    /// Its absolute path: `/tas` or `/a/tas`.
    pub path: String,
    /// The group that contains it.
    pub group: GroupId,
    /// Its dimensions; their sizes are the shape of the array.
    pub dimensions: Vec<DimensionId>,
    /// Its attributes, without those that the container uses for its own bookkeeping.
    pub attributes: Attributes,
    /// Its data.
    pub array: Arc<Array>,
}

/// Everything in a container.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// All groups; the root is first.
    pub groups: Vec<Group>,
    /// All dimensions.
    pub dimensions: Vec<Dimension>,
    /// All variables.
    pub variables: Vec<Variable>,
    /// Paths of objects that are left out, with the reason (user-defined types and the like).
    pub omitted: Vec<(String, String)>,
    variables_by_name: Order,
    dimensions_by_name: Order,
    groups_by_name: Order,
}

impl Tree {
    /// Returns a tree with nothing in it, not even a root.
    pub(crate) const fn empty() -> Self {
        Tree {
            groups: Vec::new(),
            dimensions: Vec::new(),
            variables: Vec::new(),
            omitted: Vec::new(),
            variables_by_name: Order::new(),
            dimensions_by_name: Order::new(),
            groups_by_name: Order::new(),
        }
    }

    /// Returns the variable of this name in this group. As in libnetcdf, names are equal if their composed forms (NFC)
    /// are.
    pub fn variable_in(&self, group: GroupId, name: &str) -> Option<VariableId> {
        let items = self.groups[group.0].variables.iter().map(|v| v.0);
        let key = |i: usize| (Some(self.variables[i].group), self.variables[i].name.as_str());
        self.variables_by_name.find(group, name, items, (self.variables.len(), key)).map(VariableId)
    }

    /// Returns the dimension of this name that this group defines.
    pub fn dimension_in(&self, group: GroupId, name: &str) -> Option<DimensionId> {
        let items = self.groups[group.0].dimensions.iter().map(|d| d.0);
        let key = |i: usize| (Some(self.dimensions[i].group), self.dimensions[i].name.as_str());
        self.dimensions_by_name.find(group, name, items, (self.dimensions.len(), key)).map(DimensionId)
    }

    /// Returns the group of this name in this group.
    pub fn group_in(&self, group: GroupId, name: &str) -> Option<GroupId> {
        let items = self.groups[group.0].groups.iter().map(|g| g.0);
        let key = |i: usize| (self.groups[i].parent, self.groups[i].name.as_str());
        self.groups_by_name.find(group, name, items, (self.groups.len(), key)).map(GroupId)
    }

    /// Returns the variable at this path from the root; the leading slash is optional.
    pub fn variable_at(&self, path: &str) -> Option<VariableId> {
        let mut group = GroupId(0);
        let mut names = path.trim_start_matches('/').split('/').peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                return self.variable_in(group, name);
            }
            group = self.group_in(group, name)?;
        }
        None
    }

    /// Returns a group and the groups that contain it, innermost first.
    pub fn upward(&self, group: GroupId) -> impl Iterator<Item = GroupId> + '_ {
        std::iter::successors(Some(group), |g| self.groups[g.0].parent)
    }
}
