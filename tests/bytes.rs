//! Aggregations of bytes without a missing value, with missing data in a fragment. Bytes have no default missing value,
//! so readers need a validity mask or choose a value (`MISSING_BYTES`).

use std::path::{Path, PathBuf};

use crate::support::series::{aggregate, define, plain};
use crate::support::{numbers, Data, FileSpec, Format, Var};
use cfa::{DataType, Dataset, Kind, Output, Result, Selection, Values};
use cfa::{MissingFragments, OpenOptions};

fn options(missing_bytes: Option<&str>) -> OpenOptions {
    let mut options = OpenOptions::default();
    if let Some(value) = missing_bytes {
        options.set("MISSING_BYTES", value).unwrap();
    }
    options
}

fn bare(path: &Path, data_type: DataType, options: &OpenOptions) -> Result<Vec<f64>> {
    let variable = Dataset::open_with(path, options)?.variable("v")?;
    let all = Selection::all(variable.shape()?);
    let mut bytes = vec![0; all.len().unwrap() as usize * data_type.size().unwrap()];
    variable.read_into(&all, Output::new(data_type, &mut bytes))?;
    let values = Values::from_native_bytes(data_type, &bytes).unwrap();
    Ok((0..values.len()).map(|i| values.f64_at(i).unwrap()).collect())
}

fn masked(path: &Path, data_type: DataType, options: &OpenOptions) -> Result<(Vec<f64>, Vec<u8>)> {
    let variable = Dataset::open_with(path, options)?.variable("v")?;
    let all = Selection::all(variable.shape()?);
    let n = all.len().unwrap() as usize;
    let (mut bytes, mut mask) = (vec![0; n * data_type.size().unwrap()], vec![7; n]);
    variable.read_into(&all, Output { mask: Some(&mut mask), ..Output::new(data_type, &mut bytes) })?;
    let values = Values::from_native_bytes(data_type, &bytes).unwrap();
    Ok(((0..n).map(|i| values.f64_at(i).unwrap()).collect(), mask))
}

/// Bytes 1, missing, 3 by a fragment's `_FillValue`, and 255 or -1, in an aggregation variable without one.
fn make(folder: &Path, data_type: DataType, name: &str) -> PathBuf {
    let last = if data_type == DataType::U8 { 255.0 } else { -1.0 };
    let f = Var::new("f", data_type, &[], Data::Numbers(vec![1.0, 9.0, 3.0, last]))
        .with("_FillValue", numbers(data_type, &[9.0]));
    plain(folder, "f.nc", f);
    aggregate(folder, name, Var::new("v", data_type, &[], Data::None), &[("f.nc", "f", 4)])
}

#[test]
fn nested_bytes_hand_on_what_is_missing() {
    for data_type in [DataType::I8, DataType::U8] {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), data_type, "inner.nc");
        let last = if data_type == DataType::U8 { 255.0 } else { -1.0 };
        let fragments = [("inner.nc", "v", 4), ("inner.nc", "v", 4)];
        for (outer, fill) in [(DataType::I16, -32767.0), (DataType::F64, 9.969209968386869e36)] {
            let v = Var::new("v", outer, &[], Data::None);
            let path = aggregate(folder.path(), "outer.nc", v, &fragments);
            let part = [1.0, fill, 3.0, last];
            assert_eq!(bare(&path, outer, &options(None)).unwrap(), [part, part].concat());
            assert_eq!(masked(&path, outer, &options(None)).unwrap().1, [1, 0, 1, 1, 1, 0, 1, 1]);
            let wide = bare(&path, DataType::F64, &options(None)).unwrap();
            assert_eq!(wide, [part, part].concat());
        }
        let v = Var::new("v", data_type, &[], Data::None).with("_FillValue", numbers(data_type, &[7.0]));
        let path = aggregate(folder.path(), "outer.nc", v, &fragments[..1]);
        assert_eq!(bare(&path, data_type, &options(None)).unwrap(), [1.0, 7.0, 3.0, last]);
        // Three levels of bytes without a missing value: only a mask or the setting marks missing data.
        let v = Var::new("v", data_type, &[], Data::None);
        let path = aggregate(folder.path(), "outer.nc", v, &fragments[..1]);
        let (values, mask) = masked(&path, data_type, &options(None)).unwrap();
        assert_eq!((values[3], mask), (last, vec![1, 0, 1, 1]));
        let error = bare(&path, data_type, &options(None)).unwrap_err();
        assert!(error.to_string().contains("MISSING_BYTES"), "{error}");
        assert_eq!(bare(&path, data_type, &options(Some("77"))).unwrap(), [1.0, 77.0, 3.0, last]);
    }
}

#[test]
fn without_a_mask_the_error_names_both_ways_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path(), DataType::U8, "agg.nc");
    for data_type in [DataType::U8, DataType::I16, DataType::F64] {
        let error = bare(&path, data_type, &options(None)).unwrap_err();
        assert_eq!(error.kind(), Kind::FragmentType, "{error}");
        let text = error.to_string();
        assert!(text.contains("validity mask") && text.contains("MISSING_BYTES"), "{error}");
        assert!(text.contains("f.nc") && error.fragment().is_some(), "{error}");
        assert_eq!(masked(&path, data_type, &options(None)).unwrap().1, [1, 0, 1, 1]);
    }
    assert!(Dataset::open(&path).unwrap().variable("v").unwrap().missing_value().is_none());
}

