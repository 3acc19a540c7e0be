//! CF-1.13 sections 2.8.1 and 2.8.2.

use super::*;

const DATA: &str = "map: m uris: u identifiers: i";

/// The file of example 2.3: 1 x 3 x 2 fragments.
fn example() -> (Memory, VariableId) {
    let mut file = Memory::new();
    for (name, size) in [("/level", 17), ("/latitude", 180), ("/longitude", 360)] {
        file.dimension(name, size, false);
    }
    file.variable("/m", &[3, 3], Values::I32(vec![17, PAD, PAD, 90, 45, 45, 180, 180, PAD]));
    file.variable("/u", &[1, 3, 2], strings(&["A.nc", "B.nc", "C.nc", "D.nc", "E.nc", "F.nc"]));
    file.variable("/i", &[], strings(&["tmp"]));
    let v = file.aggregation(
        "/t",
        &[("aggregated_dimensions", "level latitude longitude"), ("aggregated_data", DATA)],
    );
    (file, v)
}

/// One dimension x of the given size with this map; uris u of shape [n].
fn line(size: u64, map: Values, shape: &[u64], n: u64) -> (Memory, VariableId) {
    let mut file = Memory::new();
    file.dimension("/x", size, false);
    file.variable("/m", shape, map);
    let names: Vec<String> = (0..n).map(|i| format!("{i}.nc")).collect();
    file.variable("/u", &[n], Values::String(names));
    file.variable("/i", &[], strings(&["v"]));
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", DATA)]);
    (file, v)
}

fn terms(data: &str) -> Kind {
    let (mut file, _) = line(7, Values::I32(vec![3, 4]), &[1, 2], 2);
    let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    refused(&file, v)
}

#[test]
fn example_2_3_gives_offsets_and_names() {
    let (file, v) = example();
    let a = decode(&file, v).unwrap();
    assert_eq!(a.dialect, Dialect::Cf113);
    assert_eq!((a.grid.shape(), a.grid.fragments()), ([17, 180, 360].as_slice(), [1, 3, 2].as_slice()));
    assert_eq!((a.grid.range(1, 1), a.grid.range(2, 1)), (90..135, 180..360));
    assert_eq!(a.definition.len(), 3);
    assert!(a.warnings.is_empty());
    let all = fragments(&file, &a).unwrap();
    assert_eq!(all[3], stored(&[("D.nc", "tmp", "")]));
    assert!(!a.fragments.allows_absolute_paths());
}

#[test]
fn decoding_reads_no_fragment_names_and_a_lookup_each_feature_once() {
    let (file, v) = example();
    let a = decode(&file, v).unwrap();
    let map = file.tree.variable_at("m").unwrap();
    assert_eq!(*file.reads.lock().unwrap(), [map]);
    file.reads.lock().unwrap().clear();
    let block = Selection::new(&[0, 2, 1], &[1, 2, 1], &[1, -1, 1], a.grid.fragments()).unwrap();
    let some = part(&file, &a, &block).unwrap();
    assert_eq!(some, [stored(&[("F.nc", "tmp", "")]), stored(&[("D.nc", "tmp", "")])]);
    assert_eq!(file.reads.lock().unwrap().len(), 2);
}

#[test]
fn aggregated_dimensions_must_exist() {
    let (mut file, _) = example();
    let v = file.aggregation("/w", &[("aggregated_dimensions", "level nowhere"), ("aggregated_data", DATA)]);
    assert_eq!(refused(&file, v), Kind::MissingDimension);
}

#[test]
fn aggregated_dimensions_and_data_must_be_text() {
    let mut file = Memory::new();
    let text = || Values::Char(b"".to_vec());
    for (d, a) in [(Values::I32(vec![1, 2]), text()), (text(), Values::I32(vec![5]))] {
        let list = [("aggregated_dimensions", d), ("aggregated_data", a)];
        let v = file.variable_with("/w", &[], Values::F64(vec![0.0]), &list);
        assert_eq!(refused(&file, v), Kind::Attribute);
    }
    let v = file.aggregation("/only", &[("aggregated_dimensions", "")]);
    assert_eq!(refused(&file, v), Kind::Attribute);
    let v = file.aggregation("/other", &[("aggregated_data", DATA)]);
    assert_eq!(refused(&file, v), Kind::Attribute);
}

#[test]
fn attributes_may_be_strings() {
    let (mut file, _) = example();
    let list = [
        ("aggregated_dimensions", strings(&["level latitude longitude"])),
        ("aggregated_data", strings(&[DATA])),
    ];
    let v = file.variable_with("/w", &[], Values::F64(vec![0.0]), &list);
    assert!(decode(&file, v).is_ok());
}

