//! The blocks in which long coordinates are read, so that they take no more memory than short ones.

use crate::dataset::variable::Variable;
use crate::error::Result;
use crate::selection::checked_product;

/// Values that are read at a time.
pub(in crate::dataset) const BLOCK: u64 = 1 << 16;

/// The size in bytes up to which a compressed chunk is read at once, so that it need not be cached.
const SMALL: u64 = 16 << 20;

/// Returns how many values of a variable are read at a time: all of a compressed chunk, unless it is so large that it had
/// better be cached. A chunk that the cache cannot hold would be decoded again for each of its blocks.
///
/// # Errors
/// The errors of decoding the aggregation.
pub(crate) fn length(variable: &Variable) -> Result<u64> {
    if checked_product(variable.shape()?).is_some_and(|all| all <= BLOCK) {
        return Ok(BLOCK);
    }
    let Some(chunk) = variable.compressed_chunk()? else { return Ok(BLOCK) };
    let elements = checked_product(&chunk).unwrap_or(u64::MAX);
    let bytes = elements.saturating_mul(variable.data_type().size().unwrap_or(1) as u64);
    let is_cached = bytes > SMALL && bytes <= variable.dataset().shared().options.cache_bytes;
    Ok(if is_cached { BLOCK } else { elements.max(BLOCK) })
}
