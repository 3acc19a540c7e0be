//! Collects all fragments of an aggregation variable, with the locations that the new file needs.

use std::collections::HashSet;
use std::path::Path;

use super::locations::{NewLocation, Writer};
use super::{variable_of, Aggregated, Content, Options, Progress};
use crate::container::allowance::Allowance;
use crate::container::tree::{Tree, VariableId};
use crate::dataset::Dataset;
use crate::dialect::reference;
use crate::error::{Error, Kind, Result};
use crate::io::location::Style;
use crate::model::fragments::{Fragment, Lookup, Version};
use crate::model::slabs::Slabs;
use crate::model::{Aggregation, Dialect};
use crate::selection::Selection;
use crate::value::Values;

/// The number of fragments that are looked up at once.
const BLOCK: u64 = 4096;

/// What a dimension, variable or group takes in the description of a file and while it is written.
const OBJECT: usize = 2048;

/// Collects fragments and rewrites their locations.
pub(super) struct Collector<'a> {
    dataset: &'a Dataset,
    writer: Writer<'a>,
    dialect: Dialect,
    /// Variables of the old file that are fragments: the new file must have them.
    pub(super) same_file: HashSet<VariableId>,
    /// What the fragments of all variables may take.
    allowance: Allowance,
}

impl<'a> Collector<'a> {
    pub(super) fn new(dataset: &'a Dataset, path: &Path, options: &Options<'_>) -> Result<Self> {
        let writer = Writer::new(dataset, path, options)?;
        let allowance = Allowance::of_copy(&**dataset.shared().container.source());
        Ok(Collector { dataset, writer, dialect: options.dialect, same_file: HashSet::new(), allowance })
    }

    /// Returns the description of an aggregation variable.
    pub(super) fn variable(
        &mut self,
        id: VariableId,
        found: &Aggregation,
        progress: &Progress<'_>,
    ) -> Result<Aggregated> {
        let shared = self.dataset.shared();
        let shape = found.grid.fragments();
        let style = Style::allowing_absolute_paths(found.fragments.allows_absolute_paths());
        let mut list: Vec<Fragment> = Vec::new();
        let mut unique = None;
        for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
            let block = block?;
            match found.fragments.lookup(&*shared.container, &block, &shared.runtime_substitutions)? {
                Lookup::UniqueValues(_) => {
                    let all = Selection::all(shape);
                    let count = all.len().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
                    self.keep(count.saturating_mul(size_of::<f64>()))?;
                    let whole =
                        found.fragments.lookup(&*shared.container, &all, &shared.runtime_substitutions)?;
                    unique = Some(unique_values(whole)?);
                    break;
                }
                Lookup::Fragments(part) => {
                    for (i, mut fragment) in part.into_iter().enumerate() {
                        let index = block.index(i as u64);
                        if self.dialect != Dialect::Cfa04 {
                            drop_idle_view(&mut fragment, &canonical_shape(found, &index));
                        }
                        let rewritten = self.fragment(id, found, fragment, style);
                        let rewritten = rewritten.map_err(|e| e.in_fragment(&index))?;
                        self.keep(rewritten.memory())?;
                        list.push(rewritten);
                    }
                }
            }
            progress.advance(block.len().unwrap_or(0))?;
        }
        let sizes: u64 = shape.iter().fold(0, |sum, n| n.saturating_add(sum));
        self.keep(usize::try_from(sizes.saturating_mul(8)).unwrap_or(usize::MAX))?;
        let sizes = (0..shape.len())
            .map(|d| (0..shape[d]).map(|i| found.grid.range(d, i)).map(|r| r.end - r.start).collect())
            .collect();
        let variable = variable_of(shared.tree(), id, &found.dimensions, self.dialect)?;
        let fragments = match unique {
            Some(values) => Content::Unique(values),
            None => Content::Stored(list),
        };
        Ok(Aggregated { variable, sizes, fragments })
    }

    /// Counts what the description of the new file and its objects take, besides fragments.
    ///
    /// # Errors
    /// `Limit` if it is too much for a file of this length.
    pub(super) fn keep_description(&self, tree: &Tree) -> Result<()> {
        let objects = tree.dimensions.len() + tree.variables.len() + tree.groups.len();
        self.allowance.keep(objects.saturating_mul(OBJECT))
    }

    /// Counts memory that is about to be taken twice: for what is collected, and for the description of the new file.
    /// Lists grow by doubling, which takes no more than the description does later.
    fn keep(&self, bytes: usize) -> Result<()> {
        self.allowance.keep(bytes.saturating_mul(2))
    }

    fn fragment(
        &mut self,
        id: VariableId,
        found: &Aggregation,
        fragment: Fragment,
        style: Style,
    ) -> Result<Fragment> {
        let Fragment::Stored { versions, view } = fragment else { return Ok(fragment) };
        // CF requires a location for every fragment. With several versions, a version without location would count as
        // absent.
        let named = !self.dialect.has_plain_paths() || versions.len() > 1;
        let versions = versions
            .into_iter()
            .map(|version| self.version(id, found, version, style, named))
            .collect::<Result<Vec<_>>>()?;
        Ok(Fragment::Stored { versions, view })
    }

    fn version(
        &mut self,
        id: VariableId,
        found: &Aggregation,
        version: Version,
        style: Style,
        named: bool,
    ) -> Result<Version> {
        let place = match &version.location {
            None => NewLocation::SameFile,
            Some(location) => self.writer.place(location, style)?,
        };
        match place {
            NewLocation::Elsewhere(location) => Ok(Version { location: Some(location), ..version }),
            NewLocation::SameFile => {
                let identifier = self.own_variable(id, found, &version)?;
                let location = named.then(|| self.writer.own_name()).transpose()?;
                Ok(Version { location, identifier, format: None })
            }
        }
    }

    /// Returns the path of a variable of the aggregation file that is a fragment.
    fn own_variable(&mut self, id: VariableId, found: &Aggregation, version: &Version) -> Result<String> {
        let tree = self.dataset.shared().tree();
        let own = tree.variables[id.0].group;
        let target = match version.location {
            Some(_) => tree.variable_at(&version.identifier),
            None => {
                let groups = found.fragments.search_groups().iter().copied().chain([own]);
                groups.into_iter().find_map(|g| reference::variable(tree, g, &version.identifier))
            }
        };
        let Some(target) = target else {
            let message = format!("the aggregation file has no variable '{}'", version.identifier);
            return Err(Error::new(Kind::FragmentVariable, message));
        };
        self.same_file.insert(target);
        let path = &tree.variables[target.0].path;
        let at_root = tree.variables[target.0].group == own && own.0 == 0;
        Ok(if at_root { path.trim_start_matches('/').to_owned() } else { path.clone() })
    }
}

