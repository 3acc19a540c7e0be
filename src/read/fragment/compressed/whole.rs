//! Reads counts, indices and lists of places: variables of whole numbers with at most one dimension.

use crate::bytes::arrays;
use crate::container::read::{zeroed, Keep, Kept};
use crate::error::{Error, Kind, Result};
use crate::read::fragment::{Chain, Host, Raw};
use crate::selection::Selection;

/// The number of elements that are in memory at once.
const BLOCK: u64 = 1 << 18;

/// A variable of whole numbers, none of them missing.
pub(super) struct Whole<'a> {
    pub(super) raw: &'a Raw,
    /// The aggregation file that has the fragment.
    pub(super) host: &'a dyn Host,
    /// Its role and its path, for messages.
    pub(super) name: &'a str,
}

impl Whole<'_> {
    /// Returns the number of its elements.
    ///
    /// # Errors
    /// `FragmentShape` if it has more than one dimension.
    pub(super) fn len(&self) -> Result<u64> {
        match *self.raw.shape() {
            [] => Ok(1),
            [n] => Ok(n),
            ref shape => Err(self.wrong(format!("has {} dimensions", shape.len()))),
        }
    }

    /// Visits the elements in order. Elements that are missing, or not from 0 to `limit`, are refused.
    ///
    /// # Errors
    /// `FragmentShape`, those of `visit`, and those of reading.
    pub(super) fn each(
        &self,
        limit: u64,
        chain: &Chain<'_>,
        mut visit: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let data_type = self.raw.data_type();
        let not_whole = |e: Error| self.wrong("is not whole numbers").because(e);
        let element = data_type.size().filter(|_| data_type.is_number());
        let element = element.ok_or_else(|| self.wrong("is text"))?;
        let convert = self.host.to_whole_numbers(self.raw).map_err(not_whole)?;
        let mut kept = Kept::sharing(chain.chunks);
        if self.raw.chunk_bytes().is_some_and(|bytes| chain.chunks.takes(bytes)) {
            kept.keep = Keep::Always;
        }
        let (total, shape) = (self.len()?, self.raw.shape());
        let mut at = 0;
        while at < total {
            chain.advance(0)?;
            let n = BLOCK.min(total - at);
            let selection = match shape {
                [] => Selection::all(shape),
                _ => Selection::block(&[at], &[n], shape)?,
            };
            let mut stored = zeroed(&selection, element)?;
            self.raw.read(&selection, &mut stored, None, Some(chain), &mut kept)?;
            let (mut numbers, mut valid) = (zeroed(&selection, 8)?, zeroed(&selection, 1)?);
            convert(&stored, &mut numbers, &mut valid).map_err(not_whole)?;
            for (bytes, &valid) in arrays::<8>(&numbers).iter().zip(&valid) {
                let number = i64::from_ne_bytes(*bytes);
                let good = u64::try_from(number).ok().filter(|&n| valid != 0 && n <= limit);
                visit(good.ok_or_else(|| match valid {
                    0 => self.wrong(format!("has no value at {at}")),
                    _ => self.wrong(format!("has {number} at {at}, which is not from 0 to {limit}")),
                })?)?;
                at += 1;
            }
        }
        Ok(())
    }

    /// Returns an error about this variable.
    pub(super) fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::new(Kind::FragmentShape, format!("{} {what}", self.name))
    }
}
