//! Groups and dimensions by their paths.

use crate::container::tree::{DimensionId, GroupId, Tree};
use crate::dataset::Dataset;
use crate::error::{message, Error, Kind, Result};

impl Dataset {
    /// The group at this path (`/`, `/inner`, `inner/deeper`), by its place in [`Dataset::groups`].
    ///
    /// # Errors
    /// `Request`, naming those there are.
    pub fn group_at(&self, path: &str) -> Result<GroupId> {
        let tree = self.shared().tree();
        group_at(tree, path).ok_or_else(|| {
            let names = message::names(tree.groups.iter().map(|g| g.path.as_str()));
            self.unknown("group", path, &names)
        })
    }

    /// The dimension at this path (`time`, `/time`, `/inner/x`).
    ///
    /// # Errors
    /// `Request`, naming those of the logical view.
    pub fn dimension_at(&self, path: &str) -> Result<DimensionId> {
        let tree = self.shared().tree();
        let (group, name) = path.rsplit_once('/').unwrap_or(("", path));
        let found = group_at(tree, group).and_then(|group| tree.dimension_in(group, name));
        found.ok_or_else(|| {
            let paths: Vec<String> = self.dimensions().iter().map(|&id| self.dimension_path(id)).collect();
            let names = message::names(paths.iter().map(|path| path.trim_start_matches('/')));
            self.unknown("dimension", path, &names)
        })
    }

    fn unknown(&self, what: &str, path: &str, names: &str) -> Error {
        let there = if names.is_empty() { "none" } else { names };
        let path = message::short(path, message::MOST_OF_NAME);
        Error::new(Kind::Request, format!("no {what} '{path}'; it has: {there}")).in_file(self.name())
    }
}

fn group_at(tree: &Tree, path: &str) -> Option<GroupId> {
    let names = path.split('/').filter(|name| !name.is_empty());
    names.into_iter().try_fold(GroupId(0), |group, name| tree.group_in(group, name))
}
