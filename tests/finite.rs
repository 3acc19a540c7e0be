//! Finite numbers stay finite: a number that would become infinite, or lose digits, is an error unless loss is allowed.

use std::path::Path;

use crate::support::series::{aggregate, plain};
use crate::support::{Data, Var};
use cfa::OpenOptions;
use cfa::{DataType, Dataset, Kind, Output, Result, Selection, Values};

/// A fragment: its type, values, attributes that are numbers, and units.
type Fragment<'a> = (DataType, &'a [f64], &'a [(&'a str, f64)], Option<&'a str>);

/// One fragment `f` of an aggregation `v`.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new(fragment: Fragment<'_>, v: (DataType, Option<&str>)) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let (data_type, values, numbers, units) = fragment;
        let mut f = Var::new("f", data_type, &[], Data::Numbers(values.to_vec()));
        for &(name, value) in numbers {
            f = f.with(name, value);
        }
        let mut whole = Var::new("v", v.0, &[], Data::None);
        if let Some(units) = units {
            f = f.with("units", units);
        }
        if let Some(units) = v.1 {
            whole = whole.with("units", units);
        }
        plain(folder.path(), "f.nc", f);
        aggregate(folder.path(), "agg.nc", whole, &[("f.nc", "f", values.len())]);
        Case { folder }
    }

    fn read(&self, data_type: DataType, lossy: bool) -> Result<(Vec<f64>, Vec<u8>)> {
        read(&self.folder.path().join("agg.nc"), data_type, lossy)
    }
}

fn read(path: &Path, data_type: DataType, lossy: bool) -> Result<(Vec<f64>, Vec<u8>)> {
    let dataset = Dataset::open_with(path, &OpenOptions::default().lossy_casts(lossy))?;
    let variable = dataset.variable("v")?;
    let all = Selection::all(variable.shape()?);
    let n = all.len().unwrap() as usize;
    let (mut bytes, mut mask) = (vec![0; n * data_type.size().unwrap()], vec![7; n]);
    let output = Output { mask: Some(&mut mask), ..Output::new(data_type, &mut bytes) };
    variable.read_into(&all, output)?;
    let values = Values::from_native_bytes(data_type, &bytes).unwrap();
    Ok(((0..n).map(|i| values.f64_at(i).unwrap()).collect(), mask))
}

/// Refused with this kind, and missing (element 1 of 3) where loss is allowed.
fn is_lost(case: &Case, data_type: DataType, kind: Kind) {
    let error = case.read(data_type, false).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().len() < 400 && error.to_string().contains("LOSSY_CASTS"), "{error}");
    assert_eq!(case.read(data_type, true).unwrap().1, [1, 0, 1], "{error}");
}

#[test]
fn a_number_too_large_for_the_variable_is_a_cast_error() {
    let case = Case::new((DataType::F64, &[1.0, 1e300, 3.0], &[], None), (DataType::F32, None));
    is_lost(&case, DataType::F32, Kind::FragmentType);
    is_lost(&case, DataType::F64, Kind::FragmentType);
    let fits = Case::new((DataType::F64, &[1e300, f64::INFINITY], &[], None), (DataType::F64, None));
    assert_eq!(fits.read(DataType::F64, false).unwrap(), (vec![1e300, f64::INFINITY], vec![1, 1]));
}

#[test]
fn a_number_too_large_for_the_type_asked_for_is_a_cast_error() {
    let case = Case::new((DataType::F64, &[1.0, -1e300, 3.0], &[], None), (DataType::F64, None));
    is_lost(&case, DataType::F32, Kind::Type);
    // An ordinary variable likewise.
    let folder = tempfile::tempdir().unwrap();
    let path = plain(
        folder.path(),
        "p.nc",
        Var::new("v", DataType::F64, &[], Data::Numbers(vec![1.0, 3.5e38, 3.0])),
    );
    assert_eq!(read(&path, DataType::F32, false).unwrap_err().kind(), Kind::Type);
    assert_eq!(read(&path, DataType::F32, true).unwrap().1, [1, 0, 1]);
}

