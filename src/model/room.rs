//! Limits the memory for shared texts: a scalar identifier, a replacement, a base or one value for a whole fragment is
//! stored once and copied to each place that uses it.
//!
//! Without a limit, a file of some kilobytes could demand gigabytes. Names and values of usual length always fit.

use crate::error::{Error, Kind, Result};

/// Bytes of text that every read may use.
const FLOOR: u64 = 8 << 20;
/// Bytes of text for each place.
const EACH: u64 = 1 << 10;

/// The remaining room for the texts of one read.
#[derive(Debug)]
pub(crate) struct Room(u64);

impl Room {
    /// Creates the room for the texts of `count` places.
    pub(crate) fn for_places(count: u64) -> Self {
        Room(count.saturating_mul(EACH).saturating_add(FLOOR))
    }

    /// Uses room for a text.
    ///
    /// # Errors
    /// `Limit` if too little is left.
    pub(crate) fn take(&mut self, text: &str) -> Result<()> {
        self.take_bytes(text.len() as u64)
    }

    /// Uses room for `bytes` bytes of text.
    ///
    /// # Errors
    /// As [`Room::take`].
    pub(crate) fn take_bytes(&mut self, bytes: u64) -> Result<()> {
        let left = self.0.checked_sub(bytes);
        self.0 = left.ok_or_else(|| {
            Error::new(
                Kind::Limit,
                "texts that fragments share are too long for memory; ask for a smaller part",
            )
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_have_room_a_few_times_and_short_ones_always() {
        let mut room = Room::for_places(100_000);
        let name = "n".repeat(1000);
        assert!((0..100_000).all(|_| room.take(&name).is_ok()));
        let (mut room, long) = (Room::for_places(100_000), "n".repeat(1 << 20));
        assert_eq!((0..).take_while(|_| room.take(&long).is_ok()).count(), 105);
    }
}
