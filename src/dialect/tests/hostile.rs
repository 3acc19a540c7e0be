//! Files that claim more than they have.

use super::*;
use crate::dialect::{decode_features, Grids};
use proptest::prelude::*;

/// A file whose map variable claims this shape and has no data at all.
fn claiming(map: &[u64], uris: &[u64]) -> (Memory, VariableId) {
    let mut file = Memory::new();
    file.dimension("/x", u64::MAX, false);
    file.variable("/m", map, Values::I32(vec![]));
    file.variable("/u", uris, strings(&[]));
    file.variable("/i", &[], strings(&["v"]));
    let data = "map: m uris: u identifiers: i";
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    (file, v)
}

#[test]
fn too_many_fragments_are_refused_before_anything_is_read() {
    for columns in [super::MAX_FRAGMENTS + 1, u64::MAX] {
        let (file, v) = claiming(&[1, columns], &[columns]);
        assert_eq!(refused(&file, v), Kind::Limit);
        assert!(file.reads.lock().unwrap().is_empty());
    }
    let mut file = Memory::new();
    file.dimension("/x", 7, false);
    file.variable("/l", &[1 << 40, 1, 2], Values::I32(vec![]));
    file.variable("/f", &[1 << 40], strings(&[]));
    let data = "location: l file: f format: f address: f";
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    assert_eq!(refused(&file, v), Kind::Limit);
}

#[test]
fn the_limit_counts_versions_and_can_be_set() {
    let mut file = Memory::new();
    file.dimension("/x", 7, false);
    file.variable("/s", &[1, 2], Values::I32(vec![3, 4]));
    file.variable("/l", &[2, 3], strings(&["a"; 6]));
    file.variable("/a", &[], strings(&["v"]));
    let data = "shape: s location: l address: a";
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    assert_eq!(decode_features(&file, v, 5, &Grids::default()).unwrap_err().kind(), Kind::Limit);
    assert!(decode_features(&file, v, 6, &Grids::default()).is_ok());
}

#[test]
fn absurdly_long_text_is_refused() {
    let (mut file, _) = claiming(&[1, 1], &[1]);
    file.tree.dimensions[0].size = 1;
    file.variable("/one", &[1, 1], Values::I32(vec![1]));
    file.variable("/long", &[1, 1 << 30], Values::Char(vec![]));
    let data = "map: one uris: long identifiers: i";
    let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    assert_eq!(refused(&file, v), Kind::Limit);
}

