//! Chunks written by libhdf5 and the plugins of its filters (`make_filter_vectors.py`), and damaged chunks.

use std::sync::OnceLock;
use std::time::Duration;

use cfa::internals::container::filter::{decode, decode_into, Filter, Scratch};
use cfa::{Kind, Result};
use proptest::prelude::*;
use serde_json::Value;

use crate::support::allocations::largest_during;
use crate::support::processor;

/// Decodes as the library does and checks that memory and time are in proportion to the decoded length.
fn decode_bounded(
    filters: &[Filter],
    mask: u32,
    chunk: Vec<u8>,
    len: usize,
    element_size: usize,
) -> Result<Vec<u8>> {
    let began = processor::time();
    let (result, largest) = largest_during(|| decode(filters, mask, chunk, len, element_size));
    // The state of bzip2 has a fixed size of nearly 4 MB.
    assert!(largest <= 4_000_000 + 4 * len, "{largest} bytes at once for {len}");
    let took = processor::time() - began;
    assert!(took < Duration::from_secs(20), "{took:?}");
    result
}

struct Vector {
    name: String,
    filters: Vec<Filter>,
    mask: u32,
    element_size: usize,
    len: usize,
    crc32: u32,
    chunk: Vec<u8>,
}

impl Vector {
    fn parse(json: &Value) -> Self {
        let number = |key: &str| json[key].as_u64().unwrap();
        let filter = |json: &Value| Filter {
            id: json[0].as_u64().unwrap() as u16,
            parameters: json[1].as_array().unwrap().iter().map(|p| p.as_u64().unwrap() as u32).collect(),
        };
        let hex = json["chunk"].as_str().unwrap();
        Vector {
            name: json["name"].as_str().unwrap().to_owned(),
            filters: json["filters"].as_array().unwrap().iter().map(filter).collect(),
            mask: number("mask") as u32,
            element_size: number("element_size") as usize,
            len: number("len") as usize,
            crc32: number("crc32") as u32,
            chunk: (0..hex.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
                .collect(),
        }
    }

    fn decode(&self) -> Result<Vec<u8>> {
        decode(&self.filters, self.mask, self.chunk.clone(), self.len, self.element_size)
    }
}

fn vectors() -> &'static [Vector] {
    static VECTORS: OnceLock<Vec<Vector>> = OnceLock::new();
    VECTORS.get_or_init(|| {
        let json: Value = serde_json::from_str(include_str!("data/filters.json")).unwrap();
        json.as_array().unwrap().iter().map(Vector::parse).collect()
    })
}

#[test]
fn chunks_decode_to_what_libhdf5_reads() {
    let mut wrong = Vec::new();
    for vector in vectors() {
        match vector.decode() {
            Ok(decoded) if libdeflater::crc32(&decoded) == vector.crc32 => {}
            Ok(_) => wrong.push(format!("{}: other values", vector.name)),
            Err(error) => wrong.push(format!("{}: {error}", vector.name)),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors().len(), wrong.join("\n"));
}

#[test]
fn every_filter_has_a_chunk_that_went_through_it() {
    for id in [1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32008, 32015] {
        let went_through = |vector: &Vector| {
            (0..).zip(&vector.filters).any(|(i, filter)| filter.id == id && vector.mask & (1 << i) == 0)
        };
        assert!(vectors().iter().any(went_through), "filter {id}");
    }
}

#[test]
fn a_scratch_serves_any_chunk_after_any_other() {
    let mut scratch = Scratch::default();
    for vector in vectors().iter().chain(vectors().iter().rev()) {
        let mut out = vec![0xaa; vector.len];
        let Vector { filters, mask, chunk, element_size, .. } = vector;
        decode_into(filters, *mask, chunk, *element_size, &mut scratch, &mut out).unwrap();
        assert_eq!(libdeflater::crc32(&out), vector.crc32, "{}", vector.name);
    }
}

#[test]
fn a_chunk_of_another_size_than_expected_is_damage() {
    for vector in vectors() {
        for len in [0, vector.len - 1, vector.len + 1] {
            let chunk = vector.chunk.clone();
            let error = decode(&vector.filters, vector.mask, chunk, len, vector.element_size).unwrap_err();
            assert_eq!(error.kind(), Kind::Damaged, "{}: {error}", vector.name);
        }
    }
}

#[test]
fn a_chunk_cut_short_never_decodes_to_other_values() {
    for vector in vectors() {
        for len in (0..vector.chunk.len()).step_by(1 + vector.chunk.len() / 50) {
            let chunk = vector.chunk[..len].to_vec();
            // The last bytes of some streams carry no data; all else is an error.
            if let Ok(decoded) = decode(&vector.filters, vector.mask, chunk, vector.len, vector.element_size)
            {
                assert_eq!(libdeflater::crc32(&decoded), vector.crc32, "{} cut at {len}", vector.name);
            }
        }
    }
}

/// Parameters of filters as writers set them, or similar ones.
fn parameters() -> impl Strategy<Value = Vec<u32>> {
    let parameter = prop_oneof![4 => 0u32..70, 1 => any::<u32>(), 1 => Just(u32::MAX)];
    prop::collection::vec(parameter, 0..24)
}

fn filter_id() -> impl Strategy<Value = u16> {
    prop::sample::select(vec![1, 2, 3, 4, 5, 6, 307, 32000, 32001, 32004, 32008, 32015, 32022])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_bytes_give_an_error_or_the_right_length(
        filters in prop::collection::vec((filter_id(), parameters()), 0..4),
        mask in prop_oneof![Just(0u32), any::<u32>()],
        chunk in prop::collection::vec(any::<u8>(), 0..300),
        len in 0usize..5000,
        element_size in 0usize..20,
    ) {
        let filters: Vec<Filter> =
            filters.into_iter().map(|(id, parameters)| Filter { id, parameters }).collect();
        if let Ok(decoded) = decode_bounded(&filters, mask, chunk, len, element_size) {
            prop_assert_eq!(decoded.len(), len);
        }
    }

    #[test]
    fn mutated_chunks_and_parameters_give_an_error_or_the_right_length(
        vector: prop::sample::Index,
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        head in prop::option::of((0usize..24, prop_oneof![Just(0u8), Just(255), any::<u8>()])),
        cut in prop::option::of(any::<prop::sample::Index>()),
        parameter in prop::option::of((any::<prop::sample::Index>(), prop_oneof![0u32..70, any::<u32>()])),
    ) {
        let vector = vector.get(vectors());
        let mut chunk = vector.chunk.clone();
        for (place, byte) in places {
            *place.get_mut(&mut chunk) = byte;
        }
        if let Some((place, byte)) = head {
            if let Some(place) = chunk.get_mut(place) {
                *place = byte;
            }
        }
        if let Some(cut) = cut {
            chunk.truncate(cut.index(chunk.len()));
        }
        // Without the checksum, damage reaches the filters before it.
        let mut filters: Vec<Filter> = vector.filters.iter().filter(|filter| filter.id != 3).cloned().collect();
        if let (Some((place, value)), Some(filter)) = (parameter, filters.last_mut()) {
            if !filter.parameters.is_empty() {
                *place.get_mut(&mut filter.parameters) = value;
            }
        }
        if let Ok(decoded) = decode_bounded(&filters, vector.mask, chunk, vector.len, vector.element_size) {
            prop_assert_eq!(decoded.len(), vector.len);
        }
    }
}
