//! Finds the variables that can be shown as maps, and names them for QGIS and in the names of layer files.
//!
//! They are those that the GDAL driver lists. A file with one of them opens as a raster; one with several needs the open
//! option `VARIABLE`. QGIS makes a path with that option relative, but not the name of a subdataset.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{not_for_qgis, with_suffix};
use crate::container::tree::VariableId;
use crate::dataset::coordinates;
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::dialect::{self, reference};
use crate::error::{Error, Kind, Result};
use crate::selection::{checked_product, Selection};

/// The maximum number of bands that GDAL opens, unless `GDAL_MAX_BAND_COUNT` is set.
const MOST_BANDS: u64 = 65_536;

/// The fraction by which the spacing of an axis may differ from its mean; the netCDF driver of GDAL accepts more.
const EVEN: f64 = 0.02;

/// The maximum number of coordinates of a dimension that are read to see whether they are evenly spaced.
const MOST_COORDINATES: u64 = 3 << 19;

/// The variables of a file that can be shown as maps.
pub(super) struct Maps<'a> {
    path: &'a Path,
    all: Vec<Variable>,
}

impl<'a> Maps<'a> {
    /// Finds the maps of a file.
    ///
    /// # Errors
    /// `Request` if there are none, or if the file is not an aggregation or has a name that a layer file cannot contain.
    pub(super) fn of(dataset: &Dataset, path: &'a Path) -> Result<Maps<'a>> {
        let tree = dataset.shared().tree();
        if !tree.variables.iter().any(|variable| dialect::is_aggregation(&variable.attributes)) {
            return Err(Error::new(Kind::Request, "it is not an aggregation file"));
        }
        let mut describing = HashSet::new();
        for variable in &tree.variables {
            for attribute in ["bounds", "climatology", "coordinates"] {
                let text = variable.attributes.text(attribute).unwrap_or_default();
                let names = text.split_whitespace();
                describing.extend(names.filter_map(|name| reference::variable(tree, variable.group, name)));
            }
        }
        let is_map = |variable: &Variable| {
            let rank = variable.dimensions().map_or(2, <[_]>::len);
            variable.data_type().is_number() && rank >= 2 && !describing.contains(&variable.id())
        };
        let all: Vec<Variable> = dataset.variables().into_iter().filter(is_map).collect();
        match all.is_empty() {
            true => Err(Error::new(Kind::Request, "it has no variable that can be shown as a map")),
            false => Ok(Maps { path, all }),
        }
    }

    pub(super) fn all(&self) -> &[Variable] {
        &self.all
    }

    /// Returns the variables of these paths, each once.
    ///
    /// # Errors
    /// `MissingVariable`; `Request` for a variable that is not a map.
    pub(super) fn named(&self, paths: &[String]) -> Result<Vec<Variable>> {
        let mut found: Vec<Variable> = Vec::new();
        for path in paths {
            let variable = self.all[0].dataset().variable(path)?;
            let Some(map) = self.all.iter().find(|map| map.id() == variable.id()) else {
                let message =
                    "it cannot be shown as a map: its data are not numbers along two dimensions or more";
                return Err(Error::new(Kind::Request, message).in_variable(path.as_str()));
            };
            if !found.iter().any(|known| known.id() == map.id()) {
                found.push(map.clone());
            }
        }
        Ok(found)
    }

    /// Returns the name of a layer file: the name of the aggregation file, the path of the variable if there are several
    /// maps, and `.qlr`.
    pub(super) fn layer_file(&self, variable: &Variable) -> PathBuf {
        match self.all.len() {
            1 => with_suffix(self.path, ".qlr"),
            _ => with_suffix(self.path, &format!(".{}.qlr", in_file_name(variable.path()))),
        }
    }

    /// Returns the name of the style that QGIS takes as default for the aggregation file, or `None` for a file with
    /// several maps, since there is one such name for the file.
    pub(super) fn style_file(&self) -> Option<PathBuf> {
        (self.all.len() == 1).then(|| with_suffix(&self.path.with_extension(""), ".qml"))
    }

    /// Returns the name that QGIS opens, relative to the layer file.
    ///
    /// # Errors
    /// `Request` if the name of the file is not UTF-8, or has characters that QGIS takes as the end of a name.
    pub(super) fn source(&self, variable: &Variable) -> Result<String> {
        let name = self.path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.filter(|name| !name.contains(char::is_control)) else {
            return Err(not_for_qgis(self.path, "its name is not a text that a layer file can have"));
        };
        let option = format!("|option:VARIABLE={}", variable.path());
        match self.all.len() {
            _ if name.contains('|') => Err(not_for_qgis(self.path, "QGIS takes '|' as the end of the name")),
            1 => Ok(format!("./{name}")),
            _ if variable.path().contains('|') => {
                Err(Error::new(Kind::Request, "QGIS takes '|' as the end of the name of a variable"))
            }
            _ => Ok(format!("./{name}{option}")),
        }
    }
}

/// Turns the path of a variable into a part of a file name that every system accepts.
fn in_file_name(path: &str) -> String {
    let safe = |c: char| match c {
        '/' => '.',
        '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        c if c.is_control() => '_',
        c => c,
    };
    path.trim_start_matches('/').chars().map(safe).collect()
}

/// A variable as GDAL sees it.
pub(super) struct RasterShape {
    pub(super) bands: u64,
    /// The number of values of a band.
    pub(super) plane: u64,
}

/// Returns the number and size of the bands of a variable.
///
/// # Errors
/// `Limit` if GDAL does not open so many, `Request` if there are none.
pub(super) fn raster_shape(variable: &Variable) -> Result<RasterShape> {
    let shape = variable.shape()?;
    let (bands, plane) = shape.split_at(shape.len().saturating_sub(2));
    let bands = checked_product(bands).unwrap_or(u64::MAX);
    let plane = checked_product(plane).unwrap_or(u64::MAX);
    if bands == 0 || plane == 0 {
        return Err(Error::new(Kind::Request, "it has no data to be shown"));
    }
    if bands > MOST_BANDS {
        let message = format!("it has {bands} bands; QGIS opens {MOST_BANDS} at most");
        return Err(Error::new(Kind::Limit, message));
    }
    Ok(RasterShape { bands, plane })
}

/// The coordinates of rows or columns.
pub(super) struct Axis {
    pub(super) units: String,
    standard_name: String,
    /// Whether they are evenly spaced, so that GDAL knows where the map lies.
    pub(super) is_even: bool,
}

impl Axis {
    /// Returns the coordinates of a dimension, if it has any.
    ///
    /// # Errors
    /// Those of reading the coordinates.
    pub(super) fn of(variable: &Variable, d: usize) -> Result<Option<Axis>> {
        let found = coordinates::coordinate_of(variable, variable.dimensions()?[d])?;
        let Some(axis) = found.filter(|axis| axis.data_type().is_number()) else { return Ok(None) };
        let text = |name: &str| axis.attributes().text(name).unwrap_or_default().trim().to_owned();
        let shape = axis.shape()?;
        let is_read = matches!(shape, [2..=MOST_COORDINATES]);
        let is_even = is_read && is_even(&coordinates::numbers(&axis, &Selection::all(shape))?);
        Ok(Some(Axis { units: text("units"), standard_name: text("standard_name"), is_even }))
    }

