//! Compression by gathering (CF section 8.2): types, and the cost of a read.

use cfa::{DataType, Dataset, Output, Selection, Values};

use super::{all, write_aggregation};
use crate::support::{write, Data, FileSpec, Format, Var};

fn land(path: &std::path::Path, places: &[f64], values: Var) {
    let list = Var::new("land", DataType::I32, &[("land", places.len())], Data::Numbers(places.to_vec()))
        .with("compress", "lat lon");
    let dims = vec![("lat".to_owned(), 2), ("lon".to_owned(), 3)];
    write(path, &FileSpec { format: Format::Nc4, dims, vars: vec![list, values] });
}

#[test]
fn bytes_without_a_missing_value_are_spread_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let values = Var::new("v", DataType::I8, &[("land", 3)], Data::Numbers(vec![1.0, -2.0, 0.0]));
    land(&folder.path().join("a.nc"), &[5.0, 1.0, 2.0], values);
    let dimensions: &[(&str, &[usize])] = &[("lat", &[2]), ("lon", &[3])];
    let v = Var::new("v", DataType::I8, &[], Data::None).with("_FillValue", -1i8);
    write_aggregation(&path, v, dimensions, &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::I8(vec![-1, -2, 0, -1, -1, 1]));
    // If the aggregation has no missing value either, only a mask marks missing data.
    let v = Var::new("v", DataType::I8, &[], Data::None);
    write_aggregation(&path, v, dimensions, &["a.nc"]);
    let (mut values, mut mask) = ([7u8; 6], [7u8; 6]);
    let output = Output { mask: Some(&mut mask), ..Output::new(DataType::I8, &mut values) };
    let v = Dataset::open(&path).unwrap().variable("v").unwrap();
    v.read_into(&Selection::all(&[2, 3]), output).unwrap();
    assert_eq!(mask, [0, 1, 1, 0, 0, 1]);
    assert_eq!((values[1] as i8, values[2], values[5]), (-2, 0, 1));
    assert!(all(&path, "v").is_err());
}

#[test]
fn strings_are_spread_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let words = vec!["one".to_owned(), "two".to_owned()];
    let dimensions: &[(&str, &[usize])] = &[("lat", &[2]), ("lon", &[3])];
    for (format, name) in [(Format::Nc4, "a.nc"), (Format::Cdf1, "b.nc")] {
        let list = Var::new("land", DataType::I32, &[("land", 2)], Data::Numbers(vec![4.0, 0.0]))
            .with("compress", "lat lon");
        let values = Var::new("v", DataType::String, &[("land", 2)], Data::Texts(words.clone()));
        let dims = vec![("lat".to_owned(), 2), ("lon".to_owned(), 3)];
        write(&folder.path().join(name), &FileSpec { format, dims, vars: vec![list, values] });
        let v = Var::new("v", DataType::String, &[], Data::None);
        write_aggregation(&path, v, dimensions, &[name]);
        let wanted = ["two", "", "", "", "one", ""].map(String::from).to_vec();
        assert_eq!(all(&path, "v").unwrap(), Values::String(wanted), "{name}");
    }
}
