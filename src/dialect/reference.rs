//! Looks up variables and dimensions by name, as the group search of CF section 2.7.1.
//!
//! `/a/b` is absolute; `a/b` and `../b` are relative to the group of the variable that refers. A name without path is
//! looked up in that group and then in those that contain it; the nearest match wins.

use crate::container::tree::{DimensionId, GroupId, Tree, VariableId};

/// Returns the variable that `name` means to a variable in `group`.
pub fn variable(tree: &Tree, group: GroupId, name: &str) -> Option<VariableId> {
    search(tree, group, name, Tree::variable_in)
}

/// Returns the dimension that `name` means to a variable in `group`.
pub fn dimension(tree: &Tree, group: GroupId, name: &str) -> Option<DimensionId> {
    search(tree, group, name, Tree::dimension_in)
}

fn search<T>(
    tree: &Tree,
    group: GroupId,
    name: &str,
    find: fn(&Tree, GroupId, &str) -> Option<T>,
) -> Option<T> {
    let Some((path, last)) = name.rsplit_once('/') else {
        return tree.upward(group).find_map(|g| find(tree, g, name));
    };
    let mut at = if name.starts_with('/') { GroupId(0) } else { group };
    for part in path.split('/') {
        at = match part {
            "" | "." => at,
            ".." => tree.groups[at.0].parent?,
            child => tree.group_in(at, child)?,
        };
    }
    find(tree, at, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::memory::Memory;
    use crate::value::Values;

    #[test]
    fn references_follow_cf_2_7_1() {
        let mut file = Memory::new();
        let one = || Values::I32(vec![1]);
        let root = file.variable("/v", &[], one());
        let mid = file.variable("/a/v", &[], one());
        let deep = file.variable("/a/b/w", &[], one());
        let tree = &file.tree;
        let b = tree.variables[deep.0].group;
        assert_eq!(variable(tree, b, "v"), Some(mid), "the nearest upward");
        assert_eq!(variable(tree, b, "/v"), Some(root), "absolute");
        assert_eq!(variable(tree, b, "../../v"), Some(root), "relative");
        assert_eq!(variable(tree, GroupId(0), "a/b/w"), Some(deep), "relative downward");
        assert_eq!(variable(tree, b, "b/w"), None, "a relative path is not searched upward");
        assert_eq!(variable(tree, GroupId(0), "../v"), None, "nothing is above the root");
        assert_eq!(variable(tree, b, ""), None);
    }

    #[test]
    fn dimensions_are_found_nearest_upward() {
        let mut file = Memory::new();
        let outer = file.dimension("/x", 99, false);
        let inner = file.dimension("/a/x", 5, false);
        let group = file.tree.dimensions[inner.0].group;
        assert_eq!(dimension(&file.tree, group, "x"), Some(inner));
        assert_eq!(dimension(&file.tree, GroupId(0), "x"), Some(outer));
        assert_eq!(dimension(&file.tree, GroupId(0), "a/x"), Some(inner));
        assert_eq!(dimension(&file.tree, group, "y"), None);
    }
}
