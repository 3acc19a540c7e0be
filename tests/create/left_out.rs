//! What is not in the aggregation is named in a note.

use cfa::create::{create, Options};
use cfa::internals::write::{File, Group, Variable};
use cfa::{Dataset, Values};

use super::parts::*;

/// Returns the notes on two files that are made by these functions, and the aggregation.
fn notes(edits: [fn(&mut File); 2]) -> (String, Dataset) {
    let folder = tempfile::tempdir().unwrap();
    let parts = [
        Part { edit: edits[0], ..Part::new("a.nc", &[0.0]) },
        Part { edit: edits[1], ..Part::new("b.nc", &[1.0]) },
    ];
    let paths = parts.map(|part| part.write(folder.path()));
    let out = folder.path().join("agg.nca");
    let report = create(&out, &paths, &Options::default(), None).unwrap();
    (report.notes.join("\n"), Dataset::open(&out).unwrap())
}

const SAME: fn(&mut File) = |_| {};

#[test]
fn coordinates_of_no_data_variable_are_told() {
    let lone: fn(&mut File) = |f| {
        f.add_dimension("lev", 2);
        f.variables.push(Variable::with_values("lev", &["lev"], Values::F64(vec![1.0, 2.0])));
    };
    let (told, dataset) = notes([lone, lone]);
    assert!(told.contains("'lev' belongs to no data variable; left out"), "{told}");
    assert!(dataset.variable("lev").is_err());
    assert!(!notes([SAME, SAME]).0.contains("no data variable"));
    // One that is not in every file is told once.
    let height: fn(&mut File) = |f| scalar(f, "height", Values::F64(vec![2.0]), "m");
    let other: fn(&mut File) = |f| data(f).attributes.set_text("coordinates", "height");
    let (told, _) = notes([height, other]);
    assert!(told.contains("'height' is not in every file of 'tas'; it is left out"), "{told}");
    assert!(!told.contains("no data variable"), "{told}");
}

#[test]
fn attributes_of_stored_numbers_are_told() {
    let packed: fn(&mut File) = |f| {
        let tas = data(f);
        tas.data = cfa::internals::write::Data::Values(Values::I16(vec![1, 2, 3]));
        tas.data_type = cfa::DataType::I16;
        tas.attributes.set("scale_factor", Values::F64(vec![0.5]));
        tas.attributes.set("valid_range", Values::I16(vec![0, 100]));
    };
    let (told, dataset) = notes([packed, packed]);
    assert!(told.contains("stored numbers are left out") && told.contains(": valid_range"), "{told}");
    assert_eq!(dataset.variable("tas").unwrap().attributes().get("valid_range"), None);
}

#[test]
fn attributes_of_groups_are_told() {
    fn group(file: &mut File, note: &str, has_data: bool) {
        let mut group = Group { name: "g".into(), ..Group::default() };
        group.attributes.set_text("note", note);
        group.attributes.set_text("title", "same");
        if has_data {
            let q = Variable::with_values("q", &["time"], Values::F32(vec![1.0]));
            group.variables.push(q.attribute("units", "1"));
        }
        file.groups.push(group);
    }
    let (told, dataset) = notes([|f| group(f, "one", true), |f| group(f, "two", true)]);
    assert!(told.contains("attributes of group 'g' that differ between files are left out: note"), "{told}");
    assert!(dataset.variable("/g/q").is_ok());
    let (told, _) = notes([|f| group(f, "one", false), |f| group(f, "one", false)]);
    assert!(told.contains("group 'g' has no data variables; its attributes are left out"), "{told}");
}

#[test]
fn attributes_of_a_map_that_all_files_have_are_compared() {
    fn map(file: &mut File, comment: &str) {
        let map = Variable::with_values("orog", &["lat"], Values::F32(vec![1.0, 2.0, 3.0]));
        file.variables.push(map.attribute("units", "m").attribute("comment", comment));
    }
    let (told, dataset) = notes([|f| map(f, "one"), |f| map(f, "two")]);
    assert!(told.contains("attributes of 'orog' that differ between files are left out: comment"), "{told}");
    let orog = dataset.variable("orog").unwrap();
    assert_eq!(orog.attributes().text("comment"), None);
    assert_eq!(orog.attributes().text("units").unwrap(), "m");
    let (told, dataset) = notes([|f| map(f, "one"), |f| map(f, "one")]);
    assert!(!told.contains("orog"), "{told}");
    assert_eq!(dataset.variable("orog").unwrap().attributes().text("comment").unwrap(), "one");
}
