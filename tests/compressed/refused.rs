//! Counts and indices that do not fit, and forms that are not expanded: the errors say what is wrong.

use std::path::Path;

use cfa::check::{check, Options, State};
use cfa::{DataType, Kind};

use super::{aggregated, all, write_aggregation};
use crate::support::cdl::make_from;
use crate::support::{Data, Rng, Var};

/// The error of reading a variable; `cfa check` must find the same.
fn refused(folder: &Path, body: &str, dimensions: &[(&str, &[usize])]) -> cfa::Error {
    let path = folder.join("agg.nc");
    make_from(folder, "a", body);
    write_aggregation(&path, aggregated("v"), dimensions, &["a.nc"]);
    let error = all(&path, "v").unwrap_err();
    assert!(error.to_string().contains("a.nc: variable '/v': fragment [0, 0"), "{error}");
    let report = check(&path, &Options { fragments: true, ..Options::default() }).unwrap();
    assert_eq!(report.variables[0].states, [State::Wrong], "{error}");
    let told = report.findings.iter().any(|f| f.message.contains(error.message()));
    assert!(told, "{error}: {:?}", report.findings);
    error
}

const DIMENSIONS: &[(&str, &[usize])] = &[("station", &[2]), ("obs", &[2])];

#[test]
fn a_row_that_is_longer_than_asked_for_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let contiguous = "
        dimensions: station = 2 ; obs = 4 ;
        variables: int n(station) ; n:sample_dimension = \"obs\" ; float v(obs) ;
        data: n = 1, 3 ; v = 1, 2, 3, 4 ;";
    let error = refused(folder.path(), contiguous, DIMENSIONS);
    assert_eq!(error.kind(), Kind::FragmentShape);
    assert!(error.message().contains("'/n': row 1 has 3 samples"), "{error}");
    let indexed = "
        dimensions: station = 2 ; obs = 4 ;
        variables: int i(obs) ; i:instance_dimension = \"station\" ; float v(obs) ;
        data: i = 0, 1, 0, 0 ; v = 1, 2, 3, 4 ;";
    let error = refused(folder.path(), indexed, DIMENSIONS);
    assert!(error.message().contains("'/i': instance 0 has 3 samples"), "{error}");
    let both = "
        dimensions: station = 2 ; profile = 3 ; obs = 4 ;
        variables:
          int n(profile) ; n:sample_dimension = \"obs\" ;
          int i(profile) ; i:instance_dimension = \"station\" ;
          float v(obs) ;
        data: n = 1, 2, 1 ; i = 1, 1, 1 ; v = 1, 2, 3, 4 ;";
    let error = refused(folder.path(), both, &[("station", &[2]), ("profile", &[2]), ("obs", &[2])]);
    assert!(error.message().contains("instance 1 has 3 profiles"), "{error}");
    let error = refused(folder.path(), both, &[("station", &[2]), ("profile", &[3]), ("obs", &[1])]);
    assert!(error.message().contains("profile 1 has 2 samples"), "{error}");
}

#[test]
fn counts_that_are_no_counts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (declared, data, told) in [
        ("int n(station)", "n = 1, 1", "adds up to 2, but its sample dimension has size 3"),
        ("int n(station)", "n = 2, 2", "adds up to 4, but its sample dimension has size 3"),
        ("int n(station)", "n = 4, -1", "has 4 at 0, which is not from 0 to 3"),
        ("int n(station)", "n = -1, 4", "has -1 at 0, which is not from 0 to 3"),
        ("int n(station)", "n = 1, _", "has no value at 1"),
        ("int n(station)", "n = _, _", "has no value at 0"),
        ("uint64 n(station)", "n = 1, 18446744073709551615", "is not whole numbers"),
        ("int64 n(station)", "n = 1, 9223372036854775807", "has 9223372036854775807 at 1"),
        ("float n(station)", "n = 1.5, 1.5", "is not whole numbers"),
        ("double n(station)", "n = 1, NaN", "is not whole numbers"),
        ("char n(station)", "n = \"12\"", "is text"),
        ("string n(station)", "n = \"1\", \"2\"", "is text"),
        ("int n(station) ; n:_FillValue = 2", "n = 1, 2", "has no value at 1"),
        ("int n(station) ; n:valid_max = 1", "n = 1, 2", "has no value at 1"),
    ] {
        let body = format!(
            "dimensions: station = 2 ; obs = 3 ;
             variables: {declared} ; n:sample_dimension = \"obs\" ; float v(obs) ; data: {data} ; v = 1, 2, 3 ;"
        );
        let error = refused(folder.path(), &body, DIMENSIONS);
        assert_eq!(error.kind(), Kind::FragmentShape, "{error}");
        assert!(
            error.message().starts_with(&format!("count variable '/n' {told}")),
            "{declared} {data}: {error}"
        );
    }
}