#[test]
fn keywords_are_case_sensitive_and_no_other_combination_is_allowed() {
    for data in [
        "Map: m Uris: u Identifiers: i",
        "map: m uris: u",
        "map: m",
        "uris: u identifiers: i",
        "map: m uris: u identifiers: i unique_values: u",
        "map: m uris: u identifiers: i format: f",
        "map: m uris: u identifiers: i map: m",
        "map: m location: u address: i",
        "",
    ] {
        assert_eq!(terms(data), Kind::Terms, "{data}");
    }
}

#[test]
fn elements_must_have_keyword_and_variable() {
    assert_eq!(terms("map m uris u identifiers i"), Kind::Attribute);
    assert_eq!(terms("map: m uris: u identifiers: i unique_values:"), Kind::Attribute);
}

#[test]
fn feature_variables_must_exist() {
    assert_eq!(terms("map: m uris: gone identifiers: i"), Kind::MissingVariable);
}

#[test]
fn map_rows_must_sum_to_the_dimension() {
    let (file, v) = line(8, Values::I32(vec![3, 4]), &[1, 2], 2);
    assert_eq!(refused(&file, v), Kind::Map);
}

#[test]
fn map_sizes_must_be_positive_integers() {
    for map in [
        Values::I32(vec![8, -1]),
        Values::I32(vec![7, 0]),
        Values::F32(vec![3.0, 4.0]),
        Values::I64(vec![i64::MAX, i64::MAX]),
        strings(&["3", "4"]),
    ] {
        let (file, v) = line(7, map, &[1, 2], 2);
        assert_eq!(refused(&file, v), Kind::Map);
    }
}

#[test]
fn map_padding_is_at_the_end_of_a_row() {
    let (file, v) = line(7, Values::I32(vec![3, PAD, 4]), &[1, 3], 2);
    assert_eq!(refused(&file, v), Kind::Map);
    let (file, v) = line(7, Values::I32(vec![PAD, PAD]), &[1, 2], 2);
    assert_eq!(refused(&file, v), Kind::Map);
}

#[test]
fn map_padding_is_fill_value_missing_value_or_the_default_fill() {
    let cases: [(Values, &[(&str, Values)]); 9] = [
        (Values::I64(vec![3, 4, -1]), &[("_FillValue", Values::I64(vec![-1]))]),
        (Values::U8(vec![3, 4, 255]), &[("_FillValue", Values::U8(vec![255]))]),
        (Values::I16(vec![3, 4, 99]), &[("missing_value", Values::F64(vec![7.0, 99.0]))]),
        (Values::I64(vec![3, 4, -9223372036854775806]), &[]),
        (Values::I8(vec![3, 4, -127]), &[]),
        (Values::U8(vec![3, 4, 255]), &[]),
        (Values::U16(vec![3, 4, 65535]), &[]),
        (Values::U32(vec![3, 4, u32::MAX]), &[]),
        (Values::U64(vec![3, 4, u64::MAX - 1]), &[]),
    ];
    for (map, attributes) in cases {
        let (mut file, _) = line(7, Values::I32(vec![7]), &[1, 1], 2);
        file.variable_with("/n", &[1, 3], map, attributes);
        let data = "map: n uris: u identifiers: i";
        let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
        assert_eq!(decode(&file, v).unwrap().grid.fragments(), [2]);
    }
}

#[test]
fn a_positive_default_fill_is_a_size_where_the_row_then_fills_the_dimension() {
    // The sizes, the dimension's size, and the expected number of fragments.
    let cases = [
        (Values::U8(vec![255, 10]), 265, 2),
        (Values::U8(vec![10, 255]), 265, 2),
        (Values::U8(vec![10, 255, 255]), 265, 2),
        (Values::U8(vec![10, 255, 255]), 10, 1),
        (Values::U8(vec![255, 255, 255]), 510, 2),
        (Values::U8(vec![255, 255, 255]), 765, 3),
        (Values::U16(vec![65535, 65535, 7]), 131077, 3),
        (Values::U16(vec![7, 65535, 65535]), 65542, 2),
    ];
    for (map, size, n) in cases {
        let (file, v) = line(size, map.clone(), &[1, map.len() as u64], n);
        assert_eq!(decode(&file, v).unwrap().grid.fragments(), [n], "{map:?} of {size}");
    }
    for (map, size) in [(Values::U8(vec![10, 255, 255]), 300), (Values::U8(vec![255, 255]), 254)] {
        let (file, v) = line(size, map.clone(), &[1, map.len() as u64], 1);
        assert_eq!(refused(&file, v), Kind::Map, "{map:?} of {size}");
    }
}

