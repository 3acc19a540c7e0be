//! Bounds follow their coordinate: its units, its calendar and its dimensions.

use std::path::{Path, PathBuf};

use cfa::check::{check, Options as CheckOptions};
use cfa::create::{create, update, Options};
use cfa::internals::canonical::TimeUnits;
use cfa::internals::write::{write_file, File, Format, Group, Variable};
use cfa::{Dataset, Kind, Values};

use super::parts::{shape, values, without_folders};

/// A file with times and their cells.
#[derive(Clone)]
struct Series {
    name: &'static str,
    data: &'static str,
    time: Vec<f64>,
    units: &'static str,
    calendar: Option<&'static str>,
    cells: Vec<f64>,
    /// The attribute that names the cells.
    naming: &'static str,
    /// Units and calendar of the cells themselves.
    own: (Option<&'static str>, Option<&'static str>),
    scalar: bool,
    edit: fn(&mut File),
}

impl Series {
    fn new(name: &'static str, units: &'static str, time: &[f64], cells: &[f64]) -> Series {
        Series {
            name,
            data: "tas",
            time: time.to_vec(),
            units,
            calendar: None,
            cells: cells.to_vec(),
            naming: "bounds",
            own: (None, None),
            scalar: false,
            edit: |_| {},
        }
    }

    fn write(&self, folder: &Path) -> PathBuf {
        let mut file = File::default();
        let along: &[&str] = if self.scalar { &[] } else { &["time"] };
        if !self.scalar {
            file.add_dimension("time", self.time.len() as u64);
        }
        let mut time = Variable::with_values("time", along, Values::F64(self.time.clone()))
            .attribute("units", self.units)
            .attribute("standard_name", "time");
        if let Some(calendar) = self.calendar {
            time.attributes.set_text("calendar", calendar);
        }
        if !self.cells.is_empty() {
            let vertices = self.cells.len() / self.time.len();
            file.add_dimension("bnds", vertices as u64);
            time.attributes.set_text(self.naming, "time_bnds");
            let dimensions = [along, &["bnds"]].concat();
            let mut cells = Variable::with_values("time_bnds", &dimensions, Values::F64(self.cells.clone()));
            for (name, text) in [("units", self.own.0), ("calendar", self.own.1)] {
                if let Some(text) = text {
                    cells.attributes.set_text(name, text);
                }
            }
            file.variables.push(cells);
        }
        file.variables.push(time);
        let values = Values::F32(self.time.iter().map(|&t| t as f32).collect());
        let mut data = Variable::with_values(self.data, along, values).attribute("long_name", self.data);
        if self.scalar {
            data.attributes.set_text("coordinates", "time");
        }
        file.variables.push(data);
        (self.edit)(&mut file);
        let path = folder.join(self.name);
        write_file(&file, &path, Format::Netcdf4).unwrap();
        path
    }
}

struct Made {
    _folder: tempfile::TempDir,
    dataset: Dataset,
}

impl Made {
    /// A coordinate or its bounds as dates.
    fn dates(&self, name: &str) -> Vec<String> {
        let variable = self.dataset.variable(name).unwrap();
        let parent = self.dataset.variable("time").unwrap();
        let text = |n: &str| variable.attributes().text(n).or_else(|| parent.attributes().text(n));
        let units = TimeUnits::parse(&text("units").unwrap(), text("calendar").as_deref()).unwrap();
        let values = values(&self.dataset, name);
        (0..values.len()).map(|i| units.decode(values.f64_at(i).unwrap()).unwrap().to_string()).collect()
    }
}

fn try_make(parts: &[Series], options: &Options) -> cfa::Result<Made> {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = parts.iter().map(|p| p.write(folder.path())).collect();
    let out = folder.path().join("agg.nc");
    create(&out, &paths, options, None)?;
    is_sound(&out);
    Ok(Made { dataset: Dataset::open(&out).unwrap(), _folder: folder })
}

