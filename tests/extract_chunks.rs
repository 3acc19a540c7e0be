//! `extract` copies chunks of fragments if nothing changes, and only then.

use std::fs;
use std::path::{Path, PathBuf};

use cfa::create::create;
use cfa::extract::{extract, Cut, Options};
use cfa::internals::write::{write_file, Dimension, File, Format, Storage, Variable};
use cfa::{Dataset, Kind, Selection, Values};

const N: u64 = 128;
/// The bytes of the superblock, after which the first chunk lies.
const FIRST: usize = 48;

fn value(t: u64, i: u64) -> f32 {
    (t * 1000 + i * i % 977) as f32 / 8.0
}

/// Three files of two steps each, and their aggregation.
fn scene(folder: &Path, change: impl Fn(u64, &mut Variable)) -> PathBuf {
    let mut parts = Vec::new();
    for part in 0..3 {
        let mut file = File::default();
        file.dimensions.push(Dimension { name: "t".into(), size: 2, unlimited: true });
        file.add_dimension("y", N);
        file.add_dimension("x", N);
        let values = (0..2 * N * N).map(|i| value(2 * part + i / (N * N), i % (N * N))).collect();
        let mut variable =
            Variable::with_values("v", &["t", "y", "x"], Values::F32(values)).attribute("units", "m");
        variable.storage = Storage { chunks: Some(vec![1, N, N]), deflate: Some(6), shuffle: true };
        change(part, &mut variable);
        file.variables.push(variable);
        let times = vec![(2 * part) as f64, (2 * part + 1) as f64];
        file.variables.push(
            Variable::with_values("t", &["t"], Values::F64(times)).attribute("units", "days since 2000-1-1"),
        );
        parts.push(folder.join(format!("part_{part}.nc")));
        write_file(&file, &parts[part as usize], Format::Netcdf4).unwrap();
    }
    let out = folder.join("agg.nc");
    create(&out, &parts, &Default::default(), None).unwrap();
    out
}

/// Extracts, compares the values with those of a read, and returns whether the first chunk of the file was copied.
fn copies(folder: &Path, part: usize, options: &Options<'_>) -> bool {
    let out = folder.join("out.nc");
    let dataset = Dataset::open(folder.join("agg.nc")).unwrap();
    extract(&dataset, &out, &Options { overwrite: true, ..options.clone() }).unwrap();
    let (from, to) = (dataset.variable("v").unwrap(), Dataset::open(&out).unwrap().variable("v").unwrap());
    let shape = to.shape().unwrap().to_vec();
    let cut = options.cuts.first();
    let (first, step) = (cut.map_or(0, |c| c.start), cut.map_or(1, |c| c.step));
    let part_of = Selection::new(&[first, 0, 0], &shape, &[step, 1, 1], from.shape().unwrap()).unwrap();
    let read = to.read_values(&Selection::all(&shape)).unwrap();
    assert!(from.read_values(&part_of).unwrap() == read, "other values");
    let chunk = fs::read(folder.join(format!("part_{part}.nc"))).unwrap()[FIRST..FIRST + 2000].to_vec();
    fs::read(&out).unwrap().windows(chunk.len()).any(|bytes| bytes == chunk)
}

#[test]
fn chunks_are_copied_where_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let agg = scene(folder.path(), |_, _| {});
    assert!((0..3).all(|part| copies(folder.path(), part, &Options::default())));
    let asked = |deflate, shuffle| Options { deflate, shuffle, ..Options::default() };
    assert!(copies(folder.path(), 1, &asked(6, true)));
    for options in [asked(9, true), asked(1, false), asked(0, true)] {
        assert!(!copies(folder.path(), 1, &options));
    }
    let chunks = Options { chunks: Some(vec![2, N, N]), ..Options::default() };
    assert!(!copies(folder.path(), 1, &chunks));
    let dimension = Dataset::open(agg).unwrap().variable("v").unwrap().dimensions().unwrap()[0];
    let cut = |start, count, step| Options {
        cuts: vec![Cut { dimension, start, count, step, shift: 0.0 }],
        ..Options::default()
    };
    assert!(copies(folder.path(), 1, &cut(1, 3, 1)));
    assert!(!copies(folder.path(), 0, &cut(1, 3, 1)));
    assert!(!copies(folder.path(), 1, &cut(5, 6, -1)));
}

#[test]
fn chunks_whose_values_change_are_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), |part, variable| {
        if part == 1 {
            variable.attributes.set_text("units", "km");
        }
    });
    let options = Options::default();
    assert!(copies(folder.path(), 0, &options) && copies(folder.path(), 2, &options));
    assert!(!copies(folder.path(), 1, &options));
}

#[test]
fn what_is_missing_in_one_fragment_alone_is_missing_in_its_values() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), |part, variable| {
        if part == 2 {
            variable.attributes.set("_FillValue", Values::F32(vec![value(4, 3)]));
        }
    });
    // Whatever is copied, the values equal those of a read.
    copies(folder.path(), 2, &Options::default());
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    scene(folder.path(), |part, variable| {
        if part == 1 {
            variable.attributes.set_text("units", "km");
        }
    });
    copies(folder.path(), 0, &Options::default());
    let first = fs::read(folder.path().join("out.nc")).unwrap();
    for _ in 0..5 {
        copies(folder.path(), 0, &Options::default());
        assert!(fs::read(folder.path().join("out.nc")).unwrap() == first);
    }
}

#[test]
fn a_damaged_chunk_is_not_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let agg = scene(folder.path(), |_, _| {});
    let path = folder.path().join("part_1.nc");
    let mut bytes = fs::read(&path).unwrap();
    bytes[FIRST + 900] ^= 0x55;
    fs::write(&path, bytes).unwrap();
    let dataset = Dataset::open(agg).unwrap();
    let out = folder.path().join("out.nc");
    let error = extract(&dataset, &out, &Options::default()).unwrap_err();
    assert_eq!(error.kind(), Kind::FragmentUnreadable, "{error}");
    assert!(!out.exists());
}
