//! Headers made by hand, which netCDF libraries do not write.

use proptest::prelude::*;

use super::super::array::Layout;
use super::super::read::{stored, tests::Memory};
use super::*;
use crate::selection::Selection;

fn word(n: u32) -> [u8; 4] {
    n.to_be_bytes()
}

fn name(text: &str) -> Vec<u8> {
    let mut bytes = [&word(text.len() as u32)[..], text.as_bytes()].concat();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Returns a CDF-1 file: dimensions, variables (name, dimensions, type, begin), no attributes, then the data.
fn file(records: u32, dims: &[(&str, u32)], vars: &[(&str, &[u32], u32, u32)], data: &[u8]) -> Vec<u8> {
    let mut bytes = [&b"CDF\x01"[..], &word(records), &word(10), &word(dims.len() as u32)].concat();
    for (label, size) in dims {
        bytes.extend([&name(label)[..], &word(*size)].concat());
    }
    bytes.extend([word(0), word(0), word(11), word(vars.len() as u32)].concat());
    for (label, ids, kind, begin) in vars {
        bytes.extend([&name(label)[..], &word(ids.len() as u32)].concat());
        ids.iter().for_each(|id| bytes.extend(word(*id)));
        bytes.extend([word(0), word(0), word(*kind), word(77), word(*begin)].concat());
    }
    bytes.resize(BEGIN as usize, 0);
    bytes.extend(data);
    bytes
}

/// Where the data of these files begin.
const BEGIN: u32 = 256;
const STREAMING: u32 = u32::MAX;
const SHORT: u32 = 3;

fn open(bytes: Vec<u8>) -> Result<(File, Arc<dyn Source>)> {
    let source: Arc<dyn Source> = Arc::new(Memory(bytes));
    File::open(&source).map(|file| (file, source))
}

fn all(file: &(File, Arc<dyn Source>), name: &str) -> Result<Vec<u8>> {
    let array = file.0.variable(name)?.unwrap().array;
    stored(&*file.1, &array, &Selection::all(&array.shape))
}

fn kind(bytes: Vec<u8>) -> Kind {
    open(bytes).map(drop).unwrap_err().kind()
}

#[test]
fn a_lone_record_variable_is_not_padded() {
    let data: Vec<u8> = (0..18).collect();
    let file = open(file(3, &[("t", 0), ("x", 3)], &[("v", &[0, 1], SHORT, BEGIN)], &data)).unwrap();
    assert_eq!(all(&file, "v").unwrap(), data);
    let tree = file.0.tree();
    assert_eq!((tree.dimensions[0].size, tree.dimensions[0].unlimited), (3, true));
    assert_eq!((tree.dimensions[1].size, tree.dimensions[1].unlimited), (3, false));
}

#[test]
fn records_of_several_variables_are_padded_each_whatever_vsize_says() {
    let vars: &[(&str, &[u32], u32, u32)] = &[("v", &[0, 1], SHORT, BEGIN), ("w", &[0], 1, BEGIN + 8)];
    let data: Vec<u8> = (0..24).collect();
    let file = open(file(2, &[("t", 0), ("x", 3)], vars, &data)).unwrap();
    assert_eq!(all(&file, "v").unwrap(), [0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17]);
    assert_eq!(all(&file, "w").unwrap(), [8, 20]);
}

#[test]
fn a_streamed_file_has_the_records_that_are_there_in_full() {
    let vars: &[(&str, &[u32], u32, u32)] = &[("v", &[0, 1], SHORT, BEGIN), ("w", &[0], 1, BEGIN + 8)];
    let dims: &[(&str, u32)] = &[("t", 0), ("x", 3)];
    for (len, expected) in [(0, 0), (8, 0), (9, 1), (20, 1), (21, 2), (24, 2), (32, 2)] {
        let file = open(file(STREAMING, dims, vars, &vec![1; len])).unwrap();
        assert_eq!(file.0.tree().dimensions[0].size, expected, "{len} bytes");
        assert_eq!(all(&file, "w").unwrap().len() as u64, expected);
    }
}

#[test]
fn missing_padding_at_the_end_is_no_damage_but_missing_data_are() {
    let vars: &[(&str, &[u32], u32, u32)] = &[("v", &[0], SHORT, BEGIN)];
    assert_eq!(all(&open(file(0, &[("x", 3)], vars, &[7; 6])).unwrap(), "v").unwrap(), [7; 6]);
    let short = open(file(0, &[("x", 3)], vars, &[7; 5])).unwrap();
    let error = all(&short, "v").unwrap_err();
    assert_eq!(error.kind(), Kind::Damaged);
    assert!(error.message().contains("truncated"));
}

#[test]
fn headers_that_break_the_grammar_are_damaged() {
    let ok: &[(&str, u32)] = &[("t", 0), ("x", 3)];
    assert!(open(file(0, ok, &[("v", &[0, 1], SHORT, BEGIN)], &[])).is_ok());
    assert_eq!(kind(file(0, &[("t", 0), ("u", 0)], &[], &[])), Kind::Damaged);
    assert_eq!(kind(file(0, &[("", 4)], &[], &[])), Kind::Damaged);
    assert_eq!(kind(file(0, ok, &[("v", &[1, 0], SHORT, BEGIN)], &[])), Kind::Damaged);
    assert_eq!(kind(file(0, ok, &[("v", &[2], SHORT, BEGIN)], &[])), Kind::Damaged);
    assert_eq!(kind(file(0, ok, &[("v", &[1], 12, BEGIN)], &[])), Kind::Damaged);
    assert_eq!(kind(file(0, ok, &[("v", &[1], SHORT, 8)], &[])), Kind::Damaged);
    let big = u32::MAX - 1;
    assert_eq!(
        kind(file(0, &[("t", 0), ("x", big)], &[("v", &[0, 1, 1, 1], SHORT, BEGIN)], &[])),
        Kind::Damaged
    );
}

#[test]
fn lying_counts_are_damaged_before_anything_is_allocated() {
    for tag in [10u32, 11, 12] {
        let mut bytes = [&b"CDF\x05"[..], &[0; 8]].concat();
        (10..tag).for_each(|_| bytes.extend([0; 12]));
        bytes.extend(word(tag));
        bytes.extend(u64::MAX.to_be_bytes());
        assert_eq!(kind(bytes), Kind::Damaged);
    }
}

#[test]
fn every_truncation_of_a_header_is_damaged() {
    let whole = file(0, &[("t", 0), ("x", 3)], &[("v", &[0, 1], SHORT, BEGIN)], &[]);
    let end = Header::parse(&Memory(whole.clone()), 1 << 20).unwrap().end as usize;
    for len in 4..end {
        assert_eq!(kind(whole[..len].to_vec()), Kind::Damaged, "{len} bytes");
    }
}

const NAMES: [&str; 2] = ["wanted", "wäre"];

/// Returns the result of the full parse, whatever it is.
fn parsed(bytes: &[u8]) -> Result<bool> {
    let header = Header::parse(&Memory(bytes.to_vec()), 1 << 20)?;
    Ok(header.variables.iter().any(|v| NAMES.iter().any(|name| v.attributes.get(name).is_some())))
}

/// Returns a header of any version: global attributes and two variables with these, as names, types and counts of
/// values.
fn with_attributes(version: u8, attributes: &[(String, u32, u32)]) -> Vec<u8> {
    let size =
        |n: usize| if version == 5 { (n as u64).to_be_bytes().to_vec() } else { word(n as u32).to_vec() };
    let named = |text: &str| {
        let mut bytes = [size(text.len()), text.as_bytes().to_vec()].concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let mut list = [word(12).to_vec(), size(attributes.len())].concat();
    for (label, kind, count) in attributes {
        let width = [1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8][*kind as usize - 1];
        list.extend([named(label), word(*kind).to_vec(), size(*count as usize)].concat());
        list.resize(list.len() + (width * *count as usize).next_multiple_of(4), b'w');
    }
    let mut bytes = [b"CDF".to_vec(), vec![version], size(0), word(10).to_vec(), size(2)].concat();
    bytes.extend([named("t"), size(0), named("x"), size(3)].concat());
    bytes.extend([word(12).to_vec(), size(1), named("wanted"), word(2).to_vec(), size(0)].concat());
    bytes.extend([word(11).to_vec(), size(2)].concat());
    for (label, ids) in [("wanted", vec![0, 1]), ("v", vec![1])] {
        bytes.extend([named(label), size(ids.len())].concat());
        ids.iter().for_each(|id| bytes.extend(size(*id)));
        bytes.extend(if label == "v" { list.clone() } else { [word(0).to_vec(), size(0)].concat() });
        bytes.extend([word(SHORT).to_vec(), size(8)].concat());
        bytes.extend(if version == 1 { word(4000).to_vec() } else { 4000u64.to_be_bytes().to_vec() });
    }
    bytes
}

fn attributes() -> impl Strategy<Value = Vec<(String, u32, u32)>> {
    let label = prop::sample::select(vec!["a", "want", "wanted_", "wanted", "wäre", "war", "units\0x", "µ"]);
    prop::collection::vec((label.prop_map(str::to_owned), 1..=11u32, 0..5u32), 0..6)
}

proptest! {
    #[test]
    fn names_are_found_as_by_the_full_parse(
        version in prop::sample::select(vec![1u8, 2, 5]),
        attributes in attributes(),
    ) {
        let bytes = with_attributes(version, &attributes);
        let expected = attributes.iter().any(|(name, ..)| NAMES.contains(&name.as_str()));
        prop_assert_eq!(parsed(&bytes).unwrap(), expected);
        prop_assert_eq!(File::has_attribute(&Memory(bytes), &NAMES).unwrap(), expected);
    }

    #[test]
    fn of_a_damaged_header_what_precedes_the_name_is_held_to_the_grammar(
        version in prop::sample::select(vec![1u8, 2, 5]),
        attributes in attributes(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        length in any::<prop::sample::Index>(),
    ) {
        let mut bytes = with_attributes(version, &attributes);
        changes.iter().for_each(|(place, value)| *place.get_mut(&mut bytes) = *value);
        bytes.truncate(bytes.len() - length.index(bytes.len()) / 3);
        let full = parsed(&bytes).map_err(|e| e.kind());
        match File::has_attribute(&Memory(bytes), &NAMES).map_err(|e| e.kind()) {
            Ok(true) => prop_assert_ne!(full, Ok(false)),
            other => prop_assert_eq!(other, full),
        }
    }
}

#[test]
fn other_versions_are_not_netcdf() {
    assert_eq!(kind(b"CDF\x03\0\0\0\0".to_vec()), Kind::NotNetcdf);
}

#[test]
fn a_name_with_a_slash_is_listed_as_omitted() {
    let vars: &[(&str, &[u32], u32, u32)] = &[("a/b", &[0], SHORT, BEGIN), ("µ", &[0], SHORT, BEGIN)];
    let (file, _) = open(file(0, &[("x", 3)], vars, &[])).unwrap();
    assert!(file.variable("a/b").unwrap().is_none());
    assert_eq!(file.tree().omitted[0].0, "/a/b");
    let found = file.variable("µ").unwrap().unwrap();
    assert!(matches!(found.array.layout, Layout::Contiguous { offset: 256 }));
    assert!(file.tree().variable_at("/µ").is_some());
}
