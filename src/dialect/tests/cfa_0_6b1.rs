//! CFA-0.6b1, both texts.

use super::*;

/// Two fragments along x (size 7) with these ranges.
fn line(ranges: &[i32]) -> (Memory, VariableId) {
    let mut file = Memory::new();
    file.dimension("/x", 7, false);
    file.variable("/l", &[2, 1, 2], Values::I32(ranges.to_vec()));
    file.variable("/f", &[2], strings(&["a.nc", "b.nc"]));
    file.variable("/o", &[2], strings(&["nc", "NC"]));
    file.variable("/a", &[2], strings(&["v", "w"]));
    let v = named(&mut file, "location: l file: f format: o address: a");
    (file, v)
}

fn named(file: &mut Memory, data: &str) -> VariableId {
    file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", data)])
}

#[test]
fn index_ranges_are_inclusive_and_zero_based() {
    let (file, v) = line(&[0, 2, 3, 6]);
    let a = decode(&file, v).unwrap();
    assert_eq!((a.dialect, a.grid.range(0, 0), a.grid.range(0, 1)), (Dialect::Cfa06b1, 0..3, 3..7));
    assert_eq!(
        fragments(&file, &a).unwrap(),
        [stored(&[("a.nc", "v", "nc")]), stored(&[("b.nc", "w", "nc")])]
    );
    assert!(a.fragments.allows_absolute_paths());
}

#[test]
fn index_ranges_must_tile_in_order() {
    for (what, ranges) in [
        ("gap", [0, 2, 4, 6]),
        ("overlap", [0, 2, 2, 6]),
        ("out of range", [0, 2, 3, 7]),
        ("too short", [0, 2, 3, 5]),
        ("reversed range", [0, 2, 6, 3]),
        ("negative", [-1, 2, 3, 6]),
        ("out of order", [4, 6, 0, 3]),
        ("missing", [0, 2, PAD, 6]),
    ] {
        let (file, v) = line(&ranges);
        assert_eq!(refused(&file, v), Kind::Map, "{what}");
    }
}

#[test]
fn an_index_may_be_the_default_fill_of_its_unsigned_type() {
    let mut file = Memory::new();
    file.dimension("/x", 65536, false);
    file.variable("/l", &[2, 1, 2], Values::U16(vec![0, 65534, 65535, 65535]));
    file.variable("/f", &[2], strings(&["a.nc", "b.nc"]));
    file.variable("/a", &[2], strings(&["v", "w"]));
    let data = "location: l file: f format: a address: a";
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    let a = decode(&file, v).unwrap();
    assert_eq!((a.grid.range(0, 0), a.grid.range(0, 1)), (0..65535, 65535..65536));
}

#[test]
fn fragments_in_one_place_must_have_one_range() {
    let mut file = Memory::new();
    file.dimension("/y", 3, false);
    file.dimension("/x", 4, false);
    let mut ranges = vec![0, 1, 0, 1, 0, 1, 2, 3, 2, 2, 0, 1, 2, 2, 2, 3];
    file.variable("/f", &[2, 2], strings(&["a"; 4]));
    let attributes =
        [("aggregated_dimensions", "y x"), ("aggregated_data", "location: l file: f format: f address: f")];
    file.variable("/l", &[2, 2, 2, 2], Values::I32(ranges.clone()));
    let v = file.aggregation("/v", &attributes);
    assert_eq!(decode(&file, v).unwrap().grid.fragments(), [2, 2]);
    ranges[11] = 2;
    let mut file = Memory::new();
    file.dimension("/y", 3, false);
    file.dimension("/x", 4, false);
    file.variable("/f", &[2, 2], strings(&["a"; 4]));
    file.variable("/l", &[2, 2, 2, 2], Values::I32(ranges));
    let v = file.aggregation("/v", &attributes);
    let error = decode(&file, v).unwrap_err();
    assert_eq!((error.kind(), error.fragment()), (Kind::Map, Some([1, 0].as_slice())));
}

#[test]
fn location_and_address_are_mandatory() {
    let (mut file, _) = line(&[0, 2, 3, 6]);
    for data in ["location: l file: f format: o", "file: f format: o address: a"] {
        let v = named(&mut file, data);
        assert_eq!(refused(&file, v), Kind::Terms, "{data}");
    }
}

