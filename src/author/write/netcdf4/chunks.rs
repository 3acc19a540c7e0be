//! The chunks of a variable: which of them a block touches, and their bytes as stored.

use super::filter;
use crate::author::write::description::Storage;
use crate::author::write::new_file::Checkpoint;
use crate::author::write::region::Copy;
use crate::container::form::Form;
use crate::error::{Error, Kind, Result};
use crate::selection::{checked_product, index_at, indices};

/// The size in bytes of a chunk for which no shape was requested.
const CHUNK: u64 = 1 << 20;
/// The maximum number of elements along the first dimension of such a chunk, provided that it then has this many bytes.
/// A series may be read a few steps at a time. Chunks that are much smaller cost readers more memory and time than the
/// data.
const DEEP: u64 = 64;
const ENOUGH: u64 = 64 << 10;

/// Returns a shape of up to a mebibyte: whole rows, as many as fit.
pub(crate) fn default_chunk(shape: &[u64], element: usize) -> Vec<u64> {
    let elements = |bytes: u64| (bytes / element.max(1) as u64).max(1);
    let mut room = elements(CHUNK);
    let mut chunk = vec![1; shape.len()];
    for d in (0..shape.len()).rev() {
        chunk[d] = shape[d].clamp(1, room);
        if d == 0 && shape.len() > 1 {
            let row = chunk[1..].iter().product::<u64>();
            chunk[d] = chunk[d].min(DEEP.max(elements(ENOUGH) / row));
        }
        room = (room / chunk[d]).max(1);
    }
    chunk
}

/// How the chunks of a variable are arranged and stored.
#[derive(Clone, Debug)]
pub(in crate::author::write) struct Chunks {
    shape: Vec<u64>,
    chunk: Vec<u64>,
    /// The number of chunks along each dimension.
    counts: Vec<u64>,
    element: usize,
    shuffle: bool,
    deflate: Option<u8>,
    /// The element that stands for data that were never written.
    fill: Vec<u8>,
}

/// A chunk that a block touches.
#[derive(Debug)]
pub(in crate::author::write) enum StoredBytes {
    /// All of it, as stored.
    All(u64, Vec<u8>),
    /// Some elements of it.
    Some(ChunkPart),
}

/// Some elements of a chunk.
#[derive(Debug)]
pub(in crate::author::write) struct ChunkPart {
    /// The number of the chunk.
    pub number: u64,
    start: Vec<u64>,
    count: Vec<u64>,
    bytes: Vec<u8>,
}

impl Chunks {
    /// Returns the chunks of an array. Chooses a shape if none is requested.
    ///
    /// # Errors
    /// `Request` if no file can have such chunks.
    pub(super) fn new(
        shape: &[u64],
        unlimited: &[bool],
        element: usize,
        storage: &Storage,
        fill: Vec<u8>,
    ) -> Result<Chunks> {
        let mut chunk = storage.chunks.clone().unwrap_or_else(|| default_chunk(shape, element));
        let wrong = |what: String| Error::new(Kind::Request, what);
        if chunk.len() != shape.len() || chunk.contains(&0) {
            return Err(wrong(format!("chunks of shape {chunk:?} do not fit its shape {shape:?}")));
        }
        // Only a dimension that can grow may be shorter than a chunk.
        for d in 0..shape.len() {
            if !unlimited[d] {
                chunk[d] = chunk[d].min(shape[d]);
            }
        }
        let bytes = checked_product(&chunk).and_then(|n| n.checked_mul(element as u64));
        if bytes.is_none_or(|bytes| bytes > u64::from(u32::MAX)) {
            return Err(wrong(format!("chunks of shape {chunk:?} have 4 GiB or more")));
        }
        let counts: Vec<u64> = shape.iter().zip(&chunk).map(|(&n, &c)| n.div_ceil(c)).collect();
        let (shuffle, deflate) = (storage.shuffle && element > 1, storage.deflate);
        Ok(Chunks { shape: shape.to_vec(), chunk, counts, element, shuffle, deflate, fill })
    }

