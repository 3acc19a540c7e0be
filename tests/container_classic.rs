//! Classic files written by libnetcdf, in all three formats, compared with what libnetcdf reads from them.

use std::sync::Arc;

use cfa::internals::container::tree::GroupId;
use cfa::internals::container::Container;
use cfa::{Kind, Result, Selection, Source, Values};
use netcdf::types::{FloatType, IntType, NcTypeDescriptor, NcVariableType};
use netcdf::{AttributeValue, Extents, Options, VariableMut};
use proptest::prelude::*;

struct Memory(Vec<u8>);

impl Source for Memory {
    fn name(&self) -> &str {
        "memory"
    }
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let start = usize::try_from(offset).unwrap();
        buffer.copy_from_slice(&self.0[start..start + buffer.len()]);
        Ok(())
    }
}

#[derive(Clone, Copy)]
#[repr(transparent)]
struct NcChar(#[allow(dead_code)] u8);

// SAFETY: NC_CHAR is one byte, as this type is.
unsafe impl NcTypeDescriptor for NcChar {
    fn type_descriptor() -> NcVariableType {
        NcVariableType::Char
    }
}

const TYPES: [NcVariableType; 11] = [
    NcVariableType::Int(IntType::I8),
    NcVariableType::Char,
    NcVariableType::Int(IntType::I16),
    NcVariableType::Int(IntType::I32),
    NcVariableType::Float(FloatType::F32),
    NcVariableType::Float(FloatType::F64),
    NcVariableType::Int(IntType::U8),
    NcVariableType::Int(IntType::U16),
    NcVariableType::Int(IntType::U32),
    NcVariableType::Int(IntType::I64),
    NcVariableType::Int(IntType::U64),
];

/// One variable of a random file.
#[derive(Clone, Debug)]
struct Plan {
    kind: usize,
    record: bool,
    fixed: Vec<usize>,
    /// Records that are written; the others are filled by the library.
    written: usize,
    own_fill: bool,
    attributes: Vec<usize>,
}

fn plan() -> impl Strategy<Value = Plan> {
    (0..11usize, any::<bool>(), prop::collection::vec(0..3usize, 0..=3), 0..5usize, any::<bool>(), {
        prop::collection::vec(0..11usize, 0..4)
    })
        .prop_map(|(kind, record, fixed, written, own_fill, attributes)| Plan {
            kind,
            record,
            fixed,
            written,
            own_fill,
            attributes,
        })
}

fn attribute(kind: usize, n: usize) -> (AttributeValue, Values) {
    macro_rules! numbers {
        ($variant:ident, $values:ident, $t:ty) => {{
            let list: Vec<$t> = (0..n).map(|i| (i * 37 + kind) as $t).collect();
            (AttributeValue::$variant(list.clone()), Values::$values(list))
        }};
    }
    match kind {
        0 => numbers!(Schars, I8, i8),
        1 => {
            let text: String = "wärme".repeat(n);
            (AttributeValue::Str(text.clone()), Values::Char(text.into_bytes()))
        }
        2 => numbers!(Shorts, I16, i16),
        3 => numbers!(Ints, I32, i32),
        4 => numbers!(Floats, F32, f32),
        5 => numbers!(Doubles, F64, f64),
        6 => numbers!(Uchars, U8, u8),
        7 => numbers!(Ushorts, U16, u16),
        8 => numbers!(Uints, U32, u32),
        9 => numbers!(Longlongs, I64, i64),
        _ => numbers!(Ulonglongs, U64, u64),
    }
}

fn put(variable: &mut VariableMut, kind: usize, count: Vec<usize>, seed: usize) {
    let elements = count.iter().product::<usize>();
    macro_rules! put {
        ($make:expr) => {{
            let values: Vec<_> = (0..elements).map(|i| $make((i * 7919 + seed * 31) as u64)).collect();
            variable.put_values(&values, Extents::try_from((vec![0; count.len()], count)).unwrap()).unwrap();
        }};
    }
    match kind {
        0 => put!(|n| n as i8),
        1 => put!(|n| NcChar(n as u8)),
        2 => put!(|n| n as i16),
        3 => put!(|n: u64| n.wrapping_mul(0x9e37_79b9) as i32),
        4 => put!(|n| n as f32 / 7.0),
        5 => put!(|n| n as f64 / 7.0),
        6 => put!(|n| n as u8),
        7 => put!(|n| n as u16),
        8 => put!(|n: u64| n.wrapping_mul(0x9e37_79b9) as u32),
        9 => put!(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64),
        _ => put!(|n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    }
}

const SIZES: [usize; 3] = [1, 3, 5];
const NAMES: [&str; 3] = ["one", "three", "fünf"];

/// Types that the format has not are replaced by one that it has.
fn allowed(version: u8, kind: usize) -> usize {
    if version == 5 {
        kind
    } else {
        kind % 6
    }
}

fn write(path: &std::path::Path, version: u8, plans: &[Plan]) {
    let options = match version {
        1 => Options::empty(),
        2 => Options::_64BIT_OFFSET,
        _ => Options::_64BIT_DATA,
    };
    let mut file = netcdf::create_with(path, options).unwrap();
    file.add_unlimited_dimension("t").unwrap();
    for (name, size) in NAMES.iter().zip(SIZES) {
        file.add_dimension(name, size).unwrap();
    }
    file.add_attribute("title", "Größe").unwrap();
    for (i, plan) in plans.iter().enumerate() {
        let kind = allowed(version, plan.kind);
        let dims: Vec<&str> =
            plan.record.then_some("t").into_iter().chain(plan.fixed.iter().map(|&d| NAMES[d])).collect();
        let mut variable = file.add_variable_with_type(&format!("v{i}"), &dims, &TYPES[kind]).unwrap();
        for (n, &kind) in plan.attributes.iter().enumerate() {
            let (value, _) = attribute(allowed(version, kind), n + 1);
            variable.put_attribute(&format!("a{n}"), value).unwrap();
        }
        if plan.own_fill && kind == 2 {
            variable.put_attribute("_FillValue", -5i16).unwrap();
        }
    }
    file.enddef().unwrap();
    for (i, plan) in plans.iter().enumerate() {
        let mut count: Vec<usize> = plan.record.then_some(plan.written).into_iter().collect();
        count.extend(plan.fixed.iter().map(|&d| SIZES[d]));
        if !count.contains(&0) {
            let mut variable = file.variable_mut(&format!("v{i}")).unwrap();
            put(&mut variable, allowed(version, plan.kind), count, i);
        }
    }
}

fn compare(path: &std::path::Path, version: u8, plans: &[Plan]) {
    let ours = Container::open(Arc::new(Memory(std::fs::read(path).unwrap()))).unwrap();
    let theirs = netcdf::open(path).unwrap();
    let tree = ours.tree().unwrap();
    assert_eq!(tree.groups[0].attributes.text("title").as_deref(), Some("Größe"));
    let sizes: Vec<_> =
        tree.dimensions.iter().map(|d| (d.name.clone(), d.size as usize, d.unlimited)).collect();
    let expected: Vec<_> = theirs.dimensions().map(|d| (d.name(), d.len(), d.is_unlimited())).collect();
    assert_eq!(sizes, expected);
    for (i, plan) in plans.iter().enumerate() {
        let name = format!("v{i}");
        let id = tree.variable_in(GroupId(0), &name).unwrap();
        let stored = ours.variable(&name).unwrap().unwrap();
        let variable = theirs.variable(&name).unwrap();
        let shape: Vec<u64> = variable.dimensions().iter().map(|d| d.len() as u64).collect();
        assert_eq!(stored.array.shape, shape);
        assert_eq!(tree.variables[id.0].attributes, stored.attributes);
        for (n, &kind) in plan.attributes.iter().enumerate() {
            let (_, value) = attribute(allowed(version, kind), n + 1);
            assert_eq!(stored.attributes.get(&format!("a{n}")), Some(&value));
        }
        let raw = if shape.contains(&0) { vec![] } else { variable.get_raw_values(..).unwrap() };
        let read = ours.read_values(&stored.array, &Selection::all(&shape)).unwrap();
        assert_eq!(Values::from_native_bytes(stored.array.data_type, &raw), Some(read));
        if plan.record && plan.written < shape[0] as usize {
            let mut fill = stored.array.fill.clone();
            fill.reverse();
            assert_eq!(raw[raw.len() - fill.len()..], fill, "the fill value of {name}");
        }
        let back: Vec<i64> = shape.iter().map(|_| -1).collect();
        if !shape.contains(&0) {
            let last: Vec<u64> = shape.iter().map(|n| n - 1).collect();
            let reverse = Selection::new(&last, &shape, &back, &shape).unwrap();
            let mut out = vec![0; raw.len()];
            ours.read(&stored.array, &reverse, &mut out).unwrap();
            let expected: Vec<u8> =
                raw.chunks(stored.array.element.size()).rev().flatten().copied().collect();
            assert_eq!(out, expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_files_read_as_libnetcdf_reads_them(
        version in prop::sample::select(vec![1u8, 2, 5]),
        plans in prop::collection::vec(plan(), 1..6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("random.nc");
        write(&path, version, &plans);
        compare(&path, version, &plans);
    }
}

#[test]
fn every_truncation_is_an_error_or_the_whole_truth() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.nc");
    let plan = |kind, record, fixed: &[usize]| Plan {
        kind,
        record,
        fixed: fixed.to_vec(),
        written: 3,
        own_fill: false,
        attributes: vec![1, 3],
    };
    write(&path, 2, &[plan(2, true, &[1]), plan(5, false, &[2, 1]), plan(0, true, &[])]);
    let bytes = std::fs::read(&path).unwrap();
    let read = |bytes: &[u8]| -> Result<Vec<Values>> {
        let file = Container::open(Arc::new(Memory(bytes.to_vec())))?;
        let arrays = file.tree()?.variables.iter().map(|v| &v.array);
        arrays.map(|a| file.read_values(a, &Selection::all(&a.shape))).collect()
    };
    let whole = read(&bytes).unwrap();
    for len in 0..bytes.len() {
        match read(&bytes[..len]) {
            Ok(values) => {
                assert!(len + 3 >= bytes.len(), "{len} bytes are enough");
                assert_eq!(values, whole);
            }
            Err(error) => assert!(matches!(error.kind(), Kind::Damaged | Kind::NotNetcdf), "{error}"),
        }
    }
}