#[track_caller]
fn make(parts: &[Series]) -> Made {
    try_make(parts, &Options::default()).unwrap()
}

/// Checks that the file has nothing against the rules, and that bounds in other units than their times say so.
#[track_caller]
fn is_sound(out: &Path) {
    let report = check(out, &CheckOptions { fragments: true, ..CheckOptions::default() }).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
}

const YEARS: [(&str, &str); 3] =
    [("a.nc", "days since 2000-01-01"), ("b.nc", "days since 2001-01-01"), ("c.nc", "days since 2002-01-01")];

fn allow_gaps() -> Options {
    let mut options = Options::default();
    options.allow_gaps = true;
    options
}

#[test]
fn bounds_without_units_take_those_of_their_times() {
    for (naming, scalar) in
        [("bounds", true), ("climatology", true), ("bounds", false), ("climatology", false)]
    {
        let parts = YEARS.map(|(name, units)| Series {
            naming,
            scalar,
            ..Series::new(name, units, &[15.5], &[0.0, 31.0])
        });
        let made = try_make(&parts, &allow_gaps()).unwrap();
        assert_eq!(values(&made.dataset, "time"), Values::F64(vec![15.5, 381.5, 746.5]));
        assert_eq!(shape(&made.dataset, "time_bnds"), [3, 2], "{naming} {scalar}");
        let cells = vec![0.0, 31.0, 366.0, 397.0, 731.0, 762.0];
        assert_eq!(values(&made.dataset, "time_bnds"), Values::F64(cells), "{naming} {scalar}");
        assert_eq!(made.dataset.variable("time_bnds").unwrap().attributes().get("units"), None);
    }
}

#[test]
fn bounds_take_units_of_any_length() {
    let units = ["days since 2000-01-01", "hours since 2000-02-01", "minutes since 2000-03-01 06:00"];
    for scalar in [true, false] {
        let part = |i: usize, time: f64, cells: [f64; 2]| Series {
            scalar,
            ..Series::new(YEARS[i].0, units[i], &[time], &cells)
        };
        let made =
            make(&[part(0, 15.5, [0.0, 31.0]), part(1, 0.0, [0.0, 696.0]), part(2, 0.0, [-360.0, 44280.0])]);
        assert_eq!(
            made.dates("time_bnds").iter().map(|d| &d[..10]).collect::<Vec<_>>(),
            ["2000-01-01", "2000-02-01", "2000-02-01", "2000-03-01", "2000-03-01", "2000-04-01"]
        );
    }
}

#[test]
fn bounds_have_the_dimension_of_their_times_also_when_they_are_the_same() {
    let at = |name, time| Series {
        scalar: true,
        ..Series::new(name, "days since 2000-01-01", &[time], &[0.0, 30.0])
    };
    let made = make(&[at("a.nc", 5.0), at("b.nc", 10.0), at("c.nc", 20.0)]);
    assert_eq!(shape(&made.dataset, "time_bnds"), [3, 2]);
    assert_eq!(values(&made.dataset, "time_bnds"), Values::F64([0.0, 30.0].repeat(3)));
}

#[test]
fn bounds_with_units_of_their_own_are_brought_to_those_of_their_times() {
    let first = Series::new("a.nc", "days since 2000-01-01", &[0.5], &[0.0, 1.0]);
    let mut second = Series::new("b.nc", "days since 2000-01-02", &[0.5], &[8760.0, 8784.0]);
    second.own = (Some("hours since 1999-01-02"), None);
    for parts in [[first.clone(), second.clone()], [second.clone(), first]] {
        let made = make(&parts);
        assert_eq!(values(&made.dataset, "time_bnds"), Values::F64(vec![0.0, 1.0, 1.0, 2.0]));
        let attributes = made.dataset.variable("time_bnds").unwrap().attributes().clone();
        assert!(attributes.text("units").is_none_or(|u| u == "days since 2000-01-01"), "{attributes:?}");
    }
    let third = Series {
        own: (Some("hours since 1999-01-02"), None),
        ..Series::new("c.nc", "days since 2000-01-03", &[0.5], &[8784.0, 8808.0])
    };
    let made = make(&[second, third]);
    assert_eq!(
        made.dates("time_bnds"),
        ["2000-01-02", "2000-01-03", "2000-01-03", "2000-01-04"].map(|d| format!("{d} 00:00:00"))
    );
    assert_eq!(
        made.dataset.variable("time_bnds").unwrap().attributes().text("units").unwrap(),
        "days since 2000-01-02"
    );
}

