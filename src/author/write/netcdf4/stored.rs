//! Where the chunks of a variable are in the file. Memory grows with them, so that a chunk takes four bytes as long as
//! chunks are written in their order, one after the other.

/// A chunk in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// Its number, in C order of all chunks.
    pub number: u64,
    /// Its place in the file.
    pub address: u64,
    /// The number of its bytes after filtering.
    pub len: u32,
}

/// Chunks with successive numbers and places.
#[derive(Clone, Copy, Debug)]
struct Run {
    number: u64,
    address: u64,
    /// The index of the first in `lens`.
    first: usize,
    count: usize,
}

/// The chunks of a variable, in any order.
#[derive(Debug, Default)]
pub(super) struct StoredChunks {
    runs: Vec<Run>,
    lens: Vec<u32>,
    /// The first byte after the last chunk.
    end: u64,
}

impl StoredChunks {
    /// Adds a chunk that was written.
    pub(super) fn push(&mut self, chunk: Stored) {
        match self.runs.last_mut() {
            Some(run) if (run.number + run.count as u64, self.end) == (chunk.number, chunk.address) => {
                run.count += 1;
            }
            _ => {
                let (number, address, first) = (chunk.number, chunk.address, self.lens.len());
                self.runs.push(Run { number, address, first, count: 1 });
            }
        }
        self.lens.push(chunk.len);
        self.end = chunk.address.saturating_add(u64::from(chunk.len));
    }

    /// Returns the number of chunks.
    pub(super) fn len(&self) -> usize {
        self.lens.len()
    }

    /// Sorts the chunks by number. Returns whether no number is there twice.
    pub(super) fn sort(&mut self) -> bool {
        self.runs.sort_unstable_by_key(|run| run.number);
        self.runs.windows(2).all(|pair| pair[0].number + pair[0].count as u64 <= pair[1].number)
    }

    /// Returns the chunks; sorted if [`StoredChunks::sort`] was called after the last was added.
    pub(super) fn iter(&self) -> impl Iterator<Item = Stored> + '_ {
        self.runs.iter().flat_map(|run| {
            let lens = &self.lens[run.first..run.first + run.count];
            (run.number..).zip(lens).scan(run.address, |next, (number, &len)| {
                let address = *next;
                *next += u64::from(len);
                Some(Stored { number, address, len })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Chunks in any order, with gaps between them, are those that were added.
        #[test]
        fn chunks_are_found_where_they_were_put(
            parts in prop::collection::vec((0u64..60, 0u64..3, 0u32..5), 0..40),
        ) {
            let (mut chunks, mut expected, mut end) = (StoredChunks::default(), Vec::new(), 100);
            for (number, gap, len) in parts {
                // Half of them follow the one before.
                let number = match expected.last() {
                    Some(Stored { number: last, .. }) if number % 2 == 0 => last + 1,
                    _ => number,
                };
                let chunk = Stored { number, address: end + gap / 2, len };
                end = chunk.address + u64::from(len);
                chunks.push(chunk);
                expected.push(chunk);
            }
            prop_assert_eq!(chunks.iter().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(chunks.len(), expected.len());
            expected.sort_by_key(|chunk| chunk.number);
            let is_unique = expected.windows(2).all(|pair| pair[0].number < pair[1].number);
            prop_assert_eq!(chunks.sort(), is_unique);
            if is_unique {
                prop_assert_eq!(chunks.iter().collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn chunks_in_order_take_four_bytes() {
        let mut chunks = StoredChunks::default();
        for number in 0..100_000 {
            chunks.push(Stored { number, address: 48 + 16 * number, len: 16 });
        }
        assert_eq!((chunks.runs.len(), chunks.lens.len()), (1, 100_000));
    }
}
