//! Archives as they are: releases of files, files that cannot be read, and files that go away.

use std::fs;
use std::path::{Path, PathBuf};

use cfa::create::{create, expand, plan, survey, update, Options, Prune};
use cfa::{Dataset, EntrySource, Kind, Values};

use super::parts::*;

fn write(folder: &Path, name: &'static str, time: f64, base: f64) -> PathBuf {
    fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    Part { base, ..Part::new(name, &[time]) }.write(folder)
}

fn numbers(out: &Path) -> Vec<f32> {
    match values(&Dataset::open(out).unwrap(), "tas") {
        Values::F32(list) => list.into_iter().step_by(3).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_newest_release_of_each_file_is_aggregated() {
    let folder = tempfile::tempdir().unwrap();
    for (name, time, base) in [
        ("v20190101/a.nc", 0.0, 1.0),
        ("v20190101/b.nc", 1.0, 2.0),
        ("v20200101/a.nc", 0.0, 10.0),
        ("v20200101/c.nc", 2.0, 30.0),
    ] {
        write(folder.path(), name, time, base);
    }
    let out = folder.path().join("agg.nc");
    let inputs = expand(&[folder.path()]).unwrap();
    let report = create(&out, &inputs, &Options::default(), None).unwrap();
    assert_eq!(numbers(&out), [10.0, 2.0, 30.0]);
    let notes = report.notes.join("\n");
    assert!(notes.contains("v20190101/a.nc") && !notes.contains("v20190101/b.nc"), "{notes}");
    assert!(notes.contains("different releases are joined: v20190101, v20200101"), "{notes}");
    let mut options = Options::default();
    options.release = Some("v20190101".into());
    let report = create(&out, &inputs, &options, None).unwrap();
    assert_eq!(numbers(&out), [1.0, 2.0]);
    let notes = report.notes.join("\n");
    assert!(notes.contains("v20200101/a.nc") && notes.contains("v20200101/c.nc"), "{notes}");
    // An older release is never another version of a fragment.
    let dataset = Dataset::open(&out).unwrap();
    let tas = dataset.variable("tas").unwrap();
    assert!((0..2).all(|i| matches!(&tas.fragment(&[i, 0]).unwrap().source, EntrySource::Versions(versions) if versions.len() == 1)));
    options.release = Some("v20180101".into());
    let error = create(&out, &inputs, &options, None).unwrap_err();
    assert!(error.kind() == Kind::Request && error.to_string().contains("v20190101, v20200101"), "{error}");
    options.release = Some("all".into());
    let error = create(&out, &inputs, &options, None).unwrap_err();
    assert!(error.to_string().contains("same coordinates"), "{error}");
}

#[test]
fn files_that_cannot_be_read_are_all_listed_and_left_out_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths: Vec<PathBuf> = ["a.nc", "b.nc", "c.nc", "d.nc"]
        .iter()
        .enumerate()
        .map(|(i, n)| write(folder.path(), n, i as f64, i as f64))
        .collect();
    fs::write(&paths[1], "no netCDF").unwrap();
    fs::write(&paths[2], &fs::read(&paths[3]).unwrap()[..600]).unwrap();
    let out = folder.path().join("agg.nc");
    let options = Options::default();
    for error in [plan(&out, &paths, &options, None), create(&out, &paths, &options, None)] {
        let error = error.unwrap_err();
        let text = error.to_string();
        for words in ["2 files cannot be read", "b.nc: ", "c.nc: ", "--skip-bad"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!out.exists());
    }
    let mut options = Options::default();
    options.skip_bad = true;
    options.allow_gaps = true;
    let report = create(&out, &paths, &options, None).unwrap();
    assert_eq!(numbers(&out), [0.0, 3.0]);
    let notes = report.notes.join("\n");
    assert!(notes.contains("2 files cannot be read and are left out") && notes.contains("b.nc: "), "{notes}");
    // All are bad.
    let error = create(&folder.path().join("none.nc"), &paths[1..3], &options, None).unwrap_err();
    assert!(error.to_string().contains("b.nc") && error.to_string().contains("c.nc"), "{error}");
    // An update goes on too, and keeps the parts of a file of the aggregation that is damaged now.
    fs::write(&paths[3], "damaged").unwrap();
    paths.push(write(folder.path(), "e.nc", 4.0, 4.0));
    let report = update(&out, &paths, &options, None).unwrap();
    let notes = report.notes.join("\n");
    assert!(notes.contains("d.nc") && notes.contains("keep their parts"), "{notes}");
    assert_eq!(Dataset::open(&out).unwrap().variable("tas").unwrap().shape().unwrap(), [3, 3]);
    assert!(report.added.len() == 1 && report.added[0].ends_with("e.nc"), "{:?}", report.added);
}

#[test]
fn a_file_to_be_replaced_is_not_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let a = write(folder.path(), "a.nc", 0.0, 0.0);
    let b = write(folder.path(), "b.nc", 1.0, 1.0);
    let inner = folder.path().join("inner.nc");
    create(&inner, std::slice::from_ref(&a), &Options::default(), None).unwrap();
    let mut options = Options::default();
    (options.skip_bad, options.overwrite) = (true, true);
    let before = fs::read(&a).unwrap();
    assert_eq!(create(&a, &[inner, b], &options, None).unwrap_err().kind(), Kind::Request);
    assert_eq!(fs::read(&a).unwrap(), before);
}

