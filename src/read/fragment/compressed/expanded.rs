//! An array that represents another one: reads the stored elements of a selection, and marks the others.
//!
//! In addition to the result, a read holds the places of the selected elements and a stretch of the stored array, each
//! about as large as the selection or smaller.

use std::sync::Arc;

use super::places::Places;
use crate::container::array::Array;
use crate::container::read::{zeroed, Kept};
use crate::error::{Error, Kind, Result};
use crate::read::fragment::{Chain, Raw};
use crate::selection::{checked_product, Odometer, Selection};

/// Bytes of a stretch of the stored array that is read at once, unless one index along the axis has more.
const STRETCH: u64 = 1 << 20;

/// Gaps up to this many bytes are read rather than skipped.
const GAP: u64 = 4 << 10;

/// The bytes that a string counts as.
const STRING: u64 = 32;

/// An array with one axis that is expanded.
pub(crate) struct Expanded {
    stored: Box<Raw>,
    axis: usize,
    /// The number of dimensions that the axis represents.
    rank: usize,
    shape: Vec<u64>,
    places: Arc<Places>,
}

/// An element of the result along the expanded dimensions: its stored index and its position.
type Found = (u64, usize);

impl Expanded {
    /// Creates the array `stored` with the sizes `dimensions` in the place of an axis.
    pub(super) fn new(stored: Raw, axis: usize, dimensions: &[u64], places: Arc<Places>) -> Self {
        let mut shape = stored.shape().to_vec();
        shape.splice(axis..=axis, dimensions.iter().copied());
        Expanded { stored: Box::new(stored), axis, rank: dimensions.len(), shape, places }
    }

    /// Returns the shape of the array.
    pub(crate) fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Returns the stored array, which may itself represent another one.
    pub(crate) fn stored(&self) -> &Raw {
        &self.stored
    }

    /// Returns whether its values alone do not show what is missing.
    pub(crate) fn is_unmarked(&self) -> bool {
        self.places.pads() || self.stored.is_unmarked()
    }

    /// Reads numbers or chars like [`Raw::read`]. Elements that are not stored become zeros, and 0 in `valid`.
    ///
    /// # Errors
    /// Those of reading the stored array.
    pub(crate) fn read(
        &self,
        selection: &Selection,
        out: &mut [u8],
        mut valid: Option<&mut [u8]>,
        chain: Option<&Chain<'_>>,
        kept: &mut Kept<'_>,
    ) -> Result<()> {
        let element = self.stored.data_type().size().ok_or_else(|| internal("strings are not bytes"))?;
        let block = Extents::of(selection, self.axis, self.rank)?;
        let found = self.found(selection, &block)?;
        if let Some(first) = block.all_in_order(&found) {
            let whole = self.stretch(selection, first, block.middle as u64)?;
            return self.stored.read(&whole, out, valid, chain, kept);
        }
        out.fill(0);
        if let Some(valid) = valid.as_deref_mut() {
            valid.fill(0);
        }
        let row = block.inner * element;
        for run in self.runs(&found, block.around().saturating_mul(element as u64)) {
            let (first, n) = (run[0].0, run[run.len() - 1].0 - run[0].0 + 1);
            let stretch = self.stretch(selection, first, n)?;
            let mut bytes = zeroed(&stretch, element)?;
            let mut there = valid.is_some().then(|| zeroed(&stretch, 1)).transpose()?;
            self.stored.read(&stretch, &mut bytes, there.as_deref_mut(), chain, kept)?;
            block.each(run, first, n as usize, |from, to| {
                out[to * row..][..row].copy_from_slice(&bytes[from * row..][..row]);
                if let (Some(valid), Some(there)) = (valid.as_deref_mut(), &there) {
                    valid[to * block.inner..][..block.inner]
                        .copy_from_slice(&there[from * block.inner..][..block.inner]);
                }
            });
        }
        Ok(())
    }

    /// Reads strings like [`Raw::read_strings`]. Elements that are not stored become `None`.
    ///
    /// # Errors
    /// Those of reading the stored array.
    pub(crate) fn read_strings(
        &self,
        selection: &Selection,
        chain: &Chain<'_>,
    ) -> Result<Vec<Option<String>>> {
        let block = Extents::of(selection, self.axis, self.rank)?;
        let found = self.found(selection, &block)?;
        let mut out = Vec::new();
        let total = selection.len().and_then(|n| usize::try_from(n).ok());
        let total = total.filter(|&n| out.try_reserve_exact(n).is_ok()).ok_or_else(no_memory)?;
        out.resize(total, None);
        for run in self.runs(&found, block.around().saturating_mul(STRING)) {
            let (first, n) = (run[0].0, run[run.len() - 1].0 - run[0].0 + 1);
            let texts = self.stored.read_strings(&self.stretch(selection, first, n)?, chain)?;
            block.each(run, first, n as usize, |from, to| {
                let texts = &texts[from * block.inner..][..block.inner];
                out[to * block.inner..][..block.inner].clone_from_slice(texts);
            });
        }
        Ok(out)
    }

