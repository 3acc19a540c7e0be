//! HDF5 files assembled byte by byte, as no library would write them.

use std::path::{Path, PathBuf};

/// "Nothing here".
pub const NOWHERE: u64 = u64::MAX;

pub const DATASPACE: u16 = 0x01;
pub const LINK_INFO: u16 = 0x02;
pub const DATATYPE: u16 = 0x03;
pub const FILL_VALUE: u16 = 0x05;
pub const LAYOUT: u16 = 0x08;
pub const FILTERS: u16 = 0x0b;
pub const ATTRIBUTE: u16 = 0x0c;
pub const CONTINUATION: u16 = 0x10;
pub const SYMBOL_TABLE: u16 = 0x11;
pub const ATTRIBUTE_INFO: u16 = 0x15;

/// A file in the making.
pub struct Image {
    pub bytes: Vec<u8>,
}

impl Image {
    /// An empty file with room for a superblock.
    pub fn new() -> Self {
        Image { bytes: vec![0; 96] }
    }

    /// Where the next structure comes to lie.
    pub fn next(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Adds a structure and returns its address.
    pub fn put(&mut self, bytes: impl AsRef<[u8]>) -> u64 {
        let address = self.next();
        self.bytes.extend(bytes.as_ref());
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        address
    }

    /// Adds an object header of version 1.
    pub fn header(&mut self, messages: &[(u16, Vec<u8>)]) -> u64 {
        let body: Vec<u8> = messages.iter().flat_map(|(kind, data)| message(*kind, data)).collect();
        let mut header = vec![1, 0];
        header.extend((messages.len() as u16).to_le_bytes());
        header.extend(1u32.to_le_bytes());
        header.extend((body.len() as u32).to_le_bytes());
        header.extend([0; 4]);
        header.extend(body);
        self.put(header)
    }

    /// Adds a local heap with this data and returns its address.
    pub fn local_heap(&mut self, data: &[u8]) -> u64 {
        let segment = self.put(data);
        let mut heap = b"HEAP\0\0\0\0".to_vec();
        heap.extend(longs(&[data.len() as u64, 1, segment]));
        self.put(heap)
    }

    /// Adds a symbol-table node; each entry has the offset of its name and the address of its object.
    pub fn symbols(&mut self, entries: &[(u64, u64)]) -> u64 {
        let mut node = b"SNOD\x01\0".to_vec();
        node.extend((entries.len() as u16).to_le_bytes());
        for &(name, object) in entries {
            node.extend(longs(&[name, object]));
            node.extend([0; 24]);
        }
        self.put(node)
    }

    /// Adds a node of a version 1 B-tree; `pairs` are keys with the child that follows each.
    pub fn tree(&mut self, kind: u8, level: u8, pairs: &[(Vec<u8>, u64)], last: &[u8]) -> u64 {
        let mut node = b"TREE".to_vec();
        node.extend([kind, level]);
        node.extend((pairs.len() as u16).to_le_bytes());
        node.extend(longs(&[NOWHERE, NOWHERE]));
        for (key, child) in pairs {
            node.extend(key);
            node.extend(child.to_le_bytes());
        }
        node.extend(last);
        self.put(node)
    }

    /// Adds an old-style group with these objects, in as many nodes as it takes, and returns its header.
    pub fn group(&mut self, objects: &[(&str, u64)]) -> u64 {
        self.group_with(objects, Vec::new())
    }

    /// As [`Image::group`], with further messages.
    pub fn group_with(&mut self, objects: &[(&str, u64)], mut messages: Vec<(u16, Vec<u8>)>) -> u64 {
        let mut objects = objects.to_vec();
        objects.sort();
        let mut names = vec![0u8; 8];
        let mut entries = Vec::new();
        for (name, object) in objects {
            entries.push((names.len() as u64, object));
            names.extend(name.as_bytes());
            names.push(0);
            names.resize(names.len().next_multiple_of(8), 0);
        }
        let nodes: Vec<(u64, u64)> =
            entries.chunks(8).map(|part| (part[part.len() - 1].0, self.symbols(part))).collect();
        let table = self.symbol_table(&names, nodes);
        messages.push((SYMBOL_TABLE, table));
        self.header(&messages)
    }

    /// Adds an old-style group of soft links of these names, in order, which all lead to one path; returns its header.
    pub fn soft_links(&mut self, links: &[String], path: &str) -> u64 {
        let mut names = [&[0; 8], path.as_bytes(), &[0]].concat();
        let mut nodes = Vec::new();
        for part in links.chunks(8) {
            let mut node = b"SNOD\x01\0".to_vec();
            node.extend((part.len() as u16).to_le_bytes());
            for name in part {
                node.extend(longs(&[names.len() as u64, 0]));
                node.extend([2u32, 0, 8, 0, 0, 0].iter().flat_map(|n| n.to_le_bytes()));
                names.extend([name.as_bytes(), &[0]].concat());
            }
            nodes.push((names.len() as u64 - 1 - part[part.len() - 1].len() as u64, self.put(node)));
        }
        let table = self.symbol_table(&names, nodes);
        self.header(&[(SYMBOL_TABLE, table)])
    }

    /// Adds the tree and the heap of a symbol table; `children` are its nodes, each with the offset of its last name.
    fn symbol_table(&mut self, names: &[u8], mut children: Vec<(u64, u64)>) -> Vec<u8> {
        let heap = self.local_heap(names);
        let mut level = 0;
        let tree = loop {
            let nodes: Vec<(u64, u64)> = children
                .chunks(32)
                .map(|part| {
                    let first = 0u64;
                    let mut keys = vec![first];
                    keys.extend(part.iter().map(|(last, _)| *last));
                    let pairs: Vec<(Vec<u8>, u64)> = part
                        .iter()
                        .zip(&keys)
                        .map(|(&(_, child), key)| (key.to_le_bytes().into(), child))
                        .collect();
                    let last = part[part.len() - 1].0;
                    (last, self.tree(0, level, &pairs, &last.to_le_bytes()))
                })
                .collect();
            if nodes.len() <= 1 {
                break nodes.first().map_or(NOWHERE, |node| node.1);
            }
            children = nodes;
            level += 1;
        };
        longs(&[tree, heap])
    }

    /// Adds a global heap collection with these objects, numbered from 1.
    pub fn global_heap(&mut self, objects: &[&[u8]]) -> u64 {
        let mut body = Vec::new();
        for (number, object) in objects.iter().enumerate() {
            body.extend((number as u16 + 1).to_le_bytes());
            body.extend([1, 0, 0, 0, 0, 0]);
            body.extend((object.len() as u64).to_le_bytes());
            body.extend(*object);
            body.resize(body.len().next_multiple_of(8), 0);
        }
        let mut heap = b"GCOL\x01\0\0\0".to_vec();
        heap.extend((16 + body.len() as u64).to_le_bytes());
        heap.extend(body);
        self.put(heap)
    }

    /// Writes the file with its superblock (version 0, or 2 with addresses counted from 0).
    pub fn write(mut self, folder: &Path, root: u64) -> PathBuf {
        let mut head = b"\x89HDF\r\n\x1a\n".to_vec();
        head.extend([0, 0, 0, 0, 0, 8, 8, 0]);
        head.extend([4, 0, 16, 0]);
        head.extend([0; 4]);
        head.extend(longs(&[0, NOWHERE, self.bytes.len() as u64, NOWHERE]));
        head.extend(longs(&[0, root]));
        head.extend([0; 24]);
        assert_eq!(head.len(), 96);
        self.bytes[..96].copy_from_slice(&head);
        let path = folder.join("hostile.nc");
        std::fs::write(&path, self.bytes).unwrap();
        path
    }
}

fn message(kind: u16, data: &[u8]) -> Vec<u8> {
    let len = data.len().next_multiple_of(8);
    let mut message = kind.to_le_bytes().to_vec();
    message.extend(u16::try_from(len).unwrap().to_le_bytes());
    message.extend([0; 4]);
    message.extend(data);
    message.resize(8 + len, 0);
    message
}

/// Numbers of 8 bytes, one after the other.
pub fn longs(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// A structure with its checksum.
pub fn checked(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = hdf5_reader::checksum::jenkins_lookup3(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// A dataspace of this shape.
pub fn dataspace(shape: &[u64]) -> (u16, Vec<u8>) {
    let mut data = vec![1, shape.len() as u8, 0, 0, 0, 0, 0, 0];
    data.extend(longs(shape));
    (DATASPACE, data)
}

/// The type of 32-bit integers.
pub fn int() -> (u16, Vec<u8>) {
    (DATATYPE, vec![0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0])
}

/// The type of strings in global heaps.
pub fn heap_string() -> (u16, Vec<u8>) {
    let mut data = vec![0x19, 1, 0, 0, 16, 0, 0, 0];
    data.extend([0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0]);
    (DATATYPE, data)
}

/// A layout in one piece.
pub fn contiguous(address: u64, size: u64) -> (u16, Vec<u8>) {
    let mut data = vec![3, 1];
    data.extend(longs(&[address, size]));
    (LAYOUT, data)
}

/// A layout in chunks of these sizes (that of an element last), indexed by a version 1 B-tree.
pub fn chunked(address: u64, sizes: &[u32]) -> (u16, Vec<u8>) {
    let mut data = vec![3, 2, sizes.len() as u8];
    data.extend(address.to_le_bytes());
    data.extend(sizes.iter().flat_map(|n| n.to_le_bytes()));
    (LAYOUT, data)
}

/// References to the first object of a global heap.
pub fn references(heap: u64, len: usize, count: usize) -> Vec<u8> {
    let mut one = (len as u32).to_le_bytes().to_vec();
    one.extend(heap.to_le_bytes());
    one.extend(1u32.to_le_bytes());
    one.repeat(count)
}

/// An attribute message.
pub fn attribute(name: &str, datatype: &[u8], shape: &[u64], data: &[u8]) -> (u16, Vec<u8>) {
    let name = [name.as_bytes(), &[0]].concat();
    let space = dataspace(shape).1;
    let mut message = vec![1, 0];
    message.extend([name.len(), datatype.len(), space.len()].iter().flat_map(|&n| (n as u16).to_le_bytes()));
    for part in [&name[..], datatype, &space] {
        message.extend(part);
        message.resize(message.len() + (8 - part.len() % 8) % 8, 0);
    }
    message.extend(data);
    (ATTRIBUTE, message)
}
