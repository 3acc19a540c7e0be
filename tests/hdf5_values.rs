//! Values of HDF5 files that the netCDF library does not write, compared with what libhdf5 reads from them.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use cfa::internals::container::Container;
use cfa::{DataType, Dataset, Kind, Result, Selection, Source, Values};
use serde_json::Value;

fn by_script(script: &str, file: &Path) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let status = Command::new("/usr/bin/python3").arg(script).arg(file).status().unwrap();
    assert!(status.success(), "python3-h5py is needed (make deps)");
    let expected = std::fs::read(file.with_extension("h5.json")).unwrap();
    serde_json::from_slice(&expected).unwrap()
}

fn read(dataset: &Dataset, name: &str) -> Result<Values> {
    let variable = dataset.variable(name)?;
    variable.read_values(&Selection::all(variable.shape()?))
}

/// The type that the netCDF library reports for an integer of this many bits.
fn type_of(precision: usize, signed: bool) -> DataType {
    match (precision, signed) {
        (..=8, true) => DataType::I8,
        (..=8, false) => DataType::U8,
        (..=16, true) => DataType::I16,
        (..=16, false) => DataType::U16,
        (..=32, true) => DataType::I32,
        (..=32, false) => DataType::U32,
        (_, true) => DataType::I64,
        (_, false) => DataType::U64,
    }
}

#[test]
fn integers_of_any_width_at_any_bit_are_those_that_libhdf5_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("narrow.h5");
    let expected = by_script("make_narrow_integers.py", &path);
    let dataset = Dataset::open(&path).unwrap();
    let names = expected.as_object().unwrap();
    assert!(names.len() > 1000, "{}", names.len());
    for (name, expected) in names {
        let mut words = name.split('_').skip(1);
        let precision = words.next().unwrap().parse().unwrap();
        let signed = words.nth(1) == Some("i");
        let values = read(&dataset, name).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(values.data_type(), type_of(precision, signed), "{name}");
        let texts: Vec<String> = (0..values.len()).map(|i| values.int_at(i).unwrap().to_string()).collect();
        assert_eq!(serde_json::json!(texts), *expected, "{name}");
        let variable = dataset.variable(name).unwrap();
        let every_third = Selection::new(&[22], &[8], &[-3], &[23]).unwrap();
        let back = variable.read_values(&every_third).unwrap();
        let wanted: Vec<Option<i128>> = (0..8).map(|i| values.int_at(22 - 3 * i)).collect();
        assert_eq!((0..8).map(|i| back.int_at(i)).collect::<Vec<_>>(), wanted, "{name}");
    }
    let attributes = dataset.groups()[0].attributes.clone();
    assert_eq!(attributes.get("narrow"), Some(&Values::I32(vec![-65536, 65535, 5])));
    let error = read(&dataset, "pair").unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.to_string().contains("compound"), "{error}");
}

/// A file that stores only the bytes that are not zero.
struct Sparse {
    length: u64,
    parts: Vec<(u64, Vec<u8>)>,
}

impl Source for Sparse {
    fn name(&self) -> &str {
        "sparse.h5"
    }
    fn len(&self) -> u64 {
        self.length
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        assert!(offset + buffer.len() as u64 <= self.length);
        buffer.fill(0);
        for (at, bytes) in &self.parts {
            let (begin, end) = (offset.max(*at), (offset + buffer.len() as u64).min(at + bytes.len() as u64));
            if begin < end {
                let from = &bytes[(begin - at) as usize..(end - at) as usize];
                buffer[(begin - offset) as usize..(end - offset) as usize].copy_from_slice(from);
            }
        }
        Ok(())
    }
}

/// A file of `make_hdf5_2.py`.
fn by_hdf5_2(name: &str) -> Container {
    Container::open(Arc::new(sparse(name))).unwrap()
}

fn sparse(name: &str) -> Sparse {
    let files: Value = serde_json::from_str(include_str!("data/hdf5_2.json")).unwrap();
    let hex = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
    };
    let parts = files[name]["parts"].as_array().unwrap();
    let parts =
        parts.iter().map(|part| (part[0].as_u64().unwrap(), hex(part[1].as_str().unwrap()))).collect();
    Sparse { length: files[name]["length"].as_u64().unwrap(), parts }
}

/// Element `i` of the data that `make_hdf5_2.py` writes.
fn element(i: u64) -> i16 {
    ((37 * i + 11) % 32003) as i16
}

#[test]
fn files_of_hdf5_2_are_read_with_every_chunk_index_and_filter() {
    let container = by_hdf5_2("index.h5");
    let tree = container.tree().unwrap();
    assert!(tree.omitted.is_empty(), "{:?}", tree.omitted);
    assert_eq!(tree.variables.len(), 7 * 4 + 4);
    for variable in &tree.variables {
        let (name, array) = (&variable.name, &variable.array);
        let n: u64 = array.shape.iter().product();
        let expected: Vec<i16> = match name.starts_with("unwritten") {
            true => vec![7; n as usize],
            false => (0..n).map(element).collect(),
        };
        let whole = container.read_values(array, &Selection::all(&array.shape));
        assert_eq!(whole.unwrap_or_else(|e| panic!("{name}: {e}")), Values::I16(expected.clone()), "{name}");
        let again = container.variable(name).unwrap().unwrap().array;
        let backwards: Vec<u64> = array.shape.iter().map(|size| size - 1).collect();
        let back = Selection::new(&backwards, &array.shape, &vec![-1; array.shape.len()], &array.shape);
        let back = container.read_values(&again, &back.unwrap()).unwrap();
        assert_eq!(back, Values::I16(expected.into_iter().rev().collect()), "{name}");
    }
}

