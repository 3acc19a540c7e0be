//! A small archive for tests: four fragments of a temperature field, and an aggregation of them.
#![allow(dead_code)] // each test uses a part

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, Format, Group, Variable};
use cfa::Dialect;
use cfa::{DataType, Dataset, Selection, Values};
use cfa::{Fragment, Version};

/// The shape of the field: time, lat, lon.
pub const SHAPE: [u64; 3] = [4, 4, 3];

/// The value at a place.
pub fn value(t: u64, y: u64, x: u64) -> f32 {
    (100 * t + 10 * y + x) as f32
}

/// All values in C order.
pub fn values() -> Vec<f32> {
    let places =
        (0..SHAPE[0]).flat_map(|t| (0..SHAPE[1]).flat_map(move |y| (0..SHAPE[2]).map(move |x| (t, y, x))));
    places.map(|(t, y, x)| value(t, y, x)).collect()
}

/// The location of the fragment at a place of the array of fragments.
pub fn location(t: usize, y: usize) -> String {
    format!("frag/part {t}_{y}.nc")
}

/// Writes a fragment: two steps and two rows of the field, in degrees Celsius for the last one.
pub fn fragment(path: &Path, t: u64, y: u64, units: &str, rows: u64) {
    let mut file = Group::default();
    for (name, size) in [("time", 2), ("lat", rows), ("lon", 3)] {
        file.add_dimension(name, size);
    }
    let offset = if units == "degC" { 273.15 } else { 0.0 };
    let places =
        (0..2).flat_map(|i| (0..rows).flat_map(move |j| (0..3).map(move |k| (2 * t + i, 2 * y + j, k))));
    let raw = places.clone().map(|(t, y, x)| value(t, y, x) as i32).collect();
    file.variables.push(Variable::with_values("raw", &["time", "lat", "lon"], Values::I32(raw)));
    let data: Vec<f64> = places.map(|(t, y, x)| f64::from(value(t, y, x)) - offset).collect();
    file.variables.push(
        Variable::with_values("tas", &["time", "lat", "lon"], Values::F64(data)).attribute("units", units),
    );
    write_file(&file, path, Format::Netcdf4).unwrap();
}

fn stored(identifier: &str, dialect: Dialect) -> Content {
    // CFA-0.4 has file names, the other dialects URIs.
    let blank = if dialect == Dialect::Cfa04 { " " } else { "%20" };
    let list = (0..2).flat_map(|t| (0..2).map(move |y| (t, y))).map(|(t, y)| Fragment::Stored {
        versions: vec![Version {
            location: Some(location(t, y).replace(' ', blank)),
            identifier: identifier.into(),
            format: None,
        }],
        view: None,
    });
    Content::Stored(list.collect())
}

/// The aggregation of the archive as a description.
pub fn describe(dialect: Dialect) -> Group {
    let mut file = Group::default();
    file.attributes.set_text("Conventions", dialect.conventions());
    file.attributes.set_text("title", "a <small> archive");
    for (name, size) in [("time", SHAPE[0]), ("lat", SHAPE[1]), ("lon", SHAPE[2]), ("nv", 2)] {
        file.add_dimension(name, size);
    }
    file.variables.push(
        Variable::with_values("time", &["time"], Values::F64(vec![0.5, 1.5, 2.5, 3.5]))
            .attribute("units", "days since 2001-01-01")
            .attribute("bounds", "time_bounds"),
    );
    let bounds = (0..4).flat_map(|i| [f64::from(i), f64::from(i + 1)]).collect();
    file.variables.push(Variable::with_values("time_bounds", &["time", "nv"], Values::F64(bounds)));
    let lat = Variable::with_values("lat", &["lat"], Values::F32(vec![0.0, 1.0, 2.0, 3.0]));
    file.variables.push(lat.attribute("units", "degrees_north"));
    let lon = Variable::with_values("lon", &["lon"], Values::F32(vec![10.0, 20.0, 30.0]));
    file.variables.push(lon.attribute("units", "degrees_east"));
    let crs = Variable::with_values("crs", &[], Values::I32(vec![0]));
    file.variables.push(crs.attribute("grid_mapping_name", "latitude_longitude"));
    let area = Variable::with_values("area", &["lat"], Values::F32(vec![1.0, 2.0, 3.0, 4.0]));
    file.variables.push(area.attribute("units", "m2"));
    file.variables.push(Variable::with_values("other", &["lon"], Values::I32(vec![1, 2, 3])));
    let tas = Variable::new("tas", DataType::F32, &["time", "lat", "lon"])
        .attribute("units", "K")
        .attribute("grid_mapping", "crs")
        .attribute("cell_measures", "area: area");
    add(&mut file, &aggregated(tas, "tas", dialect), dialect).unwrap();
    let mut packed = Variable::new("packed", DataType::I16, &["time", "lat", "lon"]);
    packed.attributes.set("scale_factor", Values::F32(vec![0.5]));
    add(&mut file, &aggregated(packed, "raw", dialect), dialect).unwrap();
    let mut group = Group { name: "g".into(), ..Group::default() };
    let deep = Variable::new("deep", DataType::F64, &["time", "lat", "lon"]).attribute("units", "K");
    add(&mut group, &aggregated(deep, "tas", dialect), dialect).unwrap();
    file.groups.push(group);
    file
}

fn aggregated(variable: Variable, identifier: &str, dialect: Dialect) -> Aggregated {
    Aggregated {
        variable,
        sizes: vec![vec![2, 2], vec![2, 2], vec![3]],
        fragments: stored(identifier, dialect),
    }
}

/// Writes fragments and the aggregation `year.nc`, and returns the path of the latter.
pub fn make(directory: &Path) -> PathBuf {
    make_as(directory, Dialect::Cf113)
}

/// As [`make`], in a dialect.
pub fn make_as(directory: &Path, dialect: Dialect) -> PathBuf {
    std::fs::create_dir_all(directory.join("frag")).unwrap();
    for (t, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let units = if (t, y) == (1, 1) { "degC" } else { "K" };
        fragment(&directory.join(location(t, y)), t as u64, y as u64, units, 2);
    }
    let path = directory.join("year.nc");
    write_file(&describe(dialect), &path, Format::Netcdf4).unwrap();
    path
}

/// All values of a variable.
pub fn read(path: &Path, variable: &str) -> Values {
    let dataset = Dataset::open(path).unwrap();
    let variable = dataset.variable(variable).unwrap();
    variable.read_values(&Selection::all(variable.shape().unwrap())).unwrap()
}

/// Runs `cfa` in a directory.
pub fn cfa(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cfa")).args(arguments).current_dir(directory).output().unwrap()
}

/// As [`cfa`], for what has to succeed.
pub fn run(directory: &Path, arguments: &[&str]) -> String {
    let output = cfa(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
