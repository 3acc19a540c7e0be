//! Aggregations of realistic files.

use std::path::PathBuf;

use cfa::create::{create, plan, Locations, Options};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::Dialect;
use cfa::{Dataset, Kind, Values};

use super::parts::*;

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
fn february_is_as_long_as_its_year_and_calendar_say() {
    for (calendar, february, march, days) in [
        ("standard", "days since 2000-02-01", "days since 2000-03-01", 29),
        ("standard", "days since 1900-02-01", "days since 1900-03-01", 28),
        ("julian", "days since 1900-02-01", "days since 1900-03-01", 29),
        ("noleap", "days since 2000-02-01", "days since 2000-03-01", 28),
        ("all_leap", "days since 2001-02-01", "days since 2001-03-01", 29),
        ("360_day", "days since 2001-02-01", "days since 2001-03-01", 30),
    ] {
        let time: Vec<f64> = (0..days).map(f64::from).collect();
        let parts = [
            Part { units: march, calendar, base: 9e3, ..Part::new("march.nc", &[0.0, 1.0]) },
            Part { units: february, calendar, ..Part::new("february.nc", &time) },
        ];
        let (_folder, dataset) = made(&parts, &Options::default()).unwrap();
        let expected = (0..days + 2).map(f64::from).collect();
        assert_eq!(values(&dataset, "time"), Values::F64(expected), "{calendar} {february}");
        assert_eq!(dataset.variable("time").unwrap().attributes().text("units").unwrap(), february);
        assert_eq!(values(&dataset, "tas").f64_at(3 * days as usize), Some(9e3));
    }
}

#[test]
fn attributes_that_differ_are_left_out_with_a_note() {
    let parts = [
        Part { edit: |f| data(f).attributes.set_text("long_name", "x"), ..Part::new("a.nc", &[0.0]) },
        Part::new("b.nc", &[1.0]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = parts.iter().map(|p| p.write(folder.path())).collect();
    let out = folder.path().join("agg.nc");
    let report = create(&out, &paths, &Options::default(), None).unwrap();
    let has = |words: &[&str]| report.notes.iter().any(|n| words.iter().all(|w| n.contains(w)));
    assert!(has(&["'tas'", "left out", "long_name"]), "{:?}", report.notes);
    assert!(has(&["global attributes", "left out", "tracking_id"]), "{:?}", report.notes);
    let dataset = Dataset::open(&out).unwrap();
    let tas = dataset.variable("tas").unwrap();
    assert_eq!(tas.attributes().get("long_name"), None);
    assert_eq!(tas.attributes().text("standard_name").unwrap(), "air_temperature");
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
    assert!(message.contains("2 files at the place of"), "{message}");
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
        let look = |entry: cfa::Entry| {
            if let cfa::EntrySource::Versions(v) = entry.source {
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

#[cfg(unix)]
#[test]
fn behind_a_link_names_are_relative_to_the_file_itself() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["data", "store", "links/deep"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let part =
        |name, day: f64| Part { base: day, ..Part::new(name, &[day]) }.write(&folder.path().join("data"));
    let paths = [part("a.nc", 0.0), part("b.nc", 1.0)];
    let (out, link) = (folder.path().join("store/agg.nc"), folder.path().join("links/deep/agg.nc"));
    create(&out, &paths[..1], &Options::default(), None).unwrap();
    std::os::unix::fs::symlink("../../store/agg.nc", &link).unwrap();
    cfa::create::update(&link, &paths[1..], &Options::default(), None).unwrap();
    assert_eq!(shape(&Dataset::open(&link).unwrap(), "tas"), [2, 3]);
    std::fs::remove_dir_all(folder.path().join("links")).unwrap();
    let expected = Values::F32([0.0, 1.0, 2.0, 1.0, 2.0, 3.0].to_vec());
    assert_eq!(values(&Dataset::open(&out).unwrap(), "tas"), expected);
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
    let (size, coordinates, _) = time.parts.iter().next().unwrap();
    assert_eq!((time.size, time.parts.len(), size), (3, 2, 2));
    assert_eq!(coordinates, "0 to 1 (2001-01-01 00:00:00 to 2001-01-02 00:00:00)");
}
