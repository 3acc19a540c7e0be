//! The cost of reading expanded fragments: bytes, memory and time depend on the request and the file.

use std::path::Path;

use cfa::OpenOptions;
use cfa::{DataType, Dataset, Kind, Output, Selection, Values};

use super::{aggregated, all, write_aggregation};
use crate::support::allocations::most_during;
use crate::support::{write, Data, FileSpec, Format, Var};

/// Bytes that this thread has read from files so far.
fn bytes_read() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    text.lines().find_map(|l| l.strip_prefix("rchar: ")).unwrap().trim().parse().unwrap()
}

fn one_thread(path: &Path) -> Dataset {
    Dataset::open_with(path, &OpenOptions::default().num_threads(1)).unwrap()
}

const STATIONS: usize = 1_000_000;

/// A million stations of three samples each, or four, or two.
fn write_million(path: &Path, form: &str) {
    let lengths: Vec<usize> = (0..STATIONS).map(|i| 2 + i % 3).collect();
    let samples: usize = lengths.iter().sum();
    let value = |i: usize, j: usize| ((i * 4 + j) % 4_000_000) as f64;
    let (mut vars, mut values) = (Vec::new(), Vec::new());
    if form == "contiguous" {
        let counts = lengths.iter().map(|&n| n as f64).collect();
        let n = Var::new("n", DataType::I32, &[("station", STATIONS)], Data::Numbers(counts));
        vars.push(n.with("sample_dimension", "obs"));
        values.extend((0..STATIONS).flat_map(|i| (0..lengths[i]).map(move |j| value(i, j))));
    } else {
        // Sample after sample of all stations.
        let mut owners = Vec::new();
        for j in 0..4 {
            for i in (0..STATIONS).filter(|&i| j < lengths[i]) {
                owners.push(i as f64);
                values.push(value(i, j));
            }
        }
        let i = Var::new("i", DataType::I32, &[("obs", samples)], Data::Numbers(owners));
        vars.push(i.with("instance_dimension", "station"));
    }
    vars.push(Var::new("v", DataType::F64, &[("obs", samples)], Data::Numbers(values)));
    write(path, &FileSpec { format: Format::Cdf5, dims: vec![("station".into(), STATIONS)], vars });
}

#[test]
fn one_instance_of_a_million_costs_its_samples_after_the_counts_are_known() {
    for (form, first, later) in [("contiguous", 4, 4 << 10), ("indexed", 12, 64 << 10)] {
        let folder = tempfile::tempdir().unwrap();
        write_million(&folder.path().join("a.nc"), form);
        let path = folder.path().join("agg.nc");
        let v = Var::new("v", DataType::F64, &[], Data::None).with("_FillValue", -9.0);
        write_aggregation(&path, v, &[("station", &[STATIONS]), ("obs", &[4])], &["a.nc"]);
        let v = one_thread(&path).variable("v").unwrap();
        let shape = [STATIONS as u64, 4];
        let read = |station: u64| {
            let before = bytes_read();
            let row = Selection::new(&[station, 3], &[1, 4], &[1, -1], &shape).unwrap();
            (v.read::<f64>(&row).unwrap().into_raw_vec_and_offset().0, bytes_read() - before)
        };
        let (row, bytes) = read(700_001);
        assert_eq!(row, [2_800_007.0, 2_800_006.0, 2_800_005.0, 2_800_004.0], "{form}");
        // 700001 % 3 = 2: four samples.
        assert!(bytes < first * STATIONS as u64 + 200_000, "{form}: counts or indices, once: {bytes}");
        let (row, bytes) = read(999_999);
        assert_eq!(row, [-9.0, -9.0, 3_999_997.0, 3_999_996.0], "{form}");
        assert!(bytes < later, "{form}: {bytes}");
        // Reading many rows at once needs no memory for all of them besides the result.
        let mut buffer = vec![0; 300_000 * 4 * 8];
        let rows = Selection::block(&[5, 0], &[300_000, 4], &shape).unwrap();
        let output = Output::new(DataType::F64, &mut buffer);
        let (result, memory) = most_during(|| v.read_into(&rows, output));
        result.unwrap();
        assert!(memory < 8 << 20, "{form}: {memory}");
        let values = Values::from_native_bytes(DataType::F64, &buffer).unwrap();
        assert_eq!(values.f64_at(4 * 299_999), Some(4.0 * 300_004.0), "{form}");
        // Several threads share what is known of the fragment.
        let v = Dataset::open(&path).unwrap().variable("v").unwrap();
        assert_eq!(v.read_values(&rows).unwrap(), values, "{form}");
    }
}

