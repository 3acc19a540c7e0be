//! Structure, attributes, chunk places and strings of netCDF-4 files, compared with what libnetcdf and h5py wrote.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use cfa::internals::container::array::{Array, Element, Layout};
use cfa::internals::container::hdf5::File;
use cfa::internals::container::tree::{GroupId, Tree};
use cfa::{DataType, Kind, Result, Source, Values};

/// A file in memory that counts how often it is read.
struct Bytes(Vec<u8>, AtomicUsize);

impl Source for Bytes {
    fn name(&self) -> &str {
        "bytes"
    }
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        self.1.fetch_add(1, Ordering::Relaxed);
        let offset = offset as usize;
        buffer.copy_from_slice(&self.0[offset..offset + buffer.len()]);
        Ok(())
    }
}

fn source(bytes: Vec<u8>) -> Arc<Bytes> {
    Arc::new(Bytes(bytes, AtomicUsize::new(0)))
}

fn open_bytes(bytes: Vec<u8>) -> Result<Option<File>> {
    let source: Arc<dyn Source> = source(bytes);
    File::open(&source)
}

fn open(path: &Path) -> File {
    open_bytes(std::fs::read(path).unwrap()).unwrap().unwrap()
}

/// The folder of files by `make_hdf5.py`, made once for all tests.
fn made() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hdf5");
        std::fs::create_dir_all(&folder).unwrap();
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/make_hdf5.py");
        let status = Command::new("/usr/bin/python3").arg(script).arg(&folder).status().unwrap();
        assert!(status.success(), "make_hdf5.py needs python3-h5py (make deps)");
        folder
    })
}

fn expected() -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(made().join("expected.json")).unwrap()).unwrap()
}

fn array_of(tree: &Tree, path: &str) -> Arc<Array> {
    tree.variables[tree.variable_at(path).unwrap_or_else(|| panic!("no {path}")).0].array.clone()
}

fn dimensions_of<'a>(tree: &'a Tree, path: &str) -> Vec<&'a str> {
    let variable = &tree.variables[tree.variable_at(path).unwrap().0];
    variable.dimensions.iter().map(|d| tree.dimensions[d.0].name.as_str()).collect()
}

fn omitted<'a>(tree: &'a Tree, path: &str) -> Option<&'a str> {
    tree.omitted.iter().find(|(p, _)| p == path).map(|(_, reason)| reason.as_str())
}

