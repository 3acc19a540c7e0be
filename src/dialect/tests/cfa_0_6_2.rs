//! CFA-0.6.2.

use super::*;

fn grid() -> Memory {
    let mut file = Memory::new();
    file.dimension("/y", 5, false);
    file.dimension("/x", 4, false);
    file.variable("/l", &[2, 2], Values::I32(vec![2, 3, 4, PAD]));
    file.variable_with(
        "/f",
        &[2, 1],
        strings(&["${BASE}a.nc", "b.nc"]),
        &[("substitutions", strings(&["${BASE}: file://data1/ ${UNUSED}: x"]))],
    );
    file.variable("/o", &[], strings(&["nc"]));
    file.variable("/a", &[], strings(&["tas"]));
    file
}

fn named(file: &mut Memory, data: &str) -> VariableId {
    file.aggregation("/v", &[("aggregated_dimensions", "y x"), ("aggregated_data", data)])
}

#[test]
fn location_is_a_padded_table_of_sizes_with_scalar_format_and_address() {
    let mut file = grid();
    let v = named(&mut file, "address: a file: f format: o location: l");
    let a = decode(&file, v).unwrap();
    assert_eq!((a.dialect, a.grid.fragments()), (Dialect::Cfa062, [2, 1].as_slice()));
    let expected = [stored(&[("file://data1/a.nc", "tas", "nc")]), stored(&[("b.nc", "tas", "nc")])];
    assert_eq!(fragments(&file, &a).unwrap(), expected);
}

#[test]
fn a_scalar_address_serves_the_fragments_that_have_a_file() {
    let mut file = grid();
    file.variable("/ff", &[2, 1], strings(&["a.nc", ""]));
    let v = named(&mut file, "address: a file: ff format: o location: l");
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("a.nc", "tas", "nc")]), Fragment::Missing]);
}

#[test]
fn scalar_terms_of_type_char_have_rank_1() {
    let mut file = grid();
    file.variable("/aa", &[3], chars(&["tas"], 3));
    file.variable("/ff", &[2, 1, 4], chars(&["a.nc", ""], 4));
    let v = named(&mut file, "address: aa file: ff format: aa location: l");
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("a.nc", "tas", "tas")]), Fragment::Missing]);
    assert!(a.warnings.is_empty());
}

#[test]
fn scalar_data_have_a_location_of_one_element() {
    for shape in [vec![1u64], vec![]] {
        let mut file = grid();
        file.variable("/one", &shape, Values::I32(vec![1]));
        file.variable("/here", &[], strings(&[""]));
        let data = "location: one file: here format: o address: a";
        let v = file.aggregation("/v", &[("aggregated_dimensions", ""), ("aggregated_data", data)]);
        let a = decode(&file, v).unwrap();
        assert_eq!((a.dialect, a.warnings.is_empty()), (Dialect::Cfa062, !shape.is_empty()));
        assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("", "tas", "")])]);
    }
}

#[test]
fn terms_ignore_case_and_unknown_ones_are_ignored() {
    let mut file = grid();
    let v = named(&mut file, "Address: a FILE: f format: o location: l tracking_id: t");
    assert_eq!(decode(&file, v).unwrap().dialect, Dialect::Cfa062);
}

#[test]
fn absent_file_or_format_is_tolerated_and_an_absent_address_is_not() {
    let mut file = grid();
    let v = named(&mut file, "address: a file: f location: l");
    assert_eq!(decode(&file, v).unwrap().warnings.len(), 1);
    let v = named(&mut file, "file: f format: o location: l");
    assert_eq!(refused(&file, v), Kind::Terms);
}

#[test]
fn a_location_of_another_rank_is_refused() {
    let mut file = grid();
    file.variable("/three", &[2, 1, 2], Values::I32(vec![0; 4]));
    let v = named(&mut file, "address: a file: f format: o location: three");
    assert_eq!(refused(&file, v), Kind::Rank);
}
