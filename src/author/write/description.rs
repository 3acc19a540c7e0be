//! The contents of a netCDF file to be written.

use std::path::Path;
use std::sync::Arc;

use super::aggregation::Meaning;
use crate::error::{Error, Kind, Result};
use crate::io::os::LocalFile;
use crate::io::source::Source;
use crate::value::{Attributes, DataType, Values};

/// The format of a file to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// netCDF-4.
    #[default]
    Netcdf4,
    /// Classic with 64-bit offsets (CDF-2): no groups, strings, unsigned or 64-bit integers.
    Classic,
    /// Classic with 64-bit data (CDF-5): no groups or strings.
    Cdf5,
}

impl Format {
    /// Returns the format of a netCDF file; CDF-1 counts as classic.
    ///
    /// # Errors
    /// `Io` if it cannot be read.
    pub fn of_file(path: &Path) -> Result<Format> {
        let mut magic = [0; 4];
        LocalFile::open(path)?.read_at(0, &mut magic)?;
        Ok(match &magic {
            b"CDF\x01" | b"CDF\x02" => Format::Classic,
            b"CDF\x05" => Format::Cdf5,
            _ => Format::Netcdf4,
        })
    }

    /// Returns the format of this name: `netcdf4`, `classic` or `cdf5`, in any case.
    ///
    /// # Errors
    /// `Request` for an unknown name.
    pub fn named(name: &str) -> Result<Format> {
        match &*name.to_ascii_lowercase() {
            "netcdf4" | "netcdf-4" | "nc4" => Ok(Format::Netcdf4),
            "classic" | "netcdf3" | "netcdf-3" | "cdf2" | "cdf-2" => Ok(Format::Classic),
            "cdf5" | "cdf-5" => Ok(Format::Cdf5),
            _ => {
                let message = format!("unknown format '{name}'; the formats are: netcdf4, classic, cdf5");
                Err(Error::new(Kind::Request, message))
            }
        }
    }
}

/// A whole file: its root group.
pub type File = Group;

/// A group and its contents.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Its name; that of the root is ignored.
    pub name: String,
    /// Its attributes.
    pub attributes: Attributes,
    /// Its dimensions.
    pub dimensions: Vec<Dimension>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// The groups in it.
    pub groups: Vec<Group>,
}

/// A dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// Its size; for an unlimited dimension the size to which data are written.
    pub size: u64,
    /// Whether it can grow.
    pub unlimited: bool,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub data_type: DataType,
    /// The names of its dimensions; each is looked up in its group, then in the groups above, the nearest first.
    pub dimensions: Vec<String>,
    /// Its attributes; `_FillValue` must have the type of the variable.
    pub attributes: Attributes,
    /// Its data.
    pub data: Data,
    /// One number or character that elements have to which nothing is written; `None`: `_FillValue`, else the default of
    /// the type.
    pub unwritten: Option<Values>,
    /// How they are stored.
    pub storage: Storage,
}

/// The data of a variable.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Data {
    /// Nothing is written except what [`super::NewFile::put`] receives.
    #[default]
    Later,
    /// All elements, in C order.
    Values(Values),
    /// Nothing is written: they are in fragments, which [`super::write_checked`] checks in the new file.
    Fragments(Arc<Meaning>),
}

/// How the data of a variable are stored. Only netCDF-4 uses it; other formats ignore it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// The shape of a chunk; `None` chooses one if chunks are needed.
    pub chunks: Option<Vec<u64>>,
    /// The level of compression, 0 to 9; `None` for none.
    pub deflate: Option<u8>,
    /// Whether bytes are shuffled before they are compressed.
    pub shuffle: bool,
}

impl Group {
    /// Adds a dimension of fixed size, unless there is one of this name.
    pub fn add_dimension(&mut self, name: &str, size: u64) {
        if !self.dimensions.iter().any(|d| d.name == name) {
            self.dimensions.push(Dimension { name: name.to_owned(), size, unlimited: false });
        }
    }

    /// Returns the dimension of this name in this group.
    pub fn dimension(&self, name: &str) -> Option<&Dimension> {
        self.dimensions.iter().find(|d| d.name == name)
    }

    /// Returns the variable of this name in this group.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|v| v.name == name)
    }

    /// Returns a name that no dimension or variable of this group has: the name itself, or with a number appended.
    pub fn free_name(&self, name: &str) -> String {
        let taken = |n: &str| self.dimension(n).is_some() || self.variable(n).is_some();
        if !taken(name) {
            return name.to_owned();
        }
        (2u64..).map(|i| format!("{name}_{i}")).find(|n| !taken(n)).unwrap_or_default()
    }
}

impl Variable {
    /// Returns a variable without data and attributes.
    pub fn new(name: impl Into<String>, data_type: DataType, dimensions: &[&str]) -> Self {
        Variable {
            name: name.into(),
            data_type,
            dimensions: dimensions.iter().map(|&d| d.to_owned()).collect(),
            attributes: Attributes::default(),
            data: Data::Later,
            unwritten: None,
            storage: Storage::default(),
        }
    }

    /// Returns a variable with these values.
    pub fn with_values(name: impl Into<String>, dimensions: &[&str], values: Values) -> Self {
        let mut variable = Variable::new(name, values.data_type(), dimensions);
        variable.data = Data::Values(values);
        variable
    }

    /// Returns the same variable with a text attribute added.
    pub fn attribute(mut self, name: &str, text: impl Into<String>) -> Self {
        self.attributes.set_text(name, text);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_name_is_one_that_nothing_has() {
        let mut group = Group::default();
        group.add_dimension("time", 3);
        group.variables.push(Variable::new("time_2", DataType::F64, &[]));
        assert_eq!(group.free_name("time"), "time_3");
        assert_eq!(group.free_name("lat"), "lat");
    }

    #[test]
    fn formats_have_names() {
        assert_eq!(Format::named("NetCDF4").unwrap(), Format::Netcdf4);
        assert_eq!(Format::named("hdf4").unwrap_err().kind(), Kind::Request);
    }
}
