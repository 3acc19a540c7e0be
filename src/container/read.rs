//! Elements of a stored array, whatever its layout.

use super::array::Array;
use crate::error::{Error, Kind, Result};
use crate::selection::Selection;
use crate::source::Source;

/// Reads numbers or chars in C order and native byte order into `out`.
pub fn numbers(source: &dyn Source, array: &Array, selection: &Selection, out: &mut [u8]) -> Result<()> {
    let _ = (source, array, selection, out);
    Err(Error::new(Kind::Unsupported, "read"))
}

/// Reads the elements as they are stored, one after the other in C order.
pub fn stored(source: &dyn Source, array: &Array, selection: &Selection) -> Result<Vec<u8>> {
    let mut out = zeroed(selection, array.element.size())?;
    numbers(source, array, selection, &mut out)?;
    Ok(out)
}

/// A zeroed buffer for the selected elements; an error instead of an abort when there is no memory for it.
pub fn zeroed(selection: &Selection, element_size: usize) -> Result<Vec<u8>> {
    let bytes = selection
        .len()
        .and_then(|n| n.checked_mul(element_size as u64))
        .and_then(|n| usize::try_from(n).ok());
    let mut buffer = Vec::new();
    match bytes {
        Some(bytes) if buffer.try_reserve_exact(bytes).is_ok() => {
            buffer.resize(bytes, 0);
            Ok(buffer)
        }
        _ => Err(Error::new(Kind::Limit, "the selection does not fit into memory; ask for a smaller part")),
    }
}