fn canonical_shape(found: &Aggregation, index: &[u64]) -> Vec<u64> {
    let ranges = index.iter().enumerate().map(|(d, &i)| found.grid.range(d, i));
    ranges.map(|r| r.end - r.start).collect()
}

/// Removes a view of CFA-0.4 that changes nothing: it only omits or reverses dimensions of size 1.
fn drop_idle_view(fragment: &mut Fragment, canonical: &[u64]) {
    let Fragment::Stored { view, .. } = fragment else { return };
    let Some(one) = view.as_deref() else { return };
    let in_order = one.axes.as_ref().is_none_or(|axes| {
        axes.windows(2).all(|pair| pair[0] < pair[1])
            && (0..canonical.len()).all(|d| axes.contains(&d) || canonical[d] == 1)
    });
    let turned = one.reversed.iter().any(|&d| canonical.get(d).is_none_or(|&n| n > 1));
    if in_order && !turned && one.part.is_none() && one.units.is_none() && one.calendar.is_none() {
        *view = None;
    }
}

fn unique_values(block: Lookup) -> Result<Values> {
    match block {
        Lookup::UniqueValues(values) => Ok(values),
        Lookup::Fragments(_) => Err(Error::new(Kind::Internal, "unique values became fragments")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fragments::View;

    #[test]
    fn a_view_goes_only_where_it_changes_nothing() {
        let kept = |view: View, canonical: &[u64]| {
            let mut fragment = Fragment::Stored { versions: Vec::new(), view: Some(Box::new(view)) };
            drop_idle_view(&mut fragment, canonical);
            fragment.view().is_some()
        };
        let axes = |axes: &[usize]| View { axes: Some(axes.to_vec()), ..View::default() };
        assert!(!kept(axes(&[1, 2]), &[1, 4, 5]));
        assert!(kept(axes(&[1, 2]), &[2, 4, 5]));
        assert!(kept(axes(&[2, 1]), &[1, 4, 5]));
        assert!(!kept(View { reversed: vec![0], ..View::default() }, &[1, 4]));
        assert!(kept(View { reversed: vec![1], ..View::default() }, &[1, 4]));
        assert!(kept(View { units: Some("K".into()), ..View::default() }, &[4]));
    }
}