/// All chunk coordinates of a shape.
fn coordinates(shape: &[u64], chunk: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![vec![]];
    for (size, chunk) in shape.iter().zip(chunk) {
        let longer = |at: &Vec<u64>| {
            let at = at.clone();
            (0..size.div_ceil(*chunk)).map(move |i| at.iter().copied().chain([i]).collect())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Compares the place of every chunk, written or not, with what h5py says.
fn check_places(array: &Array, places: &serde_json::Value, name: &str) {
    let Layout::Chunked { chunk, index, .. } = &array.layout else { panic!("{name} is not chunked") };
    let mut written = 0;
    for at in coordinates(&array.shape, chunk) {
        let key: Vec<String> = at.iter().map(u64::to_string).collect();
        let ours = index.find(&at).unwrap().map(|p| (p.offset, p.size, u64::from(p.filter_mask)));
        let number = |value: &serde_json::Value, i: usize| value[i].as_u64().unwrap();
        let theirs = places.get(key.join(",")).map(|p| (number(p, 0), number(p, 1), number(p, 2)));
        assert_eq!(ours, theirs, "{name} chunk {at:?}");
        written += usize::from(ours.is_some());
    }
    assert_eq!(written, places.as_object().unwrap().len(), "{name}");
    let beyond: Vec<u64> = array.shape.iter().map(|size| size + 1).collect();
    assert_eq!(index.find(&beyond).unwrap(), None);
}

#[test]
fn every_kind_of_chunk_index_gives_the_places_that_h5py_gives() {
    let expected = expected();
    for name in ["chunks_earliest.h5", "chunks_latest.h5"] {
        let file = open(&made().join(name));
        let tree = file.tree().unwrap();
        let datasets = expected[name].as_object().unwrap();
        assert_eq!(tree.variables.len(), datasets.len());
        assert!(datasets.len() >= 20);
        for (key, dataset) in datasets {
            for array in [array_of(tree, key), file.variable(key).unwrap().unwrap().array] {
                assert_eq!(serde_json::json!(array.shape), dataset["shape"]);
                check_places(&array, &dataset["places"], &format!("{name}/{key}"));
            }
        }
    }
}

#[test]
fn one_index_serves_many_threads() {
    let file = open(&made().join("chunks_latest.h5"));
    let array = file.variable("btree2_deep_gzip").unwrap().unwrap().array;
    let Layout::Chunked { index, .. } = &array.layout else { panic!() };
    std::thread::scope(|scope| {
        for start in 0..4 {
            scope.spawn(move || {
                for i in 0..90 {
                    assert!(index.find(&[(i + start * 20) % 90, i % 30]).unwrap().is_some());
                }
            });
        }
    });
}

#[test]
fn offsets_count_from_the_start_of_a_file_with_a_user_block() {
    let file = open(&made().join("userblock.h5"));
    let expected = &expected()["userblock.h5"];
    let tree = file.tree().unwrap();
    let Layout::Contiguous { offset } = array_of(tree, "y").layout else { panic!() };
    let bytes = std::fs::read(made().join("userblock.h5")).unwrap();
    assert_eq!(bytes[offset as usize..][..12], [0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0]);
    assert_eq!(offset, expected["y_offset"].as_u64().unwrap());
    check_places(&array_of(tree, "x"), &expected["places"], "x");
}

#[test]
fn numbers_of_every_type_and_order_are_recognised_with_their_fill() {
    for version in ["earliest", "latest"] {
        let file = open(&made().join(format!("types_{version}.h5")));
        let tree = file.tree().unwrap();
        for code in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"] {
            for (order, big) in [("le", false), ("be", true)] {
                let key = format!("{code}{order}");
                let array = array_of(tree, &key);
                assert_eq!(array.data_type.code(), code);
                let size = array.data_type.size().unwrap();
                assert!(matches!(array.element, Element::Number { size: s, big_endian }
                    if s == size && (big_endian == big || size == 1)));
                assert_eq!(array.shape, [3]);
                let mut fill = array.fill.clone();
                if array.element.is_foreign_endian() {
                    fill.reverse();
                }
                let fill = Values::from_native_bytes(array.data_type, &fill).unwrap();
                assert_eq!(fill.f64_at(0), Some(7.0), "{key}");
                let attribute = tree.groups[0].attributes.get(&key).unwrap();
                assert_eq!(attribute.data_type().code(), code);
                let values: Vec<_> = (0..attribute.len()).map(|i| attribute.f64_at(i).unwrap()).collect();
                assert_eq!(values, [1.0, 2.0, 100.0]);
            }
        }
    }
}

#[test]
fn layouts_that_name_other_files_are_refused_and_odd_types_left_out() {
    for version in ["earliest", "latest"] {
        let file = open(&made().join(format!("types_{version}.h5")));
        let tree = file.tree().unwrap();
        for name in ["external", "virtual"] {
            assert!(matches!(array_of(tree, name).layout, Layout::Refused(_)), "{name}");
        }
        for name in ["compound", "half", "opaque"] {
            assert!(tree.variable_at(name).is_none(), "{name}");
            assert!(omitted(tree, &format!("/{name}")).unwrap().contains("not read"));
            assert_eq!(file.variable(name).unwrap_err().kind(), Kind::Unsupported);
        }
        assert_eq!(omitted(tree, "/a_type"), Some("a user-defined type"));
        assert!(file.variable("a_type").unwrap().is_none());
        assert!(matches!(&array_of(tree, "compact").layout, Layout::Compact(data) if *data == [1, 2, 0, 3]));
        assert!(matches!(array_of(tree, "never_written").layout, Layout::Unwritten));
        assert_eq!(array_of(tree, "odd_precision").data_type, DataType::I32);
        assert_eq!(array_of(tree, "enum").data_type, DataType::I16);
        assert_eq!(array_of(tree, "bool").data_type, DataType::I8);
        assert_eq!(array_of(tree, "scalar").shape, [] as [u64; 0]);
    }
}

#[test]
fn text_attributes_are_char_and_lists_are_strings() {
    for version in ["earliest", "latest"] {
        let file = open(&made().join(format!("types_{version}.h5")));
        let tree = file.tree().unwrap();
        let attributes = &tree.groups[0].attributes;
        let strings = |list: &[&str]| Values::String(list.iter().map(|s| s.to_string()).collect());
        assert_eq!(attributes.get("text"), Some(&Values::Char(b"fixed text".to_vec())));
        assert_eq!(attributes.get("vlen_text"), Some(&strings(&["vlen \u{b5}"])));
        assert_eq!(attributes.get("vlen_list"), Some(&strings(&["p", "qr", ""])));
        assert_eq!(attributes.get("fixed_list"), Some(&strings(&["ab", "c"])));
        assert_eq!(attributes.get("nothing"), Some(&Values::F32(vec![])));
        assert_eq!(attributes.get("scalar"), Some(&Values::I16(vec![-5])));
        assert_eq!(attributes.get("committed"), Some(&Values::F64(vec![2.5])));
        assert_eq!(attributes.get("two_by_two"), Some(&Values::I32(vec![1, 2, 3, 4])));
        assert_eq!(attributes.get("compound"), None);
        assert!(omitted(tree, "/:compound").is_some());
    }
}

#[test]
fn the_text_of_an_attribute_may_be_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.nc");
    let text = "CFA-0.4 has a list of all fragments in an attribute. ".repeat(30_000);
    netcdf::create(&path).unwrap().add_attribute("list", text.as_str()).unwrap();
    let file = open(&path);
    let tree = file.tree().unwrap();
    assert_eq!(tree.groups[0].attributes.text("list").as_deref(), Some(text.as_str()), "{:?}", tree.omitted);
}

#[test]
fn strings_come_from_fixed_fields_and_from_the_heap() {
    let expected = expected();
    for version in ["earliest", "latest"] {
        let name = format!("types_{version}.h5");
        let bytes = std::fs::read(made().join(&name)).unwrap();
        let file = open(&made().join(&name));
        let tree = file.tree().unwrap();
        assert_eq!(array_of(tree, "char").data_type, DataType::Char);
        for (key, texts) in [
            ("fixed", vec!["ab", "cde", ""]),
            ("blank", vec!["ab", "cdef"]),
            ("vlen", vec!["one", "", "dr\u{fc}ei"]),
        ] {
            let array = array_of(tree, key);
            assert_eq!(array.data_type, DataType::String);
            let Layout::Contiguous { offset } = array.layout else { panic!() };
            assert_eq!(offset, expected[&name]["offsets"][key].as_u64().unwrap());
            let len = array.element.size() * texts.len();
            let fields = &bytes[offset as usize..][..len];
            assert_eq!(file.strings(&array, fields).unwrap(), texts);
            assert!(file.strings(&array, &fields[1..]).is_err());
            assert_eq!(file.strings(&array, &array.fill).unwrap(), [""]);
        }
        assert!(file.strings(&array_of(tree, "i4le"), &[0; 4]).is_err());
    }
}

#[test]
fn links_are_followed_inside_the_file_only_and_cycles_end() {
    for version in ["earliest", "latest"] {
        let file = open(&made().join(format!("links_{version}.h5")));
        let tree = file.tree().unwrap();
        for name in ["soft", "soft_of_soft", "g/relative", "g/inner"] {
            assert_eq!(array_of(tree, name).shape, [4], "{name}");
            assert_eq!(file.variable(name).unwrap().unwrap().array.shape, [4]);
        }
        assert_eq!(array_of(tree, "again").shape, [3]);
        assert_eq!(file.variable("g/up/g/up/real").unwrap().unwrap().array.shape, [3]);
        assert!(omitted(tree, "/g/up").unwrap().contains("another path"));
        assert!(omitted(tree, "/external").unwrap().contains("external links"));
        assert_eq!(file.variable("external").unwrap_err().kind(), Kind::Unsupported);
        assert!(omitted(tree, "/dangling").unwrap().contains("leads nowhere"));
        assert!(omitted(tree, "/loop").is_some());
        assert!(file.variable("loop").is_err());
        assert!(file.variable("absent").unwrap().is_none());
        assert!(file.variable("absent/real").unwrap().is_none());
        let names = |group: &str| -> Vec<String> {
            let id = tree.group_in(GroupId(0), group).unwrap();
            tree.groups[id.0].variables.iter().map(|v| tree.variables[v.0].name.clone()).collect()
        };
        let many: Vec<String> = (0..60).map(|i| format!("v{i:02}")).collect();
        assert_eq!(names("many"), many);
        assert!(file.variable("many/v59").unwrap().is_some());
        assert_eq!(names("ordered"), ["zeta", "alpha", "mu"]);
        let group = &tree.groups[tree.group_in(GroupId(0), "attributes").unwrap().0];
        assert_eq!(group.attributes.iter().count(), 61);
        assert_eq!(group.attributes.get("a42"), Some(&Values::I32(vec![42])));
        let long = group.attributes.get("long").unwrap();
        assert_eq!(long.f64_at(long.len() - 1), Some((long.len() - 1) as f64));
    }
}

#[test]
fn scales_by_h5py_are_dimensions_and_axes_without_get_phony_ones() {
    let file = open(&made().join("scales.h5"));
    let tree = file.tree().unwrap();
    assert_eq!(dimensions_of(tree, "x"), ["x"]);
    let data = dimensions_of(tree, "data");
    assert_eq!(data[0], "x");
    assert!(data[1].starts_with("phony_dim_"));
    assert_eq!(dimensions_of(tree, "mismatch"), ["x", data[1]]);
    assert_eq!(dimensions_of(tree, "plain")[0], data[1]);
    assert_eq!(dimensions_of(tree, "short"), ["t", "x"]);
    for array in [array_of(tree, "short"), file.variable("short").unwrap().unwrap().array] {
        assert_eq!(array.shape, [7, 4]);
        let Layout::Chunked { index, .. } = &array.layout else { panic!() };
        assert_eq!(index.find(&[3, 0]).unwrap(), None);
    }
    for variable in &tree.variables {
        let sizes: Vec<u64> = variable.dimensions.iter().map(|d| tree.dimensions[d.0].size).collect();
        assert_eq!(sizes, variable.array.shape);
    }
}

/// A file by libnetcdf with groups, an unlimited dimension and variables that netCDF-4 stores in special ways.
fn by_libnetcdf(path: &Path) {
    let mut file = netcdf::create(path).unwrap();
    file.add_attribute("Conventions", "CF-1.13").unwrap();
    file.add_unlimited_dimension("time").unwrap();
    file.add_dimension("y", 3).unwrap();
    file.add_dimension("x", 4).unwrap();
    file.add_dimension("nv", 2).unwrap();
    let mut time = file.add_variable::<f64>("time", &["time"]).unwrap();
    time.put_attribute("units", "days since 2000-01-01").unwrap();
    time.put_values(&[0.0, 1.0, 2.0, 3.0, 4.0], [..5]).unwrap();
    let mut short = file.add_variable::<f32>("short", &["time", "x"]).unwrap();
    short.set_fill_value(-1.0f32).unwrap();
    short.put_values(&[1.0f32; 8], [..2, ..4]).unwrap();
    file.add_variable::<i32>("y", &["y", "x"]).unwrap();
    file.add_variable::<i32>("nv", &[]).unwrap();
    let mut names = file.add_string_variable("names", &["x"]).unwrap();
    names.put_string("first", [0]).unwrap();
    let mut group = file.add_group("inner").unwrap();
    group.add_dimension("z", 6).unwrap();
    group.add_variable::<u8>("mixed", &["z", "time", "y"]).unwrap();
}

#[test]
fn a_file_by_libnetcdf_has_its_dimensions_variables_and_groups() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    by_libnetcdf(&path);
    let source = source(std::fs::read(&path).unwrap());
    let file = File::open(&(source.clone() as Arc<dyn Source>)).unwrap().unwrap();
    let short = file.variable("short").unwrap().unwrap();
    assert_eq!(short.array.shape, [5, 4]);
    assert_eq!(short.array.fill, (-1.0f32).to_le_bytes());
    assert_eq!(short.attributes.get("_FillValue"), Some(&Values::F32(vec![-1.0])));
    assert_eq!(source.1.load(Ordering::Relaxed), 1, "a small file is read with one call");

    let tree = file.tree().unwrap();
    assert!(tree.omitted.is_empty(), "{:?}", tree.omitted);
    let dimensions: Vec<_> = tree.groups[0]
        .dimensions
        .iter()
        .map(|d| &tree.dimensions[d.0])
        .map(|d| (d.name.as_str(), d.size, d.unlimited))
        .collect();
    assert_eq!(dimensions, [("time", 5, true), ("y", 3, false), ("x", 4, false), ("nv", 2, false)]);
    let names: Vec<_> = tree.groups[0].variables.iter().map(|v| tree.variables[v.0].name.as_str()).collect();
    assert_eq!(names, ["time", "short", "y", "nv", "names"]);
    assert_eq!(dimensions_of(tree, "short"), ["time", "x"]);
    assert_eq!(dimensions_of(tree, "y"), ["y", "x"]);
    assert_eq!(dimensions_of(tree, "nv"), [] as [&str; 0]);
    assert_eq!(dimensions_of(tree, "inner/mixed"), ["z", "time", "y"]);
    assert_eq!(array_of(tree, "inner/mixed").shape, [6, 5, 3]);
    assert_eq!(array_of(tree, "names").data_type, DataType::String);
    assert_eq!(tree.groups[0].attributes.iter().count(), 1);
    assert!(file.variable("nv").unwrap().unwrap().array.shape.is_empty());
    assert!(file.variable("x").unwrap().is_none(), "a dimension without variable is no variable");
    assert!(file.variable("_nc4_non_coord_nv").unwrap().is_none());
    assert_eq!(file.variable("inner/mixed").unwrap().unwrap().array.data_type, DataType::U8);
}

