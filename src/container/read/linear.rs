//! Reads a lattice of elements from a source: contiguous arrays, records, and chunks without filters.

use super::copy::{copy, Order};
use super::lattice::Lattice;
use super::stretches::{Stretches, SCRATCH};
use crate::container::buffer::WorkBuffer;
use crate::error::Result;
use crate::io::source::Source;

/// Reads every run of the lattice into `out`; `scratch` is reused by the next call.
pub fn read(
    source: &dyn Source,
    lattice: &Lattice,
    out: &mut [u8],
    order: Order,
    scratch: &mut WorkBuffer,
) -> Result<()> {
    for stretch in Stretches::new(lattice) {
        match stretch.part {
            None => {
                let mut offset = stretch.offset;
                // Bytes are swapped while they are still in the processor's cache.
                let piece = if order.swap { SCRATCH / order.element * order.element } else { stretch.len };
                for part in out[stretch.to..stretch.to + stretch.len].chunks_mut(piece.max(1)) {
                    source.read_at(offset, part)?;
                    order.settle(part);
                    offset += part.len() as u64;
                }
            }
            Some(part) => {
                let bytes = scratch.grown(stretch.len)?;
                source.read_at(stretch.offset, bytes)?;
                copy(&part, bytes, out, order);
            }
        }
    }
    Ok(())
}
