//! Filter 1, deflate: a zlib stream (RFC 1950).

use std::cell::RefCell;

use libdeflater::Decompressor;

use super::damaged;
use crate::error::Result;

thread_local! {
    static DECOMPRESSOR: RefCell<Decompressor> = RefCell::new(Decompressor::new());
}

/// Inflates to the front of `out`.
pub fn decode(input: &[u8], out: &mut [u8]) -> Result<usize> {
    DECOMPRESSOR
        .with_borrow_mut(|decompressor| decompressor.zlib_decompress(input, out))
        .map_err(|cause| damaged("deflate", cause))
}
