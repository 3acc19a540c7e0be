//! Files for other readers, which `scripts/test_readers.sh` compares with the intended contents.
//!
//! `CFA_READERS_FOLDER` names the folder. Beside each file is its description, as JSON. Without a folder the files are
//! written nevertheless, and read by this library.

use std::fs;
use std::path::Path;

use cfa::internals::write::{write_checked, Data, Dimension, File, Format, Group, Storage, Variable};
use cfa::{Attributes, DataType, Values};
use serde_json::{json, Value};

/// Every type, with its least, its greatest and some ordinary value; of texts an empty one, a long one and one beyond ASCII.
fn samples() -> Vec<(&'static str, Values)> {
    vec![
        ("byte", Values::I8(vec![i8::MIN, -1, 0, 1, i8::MAX])),
        ("ubyte", Values::U8(vec![0, 1, 127, 128, u8::MAX])),
        ("short", Values::I16(vec![i16::MIN, -1, 0, 1, i16::MAX])),
        ("ushort", Values::U16(vec![0, 1, 0x7fff, 0x8000, u16::MAX])),
        ("int", Values::I32(vec![i32::MIN, -1, 0, 1, i32::MAX])),
        ("uint", Values::U32(vec![0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX])),
        ("int64", Values::I64(vec![i64::MIN, -1, (1 << 53) + 1, 1, i64::MAX])),
        ("uint64", Values::U64(vec![0, 1, (1 << 53) + 1, 1 << 63, u64::MAX])),
        ("float", Values::F32(vec![-0.1, 0.0, f32::MIN_POSITIVE, 1.5, f32::MAX])),
        ("double", Values::F64(vec![-0.1, 0.0, f64::MIN_POSITIVE, 1.5, f64::MAX])),
        ("char", Values::Char(b"a z~0".to_vec())),
        ("string", Values::String(["", "a b", "é µ", "x", &"long ".repeat(40)].map(String::from).into())),
    ]
}

/// Attributes of every type, of one value and of five, not in alphabetical order.
fn attributes(types: usize) -> Attributes {
    let mut out = Attributes::none();
    out.set_text("zulu", "the first");
    for (name, values) in samples().into_iter().take(types) {
        out.set(&format!("many_{name}"), values.clone());
        if values.data_type() != DataType::Char {
            out.set(&format!("one_{name}"), values.element(1));
        }
    }
    out.set_text("comment", "é µ 数\ntwo lines, \"quoted\" and \\");
    out.set_text("alpha", "the last");
    out
}

/// A variable of each type over two dimensions of five and three, with a fill value.
fn of_each_type(types: usize) -> Vec<Variable> {
    let mut out = Vec::new();
    for (name, values) in samples().into_iter().take(types) {
        let repeated = repeat(&values, 15);
        let mut variable = Variable::with_values(format!("z_{name}"), &["time", "lat"], repeated);
        variable.attributes.set_text("long_name", format!("one of type {name}"));
        if values.data_type() != DataType::String {
            variable.attributes.set("_FillValue", values.element(3));
        }
        out.push(variable);
        out.push(Variable::with_values(format!("scalar_{name}"), &[], values.element(4)));
    }
    out
}

/// The values again and again.
fn repeat(values: &Values, count: usize) -> Values {
    let at = |i: usize| i % values.len();
    match values {
        Values::I8(v) => Values::I8((0..count).map(|i| v[at(i)]).collect()),
        Values::U8(v) => Values::U8((0..count).map(|i| v[at(i)]).collect()),
        Values::I16(v) => Values::I16((0..count).map(|i| v[at(i)]).collect()),
        Values::U16(v) => Values::U16((0..count).map(|i| v[at(i)]).collect()),
        Values::I32(v) => Values::I32((0..count).map(|i| v[at(i)]).collect()),
        Values::U32(v) => Values::U32((0..count).map(|i| v[at(i)]).collect()),
        Values::I64(v) => Values::I64((0..count).map(|i| v[at(i)]).collect()),
        Values::U64(v) => Values::U64((0..count).map(|i| v[at(i)]).collect()),
        Values::F32(v) => Values::F32((0..count).map(|i| v[at(i)]).collect()),
        Values::F64(v) => Values::F64((0..count).map(|i| v[at(i)]).collect()),
        Values::Char(v) => Values::Char((0..count).map(|i| v[at(i)]).collect()),
        Values::String(v) => Values::String((0..count).map(|i| v[at(i)].clone()).collect()),
        _ => unreachable!("a new type"),
    }
}

fn dimension(name: &str, size: u64, unlimited: bool) -> Dimension {
    Dimension { name: name.into(), size, unlimited }
}

fn ramp(count: usize) -> Values {
    Values::F32((0..count).map(|i| i as f32 / 8.0 - 3.0).collect())
}

