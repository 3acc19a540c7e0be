//! `cfa convert`: values survive every dialect, locations fit the new place, and what a dialect cannot express is
//! refused.

use std::fs;

use cfa::convert::{convert, Locations, Options};
use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::Dialect;
use cfa::EntrySource;
use cfa::{DataType, Dataset, Kind, Values};
use cfa::{Fragment, Version};

use crate::support::series::{aggregate, plain};
use crate::support::{Data, Var};

const DIALECTS: [Dialect; 6] =
    [Dialect::Cf113, Dialect::CfDraft, Dialect::Cfa062, Dialect::Cfa06b1, Dialect::CfaTerms, Dialect::Cfa04];

fn locations(path: &std::path::Path, variable: &str) -> Vec<String> {
    let dataset = Dataset::open(path).unwrap();
    let mut found = Vec::new();
    dataset
        .variable(variable)
        .unwrap()
        .for_each_fragment(|entry| {
            if let EntrySource::Versions(versions) = entry.source {
                found.extend(versions.into_iter().filter_map(|v| v.location));
            }
            Ok::<(), cfa::Error>(())
        })
        .unwrap();
    found
}

#[test]
fn values_survive_every_dialect_and_another_directory() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    fs::create_dir_all(directory.path().join("a/b")).unwrap();
    let values = Values::F32(crate::archive::values());
    for first in DIALECTS {
        let there = directory.path().join("a/there.nc");
        let options = Options { dialect: first, overwrite: true, ..Options::default() };
        convert(&Dataset::open(&path).unwrap(), &there, &options).unwrap();
        assert_eq!(crate::archive::read(&there, "tas"), values, "{first}");
        for second in DIALECTS {
            let back = directory.path().join("a/b/back.nc");
            let options = Options { dialect: second, overwrite: true, ..Options::default() };
            convert(&Dataset::open(&there).unwrap(), &back, &options).unwrap();
            assert_eq!(crate::archive::read(&back, "tas"), values, "{first} {second}");
            for name in ["packed", "g/deep", "time", "time_bounds", "lat", "other"] {
                assert_eq!(
                    crate::archive::read(&back, name),
                    crate::archive::read(&path, name),
                    "{first} {second} {name}"
                );
            }
            let dataset = Dataset::open(&back).unwrap();
            let tas = dataset.variable("tas").unwrap();
            assert_eq!(tas.aggregation().unwrap().unwrap().dialect, second);
            assert_eq!(tas.attributes().text("cell_measures").unwrap(), "area: area");
            assert_eq!(dataset.groups()[0].attributes.text("title").unwrap(), "a <small> archive");
        }
    }
}

#[test]
fn locations_are_written_for_the_new_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    fs::create_dir(directory.path().join("sub")).unwrap();
    let out = directory.path().join("sub/out.nc");
    let dataset = Dataset::open(&path).unwrap();
    let write = |locations: Locations, dialect: Dialect| {
        let options = Options { locations, dialect, overwrite: true, ..Options::default() };
        convert(&dataset, &out, &options).unwrap();
        self::locations(&out, "tas")
    };
    assert_eq!(write(Locations::Keep, Dialect::Cf113)[0], "../frag/part%200_0.nc");
    let real = fs::canonicalize(directory.path()).unwrap();
    let absolute = format!("file://{}/frag/part%200_0.nc", real.display());
    assert_eq!(write(Locations::Absolute, Dialect::Cf113)[0], absolute);
    assert_eq!(write(Locations::Relative, Dialect::Cfa04)[0], "../frag/part 0_0.nc");
    let again = directory.path().join("again.nc");
    let options = Options { locations: Locations::Relative, ..Options::default() };
    convert(&Dataset::open(&out).unwrap(), &again, &options).unwrap();
    assert_eq!(self::locations(&again, "tas")[3], "frag/part%201_1.nc");
}

#[test]
fn a_moved_archive_gets_its_new_locations() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    crate::archive::run(directory.path(), &["convert", "year.nc", "fixed.nc", "--absolute"]);
    let new = tempfile::tempdir().unwrap();
    fs::rename(directory.path().join("frag"), new.path().join("frag")).unwrap();
    assert!(!crate::archive::cfa(directory.path(), &["read", "fixed.nc", "tas"]).status.success());
    let real = fs::canonicalize(directory.path()).unwrap();
    let relocate = format!("{}={}", real.display(), new.path().display());
    crate::archive::run(directory.path(), &["convert", "fixed.nc", "moved.nc", "--relocate", &relocate]);
    assert_eq!(
        crate::archive::read(&directory.path().join("moved.nc"), "tas"),
        Values::F32(crate::archive::values())
    );
    drop(path);
}

