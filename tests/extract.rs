//! `cfa extract`: the plain file has the values that a read returns, and the variables that they refer to.

use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

use cfa::extract::{cuts, extract, Options};
use cfa::internals::write::{write_file, Format, Group, Variable};
use cfa::{Dataset, Kind, Selection, Values};

#[test]
fn the_whole_file_is_materialised() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    crate::archive::run(directory.path(), &["extract", "year.nc", "plain.nc", "--quiet"]);
    let plain = directory.path().join("plain.nc");
    assert_eq!(crate::archive::read(&plain, "tas"), Values::F32(crate::archive::values()));
    for name in ["packed", "g/deep", "time", "time_bounds", "lat", "lon", "crs", "area", "other"] {
        assert_eq!(crate::archive::read(&plain, name), crate::archive::read(&path, name), "{name}");
    }
    let dataset = Dataset::open(&plain).unwrap();
    assert!(dataset.variables().iter().all(|v| v.aggregation().unwrap().is_none()));
    assert!(dataset.variable("fragment_map").is_err());
    let packed = dataset.variable("packed").unwrap();
    assert_eq!(packed.attributes().get("scale_factor"), Some(&Values::F32(vec![0.5])));
    let dump = Command::new("ncdump").arg("-h").arg(&plain).output().unwrap();
    let header = String::from_utf8(dump.stdout).unwrap();
    assert!(dump.status.success() && header.contains("float tas(time, lat, lon)"), "{header}");
    assert!(!header.contains("aggregated"), "{header}");
}

#[test]
fn libnetcdf_reads_the_same_values() {
    let directory = tempfile::tempdir().unwrap();
    crate::archive::make(directory.path());
    crate::archive::run(
        directory.path(),
        &["extract", "year.nc", "plain.nc", "--chunk", "1,2,3", "--deflate", "5", "-q"],
    );
    let file = netcdf::open(directory.path().join("plain.nc")).unwrap();
    let tas = file.variable("tas").unwrap();
    assert_eq!(tas.get_values::<f32, _>(..).unwrap(), crate::archive::values());
    assert_eq!(tas.chunking().unwrap(), Some(vec![1, 2, 3]));
}

#[test]
fn a_part_is_taken_of_everything_that_has_the_dimension() {
    let directory = tempfile::tempdir().unwrap();
    crate::archive::make(directory.path());
    let arguments = [
        "extract",
        "year.nc",
        "part.nc",
        "--variable",
        "tas",
        "--start=3,0,2",
        "--count=2,2,2",
        "--stride=-2,3,-1",
    ];
    crate::archive::run(directory.path(), &arguments);
    let part = directory.path().join("part.nc");
    let mut expected = Vec::new();
    for t in [3, 1] {
        for y in [0, 3] {
            expected.extend([2, 1].map(|x| crate::archive::value(t, y, x)));
        }
    }
    assert_eq!(crate::archive::read(&part, "tas"), Values::F32(expected));
    assert_eq!(crate::archive::read(&part, "time"), Values::F64(vec![3.5, 1.5]));
    assert_eq!(crate::archive::read(&part, "time_bounds"), Values::F64(vec![3.0, 4.0, 1.0, 2.0]));
    assert_eq!(crate::archive::read(&part, "area"), Values::F32(vec![1.0, 4.0]));
    let dataset = Dataset::open(&part).unwrap();
    assert!(dataset.variable("crs").is_ok() && dataset.variable("other").is_err());
    assert!(dataset.variable("packed").is_err() && dataset.groups().len() == 1);
}

#[test]
fn coordinates_choose_a_part_of_all_variables() {
    let directory = tempfile::tempdir().unwrap();
    crate::archive::make(directory.path());
    let select = ["--select", "time=2001-01-02..2001-01-03", "--select", "lon=20"];
    crate::archive::run(directory.path(), &[&["extract", "year.nc", "part.nc"][..], &select].concat());
    let part = directory.path().join("part.nc");
    assert_eq!(crate::archive::read(&part, "time"), Values::F64(vec![1.5, 2.5]));
    let expected: Vec<f32> =
        [1, 2].iter().flat_map(|&t| (0..4).map(move |y| crate::archive::value(t, y, 1))).collect();
    assert_eq!(crate::archive::read(&part, "tas"), Values::F32(expected));
    assert_eq!(crate::archive::read(&part, "other"), Values::I32(vec![2]));
    assert_eq!(crate::archive::read(&part, "g/deep").len(), 8);
}

#[test]
fn variables_that_choose_different_parts_are_refused_in_any_order() {
    let directory = tempfile::tempdir().unwrap();
    let dataset = Dataset::open(crate::archive::make(directory.path())).unwrap();
    let choose = |variable: &cfa::Variable| {
        let shape = variable.shape()?;
        let mut count = shape.to_vec();
        if variable.path().ends_with("packed") {
            count[0] = 1;
        }
        Selection::block(&vec![0; shape.len()], &count, shape)
    };
    for names in [["tas", "packed"], ["packed", "tas"]] {
        let error = cuts(&dataset, &names.map(String::from), choose).unwrap_err();
        assert_eq!(error.kind(), Kind::Request);
    }
    assert_eq!(cuts(&dataset, &["tas".into()], choose).unwrap(), []);
    assert_eq!(cuts(&dataset, &["packed".into()], choose).unwrap().len(), 1);
}

