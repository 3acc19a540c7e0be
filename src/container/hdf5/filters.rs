//! The filter pipeline message (HDF5 format, IV.A.2.l).

use super::cursor::Cursor;
use super::store::damaged;
use crate::container::filter::Filter;
use crate::error::Result;

/// The maximum number of filters of an HDF5 pipeline.
const MOST: u8 = 32;
/// Filters from this number on have names in version 2 too.
const FIRST_NAMED: u16 = 256;

/// Returns the filters of a message, in the order in which they were applied.
///
/// # Errors
/// `Damaged` if it is cut short or of an unknown version.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Vec<Filter>> {
    let version = cursor.read_u8()?;
    let count = cursor.read_u8()?;
    match version {
        1 => cursor.skip(6)?,
        2 => {}
        _ => return Err(damaged(format!("version {version} of the filter message"))),
    }
    if count > MOST {
        return Err(damaged(format!("{count} filters")));
    }
    let mut filters = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        let id = cursor.read_u16_le()?;
        let name_len = if version == 1 || id >= FIRST_NAMED { cursor.read_u16_le()? } else { 0 };
        let _flags = cursor.read_u16_le()?;
        let values = cursor.read_u16_le()?;
        // Version 1 pads names to eight bytes, and an odd number of values to an even one.
        let padded = if version == 1 { name_len.next_multiple_of(8) } else { name_len };
        cursor.skip(usize::from(padded))?;
        let parameters = (0..values).map(|_| cursor.read_u32_le()).collect::<Result<_>>()?;
        if version == 1 && values % 2 == 1 {
            cursor.skip(4)?;
        }
        filters.push(Filter { id, parameters });
    }
    Ok(filters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_say_the_same() {
        let first = [
            1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 1, 0, b'z', b'i', b'p', 0, 0, 0, 0, 0, 6, 0, 0, 0, 0,
            0, 0, 0,
        ];
        let second = [2, 1, 1, 0, 0, 0, 1, 0, 6, 0, 0, 0];
        for bytes in [&first[..], &second[..]] {
            let mut cursor = Cursor::new(bytes);
            let filters = parse(&mut cursor).unwrap();
            assert_eq!((filters.len(), filters[0].id), (1, 1));
            assert_eq!(filters[0].parameters, [6]);
            assert_eq!(cursor.remaining(), 0);
            for len in 0..bytes.len() {
                assert!(parse(&mut Cursor::new(&bytes[..len])).is_err());
            }
        }
    }
}
