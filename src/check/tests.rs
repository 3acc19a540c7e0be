//! One file in memory for each rule, and the rules that it breaks.

use super::report::{Finding, Findings};
use super::subject::{Containers, Subject};
use crate::container::tree::VariableId;
use crate::dialect::memory::{strings, Memory};
use crate::value::Values;

const PAD: i32 = -2147483647;

/// Returns the findings about a variable, as rule names without repetition.
fn rules(file: &Memory, id: VariableId) -> Vec<&'static str> {
    let mut rules: Vec<&'static str> = findings(file, id).iter().map(|f| f.rule).collect();
    rules.dedup();
    rules
}

fn findings(file: &Memory, id: VariableId) -> Vec<Finding> {
    let mut findings = Findings::new(10);
    Subject::new(file, &file.tree, &Containers::of(&file.tree), id, 1000).structure(&mut findings);
    findings.finish()
}

/// Returns a valid file of CF-1.13 with this table of sizes and these URIs.
fn cf(map: (&[u64], Values), uris: (&[u64], Values), data: &str) -> (Memory, VariableId) {
    let mut file = Memory::new();
    file.dimension("/y", 4, false);
    file.dimension("/x", 6, false);
    file.variable("/m", map.0, map.1);
    file.variable("/u", uris.0, uris.1);
    file.variable("/i", &[], strings(&["tas"]));
    file.variable("/w", &[1, 2], Values::F64(vec![0.0, 1.0]));
    let id = file.aggregation("/tas", &[("aggregated_dimensions", "y x"), ("aggregated_data", data)]);
    (file, id)
}

const DATA: &str = "map: m uris: u identifiers: i";

fn sizes() -> Values {
    Values::I32(vec![4, PAD, 2, 4])
}

#[test]
fn a_sound_file_has_no_findings() {
    let (file, id) = cf((&[2, 2], sizes()), (&[1, 2], strings(&["a.nc", "b.nc"])), DATA);
    assert_eq!(rules(&file, id), [""; 0]);
    let (file, id) = cf((&[2, 2], sizes()), (&[1, 2], strings(&["a.nc", "b.nc"])), "map: m unique_values: w");
    assert_eq!(rules(&file, id), [""; 0]);
}

#[test]
fn a_table_of_sizes_may_be_padded_with_the_default_fill_of_any_type() {
    for sizes in [
        Values::I8(vec![4, -127, 2, 4]),
        Values::U8(vec![4, 255, 2, 4]),
        Values::U16(vec![4, 65535, 2, 4]),
        Values::I64(vec![4, -9223372036854775806, 2, 4]),
        Values::U64(vec![4, u64::MAX - 1, 2, 4]),
    ] {
        let (file, id) = cf((&[2, 2], sizes.clone()), (&[1, 2], strings(&["a.nc", "b.nc"])), DATA);
        assert_eq!(rules(&file, id), [""; 0], "{sizes:?}");
    }
    let (mut file, id) =
        cf((&[2, 2], Values::U8(vec![4, 255, 255, 4])), (&[1, 2], strings(&["a.nc", "b.nc"])), DATA);
    assert_eq!(rules(&file, id), ["map-sum"]);
    file.tree.dimensions[1].size = 259;
    assert_eq!(rules(&file, id), [""; 0]);
}

#[test]
fn each_rule_of_the_table_of_sizes_is_told() {
    let uris = || strings(&["a.nc", "b.nc"]);
    let with = |shape: &[u64], values: Values| {
        let (file, id) = cf((shape, values), (&[1, 2], uris()), DATA);
        rules(&file, id)
    };
    assert_eq!(with(&[2, 2], Values::F64(vec![4.0, 0.0, 2.0, 4.0])), ["map-type"]);
    assert_eq!(with(&[4], sizes()), ["map-rank"]);
    assert_eq!(with(&[1, 2], Values::I32(vec![2, 4])), ["map-rows"]);
    assert_eq!(with(&[2, 2], Values::I32(vec![5, PAD, 2, 4])), ["map-sum"]);
    assert_eq!(with(&[2, 2], Values::I32(vec![PAD, 4, 2, 4])), ["map-padding"]);
    assert_eq!(with(&[2, 3], Values::I32(vec![4, PAD, PAD, -2, 4, 4])), ["locations-shape", "map-sizes"]);
}

#[test]
fn each_rule_of_names_is_told() {
    let with = |shape: &[u64], values: Values| {
        let (file, id) = cf((&[2, 2], sizes()), (shape, values), DATA);
        rules(&file, id)
    };
    assert_eq!(with(&[1, 2], Values::I32(vec![1, 2])), ["locations-type"]);
    assert_eq!(with(&[2], strings(&["a.nc", "b.nc"])), ["locations-rank"]);
    assert_eq!(with(&[2, 1], strings(&["a.nc", "b.nc"])), ["locations-shape"]);
    assert_eq!(with(&[1, 2], strings(&["", "b.nc"])), ["locations-missing"]);
    assert_eq!(with(&[1, 2], strings(&["/a.nc", "b.nc"])), ["locations-form"]);
    assert_eq!(with(&[1, 2], strings(&["a b.nc", "b.nc"])), ["oddity"]);
}

#[test]
fn each_rule_of_the_attributes_is_told() {
    let with = |data: &str| {
        let (file, id) = cf((&[2, 2], sizes()), (&[1, 2], strings(&["a.nc", "b.nc"])), data);
        rules(&file, id)
    };
    assert_eq!(with("map: m uris: u"), ["keywords"]);
    assert_eq!(with("map: m uris: u identifiers: i format: i"), ["keywords"]);
    assert_eq!(with("map: m uris: u identifiers: i map: m"), ["keywords"]);
    assert_eq!(with("map: m uris: nothere identifiers: i"), ["variable-exists"]);
    assert_eq!(with("map: m uris: u identifiers: i what"), ["data-form"]);
    assert_eq!(with("map: m unique_values: u"), ["unique-type"]);
}

