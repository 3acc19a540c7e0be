//! Object headers (HDF5 file format IV.A), versions 1 and 2, as raw messages.
//!
//! The messages are kept as bytes, because one unusual message (a virtual layout, an attribute of a committed type)
//! must not hide the object that has it, and because the exact encoding of a datatype matters.

use std::collections::VecDeque;

use hdf5_reader::storage::{Storage, StorageBuffer};

use super::budget::Nodes;
use super::cursor::Cursor;
use super::store::{damaged, unsupported, Store};
use crate::container::allowance::heap;
use crate::container::checksum::lookup3;
use crate::error::{Error, Kind, Result};

/// The maximum size of one object header in bytes; real ones have some kilobytes.
const MAX_BYTES: usize = 64 << 20;
/// Memory that a message takes beside its bytes, in a list that grows.
const MESSAGE: usize = 3 * size_of::<Listed>() / 2;
/// Room for the messages of most headers, and for their bytes.
const USUAL: usize = 12;
const USUAL_BYTES: usize = 512;
/// What a block costs beside its bytes, counted as if it were longer.
const BLOCK: usize = 512;

pub(super) const DATASPACE: u16 = 0x01;
pub(super) const LINK_INFO: u16 = 0x02;
pub(super) const DATATYPE: u16 = 0x03;
pub(super) const OLD_FILL_VALUE: u16 = 0x04;
pub(super) const FILL_VALUE: u16 = 0x05;
pub(super) const LINK: u16 = 0x06;
pub(super) const EXTERNAL_FILES: u16 = 0x07;
pub(super) const LAYOUT: u16 = 0x08;
pub(super) const GROUP_INFO: u16 = 0x0a;
pub(super) const FILTERS: u16 = 0x0b;
pub(super) const ATTRIBUTE: u16 = 0x0c;
const CONTINUATION: u16 = 0x10;
pub(super) const SYMBOL_TABLE: u16 = 0x11;
pub(super) const BRANCHING: u16 = 0x13;
pub(super) const FILE_SPACE: u16 = 0x17;
pub(super) const ATTRIBUTE_INFO: u16 = 0x15;

const SHARED: u8 = 0x02;

/// One message of an object header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    /// Whether the message lies elsewhere; `data` then says where.
    pub(super) shared: bool,
    /// Order of creation, if the header tracks it.
    pub(super) order: Option<u16>,
    pub(super) data: &'a [u8],
}

/// Where the bytes of a message are in a [`Header`].
#[derive(Debug)]
struct Listed {
    kind: u16,
    shared: bool,
    order: Option<u16>,
    begin: usize,
    end: usize,
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Group,
    Dataset,
    Datatype,
    Unknown,
}

/// The messages of an object, in file order.
#[derive(Debug)]
pub(super) struct Header {
    list: Vec<Listed>,
    /// The bytes of all messages: one piece of memory, because there are many headers of many short messages.
    bytes: Vec<u8>,
    /// Memory that the messages were counted with.
    kept: usize,
}

impl Header {
    /// Reads the header at this address and its continuations.
    pub(super) fn read(store: &Store, address: u64) -> Result<Self> {
        let (header, outcome) = Self::read_legible(store, address);
        outcome.map(|()| header)
    }

    /// Reads the legible parts of a header that may be damaged. Also returns an error if they are not all.
    pub(super) fn read_legible(store: &Store, address: u64) -> (Self, Result<()>) {
        let mut reading = Reading {
            store,
            list: Vec::with_capacity(USUAL),
            bytes: Vec::with_capacity(USUAL_BYTES),
            blocks: VecDeque::new(),
            nodes: Nodes::new(store.len()),
            len: 0,
            kept: 0,
            sums: Ok(()),
        };
        let outcome = reading.all(address);
        (Header { list: reading.list, bytes: reading.bytes, kept: reading.kept }, outcome.and(reading.sums))
    }

    /// Releases the messages, so that the budget has their memory again.
    pub(super) fn release(self, store: &Store) {
        store.budget.release(self.kept);
    }

    /// Returns the messages of this kind.
    pub(super) fn messages(&self, kind: u16) -> impl Iterator<Item = Message<'_>> {
        self.list.iter().filter(move |listed| listed.kind == kind).map(|listed| Message {
            shared: listed.shared,
            order: listed.order,
            data: &self.bytes[listed.begin..listed.end],
        })
    }

    /// Returns the first message of this kind.
    pub(super) fn first(&self, kind: u16) -> Option<Message<'_>> {
        self.messages(kind).next()
    }

    /// Returns the bytes of the first message of this kind. Refuses one in the shared message table.
    pub(super) fn data(&self, kind: u16) -> Result<Option<&[u8]>> {
        match self.first(kind) {
            Some(message) if message.shared => Err(unsupported("shared object header messages are not read")),
            Some(message) => Ok(Some(message.data)),
            None => Ok(None),
        }
    }

    /// Returns the kind of the object, determined as libhdf5 does.
    pub(super) fn kind(&self) -> ObjectKind {
        let has = |kind| self.first(kind).is_some();
        if has(SYMBOL_TABLE) || has(LINK_INFO) || has(GROUP_INFO) || has(LINK) {
            ObjectKind::Group
        } else if has(DATATYPE) && has(DATASPACE) {
            ObjectKind::Dataset
        } else if has(DATATYPE) {
            ObjectKind::Datatype
        } else {
            ObjectKind::Unknown
        }
    }
}

