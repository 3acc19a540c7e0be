//! The open file as its parts share it: storage, sizes of addresses and lengths, K values, global heaps; and the budget
//! of an operation on it.

use std::fmt;
use std::ops::Deref;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use hdf5_reader::storage::Storage;
use hdf5_reader::superblock::{Superblock, HDF5_MAGIC};

use super::budget::Budget;
use super::cursor::Cursor;
use super::global_heap;
use super::header::{Header, BRANCHING, FILE_SPACE};
use super::shared_index::Indexes;
use super::storage::BlockStorage;
use super::symbols::LastNames;
use crate::container::allowance::Allowance;
use crate::container::checksum::lookup3;
use crate::error::{Error, Kind, Result};
use crate::io::source::Source;

/// K values of files that define none.
const DEFAULT_BRANCHING: Branching = Branching { group_leaf: 4, group: 16, chunk: 32 };

/// An open file for one operation, with a budget of its own.
pub(super) struct Store {
    opened: Arc<Opened>,
    pub(super) budget: Budget,
}

/// An open file: the source of its bytes and the encoding of its addresses.
pub(super) struct Opened {
    pub(super) storage: BlockStorage,
    pub(super) offset_size: u8,
    pub(super) length_size: u8,
    pub(super) root: u64,
    pub(super) branching: Branching,
    pub(super) heaps: global_heap::Collections,
    pub(super) names: LastNames,
    pub(super) indexes: Indexes,
    /// What may be kept of the file by all operations together.
    pub(super) allowance: Arc<Allowance>,
}

/// The K values of a file: nodes of B-trees of version 1 have at most twice as many entries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branching {
    pub(super) group_leaf: u16,
    pub(super) group: u16,
    pub(super) chunk: u16,
}

impl Deref for Store {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        &self.opened
    }
}

impl Store {
    /// Opens the file. Refuses one that is shorter than its superblock says. Returns `None` if there is no superblock.
    pub(super) fn open(source: &Arc<dyn Source>) -> Result<Option<Self>> {
        Self::open_any(source)?.map(|(store, end)| end.map(|()| store)).transpose()
    }

    /// Like [`Store::open`], but lets the caller decide about a file that is too short. Zeros replace its missing end.
    pub(super) fn open_any(source: &Arc<dyn Source>) -> Result<Option<(Self, Result<()>)>> {
        let storage = BlockStorage::new(Arc::clone(source));
        let Some(base) = find_signature(&storage)? else {
            return Ok(None);
        };
        let storage = storage.rebased(base);
        let superblock = Superblock::parse_from_storage(&storage)?;
        let (offset_size, length_size) = (superblock.offset_size, superblock.length_size);
        if !matches!(offset_size, 2 | 4 | 8) || !matches!(length_size, 2 | 4 | 8) {
            return Err(damaged("sizes of addresses in the superblock are not 2, 4 or 8"));
        }
        let length = stated_length(&storage, &superblock)?;
        let end = check_end(&storage, length);
        let storage = storage.padded(length);
        let root = superblock.root_object_header_address()?;
        let mut opened = Opened {
            storage,
            offset_size,
            length_size,
            root,
            branching: DEFAULT_BRANCHING,
            heaps: global_heap::Collections::default(),
            names: LastNames::default(),
            indexes: Indexes::default(),
            allowance: Arc::new(Allowance::of(&**source)),
        };
        match superblock.version {
            0 | 1 => {
                opened.branching.group_leaf = superblock.group_leaf_node_k;
                opened.branching.group = superblock.group_internal_node_k;
                if superblock.version == 1 {
                    opened.branching.chunk = superblock.indexed_storage_k;
                }
            }
            _ => {
                if let Some(address) = superblock.extension_address {
                    let store = Self::new(Arc::new(opened));
                    // If the extension is illegible, the rest of the file may still be legible.
                    let branching = extension(&store, address).unwrap_or(DEFAULT_BRANCHING);
                    opened =
                        Arc::into_inner(store.opened).ok_or_else(|| damaged("the superblock is in use"))?;
                    opened.branching = branching;
                }
            }
        }
        Ok(Some((Self::new(Arc::new(opened)), end)))
    }

    fn new(opened: Arc<Opened>) -> Self {
        let budget = Budget::new(opened.storage.len(), opened.storage.stored());
        Store { opened, budget }
    }

    /// Returns the same file with a new budget, for another operation.
    pub(super) fn again(&self) -> Self {
        Self::new(Arc::clone(&self.opened))
    }
}

impl Opened {
    /// Returns whether an address means "nothing here".
    pub(super) fn is_undefined(&self, address: u64) -> bool {
        Cursor::is_undefined_offset(address, self.offset_size)
    }

    /// Reads an address at the cursor. Returns `None` if it is undefined.
    pub(super) fn address(&self, cursor: &mut Cursor<'_>) -> Result<Option<u64>> {
        let address = cursor.read_offset(self.offset_size)?;
        Ok((!self.is_undefined(address)).then_some(address))
    }

