//! Allocates buffers for data whose sizes a file states.
//!
//! Allocation is fallible, and the system provides memory page by page as it is written: a chunk that claims gigabytes
//! and turns out to be damaged costs nothing.

use std::alloc::{alloc_zeroed, Layout};

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

#[cfg(test)]
mod tests {
    use super::*;

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
