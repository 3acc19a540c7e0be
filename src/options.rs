//! The options of an open dataset: access policy, limits, missing fragments, substitutions.
//!
//! They are plain values that every layer may read; [`crate::dataset::settings`] sets them by name.

use std::fmt;
use std::time::Duration;

use crate::error::secrets::redact;

/// What a read does about a fragment without an existing version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingFragments {
    /// Fails with an error that names the fragment and every version tried.
    #[default]
    Error,
    /// Returns missing values for it.
    Fill,
}

/// What a read does about a fragment whose file changed since its size and time were recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangedFragments {
    /// Reads it, with a warning.
    #[default]
    Warn,
    /// Fails.
    Error,
    /// Does not check.
    Ignore,
}

/// Which locations an aggregation file may make the library open.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllowedSources {
    /// The directory of the aggregation file and everything below it. If the file is a symbolic link, the directory of
    /// its target counts too.
    Siblings,
    /// Any local regular file.
    Local,
    /// For a local aggregation file, any local regular file and any public server; for a remote one, its own server;
    /// for one in an archive, what is beside it.
    #[default]
    Default,
    /// Everything.
    All,
    /// Local paths and URLs that begin with one of these, compared by whole segments.
    Prefixes(Vec<String>),
}

impl fmt::Debug for AllowedSources {
    /// Hides passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AllowedSources::Siblings => f.write_str("Siblings"),
            AllowedSources::Local => f.write_str("Local"),
            AllowedSources::Default => f.write_str("Default"),
            AllowedSources::All => f.write_str("All"),
            AllowedSources::Prefixes(list) => f.debug_list().entries(list.iter().map(|p| redact(p))).finish(),
        }
    }
}

/// A driver of GDAL that may open a fragment that is not netCDF. No other driver is ever used.
///
/// Drivers whose files name other sources are left out on purpose: such a file would lead past the access policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FragmentDriver {
    /// GeoTIFF.
    GeoTiff,
    /// GRIB 1 and 2.
    Grib,
    /// Zarr stores.
    Zarr,
    /// HDF4.
    Hdf4,
}

impl FragmentDriver {
    /// All of them.
    pub const ALL: [FragmentDriver; 4] =
        [FragmentDriver::GeoTiff, FragmentDriver::Grib, FragmentDriver::Zarr, FragmentDriver::Hdf4];

    /// Returns its name in GDAL.
    pub const fn name(self) -> &'static str {
        match self {
            FragmentDriver::GeoTiff => "GTiff",
            FragmentDriver::Grib => "GRIB",
            FragmentDriver::Zarr => "Zarr",
            FragmentDriver::Hdf4 => "HDF4",
        }
    }
}

