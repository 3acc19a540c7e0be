//! Reads netCDF files natively: structure and raw hyperslabs, nothing about aggregation.
//!
//! [`classic`] parses classic files (CDF-1, CDF-2, CDF-5), [`hdf5`] parses netCDF-4 files. Both return a [`tree::Tree`]
//! and [`array::Array`]s; [`read`] fetches elements of an array whatever its layout.

pub mod allowance;
pub mod array;
pub(crate) mod buffer;
pub(crate) mod checksum;
pub mod chunk_index;
pub(crate) mod chunk_numbers;
pub mod classic;
pub(crate) mod composed;
pub(crate) mod described;
pub(crate) mod fill;
pub mod filter;
pub(crate) mod form;
pub mod hdf5;
pub mod narrow;
mod order;
pub mod read;
pub mod tree;

use std::sync::Arc;

use self::allowance::{Allowance, Held};
use self::array::Array;
use self::read::{ChunkCache, Keep, Kept};
use self::tree::Tree;
use crate::error::{Error, Kind, Result};
use crate::io::source::{Overlay, Source};
use crate::selection::Selection;
use crate::value::{Attributes, DataType, Values};

/// The bytes of a text in a table that cost no more than its place.
const USUAL_TEXT: usize = 1 << 10;
/// How many bytes of decoded chunks of tables are kept, unless one chunk has more.
const TABLES: u64 = 8 << 20;

/// An open netCDF file.
pub struct Container {
    source: Arc<dyn Source>,
    format: Format,
    /// Decoded chunks of tables: reading goes through a table block by block, and a chunk may be larger than a block.
    tables: ChunkCache,
}

enum Format {
    Classic(classic::File),
    Hdf5(hdf5::File),
}

/// One variable, looked up without parsing the others.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its attributes.
    pub attributes: Attributes,
    /// Its data.
    pub array: Arc<Array>,
}

impl Container {
    /// Recognises the format by its first bytes and opens the file.
    ///
    /// # Errors
    /// `NotNetcdf` if it is no netCDF file, `Damaged` if it is a broken or truncated one, `Io`.
    pub fn open(source: Arc<dyn Source>) -> Result<Self> {
        let format = if is_classic(&*source)? {
            Format::Classic(classic::File::open(&source)?)
        } else if let Some(file) = hdf5::File::open(&source).map_err(|e| e.in_file(source.name()))? {
            Format::Hdf5(file)
        } else {
            return Err(not_netcdf(&*source));
        };
        let allowance = match &format {
            Format::Classic(file) => file.allowance(),
            Format::Hdf5(file) => file.allowance(),
        };
        let tables = ChunkCache::of_tables(TABLES, Arc::clone(allowance));
        Ok(Container { source, format, tables })
    }

    /// Returns what may be kept of the file.
    pub(crate) fn allowance(&self) -> &Arc<Allowance> {
        match &self.format {
            Format::Classic(file) => file.allowance(),
            Format::Hdf5(file) => file.allowance(),
        }
    }

    /// Counts memory that is about to be taken for what the file says.
    ///
    /// # Errors
    /// `Limit` if there is not so much left.
    pub(crate) fn hold(&self, bytes: usize) -> Result<Held> {
        self.allowance().hold(bytes).or_else(|_| {
            // Chunks can be decoded again.
            self.tables.clear();
            self.allowance().hold(bytes)
        })
    }

    /// Drops the chunks of tables that are kept.
    pub(crate) fn forget_tables(&self) {
        self.tables.clear();
    }

    /// Returns whether a variable has an attribute with one of these names. This looks only at names and does much less
    /// work than opening the file. Of a damaged file, it checks what is legible.
    ///
    /// # Errors
    /// If no such attribute is found, those of [`Container::open`]; `Limit`.
    pub fn has_attribute(source: &Arc<dyn Source>, names: &[&str]) -> Result<bool> {
        if is_classic(&**source)? {
            return classic::File::has_attribute(&**source, names);
        }
        let found = hdf5::File::has_attribute(source, names).map_err(|e| e.in_file(source.name()))?;
        found.ok_or_else(|| not_netcdf(&**source))
    }

    /// The name of the file, for messages.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// Returns all groups, dimensions and variables. They are parsed on the first call.
    ///
    /// # Errors
    /// `Damaged` or `Io`.
    pub fn tree(&self) -> Result<&Tree> {
        match &self.format {
            Format::Classic(file) => Ok(file.tree()),
            Format::Hdf5(file) => file.tree().map_err(|e| e.in_file(self.name())),
        }
    }

    /// Returns the variable at this path from the root (leading slash optional). Parses no more than necessary.
    ///
    /// # Errors
    /// `Damaged`, `Io`, or `Unsupported` if its type cannot be read.
    pub fn variable(&self, path: &str) -> Result<Option<Stored>> {
        let path = path.trim_start_matches('/');
        match &self.format {
            Format::Classic(file) => file.variable(path),
            Format::Hdf5(file) => file.variable(path),
        }
        .map_err(|e| e.in_file(self.name()))
    }

    /// Reads numbers or chars into `out`, in C order and native byte order.
    ///
    /// # Errors
    /// `Request` if `out` does not have the selection's size or the data are strings; `Damaged`, `Io`, `Unsupported`.
    pub fn read(&self, array: &Array, selection: &Selection, out: &mut [u8]) -> Result<()> {
        read::numbers(&*self.source, array, selection, out, &mut Kept::default())
            .map_err(|e| e.in_file(self.name()))
    }

