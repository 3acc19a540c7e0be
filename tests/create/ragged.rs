//! Files with ragged arrays: samples stay with their instances.

use std::path::{Path, PathBuf};

use cfa::create::{create, Options};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::{Dataset, Kind, Values};

use super::parts::values;

/// A contiguous (or, with indices, indexed) ragged array of two stations; time begins at `time`.
fn write(folder: &Path, name: &str, counts: &[i32], indices: &[i32], time: f64) -> PathBuf {
    let mut file = File::default();
    let samples = if indices.is_empty() { counts.iter().sum::<i32>() as usize } else { indices.len() };
    file.add_dimension("station", 2);
    file.add_dimension("obs", samples as u64);
    let label = Values::I32(vec![time as i32, time as i32 + 1]);
    file.variables.push(Variable::with_values("label", &["station"], label));
    if indices.is_empty() {
        let counts = Variable::with_values("row_size", &["station"], Values::I32(counts.to_vec()));
        file.variables.push(counts.attribute("sample_dimension", "obs"));
    } else {
        let indices = Variable::with_values("station_index", &["obs"], Values::I32(indices.to_vec()));
        file.variables.push(indices.attribute("instance_dimension", "station"));
    }
    let times = (0..samples).map(|i| time + i as f64).collect();
    let times = Variable::with_values("time", &["obs"], Values::F64(times));
    file.variables.push(times.attribute("units", "days since 2000-01-01"));
    let data = (0..samples).map(|i| time as f32 + i as f32).collect();
    let data = Variable::with_values("temp", &["obs"], Values::F32(data));
    file.variables.push(data.attribute("coordinates", "time"));
    let path = folder.join(name);
    write_file(&file, &path, Format::Classic).unwrap();
    path
}

fn joining(dimensions: &[&str]) -> Options {
    let mut options = Options::default();
    options.dimensions = dimensions.iter().map(|&d| d.to_owned()).collect();
    options
}

#[test]
fn samples_follow_their_counts_and_not_their_times() {
    let folder = tempfile::tempdir().unwrap();
    // The later one first.
    let files =
        [write(folder.path(), "b.nc", &[4, 1], &[], 100.0), write(folder.path(), "a.nc", &[2, 3], &[], 0.0)];
    let out = folder.path().join("out.nc");
    create(&out, &files, &joining(&["obs", "station"]), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "row_size"), Values::I32(vec![4, 1, 2, 3]));
    assert_eq!(values(&dataset, "label"), Values::I32(vec![100, 101, 0, 1]));
    let temp = [100.0, 101.0, 102.0, 103.0, 104.0, 0.0, 1.0, 2.0, 3.0, 4.0];
    assert_eq!(values(&dataset, "temp"), Values::F32(temp.to_vec()));
    assert_eq!(values(&dataset, "time"), Values::F64(temp.map(f64::from).to_vec()));
    let dimensions = |name: &str| {
        let variable = dataset.variable(name).unwrap();
        variable.dimensions().unwrap().iter().map(|&d| dataset.dimension(d).name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(dimensions("temp"), ["obs"]);
    assert_eq!(dimensions("time"), ["obs"]);
}

#[test]
fn counts_and_indices_of_one_file_are_not_taken_for_those_of_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nc");
    let refused = |files: &[PathBuf], options: &Options, variable: &str| {
        let error = create(&out, files, options, None).unwrap_err();
        assert_eq!((error.kind(), error.variable()), (Kind::Map, Some(variable)), "{error}");
        assert!(!out.exists());
        error.to_string()
    };
    // The same counts in each file, with samples of their own.
    let same =
        [write(folder.path(), "a.nc", &[2, 3], &[], 0.0), write(folder.path(), "b.nc", &[2, 3], &[], 100.0)];
    let mut options = joining(&["obs"]);
    options.variables = vec!["temp".into(), "row_size".into()];
    assert!(refused(&same, &options, "row_size").contains("join 'station' as well as 'obs'"));
    // Without the counts, the samples are an ordinary series.
    options.variables = vec!["temp".into()];
    options.allow_gaps = true;
    create(&out, &same, &options, None).unwrap();
    std::fs::remove_file(&out).unwrap();
    // Indices of stations that differ in each file.
    let indexed = [
        write(folder.path(), "a.nc", &[], &[0, 1, 0], 0.0),
        write(folder.path(), "b.nc", &[], &[1, 0, 1, 1], 100.0),
    ];
    refused(&indexed, &joining(&["obs", "station"]), "station_index");
    // For the same stations they are right.
    let mut options = joining(&["obs"]);
    options.variables = vec!["temp".into(), "station_index".into()];
    create(&out, &indexed, &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "station_index"), Values::I32(vec![0, 1, 0, 1, 0, 1, 1]));
    let of = |name: &str| dataset.variable(name).unwrap().dimensions().unwrap().to_vec();
    assert_eq!(of("temp"), of("station_index"));
}

#[test]
fn samples_with_coordinates_in_another_order_than_their_counts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nc");
    let numbered = |name: &str, first: i32| {
        let path = write(folder.path(), name, &[2, 3], &[], f64::from(first));
        let mut file = File::default();
        file.add_dimension("station", 2);
        file.add_dimension("obs", 5);
        file.variables.push(Variable::with_values(
            "obs",
            &["obs"],
            Values::I32((first..first + 5).collect()),
        ));
        let counts = Variable::with_values("row_size", &["station"], Values::I32(vec![2, 3]));
        file.variables.push(counts.attribute("sample_dimension", "obs"));
        let temp = Values::F32((first..first + 5).map(|i| i as f32).collect());
        file.variables.push(Variable::with_values("temp", &["obs"], temp));
        write_file(&file, &path, Format::Classic).unwrap();
        path
    };
    let (a, b) = (numbered("a.nc", 0), numbered("b.nc", 5));
    let options = joining(&["obs", "station"]);
    let error = create(&out, &[b.clone(), a.clone()], &options, None).unwrap_err();
    assert_eq!((error.kind(), error.variable()), (Kind::Map, Some("row_size")), "{error}");
    create(&out, &[a, b], &options, None).unwrap();
    let temp = (0..10u8).map(f32::from).collect();
    assert_eq!(values(&Dataset::open(&out).unwrap(), "temp"), Values::F32(temp));
}
