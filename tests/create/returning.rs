//! Updates with files that the aggregation already has: unchanged, changed, under other names.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cfa::create::{create, update, Options, Report};
use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::Dialect;
use cfa::{AxisIndices as Indices, Fragment, Version, View};
use cfa::{DataType, Dataset, Kind, Values};
use tempfile::TempDir;

use super::parts::*;

/// Writes a file with another time of modification than any before.
fn rewrite(part: &Part, folder: &Path) -> PathBuf {
    let path = part.write(folder);
    static LATER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(100);
    let seconds = LATER.fetch_add(100, std::sync::atomic::Ordering::Relaxed);
    let file = fs::File::options().append(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(seconds)).unwrap();
    path
}

fn recording(record: bool) -> Options {
    let mut options = Options::default();
    options.record_state = record;
    options
}

/// Two files of two days each, aggregated as `agg.nc`.
fn two(record: bool) -> (TempDir, Vec<PathBuf>, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let paths = vec![
        Part::new("a.nc", &[0.0, 1.0]).write(folder.path()),
        Part { base: 6.0, ..Part::new("b.nc", &[2.0, 3.0]) }.write(folder.path()),
    ];
    let out = folder.path().join("agg.nc");
    create(&out, &paths, &recording(record), None).unwrap();
    (folder, paths, out)
}

/// An aggregation equals one that is made anew of the same files.
#[track_caller]
fn equals_new(out: &Path, files: &[PathBuf], options: &Options, names: &[&str]) {
    let new = out.with_file_name("new.nc");
    create(&new, files, options, None).unwrap();
    let (made, new) = (Dataset::open(out).unwrap(), Dataset::open(&new).unwrap());
    for name in names {
        assert_eq!(values(&made, name), values(&new, name), "{name}");
    }
    let global = |d: &Dataset| d.groups()[0].attributes.text("Conventions");
    assert_eq!(global(&made), global(&new));
}

fn notes(report: &Report) -> String {
    report.notes.join("\n")
}

#[test]
fn a_file_that_grew_is_scanned_again() {
    for record in [false, true] {
        let (folder, paths, out) = two(record);
        rewrite(&Part { base: 6.0, ..Part::new("b.nc", &[2.0, 3.0, 4.0]) }, folder.path());
        let report = update(&out, &paths, &Options::default(), None).unwrap();
        let told = notes(&report);
        assert!(told.contains("1 of the files are already in the aggregation"), "{told}");
        assert!(told.contains("b.nc ('time' has size 3 instead of 2)"), "{told}");
        equals_new(&out, &paths, &Options::default(), &["tas", "time", "lat"]);
        // Together with a new file, and when nothing else is given.
        rewrite(&Part { base: 6.0, ..Part::new("b.nc", &[2.0, 3.0]) }, folder.path());
        let c = Part { base: 12.0, ..Part::new("c.nc", &[4.0]) }.write(folder.path());
        update(&out, &[paths[1].clone(), c.clone()], &Options::default(), None).unwrap();
        equals_new(&out, &[paths.clone(), vec![c]].concat(), &Options::default(), &["tas", "time", "lat"]);
    }
}

#[test]
fn a_file_that_grew_into_its_neighbour_is_refused() {
    for record in [false, true] {
        let (folder, paths, out) = two(record);
        rewrite(&Part::new("a.nc", &[0.0, 1.0, 2.0]), folder.path());
        let before = fs::read(&out).unwrap();
        let error = update(&out, &paths, &Options::default(), None).unwrap_err();
        assert!(error.kind() == Kind::Map && error.to_string().contains("overlap"), "{error}");
        assert_eq!(fs::read(&out).unwrap(), before);
    }
}

