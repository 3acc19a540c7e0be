//! Names are stored composed (NFC), as libnetcdf stores them, and found in either form.

use std::path::Path;

use cfa::create::{create, update};
use cfa::internals::write::{write_checked, Data, File, Format, NewFile, Variable};
use cfa::{DataType, Dataset, Selection, Values};

const COMPOSED: &str = "\u{e9}t\u{e9}";
const APART: &str = "e\u{301}te\u{301}";

fn read(path: &Path, name: &str) -> Values {
    let dataset = Dataset::open(path).unwrap();
    let variable = dataset.variable(name).unwrap();
    let shape = variable.shape().unwrap().to_vec();
    variable.read_values(&Selection::all(&shape)).unwrap()
}

/// A file all of whose names are `name`.
fn named(name: &str) -> File {
    let mut file = File::default();
    file.attributes.set_text(name, "attribute");
    file.add_dimension(name, 2);
    let mut variable = Variable::with_values(name, &[name], Values::I32(vec![4, 5]));
    variable.attributes.set_text(name, "attribute");
    file.variables.push(variable);
    file
}

#[test]
fn names_are_stored_composed_and_found_in_either_form() {
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::Netcdf4, Format::Classic, Format::Cdf5] {
        let paths = [APART, COMPOSED].map(|name| {
            let path = folder.path().join(format!("{}_{format:?}.nc", name.len()));
            write_checked(&named(name), &path, format).unwrap();
            path
        });
        let [apart, composed] = paths.each_ref().map(|path| std::fs::read(path).unwrap());
        assert!(apart == composed, "{format:?}: other bytes");
        for name in [APART, COMPOSED] {
            assert_eq!(read(&paths[0], name), Values::I32(vec![4, 5]), "{format:?}");
            let _alone = super::alone();
            let file = netcdf::open(&paths[0]).unwrap();
            let values: Vec<i32> = file.variable(name).unwrap().get_values(..).unwrap();
            assert_eq!(values, [4, 5], "{format:?}");
        }
    }
}

#[test]
fn blocks_and_names_of_groups_are_composed_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    let mut file = File::default();
    let mut group = named(APART);
    group.name = APART.into();
    group.variables[0].data = Data::Later;
    file.groups.push(group);
    let mut new = NewFile::create(&file, &path, Format::Netcdf4).unwrap();
    new.put(&format!("{APART}/{APART}"), &[0], &[2], &Values::I32(vec![6, 7])).unwrap();
    new.commit_checked(&file).unwrap();
    assert_eq!(read(&path, &format!("/{COMPOSED}/{APART}")), Values::I32(vec![6, 7]));
}

#[test]
fn what_an_aggregation_names_is_found_in_either_form() {
    let folder = tempfile::tempdir().unwrap();
    write_checked(&named(APART), &folder.path().join("part.nc"), Format::Netcdf4).unwrap();
    for name in [APART, COMPOSED] {
        let mut file = File::default();
        for (dimension, size) in [(COMPOSED, 2), ("one", 1)] {
            file.add_dimension(dimension, size);
        }
        let aggregated = Variable::new("v", DataType::I32, &[])
            .attribute("aggregated_dimensions", name)
            .attribute("aggregated_data", "map: m uris: u identifiers: i");
        file.variables.push(aggregated);
        file.variables.push(Variable::with_values("m", &["one", "one"], Values::I32(vec![2])));
        file.variables.push(Variable::with_values("u", &["one"], Values::String(vec!["part.nc".into()])));
        file.variables.push(Variable::with_values("i", &[], Values::String(vec![name.into()])));
        let path = folder.path().join("agg.nc");
        write_checked(&file, &path, Format::Netcdf4).unwrap();
        assert_eq!(read(&path, "v"), Values::I32(vec![4, 5]));
    }
}

/// Writes two steps with names in a form that libnetcdf and this library do not write, but other programs do.
fn steps(path: &Path, first: f64, form: &str) {
    let mut file = File::default();
    file.add_dimension("time", 2);
    file.add_dimension(COMPOSED, 2);
    let times = Values::F64(vec![first, first + 1.0]);
    file.variables
        .push(Variable::with_values("time", &["time"], times).attribute("units", "days since 2000-01-01"));
    file.variables.push(Variable::with_values(COMPOSED, &[COMPOSED], Values::F64(vec![0.0, 1.0])));
    let values = (0..4).map(|i| first as f32 * 10.0 + i as f32).collect();
    file.variables.push(Variable::with_values("v", &["time", COMPOSED], Values::F32(values)));
    write_checked(&file, path, Format::Classic).unwrap();
    let stored = |name: &str| {
        let mut bytes = (name.len() as u32).to_be_bytes().to_vec();
        bytes.extend(name.as_bytes());
        bytes.resize(12, 0);
        bytes
    };
    let (from, to) = (stored(COMPOSED), stored(form));
    let mut bytes = std::fs::read(path).unwrap();
    let places: Vec<usize> = (0..bytes.len() - 12).filter(|&i| bytes[i..i + 12] == from).collect();
    assert_eq!(places.len(), 2);
    for place in places {
        bytes[place..place + 12].copy_from_slice(&to);
    }
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn files_with_names_in_either_form_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let parts = ["a.nc", "b.nc", "c.nc"].map(|name| folder.path().join(name));
    for (i, (part, form)) in parts.iter().zip([APART, COMPOSED, APART]).enumerate() {
        steps(part, 2.0 * i as f64, form);
    }
    let out = folder.path().join("agg.nc");
    create(&out, &parts[..2], &Default::default(), None).unwrap();
    update(&out, &parts[2..], &Default::default(), None).unwrap();
    let expected = [0, 1, 2, 3, 20, 21, 22, 23, 40, 41, 42, 43].map(|i| i as f32).to_vec();
    assert_eq!(read(&out, "v"), Values::F32(expected));
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(dataset.variable("v").unwrap().shape().unwrap(), [6, 2]);
    assert_eq!(read(&out, APART), Values::F64(vec![0.0, 1.0]));
}
