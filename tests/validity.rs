//! One variable, one validity: aggregated data are those of the equivalent plain variable (CF-1.13 section 2.8.2), in
//! every requested type, with and without a validity mask.

use std::path::Path;

use crate::support::series::{aggregate, plain};
use crate::support::{cases, numbers, Data, Rng, Var, NUMBER_TYPES};
use cfa::{DataType, Dataset, Kind, Output, Result, Selection, Values};

fn scalar(name: &str, data_type: DataType) -> Var {
    Var::new(name, data_type, &[], Data::None)
}

fn list(name: &str, data_type: DataType, values: &[f64]) -> Var {
    Var::new(name, data_type, &[], Data::Numbers(values.to_vec()))
}

/// The whole of variable `v` in a type, with its mask.
fn masked(path: &Path, data_type: DataType) -> Result<(Values, Vec<u8>)> {
    let dataset = Dataset::open(path)?;
    let variable = dataset.variable("v")?;
    let all = Selection::all(variable.shape()?);
    let n = all.len().unwrap() as usize;
    let (mut bytes, mut mask) = (vec![0xAA; n * data_type.size().unwrap()], vec![7; n]);
    let output = Output { mask: Some(&mut mask), ..Output::new(data_type, &mut bytes) };
    variable.read_into(&all, output)?;
    Ok((Values::from_native_bytes(data_type, &bytes).unwrap(), mask))
}

/// The whole of variable `v` in a type, without mask.
fn bare(path: &Path, data_type: DataType) -> Result<Values> {
    let dataset = Dataset::open(path)?;
    let variable = dataset.variable("v")?;
    let all = Selection::all(variable.shape()?);
    let mut bytes = vec![0xAA; all.len().unwrap() as usize * data_type.size().unwrap()];
    variable.read_into(&all, Output::new(data_type, &mut bytes))?;
    Ok(Values::from_native_bytes(data_type, &bytes).unwrap())
}

/// The whole of variable `v` in a type, with NaN for what is missing, filled from either end of the buffer.
fn with_nan(path: &Path, data_type: DataType, stride: i64) -> Result<Vec<f64>> {
    let dataset = Dataset::open(path)?;
    let variable = dataset.variable("v")?;
    let all = Selection::all(variable.shape()?);
    let n = all.len().unwrap() as usize;
    let mut bytes = vec![0xAA; n * data_type.size().unwrap()];
    let first = if stride < 0 { n - 1 } else { 0 };
    let output = Output { first, strides: Some(&[stride]), ..Output::new(data_type, &mut bytes) };
    variable.read_with_nan_into(&all, output)?;
    let values = Values::from_native_bytes(data_type, &bytes).unwrap();
    let at = |i: usize| values.f64_at(if stride < 0 { n - 1 - i } else { i }).unwrap();
    Ok((0..n).map(at).collect())
}

#[test]
fn the_mask_does_not_depend_on_the_type_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    plain(folder.path(), "f.nc", list("v", DataType::I16, &[1.0, 5.0, 3.0]));
    let v = scalar("v", DataType::I16).with("_FillValue", numbers(DataType::I16, &[5.0]));
    let path = aggregate(folder.path(), "agg.nc", v, &[("f.nc", "v", 3)]);
    for data_type in NUMBER_TYPES {
        assert_eq!(masked(&path, data_type).unwrap().1, [1, 0, 1], "{data_type}");
    }
}

#[test]
fn all_that_the_aggregation_calls_missing_is_nan_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    plain(folder.path(), "f.nc", list("v", DataType::F32, &[1.0, 5.0, 20.0, -3.0]));
    let marked =
        |name: &str, marks: &[f64]| scalar("v", DataType::F32).with(name, numbers(DataType::F32, marks));
    // The valid range of a variable matters only where it is a fragment.
    let marks: [(&str, &[f64], [bool; 4]); 3] = [
        ("_FillValue", &[5.0], [false, true, false, false]),
        ("missing_value", &[20.0, -3.0], [false, false, true, true]),
        ("valid_range", &[0.0, 10.0], [false; 4]),
    ];
    for (name, values, expected) in marks {
        let path = aggregate(folder.path(), "agg.nc", marked(name, values), &[("f.nc", "v", 4)]);
        for (data_type, stride) in [(DataType::F32, 1), (DataType::F32, -1), (DataType::F64, 1)] {
            let read = with_nan(&path, data_type, stride).unwrap();
            let is_nan: Vec<bool> = read.iter().map(|x| x.is_nan()).collect();
            assert_eq!(is_nan, expected, "{name} {data_type} {stride}: {read:?}");
        }
    }
    // Two numbers that single precision does not tell apart.
    plain(folder.path(), "i.nc", list("v", DataType::I32, &[16_777_216.0, 16_777_217.0, 1.0]));
    let v = scalar("v", DataType::I32).with("_FillValue", numbers(DataType::I32, &[16_777_217.0]));
    let path = aggregate(folder.path(), "agg.nc", v, &[("i.nc", "v", 3)]);
    let read = with_nan(&path, DataType::F32, 1).unwrap();
    assert!(read[0] == 16_777_216.0 && read[1].is_nan() && read[2] == 1.0, "{read:?}");
}

