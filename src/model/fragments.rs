//! The array of fragments: the file and variable, or the value, that provides each one.

use super::feature::Feature;
use super::features::Features;
use super::partitions::Partitions;
use super::substitutions::Substitutions;
use super::table::Table;
use crate::container::allowance::heap;
use crate::container::tree::GroupId;
use crate::error::Result;
use crate::selection::Selection;
use crate::value::Values;

/// Where the fragments of an aggregation are. Names are read from the container only for the requested part.
#[derive(Debug)]
pub enum Fragments {
    /// Each fragment is one value.
    UniqueValues(Feature),
    /// Feature variables define the place of each fragment.
    Table(Box<Table>),
    /// The fragments are listed in an attribute (CFA-0.4).
    Partitions(Partitions),
}

/// A part of the array of fragments, in C order.
#[derive(Debug)]
pub enum Lookup {
    /// One value per fragment, raw as stored; missing marks are the aggregation variable's.
    UniqueValues(Values),
    /// Fragments in files.
    Fragments(Vec<Fragment>),
}

/// Where one fragment is.
#[derive(Clone, Debug, PartialEq)]
pub enum Fragment {
    /// It is not stored anywhere: all its values are missing.
    Missing,
    /// It is stored in one of these equivalent versions, in order of preference; at least one.
    Stored {
        /// The versions.
        versions: Vec<Version>,
        /// How the stored array becomes the fragment, if the dialect can say so.
        view: Option<Box<View>>,
    },
}

/// One place where a fragment is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The file: a name after substitutions, in the form of the dialect; `None` for the aggregation file itself.
    pub location: Option<String>,
    /// The variable in it.
    pub identifier: String,
    /// The format, lower case, if the dialect has one.
    pub format: Option<String>,
}

/// How a stored array becomes a fragment (CFA-0.4 only). Applied in this order: `part`, `reversed`, `axes`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Per stored axis, the position of the corresponding aggregated dimension; `None` for the aggregated order.
    pub axes: Option<Vec<usize>>,
    /// Positions of the aggregated dimensions that are stored in reverse order.
    pub reversed: Vec<usize>,
    /// Per stored axis, the indices that are used; `None` for all.
    pub part: Option<Vec<AxisIndices>>,
    /// Units of the stored numbers, instead of the variable's own.
    pub units: Option<String>,
    /// Calendar of the stored numbers, instead of the variable's own.
    pub calendar: Option<String>,
}

/// The indices of a stored axis that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AxisIndices {
    /// `count` indices from `start` on, `step` apart.
    Slice {
        /// First index.
        start: u64,
        /// Number of indices.
        count: u64,
        /// Distance between them.
        step: i64,
    },
    /// These indices.
    Indices(Vec<u64>),
}

impl View {
    /// Returns the memory that it takes beside itself.
    pub(crate) fn memory(&self) -> usize {
        let lists = self.axes.iter().chain([&self.reversed]).map(|list| heap(8 * list.capacity()));
        let texts = [&self.units, &self.calendar].into_iter().flatten().map(|text| heap(text.len()));
        let parts = self.part.iter().flat_map(|part| {
            let indices = part.iter().map(|axis| match axis {
                AxisIndices::Indices(list) => heap(8 * list.capacity()),
                AxisIndices::Slice { .. } => 0,
            });
            indices.chain([heap(size_of::<AxisIndices>() * part.capacity())])
        });
        lists.chain(texts).chain(parts).sum()
    }
}

impl Fragment {
    /// Returns the memory that it takes, with itself.
    pub(crate) fn memory(&self) -> usize {
        let Fragment::Stored { versions, view } = self else { return size_of::<Fragment>() };
        let of = |Version { location, identifier, format }: &Version| -> usize {
            let texts = [location.as_ref(), Some(identifier), format.as_ref()];
            texts.into_iter().flatten().map(|text| heap(text.len())).sum()
        };
        let texts: usize = versions.iter().map(of).sum();
        let view = view.as_ref().map_or(0, |view| heap(size_of::<View>()) + view.memory());
        size_of::<Fragment>() + heap(size_of::<Version>() * versions.capacity()) + texts + view
    }

    /// Returns how the stored array becomes the fragment, if the dialect says so.
    pub fn view(&self) -> Option<&View> {
        match self {
            Fragment::Stored { view, .. } => view.as_deref(),
            Fragment::Missing => None,
        }
    }
}

impl Version {
    /// Returns whether the dialect says that the file is netCDF, or says nothing.
    pub fn is_netcdf(&self) -> bool {
        self.format.as_deref().is_none_or(Version::is_netcdf_format)
    }

    /// Returns whether this is a name of the netCDF format.
    pub(super) fn is_netcdf_format(format: &str) -> bool {
        matches!(format, "nc" | "netcdf" | "nc3" | "nc4" | "netcdf3" | "netcdf4" | "netcdf-3" | "netcdf-4")
    }
}

impl Fragments {
    /// Returns the fragments of a block of the array of fragments. `runtime` takes precedence over the file's own
    /// substitutions.
    ///
    /// # Errors
    /// `Uri` or `Address` if an entry violates the rules of the dialect; those of the container.
    pub fn lookup(
        &self,
        features: &dyn Features,
        block: &Selection,
        runtime: &Substitutions,
    ) -> Result<Lookup> {
        Ok(match self {
            Fragments::UniqueValues(feature) => Lookup::UniqueValues(feature.values(features, block)?),
            Fragments::Table(table) => Lookup::Fragments(table.lookup(features, block, runtime)?),
            Fragments::Partitions(partitions) => Lookup::Fragments(partitions.lookup(block, runtime)?),
        })
    }

    /// Returns the groups in which the search for the identifier of a same-file fragment without a path begins, in
    /// order. After each, the groups that contain it are searched.
    pub fn search_groups(&self) -> &[GroupId] {
        match self {
            Fragments::Table(table) => &table.groups,
            Fragments::Partitions(partitions) => partitions.groups(),
            Fragments::UniqueValues(_) => &[],
        }
    }

    /// Returns whether the dialect allows names that begin with `/` as file names.
    pub fn allows_absolute_paths(&self) -> bool {
        match self {
            Fragments::Table(table) => table.location_optional,
            Fragments::Partitions(_) => true,
            Fragments::UniqueValues(_) => false,
        }
    }
}
