//! What it costs to create, update and check aggregations of many files and variables, in requests for memory and bytes.
//! One thread does all the work, so that its requests are counted.

use std::path::{Path, PathBuf};

use cfa::check::{check, Options as CheckOptions};
use cfa::create::{create, update, Options};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::{OpenOptions, Values};

use crate::support::allocations::{most_during, number_during};

/// Writes a file of one time with this many variables.
fn part(folder: &Path, time: usize, variables: usize) -> PathBuf {
    let mut file = File::default();
    file.add_dimension("time", 1);
    file.add_dimension("x", 2);
    file.add_dimension("nv", 2);
    let day = time as f64;
    let coordinate = Variable::with_values("time", &["time"], Values::F64(vec![day]))
        .attribute("units", "days since 2001-01-01")
        .attribute("bounds", "time_bnds");
    file.variables.push(coordinate);
    let bounds = Variable::with_values("time_bnds", &["time", "nv"], Values::F64(vec![day, day + 1.0]));
    file.variables.push(bounds);
    file.variables.push(Variable::with_values("height", &[], Values::F64(vec![2.0])).attribute("units", "m"));
    for v in 0..variables {
        let one = Variable::with_values(format!("v{v}"), &["time", "x"], Values::F32(vec![0.0; 2]));
        file.variables.push(one.attribute("units", "K").attribute("coordinates", "height"));
    }
    let path = folder.join(format!("part{time}.nc"));
    write_file(&file, &path, Format::Cdf5).unwrap();
    path
}

fn options() -> Options {
    let mut options = Options::default();
    options.num_threads = 1;
    options
}

/// Returns the requests for memory while an aggregation of two files is made.
fn of_variables(count: usize) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let parts: Vec<PathBuf> = (0..2).map(|i| part(folder.path(), i, count)).collect();
    let out = folder.path().join("all.nc");
    let (report, number) = number_during(|| create(&out, &parts, &options(), None).unwrap());
    assert_eq!(report.variables.len(), count);
    number
}

#[test]
fn four_times_the_variables_cost_four_times_as_much() {
    let (few, many) = (of_variables(200), of_variables(800));
    assert!(many < few * 9 / 2, "{few} and {many} requests");
}

/// Returns the most bytes while an aggregation of this many files is made, and while one more is added.
fn of_files(count: usize) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut parts: Vec<PathBuf> = (0..count).map(|i| part(folder.path(), i, 1)).collect();
    let out = folder.path().join("all.nc");
    let last = parts.pop().unwrap();
    let (_, most) = most_during(|| create(&out, &parts, &options(), None).unwrap());
    let (report, more) = most_during(|| update(&out, &[last], &options(), None).unwrap());
    assert_eq!(report.variables[0].fragments, count as u64);
    (most, more)
}

#[test]
fn little_is_kept_of_each_file() {
    let (few, many) = (of_files(200), of_files(1200));
    let (created, updated) = ((many.0 - few.0) / 1000, (many.1 - few.1) / 1000);
    assert!(created < 1100, "{created} bytes for each file");
    assert!(updated < 3000, "{updated} bytes for each file of an update");
}

#[test]
fn a_check_opens_each_file_once_for_all_variables() {
    let folder = tempfile::tempdir().unwrap();
    let parts: Vec<PathBuf> = (0..30).map(|i| part(folder.path(), i, 20)).collect();
    let out = folder.path().join("all.nc");
    create(&out, &parts, &options(), None).unwrap();
    let requests = |open_files: usize| {
        let open = OpenOptions::default().num_threads(1).max_open_files(open_files);
        let options = CheckOptions { open, fragments: true, ..CheckOptions::default() };
        let (report, number) = number_during(|| check(&out, &options).unwrap());
        assert!(report.is_fine());
        assert!(report.variables.iter().all(|variable| variable.states.len() == 30));
        number
    };
    let (few, all) = (requests(8), requests(100));
    assert!(few < all * 11 / 10, "{few} requests if 8 files may be open, {all} if all may");
}
