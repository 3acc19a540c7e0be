//! Chunk indexes whose nodes overlap.

use super::commands::refused_conversion;
use super::image::{
    checked, chunked, contiguous, dataspace, int, longs, Image, DATASPACE, FILTERS, LAYOUT, NOWHERE,
};
use super::{spend, spend_alone};
use crate::support::allocations::most_during;
use cfa::{Dataset, Kind, Selection};

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
fn links_to_one_dataset_share_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let count = 200_000;
    let mut image = Image::new();
    let block = image.put([&b"FADB\0\0"[..], &[0; 8], &longs(&vec![96; count]), &[0; 4]].concat());
    let header = image.put(checked([&b"FAHD\0\0\x08\0"[..], &longs(&[count as u64, block])].concat()));
    let dataset = image.header(&[dataspace(&[count as u64]), int(), indexed(3, &[0], header)]);
    let names: Vec<String> = (0..20).map(|i| format!("v{i:02}")).collect();
    let objects: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), dataset)).collect();
    let root = image.group(&objects);
    let path = image.write(folder.path(), root);
    let one = Selection::block(&[0], &[1], &[count as u64]).unwrap();
    let (dataset, most) = most_during(|| {
        let dataset = Dataset::open(path).unwrap();
        dataset.variables().iter().for_each(|variable| drop(variable.read::<i32>(&one).unwrap()));
        dataset
    });
    assert_eq!(dataset.variables().len(), names.len());
    assert!(most < super::MOST_BYTES, "{most} bytes");
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
    // The leaf is visited once, for the chunk that is read, and lists it many times.
    assert!(write_indexed(image, 1 << 40, true, layout).unwrap_err().contains("a chunk is indexed twice"));
}

/// The number of a filter and its parameters.
type Filter = (u16, Vec<u32>);

/// A variable that is one chunk of `count` numbers, stored as these bytes, with these filters and their parameters.
fn one_chunk(count: u32, filters: &[Filter], stored: &[u8]) -> (Image, u64) {
    chunks_in_one_place(1, count, filters, stored)
}

/// So many such chunks, all of which lie in the same place of the file.
fn chunks_in_one_place(chunks: u32, count: u32, filters: &[Filter], stored: &[u8]) -> (Image, u64) {
    let mut image = Image::new();
    let data = image.put(stored);
    let key = |size: u32, offset: u64| [&size.to_le_bytes()[..], &[0; 4], &longs(&[offset, 0])].concat();
    let all = u64::from(chunks) * u64::from(count);
    let offsets = (0..all).step_by(count as usize);
    let pairs: Vec<_> = offsets.map(|offset| (key(stored.len() as u32, offset), data)).collect();
    let tree = image.tree(1, 0, &pairs, &key(0, all));
    let mut pipeline = vec![1, filters.len() as u8, 0, 0, 0, 0, 0, 0];
    for (id, parameters) in filters {
        pipeline.extend([*id, 0, 0, parameters.len() as u16].iter().flat_map(|n| n.to_le_bytes()));
        pipeline.extend(parameters.iter().flat_map(|n| n.to_le_bytes()));
        pipeline.resize(pipeline.len().next_multiple_of(8), 0);
    }
    let layout = chunked(tree, &[count, 4]);
    let dataset = image.header(&[dataspace(&[all]), int(), layout, (FILTERS, pipeline)]);
    let root = image.group(&[("v", dataset)]);
    (image, root)
}

#[test]
fn chunks_that_overlap_are_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let count = 1u32 << 20;
    let mut stored = vec![0; 1 << 20];
    let zeros = vec![0; 4 << 20];
    let length =
        libdeflater::Compressor::new(libdeflater::CompressionLvl::best()).zlib_compress(&zeros, &mut stored);
    stored.truncate(length.unwrap());
    let (image, root) = chunks_in_one_place(60, count, &[(1, vec![9])], &stored);
    let error = refused_conversion(&image.write(folder.path(), root));
    assert_eq!((error.kind(), error.variable()), (Kind::Damaged, Some("/v")), "{error}");
}

#[test]
fn variables_that_overlap_are_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = Image::new();
    let data = image.put(vec![1; 4 << 20]);
    let names: Vec<String> = (0..60).map(|v| format!("v{v}")).collect();
    let objects: Vec<(&str, u64)> = names
        .iter()
        .map(|name| (&**name, image.header(&[dataspace(&[1 << 20]), int(), contiguous(data, 4 << 20)])))
        .collect();
    let root = image.group(&objects);
    let error = refused_conversion(&image.write(folder.path(), root));
    assert_eq!(error.kind(), Kind::Damaged, "{error}");
}

