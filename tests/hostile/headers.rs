//! Object headers that continue without end, are shared by many, or have many attributes.

use super::image::{
    attribute, contiguous, dataspace, heap_string, int, longs, references, Image, CONTINUATION,
};
use super::spend;

/// A text of fixed length.
fn text(len: usize) -> Vec<u8> {
    [&[0x13, 0, 0, 0], &(len as u32).to_le_bytes()[..]].concat()
}

#[test]
fn continuations_that_overlap_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    // Messages without bytes, at every offset where reading may begin.
    let len = 400_000;
    let messages = image.put([0x16, 0, 0, 0, 0, 0, 0, 0].repeat(len / 8));
    let mut list = vec![dataspace(&[2]), int(), contiguous(96, 8)];
    list.extend((0..1000).map(|i| (CONTINUATION, longs(&[messages + 8 * i, len as u64 - 8 * i]))));
    let dataset = image.header(&list);
    let root = image.group(&[("v", dataset)]);
    assert!(spend(&image.write(folder.path(), root)).is_ok(), "the object is left out");
}

#[test]
fn a_header_that_continues_with_itself_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let at = image.next();
    let dataset =
        image.header(&[dataspace(&[2]), int(), contiguous(96, 8), (CONTINUATION, longs(&[at + 16, 64]))]);
    let root = image.group(&[("v", dataset)]);
    assert!(spend(&image.write(folder.path(), root)).is_ok(), "the object is left out");
}

#[test]
fn many_links_to_one_object_with_long_attributes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let long = attribute("long", &text(60_000), &[], &[b't'; 60_000]);
    let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8), long]);
    let names: Vec<String> = (0..5000).map(|i| format!("v{i:05}")).collect();
    let objects: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), dataset)).collect();
    let root = image.group(&objects);
    assert!(spend(&image.write(folder.path(), root)).unwrap_err().contains("overlap"));
}

#[test]
fn some_links_to_one_object_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let long = attribute("long", &text(1000), &[], &[b't'; 1000]);
    let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8), long]);
    let names: Vec<String> = (0..500).map(|i| format!("v{i:05}")).collect();
    let objects: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), dataset)).collect();
    let root = image.group(&objects);
    spend(&image.write(folder.path(), root)).unwrap();
}

#[test]
fn fifty_thousand_links_to_one_object_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let long = attribute("long", &text(100), &[], &[b't'; 100]);
    let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8), long]);
    let names: Vec<String> = (0..50_000).map(|i| format!("v{i:05}")).collect();
    let objects: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), dataset)).collect();
    let root = image.group(&objects);
    let dataset = cfa::Dataset::open(image.write(folder.path(), root)).unwrap();
    assert_eq!(dataset.variables().len(), 50_000);
    assert_eq!(dataset.variable("v49999").unwrap().attributes().text("long").unwrap().len(), 100);
}

#[test]
fn attributes_that_share_one_long_string_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let heap = image.global_heap(&[&vec![b't'; 1 << 20]]);
    let mut list = vec![dataspace(&[2]), int(), contiguous(96, 8)];
    list.extend(
        (0..500)
            .map(|i| attribute(&format!("a{i:03}"), &heap_string().1, &[1], &references(heap, 1 << 20, 1))),
    );
    let dataset = image.header(&list);
    let root = image.group(&[("v", dataset)]);
    assert!(spend(&image.write(folder.path(), root)).unwrap_err().contains("overlap"));
}

#[test]
fn attributes_of_very_many_very_short_texts_take_no_more_than_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let mut list = vec![dataspace(&[2]), int(), contiguous(96, 8)];
    list.extend((0..60).map(|i| attribute(&format!("a{i:02}"), &text(1), &[65_000], &[b't'; 65_000])));
    let dataset = image.header(&list);
    let root = image.group(&[("v", dataset)]);
    assert!(spend(&image.write(folder.path(), root)).is_err());
}

#[test]
fn variables_that_claim_long_elements_take_no_more_than_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let nowhere = contiguous(super::image::NOWHERE, 0);
    let objects: Vec<u64> = (0..500)
        .map(|_| image.header(&[dataspace(&[2]), (super::image::DATATYPE, text(1 << 20)), nowhere.clone()]))
        .collect();
    let names: Vec<String> = (0..500).map(|i| format!("v{i:05}")).collect();
    let objects: Vec<(&str, u64)> = names.iter().map(String::as_str).zip(objects).collect();
    let root = image.group(&objects);
    assert!(spend(&image.write(folder.path(), root)).is_err());
}

#[test]
fn deep_groups_with_long_names_take_no_more_than_the_budget() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let name = "g".repeat(20_000);
    let mut group = image.group(&[]);
    for _ in 0..200 {
        group = image.group(&[(&name, group)]);
    }
    assert!(spend(&image.write(folder.path(), group)).is_ok(), "those too deep are left out");
}
