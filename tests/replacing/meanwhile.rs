//! A file that gets the name of the new file while that is being made is not replaced.

use std::fs;
use std::path::Path;

use cfa::create::{create, Options};
use cfa::{convert, extract, Dataset};

use super::scene::Scene;

/// Runs each function that writes; `change` is called when the work is under way.
fn each(scene: &Scene, out: &Path, change: &(dyn Fn() + Sync), mut judge: impl FnMut(cfa::Result<()>)) {
    let files = [scene.at("data/day0.nc"), scene.at("data/day1.nc")];
    // The file that is made is the last of the total.
    let observe = |done: u64, total: u64| {
        if done + 1 == total {
            change();
        }
        true
    };
    for overwrite in [false, true] {
        let mut options = Options::default();
        options.overwrite = overwrite;
        judge(create(out, &files, &options, Some(&observe)).map(|_| ()));
        let dataset = Dataset::open(scene.at("agg.nc")).unwrap();
        let listen = |_, _| {
            change();
            true
        };
        let options = convert::Options { overwrite, progress: Some(&listen), ..convert::Options::default() };
        judge(convert::convert(&dataset, out, &options));
        let options = extract::Options { overwrite, progress: Some(&listen), ..extract::Options::default() };
        judge(extract::extract(&dataset, out, &options));
    }
}

#[test]
fn a_file_that_has_appeared_is_kept() {
    let scene = Scene::new();
    let out = scene.at("new.nc");
    let before = scene.everything();
    each(&scene, &out, &|| fs::write(&out, "mine").unwrap(), |result| {
        let error = result.unwrap_err();
        assert!(error.to_string().contains("new.nc") && error.to_string().contains("meanwhile"), "{error}");
        assert_eq!(fs::read(&out).unwrap(), b"mine");
        fs::remove_file(&out).unwrap();
        scene.unchanged(&before, "all but the new file");
    });
}

#[test]
fn a_file_that_was_exchanged_or_written_to_is_kept() {
    let scene = Scene::new();
    let out = scene.at("new.nc");
    let changes: [&(dyn Fn() + Sync); 2] = [
        &|| {
            fs::write(scene.at("mine"), "mine").unwrap();
            fs::rename(scene.at("mine"), &out).unwrap();
        },
        &|| fs::write(&out, "mine").unwrap(),
    ];
    for change in changes {
        let mut expected = 0;
        fs::copy(scene.at("agg.nc"), &out).unwrap();
        each(&scene, &out, change, |result| {
            let error = result.unwrap_err();
            // Without the option an extract does not even begin.
            let word = if expected == 2 { "--overwrite" } else { "meanwhile" };
            expected += 1;
            assert!(error.to_string().contains(word), "{error}");
            if word == "meanwhile" {
                assert_eq!(fs::read(&out).unwrap(), b"mine");
            }
            fs::copy(scene.at("agg.nc"), &out).unwrap();
        });
    }
}

#[test]
fn a_file_that_went_away_is_no_reason_to_stop() {
    let scene = Scene::new();
    let out = scene.at("new.nc");
    fs::copy(scene.at("agg.nc"), &out).unwrap();
    let mut number = 0;
    each(&scene, &out, &|| drop(fs::remove_file(&out)), |result| {
        number += 1;
        if number == 3 {
            assert!(result.is_err());
        } else {
            result.unwrap();
        }
        fs::copy(scene.at("agg.nc"), &out).unwrap();
    });
}
