//! The meaning of ragged arrays.

use cfa::{DataType, Dataset, Output, Selection, Values};

use super::{aggregated, all, write_aggregation, N};
use crate::support::cdl::make_from;
use crate::support::{write, Data, FileSpec, Format, Var};

const CONTIGUOUS: &str = "
    dimensions: station = 3 ; obs = 5 ;
    variables:
      int row_size(station) ; row_size:sample_dimension = \"obs\" ;
      float v(obs) ;
    data: row_size = 2, 0, 3 ; v = 1, 2, 3, 4, 5 ;";

#[test]
fn a_contiguous_ragged_array_is_expanded_to_the_shape_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    make_from(folder.path(), "a", CONTIGUOUS);
    write_aggregation(&path, aggregated("v"), &[("station", &[3]), ("obs", &[4])], &["a.nc"]);
    let wanted = vec![1.0, 2.0, N, N, N, N, N, N, 3.0, 4.0, 5.0, N];
    assert_eq!(all(&path, "v").unwrap(), Values::F32(wanted));
    // With dimensions of size 1 that the fragment leaves out.
    let dimensions: &[(&str, &[usize])] =
        &[("run", &[1]), ("station", &[3]), ("height", &[1]), ("obs", &[3])];
    write_aggregation(&path, aggregated("v"), dimensions, &["a.nc"]);
    let wanted = vec![1.0, 2.0, N, N, N, N, 3.0, 4.0, 5.0];
    assert_eq!(all(&path, "v").unwrap(), Values::F32(wanted));
}

#[test]
fn an_indexed_ragged_array_is_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 3 ; obs = 5 ;
        variables:
          short station_index(obs) ; station_index:instance_dimension = \"station\" ;
          float v(obs) ;
        data: station_index = 2, 0, 2, 2, 0 ; v = 1, 2, 3, 4, 5 ;";
    make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("station", &[3]), ("obs", &[3])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![2.0, 5.0, N, N, N, N, 1.0, 3.0, 4.0]));
}

#[test]
fn an_indexed_contiguous_ragged_array_is_expanded_to_instances_profiles_and_samples() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; profile = 3 ; obs = 6 ;
        variables:
          int row_size(profile) ; row_size:sample_dimension = \"obs\" ;
          int station_index(profile) ; station_index:instance_dimension = \"station\" ;
          float v(obs) ;
          float time(profile) ;
        data: row_size = 1, 2, 3 ; station_index = 1, 0, 1 ; v = 1, 2, 3, 4, 5, 6 ; time = 10, 20, 30 ;";
    make_from(folder.path(), "a", body);
    let dimensions: &[(&str, &[usize])] = &[("station", &[2]), ("profile", &[2]), ("obs", &[3])];
    write_aggregation(&path, aggregated("v"), dimensions, &["a.nc"]);
    let wanted = vec![2.0, 3.0, N, N, N, N, 1.0, N, N, 4.0, 5.0, 6.0];
    assert_eq!(all(&path, "v").unwrap(), Values::F32(wanted));
    // What belongs to a profile has two dimensions.
    write_aggregation(&path, aggregated("time"), &dimensions[..2], &["a.nc"]);
    assert_eq!(all(&path, "time").unwrap(), Values::F32(vec![20.0, N, 10.0, 30.0]));
    // Profiles may also be aggregated as they come.
    write_aggregation(&path, aggregated("v"), &[("profile", &[3]), ("obs", &[3])], &["a.nc"]);
    let wanted = vec![1.0, N, N, 2.0, 3.0, N, 4.0, 5.0, 6.0];
    assert_eq!(all(&path, "v").unwrap(), Values::F32(wanted));
}

#[test]
fn auxiliary_coordinates_are_expanded_and_converted_as_data_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; obs = 3 ; length = 4 ;
        variables:
          int row_size(station) ; row_size:sample_dimension = \"obs\" ;
          short time(obs) ; time:units = \"hours since 2000-01-02\" ; time:scale_factor = 0.5 ; time:_FillValue = 7s ;
          char flag(obs, length) ;
        data: row_size = 1, 2 ; time = 0, 7, 96 ; flag = \"ab\", \"\", \"c\" ;";
    make_from(folder.path(), "a", body);
    let dimensions: &[(&str, &[usize])] = &[("station", &[2]), ("obs", &[3])];
    let time = Var::new("time", DataType::F64, &[], Data::None).with("units", "days since 2000-01-01");
    write_aggregation(&path, time, dimensions, &["a.nc"]);
    let n = 9.969_209_968_386_869e36;
    assert_eq!(all(&path, "time").unwrap(), Values::F64(vec![1.0, n, n, n, 3.0, n]));
    write_aggregation(&path, Var::new("flag", DataType::String, &[], Data::None), dimensions, &["a.nc"]);
    let wanted = ["ab", "", "", "", "c", ""].map(String::from).to_vec();
    assert_eq!(all(&path, "flag").unwrap(), Values::String(wanted));
    // For characters, the length is an ordinary dimension.
    let flag = Var::new("flag", DataType::Char, &[], Data::None).with("_FillValue", "~");
    write_aggregation(&path, flag, &[("station", &[2]), ("obs", &[2]), ("length", &[4])], &["a.nc"]);
    assert_eq!(all(&path, "flag").unwrap(), Values::Char(b"ab\0\0~~~~\0\0\0\0c\0\0\0".to_vec()));
}

