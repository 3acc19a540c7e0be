//! Links of a group: symbol tables (old), link messages (compact), fractal heaps (dense).
//!
//! Soft links are followed inside the file; external and user-defined links are listed but never followed, since they
//! name other files.

use super::btree2::hash;
use super::cursor::Cursor;
use super::dense::{Dense, Listed};
use super::header::{Header, LINK, LINK_INFO, SYMBOL_TABLE};
use super::store::{damaged, Store};
use super::symbols::{Symbol, SymbolTable};
use crate::container::allowance::heap;
use crate::error::{Error, Kind, Result};
use crate::value::text_of;

/// Longest path; names in netCDF files have 256 bytes at most.
pub(super) const MAX_PATH: usize = 64 << 10;
/// Most soft links on the way to one object.
const MAX_SOFT_LINKS: usize = 32;

/// Memory that a link takes beside its name and target, in a list that grows.
const LINK_BYTES: usize = 3 * size_of::<Link>() / 2;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To the object at this address.
    Hard(u64),
    /// To a path in this file.
    Soft(String),
    /// To somewhere that is not followed, with the reason.
    Elsewhere(&'static str),
}

/// A named link.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) target: Target,
    order: Option<u64>,
}

impl Link {
    /// The memory that it is counted with.
    fn memory(&self) -> usize {
        let path = if let Target::Soft(path) = &self.target { path.len() } else { 0 };
        LINK_BYTES + heap(self.name.len()) + heap(path)
    }

    /// Lets go of it, so that its memory can be counted for others.
    pub(super) fn release(self, store: &Store) {
        store.budget.release(self.memory());
    }
}

/// All links of a group, in order of creation where it is tracked for all, else by name.
pub(super) fn list(store: &Store, group: &Header) -> Result<Vec<Link>> {
    let mut links = Vec::new();
    collect(store, group, None, &mut links)?;
    // In place: a list of very many links is not copied.
    if links.iter().all(|link| link.order.is_some()) {
        links.sort_unstable_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
    } else if !links.is_sorted_by(|a, b| a.name <= b.name) {
        links.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    }
    Ok(links)
}

/// Returns the link of this name in a group.
pub(super) fn find(store: &Store, group: &Header, name: &str) -> Result<Option<Link>> {
    let mut links = Vec::new();
    collect(store, group, Some(name), &mut links)?;
    Ok(links.into_iter().next())
}

/// Returns the legible links of a group that may be damaged, in no order. Also returns an error if they are not all.
pub(super) fn list_legible(store: &Store, group: &Header) -> (Vec<Link>, Result<()>) {
    let mut links = Vec::new();
    let outcome = collect(store, group, None, &mut links);
    (links, outcome)
}

/// Returns the address of the object that a link of the group at `group` leads to.
pub(super) fn resolve(store: &Store, group: u64, link: &Link) -> Result<u64> {
    match &link.target {
        Target::Hard(address) => Ok(*address),
        Target::Soft(path) => {
            let found = store.budget.passing(|| follow(store, group, path))?;
            found.ok_or_else(|| Error::new(Kind::Damaged, format!("soft link to '{path}' leads nowhere")))
        }
        Target::Elsewhere(reason) => Err(Error::new(Kind::Unsupported, *reason)),
    }
}

/// Returns the address of the object at a path from the group at `group` (or from the root), following soft links.
pub(super) fn follow(store: &Store, group: u64, path: &str) -> Result<Option<u64>> {
    let mut at = if path.starts_with('/') { store.root } else { group };
    let mut soft_links = 0;
    // Names still to be followed, the last one first.
    let mut names: Vec<String> = Vec::new();
    let push = |names: &mut Vec<String>, path: &str| {
        if path.len() > MAX_PATH {
            return Err(Error::new(Kind::Limit, format!("a path of {} bytes", path.len())));
        }
        names
            .extend(path.split('/').rev().filter(|name| !name.is_empty() && *name != ".").map(str::to_owned));
        Ok(())
    };
    push(&mut names, path)?;
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
                push(&mut names, &path)?;
            }
            Target::Elsewhere(reason) => return Err(Error::new(Kind::Unsupported, reason)),
        }
    }
    Ok(Some(at))
}

/// Adds the links of a group, or only the one named `wanted`.
fn collect(store: &Store, group: &Header, wanted: Option<&str>, links: &mut Vec<Link>) -> Result<()> {
    for message in group.messages(LINK).filter(|message| !message.shared) {
        add(store, parse(store, message.data)?, wanted, links)?;
    }
    if let Some(info) = group.data(LINK_INFO)? {
        dense(store, info, wanted, links)?;
    }
    if let Some(table) = group.data(SYMBOL_TABLE)? {
        old_style(store, table, wanted, links)?;
    }
    Ok(())
}

fn add(store: &Store, link: Link, wanted: Option<&str>, links: &mut Vec<Link>) -> Result<()> {
    if wanted.is_some_and(|wanted| link.name != wanted) {
        return Ok(());
    }
    store.budget.keep(link.memory())?;
    links.push(link);
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
    let hashes = wanted.map(|name| [hash(name)]);
    // The heap has many blocks: an illegible one does not prevent reading the others.
    let mut outcome = Ok(());
    Dense { listed: Listed::Links, heap, names }.each(
        store,
        hashes.as_ref().map(<[u32; 1]>::as_slice),
        |_, data| match data.and_then(|data| parse(store, &data)) {
            Ok(link) => add(store, link, wanted, links),
            Err(error) => {
                if outcome.is_ok() {
                    outcome = Err(error);
                }
                Ok(())
            }
        },
    )?;
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
        64 => Target::Elsewhere("external links are not followed"),
        _ => Target::Elsewhere("user-defined links are not followed"),
    };
    Ok(Link { name, target, order })
}

/// Adds the links of a symbol table.
fn old_style(store: &Store, table: &[u8], wanted: Option<&str>, links: &mut Vec<Link>) -> Result<()> {
    let Some(table) = SymbolTable::read(store, table)? else { return Ok(()) };
    // Bytes that are not UTF-8 were replaced in the name, so its position in the tree is unknown.
    let place = wanted.filter(|name| !name.contains(char::REPLACEMENT_CHARACTER)).map(str::as_bytes);
    table.each(store, place, |name, symbol| add_symbol(store, name, &symbol, wanted, links))
}

fn add_symbol(
    store: &Store,
    name: &[u8],
    symbol: &Symbol<'_>,
    wanted: Option<&str>,
    links: &mut Vec<Link>,
) -> Result<()> {
    if wanted.is_some_and(|wanted| !is_text(name, wanted)) {
        return Ok(());
    }
    let target = match symbol {
        Symbol::Hard(address) => Target::Hard(*address),
        Symbol::Soft(path) => Target::Soft(text_of(path)),
    };
    add(store, Link { name: text_of(name), target, order: None }, wanted, links)
}

/// Returns whether these bytes are this text, in which bytes that are not UTF-8 were replaced.
fn is_text(bytes: &[u8], text: &str) -> bool {
    bytes == text.as_bytes() || (!bytes.is_ascii() && text_of(bytes) == text)
}