#[test]
fn infinities_and_nan_of_the_source_stay() {
    let values = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0];
    let case =
        Case::new((DataType::F64, &values, &[("scale_factor", 2.0)], Some("km")), (DataType::F32, Some("m")));
    for lossy in [false, true] {
        let (found, mask) = case.read(DataType::F32, lossy).unwrap();
        assert_eq!(found[..2], values[..2]);
        assert!(found[2].is_nan() && found[3] == 2000.0);
        assert_eq!(mask, [1; 4]);
    }
}

#[test]
fn a_unique_value_too_large_is_a_cast_error() {
    let folder = tempfile::tempdir().unwrap();
    let v = Var::new("v", DataType::F32, &[], Data::None)
        .with("aggregated_dimensions", "x")
        .with("aggregated_data", "map: m unique_values: u");
    let vars = vec![
        v,
        Var::new("m", DataType::I32, &[("j", 1), ("f", 3)], Data::Numbers(vec![1.0; 3])),
        Var::new("u", DataType::F64, &[("f", 3)], Data::Numbers(vec![1.0, 1e300, 2.0])),
    ];
    let path = folder.path().join("agg.nc");
    let dims = vec![("x".to_owned(), 3)];
    crate::support::write(
        &path,
        &crate::support::FileSpec { format: crate::support::Format::Nc4, dims, vars },
    );
    is_lost(&Case { folder }, DataType::F32, Kind::FragmentType);
}

#[test]
fn unpacking_that_overflows_is_a_cast_error() {
    let stored = (DataType::F32, &[1.0, 1e38, 3.0][..], &[("scale_factor", 1e280)][..], None);
    is_lost(&Case::new(stored, (DataType::F64, None)), DataType::F64, Kind::FragmentType);
    // The packed number is finite in single precision; the unpacked one is not.
    let stored = (DataType::I16, &[1.0, 30000.0, 3.0][..], &[("scale_factor", 1e35)][..], None);
    is_lost(&Case::new(stored, (DataType::F32, None)), DataType::F32, Kind::FragmentType);
    let packed =
        Case::new((DataType::I16, &[1.0], &[("scale_factor", f64::NAN)], None), (DataType::F64, None));
    assert_eq!(packed.read(DataType::F64, false).unwrap_err().kind(), Kind::FragmentType);
}

#[test]
fn units_that_overflow_are_a_cast_error() {
    let lost = |values: [f64; 3], from: &str, to: &str| {
        let case = Case::new((DataType::F64, &values, &[], Some(from)), (DataType::F64, Some(to)));
        is_lost(&case, DataType::F64, Kind::FragmentType);
    };
    lost([1.0, 1e308, 3.0], "km", "m");
    lost([1.0, 1e308, 3.0], "days since 2000-01-01", "seconds since 1970-01-01");
    // A reciprocal and a logarithm of zero, a power.
    lost([1.0, 0.0, 3.0], "s", "Hz");
    lost([1.0, 0.0, 3.0], "W", "lg(re 1 W)");
    lost([1.0, 400.0, 3.0], "lg(re 1 W)", "W");
    // Out of the domain of a logarithm.
    lost([1.0, -1.0, 3.0], "W", "lg(re 1 W)");
}

#[test]
fn what_overflows_on_the_way_does_not_come_back_as_a_number() {
    // In seconds it is infinite, and the reciprocal would be 0.
    let stored = (DataType::F64, &[1.0, 1e300, 3.0][..], &[("scale_factor", 1e20)][..], Some("s"));
    is_lost(&Case::new(stored, (DataType::F64, Some("Hz"))), DataType::F64, Kind::FragmentType);
    let stored = (DataType::F64, &[1.0, 1e300, 3.0][..], &[][..], Some("1e20 s"));
    is_lost(&Case::new(stored, (DataType::F32, Some("Hz"))), DataType::F32, Kind::FragmentType);
    let stored = (DataType::F64, &[1.0, 400.0, 3.0][..], &[][..], Some("lg(re 1 s)"));
    is_lost(&Case::new(stored, (DataType::F32, Some("Hz"))), DataType::F32, Kind::FragmentType);
}

