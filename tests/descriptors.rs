//! Reading, checking and writing with few file descriptors, many fragments, several threads and nested aggregations.

#![cfg(unix)]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::program::without_settings;
use crate::support::{write, Data, FileSpec, Format, Var};
use cfa::OpenOptions;
use cfa::{DataType, Dataset};

/// Files of a dataset: each has two of its values.
const FILES: usize = 120;

/// Makes `f0.nc` and so on, `agg.nc` of all of them, and `nest1.nc` to `nest3.nc`, of which each has the one before as its
/// only fragment but the last, which has three parts of different depth.
fn make(folder: &Path) {
    for n in 0..FILES {
        let values = |by: f64| Data::Numbers(vec![2.0 * n as f64 * by, (2.0 * n as f64 + 1.0) * by]);
        let vars = vec![
            Var::new("v", DataType::F64, &[("x", 2)], values(1.0)),
            Var::new("x", DataType::F64, &[("x", 2)], values(1.0)),
        ];
        write(&folder.join(format!("f{n}.nc")), &FileSpec { format: Format::Nc4, dims: Vec::new(), vars });
    }
    let names: Vec<String> = (0..FILES).map(|n| format!("f{n}.nc")).collect();
    aggregation(&folder.join("agg.nc"), &names, &vec![2; FILES]);
    aggregation(&folder.join("nest1.nc"), &["agg.nc".into()], &[2 * FILES]);
    aggregation(&folder.join("nest2.nc"), &["nest1.nc".into()], &[2 * FILES]);
    let parts = ["agg.nc", "nest1.nc", "nest2.nc"].map(String::from);
    aggregation(&folder.join("nest3.nc"), &parts, &[2 * FILES; 3]);
}

fn aggregation(path: &Path, names: &[String], sizes: &[usize]) {
    let count = names.len();
    let sizes_as_numbers = sizes.iter().map(|&n| n as f64).collect();
    let vars = vec![
        Var::new("v", DataType::F64, &[], Data::None)
            .with("aggregated_dimensions", "x")
            .with("aggregated_data", "map: map uris: uris identifiers: ids"),
        Var::new("map", DataType::I32, &[("one", 1), ("n", count)], Data::Numbers(sizes_as_numbers)),
        Var::new("uris", DataType::String, &[("n", count)], Data::Texts(names.to_vec())),
        Var::new("ids", DataType::String, &[("n", count)], Data::Texts(vec!["v".into(); count])),
    ];
    let spec = FileSpec { format: Format::Nc4, dims: vec![("x".into(), sizes.iter().sum())], vars };
    write(path, &spec);
}

/// Runs the program with so many descriptors.
fn cfa(folder: &Path, limit: u32, words: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -n {limit}; exec \"$0\" \"$@\"")).arg(env!("CARGO_BIN_EXE_cfa"));
    without_settings(command).current_dir(folder).args(words).output().unwrap()
}

fn good(folder: &Path, limit: u32, words: &[&str]) -> String {
    let output = cfa(folder, limit, words);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{limit} {words:?}: {told}{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn reads_work_with_any_limit_above_32() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let value = |line: &str| line.rsplit(',').next().and_then(|v| v.parse::<f64>().ok());
    for limit in (33..=40).chain([64, 100, 130]) {
        for threads in ["1", "16"] {
            let set = format!("NUM_THREADS={threads}");
            for (file, parts) in [("agg.nc", 1), ("nest3.nc", 3)] {
                let csv = good(folder.path(), limit, &["read", file, "v", "--csv", "--set", &set]);
                let values: Vec<f64> = csv.lines().skip(1).filter_map(value).collect();
                let expected: Vec<f64> = (0..parts).flat_map(|_| (0..2 * FILES).map(|x| x as f64)).collect();
                assert_eq!(values, expected, "{limit} {threads} {file}");
            }
        }
    }
}

#[test]
fn every_verb_works_with_few_descriptors() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    let folder = folder.path();
    for limit in [33, 36] {
        good(folder, limit, &["check", "agg.nc", "--fragments", "--quiet"]);
        good(folder, limit, &["check", "nest3.nc", "--fragments", "--quiet"]);
        let listed = good(folder, limit, &["info", "agg.nc", "--fragments"]);
        assert_eq!(listed.matches("  there").count(), FILES);
        good(folder, limit, &["create", "made.nc", "f*.nc", "--threads", "16"]);
        good(folder, limit, &["create", "made.nc", "f7.nc", "f8.nc", "--update"]);
        good(folder, limit, &["convert", "agg.nc", "converted.nc", "--dialect", "CFA-0.6.2"]);
        for file in ["agg.nc", "nest3.nc"] {
            good(folder, limit, &["extract", file, "extracted.nc", "--overwrite", "--quiet"]);
        }
        let csv = good(folder, limit, &["read", "made.nc", "v", "--csv"]);
        assert_eq!(csv.lines().count(), 1 + 2 * FILES);
    }
}

