//! What the clauses of the texts mean for the values that are read, on fixtures from CDL. docs/conventions.md lists
//! which test covers which clause.

use crate::support::cdl::make;
use crate::support::{all, write, Data, FileSpec, Format, Var};
use cfa::{AllowedSources, MissingFragments, OpenOptions};
use cfa::{DataType, Dataset, Kind, Output, Selection, Values};

#[test]
fn ordinary_variables_of_every_type_are_read_alike() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = Dataset::open(make(folder.path(), &["ordinary"])).unwrap();
    assert_eq!(all(&dataset, "tas").unwrap(), Values::I16(vec![1, 2, 3, 4, -1, 6, 7, 8, 9, 10, 11, 12]));
    assert_eq!(all(&dataset, "inner/tas").unwrap(), Values::I32(vec![5, 4, 3, 2, 1]));
    assert_eq!(all(&dataset, "code").unwrap(), Values::Char(b"ab".to_vec()));
    assert_eq!(all(&dataset, "scalar").unwrap(), Values::F32(vec![2.5]));
    assert_eq!(all(&dataset, "note").unwrap(), Values::String(vec!["plain".into()]));
    let tas = dataset.variable("/tas").unwrap();
    let back = Selection::new(&[3, 2], &[2, 2], &[-2, -2], tas.shape().unwrap()).unwrap();
    assert_eq!(tas.read::<f64>(&back).unwrap().into_raw_vec_and_offset().0, [12.0, 10.0, 6.0, 4.0]);
    let mut mask = [9u8; 12];
    let mut bytes = [0u8; 24];
    let output = Output { mask: Some(&mut mask), ..Output::new(DataType::I16, &mut bytes) };
    tas.read_into(&Selection::all(&[4, 3]), output).unwrap();
    assert_eq!(mask, [1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn a_count_of_zero_gives_an_empty_array_and_touches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // The fragments of `absent` do not exist.
    let dataset = Dataset::open(make(folder.path(), &["absent"])).unwrap();
    let v = dataset.variable("v").unwrap();
    let none = Selection::new(&[4], &[0], &[1], &[4]).unwrap();
    assert_eq!(v.read::<f32>(&none).unwrap().shape(), [0]);
    assert_eq!(v.read_values(&none).unwrap().len(), 0);
}

#[test]
fn a_buffer_or_type_that_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = Dataset::open(make(folder.path(), &["ordinary"])).unwrap();
    let count = dataset.variable("count").unwrap();
    let whole = Selection::all(&[5]);
    let mut small = [0u8; 19];
    let kind = |r: cfa::Result<()>| r.unwrap_err().kind();
    assert_eq!(kind(count.read_into(&whole, Output::new(DataType::I32, &mut small))), Kind::Request);
    for first in [1, 6, usize::MAX] {
        let mut room = [0u8; 20];
        let output = Output { first, ..Output::new(DataType::I32, &mut room) };
        assert_eq!(kind(count.read_into(&whole, output)), Kind::Request);
        let output = Output { first, strides: Some(&[1]), ..Output::new(DataType::I32, &mut room) };
        assert_eq!(kind(count.read_into(&whole, output)), Kind::Request);
    }
    let mut room = [0u8; 20];
    assert_eq!(kind(count.read_into(&whole, Output::new(DataType::Char, &mut room))), Kind::Type);
    assert_eq!(kind(count.read_into(&whole, Output::new(DataType::String, &mut room))), Kind::Request);
    let mut mask = [0u8; 4];
    let output = Output { mask: Some(&mut mask), ..Output::new(DataType::I32, &mut room) };
    assert_eq!(kind(count.read_into(&whole, output)), Kind::Request);
    let height = dataset.variable("height").unwrap();
    assert_eq!(height.read::<i32>(&Selection::all(&[2])).unwrap_err().kind(), Kind::Type);
    assert_eq!(
        dataset.variable("note").unwrap().read::<i8>(&Selection::all(&[])).unwrap_err().kind(),
        Kind::Type
    );
    // A selection of another variable.
    assert_eq!(count.read::<i32>(&Selection::all(&[6])).unwrap_err().kind(), Kind::Request);
    assert_eq!(count.read::<i32>(&Selection::all(&[5, 1])).unwrap_err().kind(), Kind::Request);
}