#[test]
fn a_file_with_other_coordinates_is_scanned_again() {
    for record in [false, true] {
        let (folder, paths, out) = two(record);
        rewrite(&Part { base: 6.0, ..Part::new("b.nc", &[-2.0, -1.0]) }, folder.path());
        let told = notes(&update(&out, &paths, &Options::default(), None).unwrap());
        assert!(told.contains("b.nc ('time' has other coordinates)"), "{told}");
        equals_new(&out, &paths, &Options::default(), &["tas", "time"]);
        // The same times from another epoch are no change of coordinates.
        let later = Part { units: "hours since 2000-12-31", base: 6.0, ..Part::new("b.nc", &[-24.0, 0.0]) };
        rewrite(&later, folder.path());
        let told = notes(&update(&out, &paths, &Options::default(), None).unwrap());
        assert!(!told.contains("other coordinates"), "{told}");
        let known = format!("{} of the files are already in the aggregation", 2 - usize::from(record));
        assert!(told.contains(&known), "{told}");
        let dataset = Dataset::open(&out).unwrap();
        assert_eq!(values(&dataset, "tas").len(), 12);
        equals_new(&out, &paths, &Options::default(), &["tas"]);
    }
}

#[test]
fn a_file_without_its_variable_is_refused() {
    let (folder, paths, out) = two(false);
    rewrite(&Part { edit: |f| data(f).name = "t2m".into(), ..Part::new("b.nc", &[2.0, 3.0]) }, folder.path());
    let error = update(&out, &paths, &Options::default(), None).unwrap_err();
    assert_eq!(error.kind(), Kind::FragmentVariable);
    assert!(
        error.to_string().contains("b.nc") && error.to_string().contains("'tas' no longer exists in it"),
        "{error}"
    );
}

