//! Determines whether an HDF4 file has data in other files: "external elements" of the HDF specification.
//!
//! The library with which GDAL reads such files opens whatever they name, past the access policy.

use crate::error::{Error, Kind, Result};
use crate::io::source::Source;

const SIGNATURE: [u8; 4] = [0x0e, 0x03, 0x13, 0x01];
/// The bit of a tag that marks an element stored in a special way, unless the tag belongs to an application.
const SPECIAL: u16 = 0x4000;
const OF_APPLICATION: u16 = 0x8000;
/// The first number of a special element that lies in another file.
const EXTERNAL: u16 = 2;
/// Bytes of an entry of the list of elements: tag, reference, offset, length.
const ENTRY: usize = 12;

/// Returns whether the file is HDF4 and has data in another file.
///
/// # Errors
/// `Damaged` if its list of elements cannot be followed.
pub(super) fn has_external_elements(source: &dyn Source) -> Result<bool> {
    let mut signature = [0; 4];
    if source.len() < 4 || source.read_at(0, &mut signature).is_err() || signature != SIGNATURE {
        return Ok(false);
    }
    // Each block of the list has the offset of the next; more entries than fit into the file mean a cycle.
    let mut left = source.len() / ENTRY as u64 + 1;
    let mut next = SIGNATURE.len() as u64;
    while next != 0 {
        let mut head = [0; 6];
        source.read_at(next, &mut head)?;
        let count = u16::from_be_bytes([head[0], head[1]]);
        left = left.checked_sub(u64::from(count).max(1)).ok_or_else(|| {
            Error::new(Kind::Damaged, "its list of elements has a cycle").in_file(source.name())
        })?;
        let mut entries = vec![0; usize::from(count) * ENTRY];
        source.read_at(next + 6, &mut entries)?;
        for entry in entries.chunks_exact(ENTRY) {
            let tag = u16::from_be_bytes([entry[0], entry[1]]);
            let offset = u32::from_be_bytes([entry[4], entry[5], entry[6], entry[7]]);
            if tag & (SPECIAL | OF_APPLICATION) != SPECIAL || offset == u32::MAX {
                continue;
            }
            let mut code = [0; 2];
            source.read_at(u64::from(offset), &mut code)?;
            if u16::from_be_bytes(code) == EXTERNAL {
                return Ok(true);
            }
        }
        next = u64::from(u32::from_be_bytes([head[2], head[3], head[4], head[5]]));
    }
    Ok(false)
}
