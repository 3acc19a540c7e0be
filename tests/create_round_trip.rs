//! An aggregation that was created has the values of its files: random tilings compared with a naive oracle.

use std::path::{Path, PathBuf};

use cfa::create::{create, Options};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::Dialect;
use cfa::{Dataset, Selection, Values};
use proptest::prelude::*;

/// How one dimension is divided.
#[derive(Clone, Debug)]
struct Division {
    sizes: Vec<usize>,
    descending: bool,
}

fn division() -> impl Strategy<Value = Division> {
    (prop::collection::vec(1usize..4, 1..4), any::<bool>())
        // Single values have no direction, so they are put in ascending order.
        .prop_map(|(sizes, down)| Division { descending: down && sizes.iter().any(|&s| s > 1), sizes })
}

/// How the numbers of one file are stored.
#[derive(Clone, Copy, Debug)]
struct Encoding {
    packed: bool,
    celsius: bool,
    fill: i16,
    double: bool,
}

fn encoding() -> impl Strategy<Value = Encoding> {
    (any::<bool>(), any::<bool>(), -3i16..0, any::<bool>())
        .prop_map(|(packed, celsius, fill, double)| Encoding { packed, celsius, fill: fill * 100, double })
}

const NAMES: [&str; 3] = ["time", "lat", "lon"];

/// The temperature in kelvin at a place; `None` is missing. A multiple of a half, so that packing is exact.
fn truth(index: &[usize]) -> Option<f64> {
    let n = index.iter().fold(1, |n, i| n * 31 + i);
    (n % 11 != 0).then_some(250.0 + (n % 101) as f64 * 0.5)
}

fn coordinate(d: usize, i: usize, descending: bool) -> f64 {
    let x = i as f64 * [1.0, 10.0, 15.0][d];
    if descending && d > 0 {
        -x
    } else {
        x
    }
}

fn write_part(
    path: &Path,
    start: &[usize],
    count: &[usize],
    divisions: &[Division],
    encoding: Encoding,
    epoch: usize,
) {
    let mut file = File::default();
    for d in 0..divisions.len() {
        file.add_dimension(NAMES[d], count[d] as u64);
        let values: Vec<f64> =
            (start[d]..start[d] + count[d]).map(|i| coordinate(d, i, divisions[d].descending)).collect();
        let variable = if d == 0 {
            // Another epoch in every file; the values are hours or days.
            let hours = epoch % 2 == 1;
            let shifted =
                values.iter().map(|v| (v + epoch as f64) * if hours { 24.0 } else { 1.0 }).collect();
            let units = format!("{} since 2001-01-{:02}", if hours { "hours" } else { "days" }, 20 - epoch);
            Variable::with_values("time", &["time"], Values::F64(shifted)).attribute("units", units)
        } else {
            let units = ["", "degrees_north", "degrees_east"][d];
            let standard = ["", "latitude", "longitude"][d];
            Variable::with_values(NAMES[d], &[NAMES[d]], Values::F64(values))
                .attribute("units", units)
                .attribute("standard_name", standard)
        };
        file.variables.push(variable);
    }
    let mut kelvin = Vec::new();
    let total: usize = count.iter().product();
    for i in 0..total {
        let mut rest = i;
        let mut index = start.to_vec();
        for d in (0..count.len()).rev() {
            index[d] += rest % count[d];
            rest /= count[d];
        }
        kelvin.push(truth(&index));
    }
    let shift = if encoding.celsius { 273.15 } else { 0.0 };
    let dimensions: Vec<&str> = NAMES[..divisions.len()].to_vec();
    let mut variable = if encoding.packed {
        let offset = 250.0 - shift;
        let values = kelvin.iter().map(|k| k.map_or(encoding.fill, |k| ((k - 250.0) * 2.0) as i16)).collect();
        let mut v = Variable::with_values("tas", &dimensions, Values::I16(values));
        v.attributes.set("scale_factor", Values::F64(vec![0.5]));
        v.attributes.set("add_offset", Values::F64(vec![offset]));
        v.attributes.set("_FillValue", Values::I16(vec![encoding.fill]));
        v
    } else if encoding.double {
        let fill = f64::from(encoding.fill) - 1e5;
        let mut v = Variable::with_values(
            "tas",
            &dimensions,
            Values::F64(kelvin.iter().map(|k| k.map_or(fill, |k| k - shift)).collect()),
        );
        v.attributes.set("missing_value", Values::F64(vec![fill]));
        v
    } else {
        let fill = f32::from(encoding.fill) - 1e5;
        let mut v = Variable::with_values(
            "tas",
            &dimensions,
            Values::F32(kelvin.iter().map(|k| k.map_or(fill, |k| (k - shift) as f32)).collect()),
        );
        v.attributes.set("_FillValue", Values::F32(vec![fill]));
        v
    };
    variable.attributes.set_text("standard_name", "air_temperature");
    variable.attributes.set_text("units", if encoding.celsius { "degC" } else { "K" });
    file.variables.push(variable);
    write_file(&file, path, Format::Netcdf4).unwrap();
}

