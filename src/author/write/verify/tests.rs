//! Shows that the check fails: descriptions and files are damaged on purpose.

use std::fs;
use std::path::Path;

use crate::author::convert::{self, convert};
use crate::author::create::{self, create, update};
use crate::author::write::aggregation::{add_with_states, Aggregated, Content, States};
use crate::author::write::new_file::SPOILER;
use crate::author::write::{write_checked, write_file, Data, File, Format, Group, Variable};
use crate::model::fragments::{AxisIndices, Fragment, Version, View};
use crate::model::Dialect;
use crate::value::{DataType, Values};
use crate::{Dataset, Error, Kind};

const FORMATS: [Format; 3] = [Format::Netcdf4, Format::Classic, Format::Cdf5];

fn fragment(location: &str, identifier: &str) -> Fragment {
    let location = (!location.is_empty()).then(|| location.to_owned());
    let version = Version { location, identifier: identifier.into(), format: None };
    Fragment::Stored { versions: vec![version], view: None }
}

/// Returns an aggregation of two rows and two columns, with a coordinate, labels and recorded states.
fn sample(dialect: Dialect) -> File {
    let mut file = File::default();
    file.attributes.set_text("title", "sample");
    file.add_dimension("y", 5);
    file.add_dimension("x", 5);
    let y = Variable::with_values("y", &["y"], Values::F64(vec![0.5, f64::NAN, 2.5, 3.5, 4.5]));
    file.variables.push(y.attribute("units", "m"));
    let labels = ["a", "bc", "", "d", "efg"].map(str::to_owned);
    file.variables.push(Variable::with_values("label", &["x"], Values::String(labels.to_vec())));
    let list = ["one.nc", "two.nc", "three.nc", "four.nc"].map(|name| fragment(name, "v"));
    let aggregated = Aggregated {
        variable: Variable::new("v", DataType::F64, &["y", "x"]).attribute("units", "K"),
        sizes: vec![vec![2, 3], vec![3, 2]],
        fragments: Content::Stored(list.to_vec()),
    };
    let states = States { bytes: vec![1.0, 2.0, 3.0, 4.0], modified: vec![5.0, f64::NAN, 7.0, 8.0] };
    add_with_states(&mut file, &aggregated, dialect, Some(&states)).unwrap();
    file
}

fn variable<'a>(file: &'a mut File, name: &str) -> Option<&'a mut Variable> {
    file.variables.iter_mut().find(|v| v.name == name)
}

/// Changes the text of an attribute.
fn reword(variable: &mut Variable, name: &str, from: &str, to: &str) -> bool {
    let Some(text) = variable.attributes.text(name).filter(|t| t.contains(from)) else { return false };
    variable.attributes.set_text(name, text.replacen(from, to, 1));
    true
}

/// Changes a table of texts.
fn rename(file: &mut File, from: &str, to: &str) -> bool {
    for variable in &mut file.variables {
        let Data::Values(Values::String(list)) = &mut variable.data else { continue };
        if let Some(text) = list.iter_mut().find(|t| **t == *from) {
            *text = to.to_owned();
            return true;
        }
    }
    variable(file, "v").is_some_and(|v| reword(v, "cfa_array", from, to))
}

/// Changes the size of the first row of fragments, so that everything is still consistent.
fn resize(file: &mut File) -> bool {
    for name in ["fragment_map", "fragment_shape", "cfa_location", "cfa_index"] {
        let Some(table) = variable(file, name) else { continue };
        let is_ranges = table.dimensions.len() > 2;
        let Data::Values(Values::I32(list)) = &mut table.data else { continue };
        match is_ranges {
            // First and last row and column of each of the four fragments.
            true => [(1, 2), (5, 2), (8, 3), (12, 3)].iter().for_each(|&(at, row)| list[at] = row),
            false => list.swap(0, 1),
        }
        return true;
    }
    false
}