#[test]
fn a_nan_that_the_aggregation_calls_missing_is_missing_in_every_type() {
    let folder = tempfile::tempdir().unwrap();
    plain(folder.path(), "f.nc", list("v", DataType::F32, &[1.0, f64::NAN, 3.0]));
    let v = scalar("v", DataType::F32).with("_FillValue", numbers(DataType::F32, &[f64::NAN]));
    let path = aggregate(folder.path(), "agg.nc", v, &[("f.nc", "v", 3)]);
    for data_type in NUMBER_TYPES {
        assert_eq!(masked(&path, data_type).unwrap().1, [1, 0, 1], "{data_type}");
    }
    // Without a missing value, NaN is an ordinary number: valid if the type has it.
    let path = aggregate(folder.path(), "bare.nc", scalar("v", DataType::F32), &[("f.nc", "v", 3)]);
    assert_eq!(masked(&path, DataType::F32).unwrap().1, [1, 1, 1]);
    assert_eq!(masked(&path, DataType::F64).unwrap().1, [1, 1, 1]);
    assert_eq!(masked(&path, DataType::I32).unwrap_err().kind(), Kind::Type);
}

#[test]
fn without_mask_every_mark_is_read_as_the_one_missing_value() {
    let folder = tempfile::tempdir().unwrap();
    let marked = |v: Var| {
        v.with("_FillValue", numbers(DataType::I16, &[5.0]))
            .with("missing_value", numbers(DataType::I16, &[7.0, 8.0]))
    };
    let values = [1.0, 5.0, 7.0, 8.0, 3.0];
    plain(folder.path(), "f.nc", list("v", DataType::I16, &values));
    let path = aggregate(folder.path(), "agg.nc", marked(scalar("v", DataType::I16)), &[("f.nc", "v", 5)]);
    for data_type in NUMBER_TYPES {
        let values = bare(&path, data_type).unwrap();
        let found: Vec<f64> = (0..5).map(|i| values.f64_at(i).unwrap()).collect();
        assert_eq!(found, [1.0, 5.0, 5.0, 5.0, 3.0], "{data_type}");
    }
    // An ordinary variable is returned as it is stored.
    let path = plain(folder.path(), "plain.nc", marked(list("v", DataType::I16, &values)));
    assert_eq!(bare(&path, DataType::I16).unwrap(), Values::I16(vec![1, 5, 7, 8, 3]));
}

#[test]
fn a_variable_means_the_same_alone_and_as_a_fragment() {
    let folder = tempfile::tempdir().unwrap();
    // The fill value does not fit the type, so the default one marks missing data.
    let odd = list("v", DataType::I16, &[1.0, -32767.0, 3.0]).with("missing_value", 1e20);
    let ordinary = plain(folder.path(), "f.nc", odd);
    let v = scalar("v", DataType::F64);
    let agg = aggregate(folder.path(), "agg.nc", v, &[("f.nc", "v", 3)]);
    assert_eq!(masked(&ordinary, DataType::I16).unwrap().1, [1, 0, 1]);
    assert_eq!(masked(&agg, DataType::F64).unwrap().1, [1, 0, 1]);
}

#[test]
fn texts_that_the_aggregation_calls_missing_are_missing_however_they_are_stored() {
    use crate::support::{write, FileSpec, Format};
    let folder = tempfile::tempdir().unwrap();
    let texts = Data::Texts(["a", "none", "", "n/a"].map(Into::into).to_vec());
    // Strings, characters in fixed fields, and an aggregation of strings.
    for (name, format) in [("s.nc", Format::Nc4), ("c.nc", Format::Cdf1)] {
        let vars = vec![Var::new("v", DataType::String, &[("x", 4)], texts.clone())];
        write(&folder.path().join(name), &FileSpec { format, dims: Vec::new(), vars });
    }
    // A field that has only fill bytes was never written.
    let texts = Data::Texts(["a", "----", "", "n/a"].map(Into::into).to_vec());
    let filled = Var::new("v", DataType::String, &[("x", 4)], texts).with("_FillValue", "-");
    write(
        &folder.path().join("f.nc"),
        &FileSpec { format: Format::Cdf1, dims: Vec::new(), vars: vec![filled] },
    );
    aggregate(folder.path(), "n.nc", scalar("v", DataType::String), &[("s.nc", "v", 4)]);
    let strings = |list: &[&str]| netcdf::AttributeValue::Strs(list.iter().map(|&s| s.into()).collect());
    let v = scalar("v", DataType::String)
        .with("_FillValue", strings(&["none"]))
        .with("missing_value", strings(&["?", "n/a"]));
    let fragments = [("s.nc", "v", 4), ("c.nc", "v", 4), ("n.nc", "v", 4), ("f.nc", "v", 4)];
    let path = aggregate(folder.path(), "agg.nc", v, &fragments);
    let variable = Dataset::open(path).unwrap().variable("v").unwrap();
    let found = variable.read_strings(&Selection::all(&[16])).unwrap();
    let part = [Some("a".to_owned()), None, None, None];
    assert_eq!(found, part.iter().cycle().take(16).cloned().collect::<Vec<_>>());
}

