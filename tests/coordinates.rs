//! Coordinates have their real values wherever they are shown, compared or used to select: unpacked, unsigned, not
//! missing.

use std::path::{Path, PathBuf};

use crate::support::program::cfa;
use cfa::create::{create, plan, Options};
use cfa::internals::write::{write_file, File, Format, Group, Variable};
use cfa::Coordinates;
use cfa::{Dataset, Selection, Values};

#[track_caller]
fn good(folder: &Path, words: &[&str]) -> String {
    let output = cfa(folder, words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A packed variable: stored numbers with a scale and an offset.
fn packed(name: &str, stored: Values, scale: Values, offset: Values) -> Variable {
    let mut variable = Variable::with_values(name, &[name], stored);
    variable.attributes.set("scale_factor", scale);
    variable.attributes.set("add_offset", offset);
    variable
}

/// Times of 2001-01-11 12:00, 12 and 13 00:00, latitudes of 50, 40.5 and -10 in single precision, and levels beyond a signed byte.
fn packed_file(first: i16, epoch: &str) -> File {
    let mut file = File::default();
    for (name, size) in [("time", 3), ("lat", 3), ("lev", 2)] {
        file.add_dimension(name, size);
    }
    let times = Values::I16(vec![first, first + 1, first + 3]);
    let time = packed("time", times, Values::F64(vec![0.5]), Values::F64(vec![10.0]));
    file.variables.push(time.attribute("units", epoch).attribute("standard_name", "time"));
    let stored = Values::I16(vec![500, 405, -100]);
    let lat = packed("lat", stored, Values::F32(vec![0.1]), Values::F32(vec![0.0]));
    file.variables.push(lat.attribute("units", "degrees_north").attribute("standard_name", "latitude"));
    let lev =
        Variable::with_values("lev", &["lev"], Values::I8(vec![100, -56])).attribute("_Unsigned", "true");
    file.variables.push(lev);
    let values = (0..18).map(|i| i as f32).collect();
    file.variables.push(Variable::with_values("tas", &["time", "lev", "lat"], Values::F32(values)));
    file
}

const EPOCH: &str = "days since 2001-01-01";

fn write(folder: &Path, name: &str, file: &File) -> PathBuf {
    let path = folder.join(name);
    write_file(file, &path, Format::Netcdf4).unwrap();
    path
}

/// The plain file, an aggregation of it, and one whose coordinates are aggregation variables that are packed.
fn three_ways(folder: &Path) -> [&'static str; 3] {
    let path = write(folder, "plain.nc", &packed_file(1, EPOCH));
    create(&folder.join("made.nc"), &[path], &Options::default(), None).unwrap();
    let mut file = packed_file(1, EPOCH);
    file.add_dimension("one", 1);
    for (size, name) in [(3, "time"), (3, "lat"), (2, "lev")] {
        let variable = file.variables.iter_mut().find(|v| v.name == name).unwrap();
        variable.dimensions = Vec::new();
        variable.data = cfa::internals::write::Data::Later;
        variable.attributes.set_text("aggregated_dimensions", name);
        let data = format!("map: {name}_map uris: {name}_uris identifiers: {name}_id");
        variable.attributes.set_text("aggregated_data", data);
        let map = Variable::with_values(format!("{name}_map"), &["one", "one"], Values::I32(vec![size]));
        let uris = Values::String(vec![format!("{name}_part.nc")]);
        let id = Values::String(vec![name.into()]);
        file.variables.push(map);
        file.variables.push(Variable::with_values(format!("{name}_uris"), &["one"], uris));
        file.variables.push(Variable::with_values(format!("{name}_id"), &[], id));
        // The fragment holds the packed numbers, which are those of the aggregation variable.
        let mut part = packed_file(1, EPOCH);
        part.variables.retain(|v| v.name == name);
        part.variables[0].attributes.remove("scale_factor");
        part.variables[0].attributes.remove("add_offset");
        part.variables[0].attributes.remove("units");
        write(folder, &format!("{name}_part.nc"), &part);
    }
    write(folder, "packed.nc", &file);
    ["plain.nc", "made.nc", "packed.nc"]
}

#[test]
fn packed_coordinates_are_shown_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    for file in three_ways(folder.path()) {
        let csv = good(folder.path(), &["read", file, "tas", "--csv"]);
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "time,lev,lat,tas", "{file}");
        assert_eq!(lines[1], "2001-01-11 12:00:00,100,50,0", "{file}");
        assert_eq!(lines[18], "2001-01-13 00:00:00,200,-10,17", "{file}");
        let table = good(folder.path(), &["read", file, "tas"]);
        assert!(
            table.contains("time 2001-01-11 12:00:00") && table.contains("lev \\ lat  50  40.5  -10"),
            "{table}"
        );
    }
}

#[test]
fn parts_are_selected_by_packed_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    for file in three_ways(folder.path()) {
        let chosen = |select: &[&str]| {
            let mut words = vec!["read", file, "tas", "--json"];
            select.iter().for_each(|s| words.extend(["--select", s]));
            let json: serde_json::Value = serde_json::from_str(&good(folder.path(), &words)).unwrap();
            json["values"].to_string()
        };
        assert_eq!(chosen(&["time=2001-01-12", "lev=200", "lat=40..60"]), "[9.0,10.0]", "{file}");
        assert_eq!(chosen(&["time=10.5", "lev=150..", "lat=-10"]), "[5.0]", "{file}");
        assert_eq!(chosen(&["time=2001-01-13..", "lev=100", "lat=40.5"]), "[13.0]", "{file}");
        good(
            folder.path(),
            &["extract", file, "part.nc", "--variable", "tas", "--select", "time=2001-01-12"],
        );
        let part = Dataset::open(folder.path().join("part.nc")).unwrap();
        assert_eq!(part.variable("tas").unwrap().shape().unwrap(), [1, 2, 3], "{file}");
        std::fs::remove_file(folder.path().join("part.nc")).unwrap();
        let none = cfa(folder.path(), &["read", file, "tas", "--select", "time=2001-01-01"]);
        let message = String::from_utf8(none.stderr).unwrap();
        assert!(message.contains("from 2001-01-11 12:00:00 to 2001-01-13 00:00:00"), "{message}");
    }
}

