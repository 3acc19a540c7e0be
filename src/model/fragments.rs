//! The array of fragments: which file and variable, or which value, provides each one.

use super::feature::Feature;
use super::features::Features;
use super::partitions::Partitions;
use super::substitutions::Substitutions;
use super::table::Table;
use crate::container::tree::GroupId;
use crate::error::Result;
use crate::selection::Selection;
use crate::value::Values;

/// Where the fragments of an aggregation are; names are read from the container only for the part asked for.
#[derive(Debug)]
pub enum Fragments {
    /// Each fragment is one value.
    UniqueValues(Feature),
    /// Feature variables give the place of each fragment.
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
    /// It has no representation: all its values are missing.
    Missing,
    /// It is stored in one of these equivalent versions, in order of preference; at least one.
    Stored {
        /// The versions.
        versions: Vec<Version>,
        /// How the stored array becomes the fragment, where the dialect can say so.
        view: Option<Box<View>>,
    },
}

/// One place where a fragment is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The file: a name after substitutions, as the dialect writes it; `None` for the aggregation file itself.
    pub location: Option<String>,
    /// The variable in it.
    pub identifier: String,
    /// The format, lower case, where the dialect gives one.
    pub format: Option<String>,
}

/// How a stored array becomes a fragment (CFA-0.4 only). Applied in this order: `part`, `reversed`, `axes`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Per stored axis, the aggregated dimension (its position) it corresponds to; `None`: the aggregated order.
    pub axes: Option<Vec<usize>>,
    /// Positions of the aggregated dimensions that are stored the other way round.
    pub reversed: Vec<usize>,
    /// Per stored axis, the indices that are used; `None`: all.
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

impl Fragment {
    /// How the stored array becomes the fragment, where the dialect says so.
    pub fn view(&self) -> Option<&View> {
        match self {
            Fragment::Stored { view, .. } => view.as_deref(),
            Fragment::Missing => None,
        }
    }
}

impl Version {
    /// Whether the dialect says that the file is netCDF, or says nothing.
    pub fn is_netcdf(&self) -> bool {
        self.format.as_deref().is_none_or(Version::is_netcdf_format)
    }

    /// Whether this is a name of the netCDF format.
    pub(super) fn is_netcdf_format(format: &str) -> bool {
        matches!(format, "nc" | "netcdf" | "nc3" | "nc4" | "netcdf3" | "netcdf4" | "netcdf-3" | "netcdf-4")
    }
}

impl Fragments {
    /// The fragments of a block of the array of fragments; `runtime` goes before the file's own substitutions.
    ///
    /// # Errors
    /// `Uri` or `Address` when an entry breaks the rules of the dialect; those of the container.
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

    /// The groups where the search for an identifier without path of a same-file fragment begins, in order; each is
    /// followed by those that hold it.
    pub fn search_groups(&self) -> &[GroupId] {
        match self {
            Fragments::Table(table) => &table.groups,
            Fragments::Partitions(partitions) => partitions.groups(),
            Fragments::UniqueValues(_) => &[],
        }
    }

    /// Whether the dialect allows names that begin with `/` as file names.
    pub fn allows_absolute_paths(&self) -> bool {
        match self {
            Fragments::Table(table) => table.location_optional,
            Fragments::Partitions(_) => true,
            Fragments::UniqueValues(_) => false,
        }
    }
}