#[test]
fn bounds_take_the_calendar_of_their_times() {
    for own in
        [(None, None), (Some("days since 2000-03-01"), None), (Some("days since 2000-03-01"), Some("noleap"))]
    {
        let february = Series {
            calendar: Some("noleap"),
            ..Series::new("a.nc", "days since 2000-02-01", &[14.0], &[0.0, 28.0])
        };
        let march = Series {
            calendar: Some("noleap"),
            own,
            ..Series::new("b.nc", "days since 2000-03-01", &[15.0], &[0.0, 31.0])
        };
        let made = make(&[february, march]);
        assert_eq!(values(&made.dataset, "time_bnds"), Values::F64(vec![0.0, 28.0, 28.0, 59.0]), "{own:?}");
    }
}

#[test]
fn integers_whose_epochs_differ_stay_exact() {
    let whole: fn(&mut File) = |f| {
        for variable in f.variables.iter_mut().filter(|v| v.name.starts_with("time")) {
            if let cfa::internals::write::Data::Values(Values::F64(list)) = &variable.data {
                let values = Values::I32(list.iter().map(|&x| x as i32).collect());
                variable.data_type = values.data_type();
                variable.data = cfa::internals::write::Data::Values(values);
            }
        }
    };
    let hours =
        Series { edit: whole, ..Series::new("a.nc", "hours since 2000-01-01", &[12.0], &[0.0, 24.0]) };
    let days = Series { edit: whole, ..Series::new("b.nc", "hours since 2000-01-02", &[12.0], &[0.0, 24.0]) };
    let made = make(&[hours, days]);
    let cells: Vec<f64> = (0..4).map(|i| values(&made.dataset, "time_bnds").f64_at(i).unwrap()).collect();
    assert_eq!(cells, [0.0, 24.0, 24.0, 48.0]);
}

#[test]
fn months_with_an_epoch_each_have_no_gap() {
    let months = [
        Series::new("a.nc", "days since 2000-01-01", &[15.5], &[0.0, 31.0]),
        Series::new("b.nc", "days since 2000-02-01", &[14.5], &[0.0, 29.0]),
        Series::new("c.nc", "days since 2000-03-01", &[15.5], &[0.0, 31.0]),
        Series::new("d.nc", "days since 2000-04-01", &[15.0], &[0.0, 30.0]),
        Series::new("e.nc", "days since 2000-05-01", &[15.5], &[0.0, 31.0]),
    ];
    let made = make(&months);
    assert_eq!(shape(&made.dataset, "tas"), [5]);
    // The same with a month missing.
    let error = try_make(&[&months[..2], &months[3..]].concat(), &Options::default()).err().unwrap();
    let message = error.to_string();
    for word in ["b.nc", "d.nc", "2000-03-01", "2000-04-01", "--allow-gaps"] {
        assert!(message.contains(word), "{word}: {message}");
    }
}

