//! The blocks in which an array is read and written.

use crate::selection::{checked_product, indices};

/// Returns the shape of a block: whole chunks, about `cap` elements, and at least one chunk.
pub(crate) fn block_shape(shape: &[u64], chunk: &[u64], cap: u64) -> Vec<u64> {
    let mut block: Vec<u64> = chunk.iter().zip(shape).map(|(&c, &n)| c.clamp(1, n.max(1))).collect();
    for d in (0..shape.len()).rev() {
        let now = checked_product(&block).unwrap_or(u64::MAX);
        let times = (cap / now.max(1)).max(1);
        block[d] = block[d].saturating_mul(times).min(shape[d].max(1));
        if block[d] < shape[d] {
            break;
        }
    }
    block
}

/// Returns the blocks of an array, in C order: start and count of each.
pub(crate) fn blocks(shape: &[u64], block: &[u64]) -> impl Iterator<Item = (Vec<u64>, Vec<u64>)> {
    let (shape, block) = (shape.to_vec(), block.to_vec());
    let counts: Vec<u64> = shape.iter().zip(&block).map(|(&n, &b)| n.div_ceil(b.max(1))).collect();
    let total = checked_product(&counts).unwrap_or(0);
    indices(&counts).take(total as usize).map(move |index| {
        let start: Vec<u64> = index.iter().zip(&block).map(|(i, size)| i * size).collect();
        let count = (0..shape.len()).map(|d| block[d].min(shape[d] - start[d])).collect();
        (start, count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_tile_the_array_with_whole_chunks(
            dims in proptest::collection::vec((0u64..9, 1u64..5), 0..4),
            cap in 1u64..200,
        ) {
            let shape: Vec<u64> = dims.iter().map(|d| d.0).collect();
            let chunk: Vec<u64> = dims.iter().map(|d| d.1).collect();
            let block = block_shape(&shape, &chunk, cap);
            let mut seen = vec![0u8; shape.iter().product::<u64>() as usize];
            let strides = crate::selection::c_strides(&shape);
            for (start, count) in blocks(&shape, &block) {
                for d in 0..shape.len() {
                    prop_assert_eq!(start[d] % chunk[d].min(shape[d]), 0);
                }
                for mut n in 0..count.iter().product::<u64>() {
                    let mut at = 0;
                    for d in (0..shape.len()).rev() {
                        at += (start[d] + n % count[d]) * strides[d];
                        n /= count[d];
                    }
                    seen[at as usize] += 1;
                }
            }
            prop_assert!(seen.iter().all(|&n| n == 1));
            let least: u64 = chunk.iter().zip(&shape).map(|(&c, &n)| c.min(n.max(1))).product();
            prop_assert!(block.iter().product::<u64>() <= cap.max(least));
        }
    }
}
