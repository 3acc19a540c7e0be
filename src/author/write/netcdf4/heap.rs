//! Global heaps (HDF5 file format III.E): strings, and the lists of `DIMENSION_LIST`.
//!
//! Objects are added to a collection in memory whose place in the file is already reserved; a full collection is
//! written. So only one collection is in memory, however many strings there are.

use crate::author::write::sink::Sink;
use crate::error::{Error, Kind, Result};

/// The minimum number of bytes of a collection that libhdf5 reads.
const LEAST: usize = 4096;
/// The maximum size of a collection with several objects.
const MOST: usize = 1 << 16;
const HEAD: usize = 16;
/// The number of bytes before each object: its number, the count of references and its length.
const OBJECT: usize = 16;

/// Builds the global heaps of a file.
#[derive(Debug, Default)]
pub(super) struct Heap {
    open: Option<Collection>,
}

#[derive(Debug)]
struct Collection {
    address: u64,
    capacity: usize,
    bytes: Vec<u8>,
    objects: u16,
}

fn room_for(len: usize) -> usize {
    OBJECT.saturating_add(len).saturating_add(7) & !7
}

impl Heap {
    /// Adds an object, and returns its address as stored in references: that of its collection, and its number there.
    /// `more` is the number of bytes of objects that will follow.
    ///
    /// # Errors
    /// `Io`, `Limit`.
    pub(super) fn add(&mut self, sink: &mut Sink, object: &[u8], more: usize) -> Result<[u8; 12]> {
        let room = room_for(object.len());
        if self.open.as_ref().is_none_or(|open| open.bytes.len() + room > open.capacity) {
            self.flush(sink)?;
            let wanted = more.saturating_add(HEAD).clamp(LEAST, MOST);
            let capacity = (room.saturating_add(HEAD)).max(wanted).next_multiple_of(8);
            let address = sink.reserve(capacity as u64)?;
            let mut bytes = Vec::with_capacity(capacity);
            bytes.extend(b"GCOL\x01\0\0\0");
            bytes.extend((capacity as u64).to_le_bytes());
            self.open = Some(Collection { address, capacity, bytes, objects: 0 });
        }
        let Some(open) = &mut self.open else { return Err(Error::new(Kind::Internal, "there is no heap")) };
        // No collection has room for more objects than can be numbered.
        open.objects += 1;
        let end = open.bytes.len() + room;
        open.bytes.extend(open.objects.to_le_bytes());
        open.bytes.extend([0; 6]);
        open.bytes.extend((object.len() as u64).to_le_bytes());
        open.bytes.extend(object);
        open.bytes.resize(end, 0);
        let mut place = [0; 12];
        place[..8].copy_from_slice(&open.address.to_le_bytes());
        place[8..].copy_from_slice(&u32::from(open.objects).to_le_bytes());
        Ok(place)
    }

    /// Writes the open collection.
    ///
    /// # Errors
    /// `Io`.
    pub(super) fn flush(&mut self, sink: &mut Sink) -> Result<()> {
        let Some(mut open) = self.open.take() else { return Ok(()) };
        let free = open.capacity - open.bytes.len();
        if free >= OBJECT {
            open.bytes.extend([0; 8]);
            open.bytes.extend((free as u64).to_le_bytes());
        }
        open.bytes.resize(open.capacity, 0);
        sink.write_at(open.address, &open.bytes)
    }

    /// Adds strings, and returns the references to them.
    ///
    /// # Errors
    /// `Io`, `Limit`.
    pub(super) fn add_strings(&mut self, sink: &mut Sink, strings: &[&str]) -> Result<Vec<u8>> {
        let mut more: usize = strings.iter().map(|text| room_for(text.len())).sum();
        let mut out = Vec::with_capacity(strings.len() * 16);
        for text in strings {
            let len = u32::try_from(text.len())
                .map_err(|_| Error::new(Kind::Limit, "a string is longer than a file can hold"))?;
            out.extend(len.to_le_bytes());
            // An empty string also needs an object: a reference to nothing means no string at all.
            out.extend(self.add(sink, text.as_bytes(), more)?);
            more = more.saturating_sub(room_for(text.len()));
        }
        Ok(out)
    }
}