    /// Returns the stored ones among the selected places of the expanded dimensions, in the order of storage.
    fn found(&self, selection: &Selection, block: &Extents) -> Result<Vec<Found>> {
        let along = self.axis..self.axis + self.rank;
        let (start, count) = (&selection.start()[along.clone()], &selection.count()[along.clone()]);
        let step = &selection.step()[along];
        // Records that were not written are missing.
        let written = self.stored.shape()[self.axis];
        let mut found: Vec<Found> = Vec::new();
        found.try_reserve(block.middle).map_err(|_| no_memory())?;
        let (mut odometer, mut place) = (Odometer::new(count), start.to_vec());
        for position in 0..block.middle {
            if let Some(at) = self.places.find(&place).filter(|&at| at < written) {
                found.push((at, position));
            }
            if let Some(d) = odometer.advance() {
                place[d] = place[d].wrapping_add_signed(step[d]);
                place[d + 1..].copy_from_slice(&start[d + 1..]);
            }
        }
        if !found.is_sorted() {
            found.sort_unstable();
        }
        Ok(found)
    }

    /// Divides the found elements into runs that are each read at once; `bytes` is the size of one index along the
    /// axis.
    fn runs<'f>(&self, found: &'f [Found], bytes: u64) -> impl Iterator<Item = &'f [Found]> + use<'f> {
        let bytes = bytes.max(1);
        let longest = (STRETCH / bytes).max(1);
        // A chunk is decoded whole, however little of it is needed.
        let chunk = self.stored.array().and_then(Array::chunk).map_or(1, |chunk| chunk[self.axis]);
        let gap = (GAP / bytes).max(chunk).max(1);
        let mut rest = found;
        std::iter::from_fn(move || {
            let first = rest.first()?.0;
            let near = |pair: &&[Found]| pair[1].0 - pair[0].0 <= gap && pair[1].0 - first < longest;
            let (run, after) = rest.split_at(1 + rest.windows(2).take_while(near).count());
            rest = after;
            Some(run)
        })
    }

    /// Returns the selection with `n` indices of the stored axis in the place of the expanded dimensions.
    fn stretch(&self, selection: &Selection, first: u64, n: u64) -> Result<Selection> {
        let along = self.axis..self.axis + self.rank;
        let (mut start, mut count) = (selection.start().to_vec(), selection.count().to_vec());
        let mut step = selection.step().to_vec();
        start.splice(along.clone(), [first]);
        count.splice(along.clone(), [n]);
        step.splice(along, [1]);
        Selection::new(&start, &count, &step, self.stored.shape())
            .map_err(|e| internal("a stretch outside the stored array").because(e))
    }
}

/// The numbers of selected elements before, along and after the expanded dimensions.
struct Extents {
    outer: usize,
    middle: usize,
    inner: usize,
}

impl Extents {
    fn of(selection: &Selection, axis: usize, rank: usize) -> Result<Extents> {
        let count = selection.count();
        let product = |sizes: &[u64]| {
            checked_product(sizes).and_then(|n| usize::try_from(n).ok()).ok_or_else(no_memory)
        };
        Ok(Extents {
            outer: product(&count[..axis])?,
            middle: product(&count[axis..axis + rank])?,
            inner: product(&count[axis + rank..])?,
        })
    }

    /// Returns how many elements one index along the axis has.
    fn around(&self) -> u64 {
        (self.outer as u64).saturating_mul(self.inner as u64)
    }

    /// Returns the first stored index, if the whole selection is stored contiguously in its own order.
    fn all_in_order(&self, found: &[Found]) -> Option<u64> {
        let first = found.first()?.0;
        let in_order =
            found.iter().zip(0usize..).all(|(&(at, position), i)| position == i && at == first + i as u64);
        (found.len() == self.middle && in_order).then_some(first)
    }

    /// Calls `copy` with the number of each row of inner elements in a stretch, and in the result.
    fn each(&self, run: &[Found], first: u64, n: usize, mut copy: impl FnMut(usize, usize)) {
        for outer in 0..self.outer {
            for &(at, position) in run {
                copy(outer * n + (at - first) as usize, outer * self.middle + position);
            }
        }
    }
}

fn internal(message: &str) -> Error {
    Error::new(Kind::Internal, message)
}

fn no_memory() -> Error {
    Error::new(Kind::Limit, "the selection does not fit into memory; ask for a smaller part")
}