type Spoil = (&'static str, fn(&mut File) -> bool);

/// Ways to damage a description; each returns whether there was something to damage.
const SPOILS: &[Spoil] = &[
    ("a location", |f| rename(f, "three.nc", "tree.nc")),
    ("an attribute", |f| variable(f, "v").is_some_and(|v| reword(v, "units", "K", "k"))),
    ("an attribute more", |f| {
        variable(f, "v").is_some_and(|v| {
            v.attributes.set_text("cell_methods", "y: mean");
            true
        })
    }),
    ("an attribute less", |f| variable(f, "v").is_some_and(|v| v.attributes.remove("units").is_some())),
    ("the order of dimensions", |f| {
        let attribute = |v: &mut Variable, name| reword(v, name, "y x", "x y");
        variable(f, "v")
            .is_some_and(|v| attribute(v, "aggregated_dimensions") || attribute(v, "cfa_dimensions"))
    }),
    ("the states", |f| match variable(f, "fragment_modified").map(|v| &mut v.data) {
        Some(Data::Values(Values::F64(list))) => {
            list[2] += 1.0;
            true
        }
        _ => false,
    }),
    ("no states", |f| variable(f, "v").is_some_and(|v| v.attributes.remove("cfa_fragment_state").is_some())),
    ("the sizes", resize),
    ("an identifier", |f| rename(f, "v", "w")),
    ("a format", |f| rename(f, "nc", "grib")),
];

/// Returns the error, after checking that it leaves the old file and nothing else.
#[track_caller]
fn refused(result: Result<(), Error>, path: &Path, old: &[u8]) -> Error {
    let error = result.unwrap_err();
    assert_eq!(fs::read(path).unwrap(), old, "{error}");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "{error}");
    error
}

#[test]
fn a_description_that_says_something_else_than_was_meant_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    for &dialect in Dialect::ALL {
        for format in FORMATS {
            write_checked(&sample(dialect), &path, format).unwrap();
            let old = fs::read(&path).unwrap();
            let mut spoilt = 0;
            for (what, spoil) in SPOILS {
                let mut file = sample(dialect);
                if spoil(&mut file) {
                    spoilt += 1;
                    let error = refused(write_checked(&file, &path, format), &path, &old);
                    assert_ne!(error.kind(), Kind::Io, "{dialect} {what}: {error}");
                }
            }
            assert!(spoilt >= 6, "{dialect}: {spoilt}");
        }
    }
}

#[test]
fn one_address_for_fragments_that_have_no_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let mut file = File::default();
    file.add_dimension("y", 4);
    file.add_dimension("n", 2);
    file.variables.push(Variable::with_values("part", &["n"], Values::F64(vec![1.0, 2.0])));
    let aggregated = Aggregated {
        variable: Variable::new("v", DataType::F64, &["y"]),
        sizes: vec![vec![2, 2]],
        fragments: Content::Stored(vec![fragment("", "part"), fragment("b.nc", "part")]),
    };
    add_with_states(&mut file, &aggregated, Dialect::Cfa062, None).unwrap();
    write_checked(&file, &path, Format::Netcdf4).unwrap();
    let old = fs::read(&path).unwrap();
    let address = variable(&mut file, "cfa_address").unwrap();
    address.dimensions.clear();
    address.data = Data::Values(Values::String(vec!["part".into()]));
    let error = refused(write_checked(&file, &path, Format::Netcdf4), &path, &old);
    assert_eq!(error.kind(), Kind::Internal);
    assert!(error.to_string().contains("fragment [0]") && error.to_string().contains("missing"), "{error}");
}

#[test]
fn a_fragment_of_the_file_itself_that_is_not_there_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let mut file = File::default();
    file.add_dimension("y", 2);
    let aggregated = Aggregated {
        variable: Variable::new("v", DataType::F64, &["y"]),
        sizes: vec![vec![2]],
        fragments: Content::Stored(vec![fragment("", "part")]),
    };
    for dialect in [Dialect::Cfa062, Dialect::Cfa06b1, Dialect::CfaTerms, Dialect::Cfa04] {
        let mut file = file.clone();
        add_with_states(&mut file, &aggregated, dialect, None).unwrap();
        let error = write_checked(&file, &path, Format::Netcdf4).unwrap_err();
        assert!(error.to_string().contains("no variable 'part'"), "{dialect}: {error}");
    }
}

