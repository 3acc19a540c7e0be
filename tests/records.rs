//! One rule for shapes: the shape of a variable is that of its dimensions, even if an unlimited one has grown since the
//! variable was last written. Records that were not written are missing. The rule applies to a variable by itself, to
//! fragments, when aggregations are created, and when they are checked.

use std::path::{Path, PathBuf};

use crate::support::series::aggregate;
use crate::support::{cases, Data, FileSpec, Format, Rng, Var};
use cfa::{DataType, Dataset, Kind, Output, Result, Selection, Values};
use netcdf::Extents;

/// Values and mask of a variable.
fn read(path: &Path, name: &str) -> Result<(Vec<u64>, Vec<Option<f64>>)> {
    let dataset = Dataset::open(path)?;
    let variable = dataset.variable(name)?;
    let shape = variable.shape()?.to_vec();
    part(path, name, &Selection::all(&shape)).map(|values| (shape, values))
}

fn part(path: &Path, name: &str, part: &Selection) -> Result<Vec<Option<f64>>> {
    let dataset = Dataset::open(path)?;
    let variable = dataset.variable(name)?;
    let (n, size) = (part.len().unwrap() as usize, variable.data_type().size().unwrap());
    let (mut bytes, mut mask) = (vec![0; n * size], vec![7; n]);
    let output = Output { mask: Some(&mut mask), ..Output::new(variable.data_type(), &mut bytes) };
    variable.read_into(part, output)?;
    let values = Values::from_native_bytes(variable.data_type(), &bytes).unwrap();
    Ok((0..n).map(|i| (mask[i] == 1).then(|| values.f64_at(i).unwrap())).collect())
}

/// A variable along unlimited dimensions, of which a corner is written.
#[derive(Clone, Debug)]
struct Short {
    name: String,
    /// Numbers of its dimensions, and how much of each is written.
    axes: Vec<(usize, usize)>,
    data_type: DataType,
    /// Whether libnetcdf is set not to fill.
    no_fill: bool,
    chunk: usize,
    /// Whether it is in a group below that of the dimensions.
    inner: bool,
}

impl Short {
    fn path(&self) -> String {
        if self.inner {
            format!("inner/{}", self.name)
        } else {
            self.name.clone()
        }
    }
}

/// A file of such variables.
#[derive(Clone, Debug)]
struct Records {
    /// Per dimension, whether there is a coordinate variable, and how much of it is written.
    coordinates: Vec<Option<usize>>,
    variables: Vec<Short>,
}

fn value(index: &[usize]) -> f64 {
    index.iter().fold(1.0, |sum, &i| sum * 10.0 + i as f64)
}

impl Records {
    fn random(rng: &mut Rng) -> Records {
        let rank = 1 + rng.below(3);
        let coordinates = (0..rank).map(|_| rng.once_in(2).then(|| rng.below(6))).collect();
        let variables = (0..1 + rng.below(4))
            .map(|n| {
                let mut dims: Vec<usize> = (0..rank).collect();
                for i in (1..rank).rev() {
                    dims.swap(i, rng.below(i + 1));
                }
                dims.truncate(1 + rng.below(rank));
                Short {
                    name: format!("v{n}"),
                    axes: dims.into_iter().map(|d| (d, rng.below(6))).collect(),
                    data_type: rng.pick(&[DataType::I16, DataType::I32, DataType::F32, DataType::F64]),
                    no_fill: rng.once_in(3),
                    chunk: 1 + rng.below(4),
                    inner: rng.once_in(4),
                }
            })
            .collect();
        Records { coordinates, variables }
    }

    /// The sizes of the dimensions: as far as any variable is written.
    fn sizes(&self) -> Vec<usize> {
        let mut sizes: Vec<usize> = self.coordinates.iter().map(|c| c.unwrap_or(0)).collect();
        for variable in &self.variables {
            // A write of no elements extends nothing.
            if variable.axes.iter().all(|a| a.1 > 0) {
                variable.axes.iter().for_each(|&(d, n)| sizes[d] = sizes[d].max(n));
            }
        }
        sizes
    }

