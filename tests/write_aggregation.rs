//! Aggregation variables written in every dialect have the same values when read.

use std::path::Path;

use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::Dialect;
use cfa::{DataType, Dataset, Kind, Selection, Values};
use cfa::{Fragment, Version};

fn stored(location: &str, identifier: &str) -> Fragment {
    let version =
        Version { location: Some(location.into()), identifier: identifier.into(), format: Some("nc".into()) };
    Fragment::Stored { versions: vec![version], view: None }
}

/// Fragments of an array of these sizes whose values count up; file 3 calls its variable `b`.
fn fragments(folder: &Path, sizes: &[Vec<u64>]) -> Vec<Fragment> {
    let shape: Vec<u64> = sizes.iter().map(|row| row.iter().sum()).collect();
    let mut list = Vec::new();
    for (i, &rows) in sizes[0].iter().enumerate() {
        for (j, &columns) in sizes[1].iter().enumerate() {
            let (y, x) = (sizes[0][..i].iter().sum::<u64>(), sizes[1][..j].iter().sum::<u64>());
            let values: Vec<i32> =
                (0..rows).flat_map(|r| (0..columns).map(move |c| ((y + r) * 100 + x + c) as i32)).collect();
            let mut file = File::default();
            file.add_dimension("y", rows);
            file.add_dimension("x", columns);
            let name = if list.len() == 3 { "b" } else { "a" };
            file.variables.push(Variable::with_values(name, &["y", "x"], Values::I32(values)));
            let path = format!("part {}.nc", list.len());
            write_file(&file, &folder.join(&path), Format::Netcdf4).unwrap();
            list.push(stored(&path.replace(' ', "%20"), name));
        }
    }
    assert_eq!(shape.len(), 2);
    list
}

fn aggregated(sizes: &[Vec<u64>], fragments: Content) -> Aggregated {
    let variable = Variable::new("v", DataType::F64, &["y", "x"]);
    Aggregated { variable, sizes: sizes.to_vec(), fragments }
}

fn frame(sizes: &[Vec<u64>]) -> File {
    let mut file = File::default();
    file.add_dimension("y", sizes[0].iter().sum());
    file.add_dimension("x", sizes[1].iter().sum());
    file
}

#[test]
fn every_dialect_and_format_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let sizes = [vec![2, 3], vec![4, 1, 2]];
    let list = fragments(folder.path(), &sizes);
    for &dialect in Dialect::ALL {
        for format in [Format::Netcdf4, Format::Classic, Format::Cdf5] {
            let mut list = list.clone();
            if dialect == Dialect::Cfa04 {
                for fragment in &mut list {
                    let Fragment::Stored { versions, .. } = fragment else { panic!() };
                    versions[0].location = versions[0].location.as_ref().map(|l| l.replace("%20", " "));
                }
            }
            let mut file = frame(&sizes);
            let mut one = aggregated(&sizes, Content::Stored(list));
            add(&mut file, &one, dialect).unwrap();
            one.variable.name = "w".into();
            let before = file.variables.len();
            add(&mut file, &one, dialect).unwrap();
            assert_eq!(file.variables.len(), before + 1, "{dialect}: tables are shared");
            let path = folder.path().join("agg.nc");
            write_file(&file, &path, format).unwrap();
            let dataset = Dataset::open(&path).unwrap();
            for name in ["v", "w"] {
                let variable = dataset.variable(name).unwrap();
                let found = variable.aggregation().unwrap().unwrap().dialect;
                let expected = if dialect == Dialect::Cfa06b1Early { Dialect::Cfa06b1 } else { dialect };
                assert_eq!(found, expected);
                let values = variable.read_values(&Selection::all(&[5, 7])).unwrap();
                let naive = (0..5).flat_map(|y| (0..7).map(move |x| f64::from(y * 100 + x))).collect();
                assert_eq!(values, Values::F64(naive), "{dialect} {format:?}");
            }
            let hidden = dataset.variables().iter().map(|v| v.name().to_owned()).collect::<Vec<_>>();
            assert_eq!(hidden, ["v", "w"], "{dialect}");
            assert_eq!(dataset.warnings(), [""; 0], "{dialect} {format:?}");
        }
    }
}