#[test]
fn views_and_unique_values_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let frame = || {
        let mut file = File::default();
        file.add_dimension("y", 4);
        file.add_dimension("x", 3);
        file
    };
    let part =
        vec![AxisIndices::Slice { start: 3, count: 3, step: -1 }, AxisIndices::Indices(vec![0, 2, 5, 7])];
    let view = View {
        axes: Some(vec![1, 0]),
        reversed: vec![1],
        part: Some(part),
        units: Some("degC".into()),
        calendar: None,
    };
    let Fragment::Stored { versions, .. } = fragment("a.nc", "v") else { panic!() };
    let viewed = Fragment::Stored { versions, view: Some(Box::new(view)) };
    let mut aggregated = Aggregated {
        variable: Variable::new("v", DataType::F64, &["y", "x"]),
        sizes: vec![vec![4], vec![3]],
        fragments: Content::Stored(vec![viewed]),
    };
    let mut file = frame();
    add_with_states(&mut file, &aggregated, Dialect::Cfa04, None).unwrap();
    write_checked(&file, &path, Format::Netcdf4).unwrap();
    for (from, to) in
        [("\"reverse\":[\"x\"]", "\"reverse\":[\"y\"]"), ("degC", "degF"), ("(0, 2, 5, 7)", "(0, 2, 5, 8)")]
    {
        let mut file = file.clone();
        assert!(reword(&mut file.variables[0], "cfa_array", from, to), "{from}");
        assert_eq!(
            write_checked(&file, &path, Format::Netcdf4).unwrap_err().kind(),
            Kind::Internal,
            "{from}"
        );
    }
    aggregated.sizes = vec![vec![1, 3], vec![3]];
    aggregated.fragments = Content::Unique(Values::F64(vec![f64::NAN, 2.0]));
    for dialect in [Dialect::Cf113, Dialect::CfDraft] {
        for format in FORMATS {
            let mut file = frame();
            add_with_states(&mut file, &aggregated, dialect, None).unwrap();
            write_checked(&file, &path, format).unwrap();
            let table = file.variables.iter_mut().find(|v| v.name.contains("value")).unwrap();
            table.data = Data::Values(Values::F64(vec![f64::NAN, 3.0]));
            let error = write_checked(&file, &path, format).unwrap_err();
            assert!(error.to_string().contains("fragment [1, 0]"), "{error}");
        }
    }
}

/// Changes the bytes of every file that this thread writes, as long as it lives.
struct Spoiled;

impl Spoiled {
    fn by(spoiler: fn(&mut Vec<u8>)) -> Spoiled {
        SPOILER.set(Some(spoiler));
        Spoiled
    }
}

impl Drop for Spoiled {
    fn drop(&mut self) {
        SPOILER.set(None);
    }
}

fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let at = bytes.windows(from.len()).position(|w| w == from).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to);
}

#[test]
fn a_writer_that_alters_bytes_is_noticed() {
    type Spoiler = (&'static str, fn(&mut Vec<u8>));
    let spoilers: [Spoiler; 5] = [
        ("location", |b| replace(b, b"three.nc", b"threE.nc")),
        ("label", |b| replace(b, b"efg", b"efh")),
        ("coordinate", |b| {
            let big = b.starts_with(b"CDF");
            let of = |x: f64| if big { x.to_be_bytes() } else { x.to_le_bytes() };
            replace(b, &of(3.5), &of(3.25));
        }),
        ("title", |b| replace(b, b"sample", b"simple")),
        ("half a file", |b| b.truncate(b.len() / 2)),
    ];
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agg.nc");
        write_checked(&sample(Dialect::Cf113), &path, format).unwrap();
        let old = fs::read(&path).unwrap();
        for (what, spoiler) in spoilers {
            let _spoiled = Spoiled::by(spoiler);
            let error = refused(write_checked(&sample(Dialect::Cf113), &path, format), &path, &old);
            assert!(error.to_string().contains("agg.nc"), "{what}: {error}");
        }
    }
}