    /// Returns the same chunks without filters, for references to strings.
    pub(super) fn unfiltered(self) -> Chunks {
        Chunks { shuffle: false, deflate: None, ..self }
    }

    /// Returns the number of chunks along each dimension.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the shape of a chunk.
    pub(super) fn chunk(&self) -> Vec<u32> {
        self.chunk.iter().map(|&c| c as u32).collect()
    }

    /// Returns the size of the elements that are shuffled, and the level of compression.
    pub(super) fn filters(&self) -> (Option<usize>, Option<u8>) {
        (self.shuffle.then_some(self.element), self.deflate)
    }

    /// Returns how a chunk is stored, if it is compressed.
    pub(super) fn form(&self) -> Option<Form> {
        let shuffle = self.shuffle.then_some(self.element);
        self.deflate.map(|deflate| Form { chunk: self.chunk.clone(), shuffle, deflate })
    }

    /// Returns the number of the chunk that contains this element.
    pub(super) fn number(&self, at: &[u64]) -> u64 {
        let places = at.iter().zip(&self.chunk).map(|(at, size)| at / size);
        places.zip(&self.counts).fold(0, |number, (i, &n)| number * n + i)
    }

    /// Cuts a block, which lies within the shape, into chunks. Calls `check` before each of them.
    ///
    /// # Errors
    /// `Limit`; `Internal` if a chunk cannot be compressed; those of `check`.
    pub(super) fn cut(
        &self,
        start: &[u64],
        count: &[u64],
        bytes: &[u8],
        check: &Checkpoint<'_>,
    ) -> Result<Vec<StoredBytes>> {
        let rank = self.shape.len();
        if count.contains(&0) {
            return Ok(Vec::new());
        }
        let first: Vec<u64> = (0..rank).map(|d| start[d] / self.chunk[d]).collect();
        let last: Vec<u64> = (0..rank).map(|d| (start[d] + count[d] - 1) / self.chunk[d]).collect();
        let counts: Vec<u64> = first.iter().zip(&last).map(|(first, last)| last - first + 1).collect();
        indices(&counts)
            .map(|index| {
                check()?;
                let at: Vec<u64> = first.iter().zip(index).map(|(first, i)| first + i).collect();
                self.piece(&at, start, count, bytes)
            })
            .collect()
    }

    /// Returns the part of a block in the chunk at this place of the grid.
    fn piece(&self, at: &[u64], start: &[u64], count: &[u64], bytes: &[u8]) -> Result<StoredBytes> {
        let rank = self.shape.len();
        let number = at.iter().zip(&self.counts).fold(0, |number, (&i, &n)| number * n + i);
        let begin: Vec<u64> = (0..rank).map(|d| start[d].max(at[d] * self.chunk[d])).collect();
        let limit = |d: usize| (start[d] + count[d]).min((at[d] + 1).saturating_mul(self.chunk[d]));
        let part: Vec<u64> = (0..rank).map(|d| limit(d) - begin[d]).collect();
        let in_block: Vec<u64> = (0..rank).map(|d| begin[d] - start[d]).collect();
        let in_chunk: Vec<u64> = (0..rank).map(|d| begin[d] - at[d] * self.chunk[d]).collect();
        if part == self.extent(number) {
            if part == self.chunk && part == count {
                return Ok(StoredBytes::All(number, self.filtered(bytes)?));
            }
            let mut chunk = self.empty()?;
            let (from, to) = ((count, &in_block[..]), (&self.chunk[..], &in_chunk[..]));
            Copy { from, to, count: &part, element: self.element }.run(bytes, &mut chunk);
            return Ok(StoredBytes::All(number, self.filtered(&chunk)?));
        }
        let mut own = vec![0; checked_product(&part).unwrap_or(0) as usize * self.element];
        let (from, to) = ((count, &in_block[..]), (&part[..], &vec![0; rank][..]));
        Copy { from, to, count: &part, element: self.element }.run(bytes, &mut own);
        Ok(StoredBytes::Some(ChunkPart { number, start: in_chunk, count: part, bytes: own }))
    }

