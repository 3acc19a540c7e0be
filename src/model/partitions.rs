//! Fragments that a CFA-0.4 file lists one by one. They are in memory, in C order of the array of fragments.

use super::fragments::{Fragment, Version, View};
use super::room::Room;
use super::substitutions::Substitutions;
use crate::container::allowance::{heap, Held};
use crate::container::tree::GroupId;
use crate::error::{Error, Kind, Result};
use crate::selection::{c_strides, Selection};

/// One listed fragment.
#[derive(Clone, Debug)]
pub struct Partition {
    /// Where it is.
    pub version: Version,
    /// How the stored array becomes the fragment; `None` if it is the fragment as it is.
    pub view: Option<Box<View>>,
}

/// All listed fragments.
#[derive(Debug)]
pub struct Partitions {
    shape: Vec<u64>,
    groups: [GroupId; 1],
    list: Vec<Partition>,
    /// Counts the memory of the list.
    _held: Held,
}

impl Partition {
    /// Returns the memory that it takes beside its place in a list.
    pub(crate) fn memory(&self) -> usize {
        let Version { location, identifier, format } = &self.version;
        let texts = [location.as_ref(), Some(identifier), format.as_ref()];
        let texts: usize = texts.into_iter().flatten().map(|text| heap(text.len())).sum();
        texts + self.view.as_ref().map_or(0, |view| heap(size_of::<View>()) + view.memory())
    }
}

impl Partitions {
    /// Creates it from a list in C order of an array of fragments of this shape; `group` contains the aggregation
    /// variable, `held` counts the memory of the list.
    pub fn new(shape: &[u64], group: GroupId, list: Vec<Partition>, held: Held) -> Self {
        Partitions { shape: shape.to_vec(), groups: [group], list, _held: held }
    }

    /// Returns the groups in which the search for an identifier without path begins.
    pub fn groups(&self) -> &[GroupId] {
        &self.groups
    }

    /// Returns the fragments of a block, in C order.
    ///
    /// # Errors
    /// `Uri` if substitutions make a name too long.
    pub fn lookup(&self, block: &Selection, runtime: &Substitutions) -> Result<Vec<Fragment>> {
        let strides = c_strides(&self.shape);
        let mut out = Vec::new();
        let mut room = Room::for_places(block.len().unwrap_or(0));
        for i in 0..block.len().unwrap_or(0) {
            let index = block.index(i);
            let at =
                index.iter().zip(&strides).fold(0u64, |at, (i, s)| at.saturating_add(i.saturating_mul(*s)));
            let found = usize::try_from(at).ok().and_then(|at| self.list.get(at));
            let found =
                found.ok_or_else(|| Error::new(Kind::Internal, "a block of another array of fragments"))?;
            room.take_bytes(found.memory() as u64 + size_of::<Version>() as u64)?;
            let mut version = found.version.clone();
            if let Some(location) = version.location.take() {
                let location = runtime.apply(location).map_err(|e| e.in_fragment(&index))?;
                let more =
                    location.len().saturating_sub(found.version.location.as_ref().map_or(0, String::len));
                room.take_bytes(more as u64)?;
                version.location = Some(location);
            }
            out.push(Fragment::Stored { versions: vec![version], view: found.view.clone() });
        }
        Ok(out)
    }
}