    fn expected(&self, variable: &Short) -> (Vec<u64>, Vec<Option<f64>>) {
        let sizes = self.sizes();
        let shape: Vec<usize> = variable.axes.iter().map(|&(d, _)| sizes[d]).collect();
        let written = |index: &[usize]| index.iter().zip(&variable.axes).all(|(&i, &(_, n))| i < n);
        let values =
            crate::support::indices(&shape).map(|index| written(&index).then(|| value(&index))).collect();
        (shape.iter().map(|&n| n as u64).collect(), values)
    }

    fn write(&self, path: &Path) {
        let mut file = netcdf::create(path).unwrap();
        for d in 0..self.coordinates.len() {
            file.add_unlimited_dimension(&format!("d{d}")).unwrap();
        }
        for (d, written) in self.coordinates.iter().enumerate() {
            let Some(written) = *written else { continue };
            let name = format!("d{d}");
            let mut made = file.add_variable::<f64>(&name, &[&name]).unwrap();
            if written > 0 {
                made.put_values(&vec![1.5; written], [..written]).unwrap();
            }
        }
        if self.variables.iter().any(|v| v.inner) {
            file.add_group("inner").unwrap();
        }
        for variable in &self.variables {
            let dims: Vec<String> = variable.axes.iter().map(|(d, _)| format!("d{d}")).collect();
            let dims: Vec<&str> = dims.iter().map(String::as_str).collect();
            let kind = match variable.data_type {
                DataType::I16 => netcdf::types::NcVariableType::Int(netcdf::types::IntType::I16),
                DataType::I32 => netcdf::types::NcVariableType::Int(netcdf::types::IntType::I32),
                DataType::F32 => netcdf::types::NcVariableType::Float(netcdf::types::FloatType::F32),
                _ => netcdf::types::NcVariableType::Float(netcdf::types::FloatType::F64),
            };
            let mut group;
            let mut made = match variable.inner {
                true => {
                    group = file.group_mut("inner").unwrap().unwrap();
                    group.add_variable_with_type(&variable.name, &dims, &kind).unwrap()
                }
                false => file.add_variable_with_type(&variable.name, &dims, &kind).unwrap(),
            };
            made.set_chunking(&vec![variable.chunk; dims.len()]).unwrap();
            if variable.no_fill {
                // SAFETY: elements that were not written are not read through this library.
                unsafe { made.set_nofill().unwrap() };
            }
            let shape: Vec<usize> = variable.axes.iter().map(|a| a.1).collect();
            if shape.contains(&0) {
                continue;
            }
            let values: Vec<f64> = crate::support::indices(&shape).map(|index| value(&index)).collect();
            let place = Extents::try_from((vec![0; shape.len()], shape)).unwrap();
            match variable.data_type {
                DataType::I16 => {
                    made.put_values(&values.iter().map(|&x| x as i16).collect::<Vec<_>>(), place)
                }
                DataType::I32 => {
                    made.put_values(&values.iter().map(|&x| x as i32).collect::<Vec<_>>(), place)
                }
                DataType::F32 => {
                    made.put_values(&values.iter().map(|&x| x as f32).collect::<Vec<_>>(), place)
                }
                _ => made.put_values(&values, place),
            }
            .unwrap();
        }
        file.close().unwrap();
    }
}

