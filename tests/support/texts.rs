//! Writes a scenario in each dialect.

use std::path::{Path, PathBuf};

use cfa::DataType;
use serde_json::json;

use super::scenario::{Place, Scenario, Text};
use super::{indices, numbers, write, Data, FileSpec, Format, Var};

/// Writes the aggregation file and its fragments into a folder, and returns the name of the former.
pub fn write_all(folder: &Path, scenario: &Scenario) -> PathBuf {
    let grid: Vec<usize> = scenario.sizes.iter().map(Vec::len).collect();
    let named: Vec<(Vec<usize>, String)> = indices(&grid)
        .map(|index| {
            let name = format!("f{}.nc", index.iter().map(|i| format!("-{i}")).collect::<String>());
            (index, name)
        })
        .collect();
    let mut vars: Vec<Var> = Vec::new();
    for (part, (_, name)) in scenario.parts.iter().zip(&named) {
        match part.place {
            Place::File => {
                let spec = FileSpec { format: part.format, dims: Vec::new(), vars: vec![part.var.clone()] };
                write(&folder.join(name), &spec);
            }
            Place::Nested => nested(folder, name, part),
            Place::SameFile => vars.push(part.var.clone()),
            Place::Absent | Place::WhollyMissing | Place::Value => {}
        }
    }
    let mut v = Var::new("v", scenario.data_type, &[], Data::None);
    if let Some(fill) = scenario.fill {
        v = v.with("_FillValue", numbers(scenario.data_type, &[fill]));
    }
    if !scenario.missing.is_empty() {
        v = v.with("missing_value", numbers(scenario.data_type, &scenario.missing));
    }
    for (name, text) in [("units", &scenario.units), ("calendar", &scenario.calendar)] {
        if let Some(text) = text {
            v = v.with(name, text.as_str());
        }
    }
    let names: Vec<String> = named.into_iter().map(|(_, name)| name).collect();
    let (v, definition) = define(scenario, v, &grid, &names);
    vars.push(v);
    vars.extend(definition);
    let shape = scenario.shape();
    let dims = shape.iter().enumerate().map(|(d, &n)| (format!("d{d}"), n)).collect();
    let path = folder.join("agg.nc");
    write(&path, &FileSpec { format: scenario.format, dims, vars });
    path
}

/// A fragment that is an aggregation of the bare numbers, whose variable has the attributes.
fn nested(folder: &Path, name: &str, part: &super::scenario::Part) {
    let inner = format!("inner-{name}");
    let mut bare = part.var.clone();
    // Only this attribute defines what the bits mean.
    bare.attributes.retain(|(name, _)| name == "_Unsigned");
    bare.name = "bare".into();
    write(&folder.join(&inner), &FileSpec { format: part.format, dims: Vec::new(), vars: vec![bare] });
    let dims = part.var.dims.clone();
    let words: Vec<&str> = dims.iter().map(|(n, _)| n.as_str()).collect();
    let mut v = part.var.clone();
    (v.dims, v.data, v.chunks) = (Vec::new(), Data::None, None);
    let v = v
        .with("aggregated_dimensions", words.join(" ").as_str())
        .with("aggregated_data", "map: m uris: u identifiers: i");
    let sizes: Vec<f64> = if dims.is_empty() { vec![1.0] } else { dims.iter().map(|d| d.1 as f64).collect() };
    let table = [("j", dims.len()), ("one", 1)];
    let ones: Vec<(String, usize)> = (0..dims.len()).map(|d| (format!("f{d}"), 1)).collect();
    let ones: Vec<(&str, usize)> = ones.iter().map(|(n, s)| (n.as_str(), *s)).collect();
    let table = if dims.is_empty() { &table[..0] } else { &table[..] };
    let vars = vec![
        v,
        Var::new("m", DataType::I32, table, Data::Numbers(sizes)),
        Var::new("u", DataType::String, &ones, Data::Texts(vec![inner])),
        Var::new("i", DataType::String, &[], Data::Texts(vec!["bare".into()])),
    ];
    // The type of the numbers may need the format; the strings do not.
    write(&folder.join(name), &FileSpec { format: part.format, dims, vars });
}