    /// The shape of that part of a chunk that lies within the array.
    fn extent(&self, number: u64) -> Vec<u64> {
        let at = index_at(&self.counts, number);
        (0..at.len()).map(|d| self.chunk[d].min(self.shape[d] - at[d] * self.chunk[d])).collect()
    }

    /// Returns the number of elements of a chunk that lie within the array.
    pub(super) fn elements(&self, number: u64) -> u64 {
        self.extent(number).iter().product()
    }

    /// Returns a chunk of fill values.
    fn empty(&self) -> Result<Vec<u8>> {
        let count = checked_product(&self.chunk).and_then(|n| usize::try_from(n).ok());
        let count = count.ok_or_else(|| Error::new(Kind::Limit, "a chunk is too large for this machine"))?;
        if self.fill.iter().all(|&b| b == 0) {
            return Ok(vec![0; count * self.element]);
        }
        Ok(self.fill.repeat(count))
    }

    /// Copies a part into a chunk, which is first filled if it is empty. Returns the number of elements of the part.
    pub(super) fn put(&self, part: &ChunkPart, chunk: &mut Vec<u8>) -> Result<u64> {
        if chunk.is_empty() {
            *chunk = self.empty()?;
        }
        let (from, to) =
            ((&part.count[..], &vec![0; part.count.len()][..]), (&self.chunk[..], &part.start[..]));
        Copy { from, to, count: &part.count, element: self.element }.run(&part.bytes, chunk);
        Ok(part.count.iter().product())
    }

    /// Returns the bytes of a chunk as stored.
    pub(super) fn filtered(&self, chunk: &[u8]) -> Result<Vec<u8>> {
        match (self.shuffle, self.deflate) {
            (false, None) => Ok(chunk.to_vec()),
            (true, None) => Ok(filter::shuffle(chunk, self.element)),
            (false, Some(level)) => filter::deflate(chunk, level),
            (true, Some(level)) => filter::deflate(&filter::shuffle(chunk, self.element), level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_chunk_is_compressed_after_a_check_that_fails() {
        let storage = Storage { chunks: Some(vec![10]), deflate: Some(9), shuffle: false };
        let chunks = Chunks::new(&[80], &[false], 4, &storage, vec![0; 4]).unwrap();
        let asked = std::cell::Cell::new(0);
        let stop_at = |last: u32| {
            asked.set(0);
            chunks.cut(&[0], &[80], &[7; 320], &|| {
                asked.set(asked.get() + 1);
                match asked.get() == last {
                    true => Err(Error::new(Kind::Cancelled, "stopped")),
                    false => Ok(()),
                }
            })
        };
        assert_eq!(stop_at(3).unwrap_err().kind(), Kind::Cancelled);
        assert_eq!(asked.get(), 3);
        assert_eq!(stop_at(9).unwrap().len(), 8);
        assert_eq!(asked.get(), 8);
    }

    #[test]
    fn chunks_are_whole_rows_of_about_a_mebibyte() {
        assert_eq!(default_chunk(&[365, 180, 360], 4), [4, 180, 360]);
        assert_eq!(default_chunk(&[10_000], 8), [10_000]);
        assert_eq!(default_chunk(&[1_000, 50, 100], 4), [52, 50, 100]);
        assert_eq!(default_chunk(&[1_000, 40, 40], 4), [64, 40, 40]);
        assert_eq!(default_chunk(&[1_000_000, 2], 8), [4096, 2]);
        assert_eq!(default_chunk(&[100, 2], 8), [100, 2]);
        assert_eq!(default_chunk(&[], 8), [0u64; 0]);
        assert_eq!(default_chunk(&[0, 5], 8), [1, 5]);
    }
}