/// A random aggregation over fragments that hold canonical values, and the plain variable that it is equivalent to.
struct Twins {
    own: DataType,
    attributes: Vec<(String, netcdf::AttributeValue)>,
    /// The canonical values; `None` where the fragment's own attributes say missing.
    values: Vec<Option<f64>>,
    marks: Vec<f64>,
}

const OWN_FILL: f64 = 101.0;

fn default_fill(data_type: DataType) -> f64 {
    match data_type {
        DataType::I16 => -32767.0,
        DataType::U16 => 65535.0,
        DataType::I32 => -2147483647.0,
        DataType::U32 => 4294967295.0,
        _ => 9.969209968386869e36,
    }
}

impl Twins {
    fn random(rng: &mut Rng) -> Twins {
        let own = rng.pick(&NUMBER_TYPES);
        let mut candidates = vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        if own.is_float() {
            candidates.extend([f64::NAN, f64::INFINITY, 0.5]);
        }
        let (mut attributes, mut marks) = (Vec::new(), Vec::new());
        // The default fill value of 64 bits is not exact as a double, the type in which numbers are written here.
        if rng.once_in(2) || own.is_integer() && own.size() == Some(8) {
            marks.push(rng.pick(&candidates));
            attributes.push(("_FillValue".to_owned(), numbers(own, &marks)));
        } else if own.size() != Some(1) {
            marks.push(default_fill(own));
            candidates.push(default_fill(own));
        }
        if rng.once_in(2) {
            let some: Vec<f64> = (0..1 + rng.below(2)).map(|_| rng.pick(&candidates)).collect();
            // Of the type of the variable or, as writers do, another one.
            let data_type = if rng.once_in(3) { DataType::F64 } else { own };
            attributes.push(("missing_value".to_owned(), numbers(data_type, &some)));
            marks.extend(some);
        }
        if rng.once_in(4) {
            attributes.push(("valid_range".to_owned(), numbers(own, &[1.0, 4.0])));
        }
        let some_missing = rng.once_in(2) && !marks.is_empty();
        let one = |rng: &mut Rng| (!(some_missing && rng.once_in(5))).then(|| rng.pick(&candidates));
        let values = (0..1 + rng.below(40)).map(|_| one(rng)).collect();
        Twins { own, attributes, values, marks }
    }

    fn variable(&self, data: Data) -> Var {
        let mut v = Var::new("v", self.own, &[], data);
        v.attributes = self.attributes.clone();
        v
    }

    /// The plain variable: missing elements have its missing value.
    fn plain(&self, folder: &Path) -> std::path::PathBuf {
        let list = self.values.iter().map(|v| v.unwrap_or_else(|| self.marks[self.mark()])).collect();
        plain(folder, "plain.nc", self.variable(Data::Numbers(list)))
    }

    /// Fragments with a mark of their own, if anything is missing; some nested, one in the aggregation file itself.
    fn aggregation(&self, rng: &mut Rng, folder: &Path) -> std::path::PathBuf {
        let mut fragments = Vec::new();
        let (mut at, mut inside) = (0, Vec::new());
        while at < self.values.len() {
            let n = 1 + rng.below(self.values.len() - at);
            let part = &self.values[at..at + n];
            let data = part.iter().map(|v| v.unwrap_or(OWN_FILL)).collect();
            let wide = if self.own.is_float() { DataType::F64 } else { self.own };
            // Neither the default fill value of another type, nor that of the fragment's type.
            let data_type = rng.pick(&[self.own, wide]);
            let name = format!("f{at}.nc");
            let fragment = Var::new("v", data_type, &[], Data::Numbers(data))
                .with("_FillValue", numbers(data_type, &[OWN_FILL]));
            match rng.below(4) {
                0 => {
                    plain(folder, &format!("deep{at}.nc"), fragment.clone());
                    let mut nested = fragment;
                    nested.data = Data::None;
                    aggregate(folder, &name, nested, &[(&format!("deep{at}.nc"), "v", n)]);
                }
                1 => {
                    let mut same = fragment;
                    (same.name, same.dims) = (format!("same{at}"), vec![(format!("x{at}"), n)]);
                    fragments.push(("agg.nc".to_owned(), same.name.clone(), n));
                    inside.push(same);
                    at += n;
                    continue;
                }
                _ => drop(plain(folder, &name, fragment)),
            }
            fragments.push((name, "v".to_owned(), n));
            at += n;
        }
        let list: Vec<(&str, &str, usize)> =
            fragments.iter().map(|(file, name, n)| (file.as_str(), name.as_str(), *n)).collect();
        let mut vars = crate::support::series::define(self.variable(Data::None), &list);
        vars.extend(inside);
        let dims = vec![("x".to_owned(), self.values.len())];
        let path = folder.join("agg.nc");
        crate::support::write(
            &path,
            &crate::support::FileSpec { format: crate::support::Format::Nc4, dims, vars },
        );
        path
    }

