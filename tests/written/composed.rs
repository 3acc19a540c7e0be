//! Names are stored composed (NFC), as libnetcdf stores them, and found in either form.

use std::path::Path;

use cfa::write::{write_checked, Data, File, Format, NewFile, Variable};
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
