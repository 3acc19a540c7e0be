//! Filter 4, szip: extended Rice coding (CCSDS 121.0-B), decoded by `hdf5-reader`.

use std::panic::{catch_unwind, AssertUnwindSafe};

use hdf5_reader::filters::szip;

use super::damaged;
use crate::error::Result;

/// Decompresses to the front of `out`.
pub fn decode(input: &[u8], parameters: &[u32], out: &mut [u8]) -> Result<usize> {
    let most = out.len();
    let decoded = catch_unwind(AssertUnwindSafe(|| szip::decompress_with_limit(input, parameters, most)))
        .map_err(|_| damaged("szip", "the data cannot be decoded"))?
        .map_err(|cause| damaged("szip", cause))?;
    let to = out.get_mut(..decoded.len()).ok_or_else(|| damaged("szip", "the data do not fit the chunk"))?;
    to.copy_from_slice(&decoded);
    Ok(decoded.len())
}