#[test]
fn an_update_with_nothing_new_leaves_the_file_as_it_is() {
    for dialect in [
        Dialect::Cf113,
        Dialect::CfDraft,
        Dialect::Cfa062,
        Dialect::Cfa06b1,
        Dialect::CfaTerms,
        Dialect::Cfa04,
    ] {
        for (format, record, aggregate) in
            [(Format::Netcdf4, false, false), (Format::Netcdf4, true, true), (Format::Classic, true, false)]
        {
            let folder = tempfile::tempdir().unwrap();
            let paths: Vec<PathBuf> = [
                Part { bounds: true, ..Part::new("a.nc", &[0.0, 1.0]) },
                Part { bounds: true, base: 6.0, ..Part::new("b.nc", &[2.0]) },
            ]
            .iter()
            .map(|p| p.write(folder.path()))
            .collect();
            let out = folder.path().join("agg.nc");
            let mut options = recording(record);
            options.dialect = dialect;
            options.format = Some(format);
            options.aggregate_coordinates = aggregate;
            create(&out, &paths, &options, None).unwrap();
            let before = (fs::read(&out).unwrap(), fs::metadata(&out).unwrap().modified().unwrap());
            for options in [Options::default(), recording(record)] {
                let told = notes(&update(&out, &paths, &options, None).unwrap());
                assert!(
                    told.contains("2 of the files") && told.contains("the aggregation is unchanged"),
                    "{told}"
                );
            }
            let after = (fs::read(&out).unwrap(), fs::metadata(&out).unwrap().modified().unwrap());
            assert!(before == after, "{dialect} {format:?}");
            // What was not requested before is done now.
            if !record {
                update(&out, &paths, &recording(true), None).unwrap();
                assert!(fs::read(&out).unwrap() != before.0);
            }
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_file_is_known_under_any_name() {
    use std::os::unix::fs::symlink;
    for record in [false, true] {
        let (folder, paths, out) = two(record);
        let at = |name: &str| folder.path().join(name);
        symlink("a.nc", at("link.nc")).unwrap();
        fs::hard_link(&paths[1], at("hard.nc")).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        symlink(folder.path(), elsewhere.path().join("folder")).unwrap();
        let mut absolute = recording(record);
        absolute.locations = cfa::create::Locations::Absolute;
        let names: [&[PathBuf]; 4] = [
            &[at("link.nc"), at("hard.nc")],
            &[elsewhere.path().join("folder/a.nc"), elsewhere.path().join("folder/b.nc")],
            &[at("link.nc"), paths[0].clone(), paths[1].clone()],
            &paths,
        ];
        for given in names {
            for options in [&Options::default(), &absolute] {
                let told = notes(&update(&out, given, options, None).unwrap());
                assert!(told.contains("2 of the files are already in the aggregation"), "{told}");
                assert_eq!(shape(&Dataset::open(&out).unwrap(), "tas"), [4, 3]);
            }
        }
        // Its part is renewed under its existing name.
        rewrite(&Part { base: 6.0, ..Part::new("b.nc", &[2.0, 3.0, 4.0]) }, folder.path());
        fs::remove_file(at("hard.nc")).unwrap();
        fs::hard_link(&paths[1], at("hard.nc")).unwrap();
        update(&out, &[at("hard.nc")], &absolute, None).unwrap();
        let dataset = Dataset::open(&out).unwrap();
        assert_eq!(shape(&dataset, "tas"), [5, 3]);
        let entry = dataset.variable("tas").unwrap().fragment(&[1, 0]).unwrap();
        let cfa::EntrySource::Versions(versions) = entry.source else { panic!() };
        assert_eq!(versions[0].location.as_deref(), Some("b.nc"));
    }
}

#[cfg(unix)]
#[test]
fn a_file_under_another_name_is_not_one_more_along_a_new_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name, base| Part { base, ..Part::new(name, &[0.0]) }.write(folder.path());
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.new_dimension = Some("member".into());
    create(&out, &[file("r1.nc", 0.0), file("r2.nc", 3.0)], &options, None).unwrap();
    std::os::unix::fs::symlink("r2.nc", folder.path().join("latest.nc")).unwrap();
    update(&out, &[folder.path().join("latest.nc"), file("r3.nc", 6.0)], &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "tas"), Values::F32((0..9).map(|i| i as f32).collect()));
}

#[test]
fn a_file_that_changed_keeps_its_number_along_a_new_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let part = |name, time: &[f64], base| Part { base, ..Part::new(name, time) };
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.new_dimension = Some("member".into());
    let paths: Vec<PathBuf> =
        [part("r1.nc", &[0.0], 0.0), part("r2.nc", &[0.0], 3.0), part("r3.nc", &[0.0], 6.0)]
            .iter()
            .map(|p| p.write(folder.path()))
            .collect();
    create(&out, &paths, &options, None).unwrap();
    // All files have another day now; with and without the option.
    for (base, options) in [(100.0, &options), (200.0, &Options::default())] {
        for (i, name) in ["r1.nc", "r2.nc", "r3.nc"].into_iter().enumerate() {
            rewrite(&part(name, &[1.0, 2.0], base + 6.0 * i as f64), folder.path());
        }
        let given = [paths[2].clone(), paths[0].clone(), paths[1].clone()];
        update(&out, &given, options, None).unwrap();
        let dataset = Dataset::open(&out).unwrap();
        let all = (0..18).map(|i| (base + f64::from(i)) as f32).collect();
        assert_eq!(values(&dataset, "tas"), Values::F32(all));
        assert_eq!(values(&dataset, "member"), Values::I32(vec![0, 1, 2]));
    }
    // One file alone no longer fits its neighbours.
    rewrite(&part("r2.nc", &[1.0], 0.0), folder.path());
    assert!(update(&out, &paths[1..2], &Options::default(), None).is_err());
}

