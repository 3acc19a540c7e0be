//! The draft of CF sections 2.8.1 and 2.8.2.

use super::*;

fn file_with(locations: (&[u64], &[&str]), addresses: (&[u64], &[&str])) -> (Memory, VariableId) {
    let mut file = Memory::new();
    file.dimension("/x", 7, false);
    file.variable("/s", &[1, 2], Values::I32(vec![3, 4]));
    let list = [("substitutions", strings(&["${base}: data/\n${b}: y"])), ("_FillValue", strings(&["none"]))];
    file.variable_with("/l", locations.0, strings(locations.1), &list);
    file.variable("/a", addresses.0, strings(addresses.1));
    let data = "shape: s location: l address: a";
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    (file, v)
}

#[test]
fn shape_location_and_address_describe_fragments_in_files() {
    let (file, v) = file_with((&[2], &["p.nc", "q.nc"]), (&[2], &["t", "u"]));
    let a = decode(&file, v).unwrap();
    assert_eq!((a.dialect, a.grid.range(0, 1)), (Dialect::CfDraft, 3..7));
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("p.nc", "t", "")]), stored(&[("q.nc", "u", "")])]);
}

#[test]
fn versions_are_kept_in_order_without_their_padding() {
    let (file, v) = file_with((&[2, 2], &["p.nc", "q.nc", "r.nc", "none"]), (&[], &["t"]));
    let a = decode(&file, v).unwrap();
    let expected = [stored(&[("p.nc", "t", ""), ("q.nc", "t", "")]), stored(&[("r.nc", "t", "")])];
    assert_eq!(fragments(&file, &a).unwrap(), expected);
}

#[test]
fn every_fragment_has_at_least_one_version() {
    let (file, v) = file_with((&[2, 1], &["p.nc", "none"]), (&[2, 1], &["t", "t"]));
    assert_eq!(fragments(&file, &decode(&file, v).unwrap()).unwrap_err().kind(), Kind::Uri);
}

#[test]
fn every_version_has_an_address() {
    let (file, v) = file_with((&[2, 1], &["p.nc", "q.nc"]), (&[2, 1], &["t", ""]));
    assert_eq!(fragments(&file, &decode(&file, v).unwrap()).unwrap_err().kind(), Kind::Address);
}

#[test]
fn address_has_the_dimensions_of_location_or_none() {
    let (file, v) = file_with((&[2], &["p.nc", "q.nc"]), (&[3], &["t", "u", "w"]));
    assert_eq!(refused(&file, v), Kind::Rank);
    let (file, v) = file_with((&[2, 2], &["p", "q", "r", "s"]), (&[2, 3], &["t"; 6]));
    assert_eq!(refused(&file, v), Kind::Rank);
}

#[test]
fn substitutions_are_applied_and_settings_go_first() {
    let (file, v) = file_with((&[2], &["${base}p.nc", "${gone}${b}.nc"]), (&[], &["t"]));
    let a = decode(&file, v).unwrap();
    let expected = [stored(&[("data/p.nc", "t", "")]), stored(&[("${gone}y.nc", "t", "")])];
    assert_eq!(fragments(&file, &a).unwrap(), expected);
    let runtime = Substitutions::from_pairs([("base", "/new/"), ("gone", "here/")]);
    let Lookup::Fragments(moved) = a.fragments.lookup(&file, &Selection::all(&[2]), &runtime).unwrap() else {
        panic!("no fragments");
    };
    assert_eq!(moved, [stored(&[("/new/p.nc", "t", "")]), stored(&[("here/y.nc", "t", "")])]);
}

#[test]
fn numeric_addresses_are_not_netcdf() {
    let (mut file, _) = file_with((&[2], &["p", "q"]), (&[], &["t"]));
    file.variable("/n", &[2], Values::I32(vec![3, 4]));
    let data = "shape: s location: l address: n";
    let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    assert_eq!(fragments(&file, &decode(&file, v).unwrap()).unwrap_err().kind(), Kind::Address);
}

#[test]
fn shape_and_value_describe_unique_values() {
    let (mut file, _) = file_with((&[2], &["p", "q"]), (&[], &["t"]));
    file.variable("/q", &[2], Values::F32(vec![1.5, 2.5]));
    let v =
        file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", "shape: s value: q")]);
    assert_eq!(unique(&file, &decode(&file, v).unwrap()), Values::F32(vec![1.5, 2.5]));
}

#[test]
fn keywords_are_case_sensitive_and_no_other_combination_is_allowed() {
    let (mut file, _) = file_with((&[2], &["p", "q"]), (&[], &["t"]));
    for data in [
        "SHAPE: s LOCATION: l ADDRESS: a",
        "shape: s location: l address: a tracking_id: a",
        "shape: s uris: l identifiers: a",
        "shape: s location: l",
        "shape: s location: l address: a value: a",
        "value: a",
    ] {
        let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
        assert_eq!(refused(&file, v), Kind::Terms, "{data}");
    }
}
