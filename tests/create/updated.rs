//! Updates of aggregations, and fragments that change.

use std::fs;
use std::path::PathBuf;

use cfa::create::{create, update, Options};
use cfa::internals::write::{File, Format, Variable};
use cfa::Dialect;
use cfa::{ChangedFragments, OpenOptions};
use cfa::{Dataset, Selection, Values};

use super::parts::*;

#[test]
fn an_update_equals_a_new_aggregation_and_does_not_read_old_files() {
    let bounded = |name, time: &[f64], base| Part { bounds: true, base, ..Part::new(name, time) };
    let parts =
        [bounded("a.nc", &[0.0, 1.0], 0.0), bounded("b.nc", &[2.0], 6.0), bounded("c.nc", &[3.0, 4.0], 9.0)];
    for dialect in [Dialect::Cf113, Dialect::Cfa062, Dialect::Cfa06b1, Dialect::CfaTerms, Dialect::Cfa04] {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<PathBuf> = parts.iter().map(|p| p.write(folder.path())).collect();
        let (once, twice) = (folder.path().join("once.nc"), folder.path().join("twice.nc"));
        let mut options = Options::default();
        options.dialect = dialect;
        create(&once, &paths, &options, None).unwrap();
        create(&twice, &paths[1..2], &options, None).unwrap();
        let hidden = folder.path().join("hidden");
        fs::rename(&paths[1], &hidden).unwrap();
        // One after the existing parts, then one before them.
        update(&twice, &paths[2..], &Options::default(), None).unwrap();
        let report =
            update(&twice, &[paths[0].clone(), paths[2].clone()], &Options::default(), None).unwrap();
        assert!(report.notes.iter().any(|n| n.contains("1 of the files")), "{:?}", report.notes);
        fs::rename(&hidden, &paths[1]).unwrap();
        let (once, twice) = (Dataset::open(&once).unwrap(), Dataset::open(&twice).unwrap());
        for name in ["tas", "time", "time_bnds", "lat"] {
            assert_eq!(values(&once, name), values(&twice, name), "{dialect} {name}");
        }
        assert_eq!(twice.variable("tas").unwrap().aggregation().unwrap().unwrap().dialect, dialect);
        let history = twice.groups()[0].attributes.text("history").unwrap();
        assert_eq!(history.lines().count(), 3, "{history}");
    }
}

#[test]
fn an_update_keeps_the_format_unless_told() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [("a.nc", 0.0), ("b.nc", 1.0), ("c.nc", 2.0)];
    let paths = paths.map(|(name, time)| Part::new(name, &[time]).write(folder.path()));
    let out = folder.path().join("agg.nc");
    for format in [Format::Classic, Format::Cdf5, Format::Netcdf4] {
        let mut options = Options::default();
        options.format = Some(format);
        create(&out, &paths[..1], &options, None).unwrap();
        update(&out, &paths[1..2], &Options::default(), None).unwrap();
        assert_eq!(Format::of_file(&out).unwrap(), format);
    }
    let mut options = Options::default();
    options.format = Some(Format::Classic);
    update(&out, &paths[2..], &options, None).unwrap();
    assert_eq!(Format::of_file(&out).unwrap(), Format::Classic);
    assert_eq!(values(&Dataset::open(&out).unwrap(), "time").len(), 3);
}

#[test]
fn an_update_adds_variables() {
    let folder = tempfile::tempdir().unwrap();
    let rain: fn(&mut File) = |f| {
        data(f).attributes.set_text("standard_name", "precipitation_flux");
        data(f).name = "pr".into();
    };
    let a = Part::new("a.nc", &[0.0]).write(folder.path());
    let p = Part { edit: rain, ..Part::new("p.nc", &[0.0]) }.write(folder.path());
    let out = folder.path().join("agg.nc");
    create(&out, &[a], &Options::default(), None).unwrap();
    update(&out, &[p], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "tas"), values(&dataset, "pr"));
    assert!(dataset.variable("time_2").is_err());
}

