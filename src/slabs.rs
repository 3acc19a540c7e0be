//! Cuts a large part into slabs, so that a read needs no large buffer and can be stopped between slabs.
//!
//! Slabs end where chunks end, so that no chunk is decoded for two of them where that can be helped.

use crate::plan::Span;

/// The spans of slabs of about `limit` elements each, in C order; `chunk` is the shape of the stored chunks along the same
/// dimensions.
pub(crate) fn slabs(spans: &[Span], chunk: Option<&[u64]>, limit: u64) -> Vec<Vec<Span>> {
    let total = spans.iter().fold(1u64, |n, span| n.saturating_mul(span.count));
    if total <= limit {
        return vec![spans.to_vec()];
    }
    let mut slabs = vec![Vec::new()];
    let mut below = total;
    for (d, span) in spans.iter().enumerate() {
        below /= span.count.max(1);
        let rows = (limit / below.max(1)).clamp(1, span.count.max(1));
        let size = chunk.and_then(|c| c.get(d)).copied().unwrap_or(1).max(1);
        let cuts = cut(span, rows, size);
        slabs = slabs
            .iter()
            .flat_map(|slab: &Vec<Span>| {
                cuts.iter().map(move |cut| slab.iter().copied().chain([*cut]).collect())
            })
            .collect();
    }
    slabs
}

/// Cuts a span into parts of `rows` indices or a little more or less, each ending where a chunk ends.
fn cut(span: &Span, rows: u64, chunk: u64) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut done = 0;
    while done < span.count {
        let first = span.start.wrapping_add_signed(span.step.wrapping_mul(done as i64));
        let step = span.step.unsigned_abs().max(1);
        // How many indices lie between the first one and the end of its chunk, in the direction of the step.
        let left = if span.step > 0 { chunk - 1 - first % chunk } else { first % chunk };
        let in_chunk = left / step + 1;
        let more = rows.saturating_sub(in_chunk).saturating_mul(step) / chunk * chunk / step;
        let count = (in_chunk + more).min(span.count - done);
        parts.push(Span { start: first, count, at: span.at + done, ..*span });
        done += count;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn indices(span: &Span) -> Vec<(u64, u64)> {
        (0..span.count).map(|i| (span.start.wrapping_add_signed(span.step * i as i64), span.at + i)).collect()
    }

    #[test]
    fn cuts_end_where_chunks_end() {
        let span = Span { fragment: 0, start: 3, count: 20, step: 1, at: 0 };
        let counts: Vec<u64> = cut(&span, 8, 4).iter().map(|s| s.count).collect();
        assert_eq!(counts, [5, 8, 7]);
    }

    proptest! {
        #[test]
        fn slabs_are_the_whole_and_no_larger_than_a_chunk_needs(
            sizes in prop::collection::vec((1u64..30, 1i64..4, any::<bool>(), 1u64..8), 1..4),
            limit in 1u64..500,
        ) {
            let spans: Vec<Span> = sizes.iter().map(|&(count, step, back, _)| {
                let last = (count - 1) * step as u64;
                Span { fragment: 0, start: if back { last } else { 0 }, count, step: if back { -step } else { step }, at: 7 }
            }).collect();
            let chunk: Vec<u64> = sizes.iter().map(|s| s.3).collect();
            let most = limit.max(1) * chunk.iter().product::<u64>();
            let mut seen = std::collections::HashSet::new();
            for slab in slabs(&spans, Some(&chunk), limit) {
                prop_assert!(slab.iter().map(|s| s.count).product::<u64>() <= most);
                let mut places = vec![Vec::new()];
                for span in &slab {
                    places = places.iter().flat_map(|p: &Vec<(u64, u64)>| {
                        indices(span).into_iter().map(move |i| p.iter().copied().chain([i]).collect())
                    }).collect();
                }
                for place in places {
                    prop_assert!(seen.insert(place));
                }
            }
            let whole: u64 = spans.iter().map(|s| s.count).product();
            prop_assert_eq!(seen.len() as u64, whole);
            for place in &seen {
                for (d, &(index, at)) in place.iter().enumerate() {
                    let want = spans[d].start.wrapping_add_signed(spans[d].step * (at - 7) as i64);
                    prop_assert_eq!(index, want);
                }
            }
        }
    }
}