#[test]
fn files_in_their_order_keep_it_when_one_changed() {
    // No coordinates: only the order of the files matters.
    let write = |folder: &Path, name: &str, n: u64, first: f32| {
        let mut file = File::default();
        file.add_dimension("record", n);
        for (variable, sign) in [("p", 1.0), ("q", -1.0)] {
            let list = (0..n).map(|i| sign * (first + i as f32)).collect();
            file.variables.push(Variable::with_values(variable, &["record"], Values::F32(list)));
        }
        write_file(&file, &folder.join(name), Format::Netcdf4).unwrap();
        folder.join(name)
    };
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.dimensions = vec!["record".into()];
    let paths = [("a.nc", 2, 0.0), ("b.nc", 1, 10.0), ("c.nc", 2, 20.0)]
        .map(|(n, size, first)| write(folder.path(), n, size, first));
    let out = folder.path().join("agg.nc");
    create(&out, &paths, &options, None).unwrap();
    write(folder.path(), "b.nc", 3, 10.0);
    let more = write(folder.path(), "d.nc", 1, 30.0);
    update(&out, &[more, paths[1].clone()], &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    let expected = vec![0.0, 1.0, 10.0, 11.0, 12.0, 20.0, 21.0, 30.0];
    assert_eq!(values(&dataset, "p"), Values::F32(expected.clone()));
    assert_eq!(values(&dataset, "q"), Values::F32(expected.iter().map(|x| -x).collect()));
}

#[test]
fn coordinates_stay_aggregated_and_become_so() {
    let bounded = |name, time: &[f64], base| Part { bounds: true, base, ..Part::new(name, time) };
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        [bounded("a.nc", &[0.0, 1.0], 0.0), bounded("b.nc", &[2.0], 6.0), bounded("c.nc", &[3.0, 4.0], 9.0)]
            .iter()
            .map(|p| p.write(folder.path()))
            .collect();
    let out = folder.path().join("agg.nc");
    let mut aggregate = Options::default();
    aggregate.aggregate_coordinates = true;
    let all = ["tas", "time", "time_bnds", "lat"];
    for (first, second) in
        [(&aggregate, &aggregate), (&aggregate, &Options::default()), (&Options::default(), &aggregate)]
    {
        for (begin, more) in [(0..2, 2..3), (0..1, 1..3), (1..3, 0..1), (0..1, 0..3)] {
            create(&out, &paths[begin.clone()], first, None).unwrap();
            update(&out, &paths[more], second, None).unwrap_or_else(|e| panic!("{begin:?}: {e}"));
            equals_new(&out, &paths, &aggregate, &all);
            let dataset = Dataset::open(&out).unwrap();
            let is = |name: &str| dataset.variable(name).unwrap().aggregation().unwrap().is_some();
            let wanted = begin.len() > 1 || second.aggregate_coordinates;
            assert_eq!((is("time"), is("time_bnds"), is("lat")), (wanted, wanted, false), "{begin:?}");
        }
    }
    // If a file must be read and does not exist, the update is refused.
    create(&out, &paths[..2], &aggregate, None).unwrap();
    fs::rename(&paths[0], folder.path().join("hidden")).unwrap();
    let error = update(&out, &paths[2..], &Options::default(), None).unwrap_err();
    assert!(error.to_string().contains("a.nc"), "{error}");
    create(&out, &paths[1..2], &Options::default(), None).unwrap();
    fs::rename(&paths[1], folder.path().join("hidden too")).unwrap();
    let error = update(&out, &paths[2..], &aggregate, None).unwrap_err();
    assert!(error.to_string().contains("b.nc"), "{error}");
}

#[test]
fn a_file_that_grew_is_noticed_when_its_coordinates_are_aggregated() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        [Part::new("a.nc", &[0.0, 1.0]), Part { base: 6.0, ..Part::new("b.nc", &[2.0]) }]
            .iter()
            .map(|p| p.write(folder.path()))
            .collect();
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.aggregate_coordinates = true;
    create(&out, &paths, &options, None).unwrap();
    rewrite(&Part { base: 6.0, ..Part::new("b.nc", &[2.0, 3.0]) }, folder.path());
    let told = notes(&update(&out, &paths, &Options::default(), None).unwrap());
    assert!(told.contains("'time' has size 2 instead of 1"), "{told}");
    equals_new(&out, &paths, &options, &["tas", "time"]);
}

