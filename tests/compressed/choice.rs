//! Which form a fragment has: as stored, or one of those that the file describes.

use cfa::{DataType, Kind, Values};

use super::{aggregated, all, write_aggregation, write_aggregation_of, N};
use crate::support::cdl::make_from;
use crate::support::{Data, Var};

#[test]
fn what_fits_as_it_is_stored_is_not_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; obs = 3 ; z = 2 ;
        variables:
          int station_index(obs) ; station_index:instance_dimension = \"station\" ;
          float v(obs, z) ;
        data: station_index = 1, 0, 1 ; v = 1, 2, 3, 4, 5, 6 ;";
    make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("obs", &[3]), ("z", &[2])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    // An omitted dimension of size 1 does not belong to the ragged array.
    write_aggregation(&path, aggregated("v"), &[("obs", &[3]), ("run", &[1]), ("z", &[2])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
}

/// One sample of each of three stations, not in their order.
const ONE_EACH: &str = "
    dimensions: station = 3 ; obs = 3 ; length = 2 ;
    variables:
      int station_index(obs) ; station_index:instance_dimension = \"station\" ;
      float v(obs) ;
      char name(obs, length) ;
    data: station_index = 2, 0, 1 ; v = 1, 2, 3 ; name = \"a\", \"b\", \"c\" ;";

#[test]
fn one_sample_of_each_instance_goes_to_its_instance() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    make_from(folder.path(), "a", ONE_EACH);
    let dimensions: &[(&str, &[usize])] = &[("station", &[3]), ("obs", &[1])];
    write_aggregation(&path, aggregated("v"), dimensions, &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![2.0, 3.0, 1.0]));
    write_aggregation(&path, Var::new("name", DataType::String, &[], Data::None), dimensions, &["a.nc"]);
    assert_eq!(all(&path, "name").unwrap(), Values::String(["b", "c", "a"].map(String::from).to_vec()));
}

#[test]
fn samples_that_are_aggregated_as_samples_stay_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    make_from(folder.path(), "a", ONE_EACH);
    let body = "
        dimensions: obs = 3 ; run = 1 ; f = 1 ; g = 1 ; i = 2 ; j = 1 ;
        variables:
          float v ; v:aggregated_dimensions = \"obs run\" ;
            v:aggregated_data = \"map: map uris: uris identifiers: v_id\" ;
          int station_index ; station_index:instance_dimension = \"station\" ;
            station_index:aggregated_dimensions = \"obs\" ;
            station_index:aggregated_data = \"map: index_map uris: index_uris identifiers: index_id\" ;
          int map(i, j) ; int index_map(f, j) ;
          string uris(f, g) ; string index_uris(f) ;
          string v_id ; string index_id ;
        data: map = 3, 1 ; index_map = 3 ; uris = \"a.nc\" ; index_uris = \"a.nc\" ;
              v_id = \"v\" ; index_id = \"station_index\" ;";
    // The aggregation states to which instance its own samples belong.
    let named = body.replace("dimensions: obs", "dimensions: station = 3 ; obs");
    let path = make_from(folder.path(), "agg", &named);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, 2.0, 3.0]));
    assert_eq!(all(&path, "station_index").unwrap(), Values::I32(vec![2, 0, 1]));
}

#[test]
fn a_count_variable_of_the_same_group_goes_before_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; obs = 3 ;
        variables: float v(obs) ; int n(station) ; n:sample_dimension = \"obs\" ;
        data: n = 1, 2 ; v = 1, 2, 3 ;
        group: inner {
          variables: float v(obs) ; int n(station) ; n:sample_dimension = \"/obs\" ;
          data: n = 2, 1 ; v = 4, 5, 6 ;
        }
        group: other {
          variables: int n(station) ; n:sample_dimension = \"obs\" ; data: n = 3, 0 ;
        }
        group: far {
          dimensions: sample = 2 ;
          variables: float v(sample) ; data: v = 7, 8 ;
          group: away {
            variables: int n(station) ; n:sample_dimension = \"sample\" ; data: n = 0, 2 ;
          }
        }";
    make_from(folder.path(), "a", body);
    let dimensions: &[(&str, &[usize])] = &[("station", &[2]), ("obs", &[2])];
    for (identifier, wanted) in
        [("v", [1.0, N, 2.0, 3.0]), ("inner/v", [4.0, 5.0, 6.0, N]), ("far/v", [N, N, 7.0, 8.0])]
    {
        write_aggregation_of(&path, aggregated("v"), identifier, dimensions, &["a.nc"]);
        assert_eq!(all(&path, "v").unwrap(), Values::F32(wanted.to_vec()), "{identifier}");
    }
}

