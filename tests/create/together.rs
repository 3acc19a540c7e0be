//! Several writers of one file at the same time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use cfa::convert::convert;
use cfa::create::{create, update, Options};
use cfa::{Dataset, Kind, Values};

use super::parts::*;

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cfa"));
    command.args(arguments).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Files of one day each.
fn days(folder: &Path, range: std::ops::Range<usize>) -> Vec<PathBuf> {
    let file = |day: usize| {
        let name: &'static str = format!("day{day}.nc").leak();
        Part { base: 3.0 * day as f64, ..Part::new(name, &[day as f64]) }.write(folder)
    };
    range.map(file).collect()
}

fn listed(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|n| !n.starts_with("day")).collect()
}

#[test]
fn every_update_that_succeeds_is_in_the_aggregation() {
    const WRITERS: usize = 6;
    for round in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let first = days(folder.path(), 0..1);
        days(folder.path(), 1..WRITERS + 1);
        create(&folder.path().join("agg.nc"), &first, &Options::default(), None).unwrap();
        let writers: Vec<Child> = (1..=WRITERS)
            .map(|day| {
                let file = format!("day{day}.nc");
                start(folder.path(), &["create", "agg.nc", &file, "--update", "--allow-gaps", "--quiet"])
            })
            .collect();
        for writer in writers {
            let output = writer.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let dataset = Dataset::open(folder.path().join("agg.nc")).unwrap();
        let all = (0..WRITERS + 1).map(|day| day as f64).collect();
        assert_eq!(values(&dataset, "time"), Values::F64(all), "round {round}");
        let all = (0..3 * (WRITERS + 1)).map(|i| i as f32).collect();
        assert_eq!(values(&dataset, "tas"), Values::F32(all), "round {round}");
        assert_eq!(listed(folder.path()), ["agg.nc"]);
    }
}

#[test]
fn a_conversion_in_place_of_what_was_replaced_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = days(folder.path(), 0..2);
    let out = folder.path().join("agg.nc");
    create(&out, &files[..1], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    update(&out, &files[1..], &Options::default(), None).unwrap();
    let error = convert(&dataset, &out, &cfa::convert::Options::default()).unwrap_err();
    assert!(error.to_string().contains("which is never replaced"), "{error}");
    assert_eq!(values(&Dataset::open(&out).unwrap(), "time").len(), 2);
    // Under another name nothing can be lost.
    convert(&dataset, &folder.path().join("other.nc"), &cfa::convert::Options::default()).unwrap();
}

#[test]
fn what_another_program_wrote_in_the_meantime_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let files = days(folder.path(), 0..2);
    let out = folder.path().join("agg.nc");
    let foreign = |name: &str| {
        fs::write(folder.path().join("foreign"), "foreign").unwrap();
        fs::rename(folder.path().join("foreign"), folder.path().join(name)).unwrap();
    };
    // The file that is made is the last of the total.
    let meddle = |done: u64, total: u64| {
        if done + 1 == total {
            foreign("agg.nc");
        }
        true
    };
    create(&out, &files[..1], &Options::default(), None).unwrap();
    for (adds, is_there) in [(true, true), (false, true), (false, false)] {
        fs::remove_file(&out).unwrap();
        if is_there {
            create(&out, &files[..1], &Options::default(), None).unwrap();
        }
        let more = &files[1..];
        let result = match adds {
            true => update(&out, more, &Options::default(), Some(&meddle)),
            false => create(&out, more, &Options::default(), Some(&meddle)),
        };
        let error = result.unwrap_err();
        assert_eq!(error.kind(), Kind::Io);
        assert!(error.to_string().contains("another program created or changed it"), "{error}");
        assert_eq!(fs::read(&out).unwrap(), b"foreign");
        assert_eq!(listed(folder.path()), ["agg.nc"]);
    }
}

#[cfg(unix)]
#[test]
fn a_writer_waits_for_another_and_can_be_told_to_stop() {
    let folder = tempfile::tempdir().unwrap();
    let files = days(folder.path(), 0..2);
    let out = folder.path().join("agg.nc");
    create(&out, &files[..1], &Options::default(), None).unwrap();
    // Another process holds the lock and is killed.
    let mut holder = Command::new("flock")
        .args(["--no-fork", ".agg.nc.lock", "sh", "-c", "echo locked; exec sleep 600"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = [0; 6];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut said).unwrap();
    let waited = AtomicBool::new(false);
    let stop = |_, total| {
        waited.store(total == 0, Ordering::SeqCst);
        total != 0
    };
    let error = update(&out, &files[1..], &Options::default(), Some(&stop)).unwrap_err();
    assert_eq!((error.kind(), waited.load(Ordering::SeqCst)), (Kind::Cancelled, true));
    assert_eq!(values(&Dataset::open(&out).unwrap(), "time").len(), 1);
    let mut writer = start(folder.path(), &["create", "agg.nc", "day1.nc", "--update"]);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(writer.stderr.as_mut().unwrap()), &mut line)
        .unwrap();
    assert_eq!(line, "waiting for another program that writes the same file\n");
    assert!(writer.try_wait().unwrap().is_none());
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(writer.wait().unwrap().success());
    assert_eq!(values(&Dataset::open(&out).unwrap(), "time").len(), 2);
    assert_eq!(listed(folder.path()), ["agg.nc"]);
}