/// Settings for opening a dataset.
///
/// ```
/// use cfa::{AllowedSources, MissingFragments, OpenOptions};
/// let options = OpenOptions::default()
///     .missing_fragments(MissingFragments::Fill)
///     .allowed_sources(AllowedSources::Prefixes(vec!["/archive".into()]));
/// assert_eq!(options.max_nesting, 32);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenOptions {
    /// What a read does about a fragment without an existing version.
    pub missing_fragments: MissingFragments,
    /// The value, -128 to 255, that marks missing data in aggregated bytes that have no missing value of their own.
    pub missing_bytes: Option<i16>,
    /// What a read does about a fragment that changed since its state was recorded.
    pub changed_fragments: ChangedFragments,
    /// Whether fragments are converted even where that changes values.
    pub lossy_casts: bool,
    /// Whether variables are shown as stored instead of aggregated.
    pub raw_view: bool,
    /// Which locations an aggregation file may open.
    pub allowed_sources: AllowedSources,
    /// Whether loopback, private and link-local network addresses may be opened.
    pub allow_private_network: bool,
    /// Whether credentials for S3 are asked of the service that a machine in the cloud has for itself.
    pub s3_instance_metadata: bool,
    /// How long connecting to a server may take.
    pub http_connect_timeout: Duration,
    /// How long a server may send nothing before the request fails.
    pub http_stall_timeout: Duration,
    /// How many requests a server has at a time; twice as many while they are small.
    pub http_concurrency: usize,
    /// How often a request is repeated that the server refused for the moment or did not finish.
    pub http_max_retry: usize,
    /// How long a request may take, including all further attempts.
    pub http_deadline: Duration,
    /// The maximum number of fragments of one aggregation variable.
    pub max_fragments: u64,
    /// The maximum depth of nested aggregations.
    pub max_nesting: usize,
    /// The maximum number of fragment files that are open at a time.
    pub max_open_files: usize,
    /// Bytes of memory for decoded chunks.
    pub cache_bytes: u64,
    /// Threads that read fragments; 0 means one per core.
    pub num_threads: usize,
    /// Keywords (`${key}`) and their replacements in locations. They take precedence over those of the file.
    pub substitutions: Vec<(String, String)>,
    /// Location prefixes that moved: from, to.
    pub relocate: Vec<(String, String)>,
    /// Drivers of GDAL that may open a fragment that is not netCDF. Only the GDAL plugin uses them.
    pub fragment_drivers: Vec<FragmentDriver>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions {
            missing_fragments: MissingFragments::Error,
            missing_bytes: None,
            changed_fragments: ChangedFragments::Warn,
            lossy_casts: false,
            raw_view: false,
            allowed_sources: AllowedSources::Default,
            allow_private_network: false,
            s3_instance_metadata: false,
            http_connect_timeout: Duration::from_secs(5),
            http_stall_timeout: Duration::from_secs(30),
            http_concurrency: 64,
            http_max_retry: 5,
            http_deadline: Duration::from_secs(180),
            max_fragments: 10_000_000,
            max_nesting: 32,
            max_open_files: 100,
            cache_bytes: 64 << 20,
            num_threads: 0,
            substitutions: Vec::new(),
            relocate: Vec::new(),
            fragment_drivers: FragmentDriver::ALL.to_vec(),
        }
    }
}

macro_rules! builders {
    ($($name:ident: $type:ty, $doc:literal;)*) => {$(
        #[doc = $doc]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$name = $name;
            self
        }
    )*};
}

impl OpenOptions {
    builders! {
        missing_fragments: MissingFragments, "Chooses what happens if no version of a fragment exists.";
        missing_bytes: Option<i16>, "Chooses the value for missing data in bytes without a missing value, -128 to 255.";
        changed_fragments: ChangedFragments, "Chooses what happens if a fragment changed since its state was recorded.";
        lossy_casts: bool, "Allows conversions of fragments that change values.";
        raw_view: bool, "Shows variables as stored instead of aggregated.";
        allowed_sources: AllowedSources, "Chooses what an aggregation file may open.";
        allow_private_network: bool, "Allows loopback, private and link-local network addresses.";
        s3_instance_metadata: bool, "Allows to ask the machine in the cloud for credentials for S3.";
        http_connect_timeout: Duration, "Limits how long connecting to a server may take.";
        http_stall_timeout: Duration, "Limits how long a server may send nothing.";
        http_concurrency: usize, "Limits how many requests a server has at a time.";
        http_max_retry: usize, "Limits how often a failed request is repeated.";
        http_deadline: Duration, "Limits how long a request may take, including repetitions.";
        max_fragments: u64, "Limits the fragments of one aggregation variable.";
        max_nesting: usize, "Limits the depth of aggregations of aggregations.";
        max_open_files: usize, "Limits the fragment files kept open.";
        cache_bytes: u64, "Limits the memory for decoded chunks.";
        num_threads: usize, "Sets the number of threads that read; 0 means one per core.";
        substitutions: Vec<(String, String)>, "Sets keywords (`${key}`) and what replaces them in locations.";
        relocate: Vec<(String, String)>, "Sets location prefixes that moved: from, to.";
        fragment_drivers: Vec<FragmentDriver>, "Chooses the drivers of GDAL that may read fragments.";
    }
}
