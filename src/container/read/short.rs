//! Reads data that end before their dimensions do: what lies inside is read, everything else is filled.

use super::copy::{self, Order};
use super::lattice::{Axis, Lattice};
use crate::container::array::Short;
use crate::error::Result;
use crate::selection::{c_strides, Selection};

/// Returns whether the selection reaches beyond the data.
pub(super) fn reaches_beyond(short: &Short, selection: &Selection) -> bool {
    let inside = |d: usize| part(selection, d, short.extent[d]).1 == selection.count()[d];
    !(0..selection.rank()).all(inside)
}

/// Fills `out`, and calls `read` for what lies inside the data. The selection must not be empty.
///
/// # Errors
/// Those of `read`; `Limit` if there is no memory for a copy of what lies inside.
pub(super) fn read(
    short: &Short,
    shape: &[u64],
    selection: &Selection,
    out: &mut [u8],
    order: Order,
    read: impl FnOnce(&Selection, &mut [u8]) -> Result<()>,
) -> Result<()> {
    let element = order.element;
    let all = Axis { count: out.len() / element, from: 0, to: element };
    copy::copy(&Lattice::new(0, 0, element, [all]), &short.fill, out, order);
    let parts: Vec<(u64, u64)> = (0..selection.rank()).map(|d| part(selection, d, short.extent[d])).collect();
    let count: Vec<u64> = parts.iter().map(|p| p.1).collect();
    if count.contains(&0) {
        return Ok(());
    }
    let start: Vec<u64> = (0..parts.len())
        .map(|d| {
            let steps = (parts[d].0 as i64).wrapping_mul(selection.step()[d]);
            selection.start()[d].wrapping_add_signed(steps)
        })
        .collect();
    let inside = Selection::new(&start, &count, selection.step(), shape)?;
    let mut values = super::zeroed(&inside, element)?;
    read(&inside, &mut values)?;
    let (from, to) = (c_strides(&count), c_strides(selection.count()));
    let first: u64 = parts.iter().zip(&to).map(|(p, stride)| p.0 * stride).sum();
    let axes = (0..count.len()).map(|d| Axis {
        count: count[d] as usize,
        from: (from[d] as usize * element) as i64,
        to: to[d] as usize * element,
    });
    let lattice = Lattice::new(0, first as usize * element, element, axes);
    copy::copy(&lattice, &values, out, Order { element, swap: false });
    Ok(())
}

/// Returns which of the selected indices of a dimension lie below `extent`: the first, and how many.
fn part(selection: &Selection, d: usize, extent: u64) -> (u64, u64) {
    let (start, count, step) = (selection.start()[d], selection.count()[d], selection.step()[d]);
    let by = step.unsigned_abs();
    if step > 0 {
        (0, extent.saturating_sub(start).div_ceil(by).min(count))
    } else {
        let above = (start + 1).saturating_sub(extent).div_ceil(by).min(count);
        (above, count - above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_inner_part_is_that_of_a_loop(
            size in 1u64..30, extent in 0u64..30, start in 0u64..30, n in 0u64..30, step in -5i64..=5,
        ) {
            let (start, step) = (start % size, if step == 0 { 1 } else { step });
            let room = if step > 0 { (size - 1 - start) / step as u64 } else { start / step.unsigned_abs() };
            let selection = Selection::new(&[start], &[n % (room + 2)], &[step], &[size]).unwrap();
            let index = |k: u64| start as i64 + k as i64 * step;
            let inside: Vec<u64> =
                (0..selection.count()[0]).filter(|&k| index(k) < extent as i64).collect();
            let (first, count) = part(&selection, 0, extent);
            prop_assert_eq!(count, inside.len() as u64);
            if count > 0 {
                prop_assert_eq!(first, inside[0]);
            }
        }
    }
}