#[test]
fn what_a_dialect_cannot_say_is_refused_and_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    let dataset = Dataset::open(&path).unwrap();
    let out = directory.path().join("out.nc");
    let early = Options { dialect: Dialect::Cfa06b1Early, ..Options::default() };
    let error = convert(&dataset, &out, &early).unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.to_string().contains("packed"), "{error}");
    let classic = Options { format: Format::Classic, ..Options::default() };
    assert_eq!(convert(&dataset, &out, &classic).unwrap_err().kind(), Kind::Unsupported, "it has a group");
    assert!(!out.exists());
    let output = crate::archive::cfa(directory.path(), &["convert", "year.nc", "o.nc", "--dialect", "cfa-9"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("cfa-0.6.2"));
}

#[test]
fn progress_is_told_to_the_end_and_a_cancelled_conversion_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    let dataset = Dataset::open(&path).unwrap();
    let out = directory.path().join("out.nc");
    let calls = std::sync::Mutex::new(Vec::new());
    let watch = |done: u64, total: u64| {
        calls.lock().unwrap().push((done, total));
        true
    };
    convert(&dataset, &out, &Options { progress: Some(&watch), ..Options::default() }).unwrap();
    let calls = calls.into_inner().unwrap();
    assert!(calls.len() > 3 && calls.is_sorted(), "{calls:?}");
    assert!(calls.iter().all(|&(_, total)| total == calls[0].1));
    assert_eq!(calls.last().map(|&(done, total)| done == total), Some(true), "{calls:?}");
    fs::remove_file(&out).unwrap();
    for last in calls.iter().map(|&(done, _)| done) {
        let stop = |done: u64, _: u64| done < last;
        let options = Options { progress: Some(&stop), ..Options::default() };
        assert_eq!(convert(&dataset, &out, &options).unwrap_err().kind(), Kind::Cancelled);
        let left: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(!left.iter().any(|n| n.to_string_lossy().contains("out.nc")), "{left:?}");
    }
}

/// An aggregation of two parts called `part`: the first in the file itself, the second beside it or also in the file.
fn make_own_parts(directory: &std::path::Path, all: bool) -> std::path::PathBuf {
    let part = |first: f64| Variable::with_values("part", &["x"], Values::F64(vec![first, first + 1.0]));
    let mut beside = File::default();
    beside.add_dimension("x", 2);
    beside.variables.push(part(2.0));
    write_file(&beside, &directory.join("beside.nc"), Format::Netcdf4).unwrap();
    let mut file = File::default();
    file.add_dimension("x", 2);
    file.add_dimension("y", 4);
    file.variables.push(part(0.0));
    let version = |location: Option<&str>| Fragment::Stored {
        versions: vec![Version {
            location: location.map(str::to_owned),
            identifier: "part".into(),
            format: None,
        }],
        view: None,
    };
    let second = if all { None } else { Some("beside.nc") };
    let one = Aggregated {
        variable: Variable::new("v", DataType::F64, &["y"]),
        sizes: vec![vec![2, 2]],
        fragments: Content::Stored(vec![version(None), version(second)]),
    };
    add(&mut file, &one, Dialect::Cfa04).unwrap();
    let path = directory.join("own.nc");
    write_file(&file, &path, Format::Netcdf4).unwrap();
    path
}

#[test]
fn fragments_in_the_file_itself_survive_every_dialect_and_format() {
    for (all, expected) in [(false, [0.0, 1.0, 2.0, 3.0]), (true, [0.0, 1.0, 0.0, 1.0])] {
        let directory = tempfile::tempdir().unwrap();
        let path = make_own_parts(directory.path(), all);
        assert_eq!(crate::archive::read(&path, "v"), Values::F64(expected.to_vec()));
        for dialect in DIALECTS {
            for format in [Format::Netcdf4, Format::Classic, Format::Cdf5] {
                let out = directory.path().join("out.nc");
                // The existing file holds data of its own.
                let options = Options { dialect, format, overwrite: true, ..Options::default() };
                convert(&Dataset::open(&path).unwrap(), &out, &options).unwrap();
                assert_eq!(
                    crate::archive::read(&out, "v"),
                    Values::F64(expected.to_vec()),
                    "{dialect} {format:?}"
                );
                // And from there to all the others.
                for second in DIALECTS {
                    let back = directory.path().join("back.nc");
                    let options = Options { dialect: second, overwrite: true, ..Options::default() };
                    convert(&Dataset::open(&out).unwrap(), &back, &options).unwrap();
                    let values = crate::archive::read(&back, "v");
                    assert_eq!(values, Values::F64(expected.to_vec()), "{dialect} {second}");
                }
            }
        }
    }
}

