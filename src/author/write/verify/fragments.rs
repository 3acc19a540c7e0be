//! Checks that an aggregation variable of a new file has the intended grid and fragments.

use std::borrow::Cow;

use crate::author::write::aggregation::{of_file, Content, Meaning, States};
use crate::container::tree::VariableId;
use crate::container::Container;
use crate::dialect::{self, reference, Grids};
use crate::error::secrets::redact;
use crate::error::Result;
use crate::model::fragments::{Fragment, Lookup, Version, View};
use crate::model::slabs::Slabs;
use crate::model::substitutions::Substitutions;
use crate::model::{Aggregation, Dialect};
use crate::selection::Selection;
use crate::value::Values;

use super::values::{first_difference, same_attribute};
use super::{differs, is_kept};

/// The number of fragments that are looked up at once.
const BLOCK: u64 = 4096;

/// Decodes the variable as every reader does, and compares it with the intended one.
///
/// # Errors
/// `Internal` for a difference; those of decoding.
pub(super) fn check(
    written: &Container,
    id: VariableId,
    meaning: &Meaning,
    classic: bool,
) -> Result<Aggregation> {
    // The intended fragments are in memory, so as many again do no harm.
    let found = dialect::decode(written, id, u64::MAX, &Grids::default())?;
    let expected = match meaning.dialect {
        // Both texts are the same if all terms are present.
        Dialect::Cfa06b1Early => Dialect::Cfa06b1,
        other => other,
    };
    if found.dialect != expected {
        return Err(differs(format!("its dialect is {} instead of {expected}", found.dialect)));
    }
    attributes(written, id, meaning, classic)?;
    grid(written, id, meaning, &found)?;
    match &meaning.aggregated.fragments {
        Content::Stored(list) => {
            stored(written, id, list.iter().map(Meant::Fragment), meaning.dialect, &found)?
        }
        Content::Files(files) => {
            let meant = files.iter().map(|(location, identifier)| Meant::File(location, identifier));
            stored(written, id, meant, meaning.dialect, &found)?
        }
        Content::Unique(values) => unique(written, values, &found, classic)?,
    }
    states(written, meaning.states.as_ref(), &found)?;
    if found.chunks.is_some() != meaning.has_chunks {
        return Err(differs("the recorded places of chunks cannot be read".into()));
    }
    Ok(found)
}

/// Compares all attributes except those that describe the aggregation.
fn attributes(written: &Container, id: VariableId, meaning: &Meaning, classic: bool) -> Result<()> {
    let read = &written.tree()?.variables[id.0].attributes;
    let meant = &meaning.aggregated.variable.attributes;
    for attribute in meant.iter().filter(|a| is_kept(&a.name, classic)) {
        let there = read.get(&attribute.name);
        if !there.is_some_and(|there| same_attribute(&attribute.value, there, classic)) {
            return Err(differs(format!("attribute '{}' differs", attribute.name)));
        }
    }
    let more = read.iter().find(|a| meant.get(&a.name).is_none() && !dialect::defines_aggregation(a));
    more.map_or(Ok(()), |a| Err(differs(format!("attribute '{}' should not exist", a.name))))
}

fn grid(written: &Container, id: VariableId, meaning: &Meaning, found: &Aggregation) -> Result<()> {
    let tree = written.tree()?;
    let group = tree.variables[id.0].group;
    let names = &meaning.aggregated.variable.dimensions;
    let meant: Vec<_> = names.iter().map(|name| reference::dimension(tree, group, name)).collect();
    if !meant.iter().copied().eq(found.dimensions.iter().map(|&d| Some(d))) {
        return Err(differs(format!("its aggregated dimensions are not {}", names.join(", "))));
    }
    let sizes = &meaning.aggregated.sizes;
    if !sizes.iter().map(|row| row.len() as u64).eq(found.grid.fragments().iter().copied()) {
        let counts = found.grid.fragments();
        return Err(differs(format!("its array of fragments has the shape {counts:?}")));
    }
    for (d, row) in sizes.iter().enumerate() {
        for (i, &size) in row.iter().enumerate() {
            let range = found.grid.range(d, i as u64);
            if range.end - range.start != size {
                let (name, there) = (&names[d], range.end - range.start);
                let what = format!("fragment {i} along '{name}' has size {there} instead of {size}");
                return Err(differs(what));
            }
        }
    }
    Ok(())
}

/// An intended fragment.
enum Meant<'a> {
    Fragment(&'a Fragment),
    /// A whole variable of a netCDF file.
    File(&'a str, &'a str),
}

impl Meant<'_> {
    fn fragment(&self) -> Cow<'_, Fragment> {
        match self {
            Meant::Fragment(fragment) => Cow::Borrowed(fragment),
            Meant::File(location, identifier) => Cow::Owned(of_file(location, identifier)),
        }
    }

    fn is(&self, read: &Fragment, dialect: Dialect) -> bool {
        // Most are simply the same; others may still mean it.
        let is_plainly = || match (self, read) {
            (Meant::File(location, identifier), Fragment::Stored { versions, view: None }) => {
                match &versions[..] {
                    [one] => {
                        let format = match dialect {
                            Dialect::Cf113 | Dialect::CfDraft => None,
                            _ => Some("nc"),
                        };
                        dialect != Dialect::Cfa04
                            && one.location.as_deref() == Some(*location)
                            && one.identifier == *identifier
                            && one.format.as_deref() == format
                    }
                    _ => false,
                }
            }
            _ => false,
        };
        is_plainly() || same_fragment(&self.fragment(), read, dialect)
    }
}