#[test]
fn terms_ignore_case_and_unknown_ones_are_ignored() {
    let (mut file, _) = line(&[0, 2, 3, 6]);
    let v = named(&mut file, "LOCATION: l File: f FORMAT: o aDDress: a tracking_id: nowhere");
    let a = decode(&file, v).unwrap();
    assert_eq!(a.dialect, Dialect::Cfa06b1);
    assert_eq!(a.definition.len(), 4);
}

#[test]
fn a_missing_file_with_an_address_is_in_the_same_file_and_without_one_wholly_missing() {
    let (mut file, _) = line(&[0, 2, 3, 6]);
    file.variable("/ff", &[2], strings(&["", ""]));
    file.variable("/aa", &[2], strings(&["temp2", ""]));
    let v = named(&mut file, "location: l file: ff format: ff address: aa");
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("", "temp2", "")]), Fragment::Missing]);
}

#[test]
fn a_file_needs_an_address() {
    let (mut file, _) = line(&[0, 2, 3, 6]);
    file.variable("/aa", &[2], strings(&["v", ""]));
    let v = named(&mut file, "location: l file: f format: o address: aa");
    let error = fragments(&file, &decode(&file, v).unwrap()).unwrap_err();
    assert_eq!((error.kind(), error.fragment()), (Kind::Address, Some([1].as_slice())));
}

#[test]
fn versions_are_padded_and_a_same_file_address_is_the_first() {
    let (mut file, _) = line(&[0, 2, 3, 6]);
    file.variable("/ff", &[2, 2], strings(&["l.nc", "r.nc", "", ""]));
    file.variable("/oo", &[2, 2], strings(&["nc", "pp", "", ""]));
    file.variable("/aa", &[2, 2], strings(&["t3", "t", "here", ""]));
    let v = named(&mut file, "location: l file: ff format: oo address: aa");
    let a = decode(&file, v).unwrap();
    let expected = [stored(&[("l.nc", "t3", "nc"), ("r.nc", "t", "pp")]), stored(&[("", "here", "")])];
    assert_eq!(fragments(&file, &a).unwrap(), expected);
}

#[test]
fn the_earlier_text_may_leave_out_file_and_format() {
    let (mut file, _) = line(&[0, 2, 3, 6]);
    let v = named(&mut file, "location: l file: f address: a");
    let a = decode(&file, v).unwrap();
    assert_eq!(a.dialect, Dialect::Cfa06b1Early);
    assert_eq!(fragments(&file, &a).unwrap()[1], stored(&[("b.nc", "w", "")]));
    let v = named(&mut file, "location: l address: a");
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("", "v", "")]), stored(&[("", "w", "")])]);
}

#[test]
fn a_packed_variable_of_the_earlier_text_is_a_warning() {
    let (mut file, _) = line(&[0, 2, 3, 6]);
    let text = |t: &str| Values::Char(t.as_bytes().to_vec());
    for (data, warnings) in
        [("location: l file: f address: a", 1), ("location: l file: f format: o address: a", 0)]
    {
        let list = [
            ("aggregated_dimensions", text("x")),
            ("aggregated_data", text(data)),
            ("scale_factor", Values::F64(vec![0.5])),
        ];
        let v = file.variable_with("/p", &[], Values::I16(vec![0]), &list);
        assert_eq!(decode(&file, v).unwrap().warnings.len(), warnings);
    }
}

#[test]
fn scalar_data_have_no_ranges() {
    let mut file = Memory::new();
    file.variable("/l", &[0, 2], Values::I32(vec![]));
    file.variable("/f", &[], strings(&["a.nc"]));
    let data = "location: l file: f format: f address: f";
    let v = file.aggregation("/v", &[("aggregated_dimensions", ""), ("aggregated_data", data)]);
    let a = decode(&file, v).unwrap();
    assert_eq!((a.dialect, a.grid.shape().len()), (Dialect::Cfa06b1, 0));
}

#[test]
fn a_shared_file_variable_with_more_size_1_dimensions_is_tolerated() {
    let (mut file, _) = line(&[0, 2, 3, 6]);
    file.variable("/ff", &[2, 1, 1], strings(&["a.nc", "b.nc"]));
    let v = named(&mut file, "location: l file: ff format: ff address: a");
    let a = decode(&file, v).unwrap();
    assert_eq!(a.warnings.len(), 2);
    assert_eq!(fragments(&file, &a).unwrap().len(), 2);
}