#[test]
fn a_fragment_that_changed_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = [Part::new("a.nc", &[0.0]), Part::new("b.nc", &[1.0])]
        .iter()
        .map(|p| p.write(folder.path()))
        .collect();
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.record_state = true;
    for format in [Format::Netcdf4, Format::Classic] {
        options.format = Some(format);
        create(&out, &paths, &options, None).unwrap();
        let dataset = Dataset::open(&out).unwrap();
        values(&dataset, "tas");
        assert_eq!(dataset.warnings(), [""; 0]);
        assert!(!dataset.variables().iter().any(|v| v.name().starts_with("fragment")));
    }
    std::thread::sleep(std::time::Duration::from_millis(20));
    Part { base: 50.0, ..Part::new("b.nc", &[1.0]) }.write(folder.path());
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "tas").f64_at(3), Some(50.0));
    assert!(
        dataset.warnings().iter().any(|w| w.contains("b.nc") && w.contains("later than recorded")),
        "{:?}",
        dataset.warnings()
    );
    let strict = OpenOptions::default().changed_fragments(ChangedFragments::Error);
    let tas = Dataset::open_with(&out, &strict).unwrap().variable("tas").unwrap();
    assert!(tas.read_values(&Selection::block(&[0, 0], &[1, 3], &[2, 3]).unwrap()).is_ok());
    let error = tas.read_values(&Selection::all(&[2, 3])).unwrap_err();
    assert!(error.to_string().contains("CHANGED_FRAGMENTS"), "{error}");
    // An update keeps the record and adds to it.
    let c = Part { base: 9.0, ..Part::new("c.nc", &[2.0]) }.write(folder.path());
    update(&out, &[c], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    values(&dataset, "tas");
    assert_eq!(dataset.warnings().len(), 1);
}

#[test]
fn a_dimension_of_the_order_of_files_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name, time: f64, base| Part { base, ..Part::new(name, &[time]) }.write(folder.path());
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.new_dimension = Some("member".into());
    let old =
        [file("a0.nc", 0.0, 0.0), file("a1.nc", 1.0, 3.0), file("b0.nc", 0.0, 6.0), file("b1.nc", 1.0, 9.0)];
    create(&out, &old, &options, None).unwrap();
    let new = [
        file("c0.nc", 0.0, 12.0),
        file("c1.nc", 1.0, 15.0),
        file("d0.nc", 0.0, 18.0),
        file("d1.nc", 1.0, 21.0),
    ];
    let error = update(&out, &new, &Options::default(), None).unwrap_err();
    assert!(error.to_string().contains("--new-dim member"), "{error}");
    update(&out, &new, &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(shape(&dataset, "tas"), [4, 2, 3]);
    assert_eq!(values(&dataset, "tas"), Values::F32((0..24).map(|i| i as f32).collect()));
    assert_eq!(values(&dataset, "member"), Values::I32(vec![0, 1, 2, 3]));
    let attributes = dataset.variable("member").unwrap().attributes().clone();
    assert_eq!(attributes.text("standard_name").unwrap(), "realization");
}

#[test]
fn a_dimension_with_other_coordinates_than_numbers_of_files_does_not_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let one: fn(&mut File) = |f| scalar(f, "member", Values::I32(vec![4]), "1");
    let two: fn(&mut File) = |f| scalar(f, "member", Values::I32(vec![7]), "1");
    let file = |name, edit| Part { edit, ..Part::new(name, &[0.0]) }.write(folder.path());
    let out = folder.path().join("agg.nc");
    create(&out, &[file("a.nc", one), file("b.nc", two)], &Options::default(), None).unwrap();
    let mut options = Options::default();
    options.new_dimension = Some("member".into());
    let error = update(&out, &[file("c.nc", |_| {})], &options, None).unwrap_err();
    assert!(error.to_string().contains("scalar coordinate 'member'"), "{error}");
}