#[test]
fn indices_that_are_no_indices_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (declared, data, told) in [
        ("int i(obs)", "i = 0, 1, 2", "has 2 at 2, which is not from 0 to 1"),
        ("int i(obs)", "i = 0, -1, 1", "has -1 at 1, which is not from 0 to 1"),
        ("int i(obs)", "i = 0, _, 1", "has no value at 1"),
        ("double i(obs)", "i = 0, 0.5, 1", "is not whole numbers"),
        ("char i(obs)", "i = \"011\"", "is text"),
    ] {
        let body = format!(
            "dimensions: station = 2 ; obs = 3 ;
             variables: {declared} ; i:instance_dimension = \"station\" ; float v(obs) ; data: {data} ; v = 1, 2, 3 ;"
        );
        let error = refused(folder.path(), &body, DIMENSIONS);
        assert_eq!(error.kind(), Kind::FragmentShape, "{error}");
        assert!(
            error.message().starts_with(&format!("index variable '/i' {told}")),
            "{declared} {data}: {error}"
        );
    }
    // Each instance seems to have one sample, but an index out of range is an error, whatever the order of storage.
    let body = "
        dimensions: station = 2 ; obs = 2 ;
        variables: int i(obs) ; i:instance_dimension = \"station\" ; float v(obs) ;
        data: i = 1, 2 ; v = 1, 2 ;";
    let error = refused(folder.path(), body, &[("station", &[2]), ("obs", &[1])]);
    assert!(error.message().contains("has 2 at 1"), "{error}");
}

#[test]
fn what_does_not_fit_in_any_form_tells_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let body = "
        dimensions: station = 3 ; obs = 4 ;
        variables:
          int n(station) ; n:sample_dimension = \"obs\" ;
          int i(obs) ; i:instance_dimension = \"station\" ;
          int gone(obs) ; gone:instance_dimension = \"nowhere\" ;
          int square(station, station) ; square:sample_dimension = \"obs\" ;
          float v(obs) ;
        data: n = 1, 2, 1 ; i = 0, 1, 1, 2 ; v = 1, 2, 3, 4 ;";
    let error = refused(folder.path(), body, DIMENSIONS);
    assert_eq!(error.kind(), Kind::FragmentShape);
    for told in ["[4]", "[2, 2]", "'/n' (3 x any)", "'/i' (3 x any)"] {
        assert!(error.message().contains(told), "{told}: {error}");
    }
    assert!(!error.message().contains("gone") && !error.message().contains("square"), "{error}");
}

#[test]
fn subsampled_coordinates_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let body = "
        dimensions: y = 4 ; x = 6 ; ty = 2 ; tx = 2 ; four = 4 ;
        variables:
          float v(ty, tx) ; v:bounds_tie_points = \"v_bounds\" ;
          float v_bounds(ty, tx) ;
          float radiance(y, x) ; radiance:coordinate_interpolation = \"v: lon: bl_interpolation\" ;
          float lon(ty, tx) ;
          char bl_interpolation ; bl_interpolation:interpolation_name = \"bi_linear\" ;
            bl_interpolation:tie_point_mapping = \"x: x_indices tx  y: y_indices ty\" ;
          int x_indices(tx) ; int y_indices(ty) ;
        data: v = 1, 2, 3, 4 ; x_indices = 0, 5 ; y_indices = 0, 3 ;";
    let error = refused(folder.path(), body, &[("y", &[4]), ("x", &[6])]);
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.message().contains("8.3") && error.message().contains("'/radiance'"), "{error}");
    // By the dimensions alone, and as bounds.
    let alone = body.replace("\"v: lon: bl", "\"lon: bl");
    let error = refused(folder.path(), &alone, &[("y", &[4]), ("x", &[6])]);
    assert!(error.message().contains("'/bl_interpolation'"), "{error}");
    let bounds =
        body.replace("v_bounds", "w").replace("v(", "u(").replace("v:b", "u:b").replace("v: lon", "u: lon");
    let bounds = bounds.replace("w", "v").replace("data: v", "data: u");
    let error = refused(folder.path(), &bounds, &[("y", &[4]), ("x", &[6])]);
    assert!(error.message().contains("8.3") && error.message().contains("'/u'"), "{error}");
    // A variable with the dimensions of the interpolated coordinates has no tie points.
    let path = folder.path().join("agg.nc");
    write_aggregation(&path, aggregated("radiance"), &[("y", &[4]), ("x", &[5])], &["a.nc"]);
    let error = all(&path, "radiance").unwrap_err();
    assert_eq!(error.kind(), Kind::FragmentShape, "{error}");
    // Tie points can be aggregated as plain values.
    make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("ty", &[2]), ("tx", &[2])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), cfa::Values::F32(vec![1.0, 2.0, 3.0, 4.0]));
}

