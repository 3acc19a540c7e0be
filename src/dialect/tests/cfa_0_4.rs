//! CFA-0.4: JSON partitions.

use super::*;
use crate::model::fragments::{AxisIndices, View};

fn file() -> Memory {
    let mut file = Memory::new();
    file.dimension("/y", 3, false);
    file.dimension("/x", 5, false);
    file
}

fn array(file: &mut Memory, json: &str) -> VariableId {
    file.aggregation("/v", &[("cf_role", "cfa_variable"), ("cfa_dimensions", "y x"), ("cfa_array", json)])
}

fn sub(name: &str) -> String {
    format!(
        r#""subarray": {{"file": "{name}", "ncvar": "v", "varid": null, "format": "netCDF", "shape": [3, 2]}}"#
    )
}

#[test]
fn partitions_in_any_order_are_placed_by_location() {
    let mut file = file();
    let (a, b) = (sub("a.nc"), sub("b.nc"));
    let json = format!(
        r#"{{"base": "", "pmdimensions": ["x"], "pmshape": [2], "Partitions": [
            {{"index": [1], "location": [[0, 2], [2, 4]], {b}}}, {{"index": [0], "location": [[0, 2], [0, 1]], {a}}}]}}"#
    );
    let v = array(&mut file, &json);
    let found = decode(&file, v).unwrap();
    assert_eq!((found.dialect, found.grid.fragments()), (Dialect::Cfa04, [1, 2].as_slice()));
    assert_eq!(found.grid.range(1, 1), 2..5);
    let expected = [stored(&[("a.nc", "v", "netcdf")]), stored(&[("b.nc", "v", "netcdf")])];
    assert_eq!(fragments(&file, &found).unwrap(), expected);
    assert!(found.fragments.allows_absolute_paths());
}

#[test]
fn an_exclusive_stop_is_understood_when_only_that_tiles() {
    let mut file = file();
    let (a, b) = (sub("a.nc"), sub("b.nc"));
    let json = format!(
        r#"{{"Partitions": [{{"location": [[0, 3], [0, 2]], {a}}}, {{"location": [[0, 3], [2, 5]], {b}}}]}}"#
    );
    let v = array(&mut file, &json);
    assert_eq!(decode(&file, v).unwrap().grid.range(1, 1), 2..5);
}

#[test]
fn one_partition_needs_no_index_and_no_location() {
    let mut file = file();
    let v = array(&mut file, &format!(r#"{{"Partitions": [{{{}}}], "base": "../dir/"}}"#, sub("a.nc")));
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("../dir/a.nc", "v", "netcdf")])]);
}

#[test]
fn a_subarray_without_file_is_a_private_variable_of_this_file() {
    let mut file = file();
    let role = [("cf_role", strings(&["cfa_private"]))];
    let private = file.variable_with("/cfa_1b", &[3, 5], Values::F32(vec![0.0; 15]), &role);
    let v = array(&mut file, r#"{"Partitions": [{"subarray": {"ncvar": "cfa_1b", "shape": [3, 5]}}]}"#);
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("", "cfa_1b", "")])]);
    assert_eq!(a.definition, [private]);
}

#[test]
fn dimension_order_reversal_part_and_units_are_kept() {
    let mut file = file();
    let json = format!(
        r#"{{"Partitions": [{{"location": [[0, 2], [0, 4]], "pdimensions": ["x", "y"], "reverse": ["y"],
            "part": "[(4, 2, 1, 0, 3), [1, 5, 2]]", "punits": "hours since 2000-1-1", "pcalendar": "noleap", {}}}]}}"#,
        sub("a.nc")
    );
    let v = array(&mut file, &json);
    let list = fragments(&file, &decode(&file, v).unwrap()).unwrap();
    let Fragment::Stored { view: Some(view), .. } = &list[0] else { panic!("{list:?}") };
    let expected = View {
        axes: Some(vec![1, 0]),
        reversed: vec![0],
        part: Some(vec![
            AxisIndices::Indices(vec![4, 2, 1, 0, 3]),
            AxisIndices::Slice { start: 1, count: 3, step: 2 },
        ]),
        units: Some("hours since 2000-1-1".into()),
        calendar: Some("noleap".into()),
    };
    assert_eq!(**view, expected);
}

#[test]
fn a_dimension_may_be_lacking_in_the_stored_array() {
    let mut file = Memory::new();
    file.dimension("/y", 1, false);
    file.dimension("/x", 5, false);
    let json =
        format!(r#"{{"Partitions": [{{"pdimensions": ["x"], "part": "[[0, 4, 1]]", {}}}]}}"#, sub("a.nc"));
    let v = array(&mut file, &json);
    let list = fragments(&file, &decode(&file, v).unwrap()).unwrap();
    let Fragment::Stored { view: Some(view), .. } = &list[0] else { panic!("{list:?}") };
    assert_eq!(view.axes, Some(vec![1]));
}

#[test]
fn what_is_malformed_is_refused() {
    let s = sub("a.nc");
    for (json, kind) in [
        ("{".to_owned(), Kind::Attribute),
        ("{}".to_owned(), Kind::Attribute),
        (r#"{"Partitions": []}"#.to_owned(), Kind::Map),
        (r#"{"Partitions": [{}]}"#.to_owned(), Kind::Attribute),
        (r#"{"Partitions": [{"subarray": {"file": "a.nc", "varid": 3}}]}"#.to_owned(), Kind::Address),
        (format!(r#"{{"Partitions": [{{"location": [[0, 2]], {s}}}]}}"#), Kind::Map),
        (format!(r#"{{"Partitions": [{{"location": [[0, 2], [1, 4]], {s}}}]}}"#), Kind::Map),
        (format!(r#"{{"Partitions": [{{"location": [[0, 2], [-1, 4]], {s}}}]}}"#), Kind::Map),
        (format!(r#"{{"Partitions": [{{"location": [[0, 2], [0, 9]], {s}}}]}}"#), Kind::Map),
        (
            format!(r#"{{"Partitions": [{{"location": [[0, 2], [0, 18446744073709551615]], {s}}}]}}"#),
            Kind::Map,
        ),
        (format!(r#"{{"Partitions": [{{{s}}}, {{{s}}}]}}"#), Kind::Map),
        (format!(r#"{{"Partitions": [{{"part": "[[0, 9, 1], [0, 4, 1]]", {s}}}]}}"#), Kind::Map),
        (format!(r#"{{"Partitions": [{{"part": "[[0, 2, 1]]", {s}}}]}}"#), Kind::Map),
        (format!(r#"{{"Partitions": [{{"pdimensions": ["z"], {s}}}]}}"#), Kind::MissingDimension),
        (format!(r#"{{"Partitions": [{{"reverse": ["x", "x"], {s}}}]}}"#), Kind::Attribute),
    ] {
        let mut file = file();
        let v = array(&mut file, &json);
        assert_eq!(refused(&file, v), kind, "{json}");
    }
}

#[test]
fn another_format_is_passed_on() {
    let mut file = file();
    let v = array(
        &mut file,
        r#"{"Partitions": [{"subarray": {"file": "a.pp", "format": "PP", "file_offset": 9}}]}"#,
    );
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("a.pp", "", "pp")])]);
}

#[test]
fn without_cfa_dimensions_the_array_is_scalar() {
    let mut file = Memory::new();
    let json = format!(r#"{{"Partitions": [{{"location": [], {}}}]}}"#, sub("a.nc"));
    let v = file.aggregation("/v", &[("cfa_array", &json)]);
    assert_eq!(decode(&file, v).unwrap().grid.shape().len(), 0);
}