#[test]
fn parts_with_packed_coordinates_are_put_in_order() {
    let folder = tempfile::tempdir().unwrap();
    // Other packing, other epoch: 2001-01-13 12:00 to 14 12:00.
    let mut later = packed_file(0, "hours since 2001-01-13");
    let time = later.variables.iter_mut().find(|v| v.name == "time").unwrap();
    time.attributes.set("scale_factor", Values::F32(vec![6.0]));
    time.attributes.set("add_offset", Values::F32(vec![12.0]));
    let paths = [write(folder.path(), "b.nc", &later), write(folder.path(), "a.nc", &packed_file(1, EPOCH))];
    let out = folder.path().join("agg.nc");
    let report = plan(&out, &paths, &Options::default(), None).unwrap();
    let parts: Vec<String> = report.variables[0].dimensions[0].parts.iter().map(|p| p.1).collect();
    assert_eq!(
        parts,
        [
            "10.5 to 12 (2001-01-11 12:00:00 to 2001-01-13 00:00:00)",
            "12.5 to 13.25 (2001-01-13 12:00:00 to 2001-01-14 06:00:00)",
        ]
    );
    let dry = good(folder.path(), &["create", "agg.nc", "a.nc", "b.nc", "--dry-run"]);
    assert!(dry.contains("10.5 to 12 (2001-01-11 12:00:00 to 2001-01-13 00:00:00)"), "{dry}");
    create(&out, &paths, &Options::default(), None).unwrap();
    let csv = good(
        folder.path(),
        &["read", "agg.nc", "tas", "--csv", "--select", "lev=200", "--select", "lat=40.5"],
    );
    let times: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(times[3..], ["2001-01-13 12:00:00", "2001-01-13 18:00:00", "2001-01-14 06:00:00"]);
}

#[test]
fn missing_coordinates_are_told_and_never_selected() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = File::default();
    file.add_dimension("x", 3);
    let mut x = packed("x", Values::I16(vec![1, -999, 3]), Values::F64(vec![0.5]), Values::F64(vec![0.0]));
    x.attributes.set("_FillValue", Values::I16(vec![-999]));
    file.variables.push(x);
    file.variables.push(Variable::with_values("v", &["x"], Values::I32(vec![7, 8, 9])));
    write(folder.path(), "f.nc", &file);
    assert_eq!(good(folder.path(), &["read", "f.nc", "v", "--csv"]), "x,v\n0.5,7\n,8\n1.5,9\n");
    assert!(good(folder.path(), &["read", "f.nc", "v"])
        .lines()
        .any(|line| line.split_whitespace().eq(["_", "8"])));
    let chosen = |what: &str| cfa(folder.path(), &["read", "f.nc", "v", "--json", "--select", what]);
    assert!(String::from_utf8(chosen("x=1.5").stdout).unwrap().contains("[9]"));
    assert!(!chosen("x=-500..-499").status.success());
    // A range with a hole in it is not one range of indices.
    assert!(!chosen("x=0..2").status.success());
}

#[test]
fn rows_of_characters_and_coordinates_in_groups_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = File::default();
    file.add_dimension("station", 2);
    file.add_dimension("length", 4);
    file.variables.push(Variable::with_values(
        "station",
        &["station", "length"],
        Values::Char(b"OsloRom ".to_vec()),
    ));
    file.variables.push(Variable::with_values("v", &["station"], Values::I32(vec![7, 8])));
    let mut group = Group { name: "g".into(), ..Group::default() };
    let nearer = packed("station", Values::I8(vec![1, 2]), Values::F32(vec![10.0]), Values::F32(vec![0.0]));
    group.variables.push(nearer);
    group.variables.push(Variable::with_values("w", &["station"], Values::I32(vec![5, 6])));
    file.groups.push(group);
    write(folder.path(), "f.nc", &file);
    assert_eq!(good(folder.path(), &["read", "f.nc", "v", "--csv"]), "station,v\nOslo,7\nRom,8\n");
    assert_eq!(
        good(folder.path(), &["read", "f.nc", "v", "--csv", "--select", "station=Rom"]),
        "station,v\nRom,8\n"
    );
    assert_eq!(good(folder.path(), &["read", "f.nc", "/g/w", "--csv"]), "station,w\n10,5\n20,6\n");
}

#[test]
fn descending_packed_coordinates_keep_their_step() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "f.nc", &packed_file(1, EPOCH));
    let tas = Dataset::open(folder.path().join("f.nc")).unwrap().variable("tas").unwrap();
    let part = Selection::new(&[2, 0, 2], &[2, 1, 3], &[-2, 1, -1], &[3, 2, 3]).unwrap();
    let labels = |d: usize| {
        let along = Coordinates::along(&tas, d, &part).unwrap();
        (0..part.count()[d]).map(|i| along.label(i)).collect::<Vec<_>>()
    };
    assert_eq!(labels(0), ["2001-01-13 00:00:00", "2001-01-11 12:00:00"]);
    assert_eq!(labels(2), ["-10", "40.5", "50"]);
}
