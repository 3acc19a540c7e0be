//! Groups whose trees, nodes and names overlap.

use super::image::{contiguous, dataspace, int, longs, Image, SYMBOL_TABLE};
use super::spend;

/// A root group whose tree lists one node `listed` times; each name of the node has `len` bytes.
fn one_node_many_times(listed: usize, len: usize) -> (Image, u64) {
    let mut image = Image::new();
    let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8)]);
    let heap = image.local_heap(&[vec![b'n'; len], vec![0]].concat());
    let entries: Vec<(u64, u64)> = (0..8).map(|i| (i, dataset)).collect();
    let node = image.symbols(&entries);
    let pairs: Vec<(Vec<u8>, u64)> = (0..listed).map(|_| (vec![0; 8], node)).collect();
    let tree = image.tree(0, 0, &pairs, &[0; 8]);
    let root = image.header(&[(SYMBOL_TABLE, longs(&[tree, heap]))]);
    (image, root)
}

#[test]
fn a_node_of_symbols_is_listed_once() {
    let folder = tempfile::tempdir().unwrap();
    // As often as the file's K value allows, and more often.
    for (listed, len) in [(32, 60_000), (2000, 30_000), (4000, 150_000)] {
        let (image, root) = one_node_many_times(listed, len);
        assert!(spend(&image.write(folder.path(), root)).is_err());
    }
}

#[test]
fn names_of_links_may_not_overlap_without_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8)]);
    let heap = image.local_heap(&[vec![b'n'; 150_000], vec![0]].concat());
    let mut leaves = Vec::new();
    for leaf in 0..32 {
        let mut pairs = Vec::new();
        for node in 0..32 {
            let first = 256 * leaf + 8 * node;
            let entries: Vec<(u64, u64)> = (first..first + 8).map(|name| (name, dataset)).collect();
            pairs.push((vec![0; 8], image.symbols(&entries)));
        }
        leaves.push((vec![0; 8], image.tree(0, 0, &pairs, &[0; 8])));
    }
    let tree = image.tree(0, 1, &leaves, &[0; 8]);
    let root = image.header(&[(SYMBOL_TABLE, longs(&[tree, heap]))]);
    assert!(spend(&image.write(folder.path(), root)).unwrap_err().contains("overlap"));
}

#[test]
fn a_tree_that_leads_back_to_itself_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let heap = image.local_heap(b"\0\0\0\0\0\0\0\0");
    let at = image.next();
    let tree = image.tree(0, 1, &[(vec![0; 8], at)], &[0; 8]);
    let root = image.header(&[(SYMBOL_TABLE, longs(&[tree, heap]))]);
    assert!(spend(&image.write(folder.path(), root)).is_err());
}

#[test]
fn nodes_have_no_more_entries_than_the_file_says() {
    // The K values of the superblock allow 8 links in a node, and 32 nodes below one of the tree.
    let folder = tempfile::tempdir().unwrap();
    for (links, nodes, said) in [(8, 32, None), (9, 1, Some("at most 8")), (1, 33, Some("32 are the most"))] {
        let mut image = Image::new();
        let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8)]);
        let names: Vec<String> = (0..links * nodes).map(|n| format!("{n:07}\0")).collect();
        let heap = image.local_heap(format!("\0\0\0\0\0\0\0\0{}", names.concat()).as_bytes());
        let mut pairs = Vec::new();
        for node in 0..nodes as u64 {
            let first = node * links as u64;
            let entries: Vec<(u64, u64)> =
                (first + 1..=first + links as u64).map(|n| (8 * n, dataset)).collect();
            pairs.push((longs(&[8 * first]), image.symbols(&entries)));
        }
        let tree = image.tree(0, 0, &pairs, &longs(&[8 * (links * nodes) as u64]));
        let root = image.header(&[(SYMBOL_TABLE, longs(&[tree, heap]))]);
        let outcome = spend(&image.write(folder.path(), root));
        match said {
            None => assert_eq!(outcome, Ok(())),
            Some(said) => assert!(outcome.unwrap_err().contains(said)),
        }
    }
}

#[test]
fn names_of_many_groups_may_not_be_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let dataset = image.header(&[dataspace(&[2]), int(), contiguous(96, 8)]);
    let len = 1_000_000u64;
    let names = image.put(b"v\0\0\0\0\0\0\0".repeat(len as usize / 8 + 2000));
    let node = image.symbols(&[(0, dataset)]);
    let tree = image.tree(0, 0, &[(vec![0; 8], node)], &[0; 8]);
    let mut groups = Vec::new();
    // Each heap begins a little after the previous one, so that none is in the cache.
    for n in 0..1500u64 {
        let mut heap = b"HEAP\0\0\0\0".to_vec();
        heap.extend(longs(&[len, 1, names + 8 * n]));
        let heap = image.put(heap);
        groups.push((format!("g{n:04}"), image.header(&[(SYMBOL_TABLE, longs(&[tree, heap]))])));
    }
    let groups: Vec<(&str, u64)> = groups.iter().map(|(name, address)| (&**name, *address)).collect();
    let root = image.group(&groups);
    assert!(spend(&image.write(folder.path(), root)).unwrap_err().contains("overlap"));
}
