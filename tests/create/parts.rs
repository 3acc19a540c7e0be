//! Small files to be aggregated.

use std::path::{Path, PathBuf};

use cfa::create::{create, Options};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::{Dataset, Kind, Selection, Values};
use tempfile::TempDir;

/// A file with a time series on a small map.
pub struct Part {
    pub name: &'static str,
    pub time: Vec<f64>,
    pub units: &'static str,
    pub calendar: &'static str,
    pub lat: Vec<f64>,
    pub bounds: bool,
    /// What the data are: this and a little for each place.
    pub base: f64,
    pub edit: fn(&mut File),
}

impl Part {
    pub fn new(name: &'static str, time: &[f64]) -> Part {
        Part {
            name,
            time: time.to_vec(),
            units: "days since 2001-01-01",
            calendar: "standard",
            lat: vec![-10.0, 0.0, 10.0],
            bounds: false,
            base: 0.0,
            edit: |_| {},
        }
    }

    pub fn write(&self, folder: &Path) -> PathBuf {
        let mut file = File::default();
        let (nt, ny) = (self.time.len(), self.lat.len());
        file.add_dimension("time", nt as u64);
        file.add_dimension("lat", ny as u64);
        file.attributes.set_text("Conventions", "CF-1.7 CMIP-6.2");
        file.attributes.set_text("source_id", "model");
        file.attributes.set_text("tracking_id", self.name);
        let mut time = Variable::with_values("time", &["time"], Values::F64(self.time.clone()))
            .attribute("units", self.units)
            .attribute("calendar", self.calendar)
            .attribute("standard_name", "time");
        if self.bounds {
            file.add_dimension("bnds", 2);
            time = time.attribute("bounds", "time_bnds");
            let cells = self.time.iter().flat_map(|t| [t - 0.5, t + 0.5]).collect();
            file.variables.push(Variable::with_values("time_bnds", &["time", "bnds"], Values::F64(cells)));
        }
        file.variables.push(time);
        let lat = Variable::with_values("lat", &["lat"], Values::F64(self.lat.clone()));
        file.variables.push(lat.attribute("units", "degrees_north").attribute("standard_name", "latitude"));
        let values = (0..nt * ny).map(|i| (self.base + i as f64) as f32).collect();
        let tas = Variable::with_values("tas", &["time", "lat"], Values::F32(values));
        file.variables.push(tas.attribute("units", "K").attribute("standard_name", "air_temperature"));
        (self.edit)(&mut file);
        let path = folder.join(self.name);
        write_file(&file, &path, Format::Netcdf4).unwrap();
        path
    }
}

pub fn data(file: &mut File) -> &mut Variable {
    file.variables.iter_mut().find(|v| v.name == "tas").unwrap()
}

pub fn scalar(file: &mut File, name: &str, value: Values, units: &str) {
    file.variables.push(Variable::with_values(name, &[], value).attribute("units", units));
    data(file).attributes.set_text("coordinates", name);
}

pub fn made(parts: &[Part], options: &Options) -> cfa::Result<(TempDir, Dataset)> {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = parts.iter().map(|p| p.write(folder.path())).collect();
    let out = folder.path().join("agg.nc");
    create(&out, &paths, options, None)?;
    Ok((folder, Dataset::open(&out).unwrap()))
}

pub fn values(dataset: &Dataset, name: &str) -> Values {
    let variable = dataset.variable(name).unwrap();
    let shape = variable.shape().unwrap().to_vec();
    variable.read_values(&Selection::all(&shape)).unwrap()
}

pub fn shape(dataset: &Dataset, name: &str) -> Vec<u64> {
    dataset.variable(name).unwrap().shape().unwrap().to_vec()
}

pub fn problem(parts: &[Part], options: &Options) -> (Kind, String) {
    let error = made(parts, options).unwrap_err();
    (error.kind(), error.to_string())
}

#[track_caller]
pub fn refused(parts: &[Part], kind: Kind, words: &[&str]) {
    let (found, message) = problem(parts, &Options::default());
    assert_eq!(found, kind, "{message}");
    for word in words {
        assert!(message.contains(word), "{word}: {message}");
    }
}

/// A message with the names of files alone.
pub fn without_folders(message: &str) -> String {
    message.split(' ').map(|word| word.rsplit('/').next().unwrap()).collect::<Vec<_>>().join(" ")
}