#[test]
fn each_rule_of_identifiers_and_unique_values_is_told() {
    let with = |path: &str, shape: &[u64], values: Values, data: &str| {
        let (mut file, id) = cf((&[2, 2], sizes()), (&[1, 2], strings(&["a.nc", "b.nc"])), data);
        file.variable(path, shape, values);
        rules(&file, id)
    };
    let names = "map: m uris: u identifiers: n";
    assert_eq!(with("/n", &[2], strings(&["tas", "tas"]), names), ["identifiers-shape"]);
    assert_eq!(with("/n", &[], strings(&[""]), names), ["identifiers-missing"]);
    let unique = "map: m unique_values: n";
    assert_eq!(with("/n", &[2], Values::F64(vec![0.0, 1.0]), unique), ["unique-rank"]);
    assert_eq!(with("/n", &[2, 1], Values::F64(vec![0.0, 1.0]), unique), ["unique-shape"]);
}

#[test]
fn scalar_data_have_a_scalar_map_of_one() {
    for (shape, value, expected) in
        [(&[][..], 1, &[][..]), (&[1][..], 1, &["map-scalar"][..]), (&[][..], 2, &["map-scalar"][..])]
    {
        let mut file = Memory::new();
        file.variable("/m", shape, Values::I32(vec![value]));
        file.variable("/u", &[], strings(&["a.nc"]));
        file.variable("/i", &[], strings(&["tas"]));
        let id = file.aggregation("/v", &[("aggregated_dimensions", ""), ("aggregated_data", DATA)]);
        assert_eq!(rules(&file, id), expected, "{shape:?} {value}");
    }
}

#[test]
fn a_dimension_twice_and_packing_in_the_earlier_text_are_told() {
    let (mut file, _) = cf((&[2, 2], sizes()), (&[1, 2], strings(&["a.nc", "b.nc"])), DATA);
    let twice = file.aggregation("/twice", &[("aggregated_dimensions", "y y"), ("aggregated_data", DATA)]);
    assert!(rules(&file, twice).contains(&"dimension-once"));
    file.variable("/l", &[1, 1, 2, 2], Values::I32(vec![0, 3, 0, 5]));
    file.variable("/a", &[1, 1], strings(&["tas"]));
    let words = [("aggregated_dimensions", "y x"), ("aggregated_data", "location: l address: a")];
    let mut attributes: Vec<(&str, Values)> =
        words.iter().map(|(n, t)| (*n, Values::Char(t.as_bytes().to_vec()))).collect();
    attributes.push(("scale_factor", Values::F64(vec![0.5])));
    let packed = file.variable_with("/p", &[], Values::F64(vec![0.0]), &attributes);
    assert!(rules(&file, packed).contains(&"not-packed"), "{:?}", rules(&file, packed));
}

#[test]
fn all_faults_are_told_at_once() {
    let mut file = Memory::new();
    file.dimension("/x", 6, false);
    file.variable("/m", &[1, 2], Values::I32(vec![2, 3]));
    file.variable("/u", &[2], strings(&["#a", ""]));
    let attributes = [
        ("aggregated_dimensions", Values::Char(b"x".to_vec())),
        ("aggregated_data", Values::Char(b"map: m uris: u identifiers: gone junk".to_vec())),
        ("grid_mapping_name", Values::Char(b"latitude_longitude".to_vec())),
    ];
    let id = file.variable_with("/v", &[3], Values::F64(vec![0.0; 3]), &attributes);
    let found = rules(&file, id);
    assert_eq!(found, ["data-form", "map-sum", "scalar", "variable-exists", "container-variable"]);
    let clauses: Vec<String> = findings(&file, id).into_iter().map(|f| f.clause).collect();
    assert!(clauses.contains(&"CF-1.13 2.8.1 map".to_owned()), "{clauses:?}");
}

#[test]
fn dimensions_must_be_there_and_be_text() {
    let mut file = Memory::new();
    let one = file.aggregation("/a", &[("aggregated_dimensions", "y z"), ("aggregated_data", "map: m")]);
    assert_eq!(rules(&file, one), ["dimension-exists", "keywords", "variable-exists"]);
    let two = file.aggregation("/b", &[("aggregated_data", "map: m")]);
    assert_eq!(rules(&file, two)[0], "dimensions-text");
    let three = file.aggregation("/c", &[("aggregated_dimensions", "")]);
    assert_eq!(rules(&file, three), ["data-text"]);
}

#[test]
fn index_ranges_of_the_older_texts_must_tile() {
    let mut file = Memory::new();
    file.dimension("/x", 6, false);
    file.variable("/l", &[2, 1, 2], Values::I32(vec![0, 2, 4, 5]));
    file.variable("/f", &[2], strings(&["a.nc", ""]));
    file.variable("/t", &[2], strings(&["nc", "nc"]));
    let attributes = [
        ("aggregated_dimensions", "x"),
        ("aggregated_data", "LOCATION: l file: f format: t address: f extra: f"),
    ];
    let id = file.aggregation("/v", &attributes);
    let found = findings(&file, id);
    let rules: Vec<&str> = found.iter().map(|f| f.rule).collect();
    // Dimensions of files in memory are never shared, which is the second fault.
    assert_eq!(rules, ["formats-missing", "formats-shape", "map-sum"]);
    assert!(found.iter().any(|f| f.clause == "CFA-0.6b1 Aggregation variables location"), "{found:?}");
}
