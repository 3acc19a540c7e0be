//! Chunk indexes whose nodes overlap.

use super::image::{checked, chunked, dataspace, int, longs, Image, DATASPACE, FILTERS, LAYOUT, NOWHERE};
use super::spend;

/// A version 1 B-tree whose leaves begin every 32 bytes and reach far into those that follow.
fn overlapping_leaves(leaves: usize, entries: u16, per_node: usize) -> (Image, u64) {
    let mut image = Image::new();
    let first = image.next();
    for leaf in 0..leaves as u64 + u64::from(entries) + 1 {
        let mut node = b"TREE\x01\0".to_vec();
        node.extend(entries.to_le_bytes());
        node.extend(leaf.to_le_bytes());
        node.extend(96u64.to_le_bytes());
        node.extend([4, 0, 0, 0, 0, 0, 0, 0]);
        image.put(node);
    }
    let key = vec![0; 24];
    let mut level = 0;
    let mut nodes: Vec<u64> = (0..leaves as u64).map(|leaf| first + 32 * leaf).collect();
    while nodes.len() > 1 {
        level += 1;
        let parents = nodes.chunks(per_node).map(|children| {
            let pairs: Vec<(Vec<u8>, u64)> = children.iter().map(|&child| (key.clone(), child)).collect();
            image.tree(1, level, &pairs, &key)
        });
        nodes = parents.collect();
    }
    let root = nodes[0];
    let huge = 1 << 62;
    let dataset = image.header(&[dataspace(&[huge]), int(), chunked(root, &[1, 4])]);
    let root = image.group(&[("v", dataset)]);
    (image, root)
}

#[test]
fn overlapping_nodes_of_a_chunk_tree_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    // Nodes with as many entries as the file's K value allows, and with more.
    for (leaves, entries, per_node) in [(40_000, 64, 64), (1000, 20_000, 1000), (60_000, 20_000, 60_000)] {
        let (image, root) = overlapping_leaves(leaves, entries, per_node);
        assert!(spend(&image.write(folder.path(), root)).is_err());
    }
}

/// A layout of version 4 in chunks of one number of 4 bytes, with an index of this kind.
fn indexed(kind: u8, parameters: &[u8], address: u64) -> (u16, Vec<u8>) {
    let mut data = vec![4, 2, 0, 2, 1, 1, 4, kind];
    data.extend(parameters);
    data.extend(address.to_le_bytes());
    (LAYOUT, data)
}

/// A dataset of so many chunks, which can grow if `unlimited`.
fn write_indexed(
    mut image: Image,
    count: u64,
    unlimited: bool,
    layout: (u16, Vec<u8>),
) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let mut space = vec![1, 1, 1, 0, 0, 0, 0, 0];
    space.extend(longs(&[count, if unlimited { NOWHERE } else { count }]));
    let dataset = image.header(&[(DATASPACE, space), int(), layout]);
    let root = image.group(&[("v", dataset)]);
    spend(&image.write(folder.path(), root))
}

#[test]
fn fixed_arrays_that_claim_more_than_the_file_has_are_refused() {
    for (page_bits, count) in [(0, 1u64 << 40), (10, 1 << 40), (30, 1 << 60), (63, u64::MAX)] {
        let mut image = Image::new();
        let block = image.put([&b"FADB\0\0"[..], &[0; 8], &[0xff; 4096]].concat());
        let header = [&b"FAHD\0\0\x08"[..], &[page_bits], &longs(&[count, block])].concat();
        let header = image.put(checked(header));
        assert!(write_indexed(image, count, false, indexed(3, &[page_bits], header)).is_err());
    }
}

#[test]
fn parts_of_an_extensible_array_are_listed_once() {
    let mut image = Image::new();
    let (inline, smallest, pointers, bits) = (4, 16, 4, 32);
    let block = image.put([&b"EADB\0\0"[..], &[0; 12], &longs(&[96; 1000])].concat());
    let direct = 2 * (pointers - 1);
    let mut index = b"EAIB\0\0".to_vec();
    index.extend([0; 8]);
    index.extend(longs(&[96; 4]));
    index.extend(longs(&[block; 6 + 25]));
    let index = image.put(checked(index));
    let mut header = b"EAHD\0\0\x08".to_vec();
    header.extend([bits, inline, smallest, pointers, 10]);
    header.extend(longs(&[0, 0, 0, 0, 0, 0, index]));
    let header = image.put(checked(header));
    assert_eq!(direct, 6);
    let layout = indexed(4, &[bits, inline, smallest, pointers, 10], header);
    let outcome = write_indexed(image, 1 << 40, true, layout);
    assert!(outcome.unwrap_err().contains("of a tree"));
}

#[test]
fn one_leaf_of_chunks_listed_many_times_is_refused() {
    let mut image = Image::new();
    let record = longs(&[96, 0]);
    let leaf = image.put(checked([b"BTLF\0", &[10][..], &record.repeat(100)].concat()));
    let mut root = [b"BTIN\0", &[10][..], &record.repeat(100)].concat();
    (0..=100).for_each(|_| root.extend([&leaf.to_le_bytes()[..], &[100]].concat()));
    let root = image.put(checked(root));
    let mut head = b"BTHD\0\x0a".to_vec();
    head.extend([0, 16, 0, 0, 16, 0, 1, 0, 100, 40]);
    head.extend(root.to_le_bytes());
    head.extend([100, 0]);
    head.extend(10_000u64.to_le_bytes());
    let tree = image.put(checked(head));
    let layout = indexed(5, &[0, 16, 0, 0, 100, 40], tree);
    assert!(write_indexed(image, 1 << 40, true, layout).unwrap_err().contains("of a tree"));
}

#[test]
fn chunks_that_claim_more_than_their_bytes_can_hold_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for filter in [1u16, 5, 32000, 32004, 32015] {
        let mut image = Image::new();
        let count = 800_000_000u32;
        let data = image.put([0x78; 100]);
        let key = |size: u32, offset: u64| [&size.to_le_bytes()[..], &[0; 4], &longs(&[offset, 0])].concat();
        let tree = image.tree(1, 0, &[(key(100, 0), data)], &key(0, u64::from(count)));
        let mut pipeline = vec![1, 1, 0, 0, 0, 0, 0, 0];
        pipeline.extend([filter, 0, 0, 2].iter().flat_map(|n| n.to_le_bytes()));
        pipeline.extend([6, 0, 0, 0, 0, 0, 0, 0]);
        let filters = (FILTERS, pipeline);
        let dataset = image.header(&[dataspace(&[count.into()]), int(), chunked(tree, &[count, 4]), filters]);
        let root = image.group(&[("v", dataset)]);
        assert!(spend(&image.write(folder.path(), root)).is_err(), "filter {filter}");
    }
}