fn define(scenario: &Scenario, v: Var, grid: &[usize], names: &[String]) -> (Var, Vec<Var>) {
    let rank = grid.len();
    let words: Vec<String> = (0..rank).map(|d| format!("d{d}")).collect();
    let words = words.join(" ");
    let places: Vec<(String, usize)> = grid.iter().enumerate().map(|(d, &n)| (format!("f_{d}"), n)).collect();
    let places: Vec<(&str, usize)> = places.iter().map(|(n, s)| (n.as_str(), *s)).collect();
    let cf =
        |v: Var, data: &str| v.with("aggregated_dimensions", words.as_str()).with("aggregated_data", data);
    match scenario.text {
        Text::Cf113 => {
            let (locations, identifiers) = columns(scenario, names, false);
            let vars =
                vec![sizes(scenario, "m"), texts("u", &places, locations), texts("i", &places, identifiers)];
            (cf(v, "map: m uris: u identifiers: i"), vars)
        }
        Text::Unique | Text::DraftValue => {
            let values = scenario.parts.iter().map(|p| match &p.var.data {
                Data::Numbers(list) => list[0],
                _ => 0.0,
            });
            let data_type = scenario.parts[0].var.data_type;
            let u = Var::new("u", data_type, &places, Data::Numbers(values.collect()));
            let data =
                if scenario.text == Text::Unique { "map: m unique_values: u" } else { "shape: m value: u" };
            (cf(v, data), vec![sizes(scenario, "m"), u])
        }
        Text::Draft | Text::Cfa062 | Text::Cfa06b1 => {
            let (locations, identifiers) = columns(scenario, names, true);
            let mut places = places.clone();
            places.push(("versions", 2));
            let file = texts("u", &places, locations);
            let address = texts("a", &places, identifiers);
            match scenario.text {
                Text::Draft => {
                    let file = file.with("substitutions", "${here}: . ${unused}: x");
                    (cf(v, "shape: m location: u address: a"), vec![sizes(scenario, "m"), file, address])
                }
                text => {
                    let format: Vec<String> = match &file.data {
                        Data::Texts(list) => list
                            .iter()
                            .map(|t| if t.is_empty() { "" } else { "nc" })
                            .map(Into::into)
                            .collect(),
                        _ => Vec::new(),
                    };
                    let format = texts("o", &places, format);
                    let location =
                        if text == Text::Cfa062 { sizes(scenario, "m") } else { ranges(scenario, "m", grid) };
                    (cf(v, "location: m file: u format: o address: a"), vec![location, file, format, address])
                }
            }
        }
        Text::Terms => {
            let (mut locations, identifiers) = columns(scenario, names, false);
            for (location, part) in locations.iter_mut().zip(&scenario.parts) {
                if part.place == Place::SameFile {
                    location.clear();
                }
            }
            let positions = indices(grid).flatten().map(|i| i as f64).collect();
            let mut wide = places.clone();
            wide.push(("rank", rank));
            let vars = vec![
                Var::new("p", DataType::I32, &wide, Data::Numbers(positions)),
                ranges(scenario, "m", grid),
                texts("u", &places, locations),
                texts("a", &places, identifiers),
            ];
            let v = v
                .with("cfa_dimensions", words.as_str())
                .with("cfa_array", "fragment: p index: m file: u address: a");
            (v, vars)
        }
        Text::Json => (partitions(scenario, v, &words, grid, names), Vec::new()),
    }
}

fn texts(name: &str, dims: &[(&str, usize)], list: Vec<String>) -> Var {
    Var::new(name, DataType::String, dims, Data::Texts(list))
}

