//! What it costs to create, update and check aggregations of many files and variables, in requests for memory and bytes.
//! One thread does all the work, so that its requests are counted.

use std::path::{Path, PathBuf};

use cfa::check::{check, Options as CheckOptions};
use cfa::create::{create, update, Options};
use cfa::internals::write::{write_file, File, Format, Storage, Variable};
use cfa::{Dataset, OpenOptions, Values};

use super::parts::values;
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

/// What it costs to make an aggregation, and to add one more file to it: requests for memory, and the most bytes.
struct Cost {
    created: (usize, usize),
    updated: (usize, usize),
}

impl Cost {
    /// Returns the cost of this many files.
    fn of_files(count: usize) -> Cost {
        let folder = tempfile::tempdir().unwrap();
        let mut parts: Vec<PathBuf> = (0..count).map(|i| part(folder.path(), i, 1)).collect();
        let out = folder.path().join("all.nc");
        let last = parts.pop().unwrap();
        let ((_, number), most) =
            most_during(|| number_during(|| create(&out, &parts, &options(), None).unwrap()));
        let created = (number, most);
        let ((report, number), most) =
            most_during(|| number_during(|| update(&out, &[last], &options(), None).unwrap()));
        assert_eq!(report.variables[0].fragments, count as u64);
        Cost { created, updated: (number, most) }
    }
}

#[test]
fn each_file_costs_little() {
    let (few, many) = (Cost::of_files(200), Cost::of_files(1200));
    let of_each =
        |few: (usize, usize), many: (usize, usize)| ((many.0 - few.0) / 1000, (many.1 - few.1) / 1000);
    let (created, updated) = (of_each(few.created, many.created), of_each(few.updated, many.updated));
    assert!(created.1 < 780, "{} bytes for each file", created.1);
    assert!(updated.1 < 1700, "{} bytes for each file of an update", updated.1);
    assert!(updated.0 < 112, "{} requests for each file that an update finds there", updated.0);
}

/// Writes a file of one time and one member, with descriptions along the time, the member, both, and neither.
fn cell(folder: &Path, time: usize, member: usize) -> PathBuf {
    let mut file = File::default();
    ["time", "member"].iter().for_each(|name| file.add_dimension(name, 1));
    file.add_dimension("x", 2);
    let (t, m) = (time as f64, member as f64);
    let days = Variable::with_values("time", &["time"], Values::F64(vec![t]));
    file.variables.push(days.attribute("units", "days since 2001-01-01"));
    file.variables.push(Variable::with_values("member", &["member"], Values::F64(vec![m])));
    for (name, dimensions, values) in [
        ("moon", &["time"][..], vec![t * 7.0]),
        ("weight", &["member"], vec![m * 0.5]),
        ("lead", &["member", "time"], vec![100.0 * m + t]),
        ("depth", &["x"], vec![1.0, 2.0]),
    ] {
        file.variables.push(Variable::with_values(name, dimensions, Values::F64(values)));
    }
    let data = Variable::with_values("v", &["time", "member", "x"], Values::F32(vec![t as f32, m as f32]));
    file.variables.push(data.attribute("units", "K").attribute("coordinates", "moon weight lead depth"));
    let path = folder.join(format!("cell{time}_{member}.nc"));
    write_file(&file, &path, Format::Netcdf4).unwrap();
    path
}

#[test]
fn an_update_keeps_what_each_fragment_shares_with_others() {
    for aggregated in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let cells = |times: std::ops::Range<usize>| -> Vec<PathBuf> {
            times.flat_map(|t| (0..3).map(move |m| (t, m))).map(|(t, m)| cell(folder.path(), t, m)).collect()
        };
        let (first, more) = (cells(0..3), cells(3..5));
        let (grown, whole) = (folder.path().join("grown.nc"), folder.path().join("whole.nc"));
        let mut options = options();
        options.aggregate_coordinates = aggregated;
        create(&grown, &first, &options, None).unwrap();
        update(&grown, &more, &options, None).unwrap();
        create(&whole, &[first, more].concat(), &options, None).unwrap();
        let [grown, whole] = [grown, whole].map(|path| Dataset::open(path).unwrap());
        for name in ["time", "member", "moon", "weight", "lead", "depth", "v"] {
            assert_eq!(values(&grown, name), values(&whole, name), "{name}");
        }
        assert_eq!(values(&grown, "lead").len(), 15);
    }
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

#[test]
fn grids_that_compress_well_are_no_claims() {
    let folder = tempfile::tempdir().unwrap();
    let (ny, nx) = (1500usize, 2000usize);
    let inputs: Vec<PathBuf> = (0..2)
        .map(|time| {
            let mut file = File::default();
            file.add_dimension("time", 1);
            file.add_dimension("y", ny as u64);
            file.add_dimension("x", nx as u64);
            let day = Variable::with_values("time", &["time"], Values::F64(vec![f64::from(time)]));
            file.variables.push(day.attribute("units", "days since 2001-01-01"));
            let rows = (0..ny).flat_map(|y| std::iter::repeat_n(y as f64 * 0.1 - 75.0, nx)).collect();
            let mut lat = Variable::with_values("lat", &["y", "x"], Values::F64(rows))
                .attribute("units", "degrees_north");
            lat.storage = Storage { chunks: Some(vec![250, 2000]), deflate: Some(4), shuffle: true };
            file.variables.push(lat);
            let v = Variable::with_values("v", &["time"], Values::F32(vec![0.0]));
            file.variables.push(v.attribute("coordinates", "lat"));
            let mut w =
                Variable::with_values("w", &["time", "y", "x"], Values::I8(vec![time as i8; ny * nx]))
                    .attribute("coordinates", "lat");
            w.storage = Storage { chunks: Some(vec![1, 250, 2000]), deflate: Some(4), shuffle: false };
            file.variables.push(w);
            let path = folder.path().join(format!("grid{time}.nc"));
            write_file(&file, &path, Format::Netcdf4).unwrap();
            path
        })
        .collect();
    assert!(std::fs::metadata(&inputs[0]).unwrap().len() < 400_000);
    let out = folder.path().join("out.nc");
    create(&out, &inputs[..], &options(), None).unwrap();
    let lat = Dataset::open(&out).unwrap().variable("lat").unwrap();
    let row = cfa::Selection::block(&[1499, 1999], &[1, 1], lat.shape().unwrap()).unwrap();
    assert_eq!(lat.read_values(&row).unwrap(), Values::F64(vec![1499.0 * 0.1 - 75.0]));
}
