//! Chunk indexes whose nodes overlap.

use crate::image::{chunked, dataspace, int, Image};
use crate::spend;

/// A version 1 B-tree whose leaves begin every 32 bytes and reach far into those that follow.
fn overlapping_leaves(leaves: usize, entries: u16) -> (Image, u64) {
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
    let mut pairs: Vec<(Vec<u8>, u64)> = Vec::new();
    pairs.extend((0..leaves as u64).map(|leaf| (key.clone(), first + 32 * leaf)));
    let root = image.tree(1, 1, &pairs, &key);
    let huge = 1 << 62;
    let dataset = image.header(&[dataspace(&[huge]), int(), chunked(root, &[1, 4])]);
    let root = image.group(&[("v", dataset)]);
    (image, root)
}

#[test]
fn overlapping_nodes_of_a_chunk_tree_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (image, root) = overlapping_leaves(1000, 20_000);
    assert!(spend(&image.write(folder.path(), root)).is_err());
}