/// Locations and identifiers; with versions, two for each.
fn columns(scenario: &Scenario, names: &[String], versions: bool) -> (Vec<String>, Vec<String>) {
    let (mut locations, mut identifiers) = (Vec::new(), Vec::new());
    for (part, name) in scenario.parts.iter().zip(names) {
        let here = matches!(scenario.text, Text::Cfa062 | Text::Cfa06b1);
        let (location, identifier) = match part.place {
            Place::SameFile if here => (String::new(), part.var.name.clone()),
            Place::SameFile => ("agg.nc".into(), part.var.name.clone()),
            Place::WhollyMissing => (String::new(), String::new()),
            _ => (name.clone(), part.var.name.clone()),
        };
        if versions && part.old_version && !location.is_empty() {
            locations.push("not-there.nc".into());
            identifiers.push(identifier.clone());
        }
        locations.push(location);
        identifiers.push(identifier);
        if versions && locations.len() % 2 == 1 {
            locations.push(String::new());
            identifiers.push(String::new());
        }
    }
    (locations, identifiers)
}

/// A table of sizes, padded.
fn sizes(scenario: &Scenario, name: &str) -> Var {
    let rank = scenario.sizes.len();
    if rank == 0 {
        let dims: &[(&str, usize)] = if scenario.text == Text::Cfa062 { &[("j", 1)] } else { &[] };
        return Var::new(name, DataType::I32, dims, Data::Numbers(vec![1.0]));
    }
    let width = scenario.sizes.iter().map(Vec::len).max().unwrap_or(1);
    let row = |sizes: &Vec<usize>| -> Vec<f64> {
        sizes.iter().map(|&n| n as f64).chain(std::iter::repeat(-1.0)).take(width).collect()
    };
    let table = scenario.sizes.iter().flat_map(row).collect();
    let data_type = if scenario.format == Format::Cdf5 { DataType::I64 } else { DataType::I32 };
    Var::new(name, data_type, &[("j", rank), ("i", width)], Data::Numbers(table))
        .with("_FillValue", numbers(data_type, &[-1.0]))
}

fn bounds(scenario: &Scenario, index: &[usize]) -> Vec<[usize; 2]> {
    index
        .iter()
        .zip(&scenario.sizes)
        .map(|(&i, sizes)| {
            let first: usize = sizes[..i].iter().sum();
            [first, first + sizes[i] - 1]
        })
        .collect()
}

/// First and last index of each fragment along each dimension.
fn ranges(scenario: &Scenario, name: &str, grid: &[usize]) -> Var {
    let list = indices(grid).flat_map(|index| bounds(scenario, &index)).flatten().map(|i| i as f64).collect();
    let mut dims: Vec<(String, usize)> =
        grid.iter().enumerate().map(|(d, &n)| (format!("f_{d}"), n)).collect();
    dims.push(("rank".into(), grid.len()));
    dims.push(("two".into(), 2));
    let dims: Vec<(&str, usize)> = dims.iter().map(|(n, s)| (n.as_str(), *s)).collect();
    Var::new(name, DataType::I32, &dims, Data::Numbers(list))
}

fn partitions(scenario: &Scenario, v: Var, words: &str, grid: &[usize], names: &[String]) -> Var {
    let dimension = |d: &usize| format!("d{d}");
    let mut list: Vec<serde_json::Value> = indices(grid)
        .zip(scenario.parts.iter().zip(names))
        .map(|(index, (part, name))| {
            let mut one = json!({
                "index": index, "location": bounds(scenario, &index),
                "pdimensions": part.axes.iter().map(dimension).collect::<Vec<_>>(),
                "reverse": part.reversed.iter().map(dimension).collect::<Vec<_>>(),
                "subarray": {"file": name, "ncvar": part.var.name, "format": "netCDF"},
            });
            if part.place == Place::SameFile {
                one["subarray"]["file"] = json!("");
            }
            one
        })
        .collect();
    // Partitions may come in any order.
    list.reverse();
    let all: Vec<String> = (0..grid.len()).map(|d| dimension(&d)).collect();
    let array = json!({"base": "", "pmdimensions": all, "pmshape": grid, "Partitions": list}).to_string();
    v.with("cf_role", "cfa_variable").with("cfa_dimensions", words).with("cfa_array", array.as_str())
}
