//! Determines the reference system of a map. QGIS takes it from the layer file, and has none if the file names none.
//!
//! It is the text in an attribute of the data or of their grid mapping (`crs_wkt`, `spatial_ref`, `crs`), or else made
//! from the parameters of CF appendix F. Evenly spaced latitudes and longitudes without grid mapping are taken as WGS 84.
//! A map without even spacing has no place for GDAL, so it has no reference system.

use super::variables::Axis;
use crate::cf::Form;
use crate::container::tree::VariableId;
use crate::dataset::variable::Variable;
use crate::dialect::reference;
use crate::error::Result;
use crate::value::{Attributes, Values};

/// How a reference system is described.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReferenceSystem {
    Wgs84,
    /// Well-known text.
    Wkt(String),
    /// A string of PROJ.
    Proj(String),
    /// A number in a list, such as `EPSG:3035`.
    Listed(String),
}

use ReferenceSystem::{Listed, Proj, Wgs84, Wkt};

/// The maximum length of a text. People write no longer ones.
const MOST_TEXT: usize = 1 << 16;

/// Returns the reference system of a variable.
///
/// # Errors
/// Those of reading the coordinates.
pub(super) fn of(variable: &Variable) -> Result<Option<ReferenceSystem>> {
    let rank = variable.dimensions()?.len();
    let (Some(y), Some(x)) = (Axis::of(variable, rank - 2)?, Axis::of(variable, rank - 1)?) else {
        return Ok(None);
    };
    if !y.is_even || !x.is_even {
        return Ok(None);
    }
    if let Some(given) = text_of(variable.attributes(), &["crs", "spatial_ref", "crs_wkt"]) {
        return Ok(given);
    }
    let is_geographic =
        y.is_direction("latitude", &["north", "N"]) && x.is_direction("longitude", &["east", "E"]);
    let Some(mapping) = mapping_of(variable) else { return Ok(is_geographic.then_some(Wgs84)) };
    let attributes = &variable.dataset().shared().tree().variables[mapping.0].attributes;
    if let Some(given) = text_of(attributes, &["crs_wkt", "spatial_ref"]) {
        return Ok(given);
    }
    let units = y.units.clone();
    let is_metres =
        y.units == x.units && ["m", "metre", "metres", "meter", "meters"].contains(&units.as_str());
    let is_degrees = is_geographic || [&y, &x].iter().all(|axis| axis.units.starts_with("degree"));
    Ok(made(attributes).filter(|made| match made {
        Wgs84 => is_geographic,
        Proj(text) if text.contains("longlat") => is_degrees,
        _ => is_metres,
    }))
}

/// Returns the reference system that the first of these attributes describes; `Some(None)` if it cannot be understood.
fn text_of(attributes: &Attributes, names: &[&str]) -> Option<Option<ReferenceSystem>> {
    let text = names.iter().find_map(|name| attributes.text(name))?.trim().to_owned();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    Some(match text.split_once(':') {
        _ if text.len() > MOST_TEXT => None,
        Some((list, number)) if list.bytes().all(|b| b.is_ascii_alphabetic()) && is_number(number) => {
            Some(Listed(text))
        }
        _ if text.contains('[') => Some(Wkt(text)),
        _ if text.contains("+proj=") => Some(Proj(text)),
        _ => None,
    })
}

/// Returns the grid mapping of a variable. If there are several, returns that of its last two dimensions.
fn mapping_of(variable: &Variable) -> Option<VariableId> {
    let tree = variable.dataset().shared().tree();
    let group = tree.variables[variable.id().0].group;
    let text = variable.attributes().text("grid_mapping")?;
    let names: Vec<&str> =
        variable.dimensions().ok()?.iter().map(|d| tree.dimensions[d.0].name.as_str()).collect();
    let mut current = None;
    for word in text.split_whitespace() {
        match word.strip_suffix(':') {
            Some(mapping) => current = Some(mapping),
            None if current.is_some() && names.ends_with(&[word]) => {
                return reference::variable(tree, group, current?)
            }
            None => {}
        }
    }
    Form::Mapping.names(&text).first().and_then(|name| reference::variable(tree, group, name))
}