#[test]
fn the_value_that_is_chosen_stands_for_missing_bytes_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path(), DataType::U8, "agg.nc");
    let chosen = options(Some("200"));
    for data_type in [DataType::U8, DataType::I16, DataType::F32] {
        assert_eq!(bare(&path, data_type, &chosen).unwrap(), [1.0, 200.0, 3.0, 255.0]);
        assert_eq!(masked(&path, data_type, &chosen).unwrap().1, [1, 0, 1, 1]);
    }
    let variable = Dataset::open_with(&path, &chosen).unwrap().variable("v").unwrap();
    assert_eq!(variable.missing_value(), Some(Values::U8(vec![200])));
    // If valid data have the chosen value, a read without a mask fails and a read with one succeeds.
    let taken = options(Some("255"));
    let error = bare(&path, DataType::U8, &taken).unwrap_err();
    assert!(error.to_string().contains("MISSING_BYTES") && error.to_string().contains("255"), "{error}");
    assert_eq!(
        masked(&path, DataType::F64, &taken).unwrap(),
        (vec![1.0, 255.0, 3.0, 255.0], vec![1, 0, 1, 1])
    );
    // A number outside the range of the type is refused.
    let error = bare(&path, DataType::U8, &options(Some("-5"))).unwrap_err();
    assert!(error.to_string().contains("0 to 255"), "{error}");
    for wrong in ["256", "-129", "x", "1.5"] {
        assert_eq!(OpenOptions::default().set("MISSING_BYTES", wrong).unwrap_err().kind(), Kind::Request);
    }
    assert_eq!(options(Some("error")), options(None));
}

#[test]
fn reading_ahead_and_reading_again_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = make(folder.path(), DataType::U8, "agg.nc");
    let variable = Dataset::open_with(&path, &options(Some("200"))).unwrap().variable("v").unwrap();
    let all = Selection::all(&[4]);
    variable.advise(&all).unwrap();
    variable.block_shape().unwrap();
    for _ in 0..2 {
        assert_eq!(variable.read_values(&all).unwrap(), Values::U8(vec![1, 200, 3, 255]));
    }
}

#[test]
fn unsigned_bytes_take_the_bits_of_the_value() {
    let folder = tempfile::tempdir().unwrap();
    let f = Var::new("f", DataType::U8, &[], Data::Numbers(vec![1.0, 9.0, 254.0]))
        .with("_FillValue", numbers(DataType::U8, &[9.0]));
    plain(folder.path(), "f.nc", f);
    let v = Var::new("v", DataType::I8, &[], Data::None).with("_Unsigned", "true");
    let path = aggregate(folder.path(), "agg.nc", v, &[("f.nc", "f", 3)]);
    for value in ["255", "-1"] {
        assert_eq!(bare(&path, DataType::I8, &options(Some(value))).unwrap(), [1.0, -1.0, -2.0]);
        assert_eq!(bare(&path, DataType::I16, &options(Some(value))).unwrap(), [1.0, 255.0, 254.0]);
    }
}