#[test]
fn a_failure_leaves_no_file_and_progress_can_cancel() {
    let directory = tempfile::tempdir().unwrap();
    let path = crate::archive::make(directory.path());
    let out = directory.path().join("out.nc");
    let stop = |_: u64, _: u64| false;
    let options = Options { progress: Some(&stop), ..Options::default() };
    let error = extract(&Dataset::open(&path).unwrap(), &out, &options).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled);
    let own = extract(&Dataset::open(&path).unwrap(), &path, &Options::default()).unwrap_err();
    assert_eq!(own.kind(), Kind::Request);
    std::fs::remove_file(directory.path().join(crate::archive::location(0, 1))).unwrap();
    let output = crate::archive::cfa(directory.path(), &["extract", "year.nc", "out.nc"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("[0, 1, 0]"));
    assert!(!out.exists());
    let left = std::fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(left, 2, "year.nc and frag only");
}

#[test]
fn a_cancelled_extraction_does_not_wait_for_a_large_chunk() {
    let directory = tempfile::tempdir().unwrap();
    let (path, out) = (directory.path().join("large.nc"), directory.path().join("out.nc"));
    let mut state = 1u32;
    let numbers = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 22) as i32
    });
    let mut file = Group::default();
    file.add_dimension("x", 1 << 22);
    let numbers = Values::I32(numbers.take(1 << 22).collect());
    file.variables.push(Variable::with_values("large", &["x"], numbers));
    write_file(&file, &path, Format::Netcdf4).unwrap();

    let dataset = Dataset::open(&path).unwrap();
    let options = Options { chunks: Some(vec![1 << 22]), deflate: 9, ..Options::default() };
    let begin = Instant::now();
    extract(&dataset, &out, &options).unwrap();
    let whole = begin.elapsed();
    std::fs::remove_file(&out).unwrap();
    // Most of that is the one chunk being compressed, so half-way it has begun.
    let (begin, stopped) = (Instant::now(), Mutex::new(None));
    let stop = |_: u64, _: u64| {
        let go_on = begin.elapsed() < whole / 2;
        *stopped.lock().unwrap() = (!go_on).then(Instant::now);
        go_on
    };
    let error = extract(&dataset, &out, &Options { progress: Some(&stop), ..options }).unwrap_err();
    let waited = stopped.lock().unwrap().unwrap().elapsed();
    assert_eq!(error.kind(), Kind::Cancelled);
    assert!(!out.exists());
    assert!(waited * 5 < whole, "waited {waited:?} for the rest of {whole:?}");
}

/// The most memory that `cfa` had while it did this, in bytes. Looked up while it runs: what the system tells afterwards
/// takes in the size of this process.
#[cfg(target_os = "linux")]
fn memory_of(directory: &std::path::Path, arguments: &[&str]) -> u64 {
    let program = env!("CARGO_BIN_EXE_cfa");
    let mut child = Command::new(program).args(arguments).current_dir(directory).spawn().unwrap();
    let mut kilobytes = 0;
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        kilobytes = peak.unwrap_or(0).max(kilobytes);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success() && kilobytes > 0);
            return kilobytes * 1024;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_data() {
    let directory = tempfile::tempdir().unwrap();
    let (steps, side) = (32, 512);
    for part in 0..8 {
        let mut file = Group::default();
        for (name, size) in [("time", steps), ("y", side), ("x", side)] {
            file.add_dimension(name, size);
        }
        let time = (0..steps).map(|t| (part * steps + t) as f64).collect();
        file.variables.push(Variable::with_values("time", &["time"], Values::F64(time)));
        let mut data = Variable::with_values(
            "v",
            &["time", "y", "x"],
            Values::F32(vec![part as f32; (steps * side * side) as usize]),
        );
        data.storage.chunks = Some(vec![1, side, side]);
        data.storage.deflate = Some(1);
        file.variables.push(data);
        write_file(&file, &directory.path().join(format!("part{part}.nc")), Format::Netcdf4).unwrap();
    }
    crate::archive::run(directory.path(), &["create", "all.nc", "part*.nc", "--quiet"]);
    let bytes = 8 * steps * side * side * 4;
    let memory = memory_of(directory.path(), &["extract", "all.nc", "plain.nc", "--quiet"]);
    assert!(memory < bytes / 2, "{memory} bytes of memory for {bytes} bytes of data");
    let dataset = Dataset::open(directory.path().join("plain.nc")).unwrap();
    let last = Selection::block(&[8 * steps - 1, 0, 0], &[1, 1, 2], &[8 * steps, side, side]).unwrap();
    assert_eq!(dataset.variable("v").unwrap().read_values(&last).unwrap(), Values::F32(vec![7.0; 2]));
}
