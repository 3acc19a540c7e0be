//! Every layout against one naive oracle: element by element, index by index.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::chunked::Chunks;
use super::*;
use crate::container::chunk_index::ChunkPlace;
use crate::value::DataType;

/// A source in memory that refuses to be read beyond its end.
pub struct Memory(pub Vec<u8>);

impl Source for Memory {
    fn name(&self) -> &str {
        "memory"
    }
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let start = usize::try_from(offset).unwrap();
        let bytes = self.0.get(start..).and_then(|b| b.get(..buffer.len()));
        buffer.copy_from_slice(bytes.expect("reading beyond the end"));
        Ok(())
    }
}

/// Counts the bytes that are read.
struct Counting(Memory, AtomicU64);

impl Source for Counting {
    fn name(&self) -> &str {
        "counting"
    }
    fn len(&self) -> u64 {
        self.0.len()
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        self.1.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        self.0.read_at(offset, buffer)
    }
}

fn noise(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Returns all indices `i` with `i[d] < count[d]`, in C order.
fn indices(count: &[u64]) -> Vec<Vec<u64>> {
    count.iter().fold(vec![vec![]], |list, &n| {
        list.iter().flat_map(|i| (0..n).map(move |k| [&i[..], &[k]].concat())).collect()
    })
}

/// Returns the selected elements of an array in C order.
fn oracle(data: &[u8], shape: &[u64], selection: &Selection, size: usize, swap: bool) -> Vec<u8> {
    let strides = c_strides(shape);
    let mut out = Vec::new();
    for index in indices(selection.count()) {
        let at = (0..shape.len()).map(|d| {
            (selection.start()[d] as i64 + index[d] as i64 * selection.step()[d]) as u64 * strides[d]
        });
        let at = at.sum::<u64>() as usize * size;
        let mut element = data[at..at + size].to_vec();
        if swap {
            element.reverse();
        }
        out.extend(element);
    }
    out
}

fn array(size: usize, big_endian: bool, shape: &[u64], layout: Layout) -> Array {
    Array {
        data_type: DataType::U8,
        element: Element::Number { size, big_endian },
        shape: shape.to_vec(),
        layout,
        fill: noise(size),
        short: None,
    }
}

fn read_all_ways(source: &dyn Source, array: &Array, selection: &Selection, data: &[u8]) {
    let size = array.element.size();
    check(source, array, selection).unwrap();
    let mut out = vec![0xee; bytes_of(selection, size).unwrap()];
    numbers(source, array, selection, &mut out, &mut Kept::default()).unwrap();
    let swap = array.element.is_foreign_endian();
    assert!(out == oracle(data, &array.shape, selection, size, swap), "numbers differ: {selection:?}");
    let out = stored(source, array, selection).unwrap();
    assert!(out == oracle(data, &array.shape, selection, size, false), "stored differ: {selection:?}");
}

/// Returns a selection of a dimension of this size, from three free numbers.
fn stretch(size: u64, (a, b, c): (u64, u64, u64)) -> (u64, u64, i64) {
    if size == 0 {
        return (0, 0, 1);
    }
    let start = a % size;
    let magnitude = if b % 3 == 0 { 1 } else { b % size + 1 };
    let (step, room) = if b % 2 == 0 {
        (magnitude as i64, (size - 1 - start) / magnitude)
    } else {
        (-(magnitude as i64), start / magnitude)
    };
    (start, if c % 4 == 0 { room + 1 } else { c % (room + 2) }, step)
}

fn select(shape: &[u64], free: &[(u64, u64, u64)]) -> Selection {
    let parts: Vec<_> = shape.iter().zip(free).map(|(&n, &f)| stretch(n, f)).collect();
    let (start, (count, step)): (Vec<_>, (Vec<_>, Vec<_>)) =
        parts.into_iter().map(|(s, c, t)| (s, (c, t))).unzip();
    Selection::new(&start, &count, &step, shape).unwrap()
}

fn free() -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
    prop::collection::vec((0..10_000u64, 0..10_000u64, 0..10_000u64), 4)
}

fn size() -> impl Strategy<Value = usize> {
    prop::sample::select(vec![1, 2, 3, 4, 8, 12])
}

struct Scrambled {
    places: HashMap<Vec<u64>, ChunkPlace>,
    size: usize,
    shuffled: bool,
}

impl Chunks for Scrambled {
    fn find(&self, chunk: &[u64]) -> Result<Option<ChunkPlace>> {
        Ok(self.places.get(chunk).copied())
    }
    fn is_plain(&self, mask: u32) -> bool {
        mask == 1
    }
    fn decode(&self, mask: u32, stored: &[u8], _: &mut filter::Scratch, out: &mut [u8]) -> Result<()> {
        assert_eq!(stored.len(), out.len() + 3);
        out.iter_mut().zip(&stored[3..]).for_each(|(out, b)| *out = b ^ 0x5a);
        if self.shuffled && mask & 1 == 1 {
            // The caller needs the chunk before the last step, so it is shuffled again.
            let whole = out.to_vec();
            let count = whole.len() / self.size;
            for (i, byte) in whole.into_iter().enumerate() {
                out[i % self.size * count + i / self.size] = byte;
            }
        }
        Ok(())
    }
    fn is_shuffled(&self, _: u32, _: usize) -> bool {
        self.shuffled
    }
    fn id(&self) -> u64 {
        0
    }
}