#[test]
fn states_are_recorded_as_far_as_they_are_known_and_files_not_given_are_told() {
    let (folder, paths, out) = two(false);
    let c = Part { base: 12.0, ..Part::new("c.nc", &[4.0]) }.write(folder.path());
    update(&out, std::slice::from_ref(&c), &recording(true), None).unwrap();
    values(&Dataset::open(&out).unwrap(), "tas");
    // Nothing is recorded for a and b: they are scanned, and then recorded.
    let told = notes(&update(&out, &paths, &Options::default(), None).unwrap());
    assert!(told.contains("2 of the files are already in the aggregation"), "{told}");
    rewrite(&Part { base: 50.0, ..Part::new("a.nc", &[0.0, 1.0]) }, folder.path());
    let told = notes(&update(&out, &[c], &Options::default(), None).unwrap());
    assert!(
        told.contains("1 of the files changed since they were added and are not among the inputs")
            && told.contains("a.nc"),
        "{told}"
    );
    update(&out, &paths, &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    values(&dataset, "tas");
    assert_eq!(dataset.warnings(), [""; 0]);
}

#[test]
fn a_file_with_other_data_than_were_recorded_is_never_called_known() {
    for aggregate in [false, true] {
        let (folder, paths, out) = two(true);
        let mut options = recording(true);
        options.aggregate_coordinates = aggregate;
        create(&out, &paths, &options, None).unwrap();
        rewrite(&Part { base: 50.0, ..Part::new("a.nc", &[0.0, 1.0]) }, folder.path());
        let told = notes(&update(&out, &paths, &Options::default(), None).unwrap());
        assert!(told.contains("1 of the files are already in the aggregation"), "{told}");
        assert!(told.contains("1 of the files changed") && told.contains("a.nc"), "{told}");
        let told = notes(&update(&out, &paths, &Options::default(), None).unwrap());
        assert!(told.contains("2 of the files are already in the aggregation"), "{told}");
        let dataset = Dataset::open(&out).unwrap();
        assert_eq!(values(&dataset, "tas").f64_at(0), Some(50.0));
        assert_eq!(dataset.warnings(), [""; 0]);
    }
}

#[test]
fn more_variables_of_files_that_are_there_are_added() {
    for record in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let both: fn(&mut File) = |f| {
            let mut rain = data(f).clone();
            rain.name = "pr".into();
            rain.attributes.set_text("standard_name", "precipitation_flux");
            f.variables.push(rain);
        };
        let paths: Vec<PathBuf> = [("a.nc", 0.0), ("b.nc", 1.0)]
            .map(|(name, time)| {
                Part { edit: both, base: time * 3.0, ..Part::new(name, &[time]) }.write(folder.path())
            })
            .into();
        let out = folder.path().join("agg.nc");
        let only = |name: &str| {
            let mut options = recording(record);
            options.variables = vec![name.into()];
            options
        };
        create(&out, &paths, &only("tas"), None).unwrap();
        update(&out, &paths, &only("pr"), None).unwrap();
        let dataset = Dataset::open(&out).unwrap();
        assert_eq!(values(&dataset, "tas"), values(&dataset, "pr"));
        assert_eq!(values(&dataset, "pr").len(), 6);
    }
}

fn one_version(location: &str, identifier: &str) -> Version {
    Version { location: Some(location.into()), identifier: identifier.into(), format: None }
}

/// An aggregation of `tas` along time, with its coordinates.
fn handmade(folder: &Path, dialect: Dialect, days: &[Vec<f64>], fragments: Vec<Fragment>) -> PathBuf {
    let mut file = File::default();
    let all: Vec<f64> = days.concat();
    file.add_dimension("time", all.len() as u64);
    file.add_dimension("lat", 3);
    let time = Variable::with_values("time", &["time"], Values::F64(all));
    file.variables.push(time.attribute("units", "days since 2001-01-01").attribute("standard_name", "time"));
    let lat = Variable::with_values("lat", &["lat"], Values::F64(vec![-10.0, 0.0, 10.0]));
    file.variables.push(lat.attribute("units", "degrees_north").attribute("standard_name", "latitude"));
    let tas = Variable::new("tas", DataType::F32, &["time", "lat"]).attribute("units", "K");
    let aggregated = Aggregated {
        variable: tas.attribute("standard_name", "air_temperature"),
        sizes: vec![days.iter().map(|d| d.len() as u64).collect(), vec![3]],
        fragments: Content::Stored(fragments),
    };
    add(&mut file, &aggregated, dialect).unwrap();
    let path = folder.join("agg.nc");
    write_file(&file, &path, Format::Netcdf4).unwrap();
    path
}