#[test]
fn scalar_data_have_one_fragment_in_every_dialect() {
    let folder = tempfile::tempdir().unwrap();
    let mut part = File::default();
    part.variables.push(Variable::with_values("a", &[], Values::F32(vec![2.5])));
    write_file(&part, &folder.path().join("a.nc"), Format::Netcdf4).unwrap();
    for &dialect in Dialect::ALL {
        let variable = Variable::new("v", DataType::F32, &[]);
        let one =
            Aggregated { variable, sizes: vec![], fragments: Content::Stored(vec![stored("a.nc", "a")]) };
        let mut file = File::default();
        add(&mut file, &one, dialect).unwrap();
        let path = folder.path().join("agg.nc");
        write_file(&file, &path, Format::Netcdf4).unwrap();
        let dataset = Dataset::open(&path).unwrap();
        let values = dataset.variable("v").unwrap().read_values(&Selection::all(&[])).unwrap();
        assert_eq!(values, Values::F32(vec![2.5]), "{dialect}");
        assert_eq!(dataset.warnings(), [""; 0], "{dialect}");
    }
}

#[test]
fn unique_values_are_for_cf_alone() {
    let folder = tempfile::tempdir().unwrap();
    let sizes = [vec![1, 2], vec![3]];
    let one = aggregated(&sizes, Content::Unique(Values::F64(vec![7.0, 8.0])));
    for &dialect in Dialect::ALL {
        let mut file = frame(&sizes);
        let result = add(&mut file, &one, dialect);
        if !matches!(dialect, Dialect::Cf113 | Dialect::CfDraft) {
            assert_eq!(result.unwrap_err().kind(), Kind::Unsupported, "{dialect}");
            continue;
        }
        result.unwrap();
        let path = folder.path().join("agg.nc");
        write_file(&file, &path, Format::Netcdf4).unwrap();
        let variable = Dataset::open(&path).unwrap().variable("v").unwrap();
        let values = variable.read_values(&Selection::all(&[3, 3])).unwrap();
        assert_eq!(values, Values::F64(vec![7.0, 7.0, 7.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0]));
    }
}

#[test]
fn versions_and_missing_fragments_are_for_those_who_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let sizes = [vec![2], vec![2, 2]];
    let mut list = fragments(folder.path(), &sizes);
    let Fragment::Stored { versions, .. } = &mut list[1] else { panic!() };
    versions.insert(0, Version { location: Some("absent.nc".into()), identifier: "z".into(), format: None });
    for &dialect in Dialect::ALL {
        let mut file = frame(&sizes);
        let result = add(&mut file, &aggregated(&sizes, Content::Stored(list.clone())), dialect);
        if matches!(dialect, Dialect::Cf113 | Dialect::Cfa04) {
            assert_eq!(result.unwrap_err().kind(), Kind::Unsupported, "{dialect}");
            continue;
        }
        result.unwrap();
        let path = folder.path().join("agg.nc");
        write_file(&file, &path, Format::Netcdf4).unwrap();
        let variable = Dataset::open(&path).unwrap().variable("v").unwrap();
        let values = variable.read_values(&Selection::all(&[2, 4])).unwrap();
        assert_eq!(values.f64_at(7), Some(103.0), "{dialect}");
    }
    list[0] = Fragment::Missing;
    for &dialect in Dialect::ALL {
        let mut file = frame(&sizes);
        let result = add(&mut file, &aggregated(&sizes, Content::Stored(list.clone())), dialect);
        let able = !matches!(dialect, Dialect::Cf113 | Dialect::CfDraft | Dialect::Cfa04);
        assert_eq!(result.is_ok(), able, "{dialect}");
    }
}

#[test]
fn fragments_must_fill_the_array() {
    let one = aggregated(&[vec![1, 2], vec![3]], Content::Stored(vec![stored("a.nc", "a")]));
    let error = add(&mut File::default(), &one, Dialect::Cf113).unwrap_err();
    assert_eq!(error.kind(), Kind::Map);
}

#[test]
fn dialects_have_names() {
    for &dialect in Dialect::ALL {
        assert_eq!(Dialect::named(dialect.name()).unwrap(), dialect);
    }
    assert_eq!(Dialect::named("cfa_0.6.2").unwrap(), Dialect::Cfa062);
    assert_eq!(Dialect::named("CFA-9").unwrap_err().kind(), Kind::Request);
}
