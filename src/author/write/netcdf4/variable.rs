//! Writes the data of one variable.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chunk_tree;
use super::chunks::{Chunks, StoredBytes};
use super::header::Message;
use super::heap::Heap;
use super::message::{self, CONSTANT, HEAP_REFERENCE, UNDEFINED};
use super::stored::{Stored, StoredChunks};
use crate::author::write::bytes::{encode, ended, unwritten, Order};
use crate::author::write::description;
use crate::author::write::region::{runs, Coverage};
use crate::author::write::sink::Sink;
use crate::error::{Error, Kind, Result};
use crate::selection::checked_product;
use crate::value::{DataType, Values};

/// The number of bytes that are written at once where there are no data.
const GAP: u64 = 1 << 20;

/// The data of a variable.
#[derive(Debug)]
pub(super) struct Data {
    data_type: DataType,
    shape: Vec<u64>,
    unlimited: Vec<bool>,
    /// The size of an element in bytes.
    element: usize,
    /// The element that stands for numbers that were never written.
    fill: Vec<u8>,
    /// The string that stands for strings that were never written.
    missing: Option<String>,
    store: Store,
}

#[derive(Debug)]
enum Store {
    /// Contiguous; the place is reserved when the first data are written.
    Contiguous { address: Option<u64>, covered: Coverage },
    /// In chunks; incomplete ones wait, with the number of elements that they have.
    Chunked { chunks: Arc<Chunks>, stored: StoredChunks, waiting: BTreeMap<u64, (Vec<u8>, u64)> },
}

/// Data that are ready to be written.
#[derive(Debug)]
pub(in crate::author::write) enum Encoded {
    /// Chunks as stored.
    Pieces(Vec<StoredBytes>),
    /// Values that only the writer can encode.
    Block(Vec<u64>, Vec<u64>, Values),
}

impl Data {
    /// Returns a variable without data.
    ///
    /// # Errors
    /// `Request` if no file can have such chunks.
    pub(super) fn new(
        variable: &description::Variable,
        shape: Vec<u64>,
        unlimited: Vec<bool>,
    ) -> Result<Data> {
        let data_type = variable.data_type;
        let element = data_type.size().unwrap_or(HEAP_REFERENCE);
        let is_text = data_type == DataType::String;
        let fill = match is_text {
            true => vec![0; HEAP_REFERENCE],
            false => unwritten(variable, Order::Little),
        };
        let missing = is_text.then(|| variable.attributes.text("_FillValue").unwrap_or_default());
        let storage = &variable.storage;
        let filtered = (storage.deflate.is_some() || storage.shuffle) && !is_text;
        let is_chunked = unlimited.contains(&true) || storage.chunks.is_some() || filtered;
        let store = if is_chunked && !shape.is_empty() {
            let chunks = Chunks::new(&shape, &unlimited, element, storage, fill.clone())?;
            let chunks = Arc::new(if is_text { chunks.unfiltered() } else { chunks });
            Store::Chunked { chunks, stored: StoredChunks::default(), waiting: BTreeMap::new() }
        } else {
            Store::Contiguous { address: None, covered: Coverage::default() }
        };
        Ok(Data { data_type, shape, unlimited, element, fill, missing, store })
    }

    /// Returns the chunks, which encode blocks on any thread; `None` if only the writer can encode them.
    pub(super) fn chunks(&self) -> Option<Arc<Chunks>> {
        match &self.store {
            Store::Chunked { chunks, .. } if self.data_type != DataType::String => Some(Arc::clone(chunks)),
            _ => None,
        }
    }

    /// Returns the shape of its chunks, if it has chunks.
    pub(super) fn chunk(&self) -> Option<Vec<u64>> {
        match &self.store {
            Store::Chunked { chunks, .. } => Some(chunks.chunk().into_iter().map(u64::from).collect()),
            Store::Contiguous { .. } => None,
        }
    }

    /// Writes values that lie within the shape.
    ///
    /// # Errors
    /// `Request` if data were already written there, `Io`, `Limit`.
    pub(super) fn put(&mut self, data: Encoded, heap: &mut Heap, sink: &mut Sink) -> Result<()> {
        let (start, count, values) = match data {
            Encoded::Pieces(pieces) => return self.put_pieces(pieces, sink),
            Encoded::Block(start, count, values) => (start, count, values),
        };
        let bytes = match &values {
            Values::String(list) => {
                let list: Vec<&str> = list.iter().map(|text| ended(text)).collect();
                heap.add_strings(sink, &list)?.into()
            }
            numbers => encode(numbers, Order::Little),
        };
        match &mut self.store {
            Store::Chunked { chunks, .. } => {
                let pieces = chunks.cut(&start, &count, &bytes, &|| Ok(()))?;
                self.put_pieces(pieces, sink)
            }
            Store::Contiguous { address, covered } => {
                if bytes.is_empty() {
                    return Ok(());
                }
                let address = match *address {
                    Some(address) => address,
                    None => {
                        sink.align(8)?;
                        *address.insert(sink.reserve(total(&self.shape, self.element)?)?)
                    }
                };
                let mut rest = &bytes[..];
                for (at, n) in runs(&self.shape, &start, &count) {
                    let (run, more) = rest.split_at(n as usize * self.element);
                    sink.write_at(address + at * self.element as u64, run)?;
                    covered.add(at, n);
                    rest = more;
                }
                Ok(())
            }
        }
    }

