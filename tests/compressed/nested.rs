//! Ragged arrays in aggregations of aggregations, and in the aggregation file itself.

use cfa::check::{check, Options, State};
use cfa::{Kind, Values};

use super::{aggregated, all, write_aggregation, N};
use crate::support::cdl::make_from;

const PLAIN: &str = "
    dimensions: station = 2 ; obs = 3 ;
    variables: int n(station) ; n:sample_dimension = \"obs\" ; float v(obs) ;
    data: n = 1, 2 ; v = 1, 2, 3 ;";

#[test]
fn an_aggregation_of_expanded_fragments_is_a_fragment_again() {
    let folder = tempfile::tempdir().unwrap();
    make_from(folder.path(), "a", PLAIN);
    let (inner, outer) = (folder.path().join("inner.nc"), folder.path().join("outer.nc"));
    write_aggregation(&inner, aggregated("v"), &[("station", &[2]), ("obs", &[3])], &["a.nc"]);
    write_aggregation(
        &outer,
        aggregated("v"),
        &[("station", &[2, 2]), ("obs", &[3])],
        &["inner.nc", "inner.nc"],
    );
    let once = [1.0, N, N, 2.0, 3.0, N];
    assert_eq!(all(&outer, "v").unwrap(), Values::F32([once, once].concat()));
}

/// A ragged array that is aggregated along its sample dimension, counts and all; `N` and `M` are the sizes of the parts.
const SAMPLES: &str = "
    dimensions: station = 4 ; obs = 6 ; f = 2 ; j = 1 ;
    variables:
      int n ; n:sample_dimension = \"obs\" ; n:aggregated_dimensions = \"station\" ;
        n:aggregated_data = \"map: stations uris: uris identifiers: n_id\" ;
      float v ; v:aggregated_dimensions = \"obs\" ;
        v:aggregated_data = \"map: samples uris: uris identifiers: v_id\" ;
      int stations(j, f) ; int samples(j, f) ; string uris(f) ; string n_id ; string v_id ;
    data: stations = 2, 2 ; samples = 3, 3 ; uris = \"a.nc\", \"b.nc\" ; n_id = \"n\" ; v_id = \"v\" ;";

#[test]
fn an_aggregation_that_is_a_ragged_array_is_expanded_as_a_fragment() {
    let folder = tempfile::tempdir().unwrap();
    make_from(folder.path(), "a", PLAIN);
    make_from(folder.path(), "b", &PLAIN.replace("n = 1, 2", "n = 3, 0").replace("1, 2, 3", "4, 5, 6"));
    let inner = make_from(folder.path(), "inner", SAMPLES);
    let wanted = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    assert_eq!(all(&inner, "v").unwrap(), Values::F32(wanted));
    let outer = folder.path().join("outer.nc");
    write_aggregation(&outer, aggregated("v"), &[("station", &[4]), ("obs", &[3])], &["inner.nc"]);
    let wanted = vec![1.0, N, N, 2.0, 3.0, N, 4.0, 5.0, 6.0, N, N, N];
    assert_eq!(all(&outer, "v").unwrap(), Values::F32(wanted));
    let report = check(&outer, &Options { fragments: true, ..Options::default() }).unwrap();
    assert_eq!(report.variables[0].states, [State::Present], "{:?}", report.findings);
}

#[test]
fn a_count_variable_may_be_aggregated_beside_samples_that_are_not() {
    let folder = tempfile::tempdir().unwrap();
    make_from(folder.path(), "a", PLAIN);
    make_from(folder.path(), "b", PLAIN);
    let body = SAMPLES
        .replace("float v ; v:aggregated_dimensions = \"obs\" ;", "float v(obs) ;")
        .replace("v:aggregated_data = \"map: samples uris: uris identifiers: v_id\" ;", "")
        .replace("data:", "data: v = 1, 2, 3, 4, 5, 6 ;");
    make_from(folder.path(), "inner", &body);
    let outer = folder.path().join("outer.nc");
    write_aggregation(&outer, aggregated("v"), &[("station", &[4]), ("obs", &[2])], &["inner.nc"]);
    let wanted = vec![1.0, N, 2.0, 3.0, 4.0, N, 5.0, 6.0];
    assert_eq!(all(&outer, "v").unwrap(), Values::F32(wanted));
}

#[test]
fn a_count_variable_that_needs_what_it_counts_is_a_cycle() {
    let folder = tempfile::tempdir().unwrap();
    // The counts are an expanded array that needs these counts: a cycle.
    let body = "
        dimensions: station = 2 ; obs = 3 ; f = 1 ; g = 1 ; i = 2 ; j = 1 ;
        variables:
          int n ; n:sample_dimension = \"obs\" ; n:aggregated_dimensions = \"station\" ;
            n:aggregated_data = \"map: stations uris: uris identifiers: n_id\" ;
          int stations(f, j) ; string uris(f) ; string n_id ;
          int v(obs) ;
        data: stations = 2 ; uris = \"agg.nc\" ; n_id = \"v\" ; v = 1, 1, 1 ;";
    make_from(folder.path(), "agg", body);
    let outer = folder.path().join("outer.nc");
    write_aggregation(&outer, aggregated("v"), &[("station", &[2]), ("obs", &[3])], &["agg.nc"]);
    let error = all(&outer, "v").unwrap_err();
    assert!(matches!(error.kind(), Kind::Cycle | Kind::FragmentShape), "{error:?}");
}

#[test]
fn a_ragged_array_of_the_aggregation_file_is_expanded() {
    let folder = tempfile::tempdir().unwrap();
    let body = "
        dimensions: station = 2 ; time = 3 ; obs = 3 ; f = 1 ; g = 1 ; i = 2 ; j = 1 ;
        variables:
          float v ; v:_FillValue = -9.f ; v:cfa_dimensions = \"station time\" ;
            v:cfa_array = \"{\\\"Partitions\\\": [{\\\"subarray\\\": {\\\"ncvar\\\": \\\"samples\\\"}}]}\" ;
          float samples(obs) ; samples:cf_role = \"cfa_private\" ;
          int n(station) ; n:sample_dimension = \"obs\" ;
        data: samples = 1, 2, 3 ; n = 1, 2 ;";
    let path = make_from(folder.path(), "agg", body);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![1.0, N, N, 2.0, 3.0, N]));
    // A part of the expanded array, of its own size, reversed and in another order.
    let part = r#"\"part\": \"[(1, 0), (1, 1, 0)]\", \"reverse\": [\"time\"], \"subarray\""#;
    let path = make_from(folder.path(), "agg", &body.replace("\\\"subarray\\\"", part));
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![2.0, 3.0, 3.0, 1.0, N, N]));
    // The number of entries shows that the rows are meant, not what an index variable would make of them.
    let indexed =
        body.replace("int n(station)", "int i(station) ; i:instance_dimension = \"f\" ; int n(station)");
    let indexed = indexed.replace("n = 1, 2", "n = 1, 2 ; i = 0, 0").replace("\\\"subarray\\\"", part);
    let path = make_from(folder.path(), "agg", &indexed);
    assert_eq!(all(&path, "v").unwrap(), Values::F32(vec![2.0, 3.0, 3.0, 1.0, N, N]));
    let outside = part.replace("(1, 1, 0)", "(1, 2, 0)");
    let path = make_from(folder.path(), "agg", &body.replace("\\\"subarray\\\"", &outside));
    let error = all(&path, "v").unwrap_err();
    assert!(error.message().contains("part has index 2 of a dimension of size 2"), "{error}");
}