/// An aggregation of `count` fragments with these names, and one identifier for all.
fn sharing(count: u64, uri: &str, identifier: &str) -> (Memory, VariableId) {
    let mut file = Memory::new();
    file.dimension("/x", count, false);
    file.variable("/m", &[1, count], Values::I32(vec![1; count as usize]));
    file.variable("/u", &[count], Values::String(vec![uri.to_owned(); count as usize]));
    file.variable("/i", &[], strings(&[identifier]));
    let data = "map: m uris: u identifiers: i";
    let v = file.aggregation("/v", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    (file, v)
}

#[test]
fn an_identifier_that_all_fragments_share_is_not_copied_without_end() {
    for (len, expected) in [(200, true), (100_000, false)] {
        let (file, v) = sharing(5000, "a.nc", &"v".repeat(len));
        let found = decode(&file, v).unwrap();
        let fragments = fragments(&file, &found);
        assert_eq!(fragments.is_ok(), expected);
        assert!(expected || fragments.unwrap_err().kind() == Kind::Limit);
    }
}

#[test]
fn a_base_that_all_partitions_share_is_not_copied_without_end() {
    for (len, expected) in [(200, true), (100_000, false)] {
        let mut file = Memory::new();
        file.dimension("/x", 5000, false);
        let partitions: Vec<String> = (0..5000)
            .map(|i| format!(r#"{{"location": [[{i}, {i}]], "subarray": {{"file": "a", "ncvar": "v"}}}}"#))
            .collect();
        let json = format!(r#"{{"base": "{}", "Partitions": [{}]}}"#, "b".repeat(len), partitions.join(", "));
        let v = file.aggregation("/v", &[("cfa_dimensions", "x"), ("cfa_array", &json)]);
        assert_eq!(decode(&file, v).is_ok(), expected);
        assert!(expected || refused(&file, v) == Kind::Limit);
    }
}

#[test]
fn json_of_nothing_but_short_values_and_deep_json_are_refused() {
    for (json, kind) in [
        (format!(r#"{{"Partitions": [{}0]}}"#, "0,".repeat(2_000_000)), Kind::Limit),
        (format!(r#"{{"Partitions": {}"#, "[".repeat(1_000_000)), Kind::Attribute),
    ] {
        let mut file = Memory::new();
        file.dimension("/x", 1, false);
        let v = file.aggregation("/v", &[("cfa_dimensions", "x"), ("cfa_array", &json)]);
        assert_eq!(refused(&file, v), kind);
    }
}

#[test]
fn an_empty_array_of_fragments_is_refused() {
    let (file, v) = claiming(&[1, 0], &[0]);
    assert_eq!(refused(&file, v), Kind::Map);
}

#[test]
fn text_of_length_0_is_missing() {
    let (mut file, _) = claiming(&[1, 1], &[1]);
    file.tree.dimensions[0].size = 1;
    file.variable("/one", &[1, 1], Values::I32(vec![1]));
    file.variable("/none", &[1, 0], Values::Char(vec![]));
    let data = "map: one uris: none identifiers: i";
    let v = file.aggregation("/w", &[("aggregated_dimensions", "x"), ("aggregated_data", data)]);
    assert_eq!(fragments(&file, &decode(&file, v).unwrap()).unwrap_err().kind(), Kind::Uri);
}

proptest! {
    #[test]
    fn no_attribute_text_panics(dims in ".{0,20}", data in r#"[a-z:{}\[\]",0-9$ ]{0,60}"#, cfa in any::<bool>()) {
        let mut file = Memory::new();
        file.dimension("/x", 7, false);
        file.variable("/m", &[1, 2], Values::I32(vec![3, 4]));
        let names = if cfa { ["cfa_dimensions", "cfa_array"] } else { ["aggregated_dimensions", "aggregated_data"] };
        let v = file.aggregation("/v", &[(names[0], &dims), (names[1], &data)]);
        prop_assert!(decode(&file, v).is_err());
    }

    /// Random sizes yield the same grid in every kind of table.
    #[test]
    fn sizes_ranges_and_partitions_agree(
        sizes in prop::collection::vec(prop::collection::vec(1u64..5, 1..4), 1..4),
    ) {
        let mut file = Memory::new();
        let names = ["a", "b", "c"];
        let shape: Vec<u64> = sizes.iter().map(|row| row.iter().sum()).collect();
        let counts: Vec<u64> = sizes.iter().map(|row| row.len() as u64).collect();
        for (name, &size) in names.iter().zip(&shape) {
            file.dimension(&format!("/{name}"), size, false);
        }
        let columns = counts.iter().copied().max().unwrap();
        let mut map = Vec::new();
        for row in &sizes {
            map.extend((0..columns as usize).map(|i| row.get(i).map_or(PAD, |&s| s as i32)));
        }
        let total: u64 = counts.iter().product();
        let (mut ranges, mut partitions) = (Vec::new(), Vec::new());
        for i in 0..total {
            let mut rest = i;
            let mut index = vec![0usize; sizes.len()];
            for d in (0..sizes.len()).rev() {
                index[d] = (rest % counts[d]) as usize;
                rest /= counts[d];
            }
            let mut written = Vec::new();
            for (row, &at) in sizes.iter().zip(&index) {
                let first: u64 = row[..at].iter().sum();
                ranges.extend([first as i32, (first + row[at] - 1) as i32]);
                written.push(format!("[{first}, {}]", first + row[at] - 1));
            }
            partitions.push(format!(
                r#"{{"location": [{}], "subarray": {{"file": "{i}", "ncvar": "v"}}}}"#, written.join(", ")
            ));
        }
        partitions.reverse();
        let mut range_shape = counts.clone();
        range_shape.extend([sizes.len() as u64, 2]);
        let texts: Vec<String> = (0..total).map(|i| i.to_string()).collect();
        file.variable("/m", &[sizes.len() as u64, columns], Values::I32(map));
        file.variable("/r", &range_shape, Values::I32(ranges));
        file.variable("/u", &counts, Values::String(texts));
        file.variable("/i", &[], strings(&["v"]));
        let dims = names[..sizes.len()].join(" ");
        let modern = |data| [("aggregated_dimensions", dims.as_str()), ("aggregated_data", data)];
        let json = format!(r#"{{"Partitions": [{}]}}"#, partitions.join(", "));
        let all = [
            file.aggregation("/v1", &modern("map: m uris: u identifiers: i")),
            file.aggregation("/v2", &modern("location: r file: u address: i")),
            file.aggregation("/v3", &[("cfa_dimensions", &dims), ("cfa_array", &json)]),
        ];
        let expected: Vec<Fragment> = (0..total).map(|i| stored(&[(&i.to_string(), "v", "")])).collect();
        for v in all {
            let a = decode(&file, v).unwrap();
            prop_assert_eq!(a.grid.shape(), &shape);
            prop_assert_eq!(a.grid.fragments(), &counts);
            prop_assert_eq!(fragments(&file, &a).unwrap(), expected.clone());
        }
    }
}
