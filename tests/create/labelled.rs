//! New dimensions with labels: from attributes, names and folders.

use std::fs;
use std::path::PathBuf;

use cfa::create::{create, update, Options};
use cfa::internals::write::{Data, File, Format};
use cfa::{Dataset, Kind, Selection, Values};

use super::parts::*;

fn labelled(text: &str) -> Options {
    let mut options = Options::default();
    options.new_dimension = Some(text.into());
    options
}

fn strings(list: &[&str]) -> Values {
    Values::String(list.iter().map(|&text| text.to_owned()).collect())
}

fn member(name: &'static str, time: f64, base: f64, edit: fn(&mut File)) -> Part {
    Part { base, edit, ..Part::new(name, &[time]) }
}

const R1: fn(&mut File) = |f| f.attributes.set_text("variant_label", "r1i1p1f1");
const R2: fn(&mut File) = |f| f.attributes.set_text("variant_label", "r2i1p1f1");
const R10: fn(&mut File) = |f| f.attributes.set_text("variant_label", "r10i1p1f1");

#[test]
fn labels_of_an_attribute_become_coordinates_in_natural_order() {
    let parts = [
        member("c.nc", 1.0, 15.0, R10),
        member("a.nc", 0.0, 0.0, R1),
        member("d.nc", 0.0, 12.0, R10),
        member("b.nc", 1.0, 3.0, R1),
        member("f.nc", 1.0, 9.0, R2),
        member("e.nc", 0.0, 6.0, R2),
    ];
    let (_folder, dataset) = made(&parts, &labelled("member=attribute:variant_label")).unwrap();
    assert_eq!(shape(&dataset, "tas"), [3, 2, 3]);
    assert_eq!(values(&dataset, "member"), strings(&["r1i1p1f1", "r2i1p1f1", "r10i1p1f1"]));
    assert_eq!(values(&dataset, "tas"), Values::F32((0..18).map(|i| i as f32).collect()));
    assert_eq!(shape(&dataset, "member"), [3]);
}

#[test]
fn one_file_or_label_makes_the_dimension_too() {
    for parts in
        [vec![member("a.nc", 0.0, 0.0, R1)], vec![member("a.nc", 0.0, 0.0, R1), member("b.nc", 1.0, 3.0, R1)]]
    {
        let (_folder, dataset) = made(&parts, &labelled("member=attribute:variant_label")).unwrap();
        assert_eq!(shape(&dataset, "tas"), [1, parts.len() as u64, 3]);
        assert_eq!(values(&dataset, "member"), strings(&["r1i1p1f1"]));
    }
}

#[test]
fn labels_that_repeat_or_are_absent_are_refused() {
    let options = labelled("member=attribute:variant_label");
    let twice = [member("a.nc", 0.0, 0.0, R1), member("b.nc", 0.0, 1.0, R1), member("c.nc", 0.0, 1.0, R2)];
    let (kind, text) = problem(&twice, &options);
    assert_eq!(kind, Kind::Map);
    assert!(text.contains("a.nc") && text.contains("b.nc") && text.contains("r1i1p1f1"), "{text}");
    let uneven = [member("a.nc", 0.0, 0.0, R1), member("b.nc", 1.0, 0.0, R1), member("c.nc", 0.0, 1.0, R2)];
    let (kind, text) = problem(&uneven, &options);
    assert!(kind == Kind::Map && text.contains("member r2i1p1f1") && text.contains("2001-01-02"), "{text}");
    let absent = [member("a.nc", 0.0, 0.0, R1), member("b.nc", 0.0, 0.0, |_| {})];
    let (kind, text) = problem(&absent, &options);
    assert!(kind == Kind::Attribute && text.contains("b.nc") && text.contains("variant_label"), "{text}");
    let (kind, text) = problem(&absent, &labelled("lat=attribute:source_id"));
    assert!(kind == Kind::Request && text.contains("it has 'lat' itself"), "{text}");
}