#[test]
fn a_default_fill_pads_the_row_of_an_empty_unlimited_dimension() {
    let cases = [(vec![10, 255, 255], 1, 10), (vec![255, 10, 255], 2, 265), (vec![255, 255], 2, 510)];
    for (map, n, size) in cases {
        let (mut file, v) = line(0, Values::U8(map.clone()), &[1, map.len() as u64], n);
        file.tree.dimensions[0].unlimited = true;
        let grid = decode(&file, v).unwrap().grid;
        assert_eq!((grid.fragments(), grid.shape()), ([n].as_slice(), [size].as_slice()), "{map:?}");
    }
}

#[test]
fn sizes_are_unsigned_where_the_map_says_so() {
    let unsigned = |more: &[(&'static str, Values)]| {
        let mut list = vec![("_Unsigned", Values::Char(b"true".to_vec()))];
        list.extend(more.iter().cloned());
        list
    };
    let cases = [
        (Values::I8(vec![-56, 100, -1]), unsigned(&[("_FillValue", Values::I8(vec![-1]))])),
        (Values::I8(vec![-56, 100, -127]), unsigned(&[])),
        (Values::I16(vec![200, 100, -1]), unsigned(&[("missing_value", Values::I16(vec![-1]))])),
    ];
    for (map, attributes) in cases {
        let (mut file, _) = line(300, Values::I32(vec![300]), &[1, 1], 2);
        file.variable_with("/n", &[1, 3], map.clone(), &attributes);
        let data = "map: n uris: u identifiers: i";
        let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
        assert_eq!(decode(&file, v).unwrap().grid.fragments(), [2], "{map:?}");
    }
}

#[test]
fn map_is_two_dimensional_with_one_row_per_dimension() {
    let (file, v) = line(7, Values::I32(vec![3, 4]), &[2], 2);
    assert_eq!(refused(&file, v), Kind::Rank);
    let (file, v) = line(7, Values::I32(vec![3, 4, 3, 4]), &[2, 2], 2);
    assert_eq!(refused(&file, v), Kind::Rank);
}

#[test]
fn map_and_uris_must_describe_the_same_array() {
    let (file, v) = line(7, Values::I32(vec![3, 2, 2]), &[1, 3], 2);
    assert_eq!(refused(&file, v), Kind::Rank);
}

#[test]
fn uris_have_the_dimensions_of_the_array_of_fragments() {
    let mut file = Memory::new();
    file.dimension("/y", 7, false);
    file.dimension("/x", 2, false);
    file.variable("/m", &[2, 2], Values::I32(vec![3, 4, 2, PAD]));
    file.variable("/u", &[2], strings(&["a", "b"]));
    file.variable("/i", &[], strings(&["v"]));
    let v = file.aggregation("/v", &[("aggregated_dimensions", "y x"), ("aggregated_data", DATA)]);
    assert_eq!(refused(&file, v), Kind::Rank);
}

#[test]
fn there_are_no_versions_but_extra_dimensions_of_size_1_are_tolerated() {
    for (shape, names, ok) in [(vec![2, 2], vec!["a"; 4], false), (vec![2, 1, 1], vec!["a"; 2], true)] {
        let (mut file, _) = line(7, Values::I32(vec![3, 4]), &[1, 2], 2);
        file.variable("/uu", &shape, strings(&names));
        let data = "map: m uris: uu identifiers: i";
        let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
        match decode(&file, v) {
            Ok(a) => assert!(ok && a.warnings.len() == 1 && fragments(&file, &a).unwrap().len() == 2),
            Err(e) => assert!(!ok && e.kind() == Kind::Rank),
        }
    }
}

#[test]
fn every_fragment_needs_a_uri_and_an_identifier() {
    let (mut file, _) = line(7, Values::I32(vec![3, 4]), &[1, 2], 2);
    file.variable("/uu", &[2], strings(&["a.nc", ""]));
    file.variable("/ii", &[2], strings(&["v", ""]));
    for (data, kind) in
        [("map: m uris: uu identifiers: i", Kind::Uri), ("map: m uris: u identifiers: ii", Kind::Address)]
    {
        let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
        let error = fragments(&file, &decode(&file, v).unwrap()).unwrap_err();
        assert_eq!((error.kind(), error.fragment()), (kind, Some([1].as_slice())));
    }
}

#[test]
fn identifiers_are_one_for_all_or_one_for_each() {
    let (mut file, v) = line(7, Values::I32(vec![3, 4]), &[1, 2], 2);
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("0.nc", "v", "")]), stored(&[("1.nc", "v", "")])]);
    file.variable("/ii", &[2], strings(&["p", "/q"]));
    let data = "map: m uris: u identifiers: ii";
    let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("0.nc", "p", "")]), stored(&[("1.nc", "/q", "")])]);
}