#[test]
fn days_with_an_epoch_each_are_judged_as_days_of_one_epoch() {
    let each = [
        Series::new("a.nc", "days since 2000-01-01", &[0.5], &[0.0, 1.0]),
        Series::new("b.nc", "days since 2000-01-02", &[0.5], &[0.0, 1.0]),
        Series::new("c.nc", "days since 2000-01-09", &[0.5], &[0.0, 1.0]),
    ];
    let one = [
        Series::new("a.nc", "days since 2000-01-01", &[0.5], &[0.0, 1.0]),
        Series::new("b.nc", "days since 2000-01-01", &[1.5], &[1.0, 2.0]),
        Series::new("c.nc", "days since 2000-01-01", &[8.5], &[8.0, 9.0]),
    ];
    let messages = [each, one].map(|parts| {
        let scalars = parts.clone().map(|p| Series { scalar: true, ..p });
        for parts in [&parts, &scalars] {
            let error = try_make(parts, &Options::default()).err().unwrap();
            assert_eq!(error.kind(), Kind::Map, "{error}");
        }
        let message = try_make(&parts, &Options::default()).err().unwrap().to_string();
        without_folders(&message)
    });
    assert_eq!(messages[0], messages[1]);
}

#[test]
fn times_of_variables_are_shared_when_they_mean_the_same() {
    let tas = |name, units, time: &[f64], cells: &[f64]| Series::new(name, units, time, cells);
    let pr = |name, units, time: &[f64], cells: &[f64]| Series {
        data: "pr",
        ..Series::new(name, units, time, cells)
    };
    // The same numbers, a year apart.
    let made = make(&[
        tas("a.nc", "days since 2000-01-01", &[0.5], &[0.0, 1.0]),
        tas("b.nc", "days since 2000-01-01", &[1.5], &[1.0, 2.0]),
        pr("c.nc", "days since 2001-01-01", &[0.5], &[0.0, 1.0]),
        pr("d.nc", "days since 2001-01-01", &[1.5], &[1.0, 2.0]),
    ]);
    let time = |v: &str| {
        let variable = made.dataset.variable(v).unwrap();
        let dimension = variable.dimensions().unwrap()[0];
        let time = made.dataset.variable(&made.dataset.dimension_path(dimension)).unwrap();
        let bounds = made.dataset.variable(&time.attributes().text("bounds").unwrap()).unwrap();
        (time.attributes().text("units").unwrap(), bounds.dimensions().unwrap()[0] == dimension)
    };
    assert_eq!(time("tas"), ("days since 2000-01-01".to_owned(), true));
    assert_eq!(time("pr"), ("days since 2001-01-01".to_owned(), true));
    // The same days, from another epoch and in hours.
    let made = make(&[
        tas("a.nc", "days since 2000-01-01", &[0.5], &[0.0, 1.0]),
        tas("b.nc", "days since 2000-01-01", &[1.5], &[1.0, 2.0]),
        pr("c.nc", "hours since 1999-12-31", &[36.0], &[24.0, 48.0]),
        pr("d.nc", "hours since 1999-12-31", &[60.0], &[48.0, 72.0]),
    ]);
    let dimension = |v: &str| made.dataset.variable(v).unwrap().dimensions().unwrap()[0];
    assert_eq!(dimension("tas"), dimension("pr"));
    let names: Vec<String> = made.dataset.variables().iter().map(|v| v.name().to_owned()).collect();
    assert_eq!(names.iter().filter(|n| n.starts_with("time")).count(), 2, "{names:?}");
}

#[test]
fn the_same_times_with_other_bounds_are_another_coordinate() {
    let day = Series::new("a.nc", "days since 2000-01-01", &[15.0], &[14.5, 15.5]);
    let month = Series { data: "pr", ..Series::new("b.nc", "days since 2000-01-01", &[15.0], &[0.0, 30.0]) };
    let bare = Series { data: "ps", ..Series::new("c.nc", "days since 2000-01-01", &[15.0], &[]) };
    let made = make(&[day, month, bare]);
    let bounds = |v: &str| {
        let dimension = made.dataset.variable(v).unwrap().dimensions().unwrap()[0];
        let time = made.dataset.variable(&made.dataset.dimension_path(dimension)).unwrap();
        time.attributes().text("bounds").map(|name| values(&made.dataset, &name))
    };
    assert_eq!(bounds("tas"), Some(Values::F64(vec![14.5, 15.5])));
    assert_eq!(bounds("pr"), Some(Values::F64(vec![0.0, 30.0])));
    assert_eq!(bounds("ps"), None);
}