#[test]
fn chunks_of_4_gib_and_more_are_read_where_they_are_not_compressed() {
    let container = by_hdf5_2("large.h5");
    let size = (1u64 << 31) + 3;
    for name in ["single", "fixed", "implicit", "extensible", "tree"] {
        let array = container.variable(name).unwrap().unwrap().array;
        let rows = if name == "single" { 1 } else { 2 };
        assert_eq!(array.shape, [rows, size], "{name}");
        let part = |start: u64, count: u64| {
            let part = Selection::block(&[rows - 1, start], &[1, count], &array.shape).unwrap();
            container.read_values(&array, &part).unwrap_or_else(|e| panic!("{name}: {e}"))
        };
        assert_eq!(part(0, 4), Values::I16(vec![element(0), element(1), element(2), 0]), "{name}");
        assert_eq!(
            part(size - 5, 5),
            Values::I16([vec![0], (0..4).map(element).collect()].concat()),
            "{name}"
        );
    }
    for name in ["unwritten", "unwritten_z"] {
        let array = container.variable(name).unwrap().unwrap().array;
        let whole = container.read_values(&array, &Selection::all(&array.shape)).unwrap();
        assert_eq!(whole, Values::I16(vec![7; 10]), "{name}");
    }
}

#[test]
fn types_of_hdf5_2_that_netcdf_lacks_cost_themselves_alone() {
    let container = by_hdf5_2("types.h5");
    let tree = container.tree().unwrap();
    let omitted =
        |path: &str| tree.omitted.iter().find(|(p, _)| p == path).map(|(_, reason)| reason.as_str());
    for name in ["F16LE", "F32BE", "F64LE"] {
        let reason = omitted(&format!("/complex_{name}")).unwrap();
        assert_eq!(reason, "data of type complex number are not read");
        let error = container.variable(&format!("complex_{name}")).unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported);
        let reason = omitted(&format!("/plain:complex_{name}")).unwrap();
        assert_eq!(reason, "attributes of type complex number are not read");
    }
    assert!(omitted("/pairs").unwrap().contains("compound"));
    assert!(omitted("/half").unwrap().contains("floating point"));
    assert_eq!(tree.omitted.len(), 8, "{:?}", tree.omitted);
    let plain = container.variable("plain").unwrap().unwrap();
    assert_eq!(plain.attributes.text("units").as_deref(), Some("K"));
    let all = |name: &str| {
        let array = container.variable(name).unwrap().unwrap().array;
        container.read_values(&array, &Selection::all(&array.shape)).unwrap()
    };
    assert_eq!(all("plain"), Values::I16((0..4).map(element).collect()));
    assert_eq!(all("text"), Values::String(vec!["a".into(), "bc".into()]));
    assert_eq!(all("flags"), Values::I8(vec![1, 0]));
    assert_eq!(all("group/inner"), Values::I16(vec![element(0), element(1)]));
}

#[test]
fn damaged_files_of_hdf5_2_are_read_or_refused() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    let (mut read, mut refused) = (0, 0);
    for name in ["index.h5", "large.h5", "types.h5"] {
        let whole = sparse(name);
        for _ in 0..80 {
            let mut parts = whole.parts.clone();
            for _ in 0..=below(3) {
                let part = below(parts.len() as u64) as usize;
                let bytes = &mut parts[part].1;
                let at = below(bytes.len() as u64) as usize;
                bytes[at] = below(256) as u8;
            }
            let Ok(container) = Container::open(Arc::new(Sparse { length: whole.length, parts })) else {
                refused += 1;
                continue;
            };
            let Ok(tree) = container.tree() else { continue };
            for variable in &tree.variables {
                let shape = &variable.array.shape;
                let count: Vec<u64> = shape.iter().map(|&size| size.min(50)).collect();
                let Ok(part) = Selection::block(&vec![0; shape.len()], &count, shape) else { continue };
                match container.read_values(&variable.array, &part) {
                    Ok(_) => read += 1,
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(read > 1000 && refused > 10, "{read} {refused}");
}

#[test]
fn attributes_without_values_keep_their_type() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.h5");
    let script = "
import h5py, sys, numpy as np
f = h5py.File(sys.argv[1], 'w')
d = f.create_dataset('v', data=np.arange(3, dtype='i2'))
for kind in ('i1', 'u2', '>i4', 'i8', 'f4', '>f8', 'S1', 'S5'):
    d.attrs['null_' + kind.strip('>')] = h5py.Empty(kind)
d.attrs['null_str'] = h5py.Empty(h5py.string_dtype())
for name in ('scale_factor', 'add_offset', '_FillValue', 'missing_value', 'valid_min', 'valid_range', 'units'):
    d.attrs[name] = h5py.Empty('f8')
f.close()
";
    let status = Command::new("/usr/bin/python3").args(["-c", script]).arg(&path).status().unwrap();
    assert!(status.success(), "python3-h5py is needed (make deps)");
    let dataset = Dataset::open(&path).unwrap();
    let variable = dataset.variable("v").unwrap();
    let types = [
        ("null_i1", DataType::I8),
        ("null_u2", DataType::U16),
        ("null_i4", DataType::I32),
        ("null_i8", DataType::I64),
        ("null_f4", DataType::F32),
        ("null_f8", DataType::F64),
        ("null_S1", DataType::Char),
        ("null_S5", DataType::Char),
        ("null_str", DataType::String),
        ("scale_factor", DataType::F64),
    ];
    for (name, data_type) in types {
        let values = variable.attributes().get(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!((values.data_type(), values.len()), (data_type, 0), "{name}");
    }
    assert_eq!(read(&dataset, "v").unwrap(), Values::I16(vec![0, 1, 2]));
}