/// Fragments that the dataset of the next test holds when the program holds all other descriptors.
const KEPT: usize = 3;

/// Where the child of the next test finds its files.
const FOLDER: &str = "TEST_OF_DESCRIPTORS_FOLDER";

#[test]
fn reads_work_where_the_program_holds_most_descriptors() {
    let Ok(folder) = std::env::var(FOLDER) else {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let words =
            ["--exact", "descriptors::reads_work_where_the_program_holds_most_descriptors", "--nocapture"];
        let child = Command::new("sh")
            .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap())
            .args(words)
            .env(FOLDER, folder.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&child.stderr);
        let printed = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && printed.contains(" 1 passed"), "{told}{printed}");
        return;
    };
    let folder = Path::new(&folder);
    let dataset =
        |name: &str| Dataset::open_with(folder.join(name), &OpenOptions::default().num_threads(8)).unwrap();
    let whole = |dataset: &Dataset| {
        let variable = dataset.variable("v").unwrap();
        let shape = variable.shape().unwrap().to_vec();
        variable.read_values(&cfa::Selection::all(&shape)).unwrap()
    };
    let expected: Vec<f64> = (0..2 * FILES).map(|x| x as f64).collect();
    let few = |dataset: &Dataset| {
        let variable = dataset.variable("v").unwrap();
        let read = variable
            .read_values(&cfa::Selection::block(&[0], &[2 * KEPT as u64], &[2 * FILES as u64]).unwrap())
            .unwrap();
        assert_eq!(read, cfa::Values::F64(expected[..2 * KEPT].to_vec()));
    };
    let mut held: Vec<File> = Vec::new();
    // Leaves the dataset all descriptors that the program does not hold: enough for its work, if the dataset returns
    // them. How many a read of all fragments would keep is a matter of chance.
    let mut exhaust = || {
        held.extend(std::iter::from_fn(|| File::open("/dev/null").ok()));
        held.truncate(held.len() - KEPT - 1);
        let dataset = dataset("agg.nc");
        few(&dataset);
        held.extend(std::iter::from_fn(|| File::open("/dev/null").ok()));
        dataset
    };
    let before = exhaust();
    assert_eq!(whole(&before), cfa::Values::F64(expected.clone()));
    drop(before);
    let before = exhaust();
    let nested = dataset("nest3.nc");
    assert_eq!(whole(&nested), cfa::Values::F64(expected.repeat(3)));
    drop((before, nested));
    // Writing a file or listing a directory gets them, too.
    let before = exhaust();
    let extracted = folder.join("extracted.nc");
    cfa::extract::extract(&before, &extracted, &cfa::extract::Options::default()).unwrap();
    drop(before);
    let before = exhaust();
    let found = cfa::create::expand(&[folder.join("*.nc")]).unwrap();
    assert!(found.paths().len() > FILES);
    drop(before);
    let report = folder.join("report.json");
    let options = cfa::check::Options { json_report: Some(report), ..Default::default() };
    for _ in 0..2 {
        let before = exhaust();
        cfa::check::check(folder.join("agg.nc"), &options).unwrap();
        drop(before);
    }
}