/// Writes all parts and returns their names.
fn write_all(folder: &Path, divisions: &[Division], encodings: &[Encoding]) -> Vec<PathBuf> {
    let counts: Vec<usize> = divisions.iter().map(|d| d.sizes.len()).collect();
    let mut paths = Vec::new();
    for i in 0..counts.iter().product::<usize>() {
        let mut rest = i;
        let mut cell = vec![0; counts.len()];
        for d in (0..counts.len()).rev() {
            cell[d] = rest % counts[d];
            rest /= counts[d];
        }
        let start: Vec<usize> = cell.iter().zip(divisions).map(|(&c, d)| d.sizes[..c].iter().sum()).collect();
        let count: Vec<usize> = cell.iter().zip(divisions).map(|(&c, d)| d.sizes[c]).collect();
        let path = folder.join(format!("part{i}.nc"));
        write_part(&path, &start, &count, divisions, encodings[i % encodings.len()], i % 10);
        paths.push(path);
    }
    paths
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tiling_in_any_order_and_encoding_is_read_back(
        divisions in prop::collection::vec(division(), 1..4),
        encodings in prop::collection::vec(encoding(), 1..4),
        shuffle in any::<u64>(),
        dialect in 0usize..6,
        classic in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = write_all(folder.path(), &divisions, &encodings);
        let mut state = shuffle | 1;
        for i in (1..paths.len()).rev() {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            paths.swap(i, (state >> 33) as usize % (i + 1));
        }
        let mut options = Options::default();
        options.dialect = [Dialect::Cf113, Dialect::CfDraft, Dialect::Cfa062, Dialect::Cfa06b1, Dialect::CfaTerms, Dialect::Cfa04][dialect];
        options.format = classic.then_some(Format::Classic);
        let out = folder.path().join("agg.nc");
        create(&out, &paths, &options, None).unwrap();

        let dataset = Dataset::open(&out).unwrap();
        let tas = dataset.variable("tas").unwrap();
        let shape: Vec<u64> = divisions.iter().map(|d| d.sizes.iter().sum::<usize>() as u64).collect();
        prop_assert_eq!(tas.shape().unwrap(), &shape[..]);
        let all = Selection::all(&shape);
        let values = tas.read::<f64>(&all).unwrap();
        let mut mask = vec![0u8; values.len()];
        let mut raw = vec![0u8; values.len() * 8];
        let mut output = cfa::Output::new(cfa::DataType::F64, &mut raw);
        output.mask = Some(&mut mask);
        tas.read_into(&all, output).unwrap();
        // The units are those of the first part in the order of the coordinates.
        let shift = if tas.attributes().text("units").unwrap() == "degC" { 273.15 } else { 0.0 };
        for (i, (index, &value)) in values.indexed_iter().enumerate() {
            let index: Vec<usize> = (0..shape.len()).map(|d| index[d]).collect();
            match truth(&index) {
                None => prop_assert_eq!(mask[i], 0),
                Some(kelvin) => {
                    prop_assert_eq!(mask[i], 1);
                    prop_assert!((value + shift - kelvin).abs() < 1e-3, "{} {}", value, kelvin);
                }
            }
        }
        for d in 0..divisions.len() {
            let variable = dataset.variable(NAMES[d]).unwrap();
            let values = variable.read::<f64>(&Selection::all(&shape[d..=d])).unwrap();
            let first = values[[0]];
            for i in 0..values.len() {
                let mut expected = coordinate(d, i, divisions[d].descending);
                if d == 0 {
                    // Time may be in hours, and from any of the epochs.
                    let hours = variable.attributes().text("units").unwrap().starts_with("hours");
                    expected = first + expected * if hours { 24.0 } else { 1.0 };
                }
                prop_assert!((values[[i]] - expected).abs() < 1e-9);
            }
        }
    }
}
