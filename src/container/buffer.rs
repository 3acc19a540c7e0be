//! Allocates buffers for data whose sizes a file states.
//!
//! Allocation is fallible, and the system provides memory page by page as it is written: a chunk that claims gigabytes
//! and turns out to be damaged costs nothing.

use std::alloc::{alloc_zeroed, Layout};
use std::ops::Deref;
use std::sync::Mutex;

use crate::error::{Error, Kind, Result};

/// Returns the first `len` bytes of the buffer. A shorter buffer is replaced by zeros.
///
/// # Errors
/// `Limit` if there is no memory.
pub fn grown(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8]> {
    if buffer.len() < len {
        // Its contents are no longer needed, and both buffers might not fit.
        *buffer = Vec::new();
        *buffer = zeros(len)
            .ok_or_else(|| Error::new(Kind::Limit, format!("no memory for {len} bytes of data")))?;
    }
    Ok(&mut buffer[..len])
}

/// Returns `len` zeros, or `None` if there is no memory for them.
fn zeros(len: usize) -> Option<Vec<u8>> {
    let layout = Layout::array::<u8>(len).ok().filter(|layout| layout.size() > 0)?;
    // SAFETY: the size of the layout is not zero.
    let place = unsafe { alloc_zeroed(layout) };
    if place.is_null() {
        return None;
    }
    // SAFETY: the global allocator returned `len` bytes, with the alignment of `u8`, and all of them are zero.
    Some(unsafe { Vec::from_raw_parts(place, len, len) })
}

/// The bytes of buffers that nothing uses that a process keeps at most.
const SPARE: usize = 8 << 20;
/// The bytes of the shortest buffer that is kept: allocators keep shorter ones themselves.
const LEAST_SPARE: usize = 1 << 16;

static SPARES: Mutex<Spares> = Mutex::new(Spares(Vec::new()));

/// A buffer for work, with arbitrary contents. When it is dropped, its memory is kept for the next one of this process:
/// to have the system provide the memory of a chunk anew costs as much as inflating it.
#[derive(Debug, Default)]
pub struct WorkBuffer(Vec<u8>);

impl WorkBuffer {
    /// Returns the first `len` bytes. A buffer that is too short is replaced by a longer one.
    ///
    /// # Errors
    /// `Limit` if there is no memory.
    pub fn grown(&mut self, len: usize) -> Result<&mut [u8]> {
        if self.0.len() < len {
            // Nobody waits for the lock, which is held forever in a process made by `fork` if a thread of its parent
            // held it.
            if let Some(spare) = SPARES.try_lock().ok().and_then(|mut spares| spares.take(len)) {
                self.0 = spare;
            }
        }
        grown(&mut self.0, len)
    }
}

impl Deref for WorkBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for WorkBuffer {
    fn drop(&mut self) {
        let buffer = std::mem::take(&mut self.0);
        if let Ok(mut spares) = SPARES.try_lock() {
            spares.put(buffer);
        }
    }
}

/// Buffers that nothing uses, those that were put last at the end.
struct Spares(Vec<Vec<u8>>);

impl Spares {
    /// Returns the shortest one with at least `len` bytes.
    fn take(&mut self, len: usize) -> Option<Vec<u8>> {
        let fitting = self.0.iter().enumerate().filter(|(_, buffer)| buffer.len() >= len);
        let (at, _) = fitting.min_by_key(|(_, buffer)| buffer.len())?;
        Some(self.0.remove(at))
    }

    /// Keeps a buffer if it is worth it, and drops those that were put first if there are too many bytes.
    fn put(&mut self, buffer: Vec<u8>) {
        if !(LEAST_SPARE..=SPARE).contains(&buffer.len()) {
            return;
        }
        self.0.push(buffer);
        while self.0.iter().map(Vec::len).sum::<usize>() > SPARE {
            self.0.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_spare_buffer_that_fits_is_taken() {
        let mut spares = Spares(Vec::new());
        [3, 1, 2].into_iter().for_each(|n| spares.put(vec![n as u8; n * LEAST_SPARE]));
        assert_eq!(spares.take(LEAST_SPARE + 1), Some(vec![2; 2 * LEAST_SPARE]));
        assert_eq!(spares.take(LEAST_SPARE + 1), Some(vec![3; 3 * LEAST_SPARE]));
        assert_eq!(spares.take(LEAST_SPARE + 1), None);
        assert_eq!(spares.0.len(), 1);
    }

    #[test]
    fn spare_buffers_are_bounded_in_bytes_and_the_oldest_go_first() {
        let mut spares = Spares(Vec::new());
        [LEAST_SPARE - 1, SPARE + 1].into_iter().for_each(|len| spares.put(vec![0; len]));
        assert!(spares.0.is_empty());
        for n in 0..100 {
            spares.put(vec![n; SPARE / 4]);
        }
        assert_eq!(spares.0.iter().map(|buffer| buffer[0]).collect::<Vec<_>>(), [96, 97, 98, 99]);
    }

    #[test]
    fn a_buffer_grows_to_what_is_asked_for() {
        let mut buffer = Vec::new();
        assert!(grown(&mut buffer, 0).unwrap().is_empty());
        grown(&mut buffer, 3).unwrap().fill(7);
        assert_eq!(grown(&mut buffer, 2).unwrap(), [7, 7]);
        assert_eq!(grown(&mut buffer, 5).unwrap(), [0; 5]);
        assert_eq!(buffer.len(), 5);
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        let mut buffer = vec![1];
        for len in [isize::MAX as usize, usize::MAX] {
            assert_eq!(grown(&mut buffer, len).unwrap_err().kind(), Kind::Limit);
        }
    }
}