#[test]
fn scalar_data_have_a_scalar_map_of_1_and_no_dimensions() {
    for (map, shape, kind) in
        [(1, vec![], None), (2, vec![], Some(Kind::Map)), (1, vec![1], None), (1, vec![1, 1], None)]
    {
        let mut file = Memory::new();
        file.variable("/m", &shape, Values::I32(vec![map]));
        file.variable("/u", &[], strings(&["a.nc"]));
        file.variable("/i", &[], strings(&["v"]));
        let v = file.aggregation("/v", &[("aggregated_dimensions", " "), ("aggregated_data", DATA)]);
        match kind {
            Some(kind) => assert_eq!(refused(&file, v), kind),
            None => {
                let a = decode(&file, v).unwrap();
                assert_eq!((a.grid.shape().len(), a.warnings.is_empty()), (0, shape.is_empty()));
                assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("a.nc", "v", "")])]);
            }
        }
    }
}

#[test]
fn unique_values_are_given_as_stored() {
    let mut file = Memory::new();
    file.dimension("/x", 7, false);
    file.variable("/m", &[1, 2], Values::I32(vec![3, 4]));
    let cases = [
        (vec![2], Values::I16(vec![5, -9]), Values::I16(vec![5, -9])),
        (vec![2], strings(&["a", ""]), strings(&["a", ""])),
        (vec![2, 3], chars(&["ab", ""], 3), strings(&["ab", ""])),
        (vec![2], Values::Char(b"xy".to_vec()), Values::Char(b"xy".to_vec())),
    ];
    for (shape, data, expected) in cases {
        file.variable("/q", &shape, data);
        let name = format!("map: m unique_values: q{}", file.tree.variables.len());
        let last = file.tree.variables.len() - 1;
        file.tree.variables[last].name = format!("q{}", last + 1);
        let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", &name)]);
        let a = decode(&file, v).unwrap();
        assert_eq!(unique(&file, &a), expected);
    }
}

#[test]
fn char_arrays_stand_for_strings() {
    let mut file = Memory::new();
    file.dimension("/x", 7, false);
    file.variable("/m", &[1, 2], Values::I32(vec![3, 4]));
    file.variable("/u", &[2, 9], chars(&["a.nc", "second.nc"], 9));
    file.variable("/i", &[4], Values::Char(b"tas ".to_vec()));
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", DATA)]);
    let a = decode(&file, v).unwrap();
    assert_eq!(
        fragments(&file, &a).unwrap(),
        [stored(&[("a.nc", "tas", "")]), stored(&[("second.nc", "tas", "")])]
    );
}

#[test]
fn an_empty_unlimited_dimension_takes_its_size_from_the_map() {
    let mut file = Memory::new();
    file.dimension("/x", 0, true);
    file.variable("/m", &[1, 2], Values::I32(vec![3, 4]));
    file.variable("/u", &[2], strings(&["a", "b"]));
    file.variable("/i", &[], strings(&["v"]));
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", DATA)]);
    assert_eq!(decode(&file, v).unwrap().grid.shape(), [7]);
}

#[test]
fn a_variable_with_dimensions_of_its_own_is_tolerated() {
    let (mut file, _) = line(7, Values::I32(vec![3, 4]), &[1, 2], 2);
    let text = |t: &str| Values::Char(t.as_bytes().to_vec());
    let list = [("aggregated_dimensions", text("x")), ("aggregated_data", text(DATA))];
    let v = file.variable_with("/w", &[7], Values::F32(vec![0.0; 7]), &list);
    assert_eq!(decode(&file, v).unwrap().warnings.len(), 1);
}

#[test]
fn references_in_groups_follow_the_group_search() {
    let mut file = Memory::new();
    file.dimension("/x", 99, false);
    file.dimension("/a/x", 7, false);
    file.variable("/a/m", &[1, 2], Values::I32(vec![3, 4]));
    file.variable("/a/b/u", &[2], strings(&["a", "b"]));
    file.variable("/c/i", &[], strings(&["v"]));
    let data = "map: m uris: b/u identifiers: /c/i";
    let v = file.aggregation("/a/v", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    let a = decode(&file, v).unwrap();
    assert_eq!(a.grid.shape(), [7]);
    let paths: Vec<&str> =
        a.fragments.search_groups().iter().map(|g| file.tree.groups[g.0].path.as_str()).collect();
    assert_eq!(paths, ["/c", "/a"], "of the identifiers, then of the aggregation variable");
}