/// Writes an array in chunks: some never, some plain, some scrambled. Also returns the data that a read should return.
fn write_chunks(
    data: &[u8],
    shape: &[u64],
    chunk: &[u64],
    size: usize,
    kinds: u64,
) -> (Memory, Scrambled, Vec<u8>) {
    let grid: Vec<u64> = shape.iter().zip(chunk).map(|(n, c)| n.div_ceil(*c)).collect();
    let (mut file, mut places, mut seen) = (vec![0; 5], HashMap::new(), data.to_vec());
    let strides = c_strides(shape);
    for (n, at) in indices(&grid).into_iter().enumerate() {
        let kind = (kinds >> (n % 60)) % 3;
        let offset = file.len() as u64;
        let mut bytes = Vec::new();
        for within in indices(chunk) {
            let index: Vec<u64> = (0..shape.len()).map(|d| at[d] * chunk[d] + within[d]).collect();
            if index.iter().zip(shape).any(|(i, n)| i >= n) {
                bytes.extend(vec![0xcc; size]);
                continue;
            }
            let place = index.iter().zip(&strides).map(|(i, s)| i * s).sum::<u64>() as usize * size;
            bytes.extend(&data[place..place + size]);
            if kind == 0 {
                seen[place..place + size].copy_from_slice(&noise(size));
            }
        }
        match kind {
            0 => continue,
            1 => file.extend(&bytes),
            _ => {
                file.extend([1, 2, 3]);
                file.extend(bytes.iter().map(|b| b ^ 0x5a));
            }
        }
        let place = ChunkPlace { offset, size: file.len() as u64 - offset, filter_mask: (kind == 1).into() };
        places.insert(at, place);
    }
    (Memory(file), Scrambled { places, size, shuffled: size > 1 && kinds & 1 == 1 }, seen)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn contiguous_compact_and_records_give_what_the_oracle_gives(
        shape in prop::collection::vec(0..9u64, 0..=4),
        free in free(),
        size in size(),
        big_endian: bool,
        offset in 0..20u64,
        pad in 0..20u64,
    ) {
        let selection = select(&shape, &free);
        let data = noise(checked_bytes(&shape, size));
        let file = Memory([vec![0xaa; offset as usize], data.clone()].concat());
        read_all_ways(&file, &array(size, big_endian, &shape, Layout::Contiguous { offset }), &selection, &data);
        read_all_ways(&Memory(vec![]), &array(size, big_endian, &shape, Layout::Compact(data.clone())), &selection, &data);
        if let Some((_, rest)) = shape.split_first() {
            let record = checked_bytes(rest, size);
            let mut file = vec![0xaa; offset as usize];
            for bytes in data.chunks(record.max(1)) {
                file.extend(bytes);
                file.extend(vec![0xbb; pad as usize]);
            }
            // Padding after the last record may be absent.
            file.truncate(file.len() - if data.is_empty() { 0 } else { pad as usize });
            let layout = Layout::Records { offset, stride: record as u64 + pad };
            read_all_ways(&Memory(file), &array(size, big_endian, &shape, layout), &selection, &data);
        }
    }

    #[test]
    fn chunks_give_what_the_oracle_gives(
        dims in prop::collection::vec((0..9u64, 1..7u64), 0..=4),
        free in free(),
        size in size(),
        swap: bool,
        kinds: u64,
    ) {
        let (shape, chunk): (Vec<u64>, Vec<u64>) = dims.into_iter().unzip();
        let selection = select(&shape, &free);
        let data = noise(checked_bytes(&shape, size));
        let (file, chunks, seen) = write_chunks(&data, &shape, &chunk, size, kinds);
        let mut out = zeroed(&selection, size).unwrap();
        if !out.is_empty() {
            let order = Order { element: size, swap };
            // Without a cache, with one that keeps nothing for long, and with one that keeps everything, twice.
            for cache in [None, Some(ChunkCache::new(4000)), Some(ChunkCache::new(1 << 30))] {
                let mut kept = Kept { chunks: cache.as_ref(), keep: Keep::Always, ..Kept::default() };
                for _ in 0..2 {
                    out.fill(0xee);
                    chunked::read(&file, &chunks, &chunk, &selection, &noise(size), &mut out, order, &mut kept)
                        .unwrap();
                }
                prop_assert_eq!(&out, &oracle(&seen, &shape, &selection, size, swap));
            }
        }
        prop_assert_eq!(out, oracle(&seen, &shape, &selection, size, swap));
    }

    #[test]
    fn unwritten_arrays_are_all_fill(shape in prop::collection::vec(0..6u64, 0..=3), free in free(), size in size()) {
        let selection = select(&shape, &free);
        let data = noise(size).repeat(checked_bytes(&shape, 1));
        read_all_ways(&Memory(vec![]), &array(size, true, &shape, Layout::Unwritten), &selection, &data);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn arrays_larger_than_the_scratch_give_what_the_oracle_gives(
        shape in prop::sample::select(vec![vec![700_000], vec![3, 900, 300], vec![40, 20_000], vec![20_000, 40]]),
        free in free(),
        big_endian: bool,
    ) {
        let selection = select(&shape, &free);
        let data = noise(checked_bytes(&shape, 4));
        read_all_ways(&Memory(data.clone()), &array(4, big_endian, &shape, Layout::Contiguous { offset: 0 }), &selection, &data);
    }
}

fn checked_bytes(shape: &[u64], size: usize) -> usize {
    shape.iter().product::<u64>() as usize * size
}

#[test]
fn a_truncated_file_is_damaged_only_where_data_are_lost() {
    let file = Memory(noise(20));
    let array = array(4, true, &[6], Layout::Contiguous { offset: 0 });
    let error = stored(&file, &array, &Selection::all(&[6])).unwrap_err();
    assert_eq!(error.kind(), Kind::Damaged);
    assert!(error.message().contains("truncated"), "{error}");
    assert_eq!(stored(&file, &array, &Selection::block(&[1], &[4], &[6]).unwrap()).unwrap().len(), 16);
}

#[test]
fn a_promise_larger_than_the_file_allocates_nothing() {
    let shape = [u64::MAX / 2, 3];
    for layout in [Layout::Contiguous { offset: 8 }, Layout::Records { offset: 8, stride: u64::MAX }] {
        let array = array(8, true, &shape, layout);
        assert_eq!(
            stored(&Memory(noise(99)), &array, &Selection::all(&shape)).unwrap_err().kind(),
            Kind::Damaged
        );
    }
}

#[test]
fn requests_that_do_not_fit_are_refused() {
    let file = Memory(noise(24));
    let all = Selection::all(&[6]);
    let mut array = array(4, true, &[6], Layout::Contiguous { offset: 0 });
    assert_eq!(
        numbers(&file, &array, &all, &mut [0; 23], &mut Kept::default()).unwrap_err().kind(),
        Kind::Request
    );
    assert_eq!(
        numbers(&file, &array, &Selection::all(&[7]), &mut [0; 28], &mut Kept::default()).unwrap_err().kind(),
        Kind::Request
    );
    array.layout = Layout::Refused("external storage".into());
    assert_eq!(
        numbers(&file, &array, &all, &mut [0; 24], &mut Kept::default()).unwrap_err().kind(),
        Kind::Unsupported
    );
    array.element = Element::FixedString { size: 4, blank_padded: false };
    assert_eq!(
        numbers(&file, &array, &all, &mut [0; 24], &mut Kept::default()).unwrap_err().kind(),
        Kind::Request
    );
}

#[test]
fn chunks_beyond_the_file_or_of_wrong_size_are_damaged() {
    let all = Selection::all(&[4]);
    let order = Order { element: 1, swap: false };
    let read = |chunk: &[u64], place: ChunkPlace| {
        let chunks = Scrambled { places: HashMap::from([(vec![0], place)]), size: 1, shuffled: false };
        chunked::read(
            &Memory(noise(20)),
            &chunks,
            chunk,
            &all,
            &[0],
            &mut [0; 4],
            order,
            &mut Kept::default(),
        )
        .map_err(|e| e.kind())
    };
    let place = |offset, size, filter_mask| ChunkPlace { offset, size, filter_mask };
    assert_eq!(read(&[4], place(16, 4, 1)), Ok(()));
    assert_eq!(read(&[4], place(17, 4, 1)), Err(Kind::Damaged));
    assert_eq!(read(&[4], place(0, 3, 1)), Err(Kind::Damaged));
    assert_eq!(read(&[4], place(u64::MAX, 7, 0)), Err(Kind::Damaged));
    assert_eq!(read(&[4], place(0, u64::MAX, 0)), Err(Kind::Damaged));
    assert_eq!(read(&[1 << 33], place(0, 4, 1)), Err(Kind::Damaged));
    assert_eq!(read(&[0], place(0, 4, 1)), Err(Kind::Damaged));
    assert_eq!(read(&[4, 1], place(0, 4, 1)), Err(Kind::Damaged));
}

#[test]
fn a_column_of_wide_rows_reads_the_column_only() {
    let shape = [50, 10_000];
    let source = Counting(Memory(noise(50 * 10_000 * 4)), AtomicU64::new(0));
    let array = array(4, true, &shape, Layout::Contiguous { offset: 0 });
    stored(&source, &array, &Selection::block(&[0, 7], &[50, 1], &shape).unwrap()).unwrap();
    assert_eq!(source.1.load(Ordering::Relaxed), 200);
}

#[test]
fn nothing_is_read_for_zero_counts() {
    let array = array(4, true, &[5, 5], Layout::Contiguous { offset: 1 << 40 });
    let none = Selection::new(&[0, 9], &[5, 0], &[1, 1], &[5, 5]).unwrap();
    assert!(stored(&Memory(vec![]), &array, &none).unwrap().is_empty());
}
