//! A file in memory, for tests of decoding.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::container::allowance::{Allowance, Held};
use crate::container::array::{Array, Element, Layout};
use crate::container::tree::{Dimension, DimensionId, Group, GroupId, Tree, Variable, VariableId};
use crate::error::Result;
use crate::model::features::Features;
use crate::selection::{c_strides, Selection};
use crate::value::{Attribute, Attributes, Values};

/// Groups, dimensions and variables with their values.
pub struct Memory {
    pub tree: Tree,
    data: HashMap<VariableId, Values>,
    /// The variables that were read, in order.
    pub reads: Mutex<Vec<VariableId>>,
    pub allowance: Arc<Allowance>,
}

/// Returns text as a list of strings.
pub fn strings(list: &[&str]) -> Values {
    Values::String(list.iter().map(|s| s.to_string()).collect())
}

impl Memory {
    pub fn new() -> Self {
        let mut tree = Tree::default();
        tree.groups.push(group("", "/", None));
        let allowance = Arc::new(Allowance::new(0, 0));
        Memory { tree, data: HashMap::new(), reads: Mutex::new(Vec::new()), allowance }
    }

    fn group_of(&mut self, path: &str) -> (GroupId, String) {
        let mut at = GroupId(0);
        let mut names: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let last = names.pop().unwrap().to_owned();
        for name in names {
            at = match self.tree.group_in(at, name) {
                Some(found) => found,
                None => {
                    let id = GroupId(self.tree.groups.len());
                    let path = format!("{}/{name}", self.tree.groups[at.0].path.trim_end_matches('/'));
                    self.tree.groups.push(group(name, &path, Some(at)));
                    self.tree.groups[at.0].groups.push(id);
                    id
                }
            };
        }
        (at, last)
    }

    pub fn dimension(&mut self, path: &str, size: u64, unlimited: bool) -> DimensionId {
        let (group, name) = self.group_of(path);
        let id = DimensionId(self.tree.dimensions.len());
        self.tree.dimensions.push(Dimension { name, group, size, unlimited });
        self.tree.groups[group.0].dimensions.push(id);
        id
    }

    /// Adds a variable with anonymous dimensions of these sizes.
    pub fn variable(&mut self, path: &str, shape: &[u64], data: Values) -> VariableId {
        self.variable_with(path, shape, data, &[])
    }

    pub fn variable_with(
        &mut self,
        path: &str,
        shape: &[u64],
        data: Values,
        attributes: &[(&str, Values)],
    ) -> VariableId {
        let (group, name) = self.group_of(path);
        let dimensions = shape
            .iter()
            .map(|&size| {
                let id = DimensionId(self.tree.dimensions.len());
                self.tree.dimensions.push(Dimension {
                    name: format!("anonymous{}", id.0),
                    group,
                    size,
                    unlimited: false,
                });
                id
            })
            .collect();
        let id = VariableId(self.tree.variables.len());
        let size = data.data_type().size().unwrap_or(16);
        let array = Array {
            data_type: data.data_type(),
            element: Element::Number { size, big_endian: false },
            shape: shape.to_vec(),
            layout: Layout::Contiguous { offset: 0 },
            fill: vec![0; size],
            short: None,
        };
        let list =
            attributes.iter().map(|(n, v)| Attribute { name: n.to_string(), value: v.clone() }).collect();
        self.tree.variables.push(Variable {
            name,
            path: path.to_owned(),
            group,
            dimensions,
            attributes: Attributes::new(list),
            array: Arc::new(array),
        });
        self.tree.groups[group.0].variables.push(id);
        self.data.insert(id, data);
        id
    }

    /// Adds a scalar aggregation variable of type double with these text attributes.
    pub fn aggregation(&mut self, path: &str, attributes: &[(&str, &str)]) -> VariableId {
        let list: Vec<(&str, Values)> =
            attributes.iter().map(|(n, v)| (*n, Values::Char(v.as_bytes().to_vec()))).collect();
        self.variable_with(path, &[], Values::F64(vec![0.0]), &list)
    }
}

fn group(name: &str, path: &str, parent: Option<GroupId>) -> Group {
    let (name, path) = (name.to_owned(), path.to_owned());
    let attributes = Attributes::default();
    Group { name, path, parent, groups: vec![], dimensions: vec![], variables: vec![], attributes }
}

impl Features for Memory {
    fn hold(&self, bytes: usize) -> Result<Held> {
        self.allowance.hold(bytes)
    }

    fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    fn tree(&self) -> Result<&Tree> {
        Ok(&self.tree)
    }

    fn values(&self, variable: VariableId, selection: &Selection) -> Result<Values> {
        self.reads.lock().unwrap().push(variable);
        let strides = c_strides(&self.tree.variables[variable.0].array.shape);
        let mut at = vec![0usize];
        for (d, &stride) in strides.iter().enumerate() {
            let (start, step) = (selection.start()[d] as i64, selection.step()[d]);
            let along: Vec<usize> = (0..selection.count()[d] as i64)
                .map(|i| (start + i * step) as usize * stride as usize)
                .collect();
            at = at.iter().flat_map(|a| along.iter().map(move |b| a + b)).collect();
        }
        Ok(match &self.data[&variable] {
            Values::String(v) => Values::String(at.iter().map(|&i| v[i].clone()).collect()),
            Values::Char(v) => Values::Char(at.iter().map(|&i| v[i]).collect()),
            numbers => {
                let bytes: Vec<u8> = at.iter().flat_map(|&i| numbers.native_bytes_at(i).unwrap()).collect();
                Values::from_native_bytes(self.tree.variables[variable.0].array.data_type, &bytes).unwrap()
            }
        })
    }
}
