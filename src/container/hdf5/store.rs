//! The open file as its parts share it: storage, sizes of addresses and lengths, global heaps.

use std::collections::HashMap;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

use hdf5_reader::global_heap::GlobalHeapCollection;
use hdf5_reader::io::Cursor;
use hdf5_reader::storage::Storage;
use hdf5_reader::superblock::{Superblock, HDF5_MAGIC};

use super::storage::BlockStorage;
use crate::error::{Error, Kind, Result};
use crate::source::Source;

/// Global heap collections that are kept.
const KEPT_HEAPS: usize = 32;

/// An open file: where its bytes come from and how its addresses are written.
pub(super) struct Store {
    pub(super) storage: BlockStorage,
    pub(super) offset_size: u8,
    pub(super) length_size: u8,
    pub(super) root: u64,
    heaps: Mutex<HashMap<u64, Arc<GlobalHeapCollection>>>,
}

impl Store {
    /// Opens the file, refusing one that is shorter than its superblock says; `None` when there is no superblock.
    pub(super) fn open(source: &Arc<dyn Source>) -> Result<Option<Self>> {
        Self::open_any(source)?.map(|(store, end)| end.map(|()| store)).transpose()
    }

    /// As [`Store::open`], leaving it to the caller what to do about a file that is too short; zeros stand for what it
    /// lacks.
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
        Ok(Some((Store { storage, offset_size, length_size, root, heaps: Mutex::default() }, end)))
    }

    /// Whether an address means "nothing here".
    pub(super) fn is_undefined(&self, address: u64) -> bool {
        Cursor::is_undefined_offset(address, self.offset_size)
    }

    /// An address at the cursor; `None` when it is undefined.
    pub(super) fn address(&self, cursor: &mut Cursor<'_>) -> Result<Option<u64>> {
        let address = cursor.read_offset(self.offset_size)?;
        Ok((!self.is_undefined(address)).then_some(address))
    }

    /// Length of the file from its superblock on.
    pub(super) fn len(&self) -> u64 {
        self.storage.len()
    }

    /// Size of a reference to an object in a global heap.
    pub(super) fn heap_reference_size(&self) -> usize {
        8 + usize::from(self.offset_size)
    }

    /// The bytes that a variable-length reference (count, heap address, index) names.
    pub(super) fn heap_bytes(&self, reference: &[u8], unit: usize) -> Result<Vec<u8>> {
        let mut cursor = Cursor::new(reference);
        let count = cursor.read_u32_le()? as usize;
        let address = self.address(&mut cursor)?;
        let index = cursor.read_u32_le()?;
        let (Some(address), true) = (address, index != 0 && count != 0) else {
            return Ok(Vec::new());
        };
        let index = u16::try_from(index).map_err(|_| damaged("index into a global heap is too large"))?;
        let heap = self.heap(address)?;
        let object = heap.get_object(index).ok_or_else(|| damaged("object is not in its global heap"))?;
        let bytes = count.checked_mul(unit).and_then(|len| object.data.get(..len));
        Ok(bytes.ok_or_else(|| damaged("object in a global heap is shorter than its reference"))?.to_vec())
    }

    fn heap(&self, address: u64) -> Result<Arc<GlobalHeapCollection>> {
        let lock = || self.heaps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(heap) = lock().get(&address) {
            return Ok(Arc::clone(heap));
        }
        let heap = GlobalHeapCollection::parse_at_storage(
            &self.storage,
            address,
            self.offset_size,
            self.length_size,
        )?;
        let heap = Arc::new(heap);
        let mut heaps = lock();
        // References are mostly in the order of their heaps, so which one goes hardly matters.
        if heaps.len() >= KEPT_HEAPS {
            heaps.clear();
        }
        heaps.insert(address, Arc::clone(&heap));
        Ok(heap)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("storage", &self.storage).finish_non_exhaustive()
    }
}

/// The offset of the signature: 0, 512, 1024, 2048 and so on.
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

/// How long the file is from its superblock on, as that says; 0 when it does not.
fn stated_length(storage: &BlockStorage, superblock: &Superblock) -> Result<u64> {
    if Cursor::is_undefined_offset(superblock.eof_address, superblock.offset_size) {
        return Ok(0);
    }
    // The recorded end counts from where the recorded base is 0; the superblock may have been moved since
    // (something put in front of the file), which libhdf5 allows for in the same way.
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

/// An error about the file's structure.
pub(super) fn damaged(message: impl Into<String>) -> Error {
    Error::new(Kind::Damaged, format!("damaged HDF5 structure: {}", message.into()))
}

/// An error about something valid that is not read.
pub(super) fn unsupported(message: impl Into<String>) -> Error {
    Error::new(Kind::Unsupported, message)
}

/// Runs code that calls `hdf5-reader`; a panic in it becomes an error.
pub(super) fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    // Caches behind locks are the only state shared with the closure, and hold nothing half-done.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(damaged("the parser gave up")))
}