#[test]
fn other_variables_are_not_concerned() {
    let folder = tempfile::tempdir().unwrap();
    let chosen = options(Some("3"));
    let ordinary =
        plain(folder.path(), "p.nc", Var::new("v", DataType::U8, &[], Data::Numbers(vec![1.0, 2.0, 3.0])));
    assert_eq!(bare(&ordinary, DataType::U8, &chosen).unwrap(), [1.0, 2.0, 3.0]);
    let variable = Dataset::open_with(&ordinary, &chosen).unwrap().variable("v").unwrap();
    assert!(variable.missing_value().is_none());
    let v = Var::new("v", DataType::U8, &[], Data::None).with("_FillValue", numbers(DataType::U8, &[2.0]));
    let own = aggregate(folder.path(), "own.nc", v, &[("p.nc", "v", 3)]);
    assert_eq!(bare(&own, DataType::U8, &chosen).unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(masked(&own, DataType::U8, &chosen).unwrap().1, [1, 0, 1]);
    let wide = aggregate(
        folder.path(),
        "wide.nc",
        Var::new("v", DataType::I16, &[], Data::None),
        &[("p.nc", "v", 3)],
    );
    assert_eq!(bare(&wide, DataType::I16, &chosen).unwrap(), [1.0, 2.0, 3.0]);
}

#[test]
fn absent_fragments_and_unique_values_follow() {
    let folder = tempfile::tempdir().unwrap();
    plain(folder.path(), "f.nc", Var::new("f", DataType::I8, &[], Data::Numbers(vec![1.0, 2.0])));
    let v = Var::new("v", DataType::I8, &[], Data::None);
    let path = aggregate(folder.path(), "agg.nc", v, &[("f.nc", "f", 2), ("gone.nc", "f", 2)]);
    let fill = |bytes| options(bytes).missing_fragments(MissingFragments::Fill);
    let error = bare(&path, DataType::I8, &fill(None)).unwrap_err();
    assert!(error.to_string().contains("MISSING_BYTES"), "{error}");
    assert_eq!(bare(&path, DataType::I8, &fill(Some("-128"))).unwrap(), [1.0, 2.0, -128.0, -128.0]);
    assert!(bare(&path, DataType::I8, &fill(Some("2"))).is_err());
    // A unique value equal to the chosen one is valid data, so it is refused, too.
    let v = Var::new("v", DataType::U8, &[], Data::None)
        .with("aggregated_dimensions", "x")
        .with("aggregated_data", "map: m unique_values: u");
    let vars = vec![
        v,
        Var::new("m", DataType::I32, &[("j", 1), ("f", 2)], Data::Numbers(vec![1.0, 2.0])),
        Var::new("u", DataType::U8, &[("f", 2)], Data::Numbers(vec![5.0, 6.0])),
    ];
    let unique = folder.path().join("unique.nc");
    crate::support::write(&unique, &FileSpec { format: Format::Nc4, dims: vec![("x".into(), 3)], vars });
    assert_eq!(bare(&unique, DataType::U8, &options(Some("7"))).unwrap(), [5.0, 6.0, 6.0]);
    assert!(bare(&unique, DataType::U8, &options(Some("6"))).is_err());
}

#[test]
fn a_gathered_byte_fragment_hands_on_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let vars = vec![
        Var::new("land", DataType::I32, &[("land", 2)], Data::Numbers(vec![0.0, 2.0])).with("compress", "x"),
        Var::new("f", DataType::U8, &[("land", 2)], Data::Numbers(vec![5.0, 6.0])),
    ];
    let dims = vec![("x".to_owned(), 4)];
    crate::support::write(&folder.path().join("f.nc"), &FileSpec { format: Format::Nc4, dims, vars });
    let v = Var::new("v", DataType::I16, &[], Data::None);
    let path = aggregate(folder.path(), "agg.nc", v, &[("f.nc", "f", 4)]);
    assert_eq!(bare(&path, DataType::I16, &options(None)).unwrap(), [5.0, -32767.0, 6.0, -32767.0]);
    assert_eq!(masked(&path, DataType::I16, &options(None)).unwrap().1, [1, 0, 1, 0]);
    let v = Var::new("v", DataType::U8, &[], Data::None);
    let path = aggregate(folder.path(), "bytes.nc", v, &[("f.nc", "f", 4)]);
    assert_eq!(masked(&path, DataType::U8, &options(None)).unwrap().1, [1, 0, 1, 0]);
    assert_eq!(bare(&path, DataType::U8, &options(Some("9"))).unwrap(), [5.0, 9.0, 6.0, 9.0]);
}

#[test]
fn extract_writes_the_value_that_is_chosen_as_fill_value() {
    for data_type in [DataType::I8, DataType::U8] {
        let folder = tempfile::tempdir().unwrap();
        let path = make(folder.path(), data_type, "agg.nc");
        let out = folder.path().join("out.nc");
        let extract = |options: &OpenOptions| {
            let dataset = Dataset::open_with(&path, options)?;
            cfa::extract::extract(&dataset, &out, &cfa::extract::Options::default())
        };
        let error = extract(&options(None)).unwrap_err();
        assert!(error.to_string().contains("MISSING_BYTES") && !out.exists(), "{error}");
        extract(&options(Some("100"))).unwrap();
        let variable = Dataset::open(&out).unwrap().variable("v").unwrap();
        assert_eq!(variable.attributes().get("_FillValue").and_then(|v| v.f64_at(0)), Some(100.0));
        let last = if data_type == DataType::U8 { 255.0 } else { -1.0 };
        let found = masked(&out, data_type, &OpenOptions::default()).unwrap();
        assert_eq!(found, (vec![1.0, 100.0, 3.0, last], vec![1, 0, 1, 1]));
        assert!(extract(&options(Some("3"))).is_err());
    }
}

#[test]
fn a_fragment_in_the_aggregation_file_itself_follows() {
    let folder = tempfile::tempdir().unwrap();
    let v = Var::new("v", DataType::U8, &[], Data::None);
    let mut vars = define(v, &[("agg.nc", "part", 3)]);
    let mut part = Var::new("part", DataType::U8, &[], Data::Numbers(vec![1.0, 9.0, 2.0]))
        .with("missing_value", numbers(DataType::U8, &[9.0]));
    part.dims = vec![("x".to_owned(), 3)];
    vars.push(part);
    let path = folder.path().join("agg.nc");
    crate::support::write(&path, &FileSpec { format: Format::Nc4, dims: vec![("x".into(), 3)], vars });
    assert!(bare(&path, DataType::U8, &options(None)).is_err());
    assert_eq!(bare(&path, DataType::U8, &options(Some("0"))).unwrap(), [1.0, 0.0, 2.0]);
}
