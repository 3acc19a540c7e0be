//! Many links to one dataset: what each makes of it is counted.

use super::image::{
    attribute, chunked, contiguous, dataspace, int, Image, DATASPACE, DATATYPE, FILL_VALUE, FILTERS, LAYOUT,
    NOWHERE,
};
use super::spend_alone;

type Message = (u16, Vec<u8>);

/// A text of fixed length.
fn text(len: usize) -> Vec<u8> {
    [&[0x13, 0, 0, 0], &(len as u32).to_le_bytes()[..]].concat()
}

/// A dataspace of 32 unlimited dimensions.
fn unlimited() -> Message {
    let mut data = vec![1, 32, 1, 0, 0, 0, 0, 0];
    data.extend([1u64; 32].iter().chain(&[NOWHERE; 32]).flat_map(|n| n.to_le_bytes()));
    (DATASPACE, data)
}

/// A pipeline of filters of this number with this many parameters each.
fn filters(count: usize, parameters: usize) -> Message {
    let mut data = vec![1, count as u8, 0, 0, 0, 0, 0, 0];
    for _ in 0..count {
        data.extend([32001u16, 0, 0, parameters as u16].iter().flat_map(|n| n.to_le_bytes()));
        data.resize(data.len() + 4 * parameters, 0);
    }
    (FILTERS, data)
}

/// Data in the header.
fn compact(len: usize) -> Message {
    (LAYOUT, [&[3, 0], &(len as u16).to_le_bytes()[..], &vec![b'x'; len]].concat())
}

fn fill(len: usize) -> Message {
    (FILL_VALUE, [&[2, 2, 0, 1], &(len as u32).to_le_bytes()[..], &vec![b'x'; len]].concat())
}

#[test]
fn what_each_link_makes_of_a_dataset_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = || contiguous(NOWHERE, 0);
    let one_chunk = || chunked(NOWHERE, &[1, 4]);
    let many = |message: Message, count: usize| {
        [vec![dataspace(&[2]), int(), contiguous(96, 8)], vec![message; count]]
    };
    let datasets: [(&str, Vec<Message>); 10] = [
        ("nothing", vec![dataspace(&[2]), int(), contiguous(96, 8)]),
        ("dimensions", vec![dataspace(&[1; 32]), int(), contiguous(96, 4)]),
        ("chunks", vec![unlimited(), int(), chunked(NOWHERE, &[&[1; 32][..], &[4]].concat())]),
        ("parameters", vec![dataspace(&[1]), int(), one_chunk(), filters(1, 16_000)]),
        ("filters", vec![dataspace(&[1]), int(), one_chunk(), filters(32, 0)]),
        ("data", vec![dataspace(&[60_000]), (DATATYPE, text(1)), compact(60_000)]),
        ("fill", vec![dataspace(&[2]), (DATATYPE, text(60_000)), nowhere(), fill(60_000)]),
        ("attributes", many(attribute("a", &int().1, &[], &[0; 4]), 5).concat()),
        ("texts", many(attribute("a", &text(1), &[60_000], &[b't'; 60_000]), 1).concat()),
        ("messages", many((0x16, Vec::new()), 7000).concat()),
    ];
    for (what, messages) in datasets {
        let mut image = Image::new();
        let dataset = image.header(&messages);
        let names: Vec<String> = (0..70_000).map(|i| format!("{i:07}")).collect();
        let objects: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), dataset)).collect();
        let root = image.group(&objects);
        let outcome = spend_alone(&image.write(folder.path(), root));
        assert_eq!(outcome.is_ok(), what == "nothing", "{what}: {outcome:?}");
    }
}

#[test]
fn what_is_left_out_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let mut messages = vec![dataspace(&[2]), int(), contiguous(96, 8)];
    messages.resize(240_000, (super::image::ATTRIBUTE, vec![9]));
    let dataset = image.header(&messages);
    let root = image.group(&[("v", dataset)]);
    let path = image.write(folder.path(), root);
    assert_eq!(spend_alone(&path), Ok(()));
    let warnings = cfa::Dataset::open(&path).unwrap().warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("/v"), "{warnings:?}");
}

#[test]
fn very_many_objects_that_are_left_out_are_told_in_short() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let object = image.header(&[int()]);
    let names: Vec<String> = (0..70_000).map(|i| format!("{i:07}")).collect();
    let objects: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), object)).collect();
    let root = image.group(&objects);
    let path = image.write(folder.path(), root);
    assert_eq!(spend_alone(&path), Ok(()));
    let warnings = cfa::Dataset::open(&path).unwrap().warnings();
    assert_eq!((warnings.len(), warnings[100].as_str()), (101, "69900 more are left out"));
}

#[test]
fn the_paths_of_soft_links_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for path in ["x".repeat(3000), "a/".repeat(1_500_000)] {
        let mut image = Image::new();
        let names: Vec<String> =
            (0..if path.len() > 3000 { 5 } else { 60_000 }).map(|i| format!("{i:07}")).collect();
        let root = image.soft_links(&names, &path);
        let outcome = spend_alone(&image.write(folder.path(), root));
        assert_eq!(outcome.is_ok(), path.len() > 3000, "{outcome:?}");
    }
}
