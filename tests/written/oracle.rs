//! The oracle: libnetcdf writes the same description.

use std::ffi::{c_char, CString};
use std::path::Path;

use netcdf::types::{NcTypeDescriptor, NcVariableType};
use netcdf::{AttributeValue, Extent, FileMut, Options};

use crate::support::nc_type;

use cfa::internals::write::{Data, File, Format, Group, Variable};
use cfa::{Attributes, DataType, Values};

type Result<T> = std::result::Result<T, netcdf::Error>;

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

/// Writes a description with libnetcdf.
pub fn write(file: &File, path: &Path, format: Format) {
    let _alone = super::alone();
    let mut open = create(path, format).unwrap();
    define(&mut open, file, "", format).unwrap();
    if format != Format::Netcdf4 {
        open.enddef().unwrap();
    }
    put_all(&mut open, file, &mut Vec::new(), "");
    open.close().unwrap();
}

fn put_all<'a>(open: &mut FileMut, group: &'a Group, scope: &mut Vec<&'a Group>, path: &str) {
    scope.push(group);
    for variable in &group.variables {
        let Data::Values(values) = &variable.data else { continue };
        let size = |name: &String| scope.iter().rev().find_map(|g| g.dimension(name)).unwrap().size;
        let shape: Vec<u64> = variable.dimensions.iter().map(size).collect();
        put(open, &join(path, &variable.name), &vec![0; shape.len()], &shape, values).unwrap();
    }
    for child in &group.groups {
        put_all(open, child, scope, &join(path, &child.name));
    }
    scope.pop();
}

/// A new file of this name, which must be free.
fn create(path: &Path, format: Format) -> Result<FileMut> {
    let options = match format {
        Format::Netcdf4 => Options::NETCDF4,
        Format::Classic => Options::_64BIT_OFFSET,
        _ => Options::_64BIT_DATA,
    };
    netcdf::create_with(path, options | Options::NOCLOBBER)
}

/// Defines everything of a group, those in it included.
fn define(file: &mut FileMut, group: &Group, path: &str, format: Format) -> Result<()> {
    for dimension in &group.dimensions {
        let name = join(path, &dimension.name);
        let defined = match (dimension.unlimited, dimension.size) {
            (true, _) => file.add_unlimited_dimension(&name),
            (false, size) => file.add_dimension(&name, size as usize),
        };
        defined?;
    }
    for attribute in &group.attributes {
        let value = attribute_value(&attribute.value);
        if path.is_empty() {
            file.add_attribute(&attribute.name, value)?;
        } else if let Some(mut group) = file.group_mut(path)? {
            group.add_attribute(&attribute.name, value)?;
        }
    }
    for variable in &group.variables {
        let name = join(path, &variable.name);
        define_variable(file, variable, &name, format)?;
    }
    for child in &group.groups {
        let name = join(path, &child.name);
        file.add_group(&name)?;
        define(file, child, &name, format)?;
    }
    Ok(())
}

fn define_variable(file: &mut FileMut, variable: &Variable, name: &str, format: Format) -> Result<()> {
    let dimensions: Vec<&str> = variable.dimensions.iter().map(String::as_str).collect();
    let kind = nc_type(variable.data_type);
    let mut defined = file.add_variable_with_type(name, &dimensions, &kind)?;
    let storage = &variable.storage;
    if format == Format::Netcdf4 && !dimensions.is_empty() {
        if let Some(chunks) = &storage.chunks {
            let chunks: Vec<usize> = chunks.iter().map(|&c| c as usize).collect();
            defined.set_chunking(&chunks)?;
        }
        if let (Some(level), true) = (storage.deflate, variable.data_type != DataType::String) {
            defined.set_compression(i32::from(level), storage.shuffle)?;
        }
    }
    put_attributes(&mut defined, &variable.attributes)
}

fn put_attributes(variable: &mut netcdf::VariableMut<'_>, attributes: &Attributes) -> Result<()> {
    for attribute in attributes {
        variable.put_attribute(&attribute.name, attribute_value(&attribute.value))?;
    }
    Ok(())
}

/// Writes a block of a variable.
fn put(file: &mut FileMut, name: &str, start: &[u64], count: &[u64], values: &Values) -> Result<()> {
    if values.is_empty() {
        return Ok(());
    }
    let mut extents = Vec::with_capacity(start.len());
    for (&start, &count) in start.iter().zip(count) {
        extents.push(Extent::SliceCount { start: start as usize, count: count as usize, stride: 1 });
    }
    let mut variable = file.variable_mut(name).unwrap();
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
        numbers => cfa::for_numbers!(numbers, v => variable.put_values(v, extents), Ok(())),
    }
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
        _ => unreachable!("a new type"),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}/{name}")
    }
}