#[test]
fn other_files_are_not_hdf5_and_truncated_ones_are_damaged() {
    assert!(open_bytes(vec![]).unwrap().is_none());
    assert!(open_bytes(vec![7; 5000]).unwrap().is_none());
    for name in ["links_earliest.h5", "links_latest.h5", "userblock.h5"] {
        let bytes = std::fs::read(made().join(name)).unwrap();
        let cut = bytes[..bytes.len() - 1].to_vec();
        let error = open_bytes(cut).err().unwrap();
        assert_eq!(error.kind(), Kind::Damaged);
        assert!(error.to_string().contains("truncated"), "{error}");
    }
}

#[test]
fn attributes_are_found_by_name_alone_wherever_they_are_stored() {
    for name in ["types_earliest.h5", "types_latest.h5", "links_earliest.h5", "links_latest.h5", "scales.h5"]
    {
        let source: Arc<dyn Source> = source(std::fs::read(made().join(name)).unwrap());
        let file = File::open(&source).unwrap().unwrap();
        let tree = file.tree().unwrap();
        let mut names: Vec<&str> =
            tree.variables.iter().flat_map(|v| v.attributes.iter()).map(|a| a.name.as_str()).collect();
        names.dedup();
        for wanted in names {
            assert!(File::has_attribute(&source, &["absent", wanted]).unwrap().unwrap(), "{name}: {wanted}");
        }
        assert!(!File::has_attribute(&source, &["absent", ""]).unwrap().unwrap(), "{name}");
    }
    let other: Arc<dyn Source> = source(vec![7; 5000]);
    assert!(File::has_attribute(&other, &["absent"]).unwrap().is_none());
}

