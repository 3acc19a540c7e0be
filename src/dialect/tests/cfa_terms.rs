//! CFA with terms in `cfa_array`.

use super::*;

fn line(positions: &[i32], ranges: &[i32]) -> Memory {
    let mut file = Memory::new();
    file.dimension("/x", 7, false);
    file.variable("/p", &[2, 1], Values::I32(positions.to_vec()));
    file.variable("/r", &[2, 1, 2], Values::I32(ranges.to_vec()));
    file.variable("/f", &[2], strings(&["/abs/a.nc", ""]));
    file.variable("/o", &[2], strings(&["nc", ""]));
    file.variable("/a", &[2], strings(&["v", "here"]));
    file
}

fn named(file: &mut Memory, data: &str) -> VariableId {
    file.aggregation("/v", &[("cfa_dimensions", "x"), ("cfa_array", data)])
}

const ALL: &str = "Fragment: p INDEX: r file: f format: o address: a other: nowhere";

#[test]
fn index_places_fragments_and_a_missing_file_is_the_same_file() {
    let mut file = line(&[0, 1], &[0, 2, 3, 6]);
    let v = named(&mut file, ALL);
    let a = decode(&file, v).unwrap();
    assert_eq!((a.dialect, a.grid.range(0, 1)), (Dialect::CfaTerms, 3..7));
    assert_eq!(
        fragments(&file, &a).unwrap(),
        [stored(&[("/abs/a.nc", "v", "nc")]), stored(&[("", "here", "")])]
    );
}

#[test]
fn the_fragment_variable_must_give_the_position_of_each_fragment() {
    let mut file = line(&[1, 0], &[0, 2, 3, 6]);
    let v = named(&mut file, ALL);
    assert_eq!(refused(&file, v), Kind::Map);
    let v = named(&mut file, "fragment: r index: r address: a");
    assert_eq!(refused(&file, v), Kind::Rank);
}

#[test]
fn each_fragment_provides_a_unique_part() {
    let mut file = line(&[0, 1], &[0, 2, 2, 6]);
    let v = named(&mut file, ALL);
    assert_eq!(refused(&file, v), Kind::Map);
}

#[test]
fn file_and_format_are_optional_and_index_and_address_are_not() {
    let mut file = line(&[0, 1], &[0, 2, 3, 6]);
    let v = named(&mut file, "fragment: p index: r address: a");
    let a = decode(&file, v).unwrap();
    assert_eq!(fragments(&file, &a).unwrap(), [stored(&[("", "v", "")]), stored(&[("", "here", "")])]);
    for data in ["fragment: p file: f address: a", "fragment: p index: r file: f"] {
        let v = named(&mut file, data);
        assert_eq!(refused(&file, v), Kind::Terms);
    }
    let v = named(&mut file, "index: r address: a");
    assert_eq!(decode(&file, v).unwrap().warnings.len(), 1);
}

#[test]
fn positions_of_a_two_dimensional_array_run_in_c_order() {
    let mut file = Memory::new();
    file.dimension("/y", 2, false);
    file.dimension("/x", 4, false);
    file.variable("/p", &[2, 2, 2], Values::I32(vec![0, 0, 0, 1, 1, 0, 1, 1]));
    file.variable("/r", &[2, 2, 2, 2], Values::I32(vec![0, 0, 0, 0, 0, 0, 1, 3, 1, 1, 0, 0, 1, 1, 1, 3]));
    file.variable("/a", &[2, 2], strings(&["a", "b", "c", "d"]));
    let list = [("cfa_dimensions", "y x"), ("cfa_array", "fragment: p index: r address: a")];
    let v = file.aggregation("/v", &list);
    assert_eq!(decode(&file, v).unwrap().grid.range(1, 1), 1..4);
}
