//! Links of a group: symbol tables (old), link messages (compact), fractal heaps (dense).
//!
//! Soft links are followed inside the file; external and user-defined links are shown but never followed, since
//! they name other files.

use hdf5_reader::btree_v1::collect_btree_v1_leaves_storage;
use hdf5_reader::btree_v2::{collect_btree_v2_records_storage, BTreeV2Header, BTreeV2Record};
use hdf5_reader::checksum::jenkins_lookup3;
use hdf5_reader::fractal_heap::{FractalHeap, FractalHeapDirectBlockCache};
use hdf5_reader::io::Cursor;
use hdf5_reader::local_heap::LocalHeap;
use hdf5_reader::storage::Storage;
use hdf5_reader::symbol_table::SymbolTableNode;

use super::header::{Header, LINK, LINK_INFO, SYMBOL_TABLE};
use super::store::{damaged, Store};
use crate::error::{Error, Kind, Result};
use crate::value::text_of;

/// Most soft links on the way to one object.
const MAX_SOFT_LINKS: usize = 32;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To the object at this address.
    Hard(u64),
    /// To a path in this file.
    Soft(String),
    /// To somewhere that is not followed, with the reason.
    Elsewhere(String),
}

/// A named link.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) target: Target,
    order: Option<u64>,
}

/// All links of a group, in order of creation where it is tracked for all, else by name.
pub(super) fn list(store: &Store, group: &Header) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    collect(store, group, None, &mut links)?;
    if links.iter().all(|link| link.order.is_some()) {
        links.sort_by_key(|link| link.order);
    } else {
        links.sort_by(|a, b| a.name.cmp(&b.name));
    }
    Ok(links)
}

/// The link of this name in a group.
pub(super) fn find(store: &Store, group: &Header, name: &str) -> Result<Option<Link>> {
    let mut links = Vec::new();
    collect(store, group, Some(name), &mut links)?;
    Ok(links.into_iter().find(|link| link.name == name))
}

/// The links of a group that may be damaged, as far as they are legible and in no order, and whether those are all.
pub(super) fn list_legible(store: &Store, group: &Header) -> (Vec<Link>, Result<()>) {
    let mut links = Vec::new();
    let outcome = collect(store, group, None, &mut links);
    (links, outcome)
}

/// The address of the object that a link of the group at `group` leads to.
pub(super) fn resolve(store: &Store, group: u64, link: &Link) -> Result<u64> {
    match &link.target {
        Target::Hard(address) => Ok(*address),
        Target::Soft(path) => {
            let found = follow(store, group, path)?;
            found.ok_or_else(|| Error::new(Kind::Damaged, format!("soft link to '{path}' leads nowhere")))
        }
        Target::Elsewhere(reason) => Err(Error::new(Kind::Unsupported, reason.clone())),
    }
}

/// The address of the object at a path from the group at `group` (or from the root), following soft links.
pub(super) fn follow(store: &Store, group: u64, path: &str) -> Result<Option<u64>> {
    let mut at = if path.starts_with('/') { store.root } else { group };
    let mut soft_links = 0;
    // Names still to be followed, last first.
    let mut names: Vec<String> = Vec::new();
    let push = |names: &mut Vec<String>, path: &str| {
        names
            .extend(path.split('/').rev().filter(|name| !name.is_empty() && *name != ".").map(str::to_owned));
    };
    push(&mut names, path);
    while let Some(name) = names.pop() {
        let header = Header::read(store, at)?;
        let Some(link) = find(store, &header, &name)? else {
            return Ok(None);
        };
        match link.target {
            Target::Hard(address) => at = address,
            Target::Soft(path) => {
                soft_links += 1;
                if soft_links > MAX_SOFT_LINKS {
                    return Err(damaged("soft links lead on without end"));
                }
                if path.starts_with('/') {
                    at = store.root;
                }
                push(&mut names, &path);
            }
            Target::Elsewhere(reason) => return Err(Error::new(Kind::Unsupported, reason)),
        }
    }
    Ok(Some(at))
}

/// Adds the links of a group, or of those at least the ones named `wanted`.
fn collect(store: &Store, group: &Header, wanted: Option<&str>, links: &mut Vec<Link>) -> Result<()> {
    for message in group.messages.iter().filter(|message| message.kind == LINK && !message.shared) {
        links.push(parse(store, &message.data)?);
    }
    if let Some(info) = group.data(LINK_INFO)? {
        dense(store, info, wanted, links)?;
    }
    if let Some(table) = group.data(SYMBOL_TABLE)? {
        old_style(store, table, links)?;
    }
    Ok(())
}