#[test]
fn large_integers_pass_exact_ratios_only() {
    let large = 2f64.powi(58);
    let lost =
        |stored: DataType, value: f64, numbers: &[(&str, f64)], from: Option<&str>, to: Option<&str>| {
            let case = Case::new((stored, &[value], numbers, from), (DataType::I64, to));
            let error = case.read(DataType::I64, false).unwrap_err();
            assert_eq!(error.kind(), Kind::FragmentType, "{error}");
            assert_eq!(case.read(DataType::I64, true).unwrap().1, [1], "{error}");
        };
    let fine = |value: f64, numbers: &[(&str, f64)], from: &str, to: &str, wanted: f64| {
        let case = Case::new((DataType::I64, &[value], numbers, Some(from)), (DataType::I64, Some(to)));
        assert_eq!(case.read(DataType::I64, false).unwrap(), (vec![wanted], vec![1]));
    };
    // 0.3048 is not exact in binary, so the true value has a fraction.
    lost(DataType::I64, large, &[], Some("ft"), Some("m"));
    lost(DataType::U64, large, &[("scale_factor", 0.1)], None, None);
    lost(DataType::I64, large, &[], Some("months since 2000-01-01"), Some("days since 2000-01-01"));
    // The stored number is small, the result is not.
    lost(DataType::I32, 2e9, &[("scale_factor", 123456789.5)], None, None);
    fine(1000.0 * 2f64.powi(52), &[], "m", "km", 2f64.powi(52));
    fine(large, &[("add_offset", 1.0)], "m", "m", large);
    fine(10_000.0, &[], "ft", "m", 3048.0);
    // A conversion to a floating-point type always succeeds.
    let case = Case::new((DataType::I64, &[large], &[], Some("ft")), (DataType::F64, Some("m")));
    assert_eq!(case.read(DataType::F64, false).unwrap().1, [1]);
}

#[test]
fn what_a_read_allows_does_not_change_what_a_later_one_gives() {
    let folder = tempfile::tempdir().unwrap();
    let fragment = |name: &str, values: Vec<f64>| {
        plain(folder.path(), name, Var::new("f", DataType::F64, &[], Data::Numbers(values)));
    };
    fragment("a.nc", vec![1.0, 2.5]);
    fragment("b.nc", vec![1e300, 4.0]);
    let own = Var::new("v", DataType::F64, &[], Data::None);
    let wide = aggregate(folder.path(), "wide.nc", own, &[("a.nc", "f", 2), ("b.nc", "f", 2)]);
    let own = Var::new("v", DataType::F32, &[], Data::None);
    let narrow = aggregate(folder.path(), "narrow.nc", own, &[("a.nc", "f", 2), ("b.nc", "f", 2)]);
    // The same handle, with and without permission to lose values, in any order.
    for (path, by_default) in [(&wide, false), (&wide, true), (&narrow, false), (&narrow, true)] {
        let open = || Dataset::open_with(path, &OpenOptions::default().lossy_casts(by_default)).unwrap();
        let read = |dataset: &Dataset, data_type: DataType, lossy: Option<bool>| {
            let variable = dataset.variable("v").unwrap();
            let (mut bytes, mut mask) = (vec![0; 4 * data_type.size().unwrap()], vec![7; 4]);
            let output = Output { mask: Some(&mut mask), lossy, ..Output::new(data_type, &mut bytes) };
            match variable.read_into(&Selection::all(&[4]), output) {
                Ok(()) => Ok((bytes, mask)),
                Err(error) => Err(error.kind()),
            }
        };
        let requests: Vec<_> = [DataType::F32, DataType::F64, DataType::I16]
            .into_iter()
            .flat_map(|data_type| [None, Some(false), Some(true)].map(|lossy| (data_type, lossy)))
            .collect();
        for first in &requests {
            for second in &requests {
                let kept = open();
                let _ = read(&kept, first.0, first.1);
                let alone = read(&open(), second.0, second.1);
                assert_eq!(
                    read(&kept, second.0, second.1),
                    alone,
                    "{path:?} {by_default}: {first:?}, {second:?}"
                );
            }
        }
    }
    let refused = |path, lossy| read(path, DataType::F32, lossy).map(|(_, mask)| mask).map_err(|e| e.kind());
    assert_eq!(refused(&wide, false), Err(Kind::Type));
    assert_eq!(refused(&narrow, false), Err(Kind::FragmentType));
    assert_eq!(refused(&narrow, true), Ok(vec![1, 1, 0, 1]));
}
