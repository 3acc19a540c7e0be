//! `cfa check`: findings, states of fragments, exit status and JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use cfa::check::{check, Options, Report, Severity, State};
use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, Data, Format, Group, Variable};
use cfa::Dialect;
use cfa::{DataType, Kind, Values};
use cfa::{Fragment, Version};

fn with_fragments(path: &Path) -> Report {
    check(path, &Options { fragments: true, ..Options::default() }).unwrap()
}

fn rules(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|f| f.rule).collect()
}

#[test]
fn a_sound_archive_is_fine_in_every_dialect() {
    let dialects = [
        Dialect::Cf113,
        Dialect::CfDraft,
        Dialect::Cfa062,
        Dialect::Cfa06b1,
        Dialect::CfaTerms,
        Dialect::Cfa04,
    ];
    for dialect in dialects {
        let directory = tempfile::tempdir().unwrap();
        let report = with_fragments(&crate::archive::make_as(directory.path(), dialect));
        let serious: Vec<_> = report.findings.iter().filter(|f| f.severity > Severity::Note).collect();
        assert!(serious.is_empty(), "{dialect}: {serious:?}");
        assert_eq!(report.variables.len(), 3, "{dialect}");
        for variable in &report.variables {
            assert_eq!(variable.dialect, dialect);
            assert_eq!(variable.states, [State::Present; 4], "{dialect} {}", variable.path);
        }
    }
}

#[test]
fn every_fault_of_the_fragments_is_told_with_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    let at = |t, y| directory.path().join(crate::archive::location(t, y));
    fs::remove_file(at(0, 0)).unwrap();
    crate::archive::fragment(&at(0, 1), 0, 1, "m s-1", 2);
    crate::archive::fragment(&at(1, 0), 1, 0, "K", 5);
    fs::write(at(1, 1), "not netCDF").unwrap();
    let report = with_fragments(&path);
    let tas = report.variables.iter().find(|v| v.path == "/tas").unwrap();
    assert_eq!(tas.states, [State::Missing, State::Wrong, State::Wrong, State::Wrong]);
    let found: BTreeMap<Vec<u64>, &str> = report
        .findings
        .iter()
        .filter(|f| f.variable.as_deref() == Some("/tas"))
        .map(|f| (f.fragment.clone().unwrap(), f.rule))
        .collect();
    let expected = [
        (vec![0, 0, 0], "fragment-present"),
        (vec![0, 1, 0], "fragment-units"),
        (vec![1, 0, 0], "fragment-shape"),
        (vec![1, 1, 0], "fragment-readable"),
    ];
    assert_eq!(found, BTreeMap::from(expected));
    assert!(report
        .findings
        .iter()
        .all(|f| f.severity != Severity::Requirement || f.clause == "CF-1.13 2.8.2"));
    assert!(!report.is_fine());
}

/// Writes a fragment of four by one, and an aggregation `v` of it with another type and another location if need be.
fn one_fragment(folder: &Path, stored: Variable, own: Variable, location: &str, dialect: Dialect) -> Report {
    let mut fragment = Group::default();
    fragment.add_dimension("x", 4);
    fragment.variables.push(stored);
    write_file(&fragment, &folder.join("part.nc"), Format::Netcdf4).unwrap();
    let mut file = Group::default();
    file.attributes.set_text("Conventions", dialect.conventions());
    file.add_dimension("x", 4);
    let version = Version { location: Some(location.into()), identifier: "v".into(), format: None };
    let fragments = Content::Stored(vec![Fragment::Stored { versions: vec![version], view: None }]);
    add(&mut file, &Aggregated { variable: own, sizes: vec![vec![4]], fragments }, dialect).unwrap();
    if let Some(format) = file.variables.iter_mut().find(|v| v.name == "cfa_format") {
        format.data = Data::Values(Values::String(vec!["tape".into()]));
    }
    let path = folder.join("one.nc");
    write_file(&file, &path, Format::Netcdf4).unwrap();
    with_fragments(&path)
}

