//! Files that are long only because of their holes: a hole holds nothing, so it must not raise the bound of memory.

use super::image::{
    attribute, contiguous, dataspace, heap_string, int, longs, references, Image, SYMBOL_TABLE,
};
use super::spend_alone;

/// Writes a file of 1 TiB with this beginning and uses it up.
fn spend_long(image: Image, root: u64) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = image.write(folder.path(), root);
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    spend_alone(&path)
}

#[test]
fn many_long_attributes_that_are_one_string_are_refused() {
    let mut image = Image::new();
    let heap = image.global_heap(&[&vec![b't'; 1 << 20]]);
    let mut list = vec![dataspace(&[2]), int(), contiguous(96, 8)];
    list.extend(
        (0..500)
            .map(|i| attribute(&format!("a{i:03}"), &heap_string().1, &[1], &references(heap, 1 << 20, 1))),
    );
    let dataset = image.header(&list);
    let root = image.group(&[("v", dataset)]);
    assert!(spend_long(image, root).unwrap_err().contains("overlap"));
}

#[test]
fn many_links_to_one_object_with_long_attributes_are_refused() {
    let mut image = Image::new();
    let text = [&[0x13, 0, 0, 0], &60_000u32.to_le_bytes()[..]].concat();
    let long = attribute("long", &text, &[], &[b't'; 60_000]);
    let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8), long]);
    let names: Vec<String> = (0..5000).map(|i| format!("v{i:05}")).collect();
    let objects: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), dataset)).collect();
    let root = image.group(&objects);
    assert!(spend_long(image, root).unwrap_err().contains("overlap"));
}

#[test]
fn a_heap_that_is_a_hole_is_refused() {
    let mut image = Image::new();
    let mut heap = b"GCOL\x01\0\0\0".to_vec();
    heap.extend(longs(&[1 << 28]));
    heap.extend([&[1, 0, 1, 0, 0, 0, 0, 0][..], &longs(&[1 << 27])].concat());
    let heap = image.put(heap);
    let data = image.put(references(heap, 100, 10));
    let dataset = image.header(&[dataspace(&[10]), heap_string(), contiguous(data, 160)]);
    let root = image.group(&[("v", dataset)]);
    image.put(vec![1; 10_000]);
    assert!(spend_long(image, root).unwrap_err().contains("hole"));
}

#[test]
fn names_of_links_that_are_a_hole_are_refused() {
    let mut image = Image::new();
    let heap = image.put([&b"HEAP\0\0\0\0"[..], &longs(&[1 << 27, 1, 4096])].concat());
    let tree = image.tree(0, 0, &[], &[0; 8]);
    let root = image.header(&[(SYMBOL_TABLE, longs(&[tree, heap]))]);
    image.put(vec![1; 10_000]);
    assert!(spend_long(image, root).unwrap_err().contains("hole"));
}