fn stored(name: &str, chunks: Option<Vec<u64>>, deflate: Option<u8>, shuffle: bool) -> Variable {
    let mut variable = Variable::with_values(name, &["y", "x"], ramp(70));
    variable.storage = Storage { chunks, deflate, shuffle };
    variable
}

/// What every format has, with this many types.
fn plain(types: usize) -> File {
    let mut file = File { attributes: attributes(types), ..File::default() };
    file.dimensions = vec![dimension("time", 5, true), dimension("y", 10, false), dimension("lat", 3, false)];
    file.dimensions.extend([dimension("x", 7, false), dimension("bare", 6, false)]);
    file.variables = of_each_type(types);
    let latitudes = Values::F64(vec![-45.0, 0.0, 45.0]);
    file.variables
        .push(Variable::with_values("lat", &["lat"], latitudes).attribute("units", "degrees_north"));
    file.variables.push(Variable::with_values("time", &["time"], Values::F64(vec![0.5, 1.5, 2.5, 3.5, 4.5])));
    let mut missing = Variable::new("never_written", DataType::I16, &["y", "x"]);
    missing.attributes.set("_FillValue", Values::I16(vec![-7]));
    file.variables.push(missing);
    file.variables.push(Variable::new("never_written_records", DataType::F32, &["time", "x"]));
    file.variables.push(Variable::with_values("a_square", &["lat", "lat"], ramp(9)));
    file
}

/// What netCDF-4 has beside that.
fn netcdf4() -> File {
    let mut file = plain(12);
    file.attributes.set("beyond_64k_text", Values::Char("0123456789".repeat(7000).into_bytes()));
    file.attributes.set("beyond_64k_int", Values::I32((0..20_000).collect()));
    file.dimensions.extend([dimension("none", 0, true), dimension("level", 4, true)]);
    file.variables.push(Variable::new("of_no_records", DataType::I32, &["none", "x"]));
    file.variables.push(stored("chunked", Some(vec![3, 4]), None, false));
    file.variables.push(stored("shuffled", Some(vec![10, 7]), None, true));
    file.variables.push(stored("deflated", Some(vec![4, 7]), Some(9), false));
    file.variables.push(stored("both", Some(vec![3, 2]), Some(1), true));
    file.variables.push(Variable::with_values("two_unlimited", &["time", "level"], ramp(20)));
    // A coordinate variable that is an aggregation: no dimensions, and the name of one.
    file.variables.push(
        Variable::with_values("x", &[], Values::I32(vec![4]))
            .attribute("aggregated_dimensions", "x")
            .attribute("aggregated_data", "map: m uris: u identifiers: i"),
    );
    // A variable of the name of a dimension that is not its first.
    file.variables.push(Variable::with_values("y", &["x", "y"], ramp(70)));
    let mut many = Variable::with_values("with_many_attributes", &[], Values::I8(vec![1]));
    for i in 0..600 {
        many.attributes.set(&format!("attribute_{}", (i * 7) % 600), Values::I32(vec![i]));
    }
    file.variables.push(many);
    let mut inner = Group { name: "z inner".into(), attributes: attributes(12), ..Group::default() };
    inner.dimensions.push(dimension("lat", 2, false));
    let mut shadowing = Variable::with_values("lat", &["lat"], Values::F64(vec![1.0, 2.0]));
    shadowing.attributes.set_text("units", "degrees_north");
    inner.variables.push(shadowing);
    inner.variables.push(Variable::with_values("over_both", &["time", "lat"], ramp(10)));
    let mut innermost = Group { name: "innermost".into(), ..Group::default() };
    innermost.variables.push(Variable::with_values("deep", &["lat", "x"], ramp(14)));
    inner.groups.push(innermost);
    inner.groups.push(Group { name: "empty".into(), ..Group::default() });
    file.groups.push(inner);
    let mut crowd = Group { name: "a crowd".into(), ..Group::default() };
    for i in 0..600 {
        let name = format!("v{}", (i * 7) % 600);
        crowd.variables.push(Variable::with_values(name, &[], Values::I32(vec![i])));
    }
    file.groups.push(crowd);
    file
}

/// A field as the CF conventions have it.
fn field() -> File {
    let mut file = File::default();
    file.attributes.set_text("Conventions", "CF-1.11");
    file.dimensions =
        vec![dimension("time", 5, true), dimension("lat", 3, false), dimension("lon", 4, false)];
    let coordinate = |name: &str, units: &str, values: Vec<f64>| {
        Variable::with_values(name, &[name], Values::F64(values))
            .attribute("units", units)
            .attribute("standard_name", if name == "time" { "time" } else { units_name(units) })
    };
    file.variables.push(coordinate("time", "days since 2000-01-01", vec![0.5, 1.5, 2.5, 3.5, 4.5]));
    file.variables.push(coordinate("lat", "degrees_north", vec![-45.0, 0.0, 45.0]));
    file.variables.push(coordinate("lon", "degrees_east", vec![0.0, 90.0, 180.0, 270.0]));
    let mut tas = Variable::with_values("tas", &["time", "lat", "lon"], ramp(60))
        .attribute("standard_name", "air_temperature")
        .attribute("units", "K");
    tas.attributes.set("_FillValue", Values::F32(vec![-2.0]));
    tas.storage = Storage { chunks: Some(vec![2, 2, 3]), deflate: Some(4), shuffle: true };
    file.variables.push(tas);
    file
}