#[test]
fn each_fault_of_a_fragment_has_its_rule() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = || Variable::with_values("v", &["x"], Values::F64(vec![1.0, 2.0, 3.0, 4.0]));
    let own = |data_type| Variable::new("v", data_type, &["x"]);
    let found = |stored, own, location, dialect| {
        let report = one_fragment(folder.path(), stored, own, location, dialect);
        (
            rules(&report).iter().map(|r| (*r).to_owned()).collect::<Vec<_>>(),
            report.variables[0].states.clone(),
        )
    };
    let wrong = |rule: &str| (vec![rule.to_owned()], vec![State::Wrong]);
    let cf = Dialect::Cf113;
    let double = || own(DataType::F64);
    assert_eq!(found(numbers(), double(), "part.nc", cf), (vec![], vec![State::Present]));
    assert_eq!(found(numbers(), own(DataType::String), "part.nc", cf), wrong("fragment-type"));
    let renamed = Variable { name: "w".into(), ..numbers() };
    assert_eq!(found(renamed, double(), "part.nc", cf), wrong("fragment-variable"));
    let days =
        |v: Variable, calendar| v.attribute("units", "days since 2000-01-01").attribute("calendar", calendar);
    assert_eq!(
        found(days(numbers(), "noleap"), days(double(), "360_day"), "part.nc", cf),
        wrong("fragment-calendar")
    );
    assert_eq!(found(numbers(), double(), "one.nc", cf), wrong("fragment-cycle"));
    assert_eq!(found(numbers(), double(), "http://127.0.0.1/part.nc", cf), wrong("fragment-refused"));
    assert_eq!(found(numbers(), double(), "part.nc", Dialect::Cfa062), wrong("fragment-format"));
    let lossy = (vec!["fragment-lossy".to_owned()], vec![State::Present]);
    assert_eq!(found(numbers(), own(DataType::I32), "part.nc", cf), lossy);
}

#[test]
fn conventions_should_name_the_text() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    for (dialect, conventions, severity) in [
        (Dialect::Cf113, Some("CF-1.12"), Some(Severity::Recommendation)),
        (Dialect::Cf113, None, Some(Severity::Recommendation)),
        (Dialect::Cf113, Some("ACDD-1.3, CF-1.14"), None),
        (Dialect::Cfa062, Some("CF-1.11"), Some(Severity::Requirement)),
    ] {
        let mut file = crate::archive::describe(dialect);
        file.attributes.remove("Conventions");
        if let Some(text) = conventions {
            file.attributes.set_text("Conventions", text);
        }
        write_file(&file, &path, Format::Netcdf4).unwrap();
        let report = check(&path, &Options::default()).unwrap();
        let told = report.findings.iter().find(|f| f.rule == "conventions").map(|f| f.severity);
        assert_eq!(told, severity, "{dialect} {conventions:?}");
    }
}

#[test]
fn another_version_and_an_absent_one_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    crate::archive::make(directory.path());
    let mut file = crate::archive::describe(Dialect::CfDraft);
    let names = file.variables.iter_mut().find(|v| v.name == "fragment_location").unwrap();
    names.dimensions.push("f_version".into());
    let cfa::internals::write::Data::Values(cfa::Values::String(list)) = &names.data else {
        panic!("no names")
    };
    let both = list.iter().flat_map(|name| [format!("cache/{name}"), name.clone()]).collect();
    names.data = cfa::internals::write::Data::Values(cfa::Values::String(both));
    file.add_dimension("f_version", 2);
    let path = directory.path().join("versions.nc");
    cfa::internals::write::write_file(&file, &path, cfa::internals::write::Format::Netcdf4).unwrap();
    let report = with_fragments(&path);
    let tas = report.variables.iter().find(|v| v.path == "/tas").unwrap();
    assert_eq!(tas.states, [State::OtherVersion; 4]);
    assert!(report.is_fine(), "{:?}", report.findings);
    assert!(rules(&report).contains(&"fragment-version"));
}

