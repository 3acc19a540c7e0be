//! Many strings that share the same bytes.

use super::image::{attribute, contiguous, dataspace, heap_string, references, Image};
use super::{spend, spend_alone};

#[test]
fn references_to_one_long_string_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let text = vec![b't'; 1 << 20];
    let heap = image.global_heap(&[&text]);
    let count = 1_000_000;
    let data = image.put(references(heap, text.len(), count));
    let dataset =
        image.header(&[dataspace(&[count as u64]), heap_string(), contiguous(data, 16 * count as u64)]);
    let root = image.group(&[("v", dataset)]);
    let path = image.write(folder.path(), root);
    assert!(spend(&path).is_err());
    assert!(spend_alone(&path).is_err());
}

#[test]
fn an_attribute_of_references_to_one_long_string_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let text = vec![b't'; 1 << 20];
    let heap = image.global_heap(&[&text]);
    let list = attribute("a", &heap_string().1, &[4000], &references(heap, text.len(), 4000));
    let dataset = image.header(&[dataspace(&[2]), super::image::int(), contiguous(96, 8), list]);
    let root = image.group(&[("v", dataset)]);
    assert!(spend(&image.write(folder.path(), root)).is_err());
}