    fn put_pieces(&mut self, pieces: Vec<StoredBytes>, sink: &mut Sink) -> Result<()> {
        let Store::Chunked { chunks, stored, waiting } = &mut self.store else {
            return Err(Error::new(Kind::Internal, "chunks of a variable that has none"));
        };
        for piece in pieces {
            match piece {
                StoredBytes::All(number, bytes) => store(stored, number, &bytes, sink)?,
                StoredBytes::Some(part) => {
                    let (chunk, count) = waiting.entry(part.number).or_default();
                    *count += chunks.put(&part, chunk)?;
                    if *count >= chunks.elements(part.number) {
                        let bytes = chunks.filtered(chunk)?;
                        waiting.remove(&part.number);
                        store(stored, part.number, &bytes, sink)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes what is missing, and returns the messages of the dataset.
    ///
    /// # Errors
    /// `Request` if data were written twice, `Io`, `Limit`.
    pub(super) fn finish(&mut self, heap: &mut Heap, sink: &mut Sink) -> Result<Vec<Message>> {
        let mut messages = vec![
            Message::new(message::DATASPACE, 0, message::simple(&self.shape, &self.unlimited)),
            Message::new(message::DATATYPE, CONSTANT, message::datatype(self.data_type)),
        ];
        let reference;
        let fill = match &self.missing {
            Some(text) => {
                reference = heap.add_strings(sink, &[ended(text)])?;
                &reference
            }
            None => &self.fill,
        };
        let is_chunked = matches!(self.store, Store::Chunked { .. });
        messages.push(Message::new(
            message::FILL_VALUE,
            CONSTANT,
            message::fill_value(Some(fill), is_chunked),
        ));
        match &mut self.store {
            Store::Contiguous { address, covered } => {
                if let Some(address) = *address {
                    let len = total(&self.shape, self.element)? / self.element as u64;
                    for (at, count) in covered.gaps(len) {
                        fill_gap(sink, address + at * self.element as u64, count, &self.fill)?;
                    }
                }
                let bytes = total(&self.shape, self.element)?;
                let body = message::contiguous(address.unwrap_or(UNDEFINED), bytes);
                messages.push(Message::new(message::LAYOUT, 0, body));
            }
            Store::Chunked { chunks, stored, waiting } => {
                for (number, (chunk, _)) in std::mem::take(waiting) {
                    store(stored, number, &chunks.filtered(&chunk)?, sink)?;
                }
                if !stored.sort() {
                    return Err(Error::new(Kind::Request, "a block of it was written twice"));
                }
                let shape = chunks.chunk();
                let tree = chunk_tree::write(sink, stored, chunks.counts(), &shape)?;
                messages.push(Message::new(message::LAYOUT, 0, message::chunked(tree, &shape, self.element)));
                let (shuffle, deflate) = chunks.filters();
                if shuffle.is_some() || deflate.is_some() {
                    let body = message::filters(shuffle, deflate);
                    messages.push(Message::new(message::FILTERS, CONSTANT, body));
                }
            }
        }
        Ok(messages)
    }
}

fn store(stored: &mut StoredChunks, number: u64, bytes: &[u8], sink: &mut Sink) -> Result<()> {
    let len = u32::try_from(bytes.len()).map_err(|_| Error::new(Kind::Limit, "a chunk has 4 GiB or more"))?;
    let address = sink.append(bytes)?;
    stored.push(Stored { number, address, len });
    Ok(())
}

fn total(shape: &[u64], element: usize) -> Result<u64> {
    let bytes = checked_product(shape).and_then(|n| n.checked_mul(element as u64));
    bytes.ok_or_else(|| Error::new(Kind::Limit, "it has more data than a file can hold"))
}

/// Writes fill values for elements that nobody provided.
fn fill_gap(sink: &mut Sink, mut at: u64, mut count: u64, fill: &[u8]) -> Result<()> {
    // Reserved bytes that were not written are zero.
    if fill.iter().all(|&b| b == 0) {
        return Ok(());
    }
    let element = fill.len() as u64;
    let bytes = fill.repeat(count.min(GAP / element.max(1)) as usize);
    while count > 0 {
        let n = count.min(bytes.len() as u64 / element);
        sink.write_at(at, &bytes[..(n * element) as usize])?;
        at += n * element;
        count -= n;
    }
    Ok(())
}
