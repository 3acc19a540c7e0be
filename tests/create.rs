//! `cfa create` on files like those that people have, and every way in which files do not fit together.
#![cfg(feature = "write")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cfa::create::{create, plan, update, Locations, Options, Stage};
use cfa::model::Dialect;
use cfa::options::{ChangedFragments, OpenOptions};
use cfa::write::{write_file, File, Format, Variable};
use cfa::{Dataset, Kind, Selection, Values};
use tempfile::TempDir;

/// A file with a time series on a small map.
struct Part {
    name: &'static str,
    time: Vec<f64>,
    units: &'static str,
    calendar: &'static str,
    lat: Vec<f64>,
    bounds: bool,
    /// What the data are: this and a little for each place.
    base: f64,
    edit: fn(&mut File),
}

impl Part {
    fn new(name: &'static str, time: &[f64]) -> Part {
        Part {
            name,
            time: time.to_vec(),
            units: "days since 2001-01-01",
            calendar: "standard",
            lat: vec![-10.0, 0.0, 10.0],
            bounds: false,
            base: 0.0,
            edit: |_| {},
        }
    }

    fn write(&self, folder: &Path) -> PathBuf {
        let mut file = File::default();
        let (nt, ny) = (self.time.len(), self.lat.len());
        file.add_dimension("time", nt as u64);
        file.add_dimension("lat", ny as u64);
        file.attributes.set_text("Conventions", "CF-1.7 CMIP-6.2");
        file.attributes.set_text("source_id", "model");
        file.attributes.set_text("tracking_id", self.name);
        let mut time = Variable::with_values("time", &["time"], Values::F64(self.time.clone()))
            .attribute("units", self.units)
            .attribute("calendar", self.calendar)
            .attribute("standard_name", "time");
        if self.bounds {
            file.add_dimension("bnds", 2);
            time = time.attribute("bounds", "time_bnds");
            let cells = self.time.iter().flat_map(|t| [t - 0.5, t + 0.5]).collect();
            file.variables.push(Variable::with_values("time_bnds", &["time", "bnds"], Values::F64(cells)));
        }
        file.variables.push(time);
        let lat = Variable::with_values("lat", &["lat"], Values::F64(self.lat.clone()));
        file.variables.push(lat.attribute("units", "degrees_north").attribute("standard_name", "latitude"));
        let values = (0..nt * ny).map(|i| (self.base + i as f64) as f32).collect();
        let tas = Variable::with_values("tas", &["time", "lat"], Values::F32(values));
        file.variables.push(tas.attribute("units", "K").attribute("standard_name", "air_temperature"));
        (self.edit)(&mut file);
        let path = folder.join(self.name);
        write_file(&file, &path, Format::Netcdf4).unwrap();
        path
    }
}

fn data(file: &mut File) -> &mut Variable {
    file.variables.iter_mut().find(|v| v.name == "tas").unwrap()
}

fn scalar(file: &mut File, name: &str, value: Values, units: &str) {
    file.variables.push(Variable::with_values(name, &[], value).attribute("units", units));
    data(file).attributes.set_text("coordinates", name);
}

fn made(parts: &[Part], options: &Options) -> cfa::Result<(TempDir, Dataset)> {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = parts.iter().map(|p| p.write(folder.path())).collect();
    let out = folder.path().join("agg.nc");
    create(&out, &paths, options, None)?;
    Ok((folder, Dataset::open(&out).unwrap()))
}

fn values(dataset: &Dataset, name: &str) -> Values {
    let variable = dataset.variable(name).unwrap();
    let shape = variable.shape().unwrap().to_vec();
    variable.read_values(&Selection::all(&shape)).unwrap()
}

fn shape(dataset: &Dataset, name: &str) -> Vec<u64> {
    dataset.variable(name).unwrap().shape().unwrap().to_vec()
}

fn problem(parts: &[Part], options: &Options) -> (Kind, String) {
    let error = made(parts, options).unwrap_err();
    (error.kind(), error.to_string())
}

