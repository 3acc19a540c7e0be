//! Aggregations whose fragments share long names and values.

use cfa::OpenOptions;
use cfa::{Dataset, Selection};

use super::image::{attribute, contiguous, dataspace, heap_string, int, references, Image};

fn text(text: &str) -> (Vec<u8>, Vec<u8>) {
    ([&[0x13, 0, 0, 0], &(text.len() as u32).to_le_bytes()[..]].concat(), text.into())
}

fn text_attribute(name: &str, value: &str) -> (u16, Vec<u8>) {
    let (datatype, data) = text(value);
    attribute(name, &datatype, &[], &data)
}

/// An aggregation of `count` fragments of one element each, with these terms for map, locations and identifiers; every
/// location and the identifier are a reference to the first string of a heap, of `len` bytes.
fn aggregation(count: usize, len: usize, unique: bool) -> (Image, u64) {
    let mut image = Image::new();
    let long = vec![b't'; len];
    let heap = image.global_heap(&[&long]);
    let n = count as u64;
    let ones = image.put([1, 0, 0, 0].repeat(count));
    let map = image.header(&[dataspace(&[1, n]), int(), contiguous(ones, 4 * n)]);
    let data = image.put(references(heap, len, count));
    let uris = image.header(&[dataspace(&[n]), heap_string(), contiguous(data, 16 * n)]);
    let one = image.put(references(heap, len, 1));
    let identifier = image.header(&[dataspace(&[]), heap_string(), contiguous(one, 16)]);
    let scale = [text_attribute("CLASS", "DIMENSION_SCALE"), text_attribute("NAME", "x")];
    let zeros = image.put(vec![0; 4 * count]);
    let x = image.header(&[vec![dataspace(&[n]), int(), contiguous(zeros, 4 * n)], scale.to_vec()].concat());
    let terms = if unique { "map: m unique_values: u" } else { "map: m uris: u identifiers: i" };
    let v = image.header(&[
        dataspace(&[]),
        if unique { heap_string() } else { int() },
        contiguous(zeros, 16),
        text_attribute("aggregated_dimensions", "x"),
        text_attribute("aggregated_data", terms),
    ]);
    let objects = [("m", map), ("u", uris), ("i", identifier), ("x", x), ("v", v)];
    let root = image.group_with(&objects, vec![text_attribute("Conventions", "CF-1.13")]);
    (image, root)
}

/// Lists the fragments of the aggregation and reads it; returns the first error.
fn list(count: usize, len: usize, unique: bool) -> Result<usize, cfa::Error> {
    let folder = tempfile::tempdir().unwrap();
    let (image, root) = aggregation(count, len, unique);
    let path = image.write(folder.path(), root);
    super::keep(&path);
    let (outcome, most) = crate::support::allocations::most_during(|| {
        let dataset = Dataset::open_with(&path, &OpenOptions::default().num_threads(1))?;
        let variable = dataset.variable("v")?;
        let mut seen = 0;
        variable.for_each_fragment(|_| -> Result<(), cfa::Error> {
            seen += 1;
            Ok(())
        })?;
        if unique {
            variable.read_strings(&Selection::all(variable.shape()?))?;
        }
        Ok(seen)
    });
    println!("{count} fragments, names of {len} bytes: {most} bytes of memory: {outcome:?}");
    assert!(most < super::MOST_BYTES, "{most} bytes: {outcome:?}");
    outcome
}

#[test]
fn locations_that_are_one_long_string_are_refused() {
    assert!(list(1_000_000, 1 << 20, false).is_err());
    assert!(list(1000, 60_000, false).is_err());
    assert_eq!(list(3000, 100, false).unwrap(), 3000);
}

#[test]
fn values_that_are_one_long_string_are_refused() {
    assert!(list(1_000_000, 1 << 20, true).is_err());
    assert_eq!(list(3000, 100, true).unwrap(), 3000);
}