#[test]
fn names_in_groups_are_searched_upward_and_identifiers_name_variables_in_groups() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = Dataset::open(make(folder.path(), &["groups", "first", "second"])).unwrap();
    assert_eq!(all(&dataset, "model/v").unwrap(), Values::F64(vec![1.0, 2.0, 3.0, 4.0]));
    assert_eq!(all(&dataset, "/model/w").unwrap(), Values::F64(vec![1.0, 102.0, 103.0, 104.0]));
    let shown: Vec<String> = dataset.variables().iter().map(|v| v.path().to_owned()).collect();
    assert_eq!(shown, ["/model/v", "/model/w"]);
}

#[test]
fn ragged_arrays_are_aggregated_as_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = Dataset::open(make(folder.path(), &["ragged", "ragged_a", "ragged_b"])).unwrap();
    assert_eq!(all(&dataset, "row_size").unwrap(), Values::I32(vec![3, 1, 2]));
    let Values::F32(temp) = all(&dataset, "temp").unwrap() else { panic!("float") };
    let wanted = [0.0, 1.0, 2.0, 3.0, 8.0, 9.0];
    assert_eq!(temp.len(), wanted.len());
    assert!(temp.iter().zip(wanted).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-4), "{temp:?}");
    let words = ["one", "two", "three"].map(String::from).to_vec();
    assert_eq!(all(&dataset, "name").unwrap(), Values::String(words));
}

#[test]
fn an_aggregation_of_itself_is_a_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = Dataset::open(make(folder.path(), &["cycle"])).unwrap();
    assert_eq!(all(&dataset, "v").unwrap_err().kind(), Kind::Cycle);
}

#[test]
fn a_gathered_fragment_is_spread_out() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = Dataset::open(make(folder.path(), &["gathered", "land", "plain"])).unwrap();
    let n = -9.0;
    let wanted = vec![n, 10.0, n, n, n, 50.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    assert_eq!(all(&dataset, "v").unwrap(), Values::F32(wanted));
}

#[test]
fn an_absent_fragment_is_an_error_that_names_every_version_or_is_filled() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path(), &["absent", "first", "second"]);
    let error = all(&Dataset::open(&path).unwrap(), "v").unwrap_err();
    assert_eq!((error.kind(), error.fragment()), (Kind::FragmentMissing, Some([1].as_slice())));
    assert!(
        error.to_string().contains("gone.nc") && error.to_string().contains("${OLD}/second.nc"),
        "{error}"
    );
    // The other fragment can be read.
    let v = Dataset::open(&path).unwrap().variable("v").unwrap();
    assert_eq!(v.read::<f64>(&Selection::block(&[0], &[1], &[4]).unwrap()).unwrap()[[0]], 100.0);
    let fill = OpenOptions::default().missing_fragments(MissingFragments::Fill);
    let dataset = Dataset::open_with(&path, &fill).unwrap();
    let n = 9.969_209_968_386_869e36;
    assert_eq!(all(&dataset, "v").unwrap(), Values::F64(vec![100.0, n, n, n]));
    assert!(dataset.warnings().iter().any(|w| w.contains("gone.nc")), "{:?}", dataset.warnings());
    let here = OpenOptions::default().substitutions(vec![("${OLD}".into(), ".".into())]);
    let moved = Dataset::open_with(&path, &here).unwrap();
    assert_eq!(all(&moved, "v").unwrap(), Values::F64(vec![100.0, 102.0, 103.0, 104.0]));
}

#[test]
fn what_may_be_opened_is_a_setting() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    make(folder.path(), &["plain"]);
    let vars = vec![
        Var::new("v", DataType::F32, &[], Data::None)
            .with("aggregated_dimensions", "y x")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new("m", DataType::I32, &[("j", 2), ("one", 1)], Data::Numbers(vec![2.0, 3.0])),
        Var::new("u", DataType::String, &[("one", 1), ("two", 1)], Data::Texts(vec!["../plain.nc".into()])),
        Var::new("i", DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    let path = below.join("agg.nc");
    write(&path, &FileSpec { format: Format::Cdf1, dims: vec![("y".into(), 2), ("x".into(), 3)], vars });
    let read = |sources: AllowedSources| {
        let options = OpenOptions::default().allowed_sources(sources);
        all(&Dataset::open_with(&path, &options).unwrap(), "v").map(|v| v.len()).map_err(|e| e.kind())
    };
    assert_eq!(read(AllowedSources::Default), Ok(6));
    assert_eq!(read(AllowedSources::Local), Ok(6));
    assert_eq!(read(AllowedSources::Siblings), Err(Kind::Policy));
    let real = folder.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    assert_eq!(read(AllowedSources::Prefixes(vec![real.clone()])), Ok(6));
    assert_eq!(read(AllowedSources::Prefixes(vec![format!("{real}/bel")])), Err(Kind::Policy));
    assert_eq!(read(AllowedSources::Prefixes(vec![])), Err(Kind::Policy));
}

/// Bytes that this thread has read from files so far.
fn bytes_read() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    let line = text.lines().find_map(|l| l.strip_prefix("rchar: ")).unwrap();
    line.trim().parse().unwrap()
}