    /// Reads an address at the beginning of these bytes, whether or not it is defined.
    pub(super) fn offset(&self, bytes: &[u8]) -> Result<u64> {
        Cursor::new(bytes).read_offset(self.offset_size)
    }

    /// Returns the length of the file from its superblock on.
    pub(super) fn len(&self) -> u64 {
        self.storage.len()
    }

    /// Returns the size of a reference to an object in a global heap.
    pub(super) fn heap_reference_size(&self) -> usize {
        8 + usize::from(self.offset_size)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("storage", &self.storage).finish_non_exhaustive()
    }
}

/// Reads the K values in the extension of the superblock (IV.A.2.t), and whether the file has pages (IV.A.2.x).
fn extension(store: &Store, address: u64) -> Result<Branching> {
    let header = Header::read(store, address)?;
    if let Some(size) = header.data(FILE_SPACE)?.and_then(|data| page_size(store, data)) {
        store.storage.expect_pages(size);
    }
    let Some(data) = header.data(BRANCHING)? else { return Ok(DEFAULT_BRANCHING) };
    let mut cursor = Cursor::new(data);
    cursor.skip(1)?;
    let (chunk, group, group_leaf) = (cursor.read_u16_le()?, cursor.read_u16_le()?, cursor.read_u16_le()?);
    Ok(Branching { group_leaf, group, chunk })
}

/// Returns the size of the pages of a file whose space is managed in pages.
fn page_size(store: &Store, data: &[u8]) -> Option<u64> {
    let mut cursor = Cursor::new(data);
    let (version, strategy) = (cursor.read_u8().ok()?, cursor.read_u8().ok()?);
    cursor.skip(1 + usize::from(store.length_size)).ok()?;
    let size = cursor.read_length(store.length_size).ok()?;
    (version == 1 && strategy == 1).then_some(size)
}

/// Returns the contents of a structure of version 0 with a checksum: the bytes between version and checksum.
pub(super) fn checksummed<'a>(bytes: &'a [u8], signature: &[u8; 4]) -> Result<&'a [u8]> {
    let name = || String::from_utf8_lossy(signature).into_owned();
    let (body, sum) =
        bytes.split_last_chunk::<4>().ok_or_else(|| damaged(format!("{} is cut short", name())))?;
    match body.strip_prefix(signature) {
        Some([0, rest @ ..]) if lookup3(body) == u32::from_le_bytes(*sum) => Ok(rest),
        Some([0, ..]) => Err(damaged(format!("checksum of {} is wrong", name()))),
        Some([version, ..]) => Err(damaged(format!("{} of version {version}", name()))),
        _ => Err(damaged(format!("no {} where one should be", name()))),
    }
}

/// Returns the offset of the signature: 0, 512, 1024, 2048 and so on.
fn find_signature(storage: &BlockStorage) -> Result<Option<u64>> {
    let mut offset = 0u64;
    while offset.checked_add(8).is_some_and(|end| end <= storage.len()) {
        if *storage.read_range(offset, 8)? == HDF5_MAGIC {
            return Ok(Some(offset));
        }
        offset = if offset == 0 { 512 } else { offset.saturating_mul(2) };
    }
    Ok(None)
}

/// Returns the length of the file from its superblock on that the superblock states, or 0 if it states none.
fn stated_length(storage: &BlockStorage, superblock: &Superblock) -> Result<u64> {
    if Cursor::is_undefined_offset(superblock.eof_address, superblock.offset_size) {
        return Ok(0);
    }
    // The recorded end is relative to the recorded base. The superblock may have been moved since (something was put in
    // front of the file), which libhdf5 handles in the same way.
    let at = match superblock.version {
        0 => 24,
        1 => 28,
        _ => 12,
    };
    let bytes = storage.read_range(at, usize::from(superblock.offset_size))?;
    let recorded_base = Cursor::new(&bytes).read_offset(superblock.offset_size)?;
    Ok(superblock.eof_address.saturating_sub(recorded_base))
}

/// Refuses a file that is shorter than it should be.
fn check_end(storage: &BlockStorage, length: u64) -> Result<()> {
    if storage.len() < length {
        let message = format!("truncated: {} bytes of {length} are there", storage.len());
        return Err(Error::new(Kind::Damaged, message));
    }
    Ok(())
}

/// Returns an error about the file's structure.
pub(super) fn damaged(message: impl Into<String>) -> Error {
    Error::new(Kind::Damaged, format!("damaged HDF5 structure: {}", message.into()))
}

/// Returns an error about something valid that is not read.
pub(super) fn unsupported(message: impl Into<String>) -> Error {
    Error::new(Kind::Unsupported, message)
}

/// Runs code that calls `hdf5-reader`, and turns a panic in it into an error.
pub(super) fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    // Caches behind locks are the only state shared with the closure, and are never left half-updated.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(damaged("the parser gave up")))
}
