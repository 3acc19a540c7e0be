//! What writes aggregation files keeps what is recorded, and other readers do not see it.

use std::fs;

use cfa::convert::{convert, Options as ConvertOptions};
use cfa::create::update;
use cfa::index::index;
use cfa::{Dialect, OpenOptions};

use super::*;

fn has_chunks(path: &Path) -> bool {
    let dataset = Dataset::open(path).unwrap();
    let variable = dataset.variable("tas").unwrap();
    let found = variable.aggregation().unwrap().unwrap();
    found.chunks.is_some()
}

/// Checks that a read does not parse these files.
fn assert_unparsed(out: &Path, parts: &[PathBuf], expected: &Values) {
    let before: Vec<Vec<u8>> = parts.iter().map(|path| fs::read(path).unwrap()).collect();
    parts.iter().for_each(|path| spoil(path));
    assert!(&tas(&Dataset::open(out).unwrap()).unwrap() == expected);
    for (path, bytes) in parts.iter().zip(before) {
        forge(path, |now| *now = bytes);
    }
}

#[test]
fn an_update_keeps_what_is_recorded_and_adds_what_is_new() {
    let scene = Scene::new();
    let more = scene.path("part3.nc");
    part(&more, 6, 9);
    // The old files are not parsed again.
    scene.parts.iter().for_each(|path| spoil(path));
    update(&scene.out, std::slice::from_ref(&more), &Options::default(), None).unwrap();
    assert!(has_chunks(&scene.out));
    let after = tas(&Dataset::open(&scene.out).unwrap()).unwrap();
    assert_eq!(after.len(), 8 * 20 * 30);
    assert_unparsed(&scene.out, std::slice::from_ref(&more), &after);
    let bytes = fs::read(&scene.out).unwrap();
    let report = update(&scene.out, &[more], &Options::default(), None).unwrap();
    assert!(report.notes.iter().any(|note| note.contains("nothing to add")), "{:?}", report.notes);
    assert_eq!(fs::read(&scene.out).unwrap(), bytes);
}

#[test]
fn an_update_with_a_changed_file_records_it_again() {
    let scene = Scene::new();
    part(&scene.parts[0], 0, 55);
    let expected = scene.parsed();
    let more = scene.path("part3.nc");
    part(&more, 6, 9);
    update(&scene.out, &[scene.parts[0].clone(), more.clone()], &Options::default(), None).unwrap();
    let all = tas(&Dataset::open(&scene.out).unwrap()).unwrap();
    let (Values::F32(all), Values::F32(old)) = (&all, &expected) else { panic!() };
    assert!(all[..old.len()] == old[..]);
    assert_unparsed(&scene.out, &scene.parts, &Values::F32(all.clone()));
}

#[test]
fn an_index_is_added_to_an_aggregation_of_any_dialect_and_nothing_else_changes() {
    for dialect in Dialect::ALL.iter().copied().filter(|d| *d != Dialect::Cfa06b1Early) {
        let scene = Scene::new();
        let expected = scene.parsed();
        let plain = scene.path("other.nc");
        let mut options = Options::default();
        (options.dialect, options.record_state) = (dialect, true);
        create(&plain, &scene.parts, &options, None).unwrap();
        let before = Dataset::open(&plain).unwrap();
        let names = |dataset: &Dataset| -> Vec<String> {
            dataset.variables().iter().map(|v| v.path().to_owned()).collect()
        };
        let (variables, attributes) = (names(&before), before.groups()[0].attributes.clone());
        let report = index(&plain, &OpenOptions::default(), None).unwrap();
        assert_eq!((report.fragments, report.recorded), (3, 3), "{dialect} {:?}", report.notes);
        let after = Dataset::open(&plain).unwrap();
        assert_eq!(names(&after), variables, "{dialect}");
        assert_eq!(after.groups()[0].attributes, attributes);
        let time = |d: &Dataset| d.variable("time").unwrap().read_values(&Selection::all(&[6])).unwrap();
        assert_eq!(time(&after), time(&before));
        assert!(tas(&after).unwrap() == expected, "{dialect}");
        assert!(after.variable("tas").unwrap().aggregation().unwrap().unwrap().recorded.is_some());
        assert_unparsed(&plain, &scene.parts, &expected);
        // Again, with the old tables replaced.
        let length = fs::metadata(&plain).unwrap().len();
        index(&plain, &OpenOptions::default(), None).unwrap();
        assert_eq!(fs::metadata(&plain).unwrap().len(), length, "{dialect}");
        assert_unparsed(&plain, &scene.parts, &expected);
    }
}

#[test]
fn a_conversion_keeps_what_is_recorded() {
    let scene = Scene::new();
    let expected = scene.read();
    for (dialect, format) in [
        (Dialect::Cfa062, Format::Netcdf4),
        (Dialect::Cfa04, Format::Cdf5),
        (Dialect::Cf113, Format::Classic),
    ] {
        let out = scene.path("converted.nc");
        let options = ConvertOptions { dialect, format, ..ConvertOptions::default() };
        let dataset = Dataset::open(&scene.out).unwrap();
        convert(&dataset, &out, &options).unwrap();
        assert_eq!(has_chunks(&out), format != Format::Classic, "{format:?}");
        let notes = dataset.warnings();
        let is_told = notes.iter().any(|note| note.contains("cannot hold the places of chunks"));
        assert_eq!(is_told, format == Format::Classic, "{format:?} {notes:?}");
        assert!(tas(&Dataset::open(&out).unwrap()).unwrap() == expected);
        if has_chunks(&out) {
            assert_unparsed(&out, &scene.parts, &expected);
        }
    }
}

#[test]
fn an_update_in_the_classic_format_tells_what_it_leaves_out() {
    let scene = Scene::new();
    let more = scene.path("part3.nc");
    part(&more, 6, 9);
    let mut options = Options::default();
    options.format = Some(Format::Classic);
    let report = update(&scene.out, &[more], &options, None).unwrap();
    assert!(!has_chunks(&scene.out));
    assert!(
        report.notes.iter().any(|note| note.contains("cannot hold the places of chunks")),
        "{:?}",
        report.notes
    );
}

#[test]
fn the_classic_format_cannot_hold_it_and_no_other_file_is_touched() {
    let scene = Scene::new();
    let mut options = recording();
    options.format = Some(Format::Classic);
    let out = scene.path("classic.nc");
    let error = create(&out, &scene.parts, &options, None).unwrap_err();
    assert!(error.kind() == cfa::Kind::Unsupported && error.to_string().contains("cdf5"), "{error}");
    assert!(!out.exists());
    options.record_chunks = false;
    create(&out, &scene.parts, &options, None).unwrap();
    let bytes = fs::read(&out).unwrap();
    assert_eq!(index(&out, &OpenOptions::default(), None).unwrap_err().kind(), cfa::Kind::Unsupported);
    assert_eq!(fs::read(&out).unwrap(), bytes);
    assert_eq!(index(&scene.parts[0], &OpenOptions::default(), None).unwrap_err().kind(), cfa::Kind::Request);
    assert_eq!(
        index(&scene.path("none.nc"), &OpenOptions::default(), None).unwrap_err().kind(),
        cfa::Kind::Io
    );
}

#[test]
fn other_readers_see_no_more_variables() {
    let scene = Scene::new();
    let dataset = Dataset::open(&scene.out).unwrap();
    assert!(dataset.variables().iter().all(|v| !v.path().contains("cfa_chunk")));
    let tas = dataset.variable("tas").unwrap();
    assert!(tas.logical_attributes().all(|a| !a.name.starts_with("cfa_")));
}
