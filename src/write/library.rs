//! The calls of libnetcdf: a description becomes dimensions, variables and attributes of an open file, and data go in.

use std::ffi::{c_char, CString};
use std::path::Path;

use netcdf::types::{FloatType, IntType, NcTypeDescriptor, NcVariableType};
use netcdf::{AttributeValue, Extent, FileMut, Options};

use super::description::{Format, Group, Variable};
use crate::error::{Error, Kind, Result};
use crate::os::make_room;
use crate::value::{Attributes, DataType, Values};

/// A byte of text.
#[repr(transparent)]
#[derive(Clone, Copy)]
struct Byte(u8);

// SAFETY: one byte, without padding or ownership.
unsafe impl NcTypeDescriptor for Byte {
    fn type_descriptor() -> NcVariableType {
        NcVariableType::Char
    }
}

/// A string that is written, never read, so that it is not libnetcdf's to free.
#[repr(transparent)]
struct Text(*const c_char);

// SAFETY: a `char *` as libnetcdf wants it; the string outlives the call.
unsafe impl NcTypeDescriptor for Text {
    fn type_descriptor() -> NcVariableType {
        NcVariableType::String
    }
}

/// Keeps HDF5 from printing its errors from this thread; they are reported by codes.
pub(super) fn silence() {
    let _lock = hdf5_metno_sys::LOCK.lock();
    // SAFETY: under the library's lock; no function and no data stand for no printing.
    unsafe {
        hdf5_metno_sys::h5::H5open();
        hdf5_metno_sys::h5e::H5Eset_auto2(hdf5_metno_sys::h5e::H5E_DEFAULT, None, std::ptr::null_mut());
    }
}

/// A new file of this name, which must be free.
pub(super) fn create(path: &Path, format: Format) -> Result<FileMut> {
    let options = match format {
        Format::Netcdf4 => Options::NETCDF4,
        Format::Classic => Options::_64BIT_OFFSET,
        Format::Cdf5 => Options::_64BIT_DATA,
    };
    // The library opens files of its own, and cannot be told to try again.
    make_room(4);
    netcdf::create_with(path, options | Options::NOCLOBBER).map_err(failure)
}

/// Defines everything of a group, those in it included.
pub(super) fn define(file: &mut FileMut, group: &Group, path: &str, format: Format) -> Result<()> {
    for dimension in &group.dimensions {
        let name = join(path, &dimension.name);
        let defined = match (dimension.unlimited, dimension.size) {
            (true, _) => file.add_unlimited_dimension(&name),
            (false, 0) => {
                let message = format!("dimension '{name}' has size 0, which only an unlimited one can have");
                return Err(Error::new(Kind::Unsupported, message));
            }
            (false, size) => file.add_dimension(&name, index(size)?),
        };
        defined.map_err(|e| failure(e).in_variable(&*name))?;
    }
    for attribute in &group.attributes {
        let value = attribute_value(&attribute.value);
        if path.is_empty() {
            file.add_attribute(&attribute.name, value).map_err(failure)?;
        } else if let Some(mut group) = file.group_mut(path).map_err(failure)? {
            group.add_attribute(&attribute.name, value).map_err(failure)?;
        }
    }
    for variable in &group.variables {
        let name = join(path, &variable.name);
        define_variable(file, variable, &name, format).map_err(|e| e.in_variable(&*name))?;
    }
    for child in &group.groups {
        let name = join(path, &child.name);
        file.add_group(&name).map_err(failure)?;
        define(file, child, &name, format)?;
    }
    Ok(())
}

fn define_variable(file: &mut FileMut, variable: &Variable, name: &str, format: Format) -> Result<()> {
    let dimensions: Vec<&str> = variable.dimensions.iter().map(String::as_str).collect();
    let kind = library_type(variable.data_type);
    let mut defined = file.add_variable_with_type(name, &dimensions, &kind).map_err(failure)?;
    let storage = &variable.storage;
    if format == Format::Netcdf4 && !dimensions.is_empty() {
        if let Some(chunks) = &storage.chunks {
            let chunks = chunks.iter().map(|&c| index(c)).collect::<Result<Vec<_>>>()?;
            defined.set_chunking(&chunks).map_err(failure)?;
        }
        if let (Some(level), true) = (storage.deflate, variable.data_type != DataType::String) {
            defined.set_compression(i32::from(level), storage.shuffle).map_err(failure)?;
        }
    }
    put_attributes(&mut defined, &variable.attributes)
}

