//! Days of data, an aggregation of them, and an aggregation of that.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::{Dataset, Selection, Values};
use tempfile::TempDir;

pub struct Scene {
    folder: TempDir,
}

impl Scene {
    /// `data/day0.nc` to `data/day2.nc`, `agg.nc` of these and `top.nc` of `agg.nc`; `other.nc` is a day like the first.
    pub fn new() -> Scene {
        let scene = Scene { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(scene.at("data")).unwrap();
        for day in 0..3 {
            scene.day(&format!("data/day{day}.nc"), day);
        }
        scene.day("other.nc", 0);
        scene.good(&["create", "agg.nc", "data", "--quiet"]);
        scene.good(&["create", "top.nc", "agg.nc", "--quiet"]);
        scene
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// A file with one day of data, which are its number.
    pub fn day(&self, name: &str, day: u32) {
        write_file(&day_of(day), &self.at(name), Format::Netcdf4).unwrap();
    }

    pub fn values(&self, name: &str) -> Values {
        let tas = Dataset::open(self.at(name)).unwrap().variable("tas").unwrap();
        let shape = tas.shape().unwrap().to_vec();
        tas.read_values(&Selection::all(&shape)).unwrap()
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_cfa")).args(arguments).current_dir(self.path()).output().unwrap()
    }

    #[track_caller]
    pub fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The command ends with an error that has these words, and nothing in the directory has changed.
    #[track_caller]
    pub fn refused(&self, arguments: &[&str], words: &[&str]) {
        let before = self.everything();
        let output = self.run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
        for word in words {
            assert!(message.contains(word), "{arguments:?}: '{word}' is not in: {message}");
        }
        self.unchanged(&before, &format!("{arguments:?}"));
    }

    /// The command is refused whatever is said, to be done or only planned.
    #[track_caller]
    pub fn refused_always(&self, arguments: &[&str], words: &[&str]) {
        self.refused(arguments, &[]);
        self.refused(&[arguments, &["--overwrite"]].concat(), words);
        if arguments[0] == "create" {
            self.refused(&[arguments, &["--overwrite", "--dry-run"]].concat(), words);
        }
    }

    /// All files and links below the directory, with what they hold.
    pub fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap().file_type();
                if kind.is_dir() {
                    open.push(path);
                } else if kind.is_symlink() {
                    let target = fs::read_link(&path).unwrap();
                    found.insert(path, target.display().to_string().into_bytes());
                } else {
                    let bytes = fs::read(&path).unwrap();
                    found.insert(path, bytes);
                }
            }
        }
        found
    }

    #[track_caller]
    pub fn unchanged(&self, before: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
        let after = self.everything();
        let names = |all: &BTreeMap<PathBuf, Vec<u8>>| all.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(before), names(&after), "{what}");
        let changed: Vec<&PathBuf> = before.keys().filter(|path| before[*path] != after[*path]).collect();
        assert!(changed.is_empty(), "{what} changed {changed:?}");
    }
}

pub fn day_of(day: u32) -> File {
    let mut file = File::default();
    file.add_dimension("time", 1);
    file.add_dimension("lat", 2);
    let time = Variable::with_values("time", &["time"], Values::F64(vec![f64::from(day)]));
    file.variables.push(time.attribute("units", "days since 2001-01-01").attribute("standard_name", "time"));
    let lat = Variable::with_values("lat", &["lat"], Values::F64(vec![0.0, 10.0]));
    file.variables.push(lat.attribute("units", "degrees_north"));
    let tas = Variable::with_values("tas", &["time", "lat"], Values::F32(vec![day as f32; 2]));
    file.variables.push(tas.attribute("units", "K").attribute("standard_name", "air_temperature"));
    file
}