#[test]
fn create_update_and_convert_take_nothing_for_granted() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = tempfile::tempdir().unwrap();
    let mut part = File::default();
    part.add_dimension("time", 2);
    let time = Variable::with_values("time", &["time"], Values::F64(vec![1.5, 2.5]));
    part.variables.push(time.attribute("units", "days since 2001-01-01"));
    part.variables.push(Variable::with_values("orog", &[], Values::F64(vec![77.25])));
    part.variables.push(Variable::with_values("tas", &["time"], Values::F32(vec![1.0, 2.0])));
    let input = inputs.path().join("input.nc");
    write_file(&part, &input, Format::Netcdf4).unwrap();
    let later = inputs.path().join("later.nc");
    part.variables[0].data = Data::Values(Values::F64(vec![3.5, 4.5]));
    part.variables.retain(|v| v.name != "orog");
    write_file(&part, &later, Format::Netcdf4).unwrap();
    let path = folder.path().join("agg.nc");
    create(&path, std::slice::from_ref(&input), &create::Options::default(), None).unwrap();
    let old = fs::read(&path).unwrap();
    let source = inputs.path().join("source.nc");
    fs::copy(&path, &source).unwrap();
    let dataset = Dataset::open(&source).unwrap();
    // For the plain data of a conversion only digests are kept.
    let spoilers: [fn(&mut Vec<u8>); 2] = [
        |b| replace(b, b"input.nc", b"inpuT.nc"),
        |b| replace(b, &2.5f64.to_le_bytes(), &2.25f64.to_le_bytes()),
    ];
    for spoiler in spoilers {
        let _spoiled = Spoiled::by(spoiler);
        let made = create(&path, std::slice::from_ref(&input), &create::Options::default(), None);
        assert_eq!(refused(made.map(|_| ()), &path, &old).kind(), Kind::Internal);
        let updated = update(&path, std::slice::from_ref(&later), &create::Options::default(), None);
        assert_eq!(refused(updated.map(|_| ()), &path, &old).kind(), Kind::Internal);
        let converted = convert(&dataset, &path, &convert::Options::default());
        assert_eq!(refused(converted, &path, &old).kind(), Kind::Internal);
    }
}

#[test]
fn groups_dimensions_and_types_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.nc");
    let mut file = File::default();
    file.add_dimension("x", 2);
    let mut group = Group { name: "g".into(), ..Group::default() };
    group.add_dimension("x", 2);
    group.variables.push(Variable::with_values("v", &["x"], Values::I16(vec![1, 2])));
    file.groups.push(group);
    write_file(&file, &path, Format::Netcdf4).unwrap();
    let written = || {
        let source = crate::io::os::LocalFile::open(&path).unwrap();
        crate::container::Container::open(std::sync::Arc::new(source)).unwrap()
    };
    let problem =
        |file: &File| super::verify(&written(), file, Format::Netcdf4, &[]).unwrap_err().to_string();
    super::verify(&written(), &file, Format::Netcdf4, &[]).unwrap();
    let changed = |change: fn(&mut File)| {
        let mut file = file.clone();
        change(&mut file);
        problem(&file)
    };
    // The dimension of the root instead of that of the group.
    assert!(changed(|f| f.groups[0].dimensions.clear()).contains("dimensions"));
    assert!(changed(|f| f.dimensions[0].size = 3).contains("'x'"));
    assert!(changed(|f| f.dimensions[0].unlimited = true).contains("'x'"));
    assert!(changed(|f| f.groups[0].variables[0].data_type = DataType::I32).contains("type"));
    assert!(changed(|f| f.groups[0].name = "h".into()).contains("'h'"));
    assert!(changed(|f| f.groups.clear()).contains("more"));
    assert!(changed(|f| f.groups[0].variables.clear()).contains("more"));
    assert!(changed(|f| f.groups[0].variables[0].name = "w".into()).contains("missing"));
    let other = |values| {
        let mut file = file.clone();
        file.groups[0].variables[0].data = Data::Values(Values::I16(values));
        problem(&file)
    };
    assert!(other(vec![1, 3]).contains("value 1"));
    assert!(other(vec![1, 2, 3]).contains("2 values instead of 3"));
}