#[test]
fn a_list_of_places_may_lie_in_another_group_than_its_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: y = 2 ; x = 3 ; land = 2 ; sea = 2 ;
        variables:
          float v(land) ; int land(land) ; land:compress = \"y x\" ;
          float w(sea) ;
        data: v = 1, 2 ; land = 5, 0 ; w = 7, 8 ;
        group: inner {
          variables: float v(land) ; int land(land) ; land:compress = \"y x\" ; float w(sea) ;
          data: v = 3, 4 ; land = 1, 2 ; w = 5, 6 ;
        }
        group: other {
          variables: int sea(sea) ; sea:compress = \"/y /x\" ; data: sea = 4, 3 ;
        }";
    make_from(folder.path(), "a", body);
    let dimensions: &[(&str, &[usize])] = &[("y", &[2]), ("x", &[3])];
    for (identifier, wanted) in [
        ("v", [2.0, N, N, N, N, 1.0]),
        ("inner/v", [N, 3.0, 4.0, N, N, N]),
        ("w", [N, N, N, 8.0, 7.0, N]),
        ("inner/w", [N, N, N, 6.0, 5.0, N]),
    ] {
        write_aggregation_of(&path, aggregated("v"), identifier, dimensions, &["a.nc"]);
        assert_eq!(all(&path, "v").unwrap(), Values::F32(wanted.to_vec()), "{identifier}");
    }
    // Two that are equally near are no choice.
    let twice = format!("{body} group: third {{ variables: int sea(sea) ; sea:compress = \"/y /x\" ; }}");
    make_from(folder.path(), "a", &twice);
    write_aggregation_of(&path, aggregated("v"), "w", dimensions, &["a.nc"]);
    let error = all(&path, "v").unwrap_err();
    assert_eq!(error.kind(), Kind::FragmentShape);
    assert!(
        error.to_string().contains("'/other/sea'") && error.to_string().contains("'/third/sea'"),
        "{error}"
    );
}

#[test]
fn two_count_variables_that_both_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; other = 2 ; obs = 3 ;
        variables:
          int n(station) ; n:sample_dimension = \"obs\" ;
          int m(other) ; m:sample_dimension = \"obs\" ;
          float v(obs) ;
        data: n = 1, 2 ; m = 2, 1 ; v = 1, 2, 3 ;";
    make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("station", &[2]), ("obs", &[2])], &["a.nc"]);
    let error = all(&path, "v").unwrap_err();
    assert_eq!(error.kind(), Kind::FragmentShape);
    assert!(error.to_string().contains("'/n'") && error.to_string().contains("'/m'"), "{error}");
    // If only one of two forms fits, there is no ambiguity.
    make_from(
        folder.path(),
        "a",
        &body.replace("other = 2", "other = 4").replace("m = 2, 1", "m = 1, 0, 1, 1"),
    );
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, N, 2.0, 3.0]));
    write_aggregation(&path, aggregated("v"), &[("other", &[4]), ("obs", &[2])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, N, N, N, 2.0, N, 3.0, N]));
}

#[test]
fn a_count_and_an_index_variable_that_say_the_same_are_no_conflict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 2 ; obs = 3 ;
        variables:
          int n(station) ; n:sample_dimension = \"obs\" ;
          int i(obs) ; i:instance_dimension = \"station\" ;
          float v(obs) ;
        data: n = 1, 2 ; i = 0, 1, 1 ; v = 1, 2, 3 ;";
    make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("station", &[2]), ("obs", &[2])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, N, 2.0, 3.0]));
}

#[test]
fn what_fits_is_not_refused_for_a_form_that_it_has_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    let body = "
        dimensions: station = 3 ; obs = 3 ;
        variables:
          int obs(obs) ; obs:compress = \"lat lon\" ;
          int station_index(obs) ; station_index:instance_dimension = \"station\" ;
          float v(obs) ;
        data: station_index = 2, 2, 0 ; v = 1, 2, 3 ;";
    make_from(folder.path(), "a", body);
    write_aggregation(&path, aggregated("v"), &[("obs", &[3]), ("run", &[1])], &["a.nc"]);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, 2.0, 3.0]));
    // Two samples of one station do not fit into 3 x 1, so the stored array is meant.
    make_from(folder.path(), "a", &body.replace("int obs(obs) ; obs:compress = \"lat lon\" ;", ""));
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, 2.0, 3.0]));
}
