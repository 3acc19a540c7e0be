//! Divides a piece of a fragment into parts that threads read one at a time. Pure arithmetic.
//!
//! A part consists of whole chunks of a chunked array, so that no chunk is decoded twice. Its size is bounded, so that
//! neither scratch memory nor waiting for the last thread grows with the fragment.

use crate::container::chunk_numbers::ChunkNumbers;
use crate::error::{Error, Kind, Result};
use crate::read::fragment::Piece;
use crate::selection::{indices, Selection};

/// The size of a part in bytes, unless one chunk is larger. Chunks count as a whole, since they are decoded as a whole.
const PART: u64 = 1 << 20;
/// About the maximum number of parts of one piece. A piece that would have more is divided into larger parts.
const MOST: u64 = 1 << 16;

/// Returns the parts of a piece. `chunk` is the shape of the chunks of the stored array, or of blocks of one without
/// chunks, `element` the size of its elements.
///
/// # Errors
/// `Internal` if a part does not lie within the piece.
pub(crate) fn parts(
    piece: Piece,
    stored: &[u64],
    chunk: Option<&[u64]>,
    element: usize,
) -> Result<Vec<Piece>> {
    let cost = cost(&piece.selection, chunk, element);
    if cost <= PART {
        return Ok(vec![piece]);
    }
    let cuts = cuts(&piece.selection, chunk, element, PART.max(cost / MOST));
    let counts: Vec<u64> = cuts.iter().map(|ranges| ranges.len() as u64).collect();
    indices(&counts)
        .map(|index| {
            let ranges: Vec<_> = cuts.iter().zip(index).map(|(ranges, i)| ranges[i as usize]).collect();
            part(&piece, stored, &ranges)
        })
        .collect()
}

/// Returns the number of bytes that are decoded for a selection, which must not be empty.
pub(crate) fn cost(selection: &Selection, chunk: Option<&[u64]>, element: usize) -> u64 {
    match chunk {
        Some(chunk) => ChunkNumbers::new(selection, chunk).count().saturating_mul(bytes_of(chunk, element)),
        None => selection.len().unwrap_or(u64::MAX).saturating_mul(element as u64),
    }
}

fn bytes_of(chunk: &[u64], element: usize) -> u64 {
    chunk.iter().fold(element.max(1) as u64, |n, &size| n.saturating_mul(size))
}

/// Returns, per stored axis, the ranges (first index of the selection, how many) into which it is divided.
fn cuts(selection: &Selection, chunk: Option<&[u64]>, element: usize, part: u64) -> Vec<Vec<(u64, u64)>> {
    let rank = selection.rank();
    // The maximum number of selected indices that share a chunk along each axis.
    let together: Vec<u64> = (0..rank)
        .map(|a| match chunk {
            Some(chunk) => chunk[a].div_ceil(selection.step()[a].unsigned_abs()).min(selection.count()[a]),
            None => 1,
        })
        .collect();
    let mut bytes = match chunk {
        Some(chunk) => bytes_of(chunk, element),
        None => (element as u64).max(1),
    };
    let mut cuts = vec![Vec::new(); rank];
    let mut full = true;
    for a in (0..rank).rev() {
        let count = selection.count()[a];
        let stretches = count.div_ceil(together[a]);
        let taken = if full { (part / bytes).clamp(1, stretches) } else { 1 };
        full &= taken == stretches;
        bytes = bytes.saturating_mul(taken);
        let mut first = 0;
        while first < count {
            let mut n = 0;
            for _ in 0..taken {
                n += stretch(selection, chunk, a, first + n).min(count - first - n);
            }
            cuts[a].push((first, n));
            first += n;
        }
    }
    cuts
}