struct Reading<'a> {
    store: &'a Store,
    list: Vec<Listed>,
    bytes: Vec<u8>,
    blocks: VecDeque<(u64, usize)>,
    /// The blocks that were read.
    nodes: Nodes,
    /// The length of the blocks.
    len: usize,
    kept: usize,
    /// Whether the checksums were right.
    sums: Result<()>,
}

impl Reading<'_> {
    fn all(&mut self, address: u64) -> Result<()> {
        if *self.store.storage.read_range(address, 4)? == *b"OHDR" {
            self.version_2(address)
        } else {
            self.version_1(address)
        }
    }

    fn version_1(&mut self, address: u64) -> Result<()> {
        let prefix = self.store.storage.read_range(address, 16)?;
        let mut cursor = Cursor::new(&prefix);
        let version = cursor.read_u8()?;
        if version != 1 {
            return Err(damaged(format!("object header of version {version} at {address:#x}")));
        }
        cursor.skip(7)?;
        let size = cursor.read_u32_le()? as usize;
        let start = address.checked_add(16).ok_or_else(|| damaged("address overflows"))?;
        let block = self.block(start, size)?;
        self.messages(&block, 1, false)?;
        self.continue_with(|reading, block| reading.messages(block, 1, false))
    }

    fn version_2(&mut self, address: u64) -> Result<()> {
        let fixed = self.store.storage.read_range(address, 6)?;
        if fixed[4] != 2 {
            return Err(damaged(format!("object header of version {} at {address:#x}", fixed[4])));
        }
        let flags = fixed[5];
        let times = if flags & 0x20 != 0 { 16 } else { 0 };
        let limits = if flags & 0x10 != 0 { 4 } else { 0 };
        let width = 1usize << (flags & 3);
        let prefix = 6 + times + limits + width;
        let head = self.store.storage.read_range(address, prefix)?;
        let mut cursor = Cursor::new(&head);
        cursor.skip(prefix - width)?;
        let size = cursor.read_uvar(width)?;
        let tracked = flags & 0x04 != 0;
        let total = usize::try_from(size).ok().and_then(|size| size.checked_add(prefix + 4));
        let block = self.block(address, total.ok_or_else(|| damaged("object header is too long"))?)?;
        let body = self.body(&block)?;
        self.messages(&body[prefix..], 2, tracked)?;
        self.continue_with(|reading, block| {
            let body = reading.body(block)?;
            if body.len() < 4 || body[..4] != *b"OCHK" {
                return Err(damaged("object header continuation lacks its signature"));
            }
            reading.messages(&body[4..], 2, tracked)
        })
    }

    fn block(&mut self, address: u64, len: usize) -> Result<StorageBuffer> {
        self.len = self.len.saturating_add(len);
        if self.len > MAX_BYTES {
            return Err(Error::new(Kind::Limit, "an object header is too long"));
        }
        self.nodes.enter(address, len as u64)?;
        self.store.budget.see(BLOCK + len)?;
        Ok(self.store.storage.read_range(address, len)?)
    }

    fn continue_with(&mut self, mut parse: impl FnMut(&mut Self, &[u8]) -> Result<()>) -> Result<()> {
        while let Some((address, len)) = self.blocks.pop_front() {
            let block = self.block(address, len)?;
            parse(self, &block)?;
        }
        Ok(())
    }

    fn messages(&mut self, block: &[u8], version: u8, tracked: bool) -> Result<()> {
        let mut cursor = Cursor::new(block);
        let envelope = match (version, tracked) {
            (1, _) => 8,
            (_, true) => 6,
            (_, false) => 4,
        };
        while cursor.remaining() >= envelope {
            let kind = if version == 1 { cursor.read_u16_le()? } else { u16::from(cursor.read_u8()?) };
            let len = usize::from(cursor.read_u16_le()?);
            let flags = cursor.read_u8()?;
            let mut order = None;
            if version == 1 {
                cursor.skip(3)?;
            } else if tracked {
                order = Some(cursor.read_u16_le()?);
            }
            let data = cursor.read_bytes(len)?;
            match kind {
                0 => {}
                CONTINUATION => {
                    let mut place = Cursor::new(data);
                    let address = place.read_offset(self.store.offset_size)?;
                    let len = place.read_length(self.store.length_size)?;
                    let len = usize::try_from(len).map_err(|_| damaged("object header is too long"))?;
                    self.blocks.push_back((address, len));
                }
                _ => {
                    let kept = MESSAGE + heap(data.len());
                    self.store.budget.keep(kept)?;
                    self.kept += kept;
                    let shared = flags & SHARED != 0;
                    let begin = self.bytes.len();
                    self.bytes.extend_from_slice(data);
                    self.list.push(Listed { kind, shared, order, begin, end: self.bytes.len() });
                }
            }
        }
        Ok(())
    }

    /// Returns the block without its checksum. A wrong checksum is only recorded, since part of the block may still be
    /// legible.
    fn body<'b>(&mut self, block: &'b [u8]) -> Result<&'b [u8]> {
        let (body, sum) =
            block.split_last_chunk::<4>().ok_or_else(|| damaged("object header is too short"))?;
        if self.sums.is_ok() && lookup3(body) != u32::from_le_bytes(*sum) {
            self.sums = Err(damaged("checksum of an object header is wrong"));
        }
        Ok(body)
    }
}