#[test]
fn labels_come_from_names_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["r1/tas_r1i1_2001.nc", "r10/tas_r10i1_2001.nc", "r2/tas_r2i1_2001.nc"];
    let mut paths: Vec<PathBuf> = Vec::new();
    for (i, name) in names.iter().enumerate() {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        paths.push(member(name, 0.0, i as f64, |_| {}).write(folder.path()));
    }
    let out = folder.path().join("agg.nc");
    for (source, labels) in [
        (r"m=name:_r(\d+)i", ["1", "2", "10"]),
        ("m=path", ["r1", "r2", "r10"]),
        ("m=path:/(r[0-9]+)/tas", ["r1", "r2", "r10"]),
    ] {
        for format in [Format::Netcdf4, Format::Classic] {
            let mut options = labelled(source);
            options.format = Some(format);
            create(&out, &paths[..2], &options, None).unwrap();
            update(&out, &paths, &options, None).unwrap();
            let dataset = Dataset::open(&out).unwrap();
            let m = dataset.variable("m").unwrap();
            let shape = m.shape().unwrap().to_vec();
            let found = match m.read_values(&Selection::all(&shape)).unwrap() {
                Values::Char(bytes) => {
                    let rows = bytes.chunks(shape[1] as usize);
                    rows.map(|row| String::from_utf8_lossy(row).trim_end_matches('\0').to_owned()).collect()
                }
                Values::String(list) => list,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, labels, "{source} {format:?}");
            let first = |i: usize| i as f32;
            let expected: Vec<f32> =
                [0, 2, 1].iter().flat_map(|&i| [0.0, 1.0, 2.0].map(|x| first(i) + x)).collect();
            assert_eq!(values(&dataset, "tas"), Values::F32(expected));
        }
    }
}

#[test]
fn an_update_adds_labels_and_refuses_folders_that_no_longer_tell() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (i, name) in ["r1/2001/a.nc", "r2/2001/a.nc", "r3/2001/a.nc", "r3/2002/b.nc"].into_iter().enumerate()
    {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        paths.push(member(name, 0.0, i as f64 * 3.0, |_| {}).write(folder.path()));
    }
    let out = folder.path().join("agg.nc");
    let options = labelled("member=path");
    create(&out, &paths[..2], &options, None).unwrap();
    // These two alone would be labelled 2001 and 2002.
    let error = update(&out, &paths[2..], &options, None).unwrap_err();
    assert!(error.to_string().contains("differ in several folders"), "{error}");
    update(&out, &paths[2..3], &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "member"), strings(&["r1", "r2", "r3"]));
    assert_eq!(values(&dataset, "tas"), Values::F32((0..9).map(|i| i as f32).collect()));
    let report = update(&out, &paths[..3], &options, None).unwrap();
    assert!(report.notes.iter().any(|n| n.contains("unchanged")), "{:?}", report.notes);
    // Without the option a file that changed keeps its label.
    fs::remove_file(&paths[1]).unwrap();
    member("r2/2001/a.nc", 0.0, 90.0, |_| {}).write(folder.path());
    update(&out, &paths[..3], &Options::default(), None).unwrap();
    assert_eq!(values(&Dataset::open(&out).unwrap(), "member"), strings(&["r1", "r2", "r3"]));
    fs::remove_file(&paths[0]).unwrap();
    let error = update(&out, &paths[2..3], &options, None).unwrap_err();
    assert!(error.to_string().contains("path:PATTERN"), "{error}");
}

#[test]
fn what_all_members_share_is_stored_once_and_other_scalars_stay() {
    let edit: fn(&mut File) = |f| {
        R1(f);
        scalar(f, "height", Values::F64(vec![2.0]), "m");
    };
    let other: fn(&mut File) = |f| {
        R2(f);
        scalar(f, "height", Values::F64(vec![10.0]), "m");
    };
    let parts = [member("a.nc", 0.0, 0.0, edit), member("b.nc", 0.0, 3.0, other)];
    let (_folder, dataset) = made(&parts, &labelled("member=attribute:variant_label")).unwrap();
    assert_eq!(shape(&dataset, "tas"), [2, 1, 3]);
    assert_eq!(values(&dataset, "height"), Values::F64(vec![2.0, 10.0]));
    assert_eq!(shape(&dataset, "height"), [2]);
    let fixed: fn(&mut File) = |f| {
        f.variables.retain(|v| v.name != "time");
        let values = Data::Values(Values::F32(vec![1.0, 2.0, 3.0]));
        data(f).dimensions = vec!["lat".into()];
        data(f).data = values;
        data(f).name = "orog".into();
        f.attributes.set_text("variant_label", "r1");
    };
    let parts = [member("a.nc", 0.0, 0.0, fixed), member("b.nc", 0.0, 3.0, fixed)];
    let (_folder, dataset) = made(&parts, &labelled("member=attribute:variant_label")).unwrap();
    assert_eq!(shape(&dataset, "orog"), [3]);
}