fn units_name(units: &str) -> &'static str {
    if units == "degrees_north" {
        "latitude"
    } else {
        "longitude"
    }
}

#[test]
fn files_for_other_readers_are_written() {
    let own = tempfile::tempdir().unwrap();
    let named = std::env::var_os("CFA_READERS_FOLDER");
    let folder = named.as_ref().map_or(own.path(), Path::new);
    let mut classic = plain(11);
    // CDF-2 has six types.
    let six = ["byte", "short", "int", "float", "double", "char"];
    let is_there = |name: &str| {
        let kind = name.split_once('_').map(|(_, kind)| kind);
        kind.is_none_or(|k| six.contains(&k) || !samples().iter().any(|(name, _)| *name == k))
    };
    classic.variables.retain(|v| is_there(&v.name));
    let kept: Vec<_> = classic.attributes.iter().filter(|a| is_there(&a.name)).cloned().collect();
    classic.attributes = Attributes::new(kept);
    let files = [
        ("netcdf4", netcdf4(), Format::Netcdf4),
        ("field", field(), Format::Netcdf4),
        ("cdf5", plain(11), Format::Cdf5),
        ("classic", classic, Format::Classic),
        ("classic_field", field(), Format::Classic),
    ];
    for (name, file, format) in files {
        write_checked(&file, &folder.join(format!("{name}.nc")), format).unwrap();
        let meant = json!({ "netcdf4": format == Format::Netcdf4, "root": group(&file, &mut Vec::new()) });
        fs::write(folder.join(format!("{name}.json")), meant.to_string()).unwrap();
    }
}

/// A description as JSON.
fn group<'a>(described: &'a Group, scope: &mut Vec<&'a Group>) -> Value {
    scope.push(described);
    let dimensions: Vec<Value> = described
        .dimensions
        .iter()
        .map(|d| json!({ "name": d.name, "size": d.size, "unlimited": d.unlimited }))
        .collect();
    let variables: Vec<Value> = described.variables.iter().map(|v| variable(v, scope)).collect();
    let groups: Vec<Value> = described.groups.iter().map(|g| group(g, scope)).collect();
    scope.pop();
    json!({
        "name": described.name,
        "attributes": listed(&described.attributes),
        "dimensions": dimensions,
        "variables": variables,
        "groups": groups,
    })
}

fn variable(variable: &Variable, scope: &[&Group]) -> Value {
    let dimension = |name: &String| scope.iter().rev().find_map(|group| group.dimension(name)).unwrap();
    let shape: Vec<u64> = variable.dimensions.iter().map(|name| dimension(name).size).collect();
    let grows = variable.dimensions.iter().any(|name| dimension(name).unlimited);
    let storage = &variable.storage;
    json!({
        "name": variable.name,
        "type": variable.data_type.cdl_name(),
        "dimensions": variable.dimensions,
        "shape": shape,
        "attributes": listed(&variable.attributes),
        "values": match &variable.data {
            Data::Values(values) => elements(values),
            _ => Value::Null,
        },
        // Unless requested, the writer chooses the chunks of a variable that can grow.
        "chunks": if grows && storage.chunks.is_none() { json!("any") } else { json!(storage.chunks) },
        "deflate": storage.deflate,
        "shuffle": storage.shuffle,
    })
}

fn listed(attributes: &Attributes) -> Vec<Value> {
    let one = |a: &cfa::Attribute| {
        let values = a.value.as_text().filter(|_| a.value.data_type() == DataType::Char);
        let values = values.map_or_else(|| elements(&a.value), Value::String);
        json!({ "name": a.name, "type": a.value.data_type().cdl_name(), "values": values })
    };
    attributes.iter().map(one).collect()
}

fn elements(values: &Values) -> Value {
    match values {
        Values::I8(v) => json!(v),
        Values::U8(v) => json!(v),
        Values::I16(v) => json!(v),
        Values::U16(v) => json!(v),
        Values::I32(v) => json!(v),
        Values::U32(v) => json!(v),
        Values::I64(v) => json!(v),
        Values::U64(v) => json!(v),
        Values::F32(v) => json!(v.iter().map(|&x| f64::from(x)).collect::<Vec<_>>()),
        Values::F64(v) => json!(v),
        Values::Char(v) => json!(v.iter().map(|&b| char::from(b).to_string()).collect::<Vec<_>>()),
        Values::String(v) => json!(v),
        _ => unreachable!("a new type"),
    }
}