fn dense(store: &Store, info: &[u8], wanted: Option<&str>, links: &mut Vec<Link>) -> Result<()> {
    let mut cursor = Cursor::new(info);
    let version = cursor.read_u8()?;
    if version != 0 {
        return Err(damaged(format!("link info of version {version}")));
    }
    if cursor.read_u8()? & 1 != 0 {
        cursor.skip(8)?;
    }
    let (Some(heap), Some(names)) = (store.address(&mut cursor)?, store.address(&mut cursor)?) else {
        return Ok(());
    };
    let (offset_size, length_size) = (store.offset_size, store.length_size);
    let heap = FractalHeap::parse_at_storage(&store.storage, heap, offset_size, length_size)?;
    let tree = BTreeV2Header::parse_at_storage(&store.storage, names, offset_size, length_size)?;
    let records =
        collect_btree_v2_records_storage(&store.storage, &tree, offset_size, length_size, None, &[], None)?;
    let wanted = wanted.map(|name| jenkins_lookup3(name.as_bytes()));
    let mut blocks = FractalHeapDirectBlockCache::default();
    // The heap has many blocks: one that is not legible does not keep from those that are.
    let mut outcome = Ok(());
    for record in records {
        let BTreeV2Record::LinkNameHash { hash, heap_id } = record else {
            return Err(damaged("links are indexed by something else than names"));
        };
        if wanted.is_some_and(|wanted| wanted != hash) {
            continue;
        }
        let link = heap
            .get_object_storage_cached(&heap_id, &store.storage, offset_size, length_size, &mut blocks)
            .map_err(Error::from)
            .and_then(|data| parse(store, &data));
        match link {
            Ok(link) => links.push(link),
            Err(error) => outcome = outcome.and(Err(error)),
        }
    }
    outcome
}

/// Parses a link message (IV.A.2.g).
fn parse(store: &Store, data: &[u8]) -> Result<Link> {
    let mut cursor = Cursor::new(data);
    let version = cursor.read_u8()?;
    if version != 1 {
        return Err(damaged(format!("link of version {version}")));
    }
    let flags = cursor.read_u8()?;
    let kind = if flags & 0x08 != 0 { cursor.read_u8()? } else { 0 };
    let order = if flags & 0x04 != 0 { Some(cursor.read_u64_le()?) } else { None };
    if flags & 0x10 != 0 {
        cursor.skip(1)?;
    }
    let len = cursor.read_uvar(1 << (flags & 3))?;
    let len = usize::try_from(len).map_err(|_| damaged("name of a link is too long"))?;
    let name = text_of(cursor.read_bytes(len)?);
    let target = match kind {
        0 => Target::Hard(cursor.read_offset(store.offset_size)?),
        1 => {
            let len = usize::from(cursor.read_u16_le()?);
            Target::Soft(text_of(cursor.read_bytes(len)?))
        }
        64 => Target::Elsewhere("external links are not followed".into()),
        _ => Target::Elsewhere("user-defined links are not followed".into()),
    };
    Ok(Link { name, target, order })
}

/// Adds the links of a symbol table (III.A.1, III.B).
fn old_style(store: &Store, table: &[u8], links: &mut Vec<Link>) -> Result<()> {
    let mut cursor = Cursor::new(table);
    let (Some(tree), Some(heap)) = (store.address(&mut cursor)?, store.address(&mut cursor)?) else {
        return Ok(());
    };
    let (storage, offset_size, length_size) = (&store.storage, store.offset_size, store.length_size);
    let heap = LocalHeap::parse_at_storage(storage, heap, offset_size, length_size)?;
    let len = usize::try_from(heap.data_segment_size).map_err(|_| damaged("local heap is too long"))?;
    let names = storage.read_range(heap.data_segment_address, len)?;
    let text = |offset: u64| -> Result<String> {
        let bytes = usize::try_from(offset).ok().and_then(|offset| names.get(offset..));
        Ok(text_of(bytes.ok_or_else(|| damaged("name of a link lies outside its heap"))?))
    };
    let leaves = collect_btree_v1_leaves_storage(storage, tree, offset_size, length_size, None, &[], None)?;
    let entry_len = 2 * usize::from(offset_size) + 24;
    for (_, node) in leaves {
        let head = storage.read_range(node, 8)?;
        let count = usize::from(u16::from_le_bytes([head[6], head[7]]));
        let bytes = storage.read_range(node, 8 + count * entry_len)?;
        for entry in SymbolTableNode::parse(&mut Cursor::new(&bytes), offset_size, length_size)?.entries {
            let target = if entry.cache_type == 2 {
                let at = [entry.scratch[0], entry.scratch[1], entry.scratch[2], entry.scratch[3]];
                Target::Soft(text(u64::from(u32::from_le_bytes(at)))?)
            } else {
                Target::Hard(entry.object_header_address)
            };
            links.push(Link { name: text(entry.link_name_offset)?, target, order: None });
        }
    }
    Ok(())
}
