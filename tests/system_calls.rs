//! How many system calls a read makes for each of many small files, where they take as long as all other work.

#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

use cfa::create::{create, Options};

use crate::recorded_chunks::{part, recording};

/// More than are kept open at a time, so that some are closed.
const FILES: usize = 200;

/// Returns the number of calls of a read of one chunk of each of the first files. Returns `None` if this process may
/// not be traced.
fn calls(aggregation: &Path, files: usize) -> Option<usize> {
    let log = aggregation.with_extension("calls");
    let mut command = Command::new("strace");
    command.args(["--follow-forks", "--output"]).arg(&log).arg(env!("CARGO_BIN_EXE_cfa"));
    command.arg("read").arg(aggregation).args(["tas", "--csv", "--start=0,0,0", "--stride=2,1,1"]);
    command.arg(format!("--count={files},1,1")).env("CFA_NUM_THREADS", "1");
    let done = command.output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr);
    if told.contains("ptrace(") {
        return None;
    }
    assert!(done.status.success(), "{told}");
    assert_eq!(String::from_utf8_lossy(&done.stdout).lines().count(), 1 + files);
    // A build for debugging checks each descriptor before it closes it.
    let own = |line: &&str| !line.contains("F_GETFD");
    Some(std::fs::read_to_string(log).unwrap().lines().filter(own).count())
}

/// Asserts that a read makes this many calls for a file.
fn assert_calls(aggregation: &Path, expected: usize) {
    let (Some(few), Some(all)) = (calls(aggregation, FILES / 2), calls(aggregation, FILES)) else {
        eprintln!("left out: processes may not be traced here");
        return;
    };
    // Memory is taken, and results are written, now and then.
    let each = (all - few) as f64 / (FILES - FILES / 2) as f64;
    assert!(each < expected as f64 + 0.5, "{each} calls for a file instead of {expected}");
}

fn parts(folder: &Path) -> Vec<PathBuf> {
    let path = |n: usize| folder.join(format!("part{n}.nc"));
    (0..FILES).for_each(|n| part(&path(n), 2 * n, n as u64));
    (0..FILES).map(path).collect()
}

#[test]
fn a_small_file_takes_few() {
    let folder = tempfile::tempdir().unwrap();
    let (parts, out) = (parts(folder.path()), folder.path().join("agg.nc"));
    create(&out, &parts, &Options::default(), None).unwrap();
    // Its type, open, its state, the process, how it begins, the file, a chunk, close.
    assert_calls(&out, 8);
}

#[test]
fn one_with_recorded_places_of_chunks_takes_one_less() {
    let folder = tempfile::tempdir().unwrap();
    let (parts, out) = (parts(folder.path()), folder.path().join("agg.nc"));
    create(&out, &parts, &recording(), None).unwrap();
    // All but the whole file.
    assert_calls(&out, 7);
}
