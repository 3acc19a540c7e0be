//! Filter 32015, Zstandard: one or more frames (RFC 8878).

use std::cell::RefCell;

use zstd::bulk::Decompressor;

use super::damaged;
use crate::error::Result;

thread_local! {
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Decompresses to the front of `out`.
pub fn decode(input: &[u8], out: &mut [u8]) -> Result<usize> {
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new().map_err(|cause| damaged("zstd", cause))?),
        };
        decompressor.decompress_to_buffer(input, out).map_err(|cause| damaged("zstd", cause))
    })
}