/// Returns how many selected indices from `first` on lie in the same chunk.
fn stretch(selection: &Selection, chunk: Option<&[u64]>, axis: usize, first: u64) -> u64 {
    let Some(chunk) = chunk else { return 1 };
    if first >= selection.count()[axis] {
        return 0;
    }
    let step = selection.step()[axis];
    let index = selection.start()[axis].wrapping_add_signed(step.wrapping_mul(first as i64));
    let within = index % chunk[axis];
    let room = if step > 0 { chunk[axis] - 1 - within } else { within };
    room / step.unsigned_abs() + 1
}

fn part(piece: &Piece, stored: &[u64], ranges: &[(u64, u64)]) -> Result<Piece> {
    let whole = &piece.selection;
    let start: Vec<u64> = (0..ranges.len())
        .map(|a| whole.start()[a].wrapping_add_signed(whole.step()[a].wrapping_mul(ranges[a].0 as i64)))
        .collect();
    let count: Vec<u64> = ranges.iter().map(|r| r.1).collect();
    let selection = Selection::of(start, count, whole.step().to_vec(), stored)
        .map_err(|e| Error::new(Kind::Internal, "a part outside its piece").because(e))?;
    let (mut at, mut extent) = (piece.at.clone(), piece.count.clone());
    for (axis, dimension) in piece.dimensions.iter().enumerate() {
        if let Some(d) = *dimension {
            at[d] += ranges[axis].0;
            extent[d] = ranges[axis].1;
        }
    }
    Ok(Piece::new(selection, piece.dimensions.clone(), at, extent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the origin and destination of each element of a piece.
    fn places(piece: &Piece) -> Vec<(Vec<u64>, Vec<u64>)> {
        let selection = &piece.selection;
        (0..selection.len().unwrap())
            .map(|mut n| {
                let mut from = vec![0; selection.rank()];
                let mut to = piece.at.clone();
                for a in (0..selection.rank()).rev() {
                    let i = n % selection.count()[a];
                    n /= selection.count()[a];
                    from[a] = selection.start()[a].wrapping_add_signed(selection.step()[a] * i as i64);
                    to[piece.dimensions[a].unwrap()] += i;
                }
                (from, to)
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn parts_are_the_piece_and_share_no_chunk(
            axes in proptest::collection::vec((1u64..40, 1u64..9, 1i64..4, any::<bool>()), 1..4),
            chunked in any::<bool>(),
            element in prop_oneof![Just(64usize), Just(4096), Just(60_000)],
        ) {
            let shape: Vec<u64> = axes.iter().map(|a| a.0).collect();
            let chunk: Vec<u64> = axes.iter().map(|a| a.1).collect();
            let step: Vec<i64> = axes.iter().map(|a| if a.3 { -a.2 } else { a.2 }).collect();
            let start: Vec<u64> = axes.iter().map(|a| if a.3 { a.0 - 1 } else { 0 }).collect();
            let count: Vec<u64> = axes.iter().map(|a| (a.0 - 1) / a.2 as u64 + 1).collect();
            let selection = Selection::new(&start, &count, &step, &shape).unwrap();
            let dimensions: Vec<Option<usize>> = (0..shape.len()).rev().map(Some).collect();
            let extent: Vec<u64> = count.iter().rev().copied().collect();
            let piece = Piece::new(selection, dimensions, vec![5; shape.len()], extent);
            let mut want = places(&piece);
            let chunk = chunked.then_some(chunk.as_slice());
            let parts = parts(piece, &shape, chunk, element).unwrap();
            let mut got: Vec<_> = parts.iter().flat_map(places).collect();
            if let Some(chunk) = chunk {
                let mut seen = std::collections::HashMap::new();
                for (n, part) in parts.iter().enumerate() {
                    for (from, _) in places(part) {
                        let of: Vec<u64> = from.iter().zip(chunk).map(|(i, c)| i / c).collect();
                        prop_assert_eq!(*seen.entry(of).or_insert(n), n);
                    }
                }
            }
            want.sort();
            got.sort();
            prop_assert_eq!(got, want);
        }
    }
}