fn stored<'a>(
    written: &Container,
    id: VariableId,
    mut meant: impl Iterator<Item = Meant<'a>>,
    dialect: Dialect,
    found: &Aggregation,
) -> Result<()> {
    let shape = found.grid.fragments();
    for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
        let block = block?;
        let Lookup::Fragments(read) = found.fragments.lookup(written, &block, &Substitutions::default())?
        else {
            return Err(differs("its fragments are values instead of files".into()));
        };
        for (i, read) in read.iter().enumerate() {
            let place = |e: crate::Error| e.in_fragment(&block.index(i as u64));
            let Some(meant) = meant.next() else {
                return Err(place(differs("it should not exist".into())));
            };
            if !meant.is(read, dialect) {
                let what = format!("it is {} instead of {}", shown(read), shown(&meant.fragment()));
                return Err(place(differs(what)));
            }
            own_variables(written, id, read, found).map_err(place)?;
        }
    }
    match meant.next() {
        Some(_) => Err(differs("fragments are missing at the end".into())),
        None => Ok(()),
    }
}

/// Checks that a fragment in the aggregation file has its variable there.
fn own_variables(written: &Container, id: VariableId, read: &Fragment, found: &Aggregation) -> Result<()> {
    let Fragment::Stored { versions, .. } = read else { return Ok(()) };
    for version in versions.iter().filter(|v| v.location.is_none()) {
        let tree = written.tree()?;
        let groups = found.fragments.search_groups().iter().copied().chain([tree.variables[id.0].group]);
        if !groups.into_iter().any(|g| reference::variable(tree, g, &version.identifier).is_some()) {
            return Err(differs(format!("the file has no variable '{}' for it", version.identifier)));
        }
    }
    Ok(())
}

fn same_fragment(meant: &Fragment, read: &Fragment, dialect: Dialect) -> bool {
    match (meant, read) {
        (Fragment::Missing, Fragment::Missing) => true,
        (Fragment::Stored { versions: a, view: x }, Fragment::Stored { versions: b, view: y }) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|(a, b)| same_version(a, b, dialect))
                && same_view(x.as_deref(), y.as_deref())
        }
        _ => false,
    }
}

fn same_version(meant: &Version, read: &Version, dialect: Dialect) -> bool {
    let (format, location) = match dialect {
        // CF does not record formats.
        Dialect::Cf113 | Dialect::CfDraft => (None, meant.location.clone()),
        Dialect::Cfa04 => (Some("netcdf"), meant.location.as_deref().map(dialect::located)),
        _ => (Some("nc"), meant.location.clone()),
    };
    let named = meant.format.as_deref().filter(|_| format.is_some()).or(format);
    let format = named.filter(|_| meant.location.is_some()).map(str::to_lowercase);
    location == read.location && meant.identifier == read.identifier && format == read.format
}

/// Returns whether two views are the same; one that changes nothing equals none.
fn same_view(meant: Option<&View>, read: Option<&View>) -> bool {
    let settled = |view: Option<&View>| {
        let mut view = view.cloned().unwrap_or_default();
        view.axes = view.axes.filter(|axes| !axes.iter().copied().eq(0..axes.len()));
        view.part = view.part.filter(|part| !part.is_empty());
        view
    };
    (meant.is_none() && read.is_none()) || settled(meant) == settled(read)
}

fn unique(written: &Container, meant: &Values, found: &Aggregation, classic: bool) -> Result<()> {
    let all = Selection::all(found.grid.fragments());
    let Lookup::UniqueValues(read) = found.fragments.lookup(written, &all, &Substitutions::default())? else {
        return Err(differs("its fragments are files instead of values".into()));
    };
    match first_difference(meant, 0, &read, classic) {
        None if read.len() == meant.len() => Ok(()),
        None => Err(differs(format!("it has {} values instead of {}", read.len(), meant.len()))),
        Some(i) => {
            let index = all.index(i as u64);
            Err(differs("its value differs".into()).in_fragment(&index))
        }
    }
}

fn states(written: &Container, meant: Option<&States>, found: &Aggregation) -> Result<()> {
    let (meant, ids) = match (meant, found.recorded) {
        (None, None) => return Ok(()),
        (Some(meant), Some(ids)) => (meant, ids),
        (None, Some(_)) => return Err(differs("states of files are recorded".into())),
        (Some(_), None) => return Err(differs("states of files are not recorded".into())),
    };
    for (list, id) in [&meant.bytes, &meant.modified].into_iter().zip(ids) {
        let array = &written.tree()?.variables[id.0].array;
        let read = written.read_values(array, &Selection::all(&array.shape))?;
        let same = matches!(&read, Values::F64(read) if read.len() == list.len()
            && read.iter().zip(list).all(|(a, b)| a.to_bits() == b.to_bits()));
        if !same {
            return Err(differs("the recorded states of files differ".into()));
        }
    }
    Ok(())
}

/// Returns a fragment as text for people.
fn shown(fragment: &Fragment) -> String {
    let Fragment::Stored { versions, view } = fragment else { return "missing".into() };
    let one = |v: &Version| {
        let format = v.format.as_ref().map_or(String::new(), |f| format!(" ({f})"));
        let place = v.location.as_deref().map_or("the file itself".into(), redact);
        format!("'{}' of '{place}'{format}", v.identifier)
    };
    let list: Vec<String> = versions.iter().take(3).map(one).collect();
    let part = if view.is_some() { ", in part or turned" } else { "" };
    format!("{}{part}", list.join(" or "))
}
