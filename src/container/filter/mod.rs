//! HDF5 filters, undone: from the bytes of a stored chunk to its elements.

use crate::error::{Error, Kind, Result};

/// One filter of a pipeline, as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Its registered number.
    pub id: u16,
    /// Its parameters ("client data").
    pub parameters: Vec<u32>,
}

/// Undoes the filters of a chunk, last written first; bit `i` of `mask` says that filter `i` was left out.
///
/// The result has exactly `decoded_len` bytes.
///
/// # Errors
/// `Damaged` when the bytes are not what the filters can have written, `Unsupported` for an unknown filter.
pub fn decode(
    filters: &[Filter],
    mask: u32,
    chunk: Vec<u8>,
    decoded_len: usize,
    element_size: usize,
) -> Result<Vec<u8>> {
    let _ = (filters, mask, chunk, decoded_len, element_size);
    Err(Error::new(Kind::Unsupported, "filters"))
}