fn put_attributes(variable: &mut netcdf::VariableMut<'_>, attributes: &Attributes) -> Result<()> {
    for attribute in attributes {
        variable.put_attribute(&attribute.name, attribute_value(&attribute.value)).map_err(|e| {
            Error::new(Kind::Io, format!("attribute '{}' cannot be written", attribute.name)).because(e)
        })?;
    }
    Ok(())
}

/// Writes a block of a variable.
pub(super) fn put(
    file: &mut FileMut,
    name: &str,
    start: &[u64],
    count: &[u64],
    values: &Values,
) -> Result<()> {
    if values.is_empty() {
        return Ok(());
    }
    let mut extents = Vec::with_capacity(start.len());
    for (&start, &count) in start.iter().zip(count) {
        extents.push(Extent::SliceCount { start: index(start)?, count: index(count)?, stride: 1 });
    }
    let missing = || Error::new(Kind::MissingVariable, format!("no variable '{name}' was described"));
    let mut variable = file.variable_mut(name).ok_or_else(missing)?;
    match values {
        Values::Char(bytes) => {
            let bytes: Vec<Byte> = bytes.iter().map(|&b| Byte(b)).collect();
            variable.put_values(&bytes, extents)
        }
        Values::String(list) => {
            let owned: Vec<CString> = list.iter().map(|s| c_string(s)).collect();
            let pointers: Vec<Text> = owned.iter().map(|s| Text(s.as_ptr())).collect();
            variable.put_values(&pointers, extents)
        }
        numbers => crate::for_numbers!(numbers, v => variable.put_values(v, extents), Ok(())),
    }
    .map_err(|e| failure(e).in_variable(name))
}

/// A string ends at its first NUL in netCDF, whatever follows.
fn c_string(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).unwrap_or_default()
}

fn attribute_value(values: &Values) -> AttributeValue {
    match values.clone() {
        Values::I8(v) => AttributeValue::Schars(v),
        Values::U8(v) => AttributeValue::Uchars(v),
        Values::I16(v) => AttributeValue::Shorts(v),
        Values::U16(v) => AttributeValue::Ushorts(v),
        Values::I32(v) => AttributeValue::Ints(v),
        Values::U32(v) => AttributeValue::Uints(v),
        Values::I64(v) => AttributeValue::Longlongs(v),
        Values::U64(v) => AttributeValue::Ulonglongs(v),
        Values::F32(v) => AttributeValue::Floats(v),
        Values::F64(v) => AttributeValue::Doubles(v),
        Values::Char(v) => AttributeValue::Str(
            String::from_utf8(v).unwrap_or_else(|e| e.as_bytes().iter().map(|&b| b as char).collect()),
        ),
        Values::String(v) => AttributeValue::Strs(v.iter().map(|s| s.replace('\0', "")).collect()),
    }
}

fn library_type(data_type: DataType) -> NcVariableType {
    match data_type {
        DataType::I8 => NcVariableType::Int(IntType::I8),
        DataType::U8 => NcVariableType::Int(IntType::U8),
        DataType::I16 => NcVariableType::Int(IntType::I16),
        DataType::U16 => NcVariableType::Int(IntType::U16),
        DataType::I32 => NcVariableType::Int(IntType::I32),
        DataType::U32 => NcVariableType::Int(IntType::U32),
        DataType::I64 => NcVariableType::Int(IntType::I64),
        DataType::U64 => NcVariableType::Int(IntType::U64),
        DataType::F32 => NcVariableType::Float(FloatType::F32),
        DataType::F64 => NcVariableType::Float(FloatType::F64),
        DataType::Char => NcVariableType::Char,
        DataType::String => NcVariableType::String,
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}/{name}")
    }
}

fn index(n: u64) -> Result<usize> {
    usize::try_from(n).map_err(|_| Error::new(Kind::Limit, format!("{n} is too large for this machine")))
}

/// An error of libnetcdf.
pub(super) fn failure(error: netcdf::Error) -> Error {
    Error::new(Kind::Io, "libnetcdf").because(error)
}
