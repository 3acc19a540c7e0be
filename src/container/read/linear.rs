//! Reads a lattice of elements from a source: contiguous arrays, records, and chunks without filters.

use super::blocks::{Blocks, SCRATCH};
use super::copy::{copy, Order};
use super::lattice::Lattice;
use crate::container::buffer::grown;
use crate::error::Result;
use crate::io::source::Source;

/// Reads every run of the lattice into `out`; `scratch` is kept for the next call.
pub fn read(
    source: &dyn Source,
    lattice: &Lattice,
    out: &mut [u8],
    order: Order,
    scratch: &mut Vec<u8>,
) -> Result<()> {
    for block in Blocks::new(lattice) {
        match block.part {
            None => {
                let mut offset = block.offset;
                // Bytes are swapped while they are still in the processor's cache.
                let piece = if order.swap { SCRATCH / order.element * order.element } else { block.len };
                for part in out[block.to..block.to + block.len].chunks_mut(piece.max(1)) {
                    source.read_at(offset, part)?;
                    order.settle(part);
                    offset += part.len() as u64;
                }
            }
            Some(part) => {
                let bytes = grown(scratch, block.len)?;
                source.read_at(block.offset, bytes)?;
                copy(&part, bytes, out, order);
            }
        }
    }
    Ok(())
}