/// Writes an aggregation whose one fragment is this variable, in this shape.
fn wrap(folder: &Path, name: &str, file: &str, variable: &str, kind: DataType, shape: &[u64]) -> PathBuf {
    let words: Vec<String> = (0..shape.len()).map(|d| format!("x{d}")).collect();
    let v = Var::new("v", kind, &[], Data::None)
        .with("aggregated_dimensions", words.join(" ").as_str())
        .with("aggregated_data", "map: map uris: uris identifiers: identifiers");
    let ones: Vec<(String, usize)> = (0..shape.len()).map(|d| (format!("f{d}"), 1)).collect();
    let ones: Vec<(&str, usize)> = ones.iter().map(|(n, s)| (n.as_str(), *s)).collect();
    let sizes = shape.iter().map(|&n| n as f64).collect();
    let one = |text: &str| Data::Texts(vec![text.to_owned()]);
    let vars = vec![
        v,
        Var::new("map", DataType::I32, &[("j", shape.len()), ("i", 1)], Data::Numbers(sizes)),
        Var::new("uris", DataType::String, &ones, one(file)),
        Var::new("identifiers", DataType::String, &[], one(variable)),
    ];
    let dims = shape.iter().enumerate().map(|(d, &n)| (format!("x{d}"), n as usize)).collect();
    let path = folder.join(name);
    crate::support::write(&path, &FileSpec { format: Format::Nc4, dims, vars });
    path
}

/// Whether `cfa check` finds an error.
fn is_faulty(path: &Path) -> bool {
    let options = cfa::check::Options { fragments: true, ..cfa::check::Options::default() };
    let report = cfa::check::check(path, &options).unwrap();
    !report.is_fine()
}

#[test]
fn variables_shorter_than_their_dimensions_are_read_checked_and_nested_alike() {
    let first: u64 = std::env::var("CFA_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for seed in first..first + cases(40) {
        let rng = &mut Rng::new(seed);
        let records = Records::random(rng);
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("f.nc");
        records.write(&plain);
        for variable in &records.variables {
            let (shape, values) = records.expected(variable);
            let what = format!("seed {seed}: {} of {records:?}", variable.path());
            assert_eq!(read(&plain, &variable.path()).unwrap(), (shape.clone(), values.clone()), "{what}");
            if shape.contains(&0) {
                continue;
            }
            let wrap = |name: &str, shape: &[u64]| {
                wrap(folder.path(), name, "f.nc", &variable.path(), variable.data_type, shape)
            };
            let agg = wrap("agg.nc", &shape);
            assert_eq!(read(&agg, "v").unwrap(), (shape.clone(), values.clone()), "{what}: as a fragment");
            assert!(!is_faulty(&agg), "{what}: check");
            let outer = self::wrap(folder.path(), "outer.nc", "agg.nc", "v", variable.data_type, &shape);
            assert_eq!(read(&outer, "v").unwrap().1, values, "{what}: nested");
            // Backward, and every other one.
            let last: Vec<u64> = shape.iter().map(|n| n - 1).collect();
            let count: Vec<u64> = shape.iter().map(|n| n.div_ceil(2)).collect();
            let back = Selection::new(&last, &count, &vec![-2; shape.len()], &shape).unwrap();
            let as_fragment = part(&agg, "v", &back).unwrap();
            assert_eq!(as_fragment, part(&plain, &variable.path(), &back).unwrap(), "{what}: backward");
            // The shape does not depend on what was written, whatever a table says.
            let written: Vec<u64> = variable.axes.iter().map(|a| a.1 as u64).collect();
            if written != shape && !written.contains(&0) {
                let wrong = wrap("wrong.nc", &written);
                assert_eq!(read(&wrong, "v").unwrap_err().kind(), Kind::FragmentShape, "{what}");
                assert!(is_faulty(&wrong), "{what}: check of a wrong table");
            }
        }
    }
}

/// A file with the coordinate `t`, and a variable of which less is written along `u` than of another.
fn series(path: &Path, start: usize, records: usize, written: usize) {
    let mut file = netcdf::create(path).unwrap();
    file.add_unlimited_dimension("t").unwrap();
    file.add_unlimited_dimension("u").unwrap();
    let mut t = file.add_variable::<f64>("t", &["t"]).unwrap();
    t.put_attribute("units", "days since 2000-01-01").unwrap();
    let times: Vec<f64> = (start..start + records).map(|i| i as f64).collect();
    t.put_values(&times, [..records]).unwrap();
    file.add_variable::<i16>("long", &["u"]).unwrap().put_values(&[7i16; 2], [..2]).unwrap();
    let mut v = file.add_variable::<i16>("v", &["t", "u"]).unwrap();
    let values: Vec<i16> = (start..start + written).map(|i| i as i16).collect();
    v.put_values(&values, [..written, ..1]).unwrap();
}

