//! Recorded places of chunks: reads by them equal reads without them, whatever happened to the files since.

mod hostile;
mod kept;
mod random;
mod served;
mod stale;

use std::fs;
use std::path::{Path, PathBuf};

use cfa::create::{create, Options};
use cfa::internals::write::{write_file, File, Format, Storage, Variable};
use cfa::{Dataset, Selection, Values};
use tempfile::TempDir;

/// A file with two steps of a map of noise, in chunks that are compressed.
pub fn part(path: &Path, first: usize, seed: u64) {
    part_in(path, first, seed, Format::Netcdf4, true);
}

pub fn part_in(path: &Path, first: usize, seed: u64, format: Format, compressed: bool) {
    write_part(path, first, seed, format, compressed, "");
}

/// A classic file of this length, whose data lie elsewhere if `shifted` is set: who reads it by the places of the other
/// kind gets wrong values, and no error.
pub fn plain(path: &Path, first: usize, seed: u64, shifted: bool, length: usize) {
    let comment = if shifted { "x".repeat(400) } else { String::new() };
    write_part(path, first, seed, Format::Classic, false, &comment);
    let mut bytes = fs::read(path).unwrap();
    assert!(bytes.len() < length);
    bytes.resize(length, 0);
    fs::write(path, bytes).unwrap();
}

fn write_part(path: &Path, first: usize, seed: u64, format: Format, compressed: bool, comment: &str) {
    let mut file = File::default();
    file.attributes.set_text("comment", comment);
    for (name, size) in [("time", 2), ("lat", 20), ("lon", 30)] {
        file.add_dimension(name, size);
    }
    let time = Values::F64(vec![first as f64, first as f64 + 1.0]);
    let time = Variable::with_values("time", &["time"], time)
        .attribute("units", "days since 2001-01-01")
        .attribute("standard_name", "time");
    let numbers = (0..1200u64).map(|i| (1200 * seed + i + 1).wrapping_mul(0x9e37_79b9_97f4_a7c1) >> 40);
    let values = Values::F32(numbers.map(|n| n as f32).collect());
    let mut tas = Variable::with_values("tas", &["time", "lat", "lon"], values)
        .attribute("units", "K")
        .attribute("standard_name", "air_temperature");
    if compressed {
        tas.storage = Storage { chunks: Some(vec![1, 7, 30]), deflate: Some(1), shuffle: true };
    }
    file.variables.extend([time, tas]);
    write_file(&file, path, format).unwrap();
}

pub fn recording() -> Options {
    let mut options = Options::default();
    options.record_chunks = true;
    options
}

/// A folder with three fragments, and an aggregation of them with recorded places of chunks.
pub struct Scene {
    pub folder: TempDir,
    pub parts: Vec<PathBuf>,
    pub out: PathBuf,
}

impl Scene {
    pub fn new() -> Scene {
        Scene::with(|path, i| part(path, 2 * i, i as u64))
    }

    pub fn with(write: impl Fn(&Path, usize)) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let parts: Vec<PathBuf> = (0..3).map(|i| folder.path().join(format!("part{i}.nc"))).collect();
        parts.iter().enumerate().for_each(|(i, path)| write(path, i));
        let out = folder.path().join("agg.nc");
        let report = create(&out, &parts, &recording(), None).unwrap();
        assert_eq!(report.notes, [""; 0]);
        Scene { folder, parts, out }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads by what is recorded, as far as that is true.
    pub fn read(&self) -> Values {
        tas(&Dataset::open(&self.out).unwrap()).unwrap()
    }

    /// Reads by parsing the files.
    pub fn parsed(&self) -> Values {
        let plain = self.path("plain.nc");
        create(&plain, &self.parts, &Options::default(), None).unwrap();
        tas(&Dataset::open(&plain).unwrap()).unwrap()
    }
}

pub fn tas(dataset: &Dataset) -> cfa::Result<Values> {
    let variable = dataset.variable("tas")?;
    let shape = variable.shape()?.to_vec();
    variable.read_values(&Selection::all(&shape))
}

/// Changes bytes of a file, and keeps its size and time.
pub fn forge(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let time = fs::metadata(path).unwrap().modified().unwrap();
    let mut bytes = fs::read(path).unwrap();
    let length = bytes.len();
    change(&mut bytes);
    assert_eq!(bytes.len(), length);
    fs::write(path, bytes).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// Makes a file unreadable for whoever parses it, and keeps its size and time.
pub fn spoil(path: &Path) {
    forge(path, |bytes| bytes[8..16].fill(b'x'));
}
