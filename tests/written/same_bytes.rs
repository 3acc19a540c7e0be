//! The same input yields the same bytes, wherever and whenever, on any number of threads.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use cfa::internals::write::{write_file, Dimension, File, Format, Storage, Variable};
use cfa::Values;

/// Runs the program in a folder at a time.
fn cfa(folder: &Path, epoch: &str, threads: &str, arguments: &[&str]) -> Output {
    let _alone = super::alone();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cfa"));
    command.args(arguments).current_dir(folder);
    command.env("SOURCE_DATE_EPOCH", epoch).env("CFA_NUM_THREADS", threads).output().unwrap()
}

/// Three files, compressed.
fn parts(folder: &Path) {
    for part in 0..3u64 {
        let mut file = File::default();
        file.dimensions.push(Dimension { name: "time".into(), size: 4, unlimited: true });
        file.add_dimension("x", 5000);
        let times = (0..4).map(|i| (part * 4 + i) as f64).collect();
        file.variables.push(
            Variable::with_values("time", &["time"], Values::F64(times))
                .attribute("units", "days since 2000-1-1"),
        );
        let values = (0..20_000).map(|i| ((i * i + part * 7) % 1013) as f32).collect();
        let mut variable = Variable::with_values("v", &["time", "x"], Values::F32(values));
        variable.storage = Storage { chunks: Some(vec![1, 900]), deflate: Some(2), shuffle: true };
        file.variables.push(variable);
        write_file(&file, &folder.join(format!("part_{part}.nc")), Format::Netcdf4).unwrap();
    }
}

/// Makes an aggregation, converts it and extracts from it; returns the bytes of each.
fn made(epoch: &str, threads: &str) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    parts(folder.path());
    let create = ["create", "agg.nc", "part_0.nc", "part_1.nc", "part_2.nc"];
    let convert = ["convert", "agg.nc", "old.nc", "--dialect", "cfa-0.6.2"];
    let whole = ["extract", "agg.nc", "whole.nc", "--chunk", "5,700"];
    let part = ["extract", "agg.nc", "part.nc", "-v", "v", "--start", "1,3", "--stride", "2,3"];
    for arguments in [&create[..], &convert, &whole, &part] {
        let output = cfa(folder.path(), epoch, threads, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    ["agg.nc", "old.nc", "whole.nc", "part.nc"].map(|name| fs::read(folder.path().join(name)).unwrap()).into()
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let first = made("1000000000", "1");
    assert!(first == made("1000000000", "7"), "the bytes depend on threads or folders");
    let told = b"2001-09-09T01:46:40Z";
    assert!(first[0].windows(told.len()).any(|bytes| bytes == told), "SOURCE_DATE_EPOCH is not honoured");
    let another = made("0", "7");
    assert!(first[0] != another[0], "no time is written");
}

#[test]
fn a_time_that_is_none_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    parts(folder.path());
    let output = cfa(folder.path(), "yesterday", "1", &["create", "agg.nc", "part_0.nc"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("SOURCE_DATE_EPOCH is 'yesterday'"), "{message}");
    assert!(!folder.path().join("agg.nc").exists());
}