    /// Returns the bytes of the file.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Checks that the file is long enough for all elements of an array, without reading any.
    ///
    /// # Errors
    /// `Damaged` if it is not; `Unsupported`.
    pub fn check_length(&self, array: &Array) -> Result<()> {
        read::check(&*self.source, array, &Selection::all(&array.shape)).map_err(|e| e.in_file(self.name()))
    }

    /// Reads strings in C order.
    ///
    /// # Errors
    /// `Request` if the data are not strings; `Damaged`, `Io`, `Unsupported`.
    pub fn read_strings(&self, array: &Array, selection: &Selection) -> Result<Vec<String>> {
        let fields = read::stored(&*self.source, array, selection).map_err(|e| e.in_file(self.name()))?;
        match &self.format {
            Format::Classic(_) => Err(Error::new(Kind::Request, "not string data")),
            Format::Hdf5(file) => file.strings(array, &fields),
        }
        .map_err(|e| e.in_file(self.name()))
    }

    /// Reads any type as typed values.
    ///
    /// # Errors
    /// As [`Container::read`] and [`Container::read_strings`].
    pub fn read_values(&self, array: &Array, selection: &Selection) -> Result<Values> {
        if array.data_type == DataType::String {
            return Ok(Values::String(self.read_strings(array, selection)?));
        }
        self.values(&*self.source, array, selection, &mut Kept::default())
    }

    /// Reads a part of a table that says what the fragments are. As [`Container::read_values`], but everything that is
    /// in memory counts against what may be kept of the file: the values, and each chunk that is decoded for them.
    ///
    /// # Errors
    /// As [`Container::read_values`]; `Limit` if the part or a chunk is too large for the file.
    pub(crate) fn read_table(&self, array: &Array, selection: &Selection) -> Result<Values> {
        let element = array.element.size().max(array.data_type.size().unwrap_or(size_of::<String>()));
        // As stored, and as values.
        let bytes = selection.len().and_then(|n| n.checked_mul(2 * element as u64));
        let bytes = bytes.and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
        let _held = self.hold(bytes)?;
        self.allowance().note_decoded(bytes / 2);
        let mut kept = Kept::sharing(&self.tables);
        kept.keep = Keep::Always;
        if array.data_type != DataType::String {
            return self.values(&*self.source, array, selection, &mut kept);
        }
        let mut read = || {
            let fields = read::stored_with(&*self.source, array, selection, &mut kept)?;
            match &self.format {
                Format::Classic(_) => Err(Error::new(Kind::Request, "not string data")),
                Format::Hdf5(file) => file.strings_of_table(array, &fields),
            }
        };
        let list = read().map_err(|e| e.in_file(self.name()))?;
        self.allowance().note_decoded(list.iter().map(|text| text.len().saturating_sub(USUAL_TEXT)).sum());
        Ok(Values::String(list))
    }

    /// Reads parts of tables of numbers or chars as [`Container::read_table`] does. If they lie on a server, they are
    /// requested together.
    ///
    /// # Errors
    /// As [`Container::read_table`].
    pub(crate) fn read_tables(&self, wanted: &[(&Array, Selection)]) -> Result<Vec<Values>> {
        let mut ranges = Vec::new();
        for (array, selection) in wanted {
            ranges.extend(read::ranges(&*self.source, array, selection, &self.tables)?);
        }
        ranges.sort_unstable_by_key(|range| range.start);
        let fetched = &self.source.fetch(&ranges).map_err(|e| e.in_file(self.name()))?;
        let source = Overlay { source: &*self.source, fetched };
        let read = |(array, selection): &(&Array, Selection)| {
            let element = array.data_type.size().unwrap_or(1);
            let bytes = selection.len().and_then(|n| n.checked_mul(2 * element as u64));
            let bytes = bytes.and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
            let _held = self.hold(bytes)?;
            self.allowance().note_decoded(bytes / 2);
            self.values(&source, array, selection, &mut Kept::sharing(&self.tables))
        };
        wanted.iter().map(read).collect()
    }

    fn values(
        &self,
        source: &dyn Source,
        array: &Array,
        selection: &Selection,
        kept: &mut Kept<'_>,
    ) -> Result<Values> {
        let mut read = || {
            // A header may promise more data than the file has: no buffer is allocated for those.
            read::check(source, array, selection)?;
            let mut bytes = read::zeroed(selection, array.data_type.size().unwrap_or(1))?;
            read::numbers(source, array, selection, &mut bytes, kept)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|e: Error| e.in_file(self.name()))?;
        Values::from_native_bytes(array.data_type, &bytes)
            .ok_or_else(|| Error::new(Kind::Internal, "element size does not divide the data"))
    }
}

/// Returns whether the source begins as netCDF files do. Not all do: a user block may precede.
pub(crate) fn begins_as_netcdf(source: &dyn Source) -> bool {
    let mut magic = [0u8; 8];
    source.len() >= magic.len() as u64
        && source.read_at(0, &mut magic).is_ok()
        && (magic.starts_with(b"CDF") || magic == *b"\x89HDF\r\n\x1a\n")
}

/// Returns whether the source begins like a classic file.
fn is_classic(source: &dyn Source) -> Result<bool> {
    let mut magic = [0u8; 3];
    if source.len() < magic.len() as u64 {
        return Ok(false);
    }
    source.read_at(0, &mut magic)?;
    Ok(&magic == b"CDF")
}

fn not_netcdf(source: &dyn Source) -> Error {
    Error::new(Kind::NotNetcdf, "not a netCDF file").in_file(source.name())
}

/// Returns whether the bytes of a name, which ends at the first NUL as all text does, equal `wanted`.
#[inline]
fn is_name(bytes: &[u8], wanted: &str) -> bool {
    bytes.strip_prefix(wanted.as_bytes()).is_some_and(|rest| matches!(rest, [] | [0, ..]))
}
