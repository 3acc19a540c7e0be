//! Every way in which files do not fit together.

use std::fs;

use cfa::create::{create, Options};
use cfa::internals::write::{File, Variable};
use cfa::{Kind, Values};

use super::parts::*;

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
    refused(&parts, Kind::Map, &["no file has time 1 (2001-01-02 00:00:00), lat 20 to 30", "c.nc", "b.nc"]);
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
    let stop = |_, total| total == 0;
    assert_eq!(create(&out, &[good], &Options::default(), Some(&stop)).unwrap_err().kind(), Kind::Cancelled);
    assert!(!out.exists());
}

#[test]
fn files_without_coordinates_are_refused_with_a_way_out() {
    let bare: fn(&mut File) = |f| f.variables.retain(|v| v.name != "time");
    let parts = [
        Part { edit: bare, ..Part::new("a.nc", &[0.0]) },
        Part { edit: bare, base: 3.0, ..Part::new("b.nc", &[0.0]) },
    ];
    refused(&parts, Kind::Map, &["a.nc", "b.nc", "--dim time"]);
}

#[test]
fn a_variable_without_data_is_passed_over() {
    let empty: fn(&mut File) = |f| {
        f.dimensions.push(cfa::internals::write::Dimension { name: "none".into(), size: 0, unlimited: true });
        f.variables.push(Variable::with_values("gone", &["none"], Values::F32(vec![])));
    };
    let (_folder, dataset) =
        made(&[Part { edit: empty, ..Part::new("a.nc", &[0.0]) }], &Options::default()).unwrap();
    assert!(dataset.variable("gone").is_err());
}

#[test]
fn the_same_numbers_in_other_units_are_not_the_same_in_all_files() {
    let metres: fn(&mut File) = |f| height(f, "m");
    let kilometres: fn(&mut File) = |f| height(f, "km");
    let a = Part { edit: metres, ..Part::new("a.nc", &[0.0]) };
    let b = Part { edit: kilometres, ..Part::new("b.nc", &[1.0]) };
    refused(&[a, b], Kind::Map, &["orog", "a.nc", "b.nc", "same coordinates"]);
    let packed: fn(&mut File) = |f| {
        height(f, "m");
        let orog = f.variables.iter_mut().find(|v| v.name == "orog").unwrap();
        orog.attributes.set("scale_factor", Values::F64(vec![0.1]));
    };
    let b = Part { edit: packed, ..Part::new("b.nc", &[1.0]) };
    refused(&[Part { edit: metres, ..Part::new("a.nc", &[0.0]) }, b], Kind::Map, &["orog", "a.nc", "b.nc"]);
}

/// A height of the ground, which does not change.
fn height(file: &mut File, units: &str) {
    let orog = Variable::with_values("orog", &["lat"], Values::F32(vec![1.0, 2.0, 3.0]));
    file.variables.push(orog.attribute("units", units));
}
