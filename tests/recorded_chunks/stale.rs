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
        assert!(tas(&Dataset::open(&scene.path("plain.nc")).unwrap()).is_err(), "the files cannot be parsed");
    }
}

/// What a read returns after a change of the first file is what its file then has.
fn after(change: impl FnOnce(&Scene)) {
    let scene = Scene::new();
    let before = scene.read();
    let open = Dataset::open(&scene.out).unwrap();
    assert!(tas(&open).unwrap() == before);
    change(&scene);
    let now = scene.parsed();
    assert!(before != now, "the change has an effect");
    assert!(scene.read() == now);
    assert!(tas(&open).unwrap() == now, "also for a reader that read before");
}

#[test]
fn a_file_of_the_same_size_and_another_time_is_parsed() {
    after(|scene| {
        let time = fs::metadata(&scene.parts[0]).unwrap().modified().unwrap();
        forge_data(&scene.parts[0]);
        let later = time + Duration::from_nanos(1);
        fs::File::options().write(true).open(&scene.parts[0]).unwrap().set_modified(later).unwrap();
    });
}

/// Writes the file with other data and the same size.
fn forge_data(path: &Path) {
    let length = fs::metadata(path).unwrap().len();
    for seed in 100.. {
        part(path, 0, seed);
        let now = fs::metadata(path).unwrap().len();
        if now <= length {
            let mut bytes = fs::read(path).unwrap();
            bytes.resize(length as usize, 0);
            fs::write(path, bytes).unwrap();
            return;
        }
    }
}

#[test]
fn a_file_of_the_same_time_and_another_size_is_parsed() {
    after(|scene| {
        let time = fs::metadata(&scene.parts[0]).unwrap().modified().unwrap();
        let length = fs::metadata(&scene.parts[0]).unwrap().len();
        part(&scene.parts[0], 0, 77);
        let mut bytes = fs::read(&scene.parts[0]).unwrap();
        bytes.resize(length as usize + 1, 0);
        fs::write(&scene.parts[0], bytes).unwrap();
        fs::File::options().write(true).open(&scene.parts[0]).unwrap().set_modified(time).unwrap();
    });
}

#[test]
fn another_file_of_the_name_is_parsed() {
    after(|scene| {
        let other = scene.path("other.nc");
        part_in(&other, 0, 5, Format::Classic, false);
        fs::rename(&other, &scene.parts[0]).unwrap();
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