/// Everything a reader would do; errors are welcome, panics are not.
fn exercise(bytes: Vec<u8>) {
    let mutant: Arc<dyn Source> = source(bytes.clone());
    let _ = File::has_attribute(&mutant, &["units", "text"]);
    let Ok(Some(file)) = open_bytes(bytes.clone()) else { return };
    let Ok(tree) = file.tree() else { return };
    for variable in &tree.variables {
        let _ = file.variable(&variable.path[1..]);
        match &variable.array.layout {
            Layout::Chunked { chunk, index, .. } => {
                let place = index.find(&vec![0; chunk.len()]);
                assert!(!place.is_ok_and(|p| p.is_some_and(|p| p.offset + p.size > bytes.len() as u64)));
            }
            Layout::Contiguous { offset } if variable.array.data_type == DataType::String => {
                let end = (*offset as usize).saturating_add(64).min(bytes.len());
                let fields = &bytes[*offset as usize..end];
                let whole = fields.len() / variable.array.element.size() * variable.array.element.size();
                let _ = file.strings(&variable.array, &fields[..whole]);
            }
            _ => {}
        }
    }
}

#[test]
fn damaged_files_give_errors_not_panics() {
    let mutants: usize = std::env::var("HDF5_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for name in ["types_earliest.h5", "types_latest.h5", "links_earliest.h5", "links_latest.h5", "scales.h5"]
    {
        let bytes = std::fs::read(made().join(name)).unwrap();
        exercise(bytes.clone());
        for _ in 0..mutants {
            let mut mutant = bytes.clone();
            for _ in 0..=random(8) {
                let at = random(mutant.len());
                mutant[at] = match random(4) {
                    0 => 0,
                    1 => 0xff,
                    _ => random(256) as u8,
                };
            }
            if random(10) == 0 {
                mutant.truncate(random(bytes.len()));
            }
            exercise(mutant);
        }
    }
}