/// Names of stations along time: as strings, or as rows of characters.
fn names(file: &mut File, values: Values) {
    let mut dimensions = vec!["time"];
    if let Values::Char(bytes) = &values {
        file.add_dimension("length", bytes.len() as u64);
        dimensions.push("length");
    }
    file.variables.push(Variable::with_values("name", &dimensions, values));
}

#[test]
fn a_fragment_of_strings_that_changed_is_noticed() {
    let string: [fn(&mut File); 2] = [
        |f| names(f, Values::String(vec!["Anna".into()])),
        |f| names(f, Values::String(vec!["Bert".into()])),
    ];
    let char: [fn(&mut File); 2] =
        [|f| names(f, Values::Char(b"Anna".to_vec())), |f| names(f, Values::Char(b"Bert".to_vec()))];
    for edits in [string, char] {
        let folder = tempfile::tempdir().unwrap();
        let part = |i: usize| Part { edit: edits[i], ..Part::new(["a.nc", "b.nc"][i], &[i as f64]) };
        let paths: Vec<PathBuf> = [0, 1].map(|i| part(i).write(folder.path())).into();
        let out = folder.path().join("agg.nc");
        let mut options = Options::default();
        options.record_state = true;
        options.variables = vec!["name".into()];
        create(&out, &paths, &options, None).unwrap();
        assert!(Dataset::open(&out).unwrap().variable("name").unwrap().aggregation().unwrap().is_some());
        std::thread::sleep(std::time::Duration::from_millis(20));
        part(1).write(folder.path());
        let dataset = Dataset::open(&out).unwrap();
        values(&dataset, "name");
        assert!(dataset.warnings().iter().any(|w| w.contains("b.nc")), "{:?}", dataset.warnings());
        let strict = OpenOptions::default().changed_fragments(ChangedFragments::Error);
        let name = Dataset::open_with(&out, &strict).unwrap().variable("name").unwrap();
        let shape = name.shape().unwrap().to_vec();
        let error = name.read_values(&Selection::all(&shape)).unwrap_err();
        assert!(error.to_string().contains("CHANGED_FRAGMENTS"), "{error}");
        assert_eq!(error.fragment().map(|index| index[0]), Some(1));
    }
}

#[test]
fn aggregations_can_be_aggregated() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name, time: &[f64], base| Part { base, ..Part::new(name, time) }.write(folder.path());
    let year: Vec<PathBuf> = vec![write("a.nc", &[0.0], 0.0), write("b.nc", &[1.0], 3.0)];
    let first = folder.path().join("first.nc");
    create(&first, &year, &Options::default(), None).unwrap();
    let last = write("c.nc", &[2.0], 6.0);
    let out = folder.path().join("all.nc");
    create(&out, &[last, first], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "tas"), Values::F32((0..9).map(|i| i as f32).collect()));
    assert_eq!(dataset.variable("tas").unwrap().aggregation().unwrap().unwrap().grid.fragments(), [2, 1]);
}

#[test]
fn progress_never_decreases_and_cannot_cancel_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let write = |(name, time): (&'static str, f64)| {
        Part { base: 3.0 * time, ..Part::new(name, &[time]) }.write(folder.path())
    };
    let paths: Vec<PathBuf> = [("a.nc", 0.0), ("b.nc", 1.0), ("c.nc", 2.0)].map(write).to_vec();
    let out = folder.path().join("agg.nc");
    let told = std::sync::Mutex::new(Vec::new());
    let listener = |done: u64, total: u64| {
        told.lock().unwrap().push((done, total));
        done < total
    };
    create(&out, &paths[..1], &Options::default(), Some(&listener)).unwrap();
    assert_eq!(told.lock().unwrap().last(), Some(&(2, 2)));
    told.lock().unwrap().clear();
    // New files are scanned first, then those that the aggregation has.
    update(&out, &paths, &Options::default(), Some(&listener)).unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.is_sorted() && told.last() == Some(&(4, 4)), "{told:?}");
    assert_eq!(values(&Dataset::open(&out).unwrap(), "time").len(), 3);
}