#[test]
fn what_create_makes_of_short_variables_is_read_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [folder.path().join("a.nc"), folder.path().join("b.nc")];
    series(&paths[0], 0, 3, 2);
    series(&paths[1], 3, 2, 2);
    let out = folder.path().join("agg.nc");
    cfa::create::create(&out, &paths, &cfa::create::Options::default(), None).unwrap();
    let values = [Some(0.0), None, Some(1.0), None, None, None, Some(3.0), None, Some(4.0), None];
    assert_eq!(read(&out, "v").unwrap(), (vec![5, 2], values.to_vec()));
    assert!(!is_faulty(&out));
}

#[test]
fn strings_that_were_not_written_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.nc");
    let mut file = netcdf::create(&path).unwrap();
    file.add_unlimited_dimension("t").unwrap();
    file.add_variable::<i32>("n", &["t"]).unwrap().put_values(&[1, 2, 3], [..3]).unwrap();
    file.add_string_variable("v", &["t"]).unwrap().put_string("a", [0]).unwrap();
    file.close().unwrap();
    let v = Var::new("v", DataType::String, &[], Data::None);
    let agg = aggregate(folder.path(), "agg.nc", v, &[("f.nc", "v", 3)]);
    for path in [path, agg] {
        let variable = Dataset::open(&path).unwrap().variable("v").unwrap();
        let found = variable.read_strings(&Selection::all(&[3])).unwrap();
        assert_eq!(found, [Some("a".to_owned()), None, None], "{}", path.display());
    }
}

#[test]
fn records_of_a_gathered_fragment_that_were_not_written_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = netcdf::create(folder.path().join("f.nc")).unwrap();
    file.add_unlimited_dimension("t").unwrap();
    for (name, size) in [("y", 2), ("x", 2), ("land", 3)] {
        file.add_dimension(name, size).unwrap();
    }
    let mut land = file.add_variable::<i32>("land", &["land"]).unwrap();
    land.put_attribute("compress", "y x").unwrap();
    land.put_values(&[0, 1, 3], [..3]).unwrap();
    file.add_variable::<i32>("n", &["t"]).unwrap().put_values(&[1, 2], [..2]).unwrap();
    let mut v = file.add_variable::<i16>("v", &["t", "land"]).unwrap();
    v.put_values(&[5i16, 6, 7], [..1, ..3]).unwrap();
    file.close().unwrap();
    let agg = wrap(folder.path(), "agg.nc", "f.nc", "v", DataType::I16, &[2, 2, 2]);
    let values = [Some(5.0), Some(6.0), None, Some(7.0), None, None, None, None];
    assert_eq!(read(&agg, "v").unwrap(), (vec![2, 2, 2], values.to_vec()));
    assert!(!is_faulty(&agg));
}

#[test]
fn records_that_were_not_written_have_the_fill_value_of_the_variable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.nc");
    let mut file = netcdf::create(&path).unwrap();
    file.add_unlimited_dimension("t").unwrap();
    file.add_variable::<i32>("n", &["t"]).unwrap().put_values(&[1, 2, 3], [..3]).unwrap();
    let mut v = file.add_variable::<i16>("v", &["t"]).unwrap();
    v.set_fill_value(-5i16).unwrap();
    v.put_values(&[7i16], [..1]).unwrap();
    file.close().unwrap();
    let own = Var::new("v", DataType::I16, &[], Data::None);
    let agg = aggregate(folder.path(), "agg.nc", own, &[("f.nc", "v", 3)]);
    for path in [&path, &agg] {
        assert_eq!(read(path, "v").unwrap(), (vec![3], vec![Some(7.0), None, None]));
    }
    let variable = Dataset::open(&path).unwrap().variable("v").unwrap();
    assert_eq!(variable.read_values(&Selection::all(&[3])).unwrap(), Values::I16(vec![7, -5, -5]));
}
