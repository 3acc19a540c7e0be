//! Files for end-to-end tests, written by libnetcdf.

#![allow(dead_code)] // each test program uses another part

pub mod allocations;
pub mod browser;
pub mod cdl;
#[cfg(feature = "remote")]
pub mod faulty_server;
pub mod left_out;
pub mod processor;
pub mod program;
pub mod scenario;
pub mod series;
pub mod texts;

use std::path::Path;

use cfa::{DataType, Dataset, Selection, Values};
use netcdf::types::{FloatType, IntType, NcTypeDescriptor, NcVariableType};
use netcdf::{AttributeValue, Extents, Options, VariableMut};

/// The formats of netCDF files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Nc4,
    Cdf1,
    Cdf2,
    Cdf5,
}

impl Format {
    /// Whether the format has this type.
    pub fn has(self, data_type: DataType) -> bool {
        use DataType::{Char, F32, F64, I16, I32, I8};
        match self {
            Format::Nc4 => true,
            Format::Cdf5 => data_type != DataType::String,
            _ => matches!(data_type, I8 | I16 | I32 | F32 | F64 | Char),
        }
    }
}

/// What a variable holds.
#[derive(Clone, Debug)]
pub enum Data {
    /// Nothing: an aggregation variable.
    None,
    Numbers(Vec<f64>),
    /// Strings; in formats without strings, chars with a trailing dimension.
    Texts(Vec<String>),
}

/// A variable to write; dimensions are made as they are named.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: String,
    pub data_type: DataType,
    pub dims: Vec<(String, usize)>,
    pub attributes: Vec<(String, AttributeValue)>,
    pub data: Data,
    /// Chunk sizes, compressed.
    pub chunks: Option<Vec<usize>>,
}

impl Var {
    pub fn new(name: &str, data_type: DataType, dims: &[(&str, usize)], data: Data) -> Var {
        let dims = dims.iter().map(|&(n, size)| (n.to_owned(), size)).collect();
        Var { name: name.into(), data_type, dims, attributes: Vec::new(), data, chunks: None }
    }

    pub fn with(mut self, name: &str, value: impl Into<AttributeValue>) -> Var {
        self.attributes.push((name.into(), value.into()));
        self
    }
}

/// A file to write.
#[derive(Clone, Debug)]
pub struct FileSpec {
    pub format: Format,
    pub dims: Vec<(String, usize)>,
    pub vars: Vec<Var>,
}

#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct NcChar(#[allow(dead_code)] pub u8);

// SAFETY: NC_CHAR is one byte, as this type is.
unsafe impl NcTypeDescriptor for NcChar {
    fn type_descriptor() -> NcVariableType {
        NcVariableType::Char
    }
}

/// Returns the type of libnetcdf.
pub fn nc_type(data_type: DataType) -> NcVariableType {
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
        _ => NcVariableType::String,
    }
}

/// Reads all values of a variable.
pub fn all(dataset: &Dataset, name: &str) -> cfa::Result<Values> {
    let variable = dataset.variable(name)?;
    variable.read_values(&Selection::all(variable.shape()?))
}

/// Numbers as an attribute of this type.
pub fn numbers(data_type: DataType, list: &[f64]) -> AttributeValue {
    macro_rules! as_type {
        ($variant:ident, $t:ty) => {
            AttributeValue::$variant(list.iter().map(|&x| x as $t).collect())
        };
    }
    match data_type {
        DataType::I8 => as_type!(Schars, i8),
        DataType::U8 => as_type!(Uchars, u8),
        DataType::I16 => as_type!(Shorts, i16),
        DataType::U16 => as_type!(Ushorts, u16),
        DataType::I32 => as_type!(Ints, i32),
        DataType::U32 => as_type!(Uints, u32),
        DataType::I64 => as_type!(Longlongs, i64),
        DataType::U64 => as_type!(Ulonglongs, u64),
        DataType::F32 => as_type!(Floats, f32),
        _ => as_type!(Doubles, f64),
    }
}

fn put(variable: &mut VariableMut, data_type: DataType, shape: &[usize], list: &[f64]) {
    let place = Extents::try_from((vec![0; shape.len()], shape.to_vec())).unwrap();
    macro_rules! put {
        ($t:ty) => {{
            let values: Vec<$t> = list.iter().map(|&x| x as $t).collect();
            variable.put_values(&values, place).unwrap();
        }};
    }
    match data_type {
        DataType::I8 => put!(i8),
        DataType::U8 => put!(u8),
        DataType::I16 => put!(i16),
        DataType::U16 => put!(u16),
        DataType::I32 => put!(i32),
        DataType::U32 => put!(u32),
        DataType::I64 => put!(i64),
        DataType::U64 => put!(u64),
        DataType::F32 => put!(f32),
        _ => put!(f64),
    }
}

