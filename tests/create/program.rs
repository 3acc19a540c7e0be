//! The command line.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use cfa::{Dataset, Values};

use super::parts::*;

fn cfa(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cfa")).args(arguments).current_dir(folder).output().unwrap()
}

#[test]
fn the_command_line_takes_lists_patterns_and_directories_and_shows_the_grid() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    for (name, time) in [("in/a1.nc", 0.0), ("in/a2.nc", 1.0), ("in/a10.nc", 2.0)] {
        Part { base: time * 3.0, ..Part::new(name, &[time]) }.write(folder.path());
    }
    fs::write(folder.path().join("list.txt"), "in/a1.nc\nin/a2.nc\nin/a10.nc\n").unwrap();
    let dry = cfa(folder.path(), &["create", "out.nc", "in", "--dry-run"]);
    let text = String::from_utf8(dry.stdout).unwrap();
    assert!(text.contains("tas(time=3, lat=3)  3 fragments") && text.contains("in/a10.nc"), "{text}");
    assert!(text.contains("not written") && text.contains("2 (2001-01-03 00:00:00)"), "{text}");
    assert!(!folder.path().join("out.nc").exists());
    for argument in ["in", "in/*.nc", "@list.txt", "in/a[0-9]*.n?"] {
        let output = cfa(folder.path(), &["create", "out.nc", argument, "--quiet"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
        let dataset = Dataset::open(folder.path().join("out.nc")).unwrap();
        assert_eq!(values(&dataset, "tas"), Values::F32((0..9).map(|i| i as f32).collect()));
    }
    let output = cfa(folder.path(), &["create", "out.nc", "in/a1.nc", "in/a1.nc", "none.nc"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none.nc"));
    let output = cfa(
        folder.path(),
        &["create", "out.nc", "in", "--dialect", "CFA-0.6.2", "--format", "classic", "--absolute"],
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = cfa(folder.path(), &["create", "out.nc", "in", "--update"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("3 of the files are already in the aggregation"), "{text}");
}