#[test]
fn what_is_known_of_a_fragment_is_kept_for_the_next_read() {
    let folder = tempfile::tempdir().unwrap();
    write_million(&folder.path().join("a.nc"), "contiguous");
    let path = folder.path().join("agg.nc");
    let v = Var::new("v", DataType::F64, &[], Data::None).with("_FillValue", -9.0);
    write_aggregation(&path, v, &[("station", &[STATIONS]), ("obs", &[4])], &["a.nc"]);
    let corner = Selection::block(&[0, 0], &[1, 1], &[STATIONS as u64, 4]).unwrap();
    let dataset = one_thread(&path);
    let bytes = |dataset: &Dataset| {
        let before = bytes_read();
        dataset.variable("v").unwrap().read::<f64>(&corner).unwrap();
        bytes_read() - before
    };
    assert!(bytes(&dataset) > 4_000_000);
    assert!(bytes(&dataset) < 10_000);
    // Nothing is shared with a second dataset.
    assert!(bytes(&one_thread(&path)) > 4_000_000);
}

#[test]
fn claims_of_a_small_file_are_refused_before_memory_is_taken() {
    const HUGE: usize = 1_000_000_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    for (attribute, dimension) in [("sample_dimension", "station"), ("instance_dimension", "obs")] {
        // Chunks that were never written: a few hundred bytes in the file.
        let (stations, samples) = if dimension == "station" { (HUGE, 5) } else { (2, HUGE) };
        let named = if dimension == "station" { "obs" } else { "station" };
        let mut n = Var::new("n", DataType::I32, &[(dimension, HUGE)], Data::None).with(attribute, named);
        n.chunks = Some(vec![1 << 20]);
        let mut v = Var::new("v", DataType::F32, &[("obs", samples)], Data::None);
        v.chunks = Some(vec![samples.min(1 << 20)]);
        let dims = vec![("station".into(), stations), ("obs".into(), samples)];
        write(&folder.path().join("a.nc"), &FileSpec { format: Format::Nc4, dims, vars: vec![n, v] });
        write_huge_aggregation(&path, stations);
        let read = || {
            let v = one_thread(&path).variable("v").unwrap();
            let corner = Selection::block(&[0, 0], &[1, 1], v.shape().unwrap()).unwrap();
            v.read_values(&corner).unwrap_err()
        };
        let (error, bytes) = most_during(read);
        assert_eq!(error.kind(), Kind::Limit, "{error}");
        assert!(error.to_string().contains("'/n'"), "{error}");
        assert!(bytes < 8 << 20, "{bytes}");
    }
}

fn write_huge_aggregation(path: &Path, stations: usize) {
    let vars = vec![
        aggregated("v")
            .with("aggregated_dimensions", "station obs")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new("m", DataType::I64, &[("j", 2), ("f", 1)], Data::Numbers(vec![stations as f64, 3.0])),
        Var::new("u", DataType::String, &[("f", 1), ("g", 1)], Data::Texts(vec!["a.nc".into()])),
        Var::new("i", DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    let dims = vec![("station".into(), stations), ("obs".into(), 3)];
    write(path, &FileSpec { format: Format::Nc4, dims, vars });
}

#[test]
fn a_gathered_fragment_larger_than_memory_is_read_in_part() {
    const SIDE: usize = 3_000_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let list = Var::new("land", DataType::I64, &[("land", 2)], Data::Numbers(vec![4e18, 7.0]));
    let v = Var::new("v", DataType::F32, &[("land", 2)], Data::Numbers(vec![1.0, 2.0]));
    let dims = vec![("station".into(), SIDE), ("obs".into(), SIDE), ("land".into(), 2)];
    let vars = vec![list.with("compress", "station obs"), v];
    write(&folder.path().join("a.nc"), &FileSpec { format: Format::Cdf5, dims, vars });
    let vars = vec![
        aggregated("v")
            .with("aggregated_dimensions", "station obs")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new("m", DataType::I64, &[("j", 2), ("f", 1)], Data::Numbers(vec![SIDE as f64; 2])),
        Var::new("u", DataType::String, &[("f", 1), ("g", 1)], Data::Texts(vec!["a.nc".into()])),
        Var::new("i", DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    let dims = vec![("station".into(), SIDE), ("obs".into(), SIDE)];
    write(&path, &FileSpec { format: Format::Nc4, dims, vars });
    let v = one_thread(&path).variable("v").unwrap();
    let shape = v.shape().unwrap().to_vec();
    let (row, column) = (4_000_000_000_000_000_000 / SIDE as u64, 4_000_000_000_000_000_000 % SIDE as u64);
    let near = Selection::block(&[row, column - 1], &[1, 3], &shape).unwrap();
    let begin = Selection::new(&[0, 8], &[1, 3], &[1, -1], &shape).unwrap();
    let (values, bytes) = most_during(|| [&near, &begin].map(|part| v.read_values(part).unwrap()));
    assert_eq!(values, [Values::F32(vec![-9.0, 1.0, -9.0]), Values::F32(vec![-9.0, 2.0, -9.0])]);
    assert!(bytes < 8 << 20, "{bytes}");
    assert!(all(&path, "v").is_err());
}