#[test]
fn a_million_fragments_cost_what_is_asked_for() {
    const N: usize = 1_000_000;
    let folder = tempfile::tempdir().unwrap();
    let part = Var::new("v", DataType::I32, &[("x", 2)], Data::Numbers(vec![3.0, 4.0]));
    write(&folder.path().join("p.nc"), &FileSpec { format: Format::Nc4, dims: vec![], vars: vec![part] });
    let vars = vec![
        Var::new("v", DataType::I32, &[], Data::None)
            .with("aggregated_dimensions", "x")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new("m", DataType::I32, &[("one", 1), ("f", N)], Data::Numbers(vec![2.0; N])),
        Var::new("u", DataType::String, &[("f", N)], Data::Texts(vec!["./././././p.nc".into(); N])),
        Var::new("i", DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    let path = folder.path().join("agg.nc");
    write(&path, &FileSpec { format: Format::Cdf5, dims: vec![("x".into(), 2 * N)], vars });
    let before = bytes_read();
    let options = OpenOptions::default().num_threads(1);
    let dataset = Dataset::open_with(&path, &options).unwrap();
    let v = dataset.variable("v").unwrap();
    let shape = v.shape().unwrap().to_vec();
    assert_eq!(shape, [2 * N as u64]);
    let opened = bytes_read();
    assert!(opened - before < 4 * N as u64 + 100_000, "the sizes and little else: {}", opened - before);
    let few = Selection::new(&[2 * N as u64 - 1], &[2], &[-(N as i64)], &shape).unwrap();
    assert_eq!(v.read::<i32>(&few).unwrap().into_raw_vec_and_offset().0, [4, 4]);
    assert!(bytes_read() - opened < 200_000, "two fragments of a million: {}", bytes_read() - opened);
}

#[test]
fn data_larger_than_memory_are_opened_and_read_in_part() {
    const X: usize = 1_000_000_000_000_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    write_huge(&path, X);
    let dataset = Dataset::open(&path).unwrap();
    let v = dataset.variable("v").unwrap();
    let shape = [X as u64, 4];
    assert_eq!(v.shape().unwrap(), shape);
    let end = Selection::new(&[X as u64 - 1, 3], &[2, 1], &[-1, 1], &shape).unwrap();
    assert_eq!(v.read_values(&end).unwrap(), Values::I32(vec![8, 7]));
    assert_eq!(v.read::<f64>(&Selection::all(&shape)).unwrap_err().kind(), Kind::Limit);
    assert_eq!(v.read_values(&Selection::all(&shape)).unwrap_err().kind(), Kind::Limit);
}

fn write_huge(path: &std::path::Path, size: usize) {
    let vars = vec![
        Var::new("v", DataType::I32, &[], Data::None)
            .with("aggregated_dimensions", "x y")
            .with("aggregated_data", "map: m unique_values: u"),
        Var::new("m", DataType::I64, &[("j", 2), ("f", 2)], Data::Numbers(vec![0.0; 4])),
        Var::new("u", DataType::I32, &[("f", 2), ("one", 1)], Data::Numbers(vec![7.0, 8.0])),
    ];
    write(path, &FileSpec { format: Format::Cdf5, dims: vec![("x".into(), size), ("y".into(), 4)], vars });
    // `write` does not accept sizes beyond 2^53.
    let mut file = netcdf::append(path).unwrap();
    let sizes = [size as i64 - 1, 1, 4, i64::MIN + 2];
    file.variable_mut("m").unwrap().put_values(&sizes, ..).unwrap();
    file.close().unwrap();
}