#[test]
fn an_update_of_nothing_creates_and_tells_what_it_adds_later() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [("a.nc", 0.0), ("b.nc", 1.0)].map(|(name, time)| write(folder.path(), name, time, time));
    let out = folder.path().join("agg.nc");
    update(&out, &paths[..1], &Options::default(), None).unwrap();
    let report = update(&out, &paths, &Options::default(), None).unwrap();
    assert_eq!(numbers(&out), [0.0, 1.0]);
    assert!(report.added.len() == 1 && report.added[0].ends_with("b.nc"), "{:?}", report.added);
    assert!(report.changed.is_empty() && report.removed.is_empty());
    // Another kind of file is still refused.
    assert!(update(&paths[0], &paths[1..], &Options::default(), None).is_err());
}

#[test]
fn fragments_whose_files_are_gone_are_removed_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["x/a.nc", "x/b.nc", "y/c.nc"];
    let paths: Vec<PathBuf> =
        names.iter().enumerate().map(|(i, n)| write(folder.path(), n, i as f64, i as f64)).collect();
    let out = folder.path().join("agg.nc");
    let pruned = |prune, given: &Path| {
        let mut options = Options::default();
        (options.prune, options.allow_gaps) = (prune, true);
        update(&out, &[given.to_owned()], &options, None)
    };
    create(&out, &paths, &Options::default(), None).unwrap();
    assert!(pruned(Prune::Files, &paths[0]).unwrap().removed.is_empty());
    fs::remove_file(&paths[1]).unwrap();
    assert!(pruned(Prune::Nothing, &paths[0]).unwrap().removed.is_empty());
    assert_eq!(shape(&Dataset::open(&out).unwrap(), "tas"), [3, 3]);
    let report = pruned(Prune::Files, &paths[0]).unwrap();
    assert_eq!(report.removed, ["x/b.nc"]);
    assert_eq!(numbers(&out), [0.0, 2.0]);
    // A folder of which no file is left may be a disk that is not mounted.
    fs::rename(folder.path().join("y"), folder.path().join("away")).unwrap();
    for empty in [false, true] {
        if empty {
            fs::create_dir(folder.path().join("y")).unwrap();
        }
        let error = pruned(Prune::Files, &paths[0]).unwrap_err();
        assert!(error.kind() == Kind::Request && error.to_string().contains("--prune=folders"), "{error}");
        assert_eq!(shape(&Dataset::open(&out).unwrap(), "tas"), [2, 3]);
    }
    assert_eq!(pruned(Prune::Folders, &paths[0]).unwrap().removed, ["y/c.nc"]);
    assert_eq!(numbers(&out), [0.0]);
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_reached_is_not_gone() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [("x/a.nc", 0.0), ("x/b.nc", 1.0)].map(|(name, time)| write(folder.path(), name, time, time));
    let out = folder.path().join("agg.nc");
    create(&out, &paths, &Options::default(), None).unwrap();
    let mut options = Options::default();
    options.prune = Prune::Folders;
    // A link into a disk that is not mounted.
    fs::remove_file(&paths[1]).unwrap();
    std::os::unix::fs::symlink("/nowhere/b.nc", &paths[1]).unwrap();
    assert!(update(&out, &paths[..1], &options, None).unwrap().removed.is_empty());
    // Something that is no folder any more.
    let moved = folder.path().join("a.nc");
    fs::rename(&paths[0], &moved).unwrap();
    fs::remove_dir_all(folder.path().join("x")).unwrap();
    fs::write(folder.path().join("x"), "").unwrap();
    let other = write(folder.path(), "c.nc", 2.0, 2.0);
    assert!(update(&out, &[other], &options, None).unwrap().removed.is_empty());
    assert_eq!(shape(&Dataset::open(&out).unwrap(), "tas"), [3, 3]);
}