#[test]
fn a_fragment_that_changed_since_it_was_recorded_is_told_also_after_conversion() {
    let directory = tempfile::tempdir().unwrap();
    crate::archive::make(directory.path());
    for t in 0..2 {
        let name = directory.path().join(format!("step{t}.nc"));
        let mut file = cfa::internals::write::Group::default();
        file.add_dimension("time", 1);
        let time =
            cfa::internals::write::Variable::with_values("time", &["time"], cfa::Values::F64(vec![t as f64]));
        file.variables.push(time.attribute("units", "days since 2001-01-01"));
        file.variables.push(cfa::internals::write::Variable::with_values(
            "v",
            &["time"],
            cfa::Values::F32(vec![1.0]),
        ));
        cfa::internals::write::write_file(&file, &name, cfa::internals::write::Format::Netcdf4).unwrap();
    }
    crate::archive::run(directory.path(), &["create", "made.nc", "step0.nc", "step1.nc", "--record-state"]);
    crate::archive::run(directory.path(), &["convert", "made.nc", "made062.nc", "--dialect", "cfa-0.6.2"]);
    for name in ["made.nc", "made062.nc"] {
        let report = with_fragments(&directory.path().join(name));
        assert!(report.is_fine(), "{name}: {:?}", report.findings);
    }
    let changed = fs::File::options().append(true).open(directory.path().join("step1.nc")).unwrap();
    changed.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(100)).unwrap();
    for name in ["made.nc", "made062.nc"] {
        let report = with_fragments(&directory.path().join(name));
        let v = report.variables.iter().find(|v| v.path == "/v").unwrap();
        assert_eq!(v.states, [State::Present, State::Changed], "{name}");
        assert_eq!(rules(&report), ["fragment-changed"], "{name}");
    }
    crate::archive::run(directory.path(), &["extract", "made.nc", "plain.nc", "--quiet"]);
    let plain = cfa::Dataset::open(directory.path().join("plain.nc")).unwrap();
    assert_eq!(plain.variables().len(), 2, "what was recorded is not extracted");
}

#[test]
fn a_file_that_the_reader_refuses_is_checked_all_the_same() {
    let directory = tempfile::tempdir().unwrap();
    crate::archive::make(directory.path());
    let mut file = crate::archive::describe(Dialect::Cf113);
    for variable in &mut file.variables {
        match variable.name.as_str() {
            "tas" => {
                variable.attributes.set_text("aggregated_dimensions", "time lat height");
                variable.dimensions.push("nv".into());
            }
            "fragment_map" => {
                variable.data =
                    cfa::internals::write::Data::Values(cfa::Values::I32(vec![2, 3, 2, 2, 3, -1]));
            }
            _ => {}
        }
    }
    let path = directory.path().join("broken.nc");
    cfa::internals::write::write_file(&file, &path, cfa::internals::write::Format::Netcdf4).unwrap();
    let report = with_fragments(&path);
    let of = |name: &str| -> Vec<&str> {
        report.findings.iter().filter(|f| f.variable.as_deref() == Some(name)).map(|f| f.rule).collect()
    };
    assert_eq!(of("/tas"), ["dimension-exists", "scalar"]);
    assert_eq!(of("/packed"), ["map-sum"]);
    let deep = report.variables.iter().find(|v| v.path == "/g/deep").unwrap();
    assert_eq!(deep.states, [State::Present; 4], "what is sound is checked");
}

#[test]
fn progress_is_told_and_can_cancel() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    let last = AtomicU64::new(0);
    let listener = |done: u64, total: u64| {
        assert_eq!(total, 12);
        last.fetch_max(done, Ordering::Relaxed);
        true
    };
    let options = Options { fragments: true, progress: Some(&listener), ..Options::default() };
    check(&path, &options).unwrap();
    assert_eq!(last.into_inner(), 12);
    let stop = |_: u64, _: u64| false;
    let options = Options { fragments: true, progress: Some(&stop), ..Options::default() };
    assert_eq!(check(&path, &options).unwrap_err().kind(), Kind::Cancelled);
}

