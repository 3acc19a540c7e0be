//! Tables of fragments that are small in the file and large when they are decoded.

use std::path::{Path, PathBuf};

use cfa::check::{check, Options};
use cfa::{Dataset, OpenOptions};

use super::{spend, MOST_BYTES, MOST_TIME};
use crate::support::allocations::most_during;
use crate::support::processor;

/// How the values of a table are made.
type Sizes = fn(usize) -> i8;

fn equal(_: usize) -> i8 {
    1
}

fn alternating(i: usize) -> i8 {
    1 + (i % 2) as i8
}

fn monthly(i: usize) -> i8 {
    [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][i % 12]
}

/// Writes a file with `variables` aggregation variables of `count` fragments. Each has a compressed map of its own, or
/// all share one, in chunks of this many columns.
fn write(folder: &Path, count: usize, sizes: Sizes, variables: usize, shared: bool, chunk: usize) -> PathBuf {
    let path = folder.join("tables.nc");
    let mut file = netcdf::create(&path).unwrap();
    let values: Vec<i8> = (0..count).map(sizes).collect();
    let total = values.iter().map(|&n| n as usize).sum();
    for (name, size) in [("x", total), ("i", count), ("one", 1)] {
        file.add_dimension(name, size).unwrap();
    }
    file.add_variable::<f32>("u", &["i"]).unwrap().set_chunking(&[4096]).unwrap();
    for v in 0..variables {
        if v == 0 || !shared {
            let mut map = file.add_variable::<i8>(&format!("m{v}"), &["one", "i"]).unwrap();
            map.set_chunking(&[1, chunk.min(count)]).unwrap();
            map.set_compression(9, false).unwrap();
            map.put_values(&values, ..).unwrap();
        }
        let map = if shared { 0 } else { v };
        let mut variable = file.add_variable::<f32>(&format!("v{v}"), &[]).unwrap();
        variable.put_attribute("aggregated_dimensions", "x").unwrap();
        variable.put_attribute("aggregated_data", format!("map: m{map} unique_values: u")).unwrap();
    }
    path
}

/// Writes a file with a variable `v0` of so many fragments of one or two elements.
pub(super) fn write_alternating(folder: &Path, count: usize) -> PathBuf {
    write(folder, count, alternating, 1, false, 1 << 18)
}

/// Writes a file with a variable `v0` of so many unique values.
pub(super) fn write_equal(folder: &Path, count: usize) -> PathBuf {
    write(folder, count, equal, 1, false, 1 << 18)
}

/// Checks a file within the limits of memory and time.
fn check_within_limits(path: &Path) {
    let began = processor::time();
    let (_, most) = most_during(|| drop(check(path, &Options::default())));
    let took = processor::time() - began;
    println!("check: {most} bytes of memory, {took:?}");
    assert!(most < MOST_BYTES, "a check took {most} bytes of memory");
    assert!(took < MOST_TIME, "a check took {took:?}");
}

#[test]
fn many_large_maps_of_alternating_sizes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), 4_000_000, alternating, 8, false, 1 << 20);
    // A file is opened; the variables whose tables are too much are refused when they are asked for.
    let _ = spend(&path);
    let dataset = Dataset::open(&path).unwrap();
    assert_eq!(dataset.variable("v7").unwrap().shape().unwrap_err().kind(), cfa::Kind::Limit);
    check_within_limits(&path);
}

#[test]
fn a_map_that_many_variables_share_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), 1_000_000, monthly, 100, true, 1 << 20);
    let (shapes, most) = most_during(|| {
        let dataset = Dataset::open_with(&path, &OpenOptions::default()).unwrap();
        (0..100).map(|v| dataset.variable(&format!("v{v}")).unwrap().shape().unwrap()[0]).sum::<u64>()
    });
    assert_eq!(shapes, 100 * (0..1_000_000).map(|i| monthly(i) as u64).sum::<u64>());
    assert!(most < MOST_BYTES, "{most} bytes of memory");
}

#[test]
fn a_chunk_of_a_table_that_is_larger_than_the_budget_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), 50_000_000, equal, 1, false, 50_000_000);
    let options = OpenOptions::default().max_fragments(100_000_000);
    let (refused, most) = most_during(|| {
        let dataset = Dataset::open_with(&path, &options).unwrap();
        dataset.variable("v0").unwrap().shape().unwrap_err()
    });
    assert_eq!(refused.kind(), cfa::Kind::Limit);
    assert!(refused.to_string().contains("chunk"), "{refused}");
    assert!(most < 8 << 20, "{most} bytes of memory");
}

#[test]
fn ten_million_equal_fragments_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), 10_000_000, equal, 1, false, 10_000_000);
    let (size, most) = most_during(|| {
        let dataset = Dataset::open_with(&path, &OpenOptions::default()).unwrap();
        dataset.variable("v0").unwrap().shape().unwrap()[0]
    });
    assert_eq!(size, 10_000_000);
    assert!(most < MOST_BYTES, "{most} bytes of memory");
}