#[track_caller]
fn refused(parts: &[Part], kind: Kind, words: &[&str]) {
    let (found, message) = problem(parts, &Options::default());
    assert_eq!(found, kind, "{message}");
    for word in words {
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn overlaps_are_refused_naming_both_files() {
    let parts = [Part::new("a.nc", &[0.0, 1.0, 2.0]), Part::new("b.nc", &[2.0, 3.0])];
    refused(&parts, Kind::Map, &["a.nc", "b.nc", "overlap"]);
}

#[test]
fn the_same_coordinates_twice_are_refused_naming_both_files() {
    let other = Part { base: 5.0, ..Part::new("b.nc", &[0.0, 1.0]) };
    refused(&[Part::new("a.nc", &[0.0, 1.0]), other], Kind::Map, &["a.nc", "b.nc", "--new-dim"]);
}

#[test]
fn gaps_are_refused_unless_they_are_allowed() {
    let bounded = |name, time: &[f64]| Part { bounds: true, ..Part::new(name, time) };
    let parts = [bounded("a.nc", &[0.0, 1.0]), bounded("b.nc", &[3.0])];
    refused(&parts, Kind::Map, &["gap", "a.nc", "b.nc", "--allow-gaps"]);
    let parts = [
        Part::new("a.nc", &[0.0, 1.0, 2.0]),
        Part::new("b.nc", &[3.0, 4.0]),
        Part::new("c.nc", &[7.0, 8.0, 9.0]),
    ];
    refused(&parts, Kind::Map, &["gap", "b.nc", "c.nc"]);
    let mut options = Options::default();
    options.allow_gaps = true;
    let (_folder, dataset) = made(&parts, &options).unwrap();
    assert_eq!(shape(&dataset, "tas"), [8, 3]);
}

#[test]
fn a_missing_tile_is_named() {
    let north = |name, time| Part { lat: vec![20.0, 30.0], ..Part::new(name, time) };
    let parts = [Part::new("a.nc", &[0.0]), north("b.nc", &[0.0]), Part::new("c.nc", &[1.0])];
    refused(&parts, Kind::Map, &["no file has time 1, lat 20 to 30", "c.nc", "b.nc"]);
}

#[test]
fn units_and_calendars_that_do_not_convert_are_refused() {
    let seconds = Part { edit: |f| data(f).attributes.set_text("units", "s"), ..Part::new("b.nc", &[2.0]) };
    refused(&[Part::new("a.nc", &[0.0]), seconds], Kind::Units, &["a.nc", "b.nc", "'s'"]);
    let noleap = Part { calendar: "noleap", ..Part::new("b.nc", &[2.0]) };
    refused(&[Part::new("a.nc", &[0.0]), noleap], Kind::Calendar, &["b.nc", "noleap"]);
    let metres = Part { units: "m", ..Part::new("b.nc", &[2.0]) };
    refused(&[Part::new("a.nc", &[0.0]), metres], Kind::Units, &["b.nc"]);
}

#[test]
fn types_that_cannot_be_united_are_refused() {
    let text = |f: &mut File| {
        f.variables.retain(|v| v.name != "tas");
        let mut words = Variable::with_values("tas", &["time", "lat"], Values::String(vec!["x".into(); 3]));
        words.attributes.set_text("standard_name", "air_temperature");
        f.variables.push(words);
    };
    let parts = [Part::new("a.nc", &[0.0]), Part { edit: text, ..Part::new("b.nc", &[1.0]) }];
    refused(&parts, Kind::FragmentType, &["b.nc", "a.nc"]);
}

#[test]
fn dimensions_that_differ_are_refused() {
    let flat = |f: &mut File| {
        f.variables.retain(|v| v.name != "tas");
        let v = Variable::with_values("tas", &["lat"], Values::F32(vec![0.0; 3]));
        f.variables.push(v.attribute("standard_name", "air_temperature"));
        f.variables.retain(|v| v.name != "time");
    };
    let parts = [Part::new("a.nc", &[0.0]), Part { edit: flat, ..Part::new("b.nc", &[1.0]) }];
    refused(&parts, Kind::Rank, &["a.nc", "b.nc", "(time, lat)", "(lat)"]);
}

#[test]
fn coordinates_that_run_in_opposite_directions_are_refused() {
    let down = Part { lat: vec![40.0, 30.0], ..Part::new("b.nc", &[0.0]) };
    refused(&[Part::new("a.nc", &[0.0]), down], Kind::Map, &["opposite", "a.nc", "b.nc"]);
}

#[test]
fn descriptions_that_differ_along_nothing_are_refused() {
    let one = |f: &mut File| {
        f.variables.push(Variable::with_values("area", &["lat"], Values::F32(vec![1.0; 3])));
        data(f).attributes.set_text("cell_measures", "area: area");
    };
    let two = |f: &mut File| {
        f.variables.push(Variable::with_values("area", &["lat"], Values::F32(vec![2.0; 3])));
        data(f).attributes.set_text("cell_measures", "area: area");
    };
    let parts =
        [Part { edit: one, ..Part::new("a.nc", &[0.0]) }, Part { edit: two, ..Part::new("b.nc", &[1.0]) }];
    refused(&parts, Kind::Map, &["'area' differs", "a.nc", "b.nc"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let good = Part::new("a.nc", &[0.0]).write(folder.path());
    let bad = folder.path().join("b.nc");
    fs::write(&bad, "no netCDF").unwrap();
    let out = folder.path().join("agg.nc");
    let error = create(&out, &[good.clone(), bad], &Options::default(), None).unwrap_err();
    assert_eq!(error.kind(), Kind::NotNetcdf);
    assert!(error.to_string().contains("b.nc"));
    let mut options = Options::default();
    options.variables = vec!["pr".into()];
    assert_eq!(
        create(&out, std::slice::from_ref(&good), &options, None).unwrap_err().kind(),
        Kind::MissingVariable
    );
    assert_eq!(create(&out, &[], &Options::default(), None).unwrap_err().kind(), Kind::Request);
    let stop = |p: cfa::create::Progress| p.stage != Stage::Scan;
    assert_eq!(create(&out, &[good], &Options::default(), Some(&stop)).unwrap_err().kind(), Kind::Cancelled);
    assert!(!out.exists());
}

#[test]
fn epochs_are_converted_and_bounds_with_them() {
    let later = Part {
        units: "hours since 2001-01-03",
        time: vec![0.0, 24.0],
        bounds: false,
        ..Part::new("b.nc", &[])
    };
    let later = Part {
        edit: |f| {
            f.add_dimension("bnds", 2);
            f.variables
                .iter_mut()
                .find(|v| v.name == "time")
                .unwrap()
                .attributes
                .set_text("bounds", "time_bnds");
            let cells = Values::F64(vec![-12.0, 12.0, 12.0, 36.0]);
            f.variables.push(Variable::with_values("time_bnds", &["time", "bnds"], cells));
        },
        base: 6.0,
        ..later
    };
    let first = Part { bounds: true, ..Part::new("a.nc", &[0.0, 1.0]) };
    let (_folder, dataset) = made(&[later, first], &Options::default()).unwrap();
    assert_eq!(values(&dataset, "time"), Values::F64(vec![0.0, 1.0, 2.0, 3.0]));
    let cells = vec![-0.5, 0.5, 0.5, 1.5, 1.5, 2.5, 2.5, 3.5];
    assert_eq!(values(&dataset, "time_bnds"), Values::F64(cells));
    assert_eq!(
        dataset.variable("time").unwrap().attributes().text("units").unwrap(),
        "days since 2001-01-01"
    );
    assert_eq!(values(&dataset, "tas"), Values::F32((0..12).map(|i| i as f32).collect()));
    let global = &dataset.groups()[0].attributes;
    assert_eq!(global.text("Conventions").unwrap(), "CF-1.13 CMIP-6.2");
    assert_eq!(global.text("source_id").unwrap(), "model");
    assert_eq!(global.get("tracking_id"), None);
}

#[test]
fn a_scalar_coordinate_that_differs_becomes_a_dimension() {
    let member = |name, time: &[f64], base, edit| Part { base, edit, ..Part::new(name, time) };
    let one: fn(&mut File) = |f| scalar(f, "realization", Values::I32(vec![1]), "1");
    let two: fn(&mut File) = |f| scalar(f, "realization", Values::I32(vec![2]), "1");
    let parts = [
        member("d.nc", &[1.0], 9.0, two),
        member("a.nc", &[0.0], 0.0, one),
        member("c.nc", &[0.0], 6.0, two),
        member("b.nc", &[1.0], 3.0, one),
    ];
    let (_folder, dataset) = made(&parts, &Options::default()).unwrap();
    assert_eq!(shape(&dataset, "tas"), [2, 2, 3]);
    assert_eq!(values(&dataset, "realization"), Values::I32(vec![1, 2]));
    assert_eq!(values(&dataset, "tas"), Values::F32((0..12).map(|i| i as f32).collect()));
    assert_eq!(dataset.variable("tas").unwrap().attributes().get("coordinates"), None);
}

#[test]
fn a_new_dimension_takes_the_order_of_the_files() {
    let mut options = Options::default();
    options.new_dimension = Some("realization".into());
    let parts =
        [Part { base: 3.0, ..Part::new("z.nc", &[0.0]) }, Part { base: 0.0, ..Part::new("a.nc", &[0.0]) }];
    let (_folder, dataset) = made(&parts, &options).unwrap();
    assert_eq!(shape(&dataset, "tas"), [2, 1, 3]);
    assert_eq!(values(&dataset, "tas"), Values::F32(vec![3.0, 4.0, 5.0, 0.0, 1.0, 2.0]));
    assert_eq!(values(&dataset, "realization"), Values::I32(vec![0, 1]));
    let uneven = [Part::new("a.nc", &[0.0]), Part::new("b.nc", &[0.0]), Part::new("c.nc", &[1.0])];
    let (kind, message) = problem(&uneven, &options);
    assert_eq!(kind, Kind::Map);
    assert!(message.contains("2 files beside"), "{message}");
}

#[test]
fn a_dimension_without_coordinates_is_joined_on_request() {
    let bare: fn(&mut File) = |f| f.variables.retain(|v| v.name != "time");
    let parts = [
        Part { edit: bare, base: 6.0, ..Part::new("z.nc", &[0.0]) },
        Part { edit: bare, ..Part::new("a.nc", &[0.0, 1.0]) },
    ];
    let (kind, message) = problem(&parts, &Options::default());
    assert_eq!(kind, Kind::Map);
    assert!(message.contains("--dim time"), "{message}");
    let mut options = Options::default();
    options.dimensions = vec!["time".into()];
    let (_folder, dataset) = made(&parts, &options).unwrap();
    let expected = vec![6.0, 7.0, 8.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
    assert_eq!(values(&dataset, "tas"), Values::F32(expected));
    let tiles = [Part::new("a.nc", &[0.0]), Part { lat: vec![20.0], ..Part::new("b.nc", &[0.0]) }];
    let (kind, message) = problem(&tiles, &options);
    assert_eq!(kind, Kind::Map);
    assert!(message.contains("--dim"), "{message}");
}

/// Rotated pole, 2-D latitude and longitude, hybrid levels with surface pressure, height, cell areas, a flag variable.
fn cmip6(name: &'static str, time: f64, x: &'static [f64]) -> (String, File) {
    let mut file = File::default();
    for (dimension, size) in [("time", 1), ("lev", 2), ("rlat", 2), ("rlon", x.len() as u64), ("bnds", 2)] {
        file.add_dimension(dimension, size);
    }
    let n = x.len();
    let mut add = |v: Variable| file.variables.push(v);
    add(Variable::with_values("time", &["time"], Values::F64(vec![time]))
        .attribute("units", "days since 1850-01-01")
        .attribute("calendar", "360_day")
        .attribute("bounds", "time_bnds"));
    add(Variable::with_values("time_bnds", &["time", "bnds"], Values::F64(vec![time - 15.0, time + 15.0])));
    add(Variable::with_values("lev", &["lev"], Values::F64(vec![1.0, 0.5]))
        .attribute("standard_name", "atmosphere_hybrid_sigma_pressure_coordinate")
        .attribute("units", "1")
        .attribute("formula_terms", "ap: ap b: b ps: ps")
        .attribute("bounds", "lev_bnds"));
    add(Variable::with_values("lev_bnds", &["lev", "bnds"], Values::F64(vec![1.0, 0.75, 0.75, 0.0])));
    add(Variable::with_values("ap", &["lev"], Values::F64(vec![0.0, 5000.0])).attribute("units", "Pa"));
    add(Variable::with_values("b", &["lev"], Values::F64(vec![1.0, 0.5])));
    let place = |y: usize, i: usize| (y * 100) as f64 + x[i];
    let grid: Vec<f64> = (0..2).flat_map(|y| (0..n).map(move |i| place(y, i))).collect();
    let pressure = grid.iter().map(|g| (100_000.0 + g + time) as f32).collect();
    add(Variable::with_values("ps", &["time", "rlat", "rlon"], Values::F32(pressure))
        .attribute("units", "Pa"));
    add(Variable::with_values("rlat", &["rlat"], Values::F64(vec![0.0, 1.0]))
        .attribute("standard_name", "grid_latitude")
        .attribute("units", "degrees"));
    add(Variable::with_values("rlon", &["rlon"], Values::F64(x.to_vec()))
        .attribute("standard_name", "grid_longitude")
        .attribute("units", "degrees"));
    for coordinate in ["lat", "lon"] {
        add(Variable::with_values(coordinate, &["rlat", "rlon"], Values::F64(grid.clone()))
            .attribute("units", "degrees"));
    }
    add(Variable::with_values(
        "areacella",
        &["rlat", "rlon"],
        Values::F32(grid.iter().map(|g| *g as f32).collect()),
    )
    .attribute("units", "m2"));
    let pole = Variable::with_values("rotated_pole", &[], Values::I32(vec![0]));
    add(pole.attribute("grid_mapping_name", "rotated_latitude_longitude"));
    add(Variable::with_values("height", &[], Values::F64(vec![2.0]))
        .attribute("units", "m")
        .attribute("standard_name", "height"));
    let dimensions = ["time", "lev", "rlat", "rlon"];
    let values: Vec<f32> =
        (0..2).flat_map(|z| grid.iter().map(move |g| (time * 1000.0 + g) as f32 + z as f32 * 0.5)).collect();
    add(Variable::with_values("ta", &dimensions, Values::F32(values))
        .attribute("standard_name", "air_temperature")
        .attribute("units", "K")
        .attribute("coordinates", "lat lon height")
        .attribute("grid_mapping", "rotated_pole")
        .attribute("cell_measures", "area: areacella")
        .attribute("ancillary_variables", "ta_flag")
        .attribute("cell_methods", "time: mean"));
    add(Variable::with_values("ta_flag", &dimensions, Values::I8(vec![1; 4 * n]))
        .attribute("standard_name", "status_flag"));
    (name.to_owned(), file)
}

#[test]
fn rotated_pole_hybrid_levels_and_two_dimensional_coordinates_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (name, file) in [
        cmip6("d.nc", 45.0, &[2.0, 3.0, 4.0]),
        cmip6("a.nc", 15.0, &[0.0, 1.0]),
        cmip6("b.nc", 15.0, &[2.0, 3.0, 4.0]),
        cmip6("c.nc", 45.0, &[0.0, 1.0]),
    ] {
        paths.push(folder.path().join(name));
        write_file(&file, paths.last().unwrap(), Format::Netcdf4).unwrap();
    }
    let out = folder.path().join("agg.nc");
    let report = create(&out, &paths, &Options::default(), None).unwrap();
    let names: Vec<&str> = report.variables.iter().map(|v| &*v.name).collect();
    assert_eq!(names, ["ta", "ta_flag"]);
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(shape(&dataset, "ta"), [2, 2, 2, 5]);
    let ta = values(&dataset, "ta");
    let at = |t: usize, z: usize, y: usize, x: usize| ta.f64_at(((t * 2 + z) * 2 + y) * 5 + x).unwrap();
    assert_eq!(at(1, 1, 1, 4), 45_104.5);
    assert_eq!(at(0, 0, 1, 2), 15_102.0);
    assert_eq!(shape(&dataset, "ps"), [2, 2, 5]);
    assert!(dataset.variable("ps").unwrap().aggregation().unwrap().is_some());
    assert_eq!(values(&dataset, "ps").f64_at(19), Some(100_149.0));
    let grid: Vec<f64> = (0..2).flat_map(|y| (0..5).map(move |x| f64::from(y * 100 + x))).collect();
    assert_eq!(values(&dataset, "lat"), Values::F64(grid));
    assert_eq!(values(&dataset, "areacella").f64_at(9), Some(104.0));
    assert_eq!(values(&dataset, "time_bnds"), Values::F64(vec![0.0, 30.0, 30.0, 60.0]));
    assert_eq!(values(&dataset, "lev_bnds").len(), 4);
    assert_eq!(values(&dataset, "height"), Values::F64(vec![2.0]));
    assert_eq!(values(&dataset, "ap"), Values::F64(vec![0.0, 5000.0]));
    let ta = dataset.variable("ta").unwrap();
    for (name, text) in [
        ("coordinates", "lat lon height"),
        ("grid_mapping", "rotated_pole"),
        ("ancillary_variables", "ta_flag"),
    ] {
        assert_eq!(ta.attributes().text(name).unwrap(), text);
    }
    assert_eq!(
        dataset.variable("lev").unwrap().attributes().text("formula_terms").unwrap(),
        "ap: ap b: b ps: ps"
    );
    assert_eq!(
        dataset.variable("rotated_pole").unwrap().attributes().text("grid_mapping_name").unwrap(),
        "rotated_latitude_longitude"
    );
}

#[test]
fn variables_in_different_files_and_what_is_the_same_everywhere() {
    let with_orography: fn(&mut File) = |f| {
        f.variables.push(Variable::with_values("orog", &["lat"], Values::F32(vec![1.0, 2.0, 3.0])));
    };
    let rain: fn(&mut File) = |f| {
        let tas = data(f);
        tas.name = "pr".into();
        tas.attributes.set_text("standard_name", "precipitation_flux");
        tas.attributes.set_text("units", "kg m-2 s-1");
    };
    let parts = [
        Part { edit: with_orography, ..Part::new("a.nc", &[0.0, 1.0]) },
        Part { edit: with_orography, ..Part::new("b.nc", &[2.0]) },
        Part { edit: rain, ..Part::new("p.nc", &[0.0, 1.0, 2.0]) },
        Part {
            edit: |f| {
                data(f).attributes.set_text("standard_name", "snowfall_flux");
                data(f).name = "snow".into();
            },
            ..Part::new("s.nc", &[5.0])
        },
    ];
    let (_folder, dataset) = made(&parts, &Options::default()).unwrap();
    assert_eq!(values(&dataset, "orog"), Values::F32(vec![1.0, 2.0, 3.0]));
    assert!(dataset.variable("orog").unwrap().aggregation().unwrap().is_none());
    let dimensions = |name: &str| {
        let variable = dataset.variable(name).unwrap();
        variable.dimensions().unwrap().iter().map(|&d| dataset.dimension(d).name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(dimensions("tas"), dimensions("pr"));
    assert_eq!(dimensions("snow"), ["time_2", "lat"]);
    assert_eq!(values(&dataset, "time_2"), Values::F64(vec![5.0]));
    let mut only = Options::default();
    only.variables = vec!["pr".into()];
    let (_folder, dataset) = made(&parts, &only).unwrap();
    assert!(dataset.variable("tas").is_err());
    assert!(dataset.variable("pr").is_ok());
}

#[test]
fn another_name_with_the_same_standard_name_belongs_to_it() {
    let parts = [
        Part::new("a.nc", &[0.0]),
        Part { edit: |f| data(f).name = "t2m".into(), base: 3.0, ..Part::new("b.nc", &[1.0]) },
    ];
    let (_folder, dataset) = made(&parts, &Options::default()).unwrap();
    assert_eq!(values(&dataset, "tas"), Values::F32((0..6).map(|i| i as f32).collect()));
}

#[test]
fn labels_of_an_ensemble_are_ordered_naturally() {
    fn label(file: &mut File, text: &str) {
        file.add_dimension("chars", text.len() as u64);
        let v = Variable::with_values("member", &["chars"], Values::Char(text.as_bytes().to_vec()));
        file.variables.push(v);
        data(file).attributes.set_text("coordinates", "member");
    }
    let parts = [
        Part { edit: |f| label(f, "r10"), base: 3.0, ..Part::new("a.nc", &[0.0]) },
        Part { edit: |f| label(f, "r2"), ..Part::new("b.nc", &[0.0]) },
    ];
    let (_folder, dataset) = made(&parts, &Options::default()).unwrap();
    assert_eq!(shape(&dataset, "tas"), [2, 1, 3]);
    assert_eq!(values(&dataset, "member"), Values::Char(b"r2\0r10".to_vec()));
    assert_eq!(values(&dataset, "tas"), Values::F32((0..6).map(|i| i as f32).collect()));
}

#[test]
fn coordinates_are_aggregated_on_request() {
    let later = Part { units: "hours since 2001-01-01", base: 3.0, ..Part::new("b.nc", &[24.0]) };
    let mut options = Options::default();
    options.aggregate_coordinates = true;
    let (_folder, dataset) = made(&[Part::new("a.nc", &[0.0]), later], &options).unwrap();
    let time = dataset.variable("time").unwrap();
    assert!(time.aggregation().unwrap().is_some());
    assert_eq!(values(&dataset, "time"), Values::F64(vec![0.0, 1.0]));
}

#[test]
fn locations_are_as_asked_for() {
    let parts = || [Part::new("a.nc", &[0.0]), Part { base: 3.0, ..Part::new("b.nc", &[1.0]) }];
    let location = |locations: Locations, dialect| {
        let mut options = Options::default();
        options.locations = locations;
        options.dialect = dialect;
        let (_folder, dataset) = made(&parts(), &options).unwrap();
        let mut found = String::new();
        let look = |entry: cfa::inventory::Entry| {
            if let cfa::inventory::EntrySource::Versions(v) = entry.source {
                found = v[0].location.clone().unwrap();
            }
            Ok::<(), cfa::Error>(())
        };
        dataset.variable("tas").unwrap().for_each_fragment(look).unwrap();
        found
    };
    assert_eq!(location(Locations::Relative, Dialect::Cf113), "b.nc");
    let absolute = location(Locations::Absolute, Dialect::Cf113);
    assert!(absolute.starts_with("file:///") && absolute.ends_with("/b.nc"), "{absolute}");
    assert!(location(Locations::Absolute, Dialect::Cfa04).starts_with('/'));
    assert_eq!(location(Locations::Base("https://host/d".into()), Dialect::Cf113), "https://host/d/b.nc");
}

#[test]
fn an_update_equals_a_new_aggregation_and_does_not_read_old_files() {
    let bounded = |name, time: &[f64], base| Part { bounds: true, base, ..Part::new(name, time) };
    let parts =
        [bounded("a.nc", &[0.0, 1.0], 0.0), bounded("b.nc", &[2.0], 6.0), bounded("c.nc", &[3.0, 4.0], 9.0)];
    for dialect in [Dialect::Cf113, Dialect::Cfa062, Dialect::Cfa06b1, Dialect::CfaTerms, Dialect::Cfa04] {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = parts.iter().map(|p| p.write(folder.path())).collect();
        let (once, twice) = (folder.path().join("once.nc"), folder.path().join("twice.nc"));
        let mut options = Options::default();
        options.dialect = dialect;
        create(&once, &paths, &options, None).unwrap();
        create(&twice, &paths[1..2], &options, None).unwrap();
        let hidden = folder.path().join("hidden");
        fs::rename(&paths[1], &hidden).unwrap();
        // One after what is there, then one before it.
        update(&twice, &paths[2..], &Options::default(), None).unwrap();
        let report =
            update(&twice, &[paths[0].clone(), paths[2].clone()], &Options::default(), None).unwrap();
        assert!(report.notes.iter().any(|n| n.contains("1 of the files")), "{:?}", report.notes);
        fs::rename(&hidden, &paths[1]).unwrap();
        let (once, twice) = (Dataset::open(&once).unwrap(), Dataset::open(&twice).unwrap());
        for name in ["tas", "time", "time_bnds", "lat"] {
            assert_eq!(values(&once, name), values(&twice, name), "{dialect} {name}");
        }
        assert_eq!(twice.variable("tas").unwrap().aggregation().unwrap().unwrap().dialect, dialect);
        let history = twice.groups()[0].attributes.text("history").unwrap();
        assert_eq!(history.lines().count(), 3, "{history}");
    }
}

#[test]
fn an_update_adds_variables() {
    let folder = tempfile::tempdir().unwrap();
    let rain: fn(&mut File) = |f| {
        data(f).attributes.set_text("standard_name", "precipitation_flux");
        data(f).name = "pr".into();
    };
    let a = Part::new("a.nc", &[0.0]).write(folder.path());
    let p = Part { edit: rain, ..Part::new("p.nc", &[0.0]) }.write(folder.path());
    let out = folder.path().join("agg.nc");
    create(&out, &[a], &Options::default(), None).unwrap();
    update(&out, &[p], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "tas"), values(&dataset, "pr"));
    assert!(dataset.variable("time_2").is_err());
}

#[test]
fn a_fragment_that_changed_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = [Part::new("a.nc", &[0.0]), Part::new("b.nc", &[1.0])]
        .iter()
        .map(|p| p.write(folder.path()))
        .collect();
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.record_state = true;
    for format in [Format::Netcdf4, Format::Classic] {
        options.format = format;
        create(&out, &paths, &options, None).unwrap();
        let dataset = Dataset::open(&out).unwrap();
        values(&dataset, "tas");
        assert_eq!(dataset.warnings(), [""; 0]);
        assert!(!dataset.variables().iter().any(|v| v.name().starts_with("fragment")));
    }
    std::thread::sleep(std::time::Duration::from_millis(20));
    Part { base: 50.0, ..Part::new("b.nc", &[1.0]) }.write(folder.path());
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "tas").f64_at(3), Some(50.0));
    assert!(
        dataset.warnings().iter().any(|w| w.contains("b.nc") && w.contains("written again")),
        "{:?}",
        dataset.warnings()
    );
    let strict = OpenOptions::default().changed_fragments(ChangedFragments::Error);
    let tas = Dataset::open_with(&out, &strict).unwrap().variable("tas").unwrap();
    assert!(tas.read_values(&Selection::block(&[0, 0], &[1, 3], &[2, 3]).unwrap()).is_ok());
    let error = tas.read_values(&Selection::all(&[2, 3])).unwrap_err();
    assert!(error.to_string().contains("CHANGED_FRAGMENTS"), "{error}");
    // An update keeps the record and adds to it.
    let c = Part { base: 9.0, ..Part::new("c.nc", &[2.0]) }.write(folder.path());
    update(&out, &[c], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    values(&dataset, "tas");
    assert_eq!(dataset.warnings().len(), 1);
}

#[test]
fn aggregations_can_be_aggregated() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name, time: &[f64], base| Part { base, ..Part::new(name, time) }.write(folder.path());
    let year: Vec<PathBuf> = vec![write("a.nc", &[0.0], 0.0), write("b.nc", &[1.0], 3.0)];
    let first = folder.path().join("first.nc");
    create(&first, &year, &Options::default(), None).unwrap();
    let last = write("c.nc", &[2.0], 6.0);
    let out = folder.path().join("all.nc");
    create(&out, &[last, first], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "tas"), Values::F32((0..9).map(|i| i as f32).collect()));
    assert_eq!(dataset.variable("tas").unwrap().aggregation().unwrap().unwrap().grid.fragments(), [2, 1]);
}

fn cfa(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cfa")).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn the_command_line_takes_lists_patterns_and_directories_and_shows_the_grid() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    for (name, time) in [("in/a1.nc", 0.0), ("in/a2.nc", 1.0), ("in/a10.nc", 2.0)] {
        Part { base: time * 3.0, ..Part::new(name, &[time]) }.write(folder.path());
    }
    fs::write(folder.path().join("list.txt"), "in/a1.nc\nin/a2.nc\nin/a10.nc\n").unwrap();
    let dry = cfa(folder.path(), &["create", "out.nc", "in", "--dry-run"]);
    let text = String::from_utf8(dry.stdout).unwrap();
    assert!(text.contains("tas(time=3, lat=3)  3 fragments") && text.contains("in/a10.nc"), "{text}");
    assert!(text.contains("not written"), "{text}");
    assert!(!folder.path().join("out.nc").exists());
    for argument in ["in", "in/*.nc", "@list.txt", "in/a[0-9]*.n?"] {
        let output = cfa(folder.path(), &["create", "out.nc", argument, "--quiet"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
        let dataset = Dataset::open(folder.path().join("out.nc")).unwrap();
        assert_eq!(values(&dataset, "tas"), Values::F32((0..9).map(|i| i as f32).collect()));
    }
    let output = cfa(folder.path(), &["create", "out.nc", "in/a1.nc", "in/a1.nc", "none.nc"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none.nc"));
    let output = cfa(
        folder.path(),
        &["create", "out.nc", "in", "--dialect", "CFA-0.6.2", "--format", "classic", "--absolute"],
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = cfa(folder.path(), &["create", "out.nc", "in", "--update"]);
    assert!(!output.status.success());
}

#[test]
fn a_plan_writes_nothing_and_tells_the_parts() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = [Part::new("a.nc", &[0.0, 1.0]), Part::new("b.nc", &[2.0])]
        .iter()
        .map(|p| p.write(folder.path()))
        .collect();
    let out = folder.path().join("agg.nc");
    let report = plan(&out, &paths, &Options::default(), None).unwrap();
    assert!(!out.exists());
    let time = &report.variables[0].dimensions[0];
    assert_eq!((time.size, time.parts.len(), time.parts[0].0), (3, 2, 2));
    assert_eq!(time.parts[0].1, "0 to 1");
}