    /// Whether missing elements, and no others, are the one missing value.
    fn shows(&self, values: &Values, data_type: DataType, valid: &[u8]) -> bool {
        let narrow = |x: f64| if data_type == DataType::F32 { f64::from(x as f32) } else { x };
        let Some(&mark) = self.marks.get(self.mark()) else { return true };
        let mark = narrow(mark);
        (0..values.len()).all(|i| {
            let value = values.f64_at(i).unwrap();
            (value == mark || value.is_nan() && mark.is_nan()) == (valid[i] == 0)
        })
    }

    /// The value written for missing elements: the first `missing_value` precedes the default fill value.
    fn mark(&self) -> usize {
        let has = |wanted: &str| self.attributes.iter().any(|(name, _)| name == wanted);
        usize::from(!has("_FillValue") && has("missing_value") && self.own.size() != Some(1))
    }

    /// Whether a value is missing, by the definition of the marks.
    fn is_missing(&self, value: Option<f64>) -> bool {
        let narrow = |x: f64| if self.own == DataType::F32 { f64::from(x as f32) } else { x };
        let Some(value) = value.map(narrow) else { return true };
        self.marks.iter().map(|&m| narrow(m)).any(|mark| mark == value || mark.is_nan() && value.is_nan())
    }
}

/// The same answer, or the same kind of refusal.
fn compare<A, B>(what: &str, aggregated: Result<A>, ordinary: Result<B>, same: impl Fn(&A, &B) -> bool) {
    match (aggregated, ordinary) {
        (Ok(a), Ok(b)) => assert!(same(&a, &b), "{what}: the values differ"),
        (Err(_), Err(_)) => {}
        (a, b) => panic!("{what}: {:?} where the plain variable gives {:?}", a.err(), b.err()),
    }
}

/// The same numbers where they are valid; elsewhere any mark is as good as another.
fn same_numbers(a: &Values, b: &Values, valid: &[u8]) -> bool {
    let equal = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan();
    a.len() == b.len()
        && (0..a.len()).all(|i| valid[i] == 0 || equal(a.f64_at(i).unwrap(), b.f64_at(i).unwrap()))
}

#[test]
fn aggregations_are_read_as_their_plain_twins_in_every_type_with_and_without_mask() {
    let first: u64 = std::env::var("CFA_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for seed in first..first + cases(60) {
        let rng = &mut Rng::new(seed);
        let folder = tempfile::tempdir().unwrap();
        let twins = Twins::random(rng);
        let ordinary = twins.plain(folder.path());
        let agg = twins.aggregation(rng, folder.path());
        let extracted = folder.path().join("extracted.nc");
        let dataset = Dataset::open(&agg).unwrap();
        cfa::extract::extract(&dataset, &extracted, &cfa::extract::Options::default()).unwrap();
        let valid: Vec<u8> = twins.values.iter().map(|&v| u8::from(!twins.is_missing(v))).collect();
        assert_eq!(masked(&agg, twins.own).unwrap().1, valid, "seed {seed}");
        for path in [&agg, &extracted] {
            for data_type in NUMBER_TYPES {
                let what = format!("seed {seed}, {data_type} of {}", path.display());
                compare(&what, masked(path, data_type), masked(&ordinary, data_type), |a, b| {
                    a.1 == b.1 && a.1 == valid && same_numbers(&a.0, &b.0, &valid)
                });
                compare(&what, bare(path, data_type), bare(&ordinary, data_type), |a, b| {
                    same_numbers(a, b, &valid) && twins.shows(a, data_type, &valid)
                });
                if !data_type.is_float() {
                    continue;
                }
                for stride in [1, -1] {
                    compare(
                        &what,
                        with_nan(path, data_type, stride),
                        masked(&ordinary, data_type),
                        |a, b| {
                            let with_nan = Values::F64(a.clone());
                            same_numbers(&with_nan, &b.0, &valid)
                                && (0..a.len()).all(|i| valid[i] == 1 || a[i].is_nan())
                        },
                    );
                }
            }
        }
    }
}