#[test]
fn bytes_without_a_missing_value_are_padded_where_that_can_be_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; obs = 3 ;
        variables: int row_size(station) ; row_size:sample_dimension = \"obs\" ; ubyte v(obs) ;
        data: row_size = 1, 2 ; v = 255, 0, 1 ;";
    make_from(folder.path(), "a", body);
    let dimensions: &[(&str, &[usize])] = &[("station", &[2]), ("obs", &[2])];
    // By the value of the aggregation, in another type, and by a mask.
    let v = Var::new("v", DataType::I16, &[], Data::None).with("_FillValue", -1i16);
    write_aggregation(&path, v, dimensions, &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::I16(vec![255, -1, 0, 1]));
    write_aggregation(&path, Var::new("v", DataType::U8, &[], Data::None), dimensions, &["a.nc"]);
    let (mut values, mut mask) = ([7u8; 4], [7u8; 4]);
    let output = Output { mask: Some(&mut mask), ..Output::new(DataType::U8, &mut values) };
    let v = Dataset::open(&path).unwrap().variable("v").unwrap();
    v.read_into(&Selection::all(&[2, 2]), output).unwrap();
    assert_eq!((mask, values[0], values[2], values[3]), ([1, 0, 1, 1], 255, 0, 1));
    // They cannot be expanded, but the stored array can be read.
    let error = v.read::<u8>(&Selection::all(&[2, 2])).unwrap_err();
    assert!(error.to_string().contains("missing"), "{error}");
    let stored = Selection::block(&[1, 0], &[1, 2], &[2, 2]).unwrap();
    assert_eq!(v.read::<u8>(&stored).unwrap().into_raw_vec_and_offset().0, [0, 1]);
}

#[test]
fn counts_may_be_of_any_type_packed_scalar_or_all_zero() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let forms = [
        ("uint64 n(station) ; n:_FillValue = 9ULL ;", "n = 1, 2"),
        ("byte n(station) ; n:units = \"1\" ;", "n = 1, 2"),
        ("short n(station) ; n:scale_factor = 0.5 ;", "n = 2, 4"),
        ("double n(station) ;", "n = 1, 2"),
    ];
    for (declared, data) in forms {
        let body = format!(
            "dimensions: station = 2 ; obs = 3 ;
             variables: {declared} n:sample_dimension = \"obs\" ; float v(obs) ; data: {data} ; v = 1, 2, 3 ;"
        );
        make_from(folder.path(), "a", &body);
        write_aggregation(&path, aggregated("v"), &[("station", &[2]), ("obs", &[2])], &["a.nc"]);
        assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, N, 2.0, 3.0]), "{declared}");
    }
    // One feature without an instance dimension.
    let body = "
        dimensions: obs = 2 ;
        variables: int n ; n:sample_dimension = \"obs\" ; float v(obs) ;
        data: n = 2 ; v = 1, 2 ;";
    make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("station", &[1]), ("obs", &[3])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, 2.0, N]));
    // No samples at all.
    let body = "
        dimensions: station = 2 ; obs = UNLIMITED ;
        variables: int n(station) ; n:sample_dimension = \"obs\" ; float v(obs) ;
        data: n = 0, 0 ;";
    make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("station", &[2]), ("obs", &[2])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![N; 4]));
}

#[test]
fn samples_of_an_unlimited_dimension_that_were_not_written_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; obs = UNLIMITED ;
        variables:
          int n(station) ; n:sample_dimension = \"obs\" ;
          float v(obs) ; short time(obs) ;
        data: n = 1, 3 ; time = 1, 2, 3, 4 ; v = 1, 2 ;";
    let file = make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("station", &[2]), ("obs", &[3])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, N, N, 2.0, N, N]));
    // In the classic format they are records.
    let classic = folder.path().join("b.nc");
    let copied =
        std::process::Command::new("nccopy").args(["-k", "classic"]).args([&file, &classic]).status();
    assert!(copied.unwrap().success());
    write_aggregation(&path, aggregated("v"), &[("station", &[2]), ("obs", &[3])], &["b.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, N, N, 2.0, N, N]));
}

#[test]
fn padding_may_be_larger_than_memory() {
    const LONG: usize = 1_000_000_000_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    make_from(folder.path(), "a", CONTIGUOUS);
    let vars = vec![
        aggregated("v")
            .with("aggregated_dimensions", "station obs")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new("m", DataType::I64, &[("j", 2), ("f", 1)], Data::Numbers(vec![3.0, LONG as f64])),
        Var::new("u", DataType::String, &[("f", 1), ("g", 1)], Data::Texts(vec!["a.nc".into()])),
        Var::new("i", DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    let dims = vec![("station".into(), 3), ("obs".into(), LONG)];
    write(&path, &FileSpec { format: Format::Nc4, dims, vars });
    let v = Dataset::open(&path).unwrap().variable("v").unwrap();
    let shape = [3, LONG as u64];
    let sparse =
        Selection::new(&[2, LONG as u64 - 1], &[2, 3], &[-2, 1 - (LONG as i64) / 2], &shape).unwrap();
    assert_eq!(v.read_values(&sparse).unwrap(), Values::F32(vec![N, N, 4.0, N, N, 2.0]));
}