/// Texts of one width, padded with NULs.
fn padded(list: &[String]) -> (usize, Vec<NcChar>) {
    let width = list.iter().map(String::len).max().unwrap_or(0).max(1);
    let bytes = list.iter().flat_map(|t| t.bytes().chain(std::iter::repeat(0)).take(width)).map(NcChar);
    (width, bytes.collect())
}

/// Writes a file.
pub fn write(path: &Path, spec: &FileSpec) {
    let options = match spec.format {
        Format::Nc4 => Options::NETCDF4,
        Format::Cdf1 => Options::empty(),
        Format::Cdf2 => Options::_64BIT_OFFSET,
        Format::Cdf5 => Options::_64BIT_DATA,
    };
    // A new file: a program that another test starts may have inherited the lock on the old one.
    let _ = std::fs::remove_file(path);
    let mut file = netcdf::create_with(path, options).unwrap();
    let mut known: Vec<String> = Vec::new();
    let mut vars = spec.vars.clone();
    for var in &mut vars {
        if let (Data::Texts(list), false) = (&var.data, spec.format == Format::Nc4) {
            let width = padded(list).0;
            var.dims.push((format!("length{width}"), width));
            var.data_type = DataType::Char;
        }
    }
    for (name, size) in spec.dims.iter().chain(vars.iter().flat_map(|v| &v.dims)) {
        if !known.contains(name) {
            file.add_dimension(name, *size).unwrap();
            known.push(name.clone());
        }
    }
    for var in &vars {
        let dims: Vec<&str> = var.dims.iter().map(|(name, _)| name.as_str()).collect();
        let mut made = match var.data_type {
            DataType::String => file.add_string_variable(&var.name, &dims).unwrap(),
            other => file.add_variable_with_type(&var.name, &dims, &nc_type(other)).unwrap(),
        };
        if let (Some(chunks), Format::Nc4, false) = (&var.chunks, spec.format, dims.is_empty()) {
            made.set_chunking(chunks).unwrap();
            made.set_compression(4, true).unwrap();
        }
        for (name, value) in &var.attributes {
            made.put_attribute(name, value.clone()).unwrap();
        }
    }
    if spec.format != Format::Nc4 {
        file.enddef().unwrap();
    }
    for var in &vars {
        let shape: Vec<usize> = var.dims.iter().map(|&(_, size)| size).collect();
        let mut made = file.variable_mut(&var.name).unwrap();
        match &var.data {
            Data::None => {}
            Data::Numbers(list) => put(&mut made, var.data_type, &shape, list),
            Data::Texts(list) if var.data_type == DataType::Char => {
                let place = Extents::try_from((vec![0; shape.len()], shape)).unwrap();
                made.put_values(&padded(list).1, place).unwrap();
            }
            Data::Texts(list) => {
                for (n, text) in list.iter().enumerate() {
                    let mut index = vec![0; shape.len()];
                    let mut rest = n;
                    for d in (0..shape.len()).rev() {
                        index[d] = rest % shape[d];
                        rest /= shape[d];
                    }
                    made.put_string(text, Extents::try_from((index, vec![1; shape.len()])).unwrap()).unwrap();
                }
            }
        }
    }
    file.close().unwrap();
}

/// The indices of an array of this shape, in C order.
pub fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..shape.iter().product::<usize>()).map(|n| {
        let mut rest = n;
        let mut index = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            index[d] = rest % shape[d];
            rest /= shape[d];
        }
        index
    })
}

/// Where an index lies in C order.
pub fn offset(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |n, (&i, &size)| n * size + i)
}

/// All types of data: numbers, then text.
pub const TYPES: [DataType; 12] = [
    DataType::I8,
    DataType::U8,
    DataType::I16,
    DataType::U16,
    DataType::I32,
    DataType::U32,
    DataType::I64,
    DataType::U64,
    DataType::F32,
    DataType::F64,
    DataType::Char,
    DataType::String,
];

/// The types of numbers.
pub const NUMBER_TYPES: [DataType; 10] = *TYPES.first_chunk().unwrap();

/// A small random number generator, so that a failure is repeated by its seed.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// Yes, once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// How many random cases are tried; the environment variable CFA_CASES sets it.
pub fn cases(default: u64) -> u64 {
    std::env::var("CFA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}