    /// Returns whether they are degrees to the north or east.
    pub(super) fn is_direction(&self, standard_name: &str, directions: &[&str]) -> bool {
        let rest = ["degrees_", "degree_", "degrees", "degree"]
            .iter()
            .find_map(|start| self.units.strip_prefix(start));
        rest.is_some_and(|rest| {
            directions.contains(&rest) || (rest.is_empty() && self.standard_name == standard_name)
        })
    }
}

fn is_even(values: &[f64]) -> bool {
    let mean = (values[values.len() - 1] - values[0]) / (values.len() - 1) as f64;
    mean != 0.0 && values.windows(2).all(|pair| (pair[1] - pair[0] - mean).abs() <= EVEN * mean.abs())
}

/// Returns the coordinate variable of a dimension of a variable; without one, the only one-dimensional variable along it
/// that the attribute `coordinates` names.
///
/// # Errors
/// Those of decoding aggregations.
pub(super) fn coordinates_along(variable: &Variable, d: usize) -> Result<Option<Variable>> {
    let id = variable.dimensions()?[d];
    if let Some(found) = coordinates::coordinate_of(variable, id)? {
        return Ok(Some(found));
    }
    let dataset = variable.dataset();
    let tree = dataset.shared().tree();
    let text = variable.attributes().text("coordinates").unwrap_or_default();
    let group = tree.variables[variable.id().0].group;
    let named: HashSet<VariableId> =
        text.split_whitespace().filter_map(|name| reference::variable(tree, group, name)).collect();
    let mut along = Vec::new();
    for id_of in named {
        let candidate = Variable::new(dataset.clone(), id_of);
        if *candidate.dimensions()? == [id] && candidate.data_type().is_number() {
            along.push(candidate);
        }
    }
    Ok(along.pop().filter(|_| along.is_empty()))
}