#[test]
fn a_new_dialect_takes_the_place_of_the_old_one_by_renaming() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make_as(directory.path(), Dialect::Cfa062);
    let output = crate::archive::cfa(directory.path(), &["convert", "year.nc", "year.nc", "--overwrite"]);
    assert_eq!(output.status.code(), Some(1));
    crate::archive::run(directory.path(), &["convert", "year.nc", "new.nc"]);
    fs::rename(directory.path().join("new.nc"), &path).unwrap();
    assert_eq!(crate::archive::read(&path, "tas"), Values::F32(crate::archive::values()));
    assert_eq!(locations(&path, "tas")[0], "frag/part%200_0.nc");
    crate::archive::run(directory.path(), &["check", "year.nc", "--fragments", "--strict"]);
}

/// Writes an aggregation with plain variables that are wholly or partly unwritten, each in its own way.
fn with_unwritten_data(folder: &std::path::Path) -> (std::path::PathBuf, Vec<String>) {
    let values = Var::new("v", DataType::F32, &[], Data::Numbers(vec![1.0, 2.0]));
    plain(folder, "f.nc", values);
    let own = Var::new("v", DataType::F32, &[], Data::None);
    let path = aggregate(folder, "agg.nc", own, &[("f.nc", "v", 2)]);
    let mut file = netcdf::append(&path).unwrap();
    file.add_dimension("y", 6).unwrap();
    file.add_unlimited_dimension("grown").unwrap();
    let mut names = Vec::new();
    for (name, dimension, chunk, deflate) in [
        ("contiguous", "y", None, false),
        ("chunked", "y", Some(2), false),
        ("deflated", "y", Some(2), true),
        ("records", "grown", Some(2), false),
    ] {
        for (how, fill) in [("none", None), ("seven", Some(7)), ("zero", Some(0))] {
            for written in [0, 2, 6] {
                let name = format!("{name}_{how}_{written}");
                let mut variable = file.add_variable::<i32>(&name, &[dimension]).unwrap();
                if let Some(chunk) = chunk {
                    variable.set_chunking(&[chunk]).unwrap();
                }
                if deflate {
                    variable.set_compression(4, true).unwrap();
                }
                match fill {
                    Some(fill) => variable.set_fill_value(fill).unwrap(),
                    // SAFETY: HDF5 reads zeros where nothing is written.
                    None => unsafe { variable.set_nofill().unwrap() },
                }
                if written > 0 {
                    let values: Vec<i32> = (1..=written).collect();
                    variable.put_values(&values, ..values.len()).unwrap();
                }
                names.push(name);
            }
        }
    }
    drop(file);
    (path, names)
}

#[test]
fn data_that_were_never_written_keep_their_value() {
    let folder = tempfile::tempdir().unwrap();
    let (path, names) = with_unwritten_data(folder.path());
    let dataset = Dataset::open(&path).unwrap();
    let read = |path: &std::path::Path, name: &str| {
        let variable = Dataset::open(path).unwrap().variable(name).unwrap();
        let shape = variable.shape().unwrap().to_vec();
        let (mut bytes, mut mask) = (vec![0; 24], vec![7; 6]);
        let output = cfa::Output { mask: Some(&mut mask), ..cfa::Output::new(DataType::I32, &mut bytes) };
        variable.read_into(&cfa::Selection::all(&shape), output).unwrap();
        (shape, bytes, mask)
    };
    for format in [Format::Netcdf4, Format::Classic] {
        let new = folder.path().join("new.nc");
        let options = Options { dialect: Dialect::Cfa062, format, overwrite: true, ..Options::default() };
        convert(&dataset, &new, &options).unwrap();
        for name in &names {
            assert_eq!(read(&new, name), read(&path, name), "{format:?} {name}");
        }
    }
}