#[test]
fn labels_do_not_continue_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let paths =
        [member("a.nc", 0.0, 0.0, R1), member("b.nc", 0.0, 3.0, R2)].map(|part| part.write(folder.path()));
    let out = folder.path().join("agg.nc");
    for (first, second, words) in [
        ("m", "m=attribute:variant_label", "has labels in"),
        ("m=attribute:variant_label", "m", "do not count files from 0"),
    ] {
        create(&out, &paths[..1], &labelled(first), None).unwrap();
        let error = update(&out, &paths[1..], &labelled(second), None).unwrap_err();
        assert!(error.kind() == Kind::Map && error.to_string().contains(words), "{error}");
        assert_eq!(shape(&Dataset::open(&out).unwrap(), "tas"), [1, 1, 3]);
    }
}

/// A file of one station: its place is in scalar coordinates.
fn station(name: &'static str, time: f64) -> Part {
    fn places(file: &mut File) {
        file.variables.retain(|v| v.name != "lat");
        let time = file.variables.iter().find(|v| v.name == "time").map(|v| v.data.clone());
        let Some(Data::Values(Values::F64(time))) = time else { panic!("no times") };
        // The edit knows nothing but the file.
        let place = match file.attributes.text("tracking_id").unwrap().starts_with('s') {
            true => [50.0, 8.0],
            false => [40.0, 9.0],
        };
        let base = place[0] as f32;
        let values = time.iter().map(|t| base + *t as f32).collect();
        data(file).dimensions = vec!["time".into()];
        data(file).data = Data::Values(Values::F32(values));
        for (name, value, units) in [("lat", place[0], "degrees_north"), ("lon", place[1], "degrees_east")] {
            scalar(file, name, Values::F64(vec![value]), units);
        }
        data(file).attributes.set_text("coordinates", "lat lon");
    }
    Part { edit: places, ..Part::new(name, &[time]) }
}

#[test]
fn stations_keep_their_places_along_a_new_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("s1.nc", 0.0), ("t1.nc", 0.0), ("s2.nc", 1.0), ("t2.nc", 1.0)];
    let paths = files.map(|(name, time)| station(name, time).write(folder.path()));
    let out = folder.path().join("agg.nc");
    for (new, files) in [("station", &paths[..2]), ("station", &paths[..]), ("station=name:^.", &paths[..])] {
        create(&out, files, &labelled(new), None).unwrap();
        let dataset = Dataset::open(&out).unwrap();
        assert_eq!(shape(&dataset, "tas"), [2, files.len() as u64 / 2], "{new}");
        assert_eq!(values(&dataset, "lat"), Values::F64(vec![50.0, 40.0]));
        assert_eq!(values(&dataset, "lon"), Values::F64(vec![8.0, 9.0]));
        assert_eq!(shape(&dataset, "lat"), [2]);
        let coordinates = dataset.variable("tas").unwrap().attributes().text("coordinates").unwrap();
        assert_eq!(coordinates, "lat lon");
    }
    assert_eq!(values(&Dataset::open(&out).unwrap(), "tas"), Values::F32(vec![50.0, 51.0, 40.0, 41.0]));
    // A station more in an update.
    create(&out, &paths[..1], &labelled("station"), None).unwrap();
    update(&out, &paths[1..2], &labelled("station"), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "lat"), Values::F64(vec![50.0, 40.0]));
    assert_eq!(values(&dataset, "tas"), Values::F32(vec![50.0, 40.0]));
}