#[test]
fn constants_of_gigabytes_are_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let (image, root) = one_chunk(COUNT, &[scale_offset(COUNT)], &sevens(0));
    let error = refused_conversion(&image.write(folder.path(), root));
    assert_eq!((error.kind(), error.variable()), (Kind::Limit, Some("/v")), "{error}");
}

const COUNT: u32 = 1_000_000_000;

/// The parameters of scale-offset for so many 32-bit integers.
fn scale_offset(count: u32) -> Filter {
    (6, [&[2, 0, count, 0, 4, 1, 0, 0, 0, 0][..], &[0; 10]].concat())
}

/// What scale-offset makes of sevens.
fn sevens(width: u32) -> Vec<u8> {
    [&width.to_le_bytes()[..], &[8], &longs(&[7, 0]), &[0]].concat()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0; 1000];
    let len = libdeflater::Compressor::new(Default::default()).zlib_compress(bytes, &mut out).unwrap();
    out.truncate(len);
    out
}

#[test]
fn damaged_chunks_take_no_memory_for_what_they_claim() {
    let folder = tempfile::tempdir().unwrap();
    let long = |head: &[u8]| [head, &[0; 65_000]].concat();
    let claimed = (4 * u64::from(COUNT)).to_be_bytes();
    let cases: [(&[Filter], Vec<u8>); 11] = [
        (&[(307, vec![9])], long(b"BZh91AY&SY")),
        (&[(2, vec![4]), (307, vec![9])], long(b"BZh91AY&SY")),
        (&[(1, vec![6]), (307, vec![9])], long(b"BZh91AY&SY")),
        (&[(32015, vec![9])], long(b"\x28\xb5\x2f\xfd")),
        (&[(4, vec![141, 32, 32, 1 << 30])], long(&[0xff; 4])),
        (&[(4, vec![141, 32, 32, 1024])], long(&[0xff; 4])),
        (
            &[(32001, vec![2, 2, 4, COUNT])],
            long(&[2, 1, 0x33, 4, 0, 0x28, 0x6b, 0xee, 0, 0, 16, 0, 0xf8, 0xfd, 0, 0]),
        ),
        (&[(32008, vec![0, 4, 4, 0, 2])], long(&[&claimed[..], &[0x40, 0, 0, 0]].concat())),
        (&[(6, scale_offset(COUNT).1)], sevens(31)),
        (&[(6, scale_offset(5).1)], sevens(0)),
        (&vec![(1, vec![6]); 32], zlib(&[0; 100])),
    ];
    for (filters, stored) in cases {
        let (image, root) = one_chunk(COUNT, filters, &stored);
        assert!(spend_alone(&image.write(folder.path(), root)).is_err(), "{filters:?}");
    }
}

#[test]
fn a_constant_of_gigabytes_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let deflate = (1, vec![6]);
    for (filters, stored) in [
        (vec![scale_offset(COUNT)], sevens(0)),
        (vec![scale_offset(COUNT), deflate.clone()], zlib(&sevens(0))),
        (vec![scale_offset(COUNT), deflate.clone(), deflate], zlib(&zlib(&sevens(0)))),
    ] {
        let (image, root) = one_chunk(COUNT, &filters, &stored);
        let path = image.write(folder.path(), root);
        assert_eq!(spend_alone(&path), Ok(()));
        let dataset = cfa::Dataset::open(&path).unwrap();
        let part = cfa::Selection::block(&[u64::from(COUNT) - 3], &[3], &[COUNT.into()]).unwrap();
        assert_eq!(dataset.variable("v").unwrap().read::<i32>(&part).unwrap().as_slice(), Some(&[7; 3][..]));
    }
    // A chunk that must be shuffled has to be decoded.
    let (image, root) = one_chunk(COUNT, &[(2, vec![4]), scale_offset(COUNT)], &sevens(0));
    assert!(spend_alone(&image.write(folder.path(), root)).is_err());
}

#[test]
fn a_constant_is_converted_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let count = 32 << 20;
    let (image, root) = one_chunk(count, &[scale_offset(count)], &sevens(0));
    let path = image.write(folder.path(), root);
    let new = folder.path().join("new.nc");
    let (converted, most) = crate::support::allocations::most_during(|| {
        let dataset = cfa::Dataset::open(&path)?;
        cfa::convert::convert(&dataset, &new, &cfa::convert::Options::default())
    });
    converted.unwrap();
    assert!(most < super::MOST_BYTES, "{most} bytes of memory");
    let part = cfa::Selection::block(&[u64::from(count) - 3], &[3], &[count.into()]).unwrap();
    let dataset = cfa::Dataset::open(&new).unwrap();
    assert_eq!(dataset.variable("v").unwrap().read::<i32>(&part).unwrap().as_slice(), Some(&[7; 3][..]));
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
