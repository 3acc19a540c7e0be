//! Files that changed since their chunks were recorded.

use std::fs;
use std::time::Duration;

use super::*;

#[test]
fn a_file_in_the_recorded_state_is_not_parsed() {
    for (format, compressed) in [(Format::Netcdf4, true), (Format::Netcdf4, false), (Format::Classic, false)]
    {
        let scene = Scene::with(|path, i| part_in(path, 2 * i, i as u64, format, compressed));
        let expected = scene.parsed();
        assert!(scene.read() == expected);
        scene.parts.iter().for_each(|path| spoil(path));
        assert!(scene.read() == expected, "{format:?} {compressed}");
        assert!(tas(&Dataset::open(scene.path("plain.nc")).unwrap()).is_err(), "the files cannot be parsed");
    }
}

/// The length of the files in these tests.
const LENGTH: usize = 8192;

/// What a read returns after a change of the first file is what its file then has.
fn after(change: impl FnOnce(&Path)) {
    let scene = Scene::with(|path, i| plain(path, 2 * i, i as u64, false, LENGTH));
    let before = scene.read();
    let open = Dataset::open(&scene.out).unwrap();
    assert!(tas(&open).unwrap() == before);
    change(&scene.parts[0]);
    let now = scene.parsed();
    assert!(before != now, "the change has an effect");
    assert!(scene.read() == now);
    assert!(tas(&open).unwrap() == now, "also for a reader that read before");
}

fn time_of(path: &Path) -> std::time::SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

fn set_time(path: &Path, time: std::time::SystemTime) {
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_file_of_the_same_size_and_another_time_is_parsed() {
    after(|path| {
        let time = time_of(path);
        plain(path, 0, 77, true, LENGTH);
        set_time(path, time + Duration::from_nanos(1));
    });
}

#[test]
fn a_file_of_the_same_time_and_another_size_is_parsed() {
    after(|path| {
        let time = time_of(path);
        plain(path, 0, 77, true, LENGTH + 1);
        set_time(path, time);
    });
}

#[test]
fn another_file_of_the_name_is_parsed() {
    after(|path| {
        let other = path.with_file_name("other.nc");
        plain(&other, 0, 77, true, LENGTH - 100);
        fs::rename(&other, path).unwrap();
    });
}

#[test]
fn a_truncated_file_is_an_error_as_without_what_is_recorded() {
    let scene = Scene::new();
    let bytes = fs::read(&scene.parts[1]).unwrap();
    fs::write(&scene.parts[1], &bytes[..bytes.len() / 2]).unwrap();
    let error = tas(&Dataset::open(&scene.out).unwrap()).unwrap_err();
    assert_eq!(error.kind(), cfa::Kind::FragmentUnreadable, "{error}");
    fs::remove_file(&scene.parts[1]).unwrap();
    let error = tas(&Dataset::open(&scene.out).unwrap()).unwrap_err();
    assert_eq!(error.kind(), cfa::Kind::FragmentMissing, "{error}");
}

#[test]
fn a_file_truncated_with_its_time_and_size_forged_is_parsed() {
    let scene = Scene::new();
    let expected = scene.read();
    // The chunks are gone, and the state is as recorded: decoding fails, then the parser does.
    let half = fs::metadata(&scene.parts[1]).unwrap().len() as usize / 2;
    forge(&scene.parts[1], |bytes| bytes[half..].fill(0xff));
    let outcome = tas(&Dataset::open(&scene.out).unwrap());
    assert!(outcome.as_ref().is_err() || outcome.unwrap() == expected);
}

#[test]
fn a_record_of_another_variable_is_not_used() {
    // Locations and identifiers that were edited without the tables: the record names the file and the variable.
    let scene = Scene::with(|path, i| part_in(path, 2 * i, i as u64, Format::Netcdf4, false));
    let mut bytes = fs::read(&scene.out).unwrap();
    let (from, to) = (b"part0.nc", b"part9.nc");
    let places: Vec<usize> = (0..bytes.len() - 8).filter(|&i| bytes[i..i + 8] == from[..]).collect();
    assert!(!places.is_empty(), "the name is stored plainly");
    places.iter().for_each(|&i| bytes[i..i + 8].copy_from_slice(to));
    fs::write(&scene.out, bytes).unwrap();
    let time = fs::metadata(&scene.parts[0]).unwrap().modified().unwrap();
    let other = scene.path("part9.nc");
    // The same size and time, but the data begin elsewhere and differ.
    part_in(&other, 0, 99, Format::Netcdf4, false);
    assert_eq!(fs::metadata(&other).unwrap().len(), fs::metadata(&scene.parts[0]).unwrap().len());
    fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    spoil(&other);
    let error = tas(&Dataset::open(&scene.out).unwrap()).unwrap_err();
    assert!(error.to_string().contains("part9.nc"), "{error}");
}
