//! Attributes and links in fractal heaps whose indexes list one object many times.

use super::image::{
    attribute, checked, contiguous, dataspace, int, longs, Image, ATTRIBUTE_INFO, LINK_INFO, NOWHERE,
};
use super::spend;

/// A heap of one direct block, which holds this object at offset 32, and where it lies.
fn heap(image: &mut Image, object: &[u8], len: u64) -> u64 {
    let mut block = b"FHDB\0".to_vec();
    block.extend([0; 8 + 5 + 4 + 10]);
    assert_eq!(block.len(), 32);
    block.extend(object);
    block.resize(len as usize, 0);
    let block = image.put(block);
    let mut head = b"FRHP\0".to_vec();
    head.extend([8, 0, 0, 0, 0]);
    head.extend((len as u32 - 1).to_le_bytes());
    head.extend(longs(&[0, NOWHERE, 0, NOWHERE, len, len, 0, 1, 0, 0, 0, 0]));
    head.extend(4u16.to_le_bytes());
    head.extend(longs(&[len, len]));
    head.extend([40, 0, 0, 0]);
    head.extend(block.to_le_bytes());
    head.extend([0, 0]);
    image.put(checked(head))
}

/// The identifier of an object at offset 32.
fn identifier(len: usize, id_len: usize) -> Vec<u8> {
    let mut id = vec![0, 32, 0, 0, 0, 0];
    id.extend((len as u32).to_le_bytes());
    id.truncate(id_len);
    id
}

/// The header of a B-tree of version 2.
fn tree(image: &mut Image, kind: u8, record: usize, node_len: usize, depth: u16, root: (u64, usize)) -> u64 {
    let mut head = b"BTHD\0".to_vec();
    head.push(kind);
    head.extend((node_len as u32).to_le_bytes());
    head.extend((record as u16).to_le_bytes());
    head.extend(depth.to_le_bytes());
    head.extend([100, 40]);
    head.extend(root.0.to_le_bytes());
    head.extend((root.1 as u16).to_le_bytes());
    head.extend((root.1 as u64).to_le_bytes());
    image.put(checked(head))
}

fn leaf(image: &mut Image, kind: u8, records: &[u8]) -> u64 {
    image.put(checked([b"BTLF\0", &[kind][..], records].concat()))
}

/// A dataset with attributes in a heap: one of 60 kB, listed `count` times.
fn with_one_attribute(count: usize) -> (Image, u64) {
    let mut image = Image::new();
    let datatype = [&[0x13, 0, 0, 0], &50_000u32.to_le_bytes()[..]].concat();
    let long = attribute("long", &datatype, &[], &[b't'; 50_000]).1;
    let heap = heap(&mut image, &long, 1 << 16);
    let mut record = identifier(long.len(), 8);
    record.extend([0; 9]);
    let leaf = leaf(&mut image, 8, &record.repeat(count));
    let names = tree(&mut image, 8, 17, 17 * count + 10, 0, (leaf, count));
    let info = (ATTRIBUTE_INFO, [&[0, 0][..], &longs(&[heap, names])].concat());
    let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8), info]);
    let root = image.group(&[("v", dataset)]);
    (image, root)
}

#[test]
fn one_attribute_in_a_heap_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (image, root) = with_one_attribute(1);
    let path = image.write(folder.path(), root);
    spend(&path).unwrap();
    let dataset = cfa::Dataset::open(&path).unwrap();
    let text = dataset.variable("v").unwrap().attributes().text("long");
    assert_eq!(text.map(|text| text.len()), Some(50_000));
}

#[test]
fn one_attribute_listed_many_times_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (image, root) = with_one_attribute(5000);
    assert!(spend(&image.write(folder.path(), root)).unwrap_err().contains("overlap"));
}

#[test]
fn one_leaf_of_names_listed_many_times_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let object = image.header(&[dataspace(&[2]), int(), contiguous(96, 8)]);
    let mut link = vec![1, 1];
    link.extend(1000u16.to_le_bytes());
    link.extend([b'n'; 1000]);
    link.extend(object.to_le_bytes());
    let heap = heap(&mut image, &link, 4096);
    let record = [&[0; 4][..], &identifier(link.len(), 8)[..7]].concat();
    let (count, node_len) = (1000, 11 * 2000 + 10 * 2000);
    let leaf = leaf(&mut image, 5, &record.repeat(count));
    let mut root = [b"BTIN\0", &[5][..], &record.repeat(count)].concat();
    // The number of records of a child takes two bytes.
    (0..=count).for_each(|_| root.extend([&leaf.to_le_bytes()[..], &(count as u16).to_le_bytes()].concat()));
    let root = image.put(checked(root));
    let names = tree(&mut image, 5, 11, node_len, 1, (root, count));
    let info = (LINK_INFO, [&[0, 0][..], &longs(&[heap, names])].concat());
    let root = image.header(&[info]);
    assert!(spend(&image.write(folder.path(), root)).unwrap_err().contains("nodes of a tree overlap"));
}

#[test]
fn blocks_and_nodes_that_claim_to_be_long_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (block, node) in [(1u64 << 40, 100), (4096, u32::MAX)] {
        let mut image = Image::new();
        let place = heap(&mut image, b"object", 4096);
        let mut head = image.bytes[place as usize..place as usize + 142].to_vec();
        head[112..128].copy_from_slice(&longs(&[block, block]));
        let heap = image.put(checked(head));
        let record = [&[0; 4][..], &identifier(6, 8)[..7]].concat();
        let leaf = leaf(&mut image, 5, &record);
        let names = tree(&mut image, 5, 11, node as usize, 0, (leaf, usize::from(node == 100)));
        let info = (LINK_INFO, [&[0, 0][..], &longs(&[heap, names])].concat());
        let root = image.header(&[info]);
        assert_eq!(spend(&image.write(folder.path(), root)).is_err(), block > 4096);
    }
}