/// A scalar coordinate of the file with bounds.
fn lead(file: &mut File, value: f64, cell: [f64; 2], units: &str) {
    let lead = Variable::with_values("lead", &[], Values::F64(vec![value]));
    file.variables.push(lead.attribute("units", units).attribute("bounds", "lead_bnds"));
    file.variables.push(Variable::with_values("lead_bnds", &["bnds"], Values::F64(cell.to_vec())));
    let data = file.variables.iter_mut().find(|v| v.name == "tas").unwrap();
    data.attributes.set_text("coordinates", "lead");
}

#[test]
fn bounds_of_a_scalar_coordinate_lie_along_the_dimension_that_it_gets() {
    let edits: [[fn(&mut File); 2]; 3] = [
        [|f| lead(f, 6.0, [0.0, 12.0], "hours"), |f| lead(f, 18.0, [12.0, 24.0], "hours")],
        // The same numbers in other units, and the same coordinate with other bounds.
        [|f| lead(f, 6.0, [0.0, 12.0], "hours"), |f| lead(f, 6.0, [0.0, 12.0], "days")],
        [|f| lead(f, 6.0, [0.0, 12.0], "hours"), |f| lead(f, 6.0, [3.0, 9.0], "hours")],
    ];
    let expected = [
        (vec![6.0, 6.0, 18.0], vec![0.0, 12.0, 0.0, 12.0, 12.0, 24.0]),
        (vec![6.0, 6.0, 144.0], vec![0.0, 12.0, 0.0, 12.0, 0.0, 288.0]),
        (vec![6.0, 6.0, 6.0], vec![0.0, 12.0, 0.0, 12.0, 3.0, 9.0]),
    ];
    for (edit, (leads, cells)) in edits.iter().zip(expected) {
        let a = Series {
            edit: edit[0],
            ..Series::new("a.nc", "days since 2000-01-01", &[0.5, 1.5], &[0.0, 1.0, 1.0, 2.0])
        };
        let b = Series { edit: edit[1], ..Series::new("b.nc", "days since 2000-01-03", &[0.5], &[0.0, 1.0]) };
        let made = make(&[a, b]);
        assert_eq!(values(&made.dataset, "lead"), Values::F64(leads));
        assert_eq!(values(&made.dataset, "lead_bnds"), Values::F64(cells));
    }
}

#[test]
fn bounds_that_differ_for_the_same_coordinates_are_named() {
    let tall: fn(&mut File) = |f| latitudes(f, [0.0, 10.0, 10.0, 20.0]);
    let flat: fn(&mut File) = |f| latitudes(f, [0.0, 10.0, 10.0, 30.0]);
    let a = Series { edit: tall, ..Series::new("a.nc", "days since 2000-01-01", &[0.5], &[]) };
    let b = Series { edit: flat, ..Series::new("b.nc", "days since 2000-01-02", &[0.5], &[]) };
    let error = try_make(&[a, b], &Options::default()).err().unwrap();
    assert!(error.to_string().contains("'lat_bnds' differs between"), "{error}");
}

fn latitudes(file: &mut File, cells: [f64; 4]) {
    file.add_dimension("lat", 2);
    file.add_dimension("bnds", 2);
    let lat = Variable::with_values("lat", &["lat"], Values::F64(vec![5.0, 15.0]));
    file.variables.push(lat.attribute("units", "degrees_north").attribute("bounds", "lat_bnds"));
    file.variables.push(Variable::with_values("lat_bnds", &["lat", "bnds"], Values::F64(cells.to_vec())));
    let data = file.variables.iter_mut().find(|v| v.name == "tas").unwrap();
    data.dimensions.push("lat".into());
    data.data = cfa::internals::write::Data::Values(Values::F32(vec![1.0, 2.0]));
}