#[test]
fn other_versions_of_a_fragment_stay_and_one_that_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let a = Part::new("a.nc", &[0.0, 1.0]).write(folder.path());
    fs::copy(&a, folder.path().join("copy.nc")).unwrap();
    let versions =
        vec![one_version("gone.nc", "tas"), one_version("a.nc", "tas"), one_version("copy.nc", "tas")];
    let out = handmade(
        folder.path(),
        Dialect::Cfa062,
        &[vec![0.0, 1.0]],
        vec![Fragment::Stored { versions: versions.clone(), view: None }],
    );
    let b = Part { base: 6.0, ..Part::new("b.nc", &[2.0]) }.write(folder.path());
    update(&out, &[a.clone(), b], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    let entry = dataset.variable("tas").unwrap().fragment(&[0, 0]).unwrap();
    let cfa::EntrySource::Versions(found) = entry.source else { panic!() };
    assert_eq!(
        found.iter().map(|v| &v.location).collect::<Vec<_>>(),
        versions.iter().map(|v| &v.location).collect::<Vec<_>>()
    );
    assert_eq!(values(&dataset, "tas"), Values::F32((0..9).map(|i| i as f32).collect()));
    rewrite(&Part::new("a.nc", &[0.0]), folder.path());
    let error = update(&out, &[a], &Options::default(), None).unwrap_err();
    assert!(error.to_string().contains("a.nc") && error.to_string().contains("one of 3 versions"), "{error}");
}

#[test]
fn a_fragment_that_is_a_part_of_an_array_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    Part { base: 0.0, ..Part::new("a.nc", &[9.0, 0.0, 1.0]) }.write(folder.path());
    let part =
        vec![Indices::Slice { start: 1, count: 2, step: 1 }, Indices::Slice { start: 0, count: 3, step: 1 }];
    let view = View { reversed: vec![1], part: Some(part), ..View::default() };
    let viewed = Fragment::Stored { versions: vec![one_version("a.nc", "tas")], view: Some(Box::new(view)) };
    let out = handmade(folder.path(), Dialect::Cfa04, &[vec![0.0, 1.0]], vec![viewed]);
    let before = [5.0, 4.0, 3.0, 8.0, 7.0, 6.0];
    assert_eq!(values(&Dataset::open(&out).unwrap(), "tas"), Values::F32(before.to_vec()));
    let b = Part { base: 20.0, ..Part::new("b.nc", &[2.0]) }.write(folder.path());
    update(&out, &[b], &Options::default(), None).unwrap();
    let after = [&before[..], &[20.0, 21.0, 22.0]].concat();
    assert_eq!(values(&Dataset::open(&out).unwrap(), "tas"), Values::F32(after));
    let error = update(&out, &[folder.path().join("a.nc")], &Options::default(), None).unwrap_err();
    assert!(error.to_string().contains("changes cannot be detected"), "{error}");
}

#[test]
fn odd_names_survive_updates_in_every_dialect() {
    for dialect in [
        Dialect::Cf113,
        Dialect::CfDraft,
        Dialect::Cfa062,
        Dialect::Cfa06b1,
        Dialect::CfaTerms,
        Dialect::Cfa04,
    ] {
        let folder = tempfile::tempdir().unwrap();
        let names = ["50%.nc", "a#b?c.nc", "run:1.nc", "two words.nc", "%2541.nc"];
        let paths: Vec<PathBuf> = (0..5)
            .map(|i| {
                Part { base: 3.0 * f64::from(i), ..Part::new(names[i as usize], &[f64::from(i)]) }
                    .write(folder.path())
            })
            .collect();
        let out = folder.path().join("agg.nc");
        let mut options = Options::default();
        options.dialect = dialect;
        create(&out, &paths[..1], &options, None).unwrap();
        for i in 1..5 {
            let told = notes(&update(&out, &paths[..=i], &Options::default(), None).unwrap());
            assert!(
                told.contains(&format!("{i} of the files are already in the aggregation")),
                "{dialect} {told}"
            );
        }
        let all = (0..15).map(|i| i as f32).collect();
        assert_eq!(values(&Dataset::open(&out).unwrap(), "tas"), Values::F32(all), "{dialect}");
    }
}
