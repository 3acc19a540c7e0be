//! Headers of classic files that claim more than follows.

use super::{spend, spend_alone, MOST_TIME};
use crate::support::processor;

fn big(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_be_bytes()).collect()
}

#[test]
fn counts_and_lengths_beyond_the_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.nc");
    let most = i32::MAX as u32;
    for version in [1, 2] {
        for body in [
            // Dimensions, attributes, variables.
            big(&[0, 10, most]),
            big(&[0, 0, 0, 12, most]),
            big(&[0, 0, 0, 0, 0, 11, most]),
            // A name, the values of an attribute, the dimensions of a variable.
            big(&[0, 10, 1, most]),
            big(&[0, 0, 0, 12, 1, 1, 0x6100_0000, 6, most]),
            big(&[0, 0, 0, 0, 0, 11, 1, 1, 0x6100_0000, most]),
        ] {
            let mut file = vec![b'C', b'D', b'F', version];
            file.extend(body);
            file.resize(file.len() + 4096, 0);
            std::fs::write(&path, file).unwrap();
            assert!(spend(&path).is_err());
        }
    }
}

#[test]
fn very_many_dimensions_are_shown_soon() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.nc");
    let count = 500_000;
    let mut file = b"CDF\x01".to_vec();
    file.extend(big(&[0, 10, count]));
    (0..count).for_each(|i| file.extend(big(&[4, 0x6161_6161 + i, 1])));
    file.extend(big(&[0, 0, 0, 0]));
    std::fs::write(&path, file).unwrap();
    let shown =
        processor::at_most(MOST_TIME, env!("CARGO_BIN_EXE_cfa")).arg("info").arg(&path).output().unwrap();
    assert!(shown.status.success(), "{}", shown.status);
    assert_eq!(shown.stdout.iter().filter(|&&byte| byte == b'\n').count(), 3 + count as usize);
}

#[test]
fn a_header_full_of_the_shortest_attributes_takes_no_more_than_a_few_times_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.nc");
    let count = 100_000;
    let mut file = b"CDF\x01".to_vec();
    file.extend(big(&[0, 0, 0, 12, count]));
    (0..count).for_each(|i| file.extend(big(&[4, 0x6161_6161 + i, 1, 0])));
    file.extend(big(&[0, 0]));
    std::fs::write(&path, file).unwrap();
    spend(&path).unwrap();
}

#[test]
fn a_header_full_of_variables_takes_no_more_than_the_allowance() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.nc");
    // Scalars, and variables along one dimension or each along its own, without data.
    for (dimensions, variables) in [(0, 140_000), (1, 125_000), (90_000, 90_000)] {
        let mut file = b"CDF\x01".to_vec();
        let tag = if dimensions > 0 { 10 } else { 0 };
        file.extend(big(&[0, tag, dimensions]));
        (0..dimensions).for_each(|i| file.extend(big(&[4, 0x6161_6161 + i, 1])));
        file.extend(big(&[0, 0, 11, variables]));
        for i in 0..variables {
            let of = if dimensions > 0 { vec![1, i % dimensions] } else { vec![0] };
            file.extend(big(&[&[4, 0x6161_6161 + i], &of[..], &[0, 0, 4, 4, 0x7fff_0000]].concat()));
        }
        std::fs::write(&path, file).unwrap();
        let outcome = spend_alone(&path).unwrap_err();
        assert!(outcome.contains("far more memory than the file has bytes"), "{outcome}");
    }
}

#[cfg(unix)]
#[test]
fn a_header_that_is_a_hole_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.nc");
    let long = 200 << 20;
    // The name of a dimension, the text of an attribute.
    for body in [big(&[0, 10, 1, long]), big(&[0, 0, 0, 12, 1, 1, 0x6100_0000, 2, long])] {
        std::fs::write(&path, [b"CDF\x01", &body[..]].concat()).unwrap();
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        let outcome = spend_alone(&path).unwrap_err();
        assert!(outcome.contains("far more memory than the file has bytes"), "{outcome}");
    }
}