#[test]
fn an_update_takes_the_units_of_times_for_their_bounds() {
    for scalar in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let months = [
            ("a.nc", "days since 2000-01-01", 15.5, 31.0),
            ("b.nc", "days since 2000-02-01", 14.5, 29.0),
            ("c.nc", "days since 2000-03-01", 15.5, 31.0),
        ];
        let paths = months.map(|(name, units, time, length)| {
            Series { scalar, ..Series::new(name, units, &[time], &[0.0, length]) }.write(folder.path())
        });
        let out = folder.path().join("agg.nc");
        create(&out, &paths[1..2], &Options::default(), None).unwrap();
        if !scalar {
            update(&out, &paths[2..], &Options::default(), None).unwrap();
            update(&out, &paths[..1], &Options::default(), None).unwrap();
            is_sound(&out);
            let dataset = Dataset::open(&out).unwrap();
            assert_eq!(values(&dataset, "time"), Values::F64(vec![15.5, 45.5, 75.5]));
            assert_eq!(values(&dataset, "time_bnds"), Values::F64(vec![0.0, 31.0, 31.0, 60.0, 60.0, 91.0]));
        } else {
            create(&out, &paths[1..], &Options::default(), None).unwrap();
            update(&out, &paths[..1], &Options::default(), None).unwrap();
            is_sound(&out);
            let dataset = Dataset::open(&out).unwrap();
            assert_eq!(values(&dataset, "time_bnds"), Values::F64(vec![0.0, 31.0, 31.0, 60.0, 60.0, 91.0]));
        }
    }
}

#[test]
fn aggregated_coordinates_have_bounds_in_their_units() {
    let mut options = Options::default();
    options.aggregate_coordinates = true;
    for own in [None, Some(())] {
        let parts =
            [("a.nc", "days since 2000-01-01"), ("b.nc", "days since 2000-01-02")].map(|(name, units)| {
                Series {
                    own: (own.map(|()| units), None),
                    calendar: Some("noleap"),
                    ..Series::new(name, units, &[0.5], &[0.0, 1.0])
                }
            });
        let made = try_make(&parts, &options).unwrap();
        assert_eq!(values(&made.dataset, "time"), Values::F64(vec![0.5, 1.5]));
        assert_eq!(values(&made.dataset, "time_bnds"), Values::F64(vec![0.0, 1.0, 1.0, 2.0]), "{own:?}");
    }
}

#[test]
fn long_files_are_told_apart_by_the_units_of_their_times() {
    // More numbers than are kept in memory for comparison.
    let hours: Vec<f64> = (0..10_000).map(|i| f64::from(i) + 0.5).collect();
    let cells: Vec<f64> = (0..10_000).flat_map(|i| [f64::from(i), f64::from(i + 1)]).collect();
    let a = Series::new("a.nc", "hours since 2000-01-01", &hours, &cells);
    let b = Series::new("b.nc", "hours since 2001-02-20 16:00", &hours, &cells);
    let made = make(&[b.clone(), a.clone()]);
    let found = values(&made.dataset, "time_bnds");
    assert_eq!(
        (found.len(), found.f64_at(20_000), found.f64_at(39_999)),
        (40_000, Some(10_000.0), Some(20_000.0))
    );
    let late = Series { units: "hours since 2001-02-20 17:00", ..b };
    let message = try_make(&[a, late], &Options::default()).err().unwrap().to_string();
    assert!(message.contains("gap") && message.contains("2001-02-20 17:00:00"), "{message}");
}