/// Makes the reference system from the parameters of a grid mapping; `None` for mappings that are not in the table.
fn made(attributes: &Attributes) -> Option<ReferenceSystem> {
    let get =
        |name: &str| attributes.get(name).and_then(|value| value.f64_at(0)).filter(|value| value.is_finite());
    let or_zero = |name: &str| get(name).unwrap_or(0.0);
    let figure = figure(&get)?;
    let name = attributes.text("grid_mapping_name")?;
    let origin = || format!("+lat_0={}", or_zero("latitude_of_projection_origin"));
    let centre = || or_zero("longitude_of_central_meridian");
    let from = || or_zero("longitude_of_projection_origin");
    let scale = |name: &str| get(name).map(|scale| format!(" +k_0={scale}")).unwrap_or_default();
    let parallel =
        |i: usize| attributes.get("standard_parallel").and_then(|values: &Values| values.f64_at(i));
    let true_scale = || parallel(0).map(|lat| format!(" +lat_ts={lat}"));
    let projection = match name.as_str() {
        "latitude_longitude" if figure == WGS84 => return Some(Wgs84),
        "latitude_longitude" => return Some(Proj(format!("+proj=longlat {figure} +no_defs"))),
        "rotated_latitude_longitude" => {
            let (lat, lon) = (get("grid_north_pole_latitude")?, get("grid_north_pole_longitude")?);
            let turn = or_zero("north_pole_grid_longitude");
            // The meridian opposite to the pole, between -180 and 180.
            let opposite = (lon + 360.0).rem_euclid(360.0) - 180.0;
            return Some(Proj(format!(
                "+proj=ob_tran +o_proj=longlat +o_lat_p={lat} +o_lon_p={turn} +lon_0={opposite} {figure} +no_defs"
            )));
        }
        "albers_conical_equal_area" | "lambert_conformal_conic" => {
            let proj = if name.starts_with("albers") { "aea" } else { "lcc" };
            let second = parallel(1).map(|lat| format!(" +lat_2={lat}")).unwrap_or_default();
            format!("{proj} +lat_1={}{second} {} +lon_0={}", parallel(0)?, origin(), centre())
        }
        "azimuthal_equidistant" => format!("aeqd {} +lon_0={}", origin(), from()),
        "lambert_azimuthal_equal_area" => format!("laea {} +lon_0={}", origin(), from()),
        "orthographic" => format!("ortho {} +lon_0={}", origin(), from()),
        "lambert_cylindrical_equal_area" => format!("cea{} +lon_0={}", true_scale()?, centre()),
        "mercator" => {
            let size = true_scale().unwrap_or_else(|| scale("scale_factor_at_projection_origin"));
            format!("merc{size} +lon_0={}", from())
        }
        "polar_stereographic" => {
            let size = true_scale().unwrap_or_else(|| scale("scale_factor_at_projection_origin"));
            let down = get("straight_vertical_longitude_from_pole").unwrap_or_else(from);
            format!("stere {}{size} +lon_0={down}", origin())
        }
        "stereographic" => {
            format!("stere {}{} +lon_0={}", origin(), scale("scale_factor_at_projection_origin"), from())
        }
        "sinusoidal" => format!("sinu +lon_0={}", from()),
        "transverse_mercator" => {
            format!("tmerc {}{} +lon_0={}", origin(), scale("scale_factor_at_central_meridian"), centre())
        }
        _ => return None,
    };
    let (x, y) = (or_zero("false_easting"), or_zero("false_northing"));
    Some(Proj(format!("+proj={projection} +x_0={x} +y_0={y} {figure} +units=m +no_defs")))
}

const WGS84: &str = "+datum=WGS84";

/// Returns the figure of the earth; without parameters it is that of WGS 84, as for GDAL.
fn figure(get: &impl Fn(&str) -> Option<f64>) -> Option<String> {
    if get("longitude_of_prime_meridian").is_some_and(|lon| lon != 0.0) {
        return None;
    }
    let major = get("semi_major_axis").or_else(|| get("earth_radius"));
    let minor = get("semi_minor_axis");
    let Some(major) = major else { return Some(WGS84.to_owned()) };
    Some(match (get("inverse_flattening"), minor) {
        (Some(inverse), _) if major == 6_378_137.0 && (inverse - 298.257_223_563).abs() < 1e-6 => {
            WGS84.to_owned()
        }
        (Some(inverse), _) if inverse > 1.0 => format!("+a={major} +rf={inverse}"),
        (None, Some(minor)) if minor != major => format!("+a={major} +b={minor}"),
        _ => format!("+R={major}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_mapping(name: &str, list: &[(&str, f64)]) -> Option<ReferenceSystem> {
        let mut attributes = Attributes::none();
        attributes.set_text("grid_mapping_name", name);
        list.iter().for_each(|(name, value)| attributes.set(name, Values::F64(vec![*value])));
        made(&attributes)
    }

    #[test]
    fn grid_mappings_are_those_of_proj() {
        let wgs84 = [("semi_major_axis", 6_378_137.0), ("inverse_flattening", 298.257_223_563)];
        assert_eq!(of_mapping("latitude_longitude", &wgs84), Some(Wgs84));
        let sphere = Some(Proj("+proj=longlat +R=6371229 +no_defs".into()));
        assert_eq!(of_mapping("latitude_longitude", &[("earth_radius", 6_371_229.0)]), sphere);
        let pole = [("grid_north_pole_latitude", 39.25), ("grid_north_pole_longitude", -162.0)];
        let rotated =
            "+proj=ob_tran +o_proj=longlat +o_lat_p=39.25 +o_lon_p=0 +lon_0=18 +datum=WGS84 +no_defs";
        assert_eq!(of_mapping("rotated_latitude_longitude", &pole), Some(Proj(rotated.into())));
        assert_eq!(of_mapping("healpix", &[]), None);
        assert_eq!(of_mapping("lambert_conformal_conic", &[]), None);
    }

    #[test]
    fn texts_are_told_apart() {
        let text = |text: &str| {
            let mut attributes = Attributes::none();
            attributes.set_text("crs", text);
            text_of(&attributes, &["none", "crs"])
        };
        assert_eq!(text("EPSG:3035"), Some(Some(Listed("EPSG:3035".into()))));
        assert_eq!(text("GEOGCS[\"x:1\"]"), Some(Some(Wkt("GEOGCS[\"x:1\"]".into()))));
        assert_eq!(text("+proj=laea"), Some(Some(Proj("+proj=laea".into()))));
        assert_eq!(text("somewhere"), Some(None));
    }
}
