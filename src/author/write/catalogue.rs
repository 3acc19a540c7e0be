//! A catalogue of what a group has, so that thousands of variables are added to it in linear time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::description::{Data, Dimension, Group, Variable};
use crate::value::Values;

/// What a group has by name, size and content. Each use first takes in what was appended to the group since the last
/// one; nothing may have been removed or renamed.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    variables: HashMap<String, usize>,
    dimensions: HashMap<String, usize>,
    /// The first dimension of a size whose name is this one, or this one and a number.
    sized: HashMap<(String, u64), usize>,
    /// Variables with values by a digest of these.
    tables: HashMap<u64, Vec<usize>>,
    numbering: Numbering,
    /// The number of variables and dimensions that are taken in.
    seen: (usize, usize),
}

impl Catalogue {
    fn update(&mut self, group: &Group) {
        for (at, variable) in group.variables.iter().enumerate().skip(self.seen.0) {
            self.variables.entry(variable.name.clone()).or_insert(at);
            if let Data::Values(values) = &variable.data {
                self.tables.entry(digest(values)).or_default().push(at);
            }
        }
        for (at, dimension) in group.dimensions.iter().enumerate().skip(self.seen.1) {
            let Dimension { name, size, unlimited } = dimension;
            self.dimensions.entry(name.clone()).or_insert(at);
            if *unlimited {
                continue;
            }
            self.sized.entry((name.clone(), *size)).or_insert(at);
            if let Some((base, _)) = name.rsplit_once('_').filter(|(_, n)| n.parse::<u64>().is_ok()) {
                self.sized.entry((base.to_owned(), *size)).or_insert(at);
            }
        }
        self.seen = (group.variables.len(), group.dimensions.len());
    }

    /// Returns the index of the variable of this name.
    pub(crate) fn variable(&mut self, group: &Group, name: &str) -> Option<usize> {
        self.update(group);
        self.variables.get(name).copied()
    }

    /// Returns the dimension of this name.
    pub(crate) fn dimension<'a>(&mut self, group: &'a Group, name: &str) -> Option<&'a Dimension> {
        self.update(group);
        self.dimensions.get(name).map(|&at| &group.dimensions[at])
    }

    /// Returns a name that no dimension or variable of the group has, as [`Group::free_name`].
    pub(crate) fn free_name(&mut self, group: &Group, name: &str) -> String {
        self.update(group);
        let (variables, dimensions) = (&self.variables, &self.dimensions);
        self.numbering.free(name, |name| variables.contains_key(name) || dimensions.contains_key(name))
    }

    /// Returns the first dimension of fixed size whose name is `name`, or `name` and a number.
    pub(crate) fn numbered<'a>(&mut self, group: &'a Group, name: &str, size: u64) -> Option<&'a Dimension> {
        self.update(group);
        self.sized.get(&(name.to_owned(), size)).map(|&at| &group.dimensions[at])
    }

    /// Returns the first variable with these values that is as wanted in all else.
    pub(crate) fn table<'a>(
        &mut self,
        group: &'a Group,
        values: &Values,
        wanted: impl Fn(&Variable) -> bool,
    ) -> Option<&'a Variable> {
        self.update(group);
        let same = |v: &&Variable| wanted(v) && matches!(&v.data, Data::Values(own) if own == values);
        self.tables.get(&digest(values))?.iter().map(|&at| &group.variables[at]).find(same)
    }
}

/// Returns a digest that is the same for equal values.
fn digest(values: &Values) -> u64 {
    let mut hasher = DefaultHasher::new();
    match values {
        Values::Char(bytes) => bytes.hash(&mut hasher),
        Values::String(list) => list.hash(&mut hasher),
        // Zeros of both signs are equal.
        Values::F32(list) => list.iter().for_each(|x| hasher.write_u32((x + 0.0).to_bits())),
        Values::F64(list) => list.iter().for_each(|x| hasher.write_u64((x + 0.0).to_bits())),
        numbers => {
            crate::for_numbers!(numbers, v => v.iter().for_each(|x| hasher.write(&x.to_ne_bytes())), ())
        }
    }
    hasher.finish()
}

/// Numbers names. Names that were taken once must remain so.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    next: HashMap<String, u64>,
}

impl Numbering {
    /// Returns the name itself if it is not taken, else with the smallest number from 2 with which it is not.
    pub(crate) fn free(&mut self, name: &str, mut taken: impl FnMut(&str) -> bool) -> String {
        if !taken(name) {
            return name.to_owned();
        }
        let first = self.next.get(name).copied().unwrap_or(2);
        let found = (first..).map(|i| (i, format!("{name}_{i}"))).find(|(_, n)| !taken(n));
        let (number, free) = found.unwrap_or_default();
        self.next.insert(name.to_owned(), number);
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::DataType;

    #[test]
    fn names_are_those_of_the_group_itself() {
        let (mut group, mut catalogue) = (Group::default(), Catalogue::default());
        for name in ["a", "b_2", "a_3", "b", "a"] {
            let free = catalogue.free_name(&group, name);
            assert_eq!(free, group.free_name(name));
            group.variables.push(Variable::new(&*free, DataType::I8, &[]));
        }
        group.add_dimension("a_4", 1);
        assert_eq!(catalogue.free_name(&group, "a"), "a_5");
        assert_eq!(catalogue.free_name(&group, "a"), "a_5", "it is still free");
        assert_eq!(catalogue.dimension(&group, "a_4").map(|d| d.size), Some(1));
        assert_eq!(catalogue.variable(&group, "b_2"), Some(1));
        assert_eq!(catalogue.variable(&group, "a_4"), None);
    }

    #[test]
    fn the_first_dimension_of_a_size_is_found() {
        let (mut group, mut catalogue) = (Group::default(), Catalogue::default());
        for (name, size) in [("f_x", 3), ("f_x_2", 4), ("f_x_3", 4), ("f_x_y", 5)] {
            group.add_dimension(name, size);
        }
        let mut found = |name: &str, size| catalogue.numbered(&group, name, size).map(|d| d.name.clone());
        assert_eq!(found("f_x", 4).as_deref(), Some("f_x_2"));
        assert_eq!(found("f_x_3", 4).as_deref(), Some("f_x_3"));
        assert_eq!(found("f_x", 5), None);
    }

    #[test]
    fn equal_values_are_found_and_nan_equals_nothing() {
        let (mut group, mut catalogue) = (Group::default(), Catalogue::default());
        for (name, value) in [("a", 1.0), ("b", 0.0), ("c", f64::NAN)] {
            group.variables.push(Variable::with_values(name, &[], Values::F64(vec![value])));
        }
        let mut found =
            |value| catalogue.table(&group, &Values::F64(vec![value]), |_| true).map(|v| v.name.clone());
        assert_eq!(found(1.0).as_deref(), Some("a"));
        assert_eq!(found(-0.0).as_deref(), Some("b"));
        assert_eq!(found(f64::NAN), None);
    }
}