#[test]
fn bounds_in_groups_take_the_units_of_their_times() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = YEARS
        .iter()
        .map(|(name, units)| {
            let mut file = File::default();
            let mut group = Group { name: "g".into(), ..Group::default() };
            group.add_dimension("bnds", 2);
            let time = Variable::with_values("time", &[], Values::F64(vec![15.5]));
            group.variables.push(time.attribute("units", *units).attribute("bounds", "time_bnds "));
            group.variables.push(Variable::with_values("time_bnds", &["bnds"], Values::F64(vec![0.0, 31.0])));
            let tas = Variable::with_values("tas", &[], Values::F32(vec![1.0]));
            group.variables.push(tas.attribute("coordinates", "time").attribute("units", "K"));
            file.groups.push(group);
            let path = folder.path().join(name);
            write_file(&file, &path, Format::Netcdf4).unwrap();
            path
        })
        .collect();
    let out = folder.path().join("agg.nc");
    create(&out, &paths, &allow_gaps(), None).unwrap();
    is_sound(&out);
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "/g/time"), Values::F64(vec![15.5, 381.5, 746.5]));
    assert_eq!(values(&dataset, "/g/time_bnds"), Values::F64(vec![0.0, 31.0, 366.0, 397.0, 731.0, 762.0]));
}

#[test]
fn bounds_that_name_bounds_in_their_turn_are_no_trap() {
    // Bounds that name themselves, their coordinate, each other, data, and nothing.
    for named in ["time_bnds", "time", "other", "tas", "nothing"] {
        for scalar in [true, false] {
            let edit: fn(&mut File) = match named {
                "time_bnds" => |f| name_bounds(f, "time_bnds"),
                "time" => |f| name_bounds(f, "time"),
                "tas" => |f| name_bounds(f, "tas"),
                "other" => |f| {
                    name_bounds(f, "other");
                    f.add_dimension("corner", 4);
                    let corners =
                        Variable::with_values("other", &["bnds", "corner"], Values::F64(vec![0.0; 8]));
                    f.variables.push(corners.attribute("bounds", "time_bnds"));
                },
                _ => |f| name_bounds(f, "nothing"),
            };
            let folder = tempfile::tempdir().unwrap();
            let day = |name, units| Series { scalar, edit, ..Series::new(name, units, &[0.5], &[0.0, 1.0]) };
            let paths = [day("a.nc", "days since 2000-01-01"), day("b.nc", "days since 2000-01-02")]
                .map(|part| part.write(folder.path()));
            let out = folder.path().join("agg.nc");
            create(&out, &paths, &Options::default(), None).unwrap();
            let dataset = Dataset::open(&out).unwrap();
            assert_eq!(values(&dataset, "time"), Values::F64(vec![0.5, 1.5]), "{named} {scalar}");
            let cells = Values::F64(vec![0.0, 1.0, 1.0, 2.0]);
            assert_eq!(values(&dataset, "time_bnds"), cells, "{named} {scalar}");
            assert_eq!(shape(&dataset, "tas"), [2], "{named} {scalar}");
            check(&out, &CheckOptions::default()).unwrap();
        }
    }
}

fn name_bounds(file: &mut File, name: &str) {
    let bounds = file.variables.iter_mut().find(|v| v.name == "time_bnds").unwrap();
    bounds.attributes.set_text("bounds", name);
}

#[test]
fn blanks_around_the_name_of_bounds_do_not_matter() {
    let edit: fn(&mut File) = |f| {
        let time = f.variables.iter_mut().find(|v| v.name == "time").unwrap();
        time.attributes.set_text("bounds", " time_bnds ");
    };
    let parts = YEARS.map(|(name, units)| Series { edit, ..Series::new(name, units, &[15.5], &[0.0, 31.0]) });
    let made = try_make(&parts, &allow_gaps()).unwrap();
    let cells = vec![0.0, 31.0, 366.0, 397.0, 731.0, 762.0];
    assert_eq!(values(&made.dataset, "time_bnds"), Values::F64(cells));
}
