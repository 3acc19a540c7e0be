//! Global attributes that are kept as variables.

use cfa::create::{create, update, Options};
use cfa::internals::write::{File, Format};
use cfa::{Dataset, Kind, Values};

use super::parts::*;

fn keeping(names: &[&str]) -> Options {
    let mut options = Options::default();
    options.kept_attributes = names.iter().map(|&name| name.to_owned()).collect();
    options
}

/// Texts that are stored as strings or as rows of characters.
fn texts(dataset: &Dataset, name: &str) -> Values {
    match values(dataset, name) {
        Values::Char(bytes) => {
            let length = *shape(dataset, name).last().unwrap() as usize;
            let row = |row: &[u8]| String::from_utf8(row.to_vec()).unwrap().trim_end_matches('\0').to_owned();
            Values::String(bytes.chunks(length).map(row).collect())
        }
        other => other,
    }
}

fn strings(list: &[&str]) -> Values {
    Values::String(list.iter().map(|&text| text.to_owned()).collect())
}

#[test]
fn attributes_lie_along_the_dimensions_in_which_they_differ() {
    let folder = tempfile::tempdir().unwrap();
    let parts = [
        Part { edit: |f| f.attributes.set_text("creation_date", "May"), ..Part::new("a.nc", &[0.0, 1.0]) },
        Part::new("b.nc", &[2.0]),
        Part { edit: |f| f.attributes.set_text("creation_date", "June"), ..Part::new("c.nc", &[3.0, 4.0]) },
    ];
    let paths = parts.map(|part| part.write(folder.path()));
    for format in [Format::Netcdf4, Format::Classic] {
        let mut options = keeping(&["tracking_id", "creation_date", "source_id"]);
        options.format = Some(format);
        let (whole, grown) = (folder.path().join("whole.nca"), folder.path().join("grown.nca"));
        let report = create(&whole, &paths, &options, None).unwrap();
        let notes = report.notes.join("\n");
        assert!(
            !notes.contains("left out") && notes.contains("b.nc without a global attribute 'creation_date'"),
            "{notes}"
        );
        create(&grown, &paths[..1], &options, None).unwrap();
        // An update goes on by itself.
        update(&grown, &paths[1..], &Options::default(), None).unwrap();
        // Attributes that were not kept come from the files.
        let late = folder.path().join("late.nca");
        let mut plain = Options::default();
        plain.format = Some(format);
        create(&late, &paths[..2], &plain, None).unwrap();
        update(&late, &paths[2..], &keeping(&["tracking_id", "creation_date", "source_id"]), None).unwrap();
        for out in [whole, grown, late] {
            let dataset = Dataset::open(&out).unwrap();
            let ids = ["a.nc", "a.nc", "b.nc", "c.nc", "c.nc"];
            assert_eq!(texts(&dataset, "tracking_id"), strings(&ids), "{out:?}");
            // A file that does not have the attribute has no text.
            assert_eq!(texts(&dataset, "creation_date"), strings(&["May", "May", "", "June", "June"]));
            assert_eq!(texts(&dataset, "source_id"), strings(&["model"]));
            let named = dataset.variable("tas").unwrap().attributes().text("coordinates").unwrap();
            assert_eq!(named, "creation_date source_id tracking_id");
        }
    }
}

#[test]
fn members_and_times_each_have_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["r1_a.nc", "r1_b.nc", "r2_a.nc", "r2_b.nc"];
    let times = [0.0, 1.0, 0.0, 1.0];
    let paths: Vec<_> =
        names.iter().zip(times).map(|(name, time)| Part::new(name, &[time]).write(folder.path())).collect();
    let out = folder.path().join("agg.nca");
    let mut options = keeping(&["tracking_id"]);
    options.new_dimension = Some("member=name:^r.".into());
    create(&out, &paths, &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(shape(&dataset, "tracking_id"), [2, 2]);
    assert_eq!(values(&dataset, "tracking_id"), strings(&names));
}

#[test]
fn kept_attributes_are_no_dimensions_and_belong_to_no_map_that_all_files_have() {
    let same = [Part::new("a.nc", &[0.0]), Part { base: 5.0, ..Part::new("b.nc", &[0.0]) }];
    let error = made(&same, &keeping(&["tracking_id"])).unwrap_err();
    assert!(error.to_string().contains("same coordinates"), "{error}");
    const MAP: fn(&mut File) = |f| {
        let map = cfa::internals::write::Variable::with_values("orog", &["lat"], Values::F32(vec![1.0; 3]));
        f.variables.push(map.attribute("units", "m"));
    };
    let parts =
        [Part { edit: MAP, ..Part::new("a.nc", &[0.0]) }, Part { edit: MAP, ..Part::new("b.nc", &[1.0]) }];
    let (_folder, dataset) = made(&parts, &keeping(&["tracking_id"])).unwrap();
    assert_eq!(values(&dataset, "tracking_id"), strings(&["a.nc", "b.nc"]));
    assert_eq!(dataset.variable("orog").unwrap().attributes().text("coordinates"), None);
}

#[test]
fn names_that_cannot_be_those_of_variables_are_refused() {
    let parts = || [Part::new("a.nc", &[0.0]), Part::new("b.nc", &[1.0])];
    for (names, words) in [
        (&["time"][..], "it has 'time' itself"),
        (&["a b"], "no name of an attribute"),
        (&[""], "no name of an attribute"),
        (&["g/a"], "no name of an attribute"),
        (&["tracking_id", "tracking_id"], "kept twice"),
    ] {
        let error = made(&parts(), &keeping(names)).unwrap_err();
        assert_eq!(error.kind(), Kind::Request, "{error}");
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    let error = made(&parts(), &keeping(&["absent"])).unwrap_err();
    assert!(error.kind() == Kind::Attribute && error.to_string().contains("no file has"), "{error}");
    let mut options = keeping(&["tracking_id"]);
    options.new_dimension = Some("tracking_id=attribute:tracking_id".into());
    assert_eq!(made(&parts(), &options).unwrap_err().kind(), Kind::Request);
}
