//! Converts stored elements to canonical form and to the requested type, and writes them to the caller's buffer.

use super::Request;
use crate::canonical::{Conversion, Target};
use crate::container::read::{ChunkCache, Keep, Kept};
use crate::error::{Error, Kind, Result};
use crate::io::source::Fetched;
use crate::read::fragment::{strings_are_not_bytes, Chain, Piece, Raw};
use crate::value::DataType;

/// The destination of a read: the variable's type and missing value, the requested type, the caller's buffer.
pub(crate) struct Sink<'a> {
    pub(crate) target: &'a Target,
    pub(crate) request: &'a Request<'a>,
    /// The conversion from the variable's own type to the requested one, if they differ.
    cast: Option<Conversion>,
}

/// Buffers of one thread, reused for each part.
pub(crate) struct Buffers<'a> {
    kept: Kept<'a>,
    stored: Vec<u8>,
    own: Vec<u8>,
    cast: Vec<u8>,
    valid: Vec<u8>,
}

impl<'a> Buffers<'a> {
    pub(crate) fn new(chunks: &'a ChunkCache) -> Self {
        let (stored, own, cast, valid) = Default::default();
        let kept = Kept::sharing(chunks);
        Buffers { kept, stored, own, cast, valid }
    }

    /// Sets when decoded chunks are cached for later reads.
    pub(crate) fn keep_chunks(&mut self, keep: Keep) {
        self.kept.keep = keep;
    }

    /// Passes the bytes that were fetched for the next part.
    pub(crate) fn bring(&mut self, fetched: Fetched) {
        self.kept.fetched = fetched;
    }
}

impl<'a> Sink<'a> {
    pub(crate) fn new(target: &'a Target, request: &'a Request<'a>, lossy: bool) -> Result<Self> {
        let allowed = request.lossy.unwrap_or(lossy);
        let differs = request.data_type != target.data_type();
        let cast =
            differs.then(|| Conversion::for_request(target, request.data_type, allowed)).transpose()?;
        Ok(Sink { target, request, cast })
    }

    /// Reads a part of a fragment and writes it to its place.
    pub(crate) fn put(
        &self,
        raw: &Raw,
        conversion: &Conversion,
        part: &Piece,
        chain: Option<&Chain<'_>>,
        buffers: &mut Buffers<'_>,
    ) -> Result<()> {
        let Buffers { kept, stored, own, cast, valid } = buffers;
        let n = part.elements()?;
        let values = self.request.values;
        let place = part.is_c_order().then(|| {
            // SAFETY: parts of a read are disjoint; if different parts of the destination may share memory, one thread
            // reads them all.
            unsafe { values.contiguous(&part.at, &part.count) }
        });
        let place = place.flatten();
        let (passed_on, given) = (self.request.mask.is_some(), raw.is_unmarked());
        if conversion.is_identity() && self.cast.is_none() && !passed_on && !given {
            if let Some(place) = place {
                return raw.read(&part.selection, place, None, chain, kept);
            }
            let stored = sized(stored, n, size_of(raw.data_type())?)?;
            raw.read(&part.selection, stored, None, chain, kept)?;
            // SAFETY: as above.
            unsafe { values.copy(&part.at, &part.count, stored, &part.strides) };
            return Ok(());
        }
        let stored = sized(stored, n, size_of(raw.data_type())?)?;
        let mut valid = (passed_on || given).then(|| sized(valid, n, 1)).transpose()?;
        raw.read(&part.selection, stored, valid.as_deref_mut().filter(|_| given), chain, kept)?;
        let convert = |out: &mut [u8], valid: Option<&mut [u8]>| match valid {
            Some(valid) if given => conversion.apply_masked(stored, out, valid, passed_on),
            valid => conversion.apply(stored, out, valid),
        };
        match (place, &self.cast) {
            (Some(place), None) => convert(place, valid.as_deref_mut())?,
            (place, cast_to) => {
                let own = sized(own, n, size_of(self.target.data_type())?)?;
                convert(own, valid.as_deref_mut())?;
                let finished = match cast_to {
                    None => own,
                    Some(cast_to) => {
                        let cast = sized(cast, n, size_of(self.request.data_type)?)?;
                        again(cast_to, own, cast, valid.as_deref_mut(), passed_on)?;
                        cast
                    }
                };
                match place {
                    Some(place) => place.copy_from_slice(finished),
                    // SAFETY: as above.
                    None => unsafe { values.copy(&part.at, &part.count, finished, &part.strides) },
                }
            }
        }
        if let (Some(mask), Some(valid)) = (self.request.mask, valid) {
            // SAFETY: as above; the mask has the same parts.
            unsafe { mask.copy(&part.at, &part.count, valid, &part.strides) };
        }
        Ok(())
    }

    /// Converts one stored element and fills a part of the result with it.
    pub(crate) fn repeat(
        &self,
        conversion: &Conversion,
        raw: &[u8],
        at: &[u64],
        count: &[u64],
    ) -> Result<()> {
        let mut value = vec![0; size_of(self.target.data_type())?];
        let mut valid = self.request.mask.map(|_| vec![1]);
        conversion.apply(raw, &mut value, valid.as_deref_mut())?;
        self.spread(value, valid, at, count)
    }

    /// Fills a part of the result with the missing value.
    pub(crate) fn missing(&self, at: &[u64], count: &[u64]) -> Result<()> {
        let mut value = vec![0; size_of(self.target.data_type())?];
        let mut valid = self.request.mask.map(|_| vec![0]);
        self.target.fill(&mut value, valid.as_deref_mut())?;
        self.spread(value, valid, at, count)
    }

    fn spread(
        &self,
        mut value: Vec<u8>,
        mut valid: Option<Vec<u8>>,
        at: &[u64],
        count: &[u64],
    ) -> Result<()> {
        if let Some(cast_to) = &self.cast {
            let mut cast = vec![0; size_of(self.request.data_type)?];
            again(cast_to, &value, &mut cast, valid.as_deref_mut(), true)?;
            value = cast;
        }
        // SAFETY: parts of a read are disjoint; if different parts of the destination may share memory, one thread
        // reads them all.
        unsafe { self.request.values.fill(at, count, &value) };
        if let (Some(mask), Some(valid)) = (self.request.mask, valid) {
            // SAFETY: as above; the mask has the same parts.
            unsafe { mask.fill(at, count, &valid) };
        }
        Ok(())
    }
}

/// Converts values that were converted before. Missing ones stay missing.
fn again(
    conversion: &Conversion,
    from: &[u8],
    to: &mut [u8],
    valid: Option<&mut [u8]>,
    passed_on: bool,
) -> Result<()> {
    match valid {
        Some(valid) => conversion.apply_masked(from, to, valid, passed_on),
        None => conversion.apply(from, to, None),
    }
}

fn sized(buffer: &mut Vec<u8>, n: usize, element: usize) -> Result<&mut [u8]> {
    let no_memory = || Error::new(Kind::Limit, "no memory for a part of the data");
    let len = n.checked_mul(element).ok_or_else(no_memory)?;
    if buffer.len() < len {
        buffer.try_reserve_exact(len - buffer.len()).map_err(|_| no_memory())?;
        buffer.resize(len, 0);
    }
    Ok(&mut buffer[..len])
}

pub(crate) fn size_of(data_type: DataType) -> Result<usize> {
    data_type.size().ok_or_else(strings_are_not_bytes)
}

/// Returns the strides of an array in C order.
pub(super) fn c_order(shape: &[u64]) -> Vec<usize> {
    crate::selection::c_strides(shape).iter().map(|&s| s as usize).collect()
}