#[test]
fn gathered_places_that_are_no_places_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (declared, data, told) in [
        ("int land(land) ; land:compress = \"y x\"", "land = 1, 6", "has 6 at 1, which is not from 0 to 5"),
        ("int land(land) ; land:compress = \"y x\"", "land = -1, 5", "has -1 at 0"),
        ("int land(land) ; land:compress = \"y x\"", "land = 1, _", "has no value at 1"),
        ("float land(land) ; land:compress = \"y x\"", "land = 1, 1.5", "is not whole numbers"),
        ("int land(land) ; land:compress = \"y z\"", "land = 1, 2", "names an unknown dimension"),
    ] {
        let body = format!(
            "dimensions: y = 2 ; x = 3 ; land = 2 ; variables: {declared} ; float v(land) ; data: {data} ; v = 1, 2 ;"
        );
        let error = refused(folder.path(), &body, &[("y", &[2]), ("x", &[3])]);
        assert_eq!(error.kind(), Kind::FragmentShape, "{error}");
        assert!(error.message().contains(told), "{declared} {data}: {error}");
    }
}

#[test]
fn many_count_and_index_variables_are_refused_before_they_are_paired() {
    let folder = tempfile::tempdir().unwrap();
    let one = |i: usize| {
        format!("int n{i}(profile) ; n{i}:sample_dimension = \"obs\" ; int i{i}(profile) ; i{i}:instance_dimension = \"station\" ;")
    };
    let many: String = (0..300).map(one).collect();
    let body = format!(
        "dimensions: station = 2 ; profile = 2 ; obs = 3 ; variables: float v(obs) ; {many} data: v = 1, 2, 3 ;"
    );
    let error = refused(folder.path(), &body, DIMENSIONS);
    assert_eq!(error.kind(), Kind::FragmentShape);
    assert!(error.message().contains("more than 32 list, count and index variables"), "{error}");
}

#[test]
fn damaged_ragged_files_are_errors_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; profile = 3 ; obs = 5 ; land = 2 ; length = 3 ;
        variables:
          int land(land) ; land:compress = \"station profile\" ;
          float g(land) ;
          byte n(profile) ; n:sample_dimension = \"obs\" ;
          byte i(profile) ; i:instance_dimension = \"station\" ;
          float v(obs) ;
          char w(obs, length) ;
        data: land = 1, 5 ; g = 1, 2 ; n = 1, 2, 2 ; i = 1, 0, 1 ; v = 1, 2, 3, 4, 5 ; w = \"a\", \"b\", \"c\", \"d\", \"e\" ;";
    let file = make_from(folder.path(), "a", body);
    // In a classic file, damage hits little but the counts, indices and names.
    let classic = folder.path().join("b.nc");
    let copied =
        std::process::Command::new("nccopy").args(["-k", "classic"]).args([&file, &classic]).status();
    assert!(copied.unwrap().success());
    let dimensions: &[(&str, &[usize])] = &[("station", &[2]), ("profile", &[2]), ("obs", &[3])];
    for (good, cases) in [(classic, 400), (file, 150)] {
        let whole = std::fs::read(&good).unwrap();
        let name = good.file_name().unwrap().to_str().unwrap();
        let rng = &mut Rng::new(11);
        for (variable, dimensions) in [
            (aggregated("v"), dimensions),
            (Var::new("w", DataType::String, &[], Data::None), dimensions),
            (aggregated("g"), &[("station", &[2]), ("profile", &[3])]),
        ] {
            let variable_name = variable.name.clone();
            write_aggregation(&path, variable, dimensions, &[name]);
            assert!(all(&path, &variable_name).is_ok());
            for _ in 0..cases {
                let mut bytes = whole.clone();
                for _ in 0..1 + rng.below(3) {
                    let (at, bit) = (rng.below(bytes.len()), rng.below(8));
                    bytes[at] = rng.pick(&[0, 1, 2, 127, 255, bytes[at] ^ (1 << bit)]);
                }
                std::fs::write(&good, bytes).unwrap();
                // Any result will do, as long as the call returns.
                let _ = all(&path, &variable_name);
            }
            std::fs::write(&good, &whole).unwrap();
        }
    }
}