#[test]
fn what_does_not_seem_to_belong_together_is_told() {
    let notes = |edits: [fn(&mut cfa::internals::write::File); 2]| {
        let folder = tempfile::tempdir().unwrap();
        let parts = [("a.nc", 0.0, edits[0]), ("b.nc", 1.0, edits[1])];
        let paths =
            parts.map(|(name, time, edit)| Part { edit, ..Part::new(name, &[time]) }.write(folder.path()));
        let out = folder.path().join("agg.nc");
        let report = create(&out, &paths, &Options::default(), None).unwrap();
        fs::remove_file(&out).unwrap();
        create(&out, &paths[..1], &Options::default(), None).unwrap();
        let updated = update(&out, &paths[1..], &Options::default(), None).unwrap();
        [report.notes.join("\n"), updated.notes.join("\n")]
    };
    let told = notes([
        |f| f.attributes.set_text("experiment_id", "historical"),
        |f| f.attributes.set_text("experiment_id", "ssp585"),
    ]);
    for text in told {
        assert!(text.contains("2 experiments") && text.contains("ssp585") && text.contains("b.nc"), "{text}");
    }
    let told = notes([|_| {}, |f| drop(data(f).attributes.remove("units"))]);
    for text in told {
        assert!(
            text.contains("'tas' has no units in ") && text.contains("b.nc") && text.contains("'K'"),
            "{text}"
        );
    }
    let told = notes([
        |f| f.attributes.set_text("history", "made in May"),
        |f| f.attributes.set_text("history", "made in June"),
    ]);
    assert!(told[0].contains("left out: history"), "{told:?}");
    assert!(!told[1].contains("history"), "{told:?}");
    for text in notes([|_| {}, |_| {}]) {
        assert!(!text.contains("experiment") && !text.contains("units"), "{text}");
    }
}

#[test]
fn a_survey_shows_the_holes_and_all_that_prevents_the_aggregation() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (name, time) in
        [("r1_a.nc", 0.0), ("r1_b.nc", 1.0), ("r1_c.nc", 2.0), ("r2_a.nc", 0.0), ("r2_c.nc", 2.0)]
    {
        paths.push(write(folder.path(), name, time, time));
    }
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.new_dimension = Some("member=name:^r.".into());
    fs::write(folder.path().join("bad.nc"), "no netCDF").unwrap();
    paths.push(folder.path().join("bad.nc"));
    let report = survey(&out, &paths, &options, false, None).unwrap();
    assert_eq!(report.variables[0].places, [0, 1, 2, 3, 5]);
    let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
    assert!(faults.len() == 2 && faults[0].contains("member r2, time 1 (2001-01-02"), "{faults:?}");
    assert!(faults[1].contains("bad.nc") && faults[1].contains("--skip-bad"), "{faults:?}");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_cfa"))
        .args(["create", "agg.nc", "r*.nc", "bad.nc", "--new-dim", "member=name:^r.", "--dry-run"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "  ###  member r1",
        "  #.#  member r2",
        "time 0 (2001-01-01 00:00:00) to time 2 (2001-01-03 00:00:00)",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("time 1 (2001-01-02") && errors.contains("bad.nc"), "{errors}");
    assert!(output.status.code() == Some(1) && !out.exists());
    // Gaps do not hide the rest.
    let report =
        survey(&out, [paths[0].clone(), paths[1].clone()].as_slice(), &Options::default(), false, None)
            .unwrap();
    assert!(report.faults.is_empty() && report.variables[0].places.is_empty());
    let late = write(folder.path(), "late.nc", 9.0, 0.0);
    let report =
        survey(&out, &[paths[0].clone(), paths[1].clone(), late], &Options::default(), false, None).unwrap();
    assert!(
        report.faults.len() == 1 && report.faults[0].to_string().contains("has a gap"),
        "{:?}",
        report.faults
    );
    assert_eq!(report.variables[0].fragments, 3);
}