#[test]
fn what_is_not_netcdf_is_an_error_and_a_plain_file_is_fine() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.nc");
    fs::write(&path, "hello").unwrap();
    assert_eq!(check(&path, &Options::default()).unwrap_err().kind(), Kind::NotNetcdf);
    assert_eq!(crate::archive::cfa(directory.path(), &["check", "x.nc"]).status.code(), Some(1));
    crate::archive::make(directory.path());
    let plain = directory.path().join(crate::archive::location(0, 0));
    let report = with_fragments(&plain);
    assert!(report.is_fine() && report.variables.is_empty());
}

#[test]
fn the_exit_status_tells() {
    let directory = tempfile::tempdir().unwrap();
    crate::archive::make(directory.path());
    let status = |arguments: &[&str]| crate::archive::cfa(directory.path(), arguments).status.code();
    assert_eq!(status(&["check", "year.nc", "--fragments", "--strict"]), Some(0));
    fs::remove_file(directory.path().join(crate::archive::location(1, 0))).unwrap();
    assert_eq!(status(&["check", "year.nc"]), Some(0));
    assert_eq!(status(&["check", "year.nc", "--fragments"]), Some(1));
    let quiet = crate::archive::cfa(directory.path(), &["check", "year.nc", "--fragments", "--quiet"]);
    assert_eq!((quiet.status.code(), quiet.stdout.len(), quiet.stderr.len()), (Some(1), 0, 0));
    assert_eq!(status(&["check"]), Some(2));
    let json = crate::archive::cfa(directory.path(), &["check", "year.nc", "--fragments", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["fine"], false);
    assert_eq!(json["variables"][0]["states"]["missing"], 1);
    let finding =
        json["findings"].as_array().unwrap().iter().find(|f| f["rule"] == "fragment-present").unwrap();
    assert_eq!(finding["fragment"], serde_json::json!([1, 0, 0]));
    assert_eq!(finding["clause"], "CF-1.13 2.8.2");
}

#[test]
fn the_examples_of_the_guide_run() {
    let guide = include_str!("../docs/checking.md");
    let directory = tempfile::tempdir().unwrap();
    crate::archive::make(directory.path());
    let mut count = 0;
    for line in guide.lines().filter_map(|line| line.strip_prefix("    cfa ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        crate::archive::run(directory.path(), &words);
        count += 1;
    }
    assert_eq!(count, 11);
    assert!(directory.path().join("year.html").exists() && directory.path().join("corner.nc").exists());
}

/// A file with an aggregation variable `v` along `x`, times with bounds of these dimensions, and a group.
fn bounded(
    folder: &Path,
    naming: &str,
    dimensions: &[&str],
    dialect: Dialect,
    edit: fn(&mut Group),
) -> Report {
    let mut file = Group::default();
    file.attributes.set_text("Conventions", dialect.conventions());
    for (name, size) in [("x", 4), ("y", 4), ("nv", 2)] {
        file.add_dimension(name, size);
    }
    let x = Variable::with_values("x", &["x"], Values::F64(vec![1.0, 2.0, 3.0, 4.0]));
    file.variables.push(x.attribute(naming, "x_bnds"));
    let size = |d: &&str| file.dimension(d).map_or(1, |d| d.size as usize);
    let n: usize = dimensions.iter().map(size).product();
    file.variables.push(Variable::with_values("x_bnds", dimensions, Values::F64(vec![0.0; n])));
    edit(&mut file);
    let version = Version { location: Some("part.nc".into()), identifier: "v".into(), format: None };
    let fragments = Content::Stored(vec![Fragment::Stored { versions: vec![version], view: None }]);
    let variable = Variable::new("v", DataType::F64, &["x"]);
    add(&mut file, &Aggregated { variable, sizes: vec![vec![4]], fragments }, dialect).unwrap();
    let path = folder.join("bounded.nc");
    write_file(&file, &path, Format::Netcdf4).unwrap();
    check(&path, &Options::default()).unwrap()
}

#[test]
fn bounds_have_the_dimensions_of_their_variable_and_one_more() {
    let folder = tempfile::tempdir().unwrap();
    let found = |naming: &str, dimensions: &[&str]| {
        let report = bounded(folder.path(), naming, dimensions, Dialect::Cf113, |_| {});
        rules(&report).iter().map(|r| (*r).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("bounds", &["x", "nv"]), [""; 0]);
    assert_eq!(found("climatology", &["x", "nv"]), [""; 0]);
    for dimensions in [&["nv"][..], &["x"], &["nv", "x"], &["y", "nv"], &["x", "y", "nv"], &[]] {
        assert_eq!(found("bounds", dimensions), ["bounds-dimensions"], "{dimensions:?}");
        assert_eq!(found("climatology", dimensions), ["climatology-dimensions"], "{dimensions:?}");
    }
    let report = bounded(folder.path(), "bounds", &["nv"], Dialect::Cf113, |_| {});
    let finding = &report.findings[0];
    assert_eq!((finding.variable.as_deref(), finding.severity), (Some("/x"), Severity::Requirement));
    assert_eq!(finding.clause, "CF-1.13 7.1 bounds");
    assert!(finding.message.contains("'x_bnds' has the dimensions (nv)"), "{}", finding.message);
    assert!(!report.is_fine());
    let report = bounded(folder.path(), "climatology", &["nv"], Dialect::Cfa062, |_| {});
    assert_eq!(report.findings[0].clause, "CF 7.4 climatology");
}

#[test]
fn bounds_of_scalars_of_variables_in_groups_and_of_aggregations_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let found = |edit: fn(&mut Group)| {
        let report = bounded(folder.path(), "bounds", &["x", "nv"], Dialect::Cf113, edit);
        let list = report.findings.iter().map(|f| (f.variable.clone().unwrap(), f.rule));
        list.collect::<Vec<_>>()
    };
    let wrong = |variable: &str| vec![(variable.to_owned(), "bounds-dimensions")];
    fn scalar(file: &mut Group, dimensions: &[&str], n: usize) {
        let height = Variable::with_values("height", &[], Values::F64(vec![2.0]));
        file.variables.push(height.attribute("bounds", "height_bnds"));
        file.variables.push(Variable::with_values("height_bnds", dimensions, Values::F64(vec![0.0; n])));
    }
    assert_eq!(found(|f| scalar(f, &["nv"], 2)), []);
    assert_eq!(found(|f| scalar(f, &["x", "nv"], 8)), wrong("/height"));
    assert_eq!(
        found(|f| {
            let mut group = Group { name: "g".into(), ..Group::default() };
            scalar(&mut group, &["x", "nv"], 8);
            f.groups.push(group);
        }),
        wrong("/g/height")
    );
    let absent = |f: &mut Group| {
        let z = Variable::with_values("z", &[], Values::F64(vec![2.0]));
        f.variables.push(z.attribute("bounds", "gone"));
    };
    assert_eq!(found(absent), wrong("/z"));
    // An aggregation variable is a scalar in the file, but not for its bounds.
    fn aggregated(file: &mut Group, dimension: &'static str) {
        let version = Version { location: Some("part.nc".into()), identifier: "t".into(), format: None };
        let fragments = Content::Stored(vec![Fragment::Stored { versions: vec![version], view: None }]);
        let variable = Variable::new("t", DataType::F64, &["y"]).attribute("bounds", "t_bnds");
        let bounds = Variable::with_values("t_bnds", &[dimension, "nv"], Values::F64(vec![0.0; 8]));
        file.variables.push(bounds);
        add(file, &Aggregated { variable, sizes: vec![vec![4]], fragments }, Dialect::Cf113).unwrap();
    }
    assert_eq!(found(|f| aggregated(f, "y")), []);
    assert_eq!(found(|f| aggregated(f, "x")), wrong("/t"));
}
